"""One still and what is computed from it once."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.background import reduce

LAPLACIAN_SIGMA = 0.6745 * 20**0.5
NOISY = 2.5
"""Grey levels of noise left in a still from which blurring it gives more true proposals than it costs: 10 of 13 cards
against 9, 6 of 12 against 5 in the two darkest of 60 random rooms; at 2.0 it changes nothing."""


class Still:
    """One still and what is computed from it once."""

    def __init__(self, bgr: NDArray[np.uint8]) -> None:
        self.bgr = bgr
        self.luma = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
        self.small = reduce(bgr)
        noise = median_level(np.abs(cv2.Laplacian(self.luma[::2], cv2.CV_16S))) / LAPLACIAN_SIGMA
        self.quiet = np.asarray(cv2.GaussianBlur(self.luma, (0, 0), 1.0), np.uint8) if noise > NOISY else self.luma
        """For features: in a dim room noise has more of them than the cards."""

    @property
    def size(self) -> tuple[int, int]:
        return self.bgr.shape[1], self.bgr.shape[0]


def median_level(levels: NDArray[np.integer]) -> float:
    """The median of whole numbers from 0 up, by counting: of half a million in 1 ms, where sorting takes 12."""
    counts = np.cumsum(np.bincount(levels.ravel()))
    return float(np.searchsorted(counts, (levels.size + 1) // 2))
