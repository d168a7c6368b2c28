"""How dice that lie flat lean in a picture whose camera is not known: as most of them do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.dice.read import Reading
from vision.dice.shape import Array, angle_deg

MOST_AGREE = 3
"""So many dice, and 60 % of all, must lean alike to say how a flat one does."""
SHARE_AGREE = 0.6
ALIKE_DEG = 15.0
USUAL_FOCAL = 0.9
"""Focal length over the longer side of a picture whose camera is not known: phones 0.75 to 0.9, webcams 0.9 to 1.1."""


def lean_of_most(readings: Sequence[Reading], size: tuple[int, int]) -> list[Array | None]:
    """For each die the lean (2,) it would have if it lay flat; None for all where they do not tell.

    size: height and width of the picture.
    """
    if len(readings) < MOST_AGREE:
        return [None] * len(readings)
    # A die right of the middle shows its left side the less, its upper face farther right.
    h, w = size
    outwards = [(np.array(r.centre) - ((w - 1) / 2, (h - 1) / 2)) / (USUAL_FOCAL * max(h, w)) for r in readings]
    leans = [r.lean - o for r, o in zip(readings, outwards, strict=True)]
    near = [[b for b in leans if angle_deg(a, b) < ALIKE_DEG] for a in leans]
    most = max(near, key=len)
    if len(most) < max(MOST_AGREE, SHARE_AGREE * len(leans)):
        return [None] * len(readings)
    table = np.median(np.array(most), axis=0)
    return [table + o for o in outwards]
