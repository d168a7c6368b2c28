"""What happened at the table, as the referee tells it: one event after the other, in plain data."""

from __future__ import annotations

import msgspec


class Rolled(msgspec.Struct, frozen=True):
    """The player rolled the die (rules 3.3.1)."""

    player: int
    value: int
    inferred: bool = False
    """The throw itself was not seen."""
    again: bool = False
    """He had rolled before, and rolled again."""


class Drove(msgspec.Struct, frozen=True):
    """A car went from one place to another (tiles after start)."""

    player: int
    start: int
    end: int
    by: str
    """`die`, or the card."""
    inferred: bool = False
    """Something else may have moved it just as well; it makes no difference."""


class Offered(msgspec.Struct, frozen=True):
    """A card was laid face down before an opponent (rules 3.3.4)."""

    player: int
    to: int
    """0: nobody saw before whom."""


class Used(msgspec.Struct, frozen=True):
    """An offered card was turned up and used (rules 3.3.4)."""

    player: int
    """Who used it; 0 where that is not known and makes no difference."""
    card: str
    by: int
    """Who offered it."""
    to: int
    """Whom it was offered; 0 when nobody saw."""
    unseen: bool = False
    """The card was never seen; it follows from what it did."""


class Mended(msgspec.Struct, frozen=True):
    """The player lost his turn to a puncture (rules 3.3.0)."""

    player: int


class Refuelled(msgspec.Struct, frozen=True):
    """The player filled up (rules 3.3.0')."""

    player: int


class Skipped(msgspec.Struct, frozen=True):
    """The table says that no card was offered in the player's turn."""

    player: int


class Won(msgspec.Struct, frozen=True):
    """The player's car has passed the finish (rules 3.4.7)."""

    player: int


Event = Rolled | Drove | Offered | Used | Mended | Refuelled | Skipped | Won
