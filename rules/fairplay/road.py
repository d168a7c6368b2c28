"""The chain of road tiles on the table, from the start tile on, in the order in which they were laid (rules 3.4).

A tile belongs to it when it lies edge to edge with the last one, where that one leads on: a straight one at the edge
opposite to where it is entered, a bent one at the edge to the left or the right of it. How a tile's picture lies does
not matter, since decks draw their roads as they like; but where two orders are possible, tiles of one picture are taken
to be drawn alike. Piles (`back`) and tiles that lie elsewhere do not belong to the road.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, takewhile
from typing import Final, Literal

import msgspec

from rules.fairplay.pieces import CURVE, START, STRAIGHT
from rules.fairplay.places import apart, centre, joined, middle, side_mm
from vision.scene import BACK, Piece, Point, Quad, Scene

Shape = Literal["straight", "curve"]

SAME_PLACE: Final = 0.35
"""A tile that is seen within this share of a tile of where one lay is that one, whatever its id."""
REMEMBERED: Final = 2
"""Stills for which a tile that was laid ahead of a car, and is not seen any more, still lies there: a sleeve covers it.
Taken for taken back at once, it would be a needless one when it is seen again after the car has stopped."""
MOST_ORDERS: Final = 64
"""Orders of new tiles that are looked at; more than two are hardly ever possible."""


class RoadTile(msgspec.Struct, frozen=True):
    """A tile of the chain."""

    piece: str
    kind: str
    """`road.curve` ...; `unknown` as long as it is not read."""
    outline: Quad
    print: str = ""
    entry: int | None = None
    """The edge at which it joins the one before."""
    unseen: int = 0
    """For how many stills it has not been seen."""

    @property
    def at(self) -> Point:
        return centre(self.outline)


class Road:
    """Follows the chain from still to still."""

    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        self._shapes: dict[str, Shape] = {CURVE: "curve", STRAIGHT: "straight", **shapes}
        self.tiles: tuple[RoadTile, ...] = ()
        self.told: dict[str, str] = {}
        """What the players say a piece is."""

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(tile.kind for tile in self.tiles)

    def fresh(self) -> Road:
        """Another of which nothing is known yet."""
        return Road(self._shapes)

    def look(self, scene: Scene, firm: int, laid: int = 0) -> None:
        """Finds the chain again and what was added. The first `firm` tiles have been ruled on: they stay, seen or not.
        Of the first `laid` it is known why they were laid: they stay a while. Others count as long as they are seen."""
        loose = {p.id: self._tile(p) for p in scene.pieces if p.kind == "tile" and p.face != BACK}
        if not self.tiles:
            starts = [tile for tile in loose.values() if tile.kind == START]
            if len(starts) != 1:
                return
            self.tiles = (loose.pop(starts[0].piece),)
            firm = max(firm, 1)
        else:
            self.tiles = tuple(self._again(tile, loose) for tile in self.tiles)
        stay = [n < firm or tile.unseen <= (REMEMBERED if n < laid else 0) for n, tile in enumerate(self.tiles)]
        self.tiles = self.tiles[: stay.index(False)] if False in stay else self.tiles
        while added := self._extension([tile for tile in loose.values() if not self._covers(tile)]):
            self.tiles += added

    def shift(self, move: Callable[[Point], Point]) -> None:
        """The table frame was moved: tiles that are not seen now lie where they lay."""
        self.tiles = tuple(_with(tile, outline=tuple(map(move, tile.outline))) for tile in self.tiles)

    def tell(self, piece: str, kind: str) -> None:
        """The players say what a tile is."""
        self.told[piece] = kind
        self.tiles = tuple(_with(tile, kind=kind) if tile.piece == piece else tile for tile in self.tiles)

    # -- the same tiles again -----------------------------------------------------------------------------------

    def _tile(self, piece: Piece) -> RoadTile:
        return RoadTile(piece.id, self.told.get(piece.id, piece.face), piece.outline_mm, piece.print)

    def _again(self, tile: RoadTile, loose: dict[str, RoadTile]) -> RoadTile:
        found = loose.pop(tile.piece, None)
        if found is None:
            near = SAME_PLACE * side_mm(tile.outline)
            same = [other for other in loose.values() if apart(other.at, tile.at) < near]
            found = loose.pop(min(same, key=lambda other: apart(other.at, tile.at)).piece) if same else None
        if found is None:
            return _with(tile, unseen=tile.unseen + 1)
        kind = found.kind if tile.kind == "unknown" else tile.kind
        if tile.piece != found.piece and tile.piece in self.told:
            self.told[found.piece] = self.told[tile.piece]
        return _turned(_with(tile, piece=found.piece, kind=kind, unseen=0), found.outline)

    def _covers(self, tile: RoadTile) -> bool:
        """It lies on a tile of the chain that was not seen: a card or a hand's shadow, or that tile read wrongly."""
        near = SAME_PLACE * side_mm(tile.outline)
        return any(apart(tile.at, laid.at) < near for laid in self.tiles)

    # -- tiles added --------------------------------------------------------------------------------------------

    def _extension(self, loose: Sequence[RoadTile]) -> tuple[RoadTile, ...]:
        """The tiles that follow the last one, as far as their order is certain."""
        orders = list(islice(self._orders(self.tiles[-1], loose), MOST_ORDERS))
        if orders == [()] and self._blocked(self.tiles[-1]):
            orders = list(islice(self._after_gap(loose), MOST_ORDERS)) or orders
        longest = max(map(len, orders))
        orders = [order for order in orders if len(order) == longest]
        if len(orders) > 1:
            alike = {order: self._drawn_unlike(order) for order in orders}
            orders = [order for order in orders if alike[order] == min(alike.values())]
        same = takewhile(lambda tiles: len({tile.piece for tile in tiles}) == 1, zip(*orders, strict=True))
        return tuple(tiles[0] for tiles in same)

    def _orders(self, last: RoadTile, loose: Sequence[RoadTile]) -> Iterator[tuple[RoadTile, ...]]:
        """Every way to go on from `last` until no tile follows."""
        ended = True
        for tile in loose:
            edges = joined(last.outline, tile.outline)
            if edges and self._leads(last, edges[0]):
                ended = False
                entered = _with(tile, entry=edges[1])
                rest = [other for other in loose if other is not tile]
                yield from ((entered, *order) for order in self._orders(entered, rest))
        if ended:
            yield ()

    def _blocked(self, last: RoadTile) -> bool:
        """Rules 3.4 (lay of the land): wherever the last tile leads on, the road lies already."""
        return all(self._lies(last, edge) for edge in range(4) if self._leads(last, edge))

    def runs_in(self) -> int | None:
        """Rules 3.4: the number of the last tile when it leads onto the road and could have led to the other side; None
        when it does not, or nobody can tell. Which edges a curve joins is known from the curves laid before it."""
        last = self.tiles[-1] if self.tiles else None
        if last is None or last.entry is None or last.unseen or self._shapes.get(last.kind) != "curve":
            return None
        drawn = {
            frozenset((tile.entry, edges[0]))
            for tile, following in pairwise(self.tiles)
            if tile.kind == last.kind
            and tile.entry is not None
            and (edges := joined(tile.outline, following.outline)) is not None
        }
        alike = next(iter(drawn)) if len(drawn) == 1 else frozenset()
        if last.entry not in alike:
            return None
        (leads,) = alike - {last.entry}
        there, elsewhere = self._lies(last, leads), self._lies(last, (leads + 2) % 4)
        return len(self.tiles) - 1 if there and not elsewhere else None

    def _lies(self, tile: RoadTile, edge: int) -> bool:
        """Whether the road lies already where a tile would be joined at this edge."""
        onward = _onward(tile, edge)
        return any(apart(onward, other.at) <= 0.6 * side_mm(tile.outline) for other in self.tiles)

    def _after_gap(self, loose: Sequence[RoadTile]) -> Iterator[tuple[RoadTile, ...]]:
        """Ways to go on after a gap (option `track_layout`)."""
        for tile in loose:
            if tile.kind != "unknown":
                rest = [other for other in loose if other is not tile]
                yield from ((tile, *order) for order in self._orders(tile, rest))

    def _leads(self, tile: RoadTile, edge: int) -> bool:
        """May a tile lead on over this edge?"""
        if tile.entry is None:
            return True
        turn = (edge - tile.entry) % 4
        shape = self._shapes.get(tile.kind)
        return turn != 0 and (shape is None or (turn == 2) == (shape == "straight"))

    def _drawn_unlike(self, order: Sequence[RoadTile]) -> tuple[int, int]:
        """How many tiles of the chain, continued in this order, would be drawn otherwise than an earlier one of their
        kind; and how many that are not bent would lead over the top or the foot of their picture."""
        chain = (*self.tiles, *order)
        drawn: dict[str, set[frozenset[int]]] = {}
        upright = 0
        for tile, following in pairwise(chain):
            edges = joined(tile.outline, following.outline)
            if edges and tile.entry is not None:
                drawn.setdefault(tile.kind, set()).add(frozenset((tile.entry, edges[0])))
            if edges and self._shapes.get(tile.kind) != "curve":
                upright += edges[0] in (0, 2)
        return sum(len(ways) - 1 for ways in drawn.values()), upright


