"""Which part of a tile lies at which point of it: a small grid of labels for each face, as plain data.

Two things are known of a tile before anybody looks at its picture: which features reach which half of which side (the
table of tiles), and how such tiles are drawn: roads as curves between the middles of sides, a city as a cap on its
side, a monastery or a flying machine in the middle, fields as the rest. `plain` draws a map from that alone, `sketches`
draws it in all likely sizes, for a picture to tell which.

Points are in map units: `SIZE` to the side of a tile, x right and y down from the top left of the face itself (as at
rotation 0), so that with tiles of 45 mm a unit is a millimetre.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Final

import msgspec

from rules.carcassonne.geometry import SIDES, sides_of
from rules.carcassonne.tiles import TILES, Part

SIZE: Final = 45
NOTHING: Final = "."
"""Label of a point that belongs to no feature (a village), or of which that is not known."""
LABELS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"

_MID: Final = SIZE / 2
_MIDDLE: Final = {"N": (_MID, 0.0), "E": (SIZE, _MID), "S": (_MID, SIZE), "W": (0.0, _MID)}
"""The middle of each side."""
_CORNER: Final = {
    frozenset("NE"): (SIZE, 0.0),
    frozenset("SE"): (SIZE, SIZE),
    frozenset("SW"): (0.0, SIZE),
    frozenset("NW"): (0.0, 0.0),
}

Shape = tuple[Callable[[float, float], bool], tuple[float, float, float, float]]
"""Whether a point lies in a shape; and the shape's left, top, right and bottom."""
_WHOLE: Final = (0.0, 0.0, float(SIZE), float(SIZE))


class FeatureMap(msgspec.Struct, frozen=True):
    """What lies where on one face."""

    rows: tuple[str, ...]
    """`SIZE` rows of `SIZE` characters from the top: the number of the part in the tile's table, or `NOTHING`."""

    def at(self, x: float, y: float) -> int | None:
        """The part at a point; None outside the tile and where there is none."""
        if not (0 <= x < SIZE and 0 <= y < SIZE):
            return None
        label = self.rows[int(y)][int(x)]
        return None if label == NOTHING else LABELS.index(label)


@dataclass(frozen=True)
class Drawing:
    """How large things are drawn, in map units."""

    cap: float = 12.0
    """How far a city on one side reaches into the tile, in the middle."""
    gap: float = 10.0
    """How far a field reaches into a tile between the two or three sides of one city."""
    bulge: float = 0.0
    """How far a city on two adjacent sides reaches beyond the diagonal."""
    road: float = 2.3
    """Half of a road's width."""
    middle: float = 11.0
    """Radius of a monastery."""
    machine: float = 10.0
    """Radius of a flying machine."""
    village: float = 5.0
    """Radius of what stands where roads end."""


USUAL: Final = Drawing()
_SMALL: Final = Drawing(cap=7.0, gap=5.0, bulge=-5.0, road=1.3, middle=8.0, machine=6.5, village=2.0)
_LARGE: Final = Drawing(cap=17.0, gap=15.0, bulge=5.0, road=5.0, middle=14.5, machine=13.5, village=8.0)


def _between(share: float) -> Drawing:
    sizes = {f.name: getattr(_SMALL, f.name) * (1 - share) + getattr(_LARGE, f.name) * share for f in fields(Drawing)}
    return Drawing(**sizes)


