"""Where a scene's tiles lie on the game's board, whichever tile the seeing counts from and however the table is turned.

Seeing numbers cells from any tile, with the picture's axes. The engine has the start tile at (0, 0), unturned. Players
and reports count from the start tile, too, but with the picture's axes: x right, y towards the viewer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.carcassonne.geometry import ROTATIONS, Cell, turn_step
from rules.carcassonne.tiles import START_TILE, TILES, Turned, turned
from vision.scene import BACK, UNKNOWN, Piece, Quad

PREFIX = "tile."
"""What a tile's face is called: `tile.BA/L`."""


@dataclass(frozen=True)
class SeenTile:
    """A tile as the camera sees it; cell and rotation count as its scene does until a `Frame` maps them."""

    piece: str
    tile: str
    """The engine's name of it, or `unknown`."""
    print: str
    confidence: float
    cell: Cell | None
    rotation: int | None
    lattice: int
    quad: Quad


@dataclass(frozen=True)
class Frame:
    """How a scene's lattice lies against the engine's board."""

    lattice: int
    origin: Cell
    """The scene's cell of the start tile."""
    turn: int
    """The scene's rotation of the start tile, clockwise in degrees."""

    def cell(self, seen: Cell) -> Cell:
        """The engine's cell of a scene's."""
        step = seen[0] - self.origin[0], seen[1] - self.origin[1]
        return turn_step(step, -self.turn % 360)

    def rotation(self, seen: int) -> int:
        """The engine's rotation of a scene's."""
        return (seen - self.turn) % 360

    def shown(self, cell: Cell) -> Cell:
        """The cell as people count it, from the engine's."""
        return turn_step(cell, self.turn)

    def shown_rotation(self, rotation: int) -> int:
        """The rotation as people see it, from the engine's."""
        return (rotation + self.turn) % 360


def seen_tiles(pieces: Iterable[Piece]) -> list[SeenTile]:
    """Every tile that lies face up, or that is not known."""
    return [
        SeenTile(
            piece=p.id,
            tile=p.face.removeprefix(PREFIX) if p.face.removeprefix(PREFIX) in TILES else UNKNOWN,
            print=p.print,
            confidence=p.confidence,
            cell=p.cell,
            rotation=p.rotation,
            lattice=p.lattice,
            quad=p.outline_mm,
        )
        for p in pieces
        if p.face != BACK and (p.kind == "tile" or p.face.startswith(PREFIX))
    ]


def starts(tiles: Sequence[SeenTile]) -> list[Frame]:
    """Where the start tile may be when nothing is known of the board yet: on the largest group of joined tiles.

    A tile that lies alone may have no cell: it is its own lattice then, turned as its outline is.
    """
    lone = [tile for tile in tiles if tile.tile == START_TILE]
    if len(tiles) == 1 and len(lone) == 1 and lone[0].cell is None:
        return [Frame(lone[0].lattice, (0, 0), quarter(lone[0].quad))]
    size = Counter(tile.lattice for tile in tiles if tile.cell is not None)
    if not size:
        return []
    largest = max(size.values())
    return [
        Frame(tile.lattice, tile.cell, tile.rotation)
        for tile in lone
        if tile.cell is not None and tile.rotation is not None and size[tile.lattice] == largest
    ]


def quarter(quad: Quad) -> int:
    """How a face is turned, to the nearest quarter, clockwise in degrees."""
    (ax, ay), (bx, by), *_ = quad
    return round(math.degrees(math.atan2(by - ay, bx - ax)) / 90) * 90 % 360


def align(
    tiles: Sequence[SeenTile], board: Mapping[Cell, Turned], pieces: Mapping[str, Cell], last: Frame
) -> Frame | None:
    """How this scene's lattice lies against the board: as before if that agrees, else as most tiles say.

    `pieces`: the cell of each piece that is known. None when the tiles that are seen do not tell.
    """
    placed = [tile for tile in tiles if tile.cell is not None]
    if not placed:
        return _lone(tiles, pieces, last)
    votes: Counter[Frame] = Counter()
    before = {lattice: Frame(lattice, last.origin, last.turn) for lattice in {tile.lattice for tile in placed}}
    for frame in before.values():
        votes[frame] = _agreeing(placed, board, pieces, frame)
    best = max(votes, key=lambda frame: votes[frame])
    if votes[best] > 0 and votes[best] >= _known(placed, board, best) / 2:
        return best
    votes.clear()
    for tile in placed:
        for frame in _frames(tile, board, pieces):
            votes[frame] += 1
    ranked = votes.most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[1][1] == ranked[0][1]):
        return None
    return ranked[0][0]


