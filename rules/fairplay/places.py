"""Where things lie on the table, in plain geometry: tiles edge to edge, points on tiles, sides of the table.

Table frame: millimetres, x right and y down; outlines run clockwise as seen, so that edge `k` goes from corner `k` to
the next: the face's top, right, bottom and left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rules.session import Side
from vision.scene import Point, Quad

GAP = 0.3
"""Two tiles are joined when they lie less than this share of a tile apart. Players lay them within 1 mm; a sleeve
pushes one by a centimetre; a tile that is merely near lies farther off."""
SLIP = 0.3
"""... and are shifted along the edge by less than this share of a tile."""
SKEW_DEG = 25.0
"""... and are turned against each other by less than this."""


def centre(outline: Quad) -> Point:
    return sum(x for x, _ in outline) / 4, sum(y for _, y in outline) / 4


def apart(a: Point, b: Point) -> float:
    return math.hypot(a[0] - b[0], a[1] - b[1])


def middle(outline: Quad, edge: int) -> Point:
    """The middle of an edge."""
    (x0, y0), (x1, y1) = outline[edge], outline[(edge + 1) % 4]
    return (x0 + x1) / 2, (y0 + y1) / 2


def side_mm(outline: Quad) -> float:
    """The mean length of the edges."""
    return sum(apart(outline[k], outline[(k + 1) % 4]) for k in range(4)) / 4


def joined(a: Quad, b: Quad) -> tuple[int, int] | None:
    """The edges (of `a`, of `b`) at which two tiles lie edge to edge, None when they do not.

    >>> a, b = ((0, 0), (60, 0), (60, 60), (0, 60)), ((61, 1), (121, 1), (121, 61), (61, 61))
    >>> joined(a, b), joined(b, a), joined(a, ((90, 0), (150, 0), (150, 60), (90, 60)))
    ((1, 3), (3, 1), None)
    """
    size = side_mm(a)
    here, there = centre(a), centre(b)
    for edge in range(4):
        mx, my = middle(a, edge)
        ox, oy = mx - here[0], my - here[1]
        half = math.hypot(ox, oy)
        along = ((there[0] - mx) * ox + (there[1] - my) * oy) / half
        across = ((there[1] - my) * ox - (there[0] - mx) * oy) / half
        gap = along - side_mm(b) / 2
        if not -GAP / 2 * size <= gap <= GAP * size or abs(across) > SLIP * size:
            continue
        other = min(range(4), key=lambda k: apart(middle(b, k), (mx, my)))
        bx, by = middle(b, other)
        px, py = bx - there[0], by - there[1]
        if -(px * ox + py * oy) >= math.cos(math.radians(SKEW_DEG)) * half * math.hypot(px, py):
            return edge, other
    return None


def depth(outline: Quad, point: Point) -> float:
    """How far inside an outline a point lies, mm; negative outside.

    >>> depth(((0, 0), (60, 0), (60, 60), (0, 60)), (50, 30))
    10.0
    """
    inside = math.inf
    for k in range(4):
        (x0, y0), (x1, y1) = outline[k], outline[(k + 1) % 4]
        length = math.hypot(x1 - x0, y1 - y0)
        inside = min(inside, ((x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0)) / length)
    return inside


def side_of(view: Quad, point: Point) -> Side:
    """The side of the picture that a point on the table is nearest to.

    >>> side_of(((-400, -225), (400, -225), (400, 225), (-400, 225)), (300, 80))
    'E'
    """
    sides: tuple[Side, ...] = ("N", "E", "S", "W")
    return min(zip(sides, range(4), strict=True), key=lambda named: _from_edge(view, named[1], point))[0]


def _from_edge(view: Quad, edge: int, point: Point) -> float:
    (x0, y0), (x1, y1) = view[edge], view[(edge + 1) % 4]
    length = math.hypot(x1 - x0, y1 - y0)
    return ((x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0)) / length


def moved_frame(pairs: Sequence[tuple[Point, Point]]) -> Callable[[Point], Point]:
    """How the table frame was moved: from places before to the same places after (turned, shifted, scaled; least
    squares). Without any pair nothing has moved.

    >>> move = moved_frame([((0, 0), (5, 5)), ((10, 0), (5, 15))])
    >>> x, y = move((0, 10)); round(x), round(y)
    (-5, 5)
    """
    if not pairs:
        return lambda point: point
    before = [complex(*old) for old, _ in pairs]
    after = [complex(*new) for _, new in pairs]
    middle_before, middle_after = sum(before) / len(before), sum(after) / len(after)
    spread = sum(abs(z - middle_before) ** 2 for z in before)
    turn = complex(1, 0)
    if spread > 1.0:
        turn = sum(
            (w - middle_after) * (z - middle_before).conjugate() for z, w in zip(before, after, strict=True)
        ) / complex(spread, 0)

    def move(point: Point) -> Point:
        z = turn * (complex(*point) - middle_before) + middle_after
        return z.real, z.imag

    return move
