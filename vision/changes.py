"""Where one still differs from the one before: only that is worth looking at again.

Masks are (h/4, w/4) uint8, 255 where it is so; pictures are the small log-colour ones of `vision.background.reduce`.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.background import Background, largest
from vision.camera import Camera
from vision.still import SMALL

Mask = NDArray[np.uint8]
Small = NDArray[np.float32]

CHANGED = 0.10
"""Change in log colour that makes a place worth searching (noise of an averaged still: 0.02)."""

GROW = 8
"""Small pixels by which changed places grow (20 mm): features need their surroundings."""


SAMPLES = 256
"""Pixels that stand for all of a mask when its area is taken."""
MOST_TIMES = 16.0
"""How many times the area of a pixel in the middle one may have: near the horizon there is no end to it."""


def difference(now: Small, last: Small | None) -> Mask:
    """Where the picture differs, exposure and white balance apart; everywhere without a last picture."""
    if last is None or last.shape != now.shape:
        return np.full(now.shape[:2], 255, np.uint8)
    d = now - last
    d = largest(np.abs(d - np.median(d[::4, ::4].reshape(-1, 3), axis=0)))
    return opened((d > CHANGED).astype(np.uint8) * 255, 2)


def change(now: Small, last: Small | None, background: Background) -> Mask:
    """Where the picture differs, other than by showing the bare table again."""
    mask = difference(now, last)
    mask[background.bare(now, CHANGED)] = 0
    return opened(mask, 3)


def opened(mask: Mask, size: int) -> Mask:
    """Without specks smaller than `size`."""
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((size, size), np.uint8)), np.uint8)


def grown(mask: Mask, by: int = GROW) -> Mask:
    """With `by` more pixels all round."""
    return np.asarray(cv2.dilate(mask, np.ones((2 * by + 1, 2 * by + 1), np.uint8)), np.uint8)


def enlarge(mask: Mask, size: tuple[int, int]) -> Mask:
    """To the full picture's (width, height)."""
    return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST), np.uint8)


def area_mm2(camera: Camera, mask: Mask) -> float:
    """Area of the table that a mask covers, to a few percent: at the edge of a tilted wide lens' picture a pixel is
    four times the area it is in the middle, and a card there looked too small to be one."""
    ys, xs = np.nonzero(mask)
    if len(ys) == 0:
        return 0.0
    pick = np.linspace(0, len(ys) - 1, min(len(ys), SAMPLES)).round().astype(int)
    px = (np.column_stack([xs[pick], ys[pick]]) + 0.5) * SMALL - 0.5
    here, right, below = (camera.unproject(px + step) for step in ((0, 0), (SMALL, 0), (0, SMALL)))
    u, v = right - here, below - here
    each = np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    most = MOST_TIMES * (camera.mm_per_px * SMALL) ** 2
    return float(np.minimum(each, most).mean()) * len(ys)
