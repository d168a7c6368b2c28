"""What a still shows of the game: tiles on the engine's board, meeples on their features, the flight die."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from rules.carcassonne.geometry import Cell
from rules.carcassonne.lattice import Frame, SeenTile, align, parts, quarter, seen_tiles, starts
from rules.carcassonne.maps import SIZE, FeatureMap, plain, weigh
from rules.carcassonne.tiles import START_TILE, TILES, Turned
from vision.scene import UNKNOWN, Piece, Point, Quad, Scene

Place = tuple[Cell, int]
"""A part of a tile: its cell, and its number in the tile's table (also of the flying machine, which is no `Spot`)."""

HAND_MM = 1.5
"""1 sigma of how exactly people put a meeple on what they mean, mm; a road is 4 to 5 mm wide. A prior."""
CARELESS_MM = 4.0
CARELESS = 0.15
"""This share of all meeples is put down less exactly, with this 1 sigma. A prior: without it, in 1 of 10 recorded games
a meeple was ruled illegal that was not, when they stood 2 mm (1 sigma) off the middle of what they were meant for."""
LIES_ELSEWHERE = 0.12
"""Farmers lie, all others stand (rules 2.2.3): how likely it is otherwise, since poses are misread and some people
never lay their farmers down. A prior: it decides between two features only near their border."""


@dataclass(frozen=True)
class SeenMeeple:
    """A meeple on the board."""

    piece: str
    colour: str
    """`unknown` when its colour is not certain."""
    pose: str
    cell: Cell
    """The tile that it stands on."""
    at: Point
    """Where on that tile's face, in map units."""
    weights: Mapping[Place, float]
    """What it may stand on, and how likely by where it stands and how; at most 1 in all."""

    def weight(self, place: Place) -> float:
        return self.weights.get(place, 0.0)


@dataclass(frozen=True)
class SeenDie:
    """The flight die."""

    piece: str
    value: int | None
    throws: int
    doubtful: bool
    cocked: bool
    moving: bool


@dataclass(frozen=True)
class Sight:
    """A still in the engine's terms."""

    t: float
    frame: Frame
    frames: Mapping[int, Frame]
    """By each lattice of the scene that is part of the board."""
    tiles: Mapping[Cell, SeenTile]
    """Tiles on the board's lattice; their cells and rotations are the engine's."""
    loose: tuple[SeenTile, ...]
    """Tiles that lie face up beside the board."""
    meeples: tuple[SeenMeeple, ...]
    die: SeenDie | None


