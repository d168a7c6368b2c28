"""Small plane geometry of cards: rectangles, distances, shared areas.

Millimetres, x right and y down; quads are convex and run clockwise as seen in the picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.scene import Point, Quad


def rectangle(x: float, y: float, angle_deg: float, width: float, height: float) -> Quad:
    """Corners of a card centred at (x, y) and turned clockwise by `angle_deg`, from its own top left."""
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    w, h = width / 2, height / 2

    def corner(u: float, v: float) -> Point:
        return x + u * c - v * s, y + u * s + v * c

    return corner(-w, -h), corner(w, -h), corner(w, h), corner(-w, h)


def centre(quad: Sequence[Point]) -> Point:
    """Mean of the corners."""
    return sum(p[0] for p in quad) / len(quad), sum(p[1] for p in quad) / len(quad)


def apart(a: Point, b: Point) -> float:
    """Distance of two points."""
    return math.hypot(a[0] - b[0], a[1] - b[1])


def area(polygon: Sequence[Point]) -> float:
    """Area of a polygon, without sign."""
    return abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(polygon, (*polygon[1:], *polygon[:1]), strict=True))) / 2


def shared(a: Sequence[Point], b: Sequence[Point]) -> list[Point]:
    """The part two convex polygons share (Sutherland and Hodgman 1974); empty when they share none."""
    turn = sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(b, (*b[1:], *b[:1]), strict=True))
    clip = list(b) if turn > 0 else list(reversed(b))
    out = list(a)
    for p, q in zip(clip, (*clip[1:], *clip[:1]), strict=True):
        if not out:
            break
        inside = [(q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) for r in out]
        kept: list[Point] = []
        for i, r in enumerate(out):
            j = (i + 1) % len(out)
            if inside[i] >= 0:
                kept.append(r)
            if (inside[i] >= 0) != (inside[j] >= 0):
                t = inside[i] / (inside[i] - inside[j])
                kept.append((r[0] + t * (out[j][0] - r[0]), r[1] + t * (out[j][1] - r[1])))
        out = kept
    return out


def distance(a: Sequence[Point], b: Sequence[Point]) -> float:
    """Shortest distance between two convex polygons; 0 when they overlap."""
    if shared(a, b):
        return 0.0
    return min(
        min(_to_side(p, q, r) for p in one for q, r in zip(other, (*other[1:], *other[:1]), strict=True))
        for one, other in ((a, b), (b, a))
    )


def _to_side(p: Point, q: Point, r: Point) -> float:
    """Distance from a point to the side q-r."""
    dx, dy = r[0] - q[0], r[1] - q[1]
    length2 = dx * dx + dy * dy
    t = 0.0 if length2 == 0 else max(0.0, min(1.0, ((p[0] - q[0]) * dx + (p[1] - q[1]) * dy) / length2))
    return math.hypot(p[0] - q[0] - t * dx, p[1] - q[1] - t * dy)
