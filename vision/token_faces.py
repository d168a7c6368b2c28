"""How far the faces that lie there show what is printed on them; where they do not, something stands on them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.facebank import Float
from vision.token_backdrop import LIFT, Backdrop
from vision.token_colours import WORST, linear

HAZES = (0.0, 0.02, 0.05, 0.11)
"""Mirrored lamp that may lie over a glossy face, in linear light."""
HAZE_MM = 41
"""It changes slowly: over this square all pixels have the same."""
SHADE_SPREAD = 0.4
DEEPEST_SHADE = -0.9
"""Shadows darken by half a stop typically, and by no more than this (log of coded values)."""
LEAST_SIGMA, MOST_SIGMA = 0.07, 0.2
"""Log units by which a face may differ from its picture, pixel by pixel, in the best and in the noisiest still."""


@dataclass(frozen=True, eq=False)
class FaceLook:
    """How far the faces show what is printed on them."""

    likelihood: Float
    """(h, w) log likelihood that a pixel shows just that, shaded or with a lamp mirrored in it; 0 where nothing is
    known of what should be seen."""
    haze: Float
    """(h, w) linear light that the mirrored lamp adds; 0 where no face is known."""


def look_at_faces(back: Backdrop, lit: Float) -> FaceLook:
    """Compare a still with the faces lying there. lit: `Backdrop.lit`."""
    out, haze = np.zeros(back.owner.shape, np.float32), np.zeros(back.owner.shape, np.float32)
    where = np.nonzero(back.known)
    if len(where[0]):
        y0, y1, x0, x1 = where[0].min(), where[0].max() + 1, where[1].min(), where[1].max() + 1
        window = np.s_[y0:y1, x0:x1]
        known = back.known[window]
        face, over = _against(lit[window], back.low[window], back.high[window], known)
        out[window][known] = face[known]
        haze[window][known] = over[known]
    return FaceLook(out, haze)


def _against(lit: Float, low: Float, high: Float, known: NDArray[np.bool_]) -> tuple[Float, Float]:
    side = (HAZE_MM, HAZE_MM)
    share = cv2.blur(known.astype(np.float32), side) + np.float32(1e-6)
    rests, shades, around = [], [], []
    for haze in HAZES:
        lo, hi = (low, high) if haze == 0 else (_hazed(low, haze), _hazed(high, haze))
        e = lit - np.clip(lit, lo, hi)
        shade = np.clip(np.median(e, axis=2), DEEPEST_SHADE, 0.1)
        rest = np.abs(e - shade[..., None]).max(2)
        rests.append(rest)
        shades.append(shade)
        around.append(cv2.blur(np.minimum(rest, 0.3) * known, side) / share + haze * np.float32(0.2))
    best = np.argmin(np.stack(around), axis=0)[None]
    rest = np.take_along_axis(np.stack(rests), best, axis=0)[0]
    shade = np.take_along_axis(np.stack(shades), best, axis=0)[0]
    sigma = min(max(2.0 * float(np.median(rest[known])), LEAST_SIGMA), MOST_SIGMA)
    # Dark ink is never as dark as in the scan.
    spread2 = np.float32(sigma**2) + (np.float32(LIFT) * np.exp(-low.min(2))) ** 2
    cost = np.minimum(rest**2 / spread2 + (shade / SHADE_SPREAD) ** 2, 2 * WORST)
    return np.asarray(-0.5 * cost, np.float32), np.asarray(np.array(HAZES, np.float32)[best[0]])


def _hazed(log_bgr: Float, haze: float) -> Float:
    ok = np.clip(log_bgr, 0, 6)
    return np.asarray(np.log(255 * (linear(ok) + haze) ** (1 / 2.2) + 12), np.float32)
