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
FLIP_BELOW = 4
"""With fewer pieces the tilt is tried both ways."""


def solve(camera: Camera, sightings: list[Sighting], prior: Camera | None = None) -> Solution:
    """Fit camera and poses to all sightings together.

    camera: where to start. prior: the camera the priors of `PRIOR_SIGMA` are centred on; `camera` when None.
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
    return min((_solve_from(start, sightings, prior or camera) for start in starts), key=lambda s: s.cost)


def rigid(local_mm: Array, table_mm: Array) -> Array:
    """(3,) least-squares pose that takes piece points (n, 2) to table points (n, 2) (Kabsch 1976)."""
    a, b = local_mm - local_mm.mean(0), table_mm - table_mm.mean(0)
    angle = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    c, s = np.cos(angle), np.sin(angle)
    m = local_mm.mean(0)
    return np.array([*(table_mm.mean(0) - np.array([c * m[0] - s * m[1], s * m[0] + c * m[1]])), angle])


def _solve_from(camera: Camera, sightings: list[Sighting], prior: Camera) -> Solution:
    poses = np.array([rigid(s.local_mm, camera.unproject(s.px)) for s in sightings])
    centre = prior.params()
    inv_prior = 1 / PRIOR_SIGMA
    n_obs = [len(s.px) for s in sightings]
    index = np.repeat(np.arange(len(sightings)), n_obs)
    local = np.concatenate([s.local_mm for s in sightings])
    px = np.concatenate([s.px for s in sightings])
    w = np.concatenate([s.weight for s in sightings])[:, None]

    def predict(params: Array, pose: Array) -> Array:
        c, s = np.cos(pose[index, 2]), np.sin(pose[index, 2])
        x = pose[index, 0] + c * local[:, 0] - s * local[:, 1]
        y = pose[index, 1] + s * local[:, 0] + c * local[:, 1]
        return camera.with_params(params).project(np.column_stack([x, y]))

    def split(v: Array) -> tuple[Array, Array]:
        return v[:N_PARAMS], v[N_PARAMS:].reshape(-1, 3)

    def residual(v: Array) -> Array:
        p, pose = split(v)
        return np.concatenate([((predict(p, pose) - px) * w).ravel(), (p - centre) * inv_prior])

    steps_cam = np.array([1e-5, 1e-5, 1e-5, 1e-6, 1e-6, 1e-6, 1e-3, 1e-3])
    steps_pose = np.array([1e-3, 1e-3, 1e-5])
    rows = np.arange(2 * len(px)).reshape(-1, 2)

    def jacobian(v: Array) -> Array:
        # A pose moves only its own points, so that all poses can be moved at once: eleven evaluations whatever m is.
        p, pose = split(v)
        base = predict(p, pose)
        out = np.zeros((2 * len(px) + N_PARAMS, len(v)))
        for k in range(N_PARAMS):
            q = p.copy()
            q[k] += steps_cam[k]
            out[: 2 * len(px), k] = ((predict(q, pose) - base) * w / steps_cam[k]).ravel()
            out[2 * len(px) + k, k] = inv_prior[k]
        for k in range(3):
            moved = pose.copy()
            moved[:, k] += steps_pose[k]
            d = (predict(p, moved) - base) * w / steps_pose[k]
            out[rows, (N_PARAMS + 3 * index + k)[:, None]] = d
        return out

    n = 2 * len(px)
    v = np.concatenate([camera.params(), poses.ravel()])
    r = residual(v)
    cost = _cost(r, n)
    damping = 1e-3
    for _ in range(MOST_STEPS):
        j = jacobian(v)
        weight = _weights(r, n)
        a = j.T @ (j * weight[:, None])
        g = j.T @ (weight * r)
        for _ in range(8):
            step = np.linalg.solve(a + np.diag(damping * np.diag(a) + 1e-12), -g)
            trial = residual(v + step)
            better = _cost(trial, n)
            if better < cost:
                break
            damping *= 8
        else:
            break
        done = cost - better < 1e-5 * cost
        v, r, cost, damping = v + step, trial, better, max(damping / 10, 1e-9)
        if done:
            break
    p, pose = split(v)
    j = jacobian(v)
    # Weighted as the points ended up, so that outliers do not make the answer look surer than it is.
    cov = np.asarray(np.linalg.pinv(j.T @ (j * _weights(r, n)[:, None])), np.float64)
    points = r[:n].reshape(-1, 2)
    inlier = np.abs(points) < 3 * ROBUST_AT
    rms = float(np.sqrt(2 * ((points / w) ** 2)[inlier].mean())) if inlier.any() else float("inf")
    return Solution(camera.with_params(p), pose, cov[:N_PARAMS, :N_PARAMS], rms, cost)


def _cost(r: Array, n: int) -> float:
    """Soft L1 for the n point residuals, which may be mistaken; squares for the priors, which must not give way."""
    z = (r[:n] / ROBUST_AT) ** 2
    return float(2 * ROBUST_AT**2 * (np.sqrt(1 + z) - 1).sum() + (r[n:] ** 2).sum())


def _weights(r: Array, n: int) -> Array:
    """Weights of iteratively re-weighted least squares for `_cost`."""
    return np.concatenate([1 / np.sqrt(1 + (r[:n] / ROBUST_AT) ** 2), np.ones(len(r) - n)])


def solve_pose(camera: Camera, pose: Array, sighting: Sighting) -> tuple[Array, Array, Array]:
    """Fit one piece's pose under a known camera.

    Returns pose (3,), covariance (3, 3) and the residuals (n, 2) px (found minus predicted).
    """
    local, px, w = sighting.local_mm, sighting.px, sighting.weight[:, None]
    v = np.array(pose, float)
    base = camera.project(place(v, local))
    j = np.empty((2 * len(px), 3))
    for k, h in enumerate((1e-3, 1e-3, 1e-5)):
        q = v.copy()
        q[k] += h
        j[:, k] = ((camera.project(place(q, local)) - base) * w / h).ravel()
    # The pose moves by millimetres: derivatives taken once serve all steps.
    for _ in range(8):
        r = ((px - base) * w).ravel()
        weight = 1 / np.sqrt(1 + (r / ROBUST_AT) ** 2)
        a = j.T @ (j * weight[:, None]) + 1e-9 * np.eye(3)
        step = np.linalg.solve(a, j.T @ (weight * r))
        v = v + step
        base = camera.project(place(v, local))
        if abs(step[0]) + abs(step[1]) < 1e-4 and abs(step[2]) < 1e-6:
            break
    return v, np.asarray(np.linalg.inv(a), float), px - base
