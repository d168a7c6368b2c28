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
    sigma: float
    """Log units by which faces differ from their pictures, pixel by pixel."""


def look_at_faces(back: Backdrop, lit: Float, sigma: float | None = None) -> FaceLook:
    """Compare a still, or a part of it, with the faces lying there. lit: `token_light.lit`. sigma: as it was found for
    the whole still, where this is a part."""
    out, haze = np.zeros(back.owner.shape, np.float32), np.zeros(back.owner.shape, np.float32)
    rows, columns = np.flatnonzero(back.known.any(1)), np.flatnonzero(back.known.any(0))
    if len(rows):
        window = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        known = back.known[window]
        low, high = back.span
        face, over, sigma = _against(lit[window], low[window], high[window], known, sigma)
        out[window][known] = face[known]
        haze[window][known] = over[known]
    return FaceLook(out, haze, LEAST_SIGMA if sigma is None else sigma)


def _against(
    lit: Float, low: Float, high: Float, known: NDArray[np.bool_], sigma: float | None
) -> tuple[Float, Float, float]:
    side = (HAZE_MM, HAZE_MM)
    share = cv2.blur(known.astype(np.float32), side) + np.float32(1e-6)
    least = np.full(share.shape, np.inf, np.float32)
    rest, shade, best = np.zeros_like(share), np.zeros_like(share), np.zeros_like(share)
    for haze in HAZES:
        lo, hi = (low, high) if haze == 0 else (_hazed(low, haze), _hazed(high, haze))
        e = cv2.split(lit - np.clip(lit, lo, hi))
        tone = np.clip(_median(*e), np.float32(DEEPEST_SHADE), np.float32(0.1))
        off = np.maximum(np.maximum(np.abs(e[0] - tone), np.abs(e[1] - tone)), np.abs(e[2] - tone))
        around = cv2.blur(np.minimum(off, np.float32(0.3)) * known, side) / share + np.float32(haze * 0.2)
        better = around < least
        least = np.minimum(least, around)
        for of, now in ((rest, off), (shade, tone), (best, np.float32(haze))):
            np.copyto(of, now, where=better)
    if sigma is None:
        sigma = min(max(2.0 * float(np.median(rest[known])), LEAST_SIGMA), MOST_SIGMA)
    # Dark ink is never as dark as in the scan.
    spread2 = np.float32(sigma**2) + (np.float32(LIFT) * np.exp(-low.min(2))) ** 2
    cost = np.minimum(rest**2 / spread2 + (shade / np.float32(SHADE_SPREAD)) ** 2, np.float32(2 * WORST))
    return np.asarray(np.float32(-0.5) * cost, np.float32), best, sigma


def _median(a: cv2.typing.MatLike, b: cv2.typing.MatLike, c: cv2.typing.MatLike) -> Float:
    """The middle one of three, pixel by pixel."""
    return np.asarray(np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c)), np.float32)


def _hazed(log_bgr: Float, haze: float) -> Float:
    ok = np.clip(log_bgr, 0, 6)
    return np.asarray(np.log(255 * (linear(ok) + haze) ** (1 / 2.2) + 12), np.float32)
