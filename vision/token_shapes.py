"""The outlines of solid playing pieces as a camera above sees them, leaning outward as they rise from the table.

A piece is a few prisms: outlines in its own millimetres, moved straight from one place to another. What a prism covers
in the picture is what its outline sweeps over; what the piece covers is the union. A point z mm up
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
from vision.token_backdrop import scale_of

OVER = 4
"""Stamps are drawn so many times finer."""
GROWN = 1
"""Of these, by which a stamp is larger than the piece: a pixel that is half lacquer has the lacquer's hue already."""
STANDING, LYING = "standing", "lying"

MEEPLE = np.array(
    [(-.15, -.5), (.15, -.5), (.2, -.38), (.14, -.22), (.47, -.12), (.5, .02), (.22, .1), (.43, .46), (.38, .5),
     (.1, .5), (0, .4), (-.1, .5), (-.38, .5), (-.43, .46), (-.22, .1), (-.5, .02), (-.47, -.12),
     (-.14, -.22), (-.2, -.38)]
)  # fmt: skip
"""The usual meeple from the front, its head up, in units of its width and height: head, arms, legs."""


SLENDER = np.array(
    [(-.13, -.5), (.13, -.5), (.17, -.4), (.11, -.26), (.46, -.22), (.5, -.08), (.19, .04), (.4, .5), (.12, .5),
     (0, .3), (-.12, .5), (-.4, .5), (-.19, .04), (-.5, -.08), (-.46, -.22), (-.11, -.26), (-.17, -.4)]
)  # fmt: skip
"""Another maker's meeple."""


@dataclass(frozen=True, eq=False)
class Prism:
    """A part of a piece: an outline moved straight from one place to another."""

    start: Array
    """(n, 3) mm from the middle of what the piece stands on, the third upwards."""
    end: Array
    """(n, 3)"""


@dataclass(frozen=True, eq=False)
class Shape:
    """One way in which a piece of a kind may be there."""

    kind: str
    pose: str
    parts: tuple[Prism, ...]
    symmetry_deg: float
    """After this turn it looks the same, or nearly."""
    length_mm: float
    width_mm: float
    height_mm: float


@lru_cache(maxsize=32)
def shapes_of(kind: TokenKind) -> tuple[Shape, ...]:
    """The shapes of a kind: a meeple stands or lies, anything else is a box that is a little narrower above."""
    length, width, height = kind.length_mm, kind.width_mm, kind.height_mm
    if kind.kind == "meeple":
        return _standing(kind, MEEPLE, 1.0), _lying(kind, MEEPLE, 1.0)
    body, cabin = _box(length, width), _box(0.6 * length, 0.85 * width)
    parts = (_upright(body, 0.0, 0.55 * height), _upright(cabin, 0.0, height))
    return (Shape(kind.kind, "", parts, 180.0, length, width, height),)


@lru_cache(maxsize=32)
def variants(kind: TokenKind, pose: str) -> tuple[Shape, ...]:
    """The same as other makers cut it: meeples differ in outline and size."""
    make = {STANDING: _standing, LYING: _lying}.get(pose)
    return () if make is None else (make(kind, MEEPLE, 0.93), make(kind, SLENDER, 1.0))


def _standing(kind: TokenKind, outline: Array, scale: float) -> Shape:
    x, z = outline[:, 0] * kind.length_mm * scale, (0.5 - outline[:, 1]) * kind.height_mm * scale
    y = np.full(len(x), kind.width_mm / 2)
    part = Prism(np.column_stack([x, -y, z]), np.column_stack([x, y, z]))
    return Shape(kind.kind, STANDING, (part,), 180.0, kind.length_mm, kind.width_mm, kind.height_mm)


def _lying(kind: TokenKind, outline: Array, scale: float) -> Shape:
    part = _upright(outline * [kind.length_mm * scale, kind.height_mm * scale], 0.0, kind.width_mm)
    return Shape(kind.kind, LYING, (part,), 360.0, kind.length_mm, kind.height_mm, kind.width_mm)


def _upright(outline: Array, low: float, high: float) -> Prism:
    level = np.ones(len(outline))
    return Prism(np.column_stack([outline, low * level]), np.column_stack([outline, high * level]))


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

    def points(self, xyz: Array) -> Array:
        """(n, 3) mm from the place, the third upwards, to px from where the place appears."""
        return np.asarray(xyz[:, :2] @ self.j.T + xyz[:, 2:] * self.up)

    @property
    def px_per_mm(self) -> float:
        return float(np.sqrt(abs(np.linalg.det(self.j))))


def view_at(camera: Camera, small_px: Array, scale: float, height_mm: float) -> View:
    """The view near a reduced position (2,) whose ray is followed to the plane `height_mm` up."""
    at = camera.unproject(((small_px + 0.5) * scale - 0.5).reshape(1, 2), height_mm)[0]
    foot = camera.project(at.reshape(1, 2))[0]
    raised = camera.project(at.reshape(1, 2), 12.0)[0]
    return View(at, (foot + 0.5) / scale - 0.5, camera.jacobian(at) / scale, (raised - foot) / 12.0 / scale)


def turned(points: Array, angle: float) -> Array:
    """(n, 2) or (n, 3) turned about the vertical by radians, clockwise in the picture."""
    c, s = np.cos(angle), np.sin(angle)
    out = points.copy()
    out[:, :2] = points[:, :2] @ np.array([[c, s], [-s, c]])
    return out


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
    for part in shape.parts:
        low, high = view.points(turned(part.start, angle)), view.points(turned(part.end, angle))
        if len(low) == 4:
            polygons.append(cv2.convexHull(np.concatenate([low, high]).astype(np.float32)).reshape(-1, 2))
        else:  # not convex: what it covers on its way, a pixel at a time
            steps = int(np.ceil(np.abs(high[0] - low[0]).max())) + 1
            polygons += [low + (high - low) * t for t in np.linspace(0, 1, steps + 1)]
    every = np.concatenate(polygons)
    lo, hi = np.floor(every.min(0)).astype(int) - 1, np.ceil(every.max(0)).astype(int) + 1
    w, h = hi - lo + 1
    fine = np.zeros((h * OVER, w * OVER), np.uint8)
    for p in polygons:
        # fillPoly also fills the pixels its edge runs through, which is half a fine pixel too much all around.
        cv2.fillPoly(fine, [np.round(((p - lo + 0.5) * OVER - 0.5) * 16).astype(np.int32)], 255, cv2.LINE_8, 4)
    fine = cv2.dilate(fine, np.ones((2 * GROWN + 1, 2 * GROWN + 1), np.uint8))
    cover = cv2.resize(fine, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32) / np.float32(255)
    return Stamp(shape, angle, cover, (int(-lo[0]), int(-lo[1])), float(cover.sum()))


@dataclass
class StampBook:
    """Stamps of shapes at all angles, made once for each part of the frame."""

    camera: Camera
    scale: float
    step_deg: float = 15.0
    cell: int = 96
    """Side of a part of the frame, reduced px: the lean differs by a fifth of a pixel across it."""

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


def stamps(camera: Camera) -> StampBook:
    """An empty book of outlines for stills of this camera, to be kept while the camera stands still."""
    return StampBook(camera, scale_of(camera))
