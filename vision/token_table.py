"""The bare table beside the faces: it shows mostly itself, so what is common there is the table.

Nothing is known of it but this still. A cloth may have any colours, those of the pieces too; but a colour's pieces are
few and of one size, while a pattern goes on all over the table.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.facebank import Float
from vision.token_colours import WORST
from vision.token_faces import SHADE_SPREAD

TONE_BIN, TINT_BIN = 0.12, 0.06
RARE = 0.02
"""Share of the bare table's pixels, its rarest, that may be things: a supply covers 0.8 %, a die 0.1 %."""
LEAST_COMMON = 5e-4
"""Share of the bare table that a colour covers to be a colour of the table: half a meeple in a view of 70 x 40 cm."""
LIKE = -2.5
"""Log likelihood of a session's colour from which a pixel may be of a piece."""
SPECK_PX = 12
NIGHT, SHADOW = 0.4, -1.2
"""Log units under the table's usual brightness from which a place may lie in some thing's shadow, and how likely that
is (log). Without it all 12 false pieces on 75 boards were shadows on the table, taken for black."""


def with_shadows(bare: Float, lit: Float, table: NDArray[np.bool_]) -> Float:
    """The likelihood (h, w) of what is there without pieces, where black ones are looked for: the shadow of a low lamp
    takes most of the light, and its colour, too. A black piece beside the board is then found, but not for sure.
    """
    tone = lit.mean(2)
    if not table.any():
        return bare
    night = table & (tone < float(np.median(tone[table])) - NIGHT)
    return np.where(night, np.maximum(bare, np.float32(SHADOW)), bare)


def suspects(words: Sequence[Float], bare: NDArray[np.bool_], piece_px: float, count: int) -> NDArray[np.bool_]:
    """(h, w) True where the table may show pieces: small regions like one of the colours, no more of each than there
    are pieces.

    words: log likelihood (h, w) of each colour. piece_px: area of one piece in the picture. count: pieces of a colour.
    """
    out = np.zeros(bare.shape, bool)
    for word in words:
        like = ((word > LIKE) & bare).astype(np.uint8)
        n, labels, stats, _ = cv2.connectedComponentsWithStats(like)
        area = stats[:, cv2.CC_STAT_AREA].astype(float)
        # Pieces that touch are one region.
        small = (area >= SPECK_PX) & (area < 2.0 * count * piece_px)
        small[0] = False
        if n > 1 and area[small].sum() < 2.5 * count * piece_px:
            out |= small[labels]
    return np.asarray(cv2.dilate(out.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)


def bare_likelihood(lit: Float, bare: NDArray[np.bool_], pieces: NDArray[np.bool_]) -> Float:
    """Log likelihood (h, w) that a pixel is of the bare table: how common its colour is there.

    lit: `Backdrop.lit`. pieces: `suspects`, which do not make their colours common.
    """
    tone = lit.mean(2)
    bins = [np.clip((tone - 2.2) / TONE_BIN, 0, 31), np.clip((lit[..., 2] - lit[..., 1]) / TINT_BIN + 16, 0, 31),
            np.clip((lit[..., 0] - lit[..., 1]) / TINT_BIN + 16, 0, 31)]  # fmt: skip
    k = (np.round(bins[0]).astype(np.int32) * 32 + np.round(bins[1]).astype(np.int32)) * 32 + np.round(bins[2]).astype(
        np.int32
    )
    cloth = (cv2.erode(bare.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0) & ~pieces
    if cloth.sum() < 500:
        return np.zeros(tone.shape, np.float32)
    count = np.bincount(k[cloth], minlength=32**3).astype(np.float32).reshape(32, 32, 32)
    for axis in range(3):
        count = _smooth(count, axis)
    shaded = count.copy()  # a shadow on it is still the table
    for step in range(1, 8):
        cost = np.exp(-0.5 * (step * TONE_BIN / SHADE_SPREAD) ** 2)
        shaded[:-step] = np.maximum(shaded[:-step], count[step:] * np.float32(cost))
    density = shaded.reshape(-1)[k]
    usual = max(float(np.quantile(count.reshape(-1)[k[cloth]], RARE)), LEAST_COMMON * float(cloth.sum()))
    return np.asarray(np.clip(np.log((density + 1e-3) / usual), -WORST, 0), np.float32)


def _smooth(count: Float, axis: int) -> Float:
    a = np.moveaxis(count, axis, 0)
    p = np.pad(a, ((1, 1), (0, 0), (0, 0)), mode="edge")
    return np.moveaxis(np.asarray(0.25 * p[:-2] + 0.5 * p[1:-1] + 0.25 * p[2:], np.float32), 0, axis)
