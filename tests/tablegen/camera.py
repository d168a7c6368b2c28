"""A pinhole camera with radial distortion above a table, exact in both directions.

Table frame of the truth: millimetres, x to the right, y upwards (away from the viewer), z up. Pixels: x right, y down,
pixel centres at integers, distortion included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import cv2
import numpy as np

STEP = 8
"""Maps are computed exactly at every 8th pixel and interpolated with cubic polynomials between: error below 1e-4 px."""


STIFF = 0.2
"""Least slope of the distorted radius within the frame; the slope beyond what the polynomial can describe."""


@dataclass(frozen=True, eq=False)
class TableCamera:
    """`R` turns table axes into camera axes (x right, y down, z forward); `C` is the camera's place, mm."""

    size: tuple[int, int]
    K: np.ndarray
    R: np.ndarray
    C: np.ndarray
    k1: float = 0.0
    k2: float = 0.0

    def project(self, points: np.ndarray) -> np.ndarray:
        """(..., 3) mm to (..., 2) px."""
        p = (np.asarray(points, float) - self.C) @ self.R.T
        xy = p[..., :2] / p[..., 2:3]
        r = np.linalg.norm(xy, axis=-1, keepdims=True)
        held = np.minimum(r, self.reach)
        rd = held * (1 + held**2 * (self.k1 + self.k2 * held**2)) + STIFF * (r - held)
        xy = xy * (rd / np.maximum(r, 1e-12))
        return xy * np.array([self.K[0, 0], self.K[1, 1]]) + self.K[:2, 2]

    @cached_property
    def reach(self) -> float:
        """Tangent of the angle off the axis up to which the polynomial holds: beyond it the picture would fold over."""
        r = np.linspace(0, 3, 3001)
        slope = 1 + r**2 * (3 * self.k1 + 5 * self.k2 * r**2)
        bad = np.flatnonzero(slope < STIFF)
        return float(r[bad[0]]) if len(bad) else np.inf

    def rays(self, px: np.ndarray) -> np.ndarray:
        """(..., 2) px to (..., 3) directions in the table frame, of depth 1 along the camera's axis."""
        xd = (np.asarray(px, float) - self.K[:2, 2]) / np.array([self.K[0, 0], self.K[1, 1]])
        rd = np.linalg.norm(xd, axis=-1)
        grid = np.linspace(0, 3, 6001)
        bent = grid * (1 + grid**2 * (self.k1 + self.k2 * grid**2))
        stop = int(np.argmax(np.diff(bent) <= 0)) or len(grid)
        r = np.interp(rd, bent[:stop], grid[:stop])
        for _ in range(3):  # Newton from the table's value: exact to rounding
            f = r * (1 + r**2 * (self.k1 + self.k2 * r**2)) - rd
            r = r - f / np.maximum(1 + r**2 * (3 * self.k1 + 5 * self.k2 * r**2), 1e-3)
        scale = np.where(rd > 1e-12, r / np.maximum(rd, 1e-12), 1.0)
        d = np.concatenate([xd * scale[..., None], np.ones((*xd.shape[:-1], 1))], axis=-1)
        return d @ self.R

    def on_plane(self, px: np.ndarray, z: float = 0.0) -> np.ndarray:
        """(..., 2) px to (..., 2) mm where their rays meet the height `z`."""
        d = self.rays(px)
        return self.C[:2] + d[..., :2] * ((z - self.C[2]) / d[..., 2])[..., None]

    def px_per_mm(self, x: float, y: float) -> float:
        """Local scale at a point of the table: the geometric mean over directions."""
        p = self.project(np.array([[x, y, 0], [x + 1, y, 0], [x, y + 1, 0]]))
        a, b = p[1] - p[0], p[2] - p[0]
        return float(np.sqrt(abs(a[0] * b[1] - a[1] * b[0])))

    def view(self, margin_px: float = 0.0) -> np.ndarray:
        """(n, 2) mm: the outline on the table of the frame, shrunk by a margin (negative: grown)."""
        w, h, m = *self.size, margin_px
        x, y = np.linspace(m - 0.5, w - 0.5 - m, 9), np.linspace(m - 0.5, h - 0.5 - m, 9)
        edge = [
            *((v, y[0]) for v in x[:-1]),
            *((x[-1], v) for v in y[:-1]),
            *((v, y[-1]) for v in x[:0:-1]),
            *((x[0], v) for v in y[:0:-1]),
        ]
        return self.on_plane(np.array(edge))

    def as_truth(self, jitter_px: float) -> dict[str, Any]:
        """The camera in the words of the footage's truth.json."""
        P = self.K @ np.column_stack([self.R[:, 0], self.R[:, 1], -self.R @ self.C])
        return {
            "K": self.K.tolist(),
            "dist": [self.k1, self.k2, 0.0, 0.0, 0.0],
            "H_table_to_px": (P / P[2, 2]).tolist(),
            "C_mm": self.C.tolist(),
            "R": self.R.tolist(),
            "jitter_px": jitter_px,
        }


