"""Tiles that lie edge to edge with others though no face can be told: dark, plain, or hidden under figures.

What lies there is not the table: most of it has colours that the table has nowhere, and where no tile lies beside it,
its side shows as a straight step of colour just where the lattice says. Either alone misleads, the first where a shadow
or a card lies, the second on a chequered cloth. Together they were never wrong at 2270 empty places on 115 boards, most
of them on chequers, stripes and flowers, and hold for 1568 of 1700 tiles that were taken for unknown to try it.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.background import piece_mask
from vision.camera import Array, Camera, place
from vision.facebank import PX_PER_MM, log_colour
from vision.sampling import sample
from vision.still import SMALL
from vision.still_image import Still

LOWEST, SIZE = np.array([-1.5, -1.5, 2.0]), np.array([0.06, 0.06, 0.15])
BINS = (50, 50, 28)
"""Of log(R/G), log(B/G) and the mean log of a pixel: light differs more across a table than hue."""
RARE = 0.002
"""Share of the table that has about a pixel's colour, below which that colour is not the table's."""
LEAST_TABLE, AMPLE_TABLE = 0.06, 0.4
"""Share of the frame that must show bare table to know its colours by; and from which those of tiles that are not found
yet are better kept out of them. With 0.04 a hole in a board of 55 tiles had other colours than that."""

FOREIGN = 0.5
"""Share of a place that must have other colours than the table: of 2270 empty ones 6 have more, of 1805 tiles 94 %."""

STEP, OVER_NOISE = 0.12, 4.0
"""Log colour by which a tile's side steps off from the table, and how many times as much as the table itself does."""
SECTION_MM, OFF_MM, SLOPE = 4.0, 2.0, 0.035
"""A side is looked at in sections; it may be so far off its place, and turned against it."""
CORNER_MM = 3.0
OUTSIDE_MM, INSIDE_MM = 12.0, 8.0
_ACROSS = np.arange(-OUTSIDE_MM, INSIDE_MM, 1 / PX_PER_MM)
_WIDE = 2
"""Rows on either side of a step whose colours are compared, one row between them left out."""


class TableColours:
    """What colours the bare table of a still has."""

    def __init__(self, still: Still, covered_px: list[Array]) -> None:
        """covered_px: outlines (n, 2) of what lies or may lie on it."""
        self._seen = _tones(still.small)
        free = self._seen[piece_mask(still.small.shape[:2], covered_px, 2) == 0]
        self.share = len(free) / self._seen[..., 0].size
        """Of the frame."""
        count = np.zeros(BINS)
        np.add.at(count, _bin(free), 1)
        for axis in range(3):
            count = count + np.roll(count, 1, axis) + np.roll(count, -1, axis)  # wraps: harmless
        self._share = count / max(len(free), 1)

    def foreign(self, camera: Camera, pose: Array, side_mm: float) -> float:
        """Share of a square place that has other colours."""
        steps = np.linspace(-0.42, 0.42, 15) * side_mm
        return self._foreign(
            camera.project(place(pose, np.column_stack([a.ravel() for a in np.meshgrid(steps, steps)])))
        )

    def foreign_within(self, quad_px: Array) -> float:
        """The same of a quadrilateral (4, 2) of the picture."""
        a, b, c, d = quad_px
        u, v = (s.reshape(-1, 1) for s in np.meshgrid(np.linspace(0.08, 0.92, 12), np.linspace(0.08, 0.92, 12)))
        return self._foreign((1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * d + u * c))

    def _foreign(self, px: Array) -> float:
        x, y = np.round((px + 0.5) / SMALL - 0.5).astype(int).T
        h, w = self._seen.shape[:2]
        ok = (x >= 0) & (y >= 0) & (x < w) & (y < h)
        return float((self._share[_bin(self._seen[y[ok], x[ok]])] < RARE).mean()) if ok.any() else 0.0


def _tones(small: NDArray[np.float32]) -> NDArray[np.float32]:
    """(h, w, 3) log BGR to log(R/G), log(B/G), mean."""
    b, g, r = small[..., 0], small[..., 1], small[..., 2]
    return np.stack([r - g, b - g, (b + g + r) / 3], axis=-1)


def _bin(tones: NDArray[np.float32]) -> tuple[NDArray[np.int64], ...]:
    at = np.clip(((tones.reshape(-1, 3) - LOWEST) / SIZE).astype(np.int64), 0, np.array(BINS) - 1)
    return at[:, 0], at[:, 1], at[:, 2]


def lies(still: Still, camera: Camera, pose: Array, side_mm: float, free: list[int], foreign: float) -> bool:
    """Whether a tile lies at a place of which so much is `foreign` to the table.

    free: quarters from the top clockwise of the sides beside which no tile lies. One of several may be hidden, by a
    figure's shadow or by another such tile. With tiles on all sides no edge can tell: two holes in a board, near a
    glare, had other colours than the table.
    """
    stepped = sum(is_edge(still, camera, pose, side_mm, quarter) for quarter in free)
    return foreign > FOREIGN and stepped >= max(1, len(free) - 1)


def is_edge(still: Still, camera: Camera, pose: Array, side_mm: float, quarter: int) -> bool:
    """Whether colour steps along one side of a place, all of it in the frame."""
    count = int((side_mm - 2 * CORNER_MM) / SECTION_MM)
    each = round(SECTION_MM * PX_PER_MM)
    along = (np.arange(count * each) - (count * each - 1) / 2) / PX_PER_MM
    gx, gy = np.meshgrid(along, _ACROSS - side_mm / 2)
    local = np.column_stack([gx.ravel(), gy.ravel()])
    for _ in range(quarter):
        local = np.column_stack([-local[:, 1], local[:, 0]])
    px = camera.project(place(pose, local))
    w, h = still.size
    if (px < 0).any() or (px[:, 0] > w - 1).any() or (px[:, 1] > h - 1).any():
        return False
    strip = log_colour(sample(still.bgr, px.reshape(len(_ACROSS), len(along), 2), border=cv2.BORDER_REPLICATE))
    total = np.cumsum(strip.reshape(len(_ACROSS), count, each, 3).mean(2), axis=0)
    total = np.concatenate([np.zeros((1, count, 3), np.float32), total])
    rows = np.arange(_WIDE, len(_ACROSS) - _WIDE)
    after, before = total[rows + _WIDE + 1] - total[rows + 1], total[rows] - total[rows - _WIDE]
    step = np.linalg.norm(after - before, axis=2) / _WIDE
    """(rows, sections) of the change of colour across each row."""
    middle = along.reshape(count, each).mean(1)
    best = np.zeros(count)
    for off in np.arange(-OFF_MM, OFF_MM + 0.01, 0.5):
        for slope in np.linspace(-SLOPE, SLOPE, 5):
            at = np.round((off + slope * middle + OUTSIDE_MM) * PX_PER_MM).astype(int) - _WIDE
            line = step[at, np.arange(count)]
            if np.median(line) > np.median(best):
                best = line
    noise = float(np.median(step[_ACROSS[rows] < -OFF_MM - 1.5]))
    seen, least = float(np.median(best)), float(np.percentile(best, 20))
    return seen > max(STEP, OVER_NOISE * noise) and least > STEP / 2
