"""What the upper face of a cube looks like from above and from the side.

A face's *lean* is where the picture shows the middle of the upper face, from the middle of the cube, in half edges:
(0, 0) straight from above, length sin(angle between the face's normal and the line of sight). All dice that lie flat
lean alike, but for perspective; one that leans otherwise is cocked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.camera import Camera
from vision.scene import Point, Quad

Array = NDArray[np.float64]

STEEPEST = 0.98
"""Longest lean that is believed: a face seen edge-on shows nothing."""


def facing(lean: Array) -> Array:
    """(3,) unit normal of the upper face: picture x, picture y, and away from the viewer."""
    length = float(np.hypot(lean[0], lean[1]))
    flat = np.asarray(lean, float)[:2] * (STEEPEST / length if length > STEEPEST else 1.0)
    return np.array([flat[0], flat[1], -np.sqrt(1 - flat @ flat)])


def angle_deg(a: Array, b: Array) -> float:
    """Angle between the faces of two leans, degrees."""
    return float(np.degrees(np.arccos(np.clip(facing(a) @ facing(b), -1, 1))))


def upper_face(centre: Point, edge_px: float, lean: Array, turn: float) -> Quad:
    """Corners of the upper face of a cube, px, clockwise in the picture.

    turn: radians, of the face about its normal, from the frame that the shortest turn from the line of sight brings.
    Weak perspective: over one die, two thousandths of the distance, the rest is under half a pixel.
    """
    x, y, z = facing(lean)
    k = 1 / (1 - z)
    right = np.array([1 - x * x * k, -x * y * k])
    down = np.array([-x * y * k, 1 - y * y * k])
    middle = np.asarray(centre) + np.array([x, y]) * edge_px / 2
    corners = []
    for i in range(4):
        a = turn - 3 * np.pi / 4 + i * np.pi / 2
        p = middle + edge_px / np.sqrt(2) * (right * np.cos(a) + down * np.sin(a))
        corners.append((float(p[0]), float(p[1])))
    return corners[0], corners[1], corners[2], corners[3]


def leans_of_table(camera: Camera, px: Array, height_mm: float = 8.0) -> Array:
    """(n, 2) leans of dice that lie flat, their middles `height_mm` above the table, where the picture shows `px`
    (n, 2)."""
    at, up = _places(camera, px, height_mm), -camera.rotation[:, 2]
    # Half an edge along the normal moves the point by this in the picture, where half an edge squarely seen is 1.
    return np.asarray(up[:2] - up[2] * at[:, :2] / at[:, 2:], float)


def scales_of_table(camera: Camera, px: Array, height_mm: float = 8.0) -> Array:
    """(n,) mm a pixel, squarely seen, of what lies `height_mm` above the table where the picture shows `px` (n, 2)."""
    return np.asarray(_places(camera, px, height_mm)[:, 2] / camera.f, float)


def _places(camera: Camera, px: Array, height_mm: float) -> Array:
    """(n, 3) camera axes, mm."""
    xy = camera.unproject(np.asarray(px, float).reshape(-1, 2), height_mm)
    on_table = np.column_stack([xy, np.full(len(xy), -height_mm)])
    return np.asarray(on_table @ camera.rotation.T + np.array([0.0, 0.0, camera.distance]), float)
