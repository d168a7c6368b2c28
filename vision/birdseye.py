"""The table as seen from straight above: a solved camera takes its own tilt and lens out of the picture.

Local features stand turning and scaling, but not being squeezed: at the edge of a frame tilted by 24 degrees a card is
foreshortened to two thirds, and few of its features resemble the deck's. Seen from above, all cards are of one scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera
from vision.rectify import dense_map
from vision.sampling import sample

Image = NDArray[np.uint8]

MOST_PX = 2_500_000
"""Pixels of a view at most: beyond, its scale is reduced."""

FARTHEST = 2.0
"""How far from the camera's foot a table is looked at, in heights of the camera: 63 degrees off the axis."""

STEP = 16
"""The map is computed every so many pixels and interpolated between."""


@dataclass(frozen=True, eq=False)
class TableView:
    """A part of the table from above."""

    image: Image
    """(h, w) luma or (h, w, 3) BGR, uint8, as it was given."""
    mask: Image
    """(h, w) 255 where it is to be looked at."""
    px_per_mm: float
    origin_mm: Array
    """(2,) table point of the middle of the top left pixel."""

    def to_table(self, px: Array) -> Array:
        """Pixels of the view (n, 2) to table points (n, 2) mm."""
        return np.asarray(px, float) / self.px_per_mm + self.origin_mm


def table_view(image: Image, mask: Image, camera: Camera) -> TableView | None:
    """The part of a picture (h, w[, 3]) where `mask` (h, w) is not 0, from above; None where that is nothing.

    Its scale is that of the picture's middle.
    """
    ys, xs = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if len(ys) == 0:
        return None
    x, y = np.linspace(xs[0], xs[-1], 12), np.linspace(ys[0], ys[-1], 12)
    gx, gy = np.meshgrid(x, y)
    seen = camera.unproject(np.column_stack([gx.ravel(), gy.ravel()]))
    reach, foot = FARTHEST * camera.height_mm, camera.foot_mm
    low, high = (np.clip(v, foot - reach, foot + reach) for v in (seen.min(0), seen.max(0)))
    ppm = min(1 / camera.mm_per_px, float(np.sqrt(MOST_PX / max(float(np.prod(high - low)), 1.0))))
    w, h = (int(np.ceil(v * ppm)) + 1 for v in high - low)
    cols, rows = -(-w // STEP) + 2, -(-h // STEP) + 2
    nx = ((np.arange(cols) - 0.5) * STEP - 0.5) / ppm + low[0]
    ny = ((np.arange(rows) - 0.5) * STEP - 0.5) / ppm + low[1]
    gx, gy = np.meshgrid(nx, ny)
    nodes = camera.project(np.column_stack([gx.ravel(), gy.ravel()])).reshape(rows, cols, 2)
    m = dense_map(nodes, STEP, (h, w))
    view = sample(image, m, border=cv2.BORDER_REPLICATE)
    inside = sample(mask, m, nearest=True)
    return TableView(np.asarray(view, np.uint8), np.asarray(inside, np.uint8), ppm, low)
