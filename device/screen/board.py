"""The board games on the table from above: where on it a cell, a point of a tile, the road's chain is. Pure.

The referee tells the board in cells and tiles (`rules.protocol.View.board`, as the view of each game says); the scene
knows where its tiles lie. What the game knows of and the last still does not show (a hand was over it) is drawn where
its neighbours say it must be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from device.screen import shown
from rules.protocol import View
from vision.scene import Piece, Point, Scene

Cell = tuple[int, int]
Corners = tuple[Point, Point, Point, Point]
"""Of a cell, clockwise from its top left as people look at it."""


class Lattice:
    """Where the cells of a board lie, millimetres on the table, from the tiles that are seen in them."""

    def __init__(self, tiles: Sequence[Mapping[str, Any]], pieces: Mapping[str, Piece]) -> None:
        self._seen: dict[Cell, Corners] = {}
        for tile in tiles:
            piece = pieces.get(tile.get("piece") or "")
            if piece is not None:
                faceless = piece.cell is not None and piece.rotation is None
                self._seen[_cell(tile["cell"])] = upright(piece.outline_mm, 0 if faceless else tile["rotation"])

    def __bool__(self) -> bool:
        return bool(self._seen)

    def __contains__(self, cell: Cell) -> bool:
        return cell in self._seen

    def corners(self, cell: Cell) -> Corners:
        """Of any cell: of one where no tile is seen as the nearest that is seen goes on."""
        if cell in self._seen:
            return self._seen[cell]
        near = min(self._seen, key=lambda c: (c[0] - cell[0]) ** 2 + (c[1] - cell[1]) ** 2)
        a, b, c, d = self._seen[near]
        across = ((b[0] - a[0] + c[0] - d[0]) / 2, (b[1] - a[1] + c[1] - d[1]) / 2)
        down = ((d[0] - a[0] + c[0] - b[0]) / 2, (d[1] - a[1] + c[1] - b[1]) / 2)
        x, y = cell[0] - near[0], cell[1] - near[1]
        step = (x * across[0] + y * down[0], x * across[1] + y * down[1])
        one, two, three, four = ((p[0] + step[0], p[1] + step[1]) for p in (a, b, c, d))
        return one, two, three, four

    def at(self, cell: Cell, point: Sequence[float] = (0.5, 0.5)) -> Point:
        """A point of a cell: 0 to 1 from left to right and from top to bottom."""
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = self.corners(cell)
        u, v = point
        top = (ax + u * (bx - ax), ay + u * (by - ay))
        foot = (dx + u * (cx - dx), dy + u * (cy - dy))
        return round(top[0] + v * (foot[0] - top[0]), 1), round(top[1] + v * (foot[1] - top[1]), 1)

    def outline(self, cell: Cell) -> tuple[Point, ...]:
        return tuple((round(x, 1), round(y, 1)) for x, y in self.corners(cell))


def upright(outline: Corners, rotation: int) -> Corners:
    """The corners of a cell from those of the face in it, which is turned clockwise by `rotation` degrees.

    >>> upright(((1, 0), (1, 1), (0, 1), (0, 0)), 90)
    ((0, 0), (1, 0), (1, 1), (0, 1))
    """
    turns = rotation // 90
    a, b, c, d = (outline[(corner - turns) % 4] for corner in range(4))
    return a, b, c, d


def board_of(view: View, scene: Scene | None, name: Callable[[str], str]) -> shown.Board | None:
    """What is drawn over the table; None for a game without a board. `name`: a face or feature in words."""
    board = view.board
    if not board:
        return None
    pieces = {p.id: p for p in scene.pieces} if scene is not None else {}
    if "track" in board:
        return _race(board, pieces, name)
    lattice = Lattice(board.get("tiles", ()), pieces)
    if not lattice:
        return shown.Board()
    return msgspec.structs.replace(_tiles(board, lattice, name), broken=_broken(view, pieces))


# ---- Carcassonne -----------------------------------------------------------------------------------------------------


def _tiles(board: Mapping[str, Any], lattice: Lattice, name: Callable[[str], str]) -> shown.Board:
    def spot(told: Mapping[str, Any]) -> shown.Spot:
        return shown.Spot(
            at=lattice.at(_cell(told["cell"]), told["point"]),
            text=name(told["feature"]),
            colour=told.get("colour", ""),
            player=told.get("player", ""),
        )

    last, flight = board.get("last"), board.get("flight")
    return shown.Board(
        last=lattice.outline(_cell(last)) if last is not None else (),
        hidden=tuple(
            shown.Hidden(
                face=tile["tile"],
                name=name(tile["tile"]),
                outline=tuple(lattice.outline(_cell(tile["cell"]))[(k + tile["rotation"] // 90) % 4] for k in range(4)),
            )
            for tile in board["tiles"]
            if _cell(tile["cell"]) not in lattice
        ),
        lit=tuple(
            shown.Lit(
                player=line["player"],
                points=line["points"],
                text=name(line["feature"]),
                cells=tuple(lattice.outline(_cell(cell)) for cell in line["cells"]),
            )
            for line in board.get("lit", ())
        ),
        flight=_flight(flight, lattice, spot) if flight else None,
        places=tuple(spot(place) for place in board.get("places", ())),
        to_return=tuple(spot(meeple) for meeple in board.get("to_return", ())),
        die=flight["die"] if flight else None,
        left=board.get("left"),
    )


def _broken(view: View, pieces: Mapping[str, Piece]) -> tuple[tuple[Point, Point], ...]:
    """Where the two tiles of a violation meet: halfway between their nearest edges."""
    edges = []
    for mark in view.marks:
        tiles = [pieces[p] for p in mark.pieces if p in pieces and pieces[p].kind == "tile"]
        if mark.kind == "violation" and len(tiles) == 2:
            edges.append(_meeting(tiles[0].outline_mm, tiles[1].outline_mm))
    return tuple(edges)


def _meeting(one: Corners, other: Corners) -> tuple[Point, Point]:
    def sides(corners: Corners) -> list[tuple[Point, Point]]:
        return [(corners[k], corners[(k + 1) % 4]) for k in range(4)]

    def apart(pair: tuple[tuple[Point, Point], tuple[Point, Point]]) -> float:
        # Both run clockwise round their own tile, so they run along each other the opposite way.
        (a, b), (c, d) = pair
        return math.dist(a, d) + math.dist(b, c)

    (a, b), (c, d) = min(((s, o) for s in sides(one) for o in sides(other)), key=apart)
    return _between(a, d), _between(b, c)


def _between(a: Point, b: Point) -> Point:
    return round((a[0] + b[0]) / 2, 1), round((a[1] + b[1]) / 2, 1)


def _flight(
    flight: Mapping[str, Any], lattice: Lattice, spot: Callable[[Mapping[str, Any]], shown.Spot]
) -> shown.Flight:
    goal = flight.get("to")
    return shown.Flight(
        player=flight["player"],
        start=lattice.at(_cell(flight["from"])),
        end=lattice.at(_cell(goal)) if goal is not None else None,
        goal=lattice.outline(_cell(goal)) if goal is not None else (),
        options=tuple(spot(option) for option in flight.get("options", ())),
    )


def _cell(told: Sequence[int]) -> Cell:
    return told[0], told[1]


# ---- Fair Play -------------------------------------------------------------------------------------------------------


def _race(board: Mapping[str, Any], pieces: Mapping[str, Piece], name: Callable[[str], str]) -> shown.Board:
    die = board.get("die") or {}
    owed, offered = board.get("owed"), board.get("offered")
    stops = []
    for tile in board["track"]:
        piece = pieces.get(tile.get("piece") or "")
        stops.append(
            shown.Stop(
                kind=tile["kind"],
                name=name(tile["kind"]),
                cars=tuple(tile["cars"]),
                at=_middle(piece) if piece is not None else None,
            )
        )
    return shown.Board(
        track=tuple(stops),
        finish=bool(board.get("finish")),
        die=die.get("value"),
        steps=die.get("left") or 0,
        owed=shown.Owed(player=owed["player"], to=owed["to"], card=name(owed["card"])) if owed else None,
        offered=shown.OfferedCard(by=offered["by"], to=offered["to"]) if offered else None,
    )


def _middle(piece: Piece) -> Point:
    x, y = (sum(corner[axis] for corner in piece.outline_mm) / 4 for axis in (0, 1))
    return round(x, 1), round(y, 1)


# ---- players ---------------------------------------------------------------------------------------------------------


def holds(board: Mapping[str, Any], player: str) -> tuple[int | None, int | None]:
    """How many meeples a player can still put, and how many cards he holds; None where the game has none of them."""
    return board.get("supply", {}).get(player), board.get("hands", {}).get(player)