class Eye:
    """Remembers how the lattice lies and where each tile was last seen. `maps`: by print, else by tile."""

    def __init__(self, maps: Mapping[str, FeatureMap], ask_below: float) -> None:
        self.maps = maps
        self.ask_below = ask_below
        self.frame: Frame | None = None
        self.pieces: dict[str, Cell] = {}
        """Pieces that are tiles of the board."""
        self._quads: dict[Cell, tuple[Quad, str]] = {}
        """Outline and print of each tile as last seen."""
        self._epoch = 0
        self._scene: Scene | None = None

    def look(
        self, scene: Scene, board: Mapping[Cell, Turned], told: Mapping[str, str], turns: Mapping[str, int]
    ) -> Sight | None:
        """The still in the engine's terms; None when it does not tell where the board is. `told`, `turns`: what the
        players said of tiles and of their rotations, by piece."""
        if scene.camera.epoch != self._epoch:
            self._epoch = scene.camera.epoch
            self._quads.clear()
        tiles = seen_tiles(scene.pieces)
        if self.frame is None:
            frames = starts(tiles)
            joined = sum(tile.lattice == frames[0].lattice for tile in tiles) if frames else 0
            if len(frames) != 1 or joined > 1:
                return None  # there are other tiles like the start tile: of several that lie, it may be any
            self.frame = frames[0]
        else:
            frame = align(tiles, board, self.pieces, self.frame)
            if frame is None:
                return None
            self.frame = frame
        self._scene = scene
        return self._sight(scene, tiles, board, self.frame, told, turns)

    def again(self, board: Mapping[Cell, Turned], told: Mapping[str, str], turns: Mapping[str, int]) -> Sight | None:
        """The last still once more, now that more is known of it."""
        if self._scene is None or self.frame is None:
            return None
        return self._sight(self._scene, seen_tiles(self._scene.pieces), board, self.frame, told, turns)

    def start_at(self, frame: Frame) -> None:
        """The players say which is the start tile."""
        self.frame = frame

    def know(self, sight: Sight, board: Mapping[Cell, Turned]) -> None:
        """Tiles of the board as they were just seen; called when it is settled what happened."""
        for cell, tile in sight.tiles.items():
            if cell in board and tile.tile in (board[cell].tile.id, UNKNOWN):
                self.pieces[tile.piece] = cell

    def _sight(
        self,
        scene: Scene,
        tiles: list[SeenTile],
        board: Mapping[Cell, Turned],
        frame: Frame,
        told: Mapping[str, str],
        turns: Mapping[str, int],
    ) -> Sight:
        on: dict[Cell, SeenTile] = {}
        unturned: set[Cell] = set()
        loose = []
        frames = parts(tiles, board, self.pieces, frame, self._unmoved)
        for tile in tiles:
            if tile.cell is not None and tile.lattice in frames:
                cell = frames[tile.lattice].cell(tile.cell)
                rotation = None if tile.rotation is None else frames[tile.lattice].rotation(tile.rotation)
                if cell in on and on[cell].confidence >= tile.confidence:
                    continue
                on[cell] = replace(tile, cell=cell, rotation=rotation)
                unturned.discard(cell)
                if rotation is None:
                    known = board[cell].rotation if cell in board else turns.get(tile.piece)
                    if known is None:
                        unturned.add(cell)
                    else:
                        quad = face_of(tile.quad, frames[tile.lattice].shown_rotation(known))
                        on[cell] = replace(on[cell], quad=quad)
            elif tile.cell is None and len(board) == 1 and tile.tile == START_TILE and not on:
                on[0, 0] = replace(tile, cell=(0, 0), rotation=frame.rotation(quarter(tile.quad)))
            else:
                loose.append(tile)
        for cell, tile in on.items():
            self._quads[cell] = tile.quad, tile.print
        names = {cell: told.get(tile.piece, tile.tile) for cell, tile in on.items() if cell not in unturned}
        names |= {cell: laid.tile.id for cell, laid in board.items()}
        meeples = tuple(
            seen for p in scene.pieces if p.kind == "meeple" if (seen := self._meeple(p, names, on)) is not None
        )
        dice = [p for p in scene.pieces if p.kind == "die"]
        # The game has one die: what else is taken for one cannot be read, or is less certain.
        dice.sort(key=lambda p: (p.value is not None, p.confidence), reverse=True)
        return Sight(scene.t, frame, frames, on, tuple(loose), meeples, self._die(dice[0]) if dice else None)

    def _unmoved(self, tile: SeenTile, cell: Cell) -> bool:
        """Whether a tile lies where the one of that cell was seen last."""
        before = self._quads.get(cell)
        if before is None:
            return True
        return math.dist(_centre(tile.quad), _centre(before[0])) < math.dist(tile.quad[0], tile.quad[1]) / 2

    def _die(self, piece: Piece) -> SeenDie:
        value = piece.value if piece.value in (1, 2, 3) and piece.confidence >= self.ask_below else None
        cocked, moving = piece.pose == "cocked", piece.pose == "moving"
        return SeenDie(piece.id, value, piece.throws, piece.throw_doubtful, cocked, moving)

    def _meeple(self, piece: Piece, names: Mapping[Cell, str], on: Mapping[Cell, SeenTile]) -> SeenMeeple | None:
        """A meeple that stands on a tile of the board; None for those beside it."""
        if piece.foot_mm is None:
            return None
        weights: dict[Place, float] = {}
        stands, at = None, (0.0, 0.0)
        nearest = math.inf
        for cell, (quad, name) in self._quads.items():
            if cell not in on and cell not in names:
                continue
            u, v = _inside(quad, piece.foot_mm)
            out = max(abs(u - 0.5), abs(v - 0.5))
            if out > 0.75:
                continue
            if out < nearest:
                nearest, stands, at = out, cell, (u * SIZE, v * SIZE)
            scale = SIZE / math.dist(quad[0], quad[1])
            careful = math.hypot(piece.foot_sigma_mm, HAND_MM) * scale
            careless = math.hypot(piece.foot_sigma_mm, CARELESS_MM) * scale
            tile = names.get(cell, UNKNOWN)
            if tile not in TILES:
                continue
            features = self.map_of(tile, name)
            for sigma, share in ((careful, 1 - CARELESS), (careless, CARELESS)):
                for part, weight in weigh(features, u * SIZE, v * SIZE, sigma).items():
                    fits = share * weight * _fits_pose(piece.pose, TILES[tile].parts[part].kind)
                    weights[cell, part] = weights.get((cell, part), 0.0) + fits
        if stands is None or (nearest > 0.5 and sum(weights.values()) < 0.25):
            return None
        colour = piece.face.partition(".")[2] if piece.confidence >= self.ask_below else UNKNOWN
        return SeenMeeple(piece.id, colour or UNKNOWN, piece.pose, stands, at, _shares(weights))

    def map_of(self, tile: str, name: str = "") -> FeatureMap:
        """What lies where on a face: of its very picture, of its kind, or as its table says."""
        return self.maps.get(name) or self.maps.get(tile) or plain(tile)


def face_of(cell: Quad, rotation: int) -> Quad:
    """The outline of a face, from its own top left, that lies turned by so many degrees in a cell.

    >>> face_of(((0, 0), (1, 0), (1, 1), (0, 1)), 90)
    ((1, 0), (1, 1), (0, 1), (0, 0))
    """
    first = rotation // 90 % 4
    a, b, c, d = cell[first:] + cell[:first]
    return a, b, c, d


def _centre(quad: Quad) -> Point:
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4


def _fits_pose(pose: str, kind: str) -> float:
    if pose not in ("standing", "lying"):
        return 1.0
    return 1.0 if (pose == "lying") == (kind == "Field") else LIES_ELSEWHERE


def _shares(weights: Mapping[Place, float]) -> dict[Place, float]:
    total = sum(weights.values())
    return {place: weight / total for place, weight in weights.items() if weight > 0.001 * total} if total else {}


def _inside(quad: Quad, point: Point) -> tuple[float, float]:
    """Where a point lies on a face: 0 to 1 from its left to its right, and from its top to its bottom."""
    (ax, ay), (bx, by), _, (dx, dy) = quad
    ux, uy, vx, vy = bx - ax, by - ay, dx - ax, dy - ay
    px, py = point[0] - ax, point[1] - ay
    det = ux * vy - uy * vx
    return (px * vy - py * vx) / det, (ux * py - uy * px) / det
