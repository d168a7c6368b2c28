"""Notice that the camera was moved: then all that lies on the table moves in the picture, as one plane does."""

from __future__ import annotations

import cv2
import numpy as np

from vision.camera import Array

BUMP_PX = 1.2
"""A camera moved when pieces shift by more than this (0.75 mm at 1.6 px/mm); stills of a resting one differ by 0.1."""

AGREE_PX = 1.0
"""How far the middle one of a piece's points may be from where the common motion takes it."""

AGREE_SHARE = 0.6
"""Share of the pieces that must have moved as one: hands push a few at a time, and each its own way."""

LEAST_PIECES = 3
HOMOGRAPHY_FROM = 4
"""Four pieces give 12 measures for the 8 unknowns of a plane seen anew; three are held to a turn, shift and scale."""
POINTS = 12
"""Points of each piece that are asked."""


def is_bump(before_px: list[Array], after_px: list[Array]) -> bool:
    """Whether the pieces that were followed from one still to the next show that the camera was moved.

    before_px, after_px: for each piece (n, 2) the same points of its face in both pictures. A plane seen by a camera
    before and after it was moved is related by one homography (Hartley & Zisserman, Multiple View Geometry, 2004,
    section 13.1).
    """
    n = len(before_px)
    if n < LEAST_PIECES:
        return False
    moved = np.array([_middle(a, b) > BUMP_PX for a, b in zip(before_px, after_px, strict=True)])
    if moved.sum() < LEAST_PIECES - 1:
        return False
    src = np.concatenate([_few(p) for p in before_px])
    dst = np.concatenate([_few(p) for p in after_px])
    if n >= HOMOGRAPHY_FROM:
        h, _ = cv2.findHomography(src, dst, cv2.RANSAC, AGREE_PX, maxIters=2000)
    else:
        m, _ = cv2.estimateAffinePartial2D(src, dst, method=cv2.RANSAC, ransacReprojThreshold=AGREE_PX)
        h = None if m is None else np.vstack([m, [0, 0, 1]])
    if h is None:
        return False
    agree = np.array(
        [
            _middle(np.asarray(cv2.perspectiveTransform(a.reshape(-1, 1, 2), h).reshape(-1, 2), float), b) < AGREE_PX
            for a, b in zip(before_px, after_px, strict=True)
        ]
    )
    together = int((agree & moved).sum())
    return bool(agree.sum() > AGREE_SHARE * n and together >= LEAST_PIECES - 1 and together >= agree.sum() / 2)


def _few(points: Array) -> Array:
    few: Array = points[np.linspace(0, len(points) - 1, min(len(points), POINTS)).round().astype(int)]
    return few


def _middle(a: Array, b: Array) -> float:
    return float(np.median(np.hypot(*(a - b).T)))
