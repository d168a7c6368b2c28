"""What a still would show without solid pieces on it: the faces that lie there, as the deck's pictures have them.

Everything is done on a reduced picture of about a pixel to the millimetre: a meeple is then 16 pixels long, and a whole
still takes a sixteenth of the work. A reduced position is `(px + 0.5) / scale - 0.5`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera, box, place
from vision.facebank import Float

PX_PER_MM = 1.0
"""Resolution worked at."""
SLACK_PX = 3
"""Side of the window within which an expected picture may be displaced: a pose is off by half a millimetre at worst."""
OFFSET = 12.0
"""Added to coded values before their log is taken: `facebank.log_colour`."""
BURNT = 242.0
"""Coded value from which a channel says no more how bright it is."""
LIFT = 6.0
"""Coded values by which prints are lighter than scans in the dark."""

SAME_PX = 0.1
"""A face that is seen to lie within this of where it lay is not drawn anew."""

LOG = np.log(np.arange(256, dtype=np.float32) + np.float32(OFFSET))


@dataclass(frozen=True, eq=False)
class FlatPiece:
    """A piece that was found lying flat, and what is printed on it."""

    pose: Array
    """(3,) x mm, y mm, angle rad on the table, of its middle."""
    size_mm: tuple[float, float]
    log_bgr: Float | None
    """(h, w, 3) log colour of its upright face (`Template.log_bgr`); None when the face is not known."""

    def corners_mm(self) -> Array:
        """(4, 2) clockwise from the face's top left."""
        return place(self.pose, box(*self.size_mm))


@dataclass(frozen=True)
class Window:
    """A part of a reduced picture: columns x0 to x1, rows y0 to y1, the last not included."""

    x0: int
    y0: int
    x1: int
    y1: int

    def grown(self, by: int) -> Window:
        return Window(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)

    def within(self, shape: tuple[int, ...]) -> Window:
        """What of it lies in a picture of (h, w)."""
        x0, y0 = min(max(self.x0, 0), shape[1]), min(max(self.y0, 0), shape[0])
        return Window(x0, y0, min(max(self.x1, x0), shape[1]), min(max(self.y1, y0), shape[0]))

    def meets(self, other: Window) -> bool:
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1

    def joined(self, other: Window) -> Window:
        """The least window that holds both."""
        x0, y0 = min(self.x0, other.x0), min(self.y0, other.y0)
        return Window(x0, y0, max(self.x1, other.x1), max(self.y1, other.y1))

    @property
    def area(self) -> int:
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    @property
    def pixels(self) -> tuple[slice, slice]:
        """Rows and columns."""
        return slice(self.y0, self.y1), slice(self.x0, self.x1)


