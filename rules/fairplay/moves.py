"""What can happen in a game: moves, as plain data. The die, tiles and cards turned up are observed facts, not chances.

Every move says whose it is: the player on turn, the one who is asked, or the one whom a card moves.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.fairplay.pieces import UNKNOWN

Way = Literal["", "left", "right", "straight"]
"""How a tile leads on, seen by who enters it; empty when it is not told."""


class Mend(msgspec.Struct, frozen=True, tag="mend", tag_field="move"):
    """The player discards the puncture before him; his turn is over (rules 3.3.0)."""

    player: int


class Refuel(msgspec.Struct, frozen=True, tag="refuel", tag_field="move"):
    """The player fills up: his panne cards go, and he draws (rules 3.3.0')."""

    player: int


class DriveOn(msgspec.Struct, frozen=True, tag="drive_on", tag_field="move"):
    """The player has arrived at a station and does not fill up (option `refuel_timing` = on_arrival)."""

    player: int


class Roll(msgspec.Struct, frozen=True, tag="roll", tag_field="move"):
    """The player rolls the die (rules 3.3.1)."""

    player: int
    value: int


class Lay(msgspec.Struct, frozen=True, tag="lay", tag_field="move"):
    """The next tile is turned over and laid on, for the car that moves (rules 3.4.1)."""

    player: int
    tile: str
    way: Way = ""


class Step(msgspec.Struct, frozen=True, tag="step", tag_field="move"):
    """The car moves to the next tile, or beyond the finish (rules 3.4)."""

    player: int


class Stop(msgspec.Struct, frozen=True, tag="stop", tag_field="move"):
    """The mover takes no more of his steps (rules 3.4.4)."""

    player: int


class Draw(msgspec.Struct, frozen=True, tag="draw", tag_field="move"):
    """The player draws a card, in most games unseen (rules 3.3.3, 3.3.0')."""

    player: int
    card: str = UNKNOWN


class Offer(msgspec.Struct, frozen=True, tag="offer", tag_field="move"):
    """The player offers one of his cards face down to another (rules 3.3.4)."""

    player: int
    to: int
    card: str = UNKNOWN


class Reply(msgspec.Struct, frozen=True, tag="reply", tag_field="move"):
    """The player who was offered a card says yes or no before he sees it (rules 3.3.4)."""

    player: int
    accepts: bool


class Reveal(msgspec.Struct, frozen=True, tag="reveal", tag_field="move"):
    """The user turns the offered card up and carries it out (rules 3.3.4, 3.5)."""

    player: int
    card: str


class Discard(msgspec.Struct, frozen=True, tag="discard", tag_field="move"):
    """The user of a panne discards a card of his choice, perhaps unseen (rules 3.5)."""

    player: int
    card: str = UNKNOWN


Move = Mend | Refuel | DriveOn | Roll | Lay | Step | Stop | Draw | Offer | Reply | Reveal | Discard