def _lone(tiles: Sequence[SeenTile], pieces: Mapping[str, Cell], last: Frame) -> Frame | None:
    """Of tiles none of which has a cell: only the start tile lies, and it is known."""
    return last if len(pieces) <= 1 and any(tile.piece in pieces or tile.tile == START_TILE for tile in tiles) else None


def _known(tiles: Sequence[SeenTile], board: Mapping[Cell, Turned], frame: Frame) -> int:
    """How many tiles fall on cells of the board."""
    return sum(
        tile.cell is not None and tile.lattice == frame.lattice and frame.cell(tile.cell) in board for tile in tiles
    )


def _agreeing(tiles: Sequence[SeenTile], board: Mapping[Cell, Turned], pieces: Mapping[str, Cell], frame: Frame) -> int:
    """How many tiles lie where the board has them; those that are known to be the very ones count more."""
    return sum(
        1 + 2 * (tile.cell is not None and pieces.get(tile.piece) == frame.cell(tile.cell))
        for tile in tiles
        if tile.lattice == frame.lattice and agrees(tile, board, frame)
    )


def parts(
    tiles: Sequence[SeenTile],
    board: Mapping[Cell, Turned],
    pieces: Mapping[str, Cell],
    frame: Frame,
    unmoved: Callable[[SeenTile, Cell], bool],
) -> dict[int, Frame]:
    """Every lattice of a scene that is part of the board: when a tile between is not seen, the board falls apart.

    A lattice belongs to the board when tiles of it are known to be of the board and lie where they lay (`unmoved`), and
    all of these agree where it lies.
    """
    out = {frame.lattice: frame}
    for lattice in sorted({tile.lattice for tile in tiles if tile.cell is not None} - {frame.lattice}):
        own = [tile for tile in tiles if tile.lattice == lattice and tile.cell is not None]
        known = [tile for tile in own if tile.piece in pieces and unmoved(tile, pieces[tile.piece])]
        ways = [{way for way in _frames(tile, board, pieces) if way.turn == frame.turn} for tile in known]
        common = set.intersection(*ways) if ways else set()
        as_before = Frame(lattice, frame.origin, frame.turn)
        if as_before in common:
            out[lattice] = as_before
        elif len(common) == 1:
            out[lattice] = common.pop()
    return out


def agrees(tile: SeenTile, board: Mapping[Cell, Turned], frame: Frame) -> bool:
    """Whether a tile is seen where the board has just this one."""
    laid = board.get(frame.cell(tile.cell)) if tile.cell is not None else None
    if laid is None or laid.tile.id != tile.tile or tile.rotation is None:
        return False
    return same(tile.tile, frame.rotation(tile.rotation), laid.rotation)


def same(tile: str, one: int, other: int) -> bool:
    """Whether a tile shows the same features in two rotations (some tiles are symmetrical).

    >>> same("BA/RFr", 90, 270), same("BA/L", 0, 90), same("BA/Rr", 0, 180)
    (True, True, False)
    """
    return one == other or _shape(tile, one) == _shape(tile, other)


def _shape(tile: str, rotation: int) -> object:
    laid = turned(tile, rotation)
    parts = frozenset((part.kind, part.location, part.pennants, frozenset(part.touches)) for part in laid.parts)
    return parts, laid.flight


def _frames(tile: SeenTile, board: Mapping[Cell, Turned], pieces: Mapping[str, Cell]) -> Iterable[Frame]:
    """Every way in which this tile may be one of the board."""
    assert tile.cell is not None
    if tile.tile == UNKNOWN or tile.rotation is None:
        return
    own = pieces.get(tile.piece)
    for cell, laid in board.items():
        if laid.tile.id == tile.tile and own in (None, cell):
            for turn in ROTATIONS:
                if same(tile.tile, (tile.rotation - turn) % 360, laid.rotation):
                    shift = turn_step(cell, turn)
                    yield Frame(tile.lattice, (tile.cell[0] - shift[0], tile.cell[1] - shift[1]), turn)
