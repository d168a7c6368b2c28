"""Cut a piece out of the picture as if seen from straight above, at the face bank's resolution."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera, place
from vision.facebank import PX_PER_MM, rect_size
from vision.sampling import sample

_STEP = 8
"""The map is computed every so many pixels and interpolated between: distortion is smooth on that scale (error under
0.01 px)."""


@lru_cache(maxsize=16)
def local_grid(width_mm: float, height_mm: float) -> tuple[Array, tuple[int, int]]:
    """Piece coordinates (n, 2) mm of the coarse nodes of a rectified face, and the nodes' (rows, columns)."""
    w, h = rect_size(width_mm, height_mm)
    # Node k of cv2.resize's bilinear interpolation lies at pixel (k + 0.5) * step - 0.5.
    cols, rows = -(-w // _STEP) + 2, -(-h // _STEP) + 2
    x = ((np.arange(cols) - 1 + 0.5) * _STEP) * (width_mm / w) - width_mm / 2
    y = ((np.arange(rows) - 1 + 0.5) * _STEP) * (height_mm / h) - height_mm / 2
    gx, gy = np.meshgrid(x, y)
    return np.column_stack([gx.ravel(), gy.ravel()]), (rows, cols)


def rect_to_local(points: NDArray[np.float32] | Array, width_mm: float, height_mm: float) -> Array:
    """Pixels of a rectified face (n, 2) to piece coordinates (n, 2) mm from the middle."""
    w, h = rect_size(width_mm, height_mm)
    p = np.asarray(points, float)
    return np.column_stack(
        [(p[:, 0] + 0.5) * (width_mm / w) - width_mm / 2, (p[:, 1] + 0.5) * (height_mm / h) - height_mm / 2]
    )


def rectify_map(camera: Camera, pose: Array, width_mm: float, height_mm: float) -> NDArray[np.float32]:
    """(h, w, 2) picture coordinates of every pixel of the rectified face, for `cv2.remap`."""
    local, (rows, cols) = local_grid(width_mm, height_mm)
    nodes = camera.project(place(pose, local)).reshape(rows, cols, 2)
    w, h = rect_size(width_mm, height_mm)
    return dense_map(nodes, _STEP, (h, w))


def dense_map(nodes: Array, step: int, shape: tuple[int, int]) -> NDArray[np.float32]:
    """(h, w, 2) picture coordinates of every pixel of a view, from those of every `step`th (rows, columns, 2).

    Node k stands at pixel (k - 0.5) * step - 0.5, so that one row and column of nodes lie outside on every side.
    """
    rows, cols = nodes.shape[:2]
    h, w = shape
    full = cv2.resize(nodes.astype(np.float32), (cols * step, rows * step), interpolation=cv2.INTER_LINEAR)
    return np.asarray(full[step : step + h, step : step + w], np.float32)


def rectify(
    image: NDArray[np.uint8], camera: Camera, pose: Array, width_mm: float, height_mm: float
) -> NDArray[np.uint8]:
    """The face at `pose`, upright, `PX_PER_MM` to the millimetre. What lies outside the frame is black."""
    m = rectify_map(camera, pose, width_mm, height_mm)
    return np.asarray(sample(image, m), np.uint8)


__all__ = ["PX_PER_MM", "dense_map", "local_grid", "rect_to_local", "rectify", "rectify_map"]
