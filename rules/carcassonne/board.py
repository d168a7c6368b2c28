"""The tiles that lie, and the features that they make up, kept as each tile is laid.

A `Board` is a value: laying a tile gives another one. What changes is the features the tile joins; a feature knows its
parts, its open ends and its meeples, so that nobody ever walks the board to ask whether it is complete or taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

from rules.carcassonne.geometry import AROUND, ROTATIONS, STEPS, Cell
from rules.carcassonne.moves import Figure
from rules.carcassonne.tiles import START_TILE, TILES, Kind, Part, Turned, turned

FREE: Final = "...."
"""Pattern of a cell none of whose neighbours lies: its sides N E S W, each F, R, C or unknown."""


class Spot(NamedTuple):
    """A part of a laid tile: its cell, and which of the tile's parts."""

    x: int
    y: int
    part: int


class Meeple(NamedTuple):
    """A figure on the table, and the part of a feature it stands on."""

    player: int
    figure: Figure
    spot: Spot


@dataclass(frozen=True)
class Feature:
    """A road, city, field, monastery or garden, over all its tiles."""

    kind: Kind
    spots: tuple[Spot, ...]
    open: int
    """Ends without a neighbour; for monasteries and gardens missing tiles around; fields stay open for ever."""
    pennants: int = 0
    meeples: tuple[Meeple, ...] = ()
    cities: tuple[Spot, ...] = ()
    """Of a field: city parts that it touches, several of one city perhaps."""

    @property
    def complete(self) -> bool:
        return not self.open

    @property
    def cells(self) -> frozenset[Cell]:
        """Its tiles: each once, however many parts lie on it (rules 2.2)."""
        return frozenset((spot.x, spot.y) for spot in self.spots)


@dataclass(frozen=True)
class Board:
    """All laid tiles."""

    tiles: Mapping[Cell, Turned]
    frontier: Mapping[Cell, str]
    """Empty cells beside a tile, with what their neighbours show on N, E, S, W; `.` where none lies."""
    feature_of: Mapping[Spot, int]
    features: Mapping[int, Feature]
    """By a number of their own."""

    def at(self, spot: Spot) -> Feature:
        """The feature that a part belongs to."""
        return self.features[self.feature_of[spot]]

    def part(self, spot: Spot) -> Part:
        """What a spot is, turned as its tile lies."""
        return self.tiles[spot.x, spot.y].parts[spot.part]

    def spots(self, cell: Cell) -> Iterable[tuple[Spot, Part]]:
        """The parts of the tile on a cell; the flying machine is none of them, it belongs to no feature."""
        for i, part in enumerate(self.tiles[cell].parts):
            if part.kind != "FlyingMachine":
                yield Spot(*cell, i), part

    def fits(self, tile: str) -> Iterable[tuple[Cell, tuple[int, ...]]]:
        """Cells on which a tile fits, and how it may be turned there (rules 2.2.2)."""
        edges = TILES[tile].edges
        for cell, pattern in self.frontier.items():
            if rotations := _rotations(edges, pattern):
                yield cell, rotations

    def with_meeple(self, meeple: Meeple) -> Board:
        """The board with one figure more on it."""
        number = self.feature_of[meeple.spot]
        feature = self.features[number]
        return self._with(number, replace(feature, meeples=(*feature.meeples, meeple)))

    def without_meeples(self, spot: Spot) -> Board:
        """The board without the figures on the feature that a part belongs to."""
        number = self.feature_of[spot]
        return self._with(number, replace(self.features[number], meeples=()))

    def without_meeple(self, meeple: Meeple) -> Board:
        """The board without one figure."""
        number = self.feature_of[meeple.spot]
        feature = self.features[number]
        i = feature.meeples.index(meeple)
        return self._with(number, replace(feature, meeples=feature.meeples[:i] + feature.meeples[i + 1 :]))

    def _with(self, number: int, feature: Feature) -> Board:
        return replace(self, features={**self.features, number: feature})


def start_board() -> Board:
    """The start tile alone (rules 2.2.1)."""
    return lay(Board({}, {(0, 0): FREE}, {}, {}), START_TILE, (0, 0), 0)