LIKELY: Final = tuple(_between(share) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
"""How small and how large things may be drawn, and what is between."""


@cache
def plain(tile: str, drawing: Drawing = USUAL) -> FeatureMap:
    """The map of a tile by its table alone; KeyError when there is no such tile."""
    parts = TILES[tile].parts
    grid = [["?"] * SIZE for _ in range(SIZE)]
    for label, shape in _shapes(parts, drawing):
        _paint(grid, label, shape)
    _flood(grid, parts)
    return FeatureMap(tuple("".join(row).replace("?", NOTHING) for row in grid))


@cache
def sketches(tile: str) -> tuple[FeatureMap, ...]:
    """The tile drawn in several sizes: what all of them have in common is so in any picture of it."""
    return tuple(plain(tile, drawing) for drawing in LIKELY)


def common(maps: Sequence[FeatureMap]) -> FeatureMap:
    """What several maps have in common; `NOTHING` where they differ."""
    rows = tuple(
        "".join(labels[0] if len(set(labels)) == 1 else NOTHING for labels in zip(*lines, strict=True))
        for lines in zip(*(one.rows for one in maps), strict=True)
    )
    return FeatureMap(rows)


def weigh(features: FeatureMap, x: float, y: float, sigma: float) -> dict[int, float]:
    """How likely each part is what a meeple stands on whose foot is measured at a point with `sigma` (map units).

    The shares sum up to 1 at most: the rest lies off the tile or on no feature.
    """
    reach = [k * 0.7 * sigma for k in range(-3, 4)]
    weights: dict[int, float] = {}
    total = 0.0
    for dx in reach:
        for dy in reach:
            weight = math.exp(-(dx * dx + dy * dy) / (2 * sigma * sigma))
            total += weight
            part = features.at(x + dx, y + dy)
            if part is not None:
                weights[part] = weights.get(part, 0.0) + weight
    return {part: weight / total for part, weight in sorted(weights.items())}


# -- drawing ----------------------------------------------------------------------------------------------------------


def _paint(grid: list[list[str]], label: str, shape: Shape) -> None:
    """Labels every point of the grid that lies in a shape."""
    inside, (left, top, right, bottom) = shape
    for y in range(max(int(top), 0), min(math.ceil(bottom), SIZE)):
        row = grid[y]
        for x in range(max(int(left), 0), min(math.ceil(right), SIZE)):
            if inside(x + 0.5, y + 0.5):
                row[x] = label


def _shapes(parts: tuple[Part, ...], drawing: Drawing) -> Iterable[tuple[str, Shape]]:
    """Everything but the fields, what covers the rest last; a village is labelled as nothing."""
    cities = [(i, part) for i, part in enumerate(parts) if part.kind == "City"]
    end = next((drawing.gap + 1 for _, part in cities if part.location == "_S"), _MID)
    for i, part in enumerate(parts):
        if part.kind == "Road":
            yield LABELS[i], _road(sides_of(part.location), drawing, end)
    for i, part in cities:
        for shape in _city(sides_of(part.location), drawing):
            yield LABELS[i], shape
    if sum(part.kind == "Road" and len(sides_of(part.location)) == 1 for part in parts) > 1:
        yield NOTHING, _disc(drawing.village)
    for i, part in enumerate(parts):
        if part.kind in ("Monastery", "FlyingMachine"):
            yield LABELS[i], _disc(drawing.machine if part.kind == "FlyingMachine" else drawing.middle)


def _disc(radius: float) -> Shape:
    box = (_MID - radius, _MID - radius, _MID + radius, _MID + radius)
    return lambda x, y: math.hypot(x - _MID, y - _MID) < radius, box


def _cap(side: str, depth: float) -> Shape:
    """Between a side and the arc through its two corners that reaches `depth` into the tile."""
    radius = (_MID * _MID + depth * depth) / (2 * depth)
    mx, my = _MIDDLE[side]
    ix, iy = (_MID - mx) / _MID, (_MID - my) / _MID  # inwards
    cx, cy = mx + ix * (depth - radius), my + iy * (depth - radius)
    far_x, far_y = mx + ix * depth, my + iy * depth
    box = (
        min(mx, far_x) if ix else 0.0,
        min(my, far_y) if iy else 0.0,
        max(mx, far_x) if ix else float(SIZE),
        max(my, far_y) if iy else float(SIZE),
    )
    return lambda x, y: math.hypot(x - cx, y - cy) < radius, box


def _city(sides: frozenset[str], drawing: Drawing) -> Iterable[Shape]:
    if len(sides) == 1:
        return [_cap(min(sides), drawing.cap)]
    if sides in _CORNER:
        cx, cy = _CORNER[sides]
        reach = SIZE + drawing.bulge * math.sqrt(2)
        return [(lambda x, y: abs(x - cx) + abs(y - cy) < reach, _WHOLE)]
    gaps = [_cap(side, drawing.gap)[0] for side in SIDES if side not in sides]
    return [(lambda x, y: not any(gap(x, y) for gap in gaps), _WHOLE)]


def _road(sides: frozenset[str], drawing: Drawing, end: float) -> Shape:
    """A road between two sides, or from one side to `end` of the way across."""
    half = drawing.road
    if sides in _CORNER:
        cx, cy = _CORNER[sides]
        reach = _MID + half
        box = (cx - reach, cy - reach, cx + reach, cy + reach)
        return lambda x, y: abs(math.hypot(x - cx, y - cy) - _MID) < half, box
    if len(sides) == 2:
        across = "W" in sides
        box = (0.0, _MID - half, SIZE, _MID + half) if across else (_MID - half, 0.0, _MID + half, SIZE)
        return lambda x, y: abs((y if across else x) - _MID) < half, box
    box = {
        "N": (_MID - half, 0.0, _MID + half, end),
        "E": (SIZE - end, _MID - half, SIZE, _MID + half),
        "S": (_MID - half, SIZE - end, _MID + half, SIZE),
        "W": (0.0, _MID - half, end, _MID + half),
    }[min(sides)]
    left, top, right, bottom = box
    return lambda x, y: left < x < right and top < y < bottom, box


# -- fields -----------------------------------------------------------------------------------------------------------

_HALF_POINT: Final = {
    "NL": (0.25, 0.0),
    "NR": (0.75, 0.0),
    "EL": (1.0, 0.25),
    "ER": (1.0, 0.75),
    "SL": (0.75, 1.0),
    "SR": (0.25, 1.0),
    "WL": (0.0, 0.75),
    "WR": (0.0, 0.25),
}
"""Where each half of a side has its middle, as a share of the tile's side."""


def _flood(grid: list[list[str]], parts: tuple[Part, ...]) -> None:
    """Gives the points that are left (`?`) to the fields, from the half-sides that each reaches, step by step."""
    front: list[tuple[int, int]] = []
    for i, part in enumerate(parts):
        for half in part.location.split(".") if part.kind == "Field" else ():
            px, py = _HALF_POINT[half]
            for k in range(-9, 10):
                x = min(int(px * SIZE) + (k if half[0] in "NS" else 0), SIZE - 1)
                y = min(int(py * SIZE) + (k if half[0] in "EW" else 0), SIZE - 1)
                if grid[y][x] == "?":
                    grid[y][x] = LABELS[i]
                    front.append((x, y))
    while front:
        following = []
        for x, y in front:
            for nx, ny in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)):
                if 0 <= nx < SIZE and 0 <= ny < SIZE and grid[ny][nx] == "?":
                    grid[ny][nx] = grid[y][x]
                    following.append((nx, ny))
        front = following


