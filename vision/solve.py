"""Camera and poses from the pieces themselves: the joint least squares behind "the pieces are the ruler".

Every piece is a rigid plane figure of known size; points of its face were found in the picture. One camera and one pose
a piece must explain them all. This is bundle adjustment with coplanar targets (Triggs et al., Bundle Adjustment: A
Modern Synthesis, 2000), small enough to be solved densely by its normal equations (Levenberg 1944, Marquardt 1963).
`scipy.optimize.least_squares` gives the same to 1e-6 but takes an SVD a step: 120 ms for twelve cards against 6 ms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.camera import N_PARAMS, Array, Camera, place


@dataclass(frozen=True, eq=False)
class Sighting:
    """Points of one piece: on its face (n, 2) mm from the middle, and where the picture shows them (n, 2) px."""

    local_mm: Array
    px: Array
    weight: Array
    """(n,) 1 / sigma, in 1/px."""
    height_mm: float = 0.0
    """Of the piece's plane above that of the others, for the joint fit."""


@dataclass(frozen=True, eq=False)
class Solution:
    camera: Camera
    poses: Array
    """(m, 3) x mm, y mm, angle rad of each sighting."""
    camera_cov: Array
    """(8, 8) of `Camera.params()`."""
    rms_px: float
    cost: float


# What a camera over a table is like before any card was seen: 1 sigma of log f, k1, k2, tilts, log distance and the
# axis in px. 50 to 80 degree lenses lie within one sigma of log f; k1 of webcams and wide lenses within -0.35 .. +0.1;
# tilt up to 25 degrees (0.44 rad).
PRIOR_SIGMA = np.array([0.25, 0.15, 0.04, 0.3, 0.3, np.inf, 6.0, 6.0])

# Beyond this many sigma a point is taken for covered or mistaken (soft L1 takes over).
ROBUST_AT = 2.0


MOST_STEPS = 20
STEPS_CAMERA = np.array([1e-5, 1e-5, 1e-5, 1e-6, 1e-6, 1e-6, 1e-3, 1e-3])
STEPS_POSE = np.array([1e-3, 1e-3, 1e-5])
"""By which parameters are moved to see what they do."""

_POSE_MOVES = np.concatenate([np.zeros((1, 3)), np.diag(STEPS_POSE)])
_LITTLE = 1e-9 * np.eye(3)

FLIP_BELOW = 4
"""With fewer pieces the tilt is tried both ways."""


def solve(
    camera: Camera, sightings: list[Sighting], prior: Camera | None = None, sigma: Array = PRIOR_SIGMA
) -> Solution:
    """Fit camera and poses to all sightings together.

    camera: where to start. prior: the camera the priors are centred on; `camera` when None. sigma: (8,) of the priors.
    Returns the solution with the camera's covariance (poses marginalised).

    A small flat target seen from afar looks nearly the same tilted towards the camera and away from it (Schweighofer &
    Pinz, Robust Pose Estimation from a Planar Target, 2006): both are tried, and level, while there are few pieces.
    """
    starts = [camera]
    if len(sightings) < FLIP_BELOW:
        starts += [
            replace(camera, tilt_x=-camera.tilt_x, tilt_y=-camera.tilt_y),
            replace(camera, tilt_x=0.0, tilt_y=0.0),
        ]
    return min((_solve_from(start, sightings, prior or camera, sigma) for start in starts), key=lambda s: s.cost)


def rigid(local_mm: Array, table_mm: Array) -> Array:
    """(3,) least-squares pose that takes piece points (n, 2) to table points (n, 2) (Kabsch 1976)."""
    a, b = local_mm - local_mm.mean(0), table_mm - table_mm.mean(0)
    angle = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    c, s = np.cos(angle), np.sin(angle)
    m = local_mm.mean(0)
    return np.array([*(table_mm.mean(0) - np.array([c * m[0] - s * m[1], s * m[0] + c * m[1]])), angle])


