"""Where the things of a board game lie: tiles edge to edge with gaps and slop, figures on features, supplies, piles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from shapely.geometry import Polygon

from rules.carcassonne.geometry import sides_of
from tests.tablegen.board_play import FigureAt, Position, TileAt
from tests.tablegen.layout import new_sheet
from tests.tablegen.sheet import Sheet
from vision.deck import Deck, Face

SIDE = {"N": np.array([0.0, 1.0]), "E": np.array([1.0, 0.0]), "S": np.array([0.0, -1.0]), "W": np.array([-1.0, 0.0])}
"""Directions on the table, y away from the viewer."""
QUARTERS = "ESWN"
MOST_GAP_MM = 1.0
MOST_SLOP_DEG = 2.0


class Mosaic:
    """Tiles laid one by one beside those that lie: each takes on the drift of its neighbours and adds its own slop."""

    def __init__(self, deck: Deck, origin: tuple[float, float], angle: float, seed: int) -> None:
        self.deck, self.origin, self.angle, self.seed = deck, origin, angle, seed
        self.sheets: dict[tuple[int, int], Sheet] = {}
        self._left: dict[str, int] = {f.id: f.count for f in deck.faces}

    def lay(self, tile: TileAt) -> Sheet:
        if tile.cell in self.sheets:
            return self.sheets[tile.cell]
        rng = np.random.default_rng([self.seed, 11, tile.cell[0] + 500, tile.cell[1] + 500])
        face = self._face(tile.kind, rng)
        turn = -tile.rotation if not tile.exit else _road_turn(tile)
        near = [(way, self.sheets[c]) for way, c in _around(tile.cell) if c in self.sheets]
        slop = float(np.clip(rng.normal(0, 0.6), -MOST_SLOP_DEG, MOST_SLOP_DEG))
        if near:
            lean = float(np.mean([_lean(s) for _, s in near]))
            lean = float(np.clip(lean + 0.6 * slop, self.angle - MOST_SLOP_DEG, self.angle + MOST_SLOP_DEG))
            gaps = rng.uniform(0.05, MOST_GAP_MM, len(near))
            at = np.mean([_beside(s, way, _lean(s), face.width_mm, g)
                          for (way, s), g in zip(near, gaps, strict=True)], axis=0)  # fmt: skip
        else:
            lean, at = self.angle, np.array(self.origin)
        sheet = new_sheet(self.deck, face, f"tile_{tile.cell[0]}_{tile.cell[1]}", float(at[0]), float(at[1]), 0.0)
        sheet = replace(sheet, angle=turn + lean, thickness=self.deck.thickness_mm if face.width_mm == 45 else 1.9,
                        radius=min(self.deck.corner_radius_mm, 0.8), gloss=0.3)  # fmt: skip
        self.sheets[tile.cell] = sheet = _freed(sheet, [s for _, s in near])
        return sheet

    def _face(self, kind: str, rng: np.random.Generator) -> Face:
        fitting = [f for f in self.deck.faces if f.kind in (kind, f"tile.{kind}")]
        if not fitting:
            raise ValueError(f"the deck {self.deck.name!r} has no tile {kind!r}")
        free = [f for f in fitting if self._left[f.id] > 0] or fitting
        face = free[int(rng.integers(len(free)))]
        self._left[face.id] -= 1
        return face


def _around(cell: tuple[int, int]) -> list[tuple[str, tuple[int, int]]]:
    """The cells around, with the direction that leads from each to this one."""
    x, y = cell
    return [("E", (x - 1, y)), ("W", (x + 1, y)), ("S", (x, y - 1)), ("N", (x, y + 1))]


def _lean(sheet: Sheet) -> float:
    """degrees by which it is off its quarter turns."""
    return (sheet.angle + 45) % 90 - 45


def _beside(sheet: Sheet, way: str, lean: float, size: float, gap: float) -> np.ndarray:
    c, s = np.cos(np.radians(lean)), np.sin(np.radians(lean))
    d = np.array([[c, -s], [s, c]]) @ SIDE[way]
    return np.array([sheet.x, sheet.y]) + d * (sheet.width / 2 + size / 2 + gap)


def _freed(sheet: Sheet, others: list[Sheet]) -> Sheet:
    """Pushed off what it would lie on: players nudge a tile until it is flat."""
    for _ in range(12):
        moved = False
        for o in others:
            common = sheet.sharp().intersection(o.sharp())
            if common.area > 0.05:
                away = np.array([sheet.x - o.x, sheet.y - o.y])
                away /= np.linalg.norm(away)
                step = 0.6 * common.area / 40 + 0.03
                sheet = replace(sheet, x=sheet.x + away[0] * step, y=sheet.y + away[1] * step)
                moved = True
        if not moved:
            break
    return sheet


def _road_turn(tile: TileAt) -> float:
    """degrees counter-clockwise: a straight face leads from W to E, a curve from W to S."""
    if tile.kind != "road.curve":
        return {"E": 0.0, "N": 90.0, "W": 180.0, "S": 270.0}[tile.exit]
    for turns in range(4):  # a quarter turn counter-clockwise takes W to S
        if {_left_turned("W", turns), _left_turned("S", turns)} == {tile.entry, tile.exit}:
            return 90.0 * turns
    raise ValueError(f"no curve leads from {tile.entry} to {tile.exit}")


def _left_turned(side: str, turns: int) -> str:
    return QUARTERS[(QUARTERS.index(side) - turns) % 4]


def on_feature(figure: FigureAt, size: float, rng: np.random.Generator) -> np.ndarray:
    """(2,) mm from the middle of an unturned tile, y away: a place that is surely of that feature."""
    half = size / 2
    if figure.feature in ("Monastery", "Garden", "FlyingMachine"):
        return rng.normal(0, 1.5, 2)
    if figure.feature == "Field":
        name = str(rng.choice(figure.location.split(".")))
        out = SIDE[name[0]]
        right = np.array([out[1], -out[0]])  # of somebody in the middle who looks that way
        along = right if name[1] == "R" else -right
        return out * (half - rng.uniform(8.5, 10.5)) + along * (half - rng.uniform(8.5, 10.5))
    sides = sorted(sides_of(figure.location))
    if figure.feature == "Road":
        return SIDE[str(rng.choice(sides))] * (half - rng.uniform(8, 11))
    if len(sides) == 1:
        return SIDE[sides[0]] * (half - rng.uniform(5.5, 7.5))
    mid = np.sum([SIDE[s] for s in sides], axis=0)
    return mid * half * 0.5 + rng.normal(0, 1.0, 2)


def on_tile(sheet: Sheet, at: np.ndarray) -> np.ndarray:
    """(2,) table mm of a place of an unturned tile that lies with the lean of its sheet."""
    a = np.radians(_lean(sheet))
    c, s = np.cos(a), np.sin(a)
    return np.array([sheet.x, sheet.y]) + np.array([[c, -s], [s, c]]) @ at


def car_places(sheet: Sheet, tile: TileAt, count: int, rng: np.random.Generator) -> list[tuple[np.ndarray, float]]:
    """Places (2,) mm and headings (degrees counter-clockwise) for up to four cars on a road tile."""
    out = []
    way_in, way_out = -SIDE[tile.entry], SIDE[tile.exit]
    curved = tile.kind == "road.curve"
    lanes = [(-15.0, 6.9), (-15.0, -6.9), (15.0, 6.9), (15.0, -6.9)]
    if count <= 2:
        lanes = [(0.0, 7.3), (0.0, -7.3)] if count == 2 or rng.random() < 0.7 else [(0.0, 0.0)]
    if count <= 2 and not curved and rng.random() < 0.3:
        lanes = [(-15.0, 6.9), (15.0, -6.9)]
    order = rng.permutation(len(lanes))
    for k in range(count):
        along, across = lanes[order[k]]
        if curved and count <= 2:
            # Round the inner corner: the road's middle runs half a tile from it.
            corner = (way_out - way_in) * sheet.width / 2
            d = -(way_out - way_in) / np.sqrt(2)
            turn_left = way_in[0] * way_out[1] - way_in[1] * way_out[0]
            radius = sheet.width / 2 - across * turn_left
            middle = corner + d * radius
            heading = (way_in + way_out) / np.sqrt(2)
        else:
            ahead = way_in if along <= 0 or not curved else way_out
            left = np.array([-ahead[1], ahead[0]])
            middle = ahead * along * (1.0 if not curved else 0.95) + left * across
            heading = ahead
        degrees = float(np.degrees(np.arctan2(heading[1], heading[0]))) + float(rng.normal(0, 2.5))
        shift = rng.normal(0, 0.4 if count > 1 else 1.2, 2)
        out.append((on_tile(sheet, middle + shift), degrees + _lean(sheet)))
    return out


def free_place(
    field: Polygon, taken: list[Polygon], size: tuple[float, float], rng: np.random.Generator,
    near: np.ndarray | None = None, spread: float = 40.0, gap: float = 0.3,
) -> tuple[float, float, float] | None:  # fmt: skip
    """x, y, angle of a place for a thing within the field that touches nothing; near a point when one is told."""
    lo, hi = np.array(field.bounds[:2]), np.array(field.bounds[2:])
    for attempt in range(120):
        at = rng.uniform(lo, hi) if near is None else near + rng.normal(0, spread * (1 + attempt / 40), 2)
        angle = float(rng.uniform(0, 360))
        shape = rectangle(at, size, angle)
        if field.contains(shape) and all(shape.distance(t) >= gap for t in taken):
            return float(at[0]), float(at[1]), angle
    return None


def rectangle(at: np.ndarray, size: tuple[float, float], angle: float) -> Polygon:
    a = np.radians(angle)
    c, s = np.cos(a), np.sin(a)
    box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [size[0] / 2, size[1] / 2]
    return Polygon(box @ np.array([[c, s], [-s, c]]) + at)


def extent(position: Position) -> tuple[int, int, int, int]:
    """Least and greatest cells, x and y."""
    xs, ys = [t.cell[0] for t in position.tiles], [t.cell[1] for t in position.tiles]
    return min(xs), max(xs), min(ys), max(ys)
