"""The format of games recorded step by step from another engine.

A recording holds for each tile all places where it could be laid, for each turn all places for a meeple and, after a
flight, all landings; what was chosen; the points and supplies after each turn; and all features at the end.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.carcassonne.tiles import Kind

Where = tuple[int, int, Kind, str]
"""A part of a laid tile: x, y, feature, location."""


class TileStep(msgspec.Struct, tag="tile", tag_field="op"):
    """A tile was drawn, and laid at `choice`."""

    player: int
    tile: str
    legal: list[tuple[int, int, int]]
    choice: tuple[int, int, int]


class MeepleStep(msgspec.Struct, tag="meeple", tag_field="op"):
    """A meeple was put at `choice`, or none; or it landed there. With `die` it took the flying machine."""

    player: int
    legal: list[Where]
    can_pass: bool
    choice: Where | None
    die: int | None = None


class EndStep(msgspec.Struct, tag="end", tag_field="op"):
    """A turn was over. `discarded`: all tiles out of the game so far."""

    points: list[int]
    supply: list[int]
    discarded: list[str]


class RecordedFeature(msgspec.Struct):
    """A feature at the end."""

    type: Kind
    places: list[tuple[int, int, str]]
    owners: list[int]
    cities: int | None = None
    """A field: parts of cities beside it, complete or not. (What it scores is told by the events.)"""


class RecordedMeeple(msgspec.Struct):
    """A meeple left on the table."""

    player: int
    position: tuple[int, int]
    feature: Kind
    location: str


class Item(msgspec.Struct):
    """What made points: `tiles`, `pennants` or `cities`."""

    name: str
    count: int


class Pointer(msgspec.Struct):
    """One part of a feature."""

    position: tuple[int, int]
    location: str
    feature: Kind


class Points(msgspec.Struct):
    """What one player got for one feature in the final scoring."""

    player: int
    points: int
    name: str
    items: list[Item]
    ptr: Pointer


class Event(msgspec.Struct):
    """A step of the final scoring."""

    points: list[Points]


class Final(msgspec.Struct):
    """How the game ended."""

    points: list[int]
    features: list[RecordedFeature]
    meeples: list[RecordedMeeple]
    final_events: list[Event] | None = None


class Recording(msgspec.Struct):
    """A whole game; players are numbered from 0."""

    players: int
    edition: Literal[1, 2]
    steps: list[TileStep | MeepleStep | EndStep]
    final: Final
