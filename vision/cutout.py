"""Cut-outs: the upper sides of pieces, straightened, and what of them glare has burnt out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera, place
from vision.facebank import PX_PER_MM, rect_size
from vision.frame import Image
from vision.rectify import dense_map
from vision.sampling import sample

FINE = 2.5
"""Pixels of a cut-out to one of a rectified face: 4 px/mm, more than twice what 1280x720 over a table has."""
FINE_PX_PER_MM = FINE * PX_PER_MM

BURNT_GREY = 248
"""From here on a channel may have been cut off; what was printed there cannot be known."""
BURNT_AROUND_PX = 5
"""Beside a burnt pixel the lens has spread its light."""

STEP = 8


@dataclass(frozen=True, eq=False)
class Cutout:
    """One upper side, upright in one of the ways that its outline allows."""

    picture: Image
    """(h, w, 3) BGR, `FINE_PX_PER_MM`."""
    clear: NDArray[np.bool_]
    """(h, w) False where the light has burnt it out."""
    px_per_mm: float
    """Of the picture that it was cut from."""

    def turned(self, quarters: int) -> Cutout:
        """Turned anticlockwise by quarter turns."""
        return Cutout(np.rot90(self.picture, quarters), np.rot90(self.clear, quarters), self.px_per_mm)


def cut(image: Image, camera: Camera, pose: Array, size_mm: tuple[float, float]) -> Cutout:
    """The piece of that size (width, height; mm) at `pose`, out of a picture (h, w, 3) BGR."""
    width, height = cut_size(size_mm)
    cols, rows = -(-width // STEP) + 2, -(-height // STEP) + 2
    x = (np.arange(cols) - 0.5) * STEP * size_mm[0] / width - size_mm[0] / 2
    y = (np.arange(rows) - 0.5) * STEP * size_mm[1] / height - size_mm[1] / 2
    gx, gy = np.meshgrid(x, y)
    nodes = camera.project(place(pose, np.column_stack([gx.ravel(), gy.ravel()])))
    scale = float(np.sqrt(abs(np.linalg.det(camera.jacobian(pose[:2])))))
    fine = scale / FINE_PX_PER_MM
    if fine > 1:
        # A photograph from near by has more pixels than the cut-out: they are averaged, not left out.
        low, high = np.floor(nodes.min(0)).astype(int) - 4, np.ceil(nodes.max(0)).astype(int) + 5
        low = np.clip(low, 0, [image.shape[1] - 1, image.shape[0] - 1])
        part = image[low[1] : max(high[1], low[1] + 1), low[0] : max(high[0], low[0] + 1)]
        image = np.asarray(cv2.GaussianBlur(part, (0, 0), 0.4 * fine), np.uint8)
        nodes = nodes - low
    m = dense_map(nodes.reshape(rows, cols, 2), STEP, (height, width))
    # Cubic interpolation looks sharper but names worse: 46 of 52 cards in photographs against 48, 5 wrong against 1.
    picture = np.asarray(sample(image, m, border=cv2.BORDER_REPLICATE), np.uint8)
    return Cutout(picture, not_burnt(picture), scale)


def cut_size(size_mm: tuple[float, float]) -> tuple[int, int]:
    """Width and height of a cut-out, px."""
    w, h = rect_size(*size_mm)
    return round(w * FINE), round(h * FINE)


def not_burnt(picture: Image) -> NDArray[np.bool_]:
    """(h, w) False in and beside spots that are burnt out in all channels, as a reflected lamp is; white print is not,
    unless the exposure itself burns it out."""
    burnt = (picture.min(axis=2) >= BURNT_GREY).astype(np.uint8)
    spot = cv2.morphologyEx(burnt, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    k = 2 * BURNT_AROUND_PX + 1
    return np.asarray(cv2.dilate(spot, np.ones((k, k), np.uint8)) == 0, np.bool_)


def merge(views: Sequence[Cutout]) -> Cutout:
    """Several views of one side, upright alike: each pixel the median of those views that are clear there.

    What passed over one of them (a hand's shadow, a reflection) is in no other.
    """
    if len(views) == 1:
        return views[0]
    pictures = np.stack([v.picture for v in views]).astype(np.float32)
    clear = np.stack([v.clear for v in views])
    seen = np.asarray(clear.any(0), np.bool_)
    pictures[~clear & seen] = np.nan
    picture = np.nanmedian(pictures, axis=0)
    return Cutout(np.asarray(np.round(picture), np.uint8), seen, float(np.median([v.px_per_mm for v in views])))


def sharpness(cutout: Cutout) -> float:
    """Mean contrast from pixel to pixel at the face bank's resolution, grey levels: of one side, more is sharper."""
    small = cv2.resize(cutout.picture, None, fx=1 / FINE, fy=1 / FINE, interpolation=cv2.INTER_AREA)
    luma = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
    return float(np.hypot(np.diff(luma, axis=0)[:, :-1], np.diff(luma, axis=1)[:-1]).mean())
