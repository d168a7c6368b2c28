"""Follow points of a known face into the picture: the measurement from which poses and the camera are solved.

The face is rectified at its guessed pose; each marked point of the scan is then looked for nearby by pyramidal
Lucas-Kanade flow (Bouguet 2000) on locally normalised luma, and kept only where the two windows truly correlate: what
is covered, burnt out or of another face drops out by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera, place
from vision.facebank import PX_PER_MM, Float, Template, as_guide, normalise
from vision.rectify import rect_to_local, rectify
from vision.solve import Sighting

WINDOW_PX = 13
"""Window of a point, 8 mm: the smallest that still holds a corner of the artwork under noise."""

MIN_CORRELATION = 0.7
"""Windows of other faces reach 0.6 by chance once in a hundred points; points in view stay above 0.8 in dim light."""

MOST_FACES = 128
"""Faces whose windows are remembered: those of two decks."""

POINT_SIGMA_PX = 0.25
"""Spread of one followed point, picture px, measured on the bundled footage after the fit (0.15 to 0.3)."""


@dataclass(frozen=True, eq=False)
class Followed:
    """What following gave for one piece."""

    sighting: Sighting
    patch: Float
    """(h, w) normalised luma of the rectified face, for naming and stacking."""
    share: float
    """Points that were found again / points of the face."""


def _windows(image: Float, points: Float, half: int) -> NDArray[np.float32]:
    """(n, k, k) windows of `image` around sub-pixel points (n, 2)."""
    r = np.arange(-half, half + 1, dtype=np.float32)
    mx = points[:, 0, None, None] + np.broadcast_to(r[None, None, :], (1, len(r), len(r)))
    my = points[:, 1, None, None] + np.broadcast_to(r[None, :, None], (1, len(r), len(r)))
    n, k = len(points), len(r)
    out = cv2.remap(
        image,
        np.ascontiguousarray(mx.reshape(n * k, k).astype(np.float32)),
        np.ascontiguousarray(my.reshape(n * k, k).astype(np.float32)),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT,
    )
    return np.asarray(out, np.float32).reshape(n, k, k)


@lru_cache(maxsize=MOST_FACES)
def _own_windows(template: Template) -> NDArray[np.float32]:
    """(n, k, k) windows of a face about its points: 40 kB, asked for thousands of times."""
    return _windows(template.luma, template.points, WINDOW_PX // 2)


def correlate(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,) normalised correlation of two stacks of windows (n, k, k)."""
    a = a.reshape(len(a), -1) - a.reshape(len(a), -1).mean(1, keepdims=True)
    b = b.reshape(len(b), -1) - b.reshape(len(b), -1).mean(1, keepdims=True)
    return np.asarray((a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1) + 1e-6))


def follow(luma: NDArray[np.uint8], camera: Camera, pose: Array, template: Template, levels: int = 0) -> Followed:
    """Look for the template's points around the guessed pose.

    luma: (h, w) uint8 still. pose: (x mm, y mm, rad). levels: pyramid levels above the first; each doubles the reach of
    about 6 px (4 mm). Points outside the frame are left out.
    """
    w_mm, h_mm = template.size_mm
    patch = normalise(rectify(luma, camera, pose, w_mm, h_mm).astype(np.float32))
    points = template.points
    if len(points) == 0:
        empty = np.zeros((0, 2))
        return Followed(Sighting(empty, empty, np.zeros(0)), patch, 0.0)
    moved, status, _ = cv2.calcOpticalFlowPyrLK(
        template.guide,
        as_guide(patch),
        np.ascontiguousarray(points.reshape(-1, 1, 2)),
        points.reshape(-1, 1, 2).copy(),
        winSize=(WINDOW_PX, WINDOW_PX),
        maxLevel=levels,
        criteria=(cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 15, 0.01),
        minEigThreshold=1e-3,
    )
    found = np.asarray(moved, np.float32).reshape(-1, 2)
    rho = correlate(_own_windows(template), _windows(patch, found, WINDOW_PX // 2))
    reach = (WINDOW_PX / 2) * 2**levels
    ok = (status.ravel() == 1) & (rho > MIN_CORRELATION) & (np.abs(found - points).max(1) < reach)
    local = rect_to_local(points[ok], w_mm, h_mm)
    seen = rect_to_local(found[ok], w_mm, h_mm)
    px = camera.project(place(pose, seen))
    inside = (px > 3).all(1) & (px[:, 0] < camera.width - 4) & (px[:, 1] < camera.height - 4)
    weight = np.full(int(inside.sum()), 1 / POINT_SIGMA_PX)
    return Followed(Sighting(local[inside], px[inside], weight), patch, float(inside.sum() / len(points)))


__all__ = ["PX_PER_MM", "Followed", "correlate", "follow"]
