"""Where dice may lie: proposals, generous ones, from a small network over a pyramid of the picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.dice import nets
from vision.frame import Image

LEAST_HEAT = 0.2
"""Proposals weaker than this are dropped: the reader refuses what is no die, but each costs it 0.4 ms. With 0.15 no
more of 518 dice on photographs and one more of 437 on rendered tables were found, and five dice took 2 ms longer."""
MOST = 80
"""Proposals kept, the hottest: forty dice and as many look-alikes."""
LARGEST_PX = 2048
"""Longer side above which a picture is halved first: no die of a table fills that much."""
SMALLEST_LEVEL_PX = 24
SAME_PLACE = 0.5
"""Proposals nearer than this share of their edge are one."""
PART_OF = 0.62
MISSIZED = 1.25
"""By how much a proposal's edge may be misread: 5 to 95 % of them lie within a quarter."""


@dataclass(frozen=True)
class Proposal:
    """A place where a die may lie; full picture's pixels."""

    centre: tuple[float, float]
    edge_px: float
    heat: float


def propose(bgr: Image, edges_px: tuple[float, float] | None = None) -> list[Proposal]:
    """Places where dice may lie in (h, w, 3) `bgr`, the hottest first.

    edges_px: shortest and longest edge of the dice that may lie there; any from 11 px where it is not given.
    """
    found: list[Proposal] = []
    level, scale = bgr, 1.0
    while max(level.shape[:2]) > LARGEST_PX:
        level, scale = _halved(level), scale / 2
    low, high = nets.FINDER_EDGES_PX
    if min(bgr.shape[:2]) > 160:
        level, scale = _halved(level), scale / 2
    while min(level.shape[:2]) >= SMALLEST_LEVEL_PX:
        half = _halved(level)
        # Half as large it shows all but the smallest dice of this level, in a quarter of the time.
        enough = min(half.shape[:2]) >= SMALLEST_LEVEL_PX and edges_px is not None and 2 * low / scale <= edges_px[0]
        if edges_px is None or not (high / scale < edges_px[0] or enough):
            found += _peaks(level, scale)
        if edges_px is not None and 2 * low / scale > edges_px[1]:
            break
        level, scale = half, scale / 2
    if edges_px is not None:
        found = [p for p in found if edges_px[0] / MISSIZED <= p.edge_px <= edges_px[1] * MISSIZED]
    return apart(sorted(found, key=lambda p: -p.heat))[:MOST]


def apart(proposals: list[Proposal]) -> list[Proposal]:
    """Without those that lie where an earlier one does. The hotter of two may be the wrong one, a pip: of two sizes
    both are kept, unless their middles coincide."""
    kept: list[Proposal] = []
    for p in proposals:
        if all(_far(p, q) > SAME_PLACE * min(p.edge_px, q.edge_px) for q in kept):
            kept.append(p)
    return kept


def solid(proposals: list[Proposal]) -> list[Proposal]:
    """Without those that an earlier one leaves no room for. Two dice that touch are 0.8 edges of the larger apart even
    if the other is much smaller: what is nearer is part of it, a pip or a side."""
    kept: list[Proposal] = []
    for p in proposals:
        if all(_far(p, q) > PART_OF * max(p.edge_px, q.edge_px) for q in kept):
            kept.append(p)
    return kept


def _far(p: Proposal, q: Proposal) -> float:
    return float(np.hypot(p.centre[0] - q.centre[0], p.centre[1] - q.centre[1]))


def _peaks(level: Image, scale: float) -> list[Proposal]:
    h, w = level.shape[:2]
    padded = cv2.copyMakeBorder(level, 0, -h % 8, 0, -w % 8, cv2.BORDER_REPLICATE)
    heat, dx, dy, size = nets.find(np.asarray(padded, np.uint8))
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    least = float(np.log(LEAST_HEAT / (1 - LEAST_HEAT)))
    rows, cols = np.nonzero((heat >= top) & (heat > least))
    out = []
    for r, c in zip(rows.tolist(), cols.tolist(), strict=True):
        x = (c + float(dx[r, c]) + 0.5) * nets.FINDER_STRIDE / scale - 0.5
        y = (r + float(dy[r, c]) + 0.5) * nets.FINDER_STRIDE / scale - 0.5
        edge = nets.FINDER_EDGE_PX * float(np.exp(np.clip(size[r, c], -1.5, 1.5))) / scale
        out.append(Proposal((x, y), edge, float(1 / (1 + np.exp(-heat[r, c])))))
    return out


def _halved(bgr: Image) -> Image:
    h, w = bgr.shape[:2]
    even = bgr[: h // 2 * 2, : w // 2 * 2]
    return np.asarray(cv2.resize(even, (w // 2, h // 2), interpolation=cv2.INTER_AREA), np.uint8)
