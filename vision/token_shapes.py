"""The outlines of solid playing pieces as a camera above sees them, leaning outward as they rise from the table.

A piece is a stack of slabs: outlines in its own millimetres between two heights. What a slab covers in the picture is
the hull between its lower and its upper outline; what the piece covers is the union of its slabs. A point z mm up
appears z * r / (H - z) farther out than its foot, r mm from the point below a camera H mm up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from vision.camera import Array, Camera
from vision.facebank import Float
from vision.scene import TokenKind

OVER = 4
"""Stamps are drawn so many times finer."""
STANDING, LYING = "standing", "lying"

MEEPLE = np.array(
    [(-.15, -.5), (.15, -.5), (.2, -.38), (.14, -.22), (.47, -.12), (.5, .02), (.22, .1), (.43, .46), (.38, .5),
     (.1, .5), (0, .4), (-.1, .5), (-.38, .5), (-.43, .46), (-.22, .1), (-.5, .02), (-.47, -.12),
     (-.14, -.22), (-.2, -.38)]
)  # fmt: skip
"""The usual meeple from the front, its head up, in units of its width and height: head, arms, legs."""


@dataclass(frozen=True, eq=False)
class Slab:
    outline: Array
    """(n, 2) mm from the piece's middle."""
    low: float
    """mm above what it stands on."""
    high: float


@dataclass(frozen=True, eq=False)
class Shape:
    """One way in which a piece of a kind may be there."""

    kind: str
    pose: str
    slabs: tuple[Slab, ...]
    symmetry_deg: float
    """After this turn it looks the same."""
    length_mm: float
    width_mm: float
    height_mm: float


@lru_cache(maxsize=32)
def shapes_of(kind: TokenKind) -> tuple[Shape, ...]:
    """The shapes of a kind: a meeple stands or lies, anything else is a box that is a little narrower above."""
    length, width, height = kind.length_mm, kind.width_mm, kind.height_mm
    if kind.kind != "meeple":
        slabs = (Slab(_box(length, width), 0.0, 0.55 * height), Slab(_box(0.6 * length, 0.85 * width), 0.0, height))
        return (Shape(kind.kind, "", slabs, 180.0, length, width, height),)
    parts = (
        Slab(_box(0.88 * length, width), 0.0, 0.38 * height),
        Slab(_box(length, width), 0.44 * height, 0.62 * height),
        Slab(_box(0.45 * length, width), 0.5 * height, height),
    )
    flat = Slab(MEEPLE * [length, height], 0.0, width)
    return (
        Shape("meeple", STANDING, parts, 180.0, length, width, height),
        Shape("meeple", LYING, (flat,), 360.0, length, height, width),
    )


def _box(length: float, width: float) -> Array:
    a, b = length / 2, width / 2
    return np.array([[-a, -b], [a, -b], [a, b], [-a, b]])


@dataclass(frozen=True, eq=False)
class View:
    """How millimetres near one place appear in a reduced picture: linear, good over a few centimetres."""

    xy_mm: Array
    """(2,) the place, on the plane of the faces."""
    px: Array
    """(2,) where it appears."""
    j: Array
    """(2, 2) px per mm along the plane."""
    up: Array
    """(2,) px per mm upwards."""

    def points(self, xy: Array, h: float = 0.0) -> Array:
        """(n, 2) mm from the place, `h` mm up, to px from where the place appears."""
        return np.asarray(xy @ self.j.T + h * self.up)

    @property
    def px_per_mm(self) -> float:
        return float(np.sqrt(abs(np.linalg.det(self.j))))


def view_at(camera: Camera, small_px: Array, scale: float, height_mm: float) -> View:
    """The view near a reduced position (2,) whose ray is followed to the plane `height_mm` up."""
    at = camera.unproject(((small_px + 0.5) * scale - 0.5).reshape(1, 2), height_mm)[0]
    foot = camera.project(at.reshape(1, 2))[0]
    raised = camera.project(at.reshape(1, 2), 12.0)[0]
    return View(at, (foot + 0.5) / scale - 0.5, camera.jacobian(at) / scale, (raised - foot) / 12.0 / scale)


def turned(outline: Array, angle: float) -> Array:
    """(n, 2) turned clockwise (in the picture) by radians."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(outline @ np.array([[c, s], [-s, c]]))


@dataclass(frozen=True, eq=False)
class Stamp:
    """What a shape covers at one angle: what share of each pixel, and where its middle is."""

    shape: Shape
    angle: float
    cover: Float
    """(h, w) 0 to 1: the covered share of each pixel."""
    origin: tuple[int, int]
    """Position (x, y) within it of the foot of its middle, rounded so that masks add no shift of their own."""
    area: float


def stamp(shape: Shape, angle: float, view: View) -> Stamp:
    """Draw a shape as it is seen near a place, its foot's middle on a whole pixel."""
    polygons = []
    for slab in shape.slabs:
        outline = turned(slab.outline, angle)
        low, high = view.points(outline, slab.low), view.points(outline, slab.high)
        if len(outline) == 4:
            polygons.append(cv2.convexHull(np.concatenate([low, high]).astype(np.float32)).reshape(-1, 2))
        else:  # not convex: what it covers on its way up, a pixel at a time
            steps = int(np.ceil(np.abs(high[0] - low[0]).max())) + 1
            polygons += [low + (high - low) * t for t in np.linspace(0, 1, steps + 1)]
    every = np.concatenate(polygons)
    lo, hi = np.floor(every.min(0)).astype(int) - 1, np.ceil(every.max(0)).astype(int) + 1
    w, h = hi - lo + 1
    fine = np.zeros((h * OVER, w * OVER), np.uint8)
    for p in polygons:
        # fillPoly also fills the pixels its edge runs through, which is half a fine pixel too much all around.
        cv2.fillPoly(fine, [np.round(((p - lo + 0.5) * OVER - 0.5) * 16).astype(np.int32)], 255, cv2.LINE_8, 4)
    cover = cv2.resize(fine, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32) / np.float32(255)
    return Stamp(shape, angle, cover, (int(-lo[0]), int(-lo[1])), float(cover.sum()))


@dataclass
class StampBook:
    """Stamps of shapes at all angles, made once for each part of the frame."""

    camera: Camera
    scale: float
    step_deg: float = 15.0
    cell: int = 48
    """Side of a part of the frame, reduced px: the lean differs by a tenth of a pixel across it."""

    def __post_init__(self) -> None:
        self._pages: dict[tuple[int, int, int], list[Stamp]] = {}

    def at(self, small_px: Array, shape: Shape) -> list[Stamp]:
        """All angles of a shape near a reduced position (2,)."""
        cx, cy = (int(v) // self.cell for v in small_px)
        key = (cx, cy, id(shape))
        if key not in self._pages:
            middle = np.array([(cx + 0.5) * self.cell, (cy + 0.5) * self.cell])
            view = view_at(self.camera, middle, self.scale, 0.0)
            angles = np.radians(np.arange(0.0, shape.symmetry_deg, self.step_deg))
            self._pages[key] = [stamp(shape, float(a), view) for a in angles]
        return self._pages[key]