def lay(board: Board, tile: str, cell: Cell, rotation: int) -> Board:
    """The board with a tile more, which fits there; its features join those of its neighbours."""
    laid = turned(tile, rotation)
    joined = _Joining(board)
    for i, part in enumerate(laid.parts):
        if part.kind != "FlyingMachine":
            joined.add(Spot(*cell, i), _new(board, cell, laid, part, i))
    x, y = cell
    for side, (dx, dy) in enumerate(STEPS):
        if neighbour := board.tiles.get((x + dx, y + dy)):
            left, middle, right = laid.sides[side]
            far_left, far_middle, far_right = neighbour.sides[(side + 2) % 4]
            for mine, theirs in ((left, far_right), (middle, far_middle), (right, far_left)):
                if mine is not None and theirs is not None:
                    joined.join(Spot(x, y, mine), Spot(x + dx, y + dy, theirs))
    for dx, dy in AROUND:
        if (around := (x + dx, y + dy)) in board.tiles:
            joined.surround(spot for spot, part in board.spots(around) if part.kind in ("Monastery", "Garden"))
    return Board({**board.tiles, cell: laid}, _frontier(board, cell, laid), joined.feature_of, joined.features)


def _new(board: Board, cell: Cell, laid: Turned, part: Part, i: int) -> Feature:
    """A part's feature before it joins its neighbours'."""
    x, y = cell
    if part.kind in ("Monastery", "Garden"):
        ends = sum((x + dx, y + dy) not in board.tiles for dx, dy in AROUND)
    elif part.kind == "Field":
        ends = 1
    else:
        ends = sum(middle == i for _, middle, _ in laid.sides)
    cities = tuple(
        Spot(x, y, k) for k, other in enumerate(laid.parts) if other.kind == "City" and other.location in part.touches
    )
    return Feature(part.kind, (Spot(x, y, i),), ends, part.pennants, (), cities)


class _Joining:
    """Features while a tile is being laid: copies that may be changed."""

    def __init__(self, board: Board) -> None:
        self.feature_of = dict(board.feature_of)
        self.features = dict(board.features)

    def add(self, spot: Spot, feature: Feature) -> None:
        number = len(self.feature_of)
        self.feature_of[spot] = number
        self.features[number] = feature

    def join(self, a: Spot, b: Spot) -> None:
        """Two parts meet at a side: they are one feature, and two ends are open no longer."""
        keep, lose = self.feature_of[a], self.feature_of[b]
        if len(self.features[keep].spots) < len(self.features[lose].spots):
            keep, lose = lose, keep
        one, other = self.features[keep], self.features[lose]
        field = one.kind == "Field"
        if keep == lose:
            if not field:
                self.features[keep] = replace(one, open=one.open - 2)
            return
        del self.features[lose]
        for spot in other.spots:
            self.feature_of[spot] = keep
        self.features[keep] = Feature(
            one.kind,
            one.spots + other.spots,
            one.open if field else one.open + other.open - 2,
            one.pennants + other.pennants,
            one.meeples + other.meeples,
            one.cities + other.cities,
        )

    def surround(self, spots: Iterable[Spot]) -> None:
        """A tile more lies beside these monasteries and gardens."""
        for spot in spots:
            feature = self.features[self.feature_of[spot]]
            self.features[self.feature_of[spot]] = replace(feature, open=feature.open - 1)


def _frontier(board: Board, cell: Cell, laid: Turned) -> dict[Cell, str]:
    """Empty cells beside a tile once another one is laid."""
    frontier = dict(board.frontier)
    del frontier[cell]
    x, y = cell
    for side, (dx, dy) in enumerate(STEPS):
        beside = (x + dx, y + dy)
        if beside not in board.tiles:
            pattern = frontier.get(beside, FREE)
            facing = (side + 2) % 4
            frontier[beside] = pattern[:facing] + laid.edges[side] + pattern[facing + 1 :]
    return frontier


@cache
def _rotations(edges: str, pattern: str) -> tuple[int, ...]:
    """Turns in which a tile's edges match a pattern: at most 17 kinds of edges by 256 patterns."""
    turns = []
    for rotation in ROTATIONS:
        shift = rotation // 90
        lying = edges[-shift:] + edges[:-shift] if shift else edges
        if all(want in (".", have) for have, want in zip(lying, pattern, strict=True)):
            turns.append(rotation)
    return tuple(turns)
