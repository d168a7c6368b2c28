"""A thin thing lying on the table: card, carpet, coaster, phone. A rounded rectangle with a gently bent surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from scipy.optimize import linprog
from shapely.geometry import Polygon

from vision.deck import Face


@dataclass(frozen=True, eq=False)
class Sheet:
    """Local axes: u to the face's right, v to its bottom, both from its middle; angle counter-clockwise, y up."""

    id: str
    face: Face | None
    width: float
    height: float
    x: float
    y: float
    angle: float
    face_up: bool = True
    radius: float = 3.0
    thickness: float = 0.32
    kind: str = ""
    curl: float = 0.0
    """mm: how far the farthest corners are bent up (positive) or the middle arches up (negative)."""
    curl_dir: float = 0.0
    """degrees in (u, v): the direction along which the sheet is bent."""
    plane: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Underside without curl: z = a + b u + c v."""
    gloss: float = 0.3
    picture: np.ndarray | None = field(default=None, repr=False)
    """What is printed, where it is not the face's own picture."""
    foreign: str = ""
    """What it is when it is no piece of the deck: `card`, `coaster`, `phone`, `pen`."""

    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        a = np.radians(self.angle)
        return np.array([np.cos(a), np.sin(a)]), np.array([np.sin(a), -np.cos(a)])

    def to_table(self, uv: np.ndarray) -> np.ndarray:
        """(..., 2) local mm to (..., 2) table mm."""
        u, v = self.axes()
        return np.array([self.x, self.y]) + uv[..., :1] * u + uv[..., 1:] * v

    def to_local(self, xy: np.ndarray) -> np.ndarray:
        u, v = self.axes()
        d = xy - np.array([self.x, self.y])
        return np.stack([d @ u, d @ v], axis=-1)

    def bend(self, uv: np.ndarray) -> np.ndarray:
        """(...,) mm: height of the curl alone, at least 0."""
        a = np.radians(self.curl_dir)
        c, s = np.cos(a), np.sin(a)
        reach = abs(c) * self.width / 2 + abs(s) * self.height / 2
        q = ((uv[..., 0] * c + uv[..., 1] * s) / reach) ** 2
        return self.curl * q if self.curl >= 0 else -self.curl * (1 - q)

    def bottom(self, uv: np.ndarray) -> np.ndarray:
        a, b, c = self.plane
        return a + b * uv[..., 0] + c * uv[..., 1] + self.bend(uv)

    def top(self, uv: np.ndarray) -> np.ndarray:
        return self.bottom(uv) + self.thickness

    def slope(self, uv: np.ndarray) -> np.ndarray:
        """(..., 2) dz/dx, dz/dy of the surface in table axes."""
        du, dv = (
            (self.bend(uv + step) - self.bend(uv - step)) / (2 * np.abs(step).sum()) + self.plane[axis]
            for axis, step in ((1, np.array([0.5, 0.0])), (2, np.array([0.0, 0.5])))
        )
        u, v = self.axes()
        return du[..., None] * u + dv[..., None] * v

    def corners(self) -> np.ndarray:
        """(4, 2) local mm of the sharp corners, clockwise from the face's top left."""
        return np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [self.width / 2, self.height / 2]

    def outline(self, arc: int = 8) -> np.ndarray:
        """(n, 2) local mm of the rounded outline; the straight edges are cut into pieces, so that curl shows."""
        return _outline(self.width, self.height, self.radius, arc)

    def polygon(self) -> Polygon:
        """The physical outline on the table, rounded corners, mm."""
        return Polygon(self.to_table(self.outline(arc=24)))

    def sharp(self) -> Polygon:
        return Polygon(self.to_table(self.corners()))


@lru_cache(maxsize=64)
def _outline(width: float, height: float, radius: float, arc: int) -> np.ndarray:
    w, h, r = width / 2, height / 2, radius
    out = []
    for k, (sx, sy) in enumerate([(1, -1), (1, 1), (-1, 1), (-1, -1)]):
        t = np.radians(np.linspace(-90, 0, arc) + 90 * k)
        out.append(np.stack([sx * (w - r) + r * np.cos(t), sy * (h - r) + r * np.sin(t)], axis=-1))
    ring = np.concatenate(out)
    cut = []
    for p, q in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        n = max(1, int(np.linalg.norm(q - p) / 8))
        cut.extend(p + (q - p) * i / n for i in range(n))
    return np.array(cut)


def settle(stack: list[Sheet]) -> list[Sheet]:
    """Lay the sheets onto each other, first one first: each comes to rest where its middle is lowest.

    A rigid sheet finds the plane of least height that is nowhere below what carries it: a small linear program.
    """
    done: list[Sheet] = []
    for sheet in stack:
        grid = np.stack(
            np.meshgrid(np.linspace(-0.5, 0.5, 9) * sheet.width, np.linspace(-0.5, 0.5, 11) * sheet.height), axis=-1
        ).reshape(-1, 2)
        under = support(done, sheet.to_table(grid))
        if not np.any(under > 0):
            done.append(replace(sheet, plane=(0.0, 0.0, 0.0)))
            continue
        need = under - sheet.bend(grid)
        A = np.column_stack([np.ones(len(grid)), grid])
        fit = linprog([1.0, 0, 0], A_ub=-A, b_ub=-need, bounds=[(None, None)] * 3)
        done.append(replace(sheet, plane=tuple(float(x) for x in fit.x)))
    return done


def support(sheets: Sequence[Sheet], xy: np.ndarray) -> np.ndarray:
    """(n,) mm: height of what lies there at table points."""
    z = np.zeros(len(xy))
    for s in sheets:
        uv = s.to_local(xy)
        inside = (np.abs(uv[:, 0]) <= s.width / 2) & (np.abs(uv[:, 1]) <= s.height / 2)
        if np.any(inside):
            z[inside] = np.maximum(z[inside], s.top(uv[inside]))
    return z