@dataclass(frozen=True, eq=False)
class Backdrop:
    """A still's reduced log colour, or a part of it, with what is expected there."""

    scale: float
    log: Float
    """(h, w, 3) the still."""
    expected: Float
    """(h, w, 3) what the faces show there, as in the deck's pictures."""
    owner: NDArray[np.int16]
    """(h, w) index of the flat piece seen there, -1 the bare table."""
    known: NDArray[np.bool_]
    """(h, w) whether what should be seen there is known."""
    at: tuple[int, int] = (0, 0)
    """Column and row of the whole picture at which it begins."""
    whole: tuple[int, int] = (0, 0)
    """Rows and columns of the whole picture."""

    @cached_property
    def span(self) -> tuple[Float, Float]:
        """(h, w, 3) least and most that the faces can show there, where they may be displaced a little."""
        near = np.ones((SLACK_PX, SLACK_PX), np.uint8)
        known = self.known[..., None]  # what is not known must not widen what is expected beside it
        low = cv2.erode(np.where(known, self.expected, np.float32(99)), near)
        high = cv2.dilate(np.where(known, self.expected, np.float32(-99)), near)
        return np.asarray(low, np.float32), np.asarray(high, np.float32)

    def part(self, window: Window) -> Backdrop:
        """The same in a window of it."""
        here = window.pixels
        return replace(
            self,
            log=self.log[here],
            expected=self.expected[here],
            owner=self.owner[here],
            known=self.known[here],
            at=(self.at[0] + window.x0, self.at[1] + window.y0),
        )

    def reduced(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """A mask of the picture, of any size, as one of the reduced picture."""
        rows, columns = self.whole
        return np.asarray(cv2.resize(mask.astype(np.float32), (columns, rows), interpolation=cv2.INTER_AREA) > 0)

    def to_small(self, px: Array) -> Array:
        """Picture pixels to those of the whole reduced picture."""
        return (px + 0.5) / self.scale - 0.5


def scale_of(camera: Camera) -> float:
    """Picture pixels to one of the reduced picture."""
    return max(1.0, 1 / (camera.mm_per_px * PX_PER_MM))


@dataclass(frozen=True, eq=False)
class Drawn:
    """A face as a camera sees it."""

    face: Float
    """As the flat piece has it."""
    corners: Array
    """(4, 2) reduced px."""
    at: Window
    inside: NDArray[np.bool_]
    """(h, w) of that window."""
    seen: Float
    """(h, w, 3) log colour."""


class Painter:
    """Lays the backdrop of one still after another: a face is drawn once and kept as long as it lies there."""

    def __init__(self) -> None:
        self._drawn: dict[int, list[Drawn]] = {}

    def lay(
        self, still_bgr: NDArray[np.uint8], camera: Camera, tiles: list[FlatPiece], scale: float | None = None
    ) -> Backdrop:
        """Reduce a still (h, w, 3) BGR and draw what the flat pieces, the lowest first, should look like in it."""
        scale = scale or scale_of(camera)
        h, w = still_bgr.shape[:2]
        size = (max(8, round(w / scale)), max(8, round(h / scale)))
        shape = size[1], size[0]
        small = cv2.resize(still_bgr, size, interpolation=cv2.INTER_AREA)
        expected = np.zeros((*shape, 3), np.float32)
        owner = np.full(shape, -1, np.int16)
        known = np.zeros(shape, np.bool_)
        before, self._drawn = self._drawn, {}
        outlines = np.array([t.corners_mm() for t in tiles]).reshape(-1, 2)
        corners = ((camera.project(outlines) + 0.5) / scale - 0.5).reshape(-1, 4, 2)
        for k, (tile, four) in enumerate(zip(tiles, corners, strict=True)):
            at = _around(four, shape)
            if at is None:
                continue
            if tile.log_bgr is None:
                inside = _inside(four, at)
                owner[at.pixels][inside], known[at.pixels][inside] = k, False
                continue
            drawn = next((d for d in before.get(id(tile.log_bgr), []) if d.at == at and _same(d.corners, four)), None)
            drawn = drawn or _draw(tile.log_bgr, four, at)
            self._drawn.setdefault(id(tile.log_bgr), []).append(drawn)
            owner[at.pixels][drawn.inside], known[at.pixels][drawn.inside] = k, True
            expected[at.pixels][drawn.inside] = drawn.seen[drawn.inside]
        return Backdrop(scale, np.asarray(cv2.LUT(small, LOG), np.float32), expected, owner, known, (0, 0), shape)


def lay_backdrop(still_bgr: NDArray[np.uint8], camera: Camera, tiles: list[FlatPiece]) -> Backdrop:
    """The backdrop of one still alone: `Painter.lay`."""
    return Painter().lay(still_bgr, camera, tiles)


def _around(corners: Array, shape: tuple[int, int]) -> Window | None:
    """What a picture of (h, w) shows about some corners (4, 2); None when that is nothing."""
    if not np.isfinite(corners).all():
        return None
    (x0, y0), (x1, y1) = np.floor(corners.min(0)).astype(int) - 1, np.ceil(corners.max(0)).astype(int) + 2
    at = Window(int(x0), int(y0), int(x1), int(y1)).within(shape)
    return at if at.x1 - at.x0 >= 2 and at.y1 - at.y0 >= 2 else None


def _same(a: Array, b: Array) -> bool:
    """Whether two outlines (4, 2) would be drawn alike."""
    return float(np.abs(a - b).max()) < SAME_PX


def _inside(corners: Array, at: Window) -> NDArray[np.bool_]:
    """(h, w) of a window True within an outline (4, 2)."""
    out = np.zeros((at.y1 - at.y0, at.x1 - at.x0), np.uint8)
    cv2.fillConvexPoly(out, np.round((corners - [at.x0, at.y0]) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    return out > 0


def _draw(face: Float, corners: Array, at: Window) -> Drawn:
    """A face (h, w, 3) as it should look in a window."""
    local = (corners - [at.x0, at.y0]).astype(np.float32)
    rows, columns = face.shape[:2]
    source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) - np.float32(0.5)
    m = cv2.getPerspectiveTransform(source, local)
    # The face is sharper than the reduced picture when the camera is far up.
    shrink = float(np.linalg.norm(local[1] - local[0])) / columns
    blurred = cv2.GaussianBlur(face, (0, 0), 0.5 / shrink) if shrink < 0.8 else face
    seen = cv2.warpPerspective(
        blurred, m, (at.x1 - at.x0, at.y1 - at.y0), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return Drawn(face, corners, at, _inside(corners, at), np.asarray(seen, np.float32))