def place_camera(
    *,
    size: tuple[int, int] = (1280, 720),
    hfov_deg: float = 62.0,
    height_mm: float = 660.0,
    tilt_deg: float = 0.0,
    azimuth_deg: float = 0.0,
    roll_deg: float = 0.0,
    k1: float = 0.0,
    k2: float = 0.0,
    centre_px: tuple[float, float] = (0.0, 0.0),
    look_at: tuple[float, float] = (0.0, 0.0),
) -> TableCamera:
    """A camera whose axis meets the table at `look_at`, tilted so that it points away from the viewer (azimuth 0).

    `centre_px` moves the principal point off the frame's centre. Where the lens would fold the picture over within the
    frame, `k2` is raised until it does not, as in real wide lenses.
    """
    w, h = size
    f = w / 2 / np.tan(np.radians(hfov_deg) / 2)
    K = np.array([[f, 0, (w - 1) / 2 + centre_px[0]], [0, f, (h - 1) / 2 + centre_px[1]], [0, 0, 1.0]])
    t, a, q = np.radians([tilt_deg, azimuth_deg, roll_deg])
    forward = np.array([np.sin(t) * np.sin(a), np.sin(t) * np.cos(a), -np.cos(t)])
    right = np.array([1.0, 0, 0]) - forward[0] * forward
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    R = np.stack([np.cos(q) * right + np.sin(q) * down, -np.sin(q) * right + np.cos(q) * down, forward])
    C = np.array([*look_at, 0.0]) - forward * (height_mm / np.cos(t))
    far = np.hypot(w / 2 + 20, h / 2 + 20) / f
    r = np.linspace(0, 2.5, 501)
    while True:
        rd = r * (1 + r**2 * (k1 + k2 * r**2))
        slope = 1 + r**2 * (3 * k1 + 5 * k2 * r**2)
        if np.all(slope[: int(np.argmax(rd > far)) + 1] > STIFF) and np.any(rd > far):
            break
        k2 += 0.01
    return TableCamera(size, K, R, C, k1, k2)


@lru_cache(maxsize=256)
def spread(count: int, over: int) -> np.ndarray:
    """(count * over, nodes) matrix that interpolates node values (one every `STEP` px, the first at -STEP) at the
    centres of `over` samples a pixel. Cubic Lagrange polynomials."""
    x = (np.arange(count * over) + 0.5) / over - 0.5
    t = (x + STEP) / STEP
    nodes = int(np.ceil(t[-1])) + 2
    k = np.clip(np.floor(t).astype(int), 1, nodes - 3)
    s = t - k
    m = np.zeros((len(x), nodes), np.float32)
    rows = np.arange(len(x))
    m[rows, k - 1] = -s * (s - 1) * (s - 2) / 6
    m[rows, k] = (s + 1) * (s - 1) * (s - 2) / 2
    m[rows, k + 1] = -(s + 1) * s * (s - 2) / 2
    m[rows, k + 2] = (s + 1) * s * (s - 1) / 6
    return m


@dataclass(frozen=True)
class Patch:
    """A rectangle of whole pixels: x0 <= x < x0 + w."""

    x0: int
    y0: int
    w: int
    h: int

    def nodes(self) -> np.ndarray:
        """(ny, nx, 2) px: where smooth maps are computed exactly."""
        nx, ny = spread(self.w, 1).shape[1], spread(self.h, 1).shape[1]
        x = self.x0 + STEP * (np.arange(nx) - 1.0)
        y = self.y0 + STEP * (np.arange(ny) - 1.0)
        return np.stack(np.meshgrid(x, y), axis=-1)

    def fill(self, values: np.ndarray, over: int = 1) -> np.ndarray:
        """(ny, nx) node values to (h * over, w * over) float32."""
        sx, sy = spread(self.w, 1).shape[1], spread(self.h, 1).shape[1]
        mx, my = spread(self.w, over)[:, :sx], spread(self.h, over)[:, :sy]
        rows = cv2.gemm(my, values.astype(np.float32), 1, None, 0)  # numpy's would wake all cores for it
        return cv2.gemm(rows, mx, 1, None, 0, flags=cv2.GEMM_2_T)

    @property
    def window(self) -> tuple[slice, slice]:
        return slice(self.y0, self.y0 + self.h), slice(self.x0, self.x0 + self.w)


def patch_around(px: np.ndarray, size: tuple[int, int], pad: float = 3.0) -> Patch | None:
    """The part of the frame around points, or None when all lie outside."""
    lo = np.floor(px.min(axis=0) - pad).astype(int)
    hi = np.ceil(px.max(axis=0) + pad).astype(int) + 1
    lo, hi = np.maximum(lo, 0), np.minimum(hi, size)
    if np.any(hi - lo < 2):
        return None
    return Patch(int(lo[0]), int(lo[1]), int(hi[0] - lo[0]), int(hi[1] - lo[1]))
