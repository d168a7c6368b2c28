"""Cutting a die out of a picture at the one size that the reader knows."""

from __future__ import annotations

import cv2
import numpy as np

from vision.frame import Image


def cut(
    bgr: Image, centre: tuple[float, float], edge_px: float, side: int, edge_out: float, turn: float = 0.0
) -> Image:
    """A square of `side` px around `centre` in which a die of `edge_px` has edges of `edge_out` px.

    bgr: (h, w, 3) uint8. turn: radians, clockwise as it is seen, by which the picture is turned around `centre`. What
    lies outside the picture repeats its border. Shrinking averages, so that fine cloth does not turn into false pips.
    """
    scale = edge_out / edge_px
    h, w = bgr.shape[:2]
    factor = max(1, int(1 / scale + 0.25))
    x, y = centre
    if factor > 1:
        reach = side / 2 / scale * (np.sqrt(2) if turn else 1) + 2 * factor
        x0, y0 = max(int(x - reach), 0), max(int(y - reach), 0)
        x1, y1 = min(int(x + reach) + 1, w), min(int(y + reach) + 1, h)
        # Whole blocks only: a shrunk pixel's centre then lies where the formula below has it.
        x1, y1 = x0 + max((x1 - x0) // factor, 1) * factor, y0 + max((y1 - y0) // factor, 1) * factor
        part = bgr[y0 : min(y1, h), x0 : min(x1, w)]
        bgr = np.asarray(
            cv2.resize(part, ((x1 - x0) // factor, (y1 - y0) // factor), interpolation=cv2.INTER_AREA), np.uint8
        )
        x, y = (x - x0 + 0.5) / factor - 0.5, (y - y0 + 0.5) / factor - 0.5
        scale *= factor
    middle = (side - 1) / 2
    c, s = scale * np.cos(turn), scale * np.sin(turn)
    m = np.array([[c, -s, middle - c * x + s * y], [s, c, middle - s * x - c * y]])
    return np.asarray(
        cv2.warpAffine(bgr, m, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
