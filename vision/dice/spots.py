"""Counting the pips of an upper face, once it is known where that face is: a second opinion that learned nothing.

The network says where the face lies and how it is turned; laid flat, its pips are round, of one size and one tone, and
the middle of them all is the middle of the face.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.crop import cut
from vision.frame import Image
from vision.scene import Point, Quad

EDGE = 48
"""The face's side where its pips are counted, px."""
MARGIN = 6
"""The face is looked at with so much around it, px: its corners are read to within a tenth."""
RIM = 7
"""What reaches within so many pixels of the border is a side's or the table's."""
LEAST_CONTRAST = 15.0
"""Grey levels."""
LEVELS = (0.35, 0.5, 0.65)
"""Shares of the greatest contrast above which a pixel is a pip's: worn or glossy pips show at one of them."""
LEAST_AREA, MOST_WIDE = 12, 26
"""Pixels: a pip is 0.08 to 0.5 of the face wide."""
MOST_LONG, LEAST_FULL, MOST_UNLIKE = 1.7, 0.55, 3.0
"""Ratio of a round spot's sides, share of its box, ratio of two pips' areas."""
ONE_WIDE, ONE_LONG = 20, 1.3
"""A single spot is a one if it is no wider, px, and as round: a blurred numeral is a spot, too."""
OFF_MIDDLE = 0.14
"""How far, in edges, the middle of the pips may be from that of the face."""


def pip_counts(bgr: Image, centre: Point, edge_px: float, face: Quad) -> set[int]:
    """How many pips the face with these corners may show, 1 to 6; empty where what it shows is no pips.

    bgr: (h, w, 3) uint8. centre and edge_px: of the die; face: corners of its upper face, px, clockwise.
    """
    out, side = EDGE + 2 * MARGIN, round(2.4 * EDGE)
    crop = cut(bgr, centre, edge_px, side, EDGE)
    corners = (np.array(face) - centre) * (EDGE / edge_px) + (side - 1) / 2
    low, high = MARGIN, out - MARGIN
    flat = np.array([[low, low], [high, low], [high, high], [low, high]], np.float32)
    m = cv2.getPerspectiveTransform(corners.astype(np.float32), flat)
    laid = cv2.warpPerspective(crop, m, (out, out), borderMode=cv2.BORDER_REPLICATE)
    grey = cv2.GaussianBlur(cv2.cvtColor(laid, cv2.COLOR_BGR2GRAY), (0, 0), 1.0).astype(np.float32)
    inner = grey[RIM + 2 : -RIM - 2, RIM + 2 : -RIM - 2]
    body = float(np.median(inner))
    counts = set()
    for sign in (1, -1):
        strength = float(np.percentile(sign * (body - inner), 98))
        if strength >= LEAST_CONTRAST:
            counts |= {_spots(sign * (body - grey) > level * strength) for level in LEVELS}
    return counts - {0}


def _spots(mask: NDArray[np.bool_]) -> int:
    """Number of round spots of one size around the middle of a square mask; 0 where there is anything else."""
    _, _, stats, middles = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    far = mask.shape[0] - RIM
    areas, places, single = [], [], False
    for (x, y, w, h, area), at in zip(stats.reshape(-1, 5)[1:].tolist(), middles[1:], strict=True):
        if area < LEAST_AREA or min(x, y) < RIM or max(x + w, y + h) > far:
            continue
        if max(w, h) > min(MOST_LONG * min(w, h), MOST_WIDE) or area < LEAST_FULL * w * h:
            return 0
        areas.append(area)
        single = max(w, h) < ONE_WIDE and max(w, h) < ONE_LONG * min(w, h)
        places.append(at)
    if not areas or len(areas) > 6 or max(areas) > MOST_UNLIKE * min(areas):
        return 0
    if len(areas) == 1 and not single:
        return 0
    off = np.mean(places, axis=0) - (mask.shape[0] - 1) / 2
    return len(areas) if np.hypot(*off) < OFF_MIDDLE * EDGE else 0
