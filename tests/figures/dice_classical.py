"""The way without learning, to compare with: round spots of one size, grouped by distance, on a body of another tone.

What published pip readers do (blob detection, clustering), with the body and the pips' known patterns as a check on
top. Numerals it cannot read.
"""

from __future__ import annotations

import cv2
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from vision.dice import SIX, Die
from vision.frame import Image
from vision.scene import DieKind

WIDE = 1280
ROUND = 0.55
"""Least ratio of a spot's axes: those of side faces, seen aslant, are flatter."""
REACH = 4.4
"""Farthest neighbours of one face, in diameters of its pips."""


def find_dice_classical(bgr: Image, kinds: tuple[DieKind, ...] = (SIX,)) -> list[Die]:
    """As `vision.dice.find_dice`, by spots."""
    shrink = min(1.0, WIDE / max(bgr.shape[:2]))
    small = cv2.resize(bgr, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA) if shrink < 1 else bgr
    grey = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), (0, 0), 0.8)
    dice: list[Die] = []
    for dark in (True, False):
        spots = _spots(grey, dark)
        for group in _groups(spots):
            die = _die(grey, group, dark, kinds)
            if die is not None:
                dice.append(die)
    kept: list[Die] = []
    for die in sorted(dice, key=lambda d: -(d.value or 0)):
        if all(np.hypot(*np.subtract(die.centre_px, k.centre_px)) > 0.6 * k.edge_px for k in kept):
            kept.append(die)
    return [_scaled(d, 1 / shrink) for d in kept]


def _spots(grey: Image, dark: bool) -> np.ndarray:
    """(n, 3) x, y, diameter of round spots darker or lighter than what surrounds them."""
    p = cv2.SimpleBlobDetector_Params()
    p.minThreshold, p.maxThreshold, p.thresholdStep = 20, 235, 8
    p.filterByColor, p.blobColor = True, 0 if dark else 255
    p.filterByArea, p.minArea, p.maxArea = True, 6, 4000
    p.filterByCircularity, p.minCircularity = True, 0.6
    p.filterByInertia, p.minInertiaRatio = True, ROUND
    p.filterByConvexity, p.minConvexity = True, 0.75
    p.minDistBetweenBlobs, p.minRepeatability = 3, 3
    points = cv2.SimpleBlobDetector_create(p).detect(grey)
    return np.array([[*k.pt, k.size] for k in points], float).reshape(-1, 3)


def _groups(spots: np.ndarray) -> list[np.ndarray]:
    """Spots of one size that lie within a face of each other."""
    if not len(spots):
        return []
    x, y, size = spots.T
    far = np.hypot(x[:, None] - x, y[:, None] - y)
    alike = np.maximum(size[:, None], size) < 1.45 * np.minimum(size[:, None], size)
    _, labels = connected_components(csr_matrix((far < REACH * np.minimum(size[:, None], size)) & alike))
    return [spots[labels == i] for i in np.unique(labels)]


def _die(grey: Image, group: np.ndarray, dark: bool, kinds: tuple[DieKind, ...]) -> Die | None:
    x, y, size = float(group[:, 0].mean()), float(group[:, 1].mean()), float(np.median(group[:, 2]))
    edge = size * 4.8
    h, w = grey.shape
    ring = [(x + 0.3 * edge * np.cos(a), y + 0.3 * edge * np.sin(a)) for a in np.arange(0, 6.28, 0.3)]
    outer = [(x + 1.0 * edge * np.cos(a), y + 1.0 * edge * np.sin(a)) for a in np.arange(0, 6.28, 0.3)]
    body = [grey[int(q), int(p)] for p, q in ring if 0 <= p < w and 0 <= q < h]
    around = [grey[int(q), int(p)] for p, q in outer if 0 <= p < w and 0 <= q < h]
    if len(around) < 12 or len(body) < 12:
        return None
    # A die is of another tone than the table: the ring may cross pips, so that its lighter (darker) part is the body's.
    tone = float(np.percentile(body, 75 if dark else 25))
    step = tone - float(np.median(around))
    if (step if dark else -step) < 25:
        return None
    value = len(group) if len(group) <= 6 else None
    have = {v for k in kinds for v in k.values}
    value = value if value in have else None
    half = edge / 2
    corners = ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))
    return Die((x, y), corners, value, kinds[0].face, "rest", 0.9, edge)


def _scaled(d: Die, k: float) -> Die:
    a, b, c, e = ((p[0] * k, p[1] * k) for p in d.corners_px)
    return Die(
        (d.centre_px[0] * k, d.centre_px[1] * k), (a, b, c, e), d.value, d.face, d.pose, d.confidence, d.edge_px * k
    )
