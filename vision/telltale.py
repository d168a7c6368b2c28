"""Which of two faces: by what differs between them, and by nothing else.

Two faces of one deck may share nine tenths of their artwork, or differ in colour alone. Along the direction in which
their scans differ, a look lies at 1 where it is the first face and at 0 where it is the second (the matched filter, or
Fisher's linear discriminant with equal covariances). How many sigma the two ends are apart says what that is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.facebank import Float
from vision.naming import WHITE_SPREAD_KNOWN, WHITE_SPREAD_UNKNOWN, Look, Namer

LUMA_SIGMA = 0.55
"""Spread of a coarse pixel of normalised luma around the right face's, in the table generator's pictures."""
LUMA_CORRELATED = 14.0
"""Coarse pixels that err together."""
HUE_SIGMA = 0.13
HUE_CORRELATED = 14.0


MOST_OF = 0.8
"""Share of what two faces differ in that lies in the blocks which must tell them apart."""


@dataclass(frozen=True)
class Preference:
    """Where a look lies between two faces."""

    place: float
    """1: the first face; 0: the second; 0.5: between."""
    apart: float
    """Squared distance of the two ends in units of the noise."""

    @property
    def evidence(self) -> float:
        """Log likelihood ratio for the first face."""
        return (self.place - 0.5) * self.apart


def prefer(namer: Namer, seen: Look, first: int, second: int, white: Float | None, turned: int = 0) -> Preference:
    """Compare two faces (positions in `namer.index`) on a look that is upright for the first.

    turned: quarter turns, as of `numpy.rot90`, that bring the second face's upright picture into that look: tiles lie
    any way round.
    """
    weight = _weight(namer, seen, first, second, turned)
    h, w = seen.hue.shape[:2]
    fine = np.asarray(cv2.resize(weight, seen.coarse.shape[::-1], interpolation=cv2.INTER_NEAREST), np.float32)
    rough = np.asarray(cv2.resize(weight, (w, h), interpolation=cv2.INTER_NEAREST), np.float32)[..., None]
    a, b = namer.coarse[first], np.rot90(namer.coarse[second], turned)
    lean, apart = _project(seen.coarse, a, b, fine, LUMA_SIGMA, LUMA_CORRELATED)
    ha, hb = namer.hue[first], np.rot90(namer.hue[second], turned)
    total = float(rough.sum()) + 1e-6
    mean = [(x * rough).sum((0, 1)) / total for x in (seen.hue, ha, hb)]
    for c in range(2):
        leaning, distance = _project(
            seen.hue[..., c] - mean[0][c],
            ha[..., c] - mean[1][c],
            hb[..., c] - mean[2][c],
            rough[..., 0],
            HUE_SIGMA,
            HUE_CORRELATED,
        )
        lean, apart = lean + leaning, apart + distance
    # The mean hue speaks, too, as far as the white balance is known.
    target, spread = (np.zeros(2), WHITE_SPREAD_UNKNOWN) if white is None else (white, WHITE_SPREAD_KNOWN)
    if total > 4:
        difference = (mean[1] - mean[2]) / spread
        off = (mean[0] - target - (mean[1] + mean[2]) / 2) / spread
        lean += float((difference * np.clip(off, -4, 4)).sum())
        apart += float((difference**2).sum())
    return Preference(0.5 + lean / max(apart, 1e-6), apart)


def lead(namer: Namer, seen: Look, first: int, second: int, turned: int = 0) -> float:
    """By how much more the first of two faces correlates with a look in the blocks that hold most of their difference.

    As `prefer`; -2 to 2. What covers those blocks agrees with neither, or with the wrong one by chance.
    """
    a, b = namer.coarse[first], np.rot90(namer.coarse[second], turned)
    differ = namer.cut(((a - b) ** 2)[None])[0].sum(-1)
    own = namer.correlations(seen, [first])[0]
    other = namer.correlations(seen.turned(-turned % 4), [second])[0].reshape(namer.rows, namer.cols)
    order = np.argsort(-differ)
    most = order[: int(np.searchsorted(np.cumsum(differ[order]), MOST_OF * differ.sum())) + 1]
    return float(np.average((own - np.rot90(other, turned).ravel())[most], weights=differ[most]))


def _project(seen: Float, a: Float, b: Float, weight: Float, sigma: float, correlated: float) -> tuple[float, float]:
    d = a - b
    lean = float((d * (seen - (a + b) / 2) * weight).sum()) / (sigma**2 * correlated)
    return lean, float((d * d * weight).sum()) / (sigma**2 * correlated)


def _weight(namer: Namer, seen: Look, first: int, second: int, turned: int) -> Float:
    """(rows, columns) blocks that show either of the two: what is covered takes no side."""
    if turned % 4:
        own = namer.correlations(seen, [first])[0].reshape(namer.rows, namer.cols)
        other = namer.correlations(seen.turned(-turned % 4), [second])[0].reshape(namer.rows, namer.cols)
        rho = np.maximum(own, np.rot90(other, turned))
    else:
        rho = namer.correlations(seen, [first, second]).max(0).reshape(namer.rows, namer.cols)
    if namer.square:
        # A figure that stands on a tile hides the very shield that tells it from another: no block vouches for it.
        return np.asarray((rho > 0.4).astype(np.float32))
    # A block in which the two differ may agree with neither fully; its neighbours then vouch for it.
    near = cv2.blur(np.clip(rho, 0, 1), (3, 3), borderType=cv2.BORDER_REPLICATE)
    return np.asarray(((rho > 0.4) | (near > 0.55)).astype(np.float32))
