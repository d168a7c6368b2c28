"""The bare table beside the faces: it shows mostly itself, so what is common there is the table.

Nothing is known of it but this still. A cloth may have any colours, those of the pieces too; but a colour's pieces are
few and of one size, while a pattern goes on all over the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.facebank import Float
from vision.token_colours import WORST
from vision.token_faces import SHADE_SPREAD

TONE_BIN, TINT_BIN = 0.12, 0.06
BINS = 32
RARE = 0.02
"""Share of the bare table's pixels, its rarest, that may be things: a supply covers 0.8 %, a die 0.1 %."""
LEAST_COMMON = 5e-4
"""Share of the bare table that a colour covers to be a colour of the table: half a meeple in a view of 70 x 40 cm."""
LEAST_TABLE_PX = 500
"""With less of it in view nothing is known of the table."""
LIKE = -2.5
"""Log likelihood of a session's colour from which a pixel may be of a piece."""
SPECK_PX = 12
NIGHT, SHADOW = 0.4, -0.6
"""Log units under the table's usual brightness from which a place may lie in some thing's shadow, and how likely that
is (log). Without it all 12 false pieces on 75 boards were shadows on the table, taken for black."""
SHADOW_MM, LEAST_RING_PX = 15, 300
"""So far about coloured pieces their shadows are looked for, and so many pixels of it must be in view."""
DARKEST, DARK_SHARE = 10.0, 0.02
"""Of the dark pixels there the percentile that counts as the darkest shadow, if they are more than this share."""
DARKER = 0.45
"""Log units by which lacquer must be darker than the darkest shadow not to be taken for one."""


@dataclass(frozen=True, eq=False)
class TableColours:
    """Which colours the bare table has."""

    density: Float | None
    """(32768,) how much of it has a colour, shaded or not; None where too little of the table is in view."""
    usual: float
    """From this density on a colour is the table's."""
    tone: float | None
    """Log brightness of the table, the median; None where no table is in view."""

    def likelihood(self, lit: Float) -> Float:
        """Log likelihood (h, w) that a pixel is of the bare table: how common its colour is there."""
        if self.density is None:
            return np.zeros(lit.shape[:2], np.float32)
        return np.asarray(np.clip(np.log((self.density[_bin(lit)] + 1e-3) / self.usual), -WORST, 0), np.float32)

    def with_shadows(self, bare: Float, lit: Float, table: NDArray[np.bool_], darkest: float | None) -> Float:
        """The likelihood (h, w) of what is there without pieces, where black ones are looked for: the shadow of a low
        lamp takes most of the light, and its colour, too.

        darkest: `darkest_shadow`; a black piece that is no darker is not found beside the board.
        """
        if self.tone is None:
            return bare
        tone = lit.mean(2)
        night = table & (tone < self.tone - NIGHT)
        if darkest is not None:
            night &= tone > darkest - DARKER
        return np.where(night, np.maximum(bare, np.float32(SHADOW)), bare)


def darkest_shadow(
    lit: Float, black: Float, pieces: NDArray[np.bool_], table: NDArray[np.bool_], usual: float | None
) -> float | None:
    """Log brightness of the darkest shadows that coloured pieces throw on the table; None where none are seen.

    black: log likelihood (h, w) of black lacquer. pieces: (h, w) True where there are coloured pieces. usual: the
    table's log brightness.
    """
    if usual is None:
        return None
    own = cv2.morphologyEx((pieces & table).astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    side = 2 * SHADOW_MM + 1
    ring = (cv2.dilate(own, np.ones((side, side), np.uint8)) > 0) & table
    ring &= cv2.dilate(own, np.ones((5, 5), np.uint8)) == 0
    if np.count_nonzero(ring) < LEAST_RING_PX:
        return None
    tone = lit[ring].mean(1)
    dark = tone[(black[ring] > LIKE) & (tone < usual - NIGHT)]
    if len(dark) < DARK_SHARE * len(tone):
        return usual - NIGHT
    return float(np.percentile(dark, DARKEST))


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


def learn_table(lit: Float, bare: NDArray[np.bool_], pieces: NDArray[np.bool_]) -> TableColours:
    """What the table looks like in a whole still. bare: (h, w) True where no face lies. lit: `token_light.lit`.
    pieces: `suspects`, which do not make their colours common.
    """
    tone = float(np.median(lit.mean(2)[bare])) if bare.any() else None
    cloth = (cv2.erode(bare.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0) & ~pieces
    if cloth.sum() < LEAST_TABLE_PX:
        return TableColours(None, 1.0, tone)
    own = _bin(lit[cloth])
    count = np.bincount(own, minlength=BINS**3).astype(np.float32).reshape(BINS, BINS, BINS)
    for axis in range(3):
        count = _smooth(count, axis)
    shaded = count.copy()  # a shadow on it is still the table
    for step in range(1, 8):
        cost = np.exp(-0.5 * (step * TONE_BIN / SHADE_SPREAD) ** 2)
        shaded[:-step] = np.maximum(shaded[:-step], count[step:] * np.float32(cost))
    usual = max(float(np.quantile(count.reshape(-1)[own], RARE)), LEAST_COMMON * float(cloth.sum()))
    return TableColours(shaded.reshape(-1), usual, tone)


def _bin(lit: Float) -> NDArray[np.int32]:
    """Which of the 32768 colours each of (..., 3) is."""
    b, g, r = lit[..., 0], lit[..., 1], lit[..., 2]
    out = np.zeros(b.shape, np.int32)
    for value, bins, zero in (
        (lit.mean(-1) - np.float32(2.2), TONE_BIN, 0),
        (r - g, TINT_BIN, 16),
        (b - g, TINT_BIN, 16),
    ):
        out *= BINS
        out += np.round(np.clip(value / np.float32(bins) + np.float32(zero), 0, BINS - 1)).astype(np.int32)
    return out


def _smooth(count: Float, axis: int) -> Float:
    a = np.moveaxis(count, axis, 0)
    p = np.pad(a, ((1, 1), (0, 0), (0, 0)), mode="edge")
    return np.moveaxis(np.asarray(0.25 * p[:-2] + 0.5 * p[1:-1] + 0.25 * p[2:], np.float32), 0, axis)