@cache
def centre_of(features: FeatureMap, part: int) -> tuple[float, float]:
    """The mean of all points of a part, as shares of the tile's width and height; it may lie in another part."""
    label = LABELS[part]
    inside = [(x, y) for y, row in enumerate(features.rows) for x, at in enumerate(row) if at == label]
    if not inside:
        return 0.5, 0.5
    n = len(inside) * SIZE
    return sum(x + 0.5 for x, _ in inside) / n, sum(y + 0.5 for _, y in inside) / n


@cache
def middle_of(features: FeatureMap, part: int) -> tuple[float, float]:
    """A point well inside a part, as shares of the tile's width and height; the tile's middle when the part is nowhere.

    It is the point of the part that is farthest from everything else, by steps along rows and columns.
    """
    label = LABELS[part]
    inside = {(x, y) for y, row in enumerate(features.rows) for x, at in enumerate(row) if at == label}
    if not inside:
        return 0.5, 0.5
    left = inside
    while True:
        core = {(x, y) for x, y in left if {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} <= left}
        if not core:
            break
        left = core
    mx, my = sum(x for x, _ in left) / len(left), sum(y for _, y in left) / len(left)
    x, y = min(sorted(left), key=lambda at: math.hypot(at[0] - mx, at[1] - my))
    return (x + 0.5) / SIZE, (y + 0.5) / SIZE
