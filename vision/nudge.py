"""Whether a face lies a little beside where it was fitted: a pattern that repeats itself fits one period off, too.

Followed points each find the nearest dot of a pattern; the face as a whole, medallion and rim included, agrees in one
place only.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera
from vision.facebank import PX_PER_MM, Template, normalise
from vision.rectify import rectify

REACH_MM = 8.0
"""Periods of backs and borders are 2 to 7 mm."""

TURNS_DEG = (-4.5, -3.0, -1.5, 0.0, 1.5, 3.0, 4.5)
"""One dot off at one end of a card turns it by up to 4 degrees."""

LEAST_GAIN = 0.04
"""By how much the correlation of the whole face must rise. A dotted back on oak, in a dim room, had 0.34 turned by one
dot and 0.78 in its place."""


def nudged(image: NDArray[np.uint8], camera: Camera, pose: Array, template: Template) -> Array | None:
    """(3,) the pose beside `pose` where the face agrees clearly better, at most `REACH_MM` away; None: it is in place.

    image: (h, w, 3) uint8 BGR of the still.
    """
    width, height = template.size_mm
    step = 2 / PX_PER_MM
    best, here, out = -1.0, -1.0, pose
    for turn in np.radians(TURNS_DEG):
        start = np.array([pose[0], pose[1], pose[2] + turn])
        patch = rectify(image, camera, start, width + 2 * REACH_MM, height + 2 * REACH_MM)
        grey = normalise(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY))
        h, w = grey.shape
        coarse = cv2.resize(grey, (w // 2, h // 2), interpolation=cv2.INTER_AREA)
        score = cv2.matchTemplate(coarse, template.coarse, cv2.TM_CCOEFF_NORMED)
        rows, cols = score.shape
        if turn == 0:
            here = float(score[rows // 2 - 1 : rows // 2 + 2, cols // 2 - 1 : cols // 2 + 2].max())
        y, x = np.unravel_index(int(score.argmax()), score.shape)
        if float(score[y, x]) > best:
            best = float(score[y, x])
            dx, dy = (float(x) - (cols - 1) / 2) * step, (float(y) - (rows - 1) / 2) * step
            c, s = np.cos(start[2]), np.sin(start[2])
            out = np.array([pose[0] + c * dx - s * dy, pose[1] + s * dx + c * dy, start[2]])
    return out if best - here >= LEAST_GAIN else None