def _with(tile: RoadTile, **changes: object) -> RoadTile:
    return msgspec.structs.replace(tile, **changes)


def _onward(tile: RoadTile, edge: int) -> Point:
    """The middle of a tile that would be joined at this edge."""
    (x, y), (mx, my) = tile.at, middle(tile.outline, edge)
    return 2 * mx - x, 2 * my - y


def _turned(tile: RoadTile, outline: Quad) -> RoadTile:
    """The tile at its new outline, which may begin at another corner when its picture was turned."""
    if tile.entry is None:
        return _with(tile, outline=outline)
    x0, y0 = tile.at
    x1, y1 = centre(outline)
    ex, ey = _edge_from(tile.outline, tile.entry)
    entry = max(range(4), key=lambda k: _dot(_edge_from(outline, k), (ex, ey)))
    if apart((x0, y0), (x1, y1)) > side_mm(outline):
        entry = tile.entry  # it was moved as a whole: its own edges are what is known
    return _with(tile, outline=outline, entry=entry)


def _edge_from(outline: Quad, edge: int) -> Point:
    x, y = centre(outline)
    (x0, y0), (x1, y1) = outline[edge], outline[(edge + 1) % 4]
    return (x0 + x1) / 2 - x, (y0 + y1) / 2 - y


def _dot(a: Point, b: Point) -> float:
    return a[0] * b[0] + a[1] * b[1]
