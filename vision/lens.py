"""A camera's lens from pictures of the calibration sheet: how long, how bent, where its axis goes, and how surely.

Each picture has its own pose of the sheet; one lens must explain the corners of all (Zhang, A Flexible New Technique
for Camera Calibration, 2000), with what is known of lenses beforehand (`vision.solve.PRIOR_SIGMA`), so that sheets that
all lie flat under a camera that looks straight down, which say nothing of the focal length, do no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from vision.camera import Array, Lens
from vision.charuco import BoardView
from vision.solve import PRIOR_SIGMA

CORNER_SIGMA_PX = 0.15
"""Of a corner of a printed sheet that is nearly flat."""
ROBUST_PX = 0.6
USUAL_FOCAL = 0.832
"""Of the longer side: as `vision.camera.guess_camera`."""
GRID = (8, 5)
"""Cells of the picture, for coverage."""
N_LENS = 5


@dataclass(frozen=True, eq=False)
class LensFit:
    """A lens, and what it rests on."""

    lens: Lens
    rms_px: float
    """Of all corners."""
    worst_px: float
    """RMS of the picture that fits worst."""
    coverage: float
    """Share of the picture's cells in which a corner was seen."""
    views: int
    mm_per_px: float
    """Scale where the sheet lay, of the picture in which it lay flattest."""
    tilt_deg: float
    """Of the camera against that sheet."""


def fit_lens(views: Sequence[BoardView], size_px: tuple[int, int]) -> LensFit:
    """The lens that explains all views, one at least. size_px: width and height of the pictures."""
    w, h = size_px
    f0 = USUAL_FOCAL * max(w, h)
    middle = np.array([(w - 1) / 2, (h - 1) / 2])
    poses = np.concatenate([_first_pose(view, f0, middle) for view in views])
    start = np.concatenate([[np.log(f0), 0, 0, 0, 0], poses])
    sigma = PRIOR_SIGMA[[0, 1, 2, 6, 7]]
    index = np.repeat(np.arange(len(views)), [len(v.px) for v in views]).astype(np.int64)
    board = np.concatenate([v.board_mm for v in views])
    px = np.concatenate([v.px for v in views])

    def off(p: Array) -> Array:
        return np.asarray(_project(p, board, index, middle) - px, np.float64)

    def residual(p: Array) -> Array:
        r = off(p).ravel() / CORNER_SIGMA_PX
        limit = ROBUST_PX / CORNER_SIGMA_PX
        # Pseudo-Huber by hand: the priors must not give way, as with `loss` they would.
        soft = np.sign(r) * limit * np.sqrt(2 * (np.sqrt(1 + (r / limit) ** 2) - 1))
        return np.concatenate([soft, (p[:N_LENS] - start[:N_LENS]) / sigma])

    found = least_squares(residual, start, x_scale="jac", max_nfev=100)
    p = found.x
    cov = np.linalg.pinv(found.jac.T @ found.jac)
    away = (off(p) ** 2).sum(1)
    each = [float(np.sqrt(away[index == n].mean())) for n in range(len(views))]
    # Corners of one sheet err together where it is not flat: what is left over says by how much.
    scale = max(1.0, float(np.sqrt(away.mean() / 2)) / CORNER_SIGMA_PX)
    a, b, c, d, e = (float(v) for v in scale * np.sqrt(np.diag(cov)[:N_LENS]))
    k1, k2, axis_x, axis_y = (float(v) for v in p[1:N_LENS])
    f = float(np.exp(p[0]))
    lens = Lens(width=w, height=h, f=f, k1=k1, k2=k2, axis_x=axis_x, axis_y=axis_y, sigma=(a, b, c, d, e))
    tilts = [_tilt(p, n) for n in range(len(views))]
    flattest = int(np.argmin(tilts))
    return LensFit(
        lens,
        float(np.sqrt(away.mean())),
        max(each),
        coverage(views, size_px),
        len(views),
        float(np.linalg.norm(_view(p, flattest)[3:])) / f,
        tilts[flattest],
    )


def coverage(views: Sequence[BoardView], size_px: tuple[int, int]) -> float:
    """Share of the picture's cells in which a corner was seen, 0 to 1."""
    px = np.concatenate([v.px for v in views])
    cells = np.floor((px + 0.5) / np.array(size_px) * GRID).astype(int)
    inside = cells[((cells >= 0) & (cells < GRID)).all(1)]
    return len({(int(x), int(y)) for x, y in inside}) / (GRID[0] * GRID[1])


def _first_pose(view: BoardView, f: float, middle: Array) -> Array:
    """(6,) rotation vector and place, mm, of one sheet before a lens without distortion."""
    camera = np.array([[f, 0, middle[0]], [0, f, middle[1]], [0, 0, 1]])
    flat = np.column_stack([view.board_mm, np.zeros(len(view.board_mm))])
    _, turn, place = cv2.solvePnP(flat, view.px, camera, np.zeros(5), flags=cv2.SOLVEPNP_IPPE)
    return np.concatenate([np.ravel(turn), np.ravel(place)]).astype(np.float64)


def _view(p: Array, n: int) -> Array:
    return p[N_LENS + 6 * n : N_LENS + 6 * n + 6]


def _tilt(p: Array, n: int) -> float:
    rotation = cv2.Rodrigues(_view(p, n)[:3])[0]
    return float(np.degrees(np.arccos(np.clip(abs(rotation[2, 2]), 0, 1))))


def _project(p: Array, board: Array, index: NDArray[np.int64], middle: Array) -> Array:
    """(n, 2) px of sheet points (n, 2) mm; index: (n,) the view of each."""
    poses = p[N_LENS:].reshape(-1, 6)
    rotations = np.array([cv2.Rodrigues(pose[:3])[0] for pose in poses])
    at = np.einsum("nij,nj->ni", rotations[index][:, :, :2], board) + poses[index, 3:]
    xy = at[:, :2] / at[:, 2:]
    r2 = (xy**2).sum(1, keepdims=True)
    return np.asarray(xy * (1 + r2 * (p[1] + p[2] * r2)) * np.exp(p[0]) + middle + p[3:5], np.float64)
