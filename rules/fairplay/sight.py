"""What one still shows of the race: the road, the cars' tiles, throws of the die, cards before the players."""

from __future__ import annotations

import msgspec

from vision.scene import Point


class Spot(msgspec.Struct, frozen=True):
    """Where a car stands."""

    piece: str
    tiles: tuple[int, ...]
    """Numbers of the tiles it may stand on, the likeliest first; one beyond the finish's for a car that has passed
    it. Several when it stands at a border."""


class Throw(msgspec.Struct, frozen=True):
    """The die came to rest."""

    value: int | None
    """None: not read (yet)."""
    sure: bool
    """False: it may also have been moved, or turned up again, without being thrown."""
    t: float
    piece: str = ""


class Card(msgspec.Struct, frozen=True):
    """A card on the table that belongs to no pile."""

    key: str
    """Stable while it lies there."""
    piece: str
    face: str
    """`card.plus2` ..., `back`, or `unknown`."""
    players: tuple[int, ...]
    """Those who sit at the side where it lies."""
    at: Point
    spare: bool = False
    """It lies where one lay before play began: the draw pile, or a hand."""
    by_pile: bool = False
    """It lies beside the draw pile, where the discards may be."""
    moved: bool = False
    """It lay open at another side just now: somebody has put it where it is."""


class Sight(msgspec.Struct, frozen=True):
    """One still, measured against the road as it is known."""

    t: float
    road: tuple[str, ...]
    cars: dict[int, Spot]
    """By player; cars that are not seen, or on no tile, are missing."""
    throws: tuple[Throw, ...]
    """Every throw since the game began."""
    die: int | None
    """What the die shows now."""
    cards: tuple[Card, ...]
    gone: tuple[Card, ...] = ()
    """Cards that lay there a moment ago."""
    die_seen: bool = True
    """The die is in view: if it was thrown, that was seen."""

    @property
    def backs(self) -> tuple[Card, ...]:
        return tuple(card for card in self.cards if card.face == "back")

    @property
    def faces(self) -> tuple[Card, ...]:
        return tuple(card for card in self.cards if card.face.startswith("card."))
