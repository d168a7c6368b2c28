"""What can happen in a game: moves, as plain data. Drawn tiles and the die are observed facts, not chances.

A turn is `Draw`, `Place`, then one of `Put`, `Skip` and, with the abbot, `Recall`. A `Put` on the flying machine goes
on with `Roll` and, where the meeple can land, `Land`. Every move may name its player; it is then refused out of turn.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.carcassonne.tiles import Kind

Figure = Literal["meeple", "abbot"]


class _Move(msgspec.Struct, frozen=True, kw_only=True, tag_field="move", omit_defaults=True, repr_omit_defaults=True):
    player: int | None = None
    """Whose move it is; None: that of whose turn it is."""


class Draw(_Move, frozen=True, tag="draw"):
    """The next tile is turned up. When it fits nowhere it is out of the game at once, and another one is drawn."""

    tile: str


class Place(_Move, frozen=True, tag="place"):
    """The drawn tile is laid: cell (start tile 0, 0; x right, y down) and turn clockwise in degrees."""

    x: int
    y: int
    rotation: int


class Put(_Move, frozen=True, tag="put"):
    """A meeple is put on a feature of the tile just laid, or on its flying machine."""

    feature: Kind
    location: str = "I"
    figure: Figure = "meeple"


class Skip(_Move, frozen=True, tag="skip"):
    """No meeple is put; or, where a house rule leaves the choice, a flyer does not land and returns."""


class Recall(_Move, frozen=True, tag="recall"):
    """Instead of putting a meeple a player calls back the abbot and scores it (option `abbot`)."""


class Roll(_Move, frozen=True, tag="roll"):
    """The flight die shows 1, 2 or 3."""

    die: int
    cocked: bool = False
    """It leans on something, or fell off the table."""


class Land(_Move, frozen=True, tag="land"):
    """The flyer lands on a feature of the tile that it reached."""

    feature: Kind
    location: str = "I"


Move = Draw | Place | Put | Skip | Recall | Roll | Land
