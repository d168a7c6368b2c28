"""Whether a face lies a little beside where it was fitted: a pattern that repeats itself fits one period off, too.

Followed points each find the nearest dot of a pattern; the face as a whole, medallion and rim included, agrees in one
place only.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera, place
from vision.facebank import PX_PER_MM, Template, normalise
from vision.rectify import rectify

REACH_MM = 8.0
"""Periods of backs and borders are 2 to 7 mm."""

TURNS_DEG = (-4.5, -3.0, -1.5, 0.0, 1.5, 3.0, 4.5)
"""One dot off at one end of a card turns it by up to 4 degrees."""

FITS_FROM = np.radians(2.0)
"""Following finds its way from a start turned by less: that is the same place."""

AS_GOOD = 0.1
"""A place is worth trying when the whole face correlates there hardly less than where it was fitted. A dotted back on
oak, in a dim room, had 0.34 turned by one dot and 0.78 in its place; the grid of this search costs up to 0.08."""
MOST_PLACES = 4


def beside(image: NDArray[np.uint8], camera: Camera, pose: Array, template: Template) -> list[Array]:
    """(3,) poses at most `REACH_MM` beside `pose` where the face may lie as well or better, the likeliest first.

    image: (h, w, 3) uint8 BGR of the still.
    """
    width, height = template.size_mm
    step = 2 / PX_PER_MM
    here = -1.0
    places: list[tuple[float, Array]] = []
    for turn in np.radians(TURNS_DEG):
        start = np.array([pose[0], pose[1], pose[2] + turn])
        patch = rectify(image, camera, start, width + 2 * REACH_MM, height + 2 * REACH_MM)
        grey = normalise(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY))
        h, w = grey.shape
        coarse = cv2.resize(grey, (w // 2, h // 2), interpolation=cv2.INTER_AREA)
        score = np.asarray(cv2.matchTemplate(coarse, template.coarse, cv2.TM_CCOEFF_NORMED))
        rows, cols = score.shape
        middle = (slice(rows // 2 - 1, rows // 2 + 2), slice(cols // 2 - 1, cols // 2 + 2))
        if turn == 0:
            here = float(score[middle].max())
        if abs(turn) < FITS_FROM:
            score[middle] = -1.0
        for y, x in zip(*np.nonzero(score == cv2.dilate(score, np.ones((3, 3)))), strict=True):
            off = np.array([[(x - (cols - 1) / 2) * step, (y - (rows - 1) / 2) * step]])
            places.append((float(score[y, x]), np.append(place(start, off)[0], start[2])))
    places = sorted((p for p in places if p[0] >= here - AS_GOOD), key=lambda p: -p[0])
    return [there for _, there in places[:MOST_PLACES]]
