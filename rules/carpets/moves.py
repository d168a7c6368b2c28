"""What can happen in a game: moves, as plain data. Draws, throws and duels are observed facts, not chances."""

from __future__ import annotations

import msgspec

from rules.carpets.geometry import rectangle
from vision.scene import Quad

TABLE = 0
"""`Transfer.to` of a card that lies on the table again."""


class Place(msgspec.Struct, frozen=True):
    """Where a card lies: its centre in mm, x right and y down, and its turn clockwise in degrees."""

    x: float
    y: float
    angle: float = 0.0

    def outline(self, width: float, height: float) -> Quad:
        """Corners in mm of a card of that size."""
        return rectangle(self.x, self.y, self.angle, width, height)


class Landing(msgspec.Struct, frozen=True):
    """How a carpet lies: on which layout cards (by number), under which, on which carpets, or off the table."""

    on: tuple[int, ...] = ()
    under: tuple[int, ...] = ()
    over: tuple[str, ...] = ()
    """Carpets it lies on, above a card that both lie on (rules 1.5, carpet on carpet)."""
    off_table: bool = False


class Lay(msgspec.Struct, frozen=True, tag="lay", tag_field="move"):
    """The layouter turns a card over and places it (rules 1.3.1). `card` may be `unknown`."""

    card: str
    place: Place | None = None
    """When given, the spacing of rules 1.3.2 is checked."""


class Rearrange(msgspec.Struct, frozen=True, tag="rearrange", tag_field="move"):
    """The layouter swaps, shifts or turns cards after the twelfth (rules 1.3.3)."""

    slots: tuple[int, ...]
    """The cards he touches, by their numbers."""
    places: tuple[Place, ...] = ()
    """Their new places, in the same order; empty when not known."""


class Ready(msgspec.Struct, frozen=True, tag="ready", tag_field="move"):
    """The layouter says that the layout is finished (rules 1.3.3)."""

    agreed: bool = False
    """The table plays on with fewer than twelve cards, or with a layout that breaks the spacing."""


class Throw(msgspec.Struct, frozen=True, tag="throw", tag_field="move"):
    """A carpet is thrown (rules 1.4); how it lies is final only when all have flown."""

    carpet: str
    landing: Landing = Landing()


class Evaluate(msgspec.Struct, frozen=True, tag="evaluate", tag_field="move"):
    """All carpets have flown: how they lie now (rules 1.5). Carpets not named lie as they landed."""

    landings: dict[str, Landing] = {}


class Duel(msgspec.Struct, frozen=True, tag="duel", tag_field="move"):
    """The djinns revealed for a contested card, player to djinn (rules 1.5, djinn duel)."""

    slot: int
    djinns: dict[int, int] = {}
    """Everybody's, or fewer when not all were seen: then `winner` must say who won."""
    winner: int | None = None


class Lamps(msgspec.Struct, frozen=True, tag="lamps", tag_field="move"):
    """A player says how many lamps he spends as palaces (rules 1.6.1)."""

    player: int
    spent: int


class EndRound(msgspec.Struct, frozen=True, tag="end_round", tag_field="move"):
    """The table agrees to stop throwing in this round, e.g. after endless missing (rules 1.5)."""


class Adjust(msgspec.Struct, frozen=True, tag="adjust", tag_field="move"):
    """The table agrees to give or take points."""

    player: int
    points: int


class Transfer(msgspec.Struct, frozen=True, tag="transfer", tag_field="move"):
    """The table agrees whose card this is: a player's number, or `TABLE`."""

    round: int
    slot: int
    to: int


Move = Lay | Rearrange | Ready | Throw | Evaluate | Duel | Lamps | EndRound | Adjust | Transfer