def _solve_from(camera: Camera, sightings: list[Sighting], prior: Camera, sigma: Array) -> Solution:
    poses = np.array([rigid(s.local_mm, camera.unproject(s.px)) for s in sightings])
    centre = prior.params()
    inv_prior = 1 / sigma
    n_obs = [len(s.px) for s in sightings]
    index = np.repeat(np.arange(len(sightings)), n_obs)
    starts = 2 * np.concatenate([[0], np.cumsum(n_obs)[:-1]]).astype(int)
    local = np.concatenate([s.local_mm for s in sightings])
    px = np.concatenate([s.px for s in sightings])
    w = np.concatenate([s.weight for s in sightings])[:, None]
    height = np.array([s.height_mm for s in sightings])[index]

    def predict(params: Array, pose: Array) -> Array:
        c, s = np.cos(pose[index, 2]), np.sin(pose[index, 2])
        x = pose[index, 0] + c * local[:, 0] - s * local[:, 1]
        y = pose[index, 1] + s * local[:, 0] + c * local[:, 1]
        return camera.with_params(params).project(np.column_stack([x, y]), height)

    def residual(p: Array, pose: Array) -> tuple[Array, Array]:
        return (predict(p, pose) - px) * w, (p - centre) * inv_prior

    def jacobian(p: Array, pose: Array) -> Array:
        """(2 N, 11): by the camera's parameters and by the pose of the point's own piece."""
        # A pose moves only its own points, so that all poses can be moved at once: eleven evaluations whatever m is.
        base = predict(p, pose)
        out = np.empty((2 * len(px), N_PARAMS + 3))
        for k in range(N_PARAMS):
            q = p.copy()
            q[k] += STEPS_CAMERA[k]
            out[:, k] = ((predict(q, pose) - base) * w / STEPS_CAMERA[k]).ravel()
        for k in range(3):
            moved = pose.copy()
            moved[:, k] += STEPS_POSE[k]
            out[:, N_PARAMS + k] = ((predict(p, moved) - base) * w / STEPS_POSE[k]).ravel()
        return out

    def normal(p: Array, pose: Array, r: Array, q: Array) -> _Normal:
        j = jacobian(p, pose)
        rj = np.column_stack([j, r.ravel()])
        blocks = np.add.reduceat(rj[:, :, None] * (rj * _weights(r.ravel())[:, None])[:, None, :], starts, axis=0)
        return _Normal(blocks, inv_prior, q)

    params = camera.params()
    r, q = residual(params, poses)
    cost = _cost(r, q)
    damping = 1e-3
    for _ in range(MOST_STEPS):
        equations = normal(params, poses, r, q)
        for _ in range(8):
            step_camera, step_poses = equations.step(damping)
            trial = residual(params + step_camera, poses + step_poses)
            better = _cost(*trial)
            if better < cost:
                break
            damping *= 8
        else:
            break
        done = cost - better < 1e-5 * cost
        params, poses, (r, q) = params + step_camera, poses + step_poses, trial
        cost, damping = better, max(damping / 10, 1e-9)
        if done:
            break
    # Weighted as the points ended up, so that outliers do not make the answer look surer than it is.
    cov = normal(params, poses, r, q).camera_cov()
    inlier = np.abs(r) < 3 * ROBUST_AT
    rms = float(np.sqrt(2 * ((r / w) ** 2)[inlier].mean())) if inlier.any() else float("inf")
    return Solution(camera.with_params(params), poses, cov, rms, cost)


class _Normal:
    """The normal equations of all pieces. A pose touches the camera only: poses are eliminated (Schur complement), so
    that what is solved is 8 by 8 however many pieces lie there (twenty: 30 ms for the whole fit, densely 50)."""

    def __init__(self, blocks: Array, inv_prior: Array, prior_residual: Array) -> None:
        c = N_PARAMS
        self.camera = blocks[:, :c, :c].sum(0) + np.diag(inv_prior**2)
        self.camera_g = blocks[:, :c, -1].sum(0) + inv_prior * prior_residual
        self.cross = blocks[:, :c, c:-1]
        self.pose = blocks[:, c:-1, c:-1]
        self.pose_g = blocks[:, c:-1, -1]

    def step(self, damping: float) -> tuple[Array, Array]:
        """The damped step of camera (8,) and poses (m, 3)."""
        pose = self.pose * (1 + damping * np.eye(3)) + 1e-12 * np.eye(3)
        inverse = np.linalg.inv(pose)
        camera = self.camera * (1 + damping * np.eye(N_PARAMS)) + 1e-12 * np.eye(N_PARAMS)
        by_pose = self.cross @ inverse
        schur = camera - np.einsum("mij,mkj->ik", by_pose, self.cross)
        d = np.linalg.solve(schur, np.einsum("mij,mj->i", by_pose, self.pose_g) - self.camera_g)
        return d, -np.einsum("mij,mj->mi", inverse, self.pose_g + np.einsum("mji,j->mi", self.cross, d))

    def camera_cov(self) -> Array:
        """(8, 8) of the camera, whatever the poses are."""
        inverse = np.linalg.inv(self.pose + 1e-12 * np.eye(3))
        schur = self.camera - np.einsum("mij,mjk,mlk->il", self.cross, inverse, self.cross)
        return np.asarray(np.linalg.pinv(schur, hermitian=True), np.float64)


def _cost(r: Array, prior: Array) -> float:
    """Soft L1 for the point residuals, which may be mistaken; squares for the priors, which must not give way."""
    z = (r / ROBUST_AT) ** 2
    return float(2 * ROBUST_AT**2 * (np.sqrt(1 + z) - 1).sum() + (prior**2).sum())


def _weights(r: Array) -> Array:
    """Weights of iteratively re-weighted least squares for `_cost`."""
    return np.asarray(1 / np.sqrt(1 + (r / ROBUST_AT) ** 2), np.float64)


def solve_pose(camera: Camera, pose: Array, sighting: Sighting, rounds: int = 8) -> tuple[Array, Array, Array]:
    """Fit one piece's pose under a known camera, in so many rounds at most.

    Returns pose (3,), covariance (3, 3) and the residuals (n, 2) px (found minus predicted).
    """
    local, px, w = sighting.local_mm, sighting.px, sighting.weight[:, None]
    v = np.array(pose, float)
    n = len(px)
    moved = [v + d for d in _POSE_MOVES]
    seen = camera.project(np.concatenate([place(q, local) for q in moved])).reshape(4, n, 2)  # four calls cost as many
    base = seen[0]
    j = (((seen[1:] - base) * w).reshape(3, 2 * n) / STEPS_POSE[:, None]).T
    # The pose moves by millimetres: derivatives taken once serve all steps.
    for _ in range(rounds):
        r = ((px - base) * w).ravel()
        weight = 1 / np.sqrt(1 + (r / ROBUST_AT) ** 2)
        weighted = j * weight[:, None]
        a = j.T @ weighted + _LITTLE
        step = np.linalg.solve(a, r @ weighted)
        v = v + step
        base = camera.project(place(v, local))
        if abs(step[0]) + abs(step[1]) < 1e-4 and abs(step[2]) < 1e-6:
            break
    return v, np.asarray(np.linalg.inv(a), float), px - base
