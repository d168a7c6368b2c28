"""Which rectangles lie on one table and are of one size: the camera that explains them, and those it does not explain.

One rectangle of known proportion says little about where it is seen from: askew, a long one looks like a short one.
Several that lie on one plane leave one camera. Many cameras are tried; each makes of every quadrilateral a figure on
the table, and the camera under which most are the same rectangle is solved for exactly (`vision.solve`). This is a
Hough vote over cameras (Ballard, Generalizing the Hough Transform, 1981) with bundle adjustment behind it; chance
plays no part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera, box, guess_camera, place
from vision.solve import Sighting, solve, solve_pose

Mask = NDArray[np.bool_]

FOCAL_SHARES = (0.62, 0.83, 1.1, 1.5)
"""Focal lengths tried, as shares of the picture's longer side: 78 to 37 degrees across, wide phones to short
telephotos."""

TILT_STEP_DEG, TURN_STEP_DEG = 5.0, 18.0
ROUGH = 0.16
"""How far a figure may be from the rectangle under one of the cameras tried, as a share of its size. On 60 random
tables (tilt to 45 degrees, k1 from -0.2 to 0.05) the worst of ten rectangles is off by 0.04 under the best camera
tried in half of them, by 0.10 in nine of ten; not all need to agree for the exact solution to start."""

SIZE_WINDOW = 0.10
"""Rectangles whose sizes differ by less than this share may be one kind: on those tables all ten sizes lie within
0.05 in half of them, within 0.12 in nine of ten."""

MOST_CAMERAS = 4
OUTLINE_VOTES = 0.75
"""Frames printed on cards lie on the same plane and may be as many as the cards. A larger size with this share of the
most votes is taken for the outlines and the smaller one for print."""

CORNER_SIGMA_PX = 0.5
"""Corners of cards that are curled by a millimetre, seen 40 degrees askew: 0.5 px rms over 104 real cards, measured."""

TOLERANCE_MM = 1.5
"""Most RMS distance of a rectangle's corners from the size and plane of all. Of the 104 real cards in 8 photographs
the worst has 0.7 mm (its edges stand up); with one side on a frame printed 3 mm inside the card it would have 1.5 mm;
bridge cards (57 mm) among poker cards (63.5 mm) have 3.3 mm."""

STAND_OUT, STAND_OUT_MM = 4.0, 0.75
"""A rectangle this many times worse than the median, and by more than a curled card is, has one side on something
else. The worst real card is 2.2 times the median of its photograph, 0.7 mm; a card read with a side on its frame 5
to 7 times."""

LEAST_AGREEING = 3
"""As many rectangles must agree: any two can be explained by some camera."""

ROUNDS = 4

_WEIGHT = np.full(4, 1 / CORNER_SIGMA_PX)


@dataclass(frozen=True, eq=False)
class CommonPlane:
    """One camera and the rectangles that it explains."""

    camera: Camera
    kept: tuple[int, ...]
    """Indices of the rectangles that are of the size and on the plane, in the order given."""
    first_corner: tuple[int, ...]
    """For each kept one, the corner from which a short side leads on clockwise (from the other such corner as well)."""
    poses: Array
    """(m, 3) x mm, y mm, angle rad of the kept ones."""
    residual_px: Array
    """(m,) RMS distance of each one's corners from where the solution puts them."""
    rms_px: float
    """Of all kept corners."""

    def corners_px(self, size_mm: tuple[float, float]) -> Array:
        """(m, 4, 2) corners of the kept ones where the solution puts them, `first_corner` first."""
        local = box(min(size_mm), max(size_mm))
        return np.array([self.camera.project(place(p, local)) for p in self.poses]).reshape(-1, 4, 2)


def any_view(quads: Array, size_px: tuple[int, int], aspect: float, max_tilt_deg: float) -> Mask:
    """(n,) whether each quadrilateral (n, 4, 2) px is a view of a rectangle of `aspect` from some likely camera.

    A weak test: from far enough askew a card looks square, or twice as long as it is.
    """
    best = np.full(len(quads), np.inf)
    for camera in _cameras(size_px, max_tilt_deg):
        best = np.minimum(best, _shape(camera, quads, aspect)[0])
    return np.asarray(best < ROUGH, bool)


def common_plane(
    quads: Array, size_px: tuple[int, int], size_mm: tuple[float, float], max_tilt_deg: float = 50.0
) -> CommonPlane | None:
    """The camera from rectangles of one size on one table; None when fewer than `LEAST_AGREEING` agree.

    quads: (n, 4, 2) px, clockwise. size_px: width and height of the picture. size_mm: of the rectangle, either way
    round."""
    if len(quads) < LEAST_AGREEING:
        return None
    best: CommonPlane | None = None
    for camera, members in _votes(quads, size_px, size_mm, max_tilt_deg):
        plane = _settle(camera, quads, size_mm, members)
        if plane is not None and (best is None or _merit(plane) > _merit(best)):
            best = plane
    return best


def _merit(plane: CommonPlane) -> tuple[int, float]:
    return len(plane.kept), -plane.rms_px


def _cameras(size_px: tuple[int, int], max_tilt_deg: float) -> list[Camera]:
    """Cameras 1 mm from the table that cover the likely lenses and all tilts."""
    w, h = size_px
    normals = [(0.0, 0.0)]
    for tilt in np.arange(TILT_STEP_DEG, max_tilt_deg + 0.1, TILT_STEP_DEG):
        normals += [(float(tilt), float(turn)) for turn in np.arange(0, 360, TURN_STEP_DEG)]
    out = []
    for share in FOCAL_SHARES:
        f = share * max(w, h)
        for tilt, turn in normals:
            s, a = np.radians(tilt), np.radians(turn)
            n = np.array([np.sin(s) * np.cos(a), np.sin(s) * np.sin(a), np.cos(s)])
            # `Camera.rotation` has the table's normal (sin b cos a, -sin a, cos b cos a) for tilts a, b.
            out.append(Camera(f, 0, 0, float(-np.arcsin(n[1])), float(np.arctan2(n[0], n[2])), 1.0, w, h))
    return out


def _shape(camera: Camera, quads: Array, aspect: float) -> tuple[Array, Array]:
    """(n,) how far from the rectangle each quadrilateral is on the camera's table, and (n,) its size there.

    The first is a share of the size: of what opposite sides differ by, of the right angle, of the proportion.
    """
    p = camera.unproject(quads.reshape(-1, 2)).reshape(-1, 4, 2)
    e = np.roll(p, -1, axis=1) - p
    u, v = (e[:, 0] - e[:, 2]) / 2, (e[:, 1] - e[:, 3]) / 2
    a, b = np.hypot(*u.T), np.hypot(*v.T)
    size = np.sqrt(np.maximum(a * b, 1e-12))
    uneven = np.hypot(*(e[:, 0] + e[:, 2]).T) / (2 * size)
    skew = np.abs((u * v).sum(1)) / size**2
    stretch = np.abs(np.abs(np.log(np.maximum(a, 1e-9) / np.maximum(b, 1e-9))) - abs(np.log(aspect)))
    return np.maximum(np.maximum(uneven, skew), stretch), size


def _votes(
    quads: Array, size_px: tuple[int, int], size_mm: tuple[float, float], max_tilt_deg: float
) -> list[tuple[Camera, NDArray[np.int64]]]:
    """The cameras under which most quadrilaterals are the same rectangle, each with those that are."""
    mm = float(np.sqrt(size_mm[0] * size_mm[1]))
    ballots: list[tuple[float, Camera, NDArray[np.int64]]] = []
    for camera in _cameras(size_px, max_tilt_deg):
        far, size = _shape(camera, quads, size_mm[0] / size_mm[1])
        ok = np.flatnonzero(far < ROUGH)
        if len(ok) < LEAST_AGREEING:
            continue
        logs = np.log(size[ok])
        same = np.abs(logs[:, None] - logs[None]) < SIZE_WINDOW / 2
        weight = 1 - (far[ok] / ROUGH) ** 2
        support = same @ weight
        most = support.max()
        # The largest of the sizes that have nearly the most votes.
        k = int(np.argmax(np.where(support >= OUTLINE_VOTES * most, logs, -np.inf)))
        members = ok[same[k]]
        if len(members) < LEAST_AGREEING:
            continue
        distance = mm / float(np.exp(np.median(np.log(size[members]))))
        ballots.append((float(support[k]), replace(camera, distance=distance * camera.distance), members))
    ballots.sort(key=lambda b: -b[0])
    out: list[tuple[Camera, NDArray[np.int64]]] = []
    for _, camera, members in ballots:
        normal = camera.rotation[:, 2]
        # Neighbours on the grid of cameras settle on the same solution.
        if all(float(normal @ c.rotation[:, 2]) < np.cos(np.radians(1.5 * TILT_STEP_DEG)) for c, _ in out):
            out.append((camera, members))
        if len(out) == MOST_CAMERAS:
            break
    return out


def _settle(
    camera: Camera, quads: Array, size_mm: tuple[float, float], members: NDArray[np.int64]
) -> CommonPlane | None:
    """Solve with the members, see which rectangles that explains, and again with those."""
    prior = guess_camera(camera.width, camera.height, 1 / camera.mm_per_px)
    local = box(min(size_mm), max(size_mm))
    kept = [int(m) for m in members]
    plane: CommonPlane | None = None
    for _ in range(ROUNDS):
        turned = [_short_side_first(camera, quads[k]) for k in kept]
        sightings = [Sighting(local, np.roll(quads[k], -t, 0), _WEIGHT) for k, t in zip(kept, turned, strict=True)]
        solution = solve(camera, sightings, prior)
        camera = solution.camera
        fits = [_fit(camera, q, local) for q in quads]
        off_mm = np.array(
            [r * camera.mm_per_px / _nearness(camera, q) for (_, _, r), q in zip(fits, quads, strict=True)]
        )
        usual = float(np.median(off_mm[kept]))
        limit = min(TOLERANCE_MM, max(STAND_OUT_MM, STAND_OUT * usual))
        now = _one_each([k for k in range(len(quads)) if off_mm[k] < limit], fits, min(size_mm) / 2)
        if len(now) < LEAST_AGREEING:
            return None
        residual = np.array([fits[k][2] for k in now])
        plane = CommonPlane(
            camera,
            tuple(now),
            tuple(fits[k][0] for k in now),
            np.array([fits[k][1] for k in now]),
            residual,
            float(np.sqrt((residual**2).mean())),
        )
        if now == kept:
            break
        kept = now
    return plane


def _one_each(kept: list[int], fits: list[tuple[int, Array, float]], apart_mm: float) -> list[int]:
    """Of several readings of one rectangle the one that fits best: two cards do not lie in one place."""
    out: list[int] = []
    for k in sorted(kept, key=lambda k: fits[k][2]):
        if all(float(np.hypot(*(fits[k][1][:2] - fits[o][1][:2]))) > apart_mm for o in out):
            out.append(k)
    return sorted(out)


def _fit(camera: Camera, quad: Array, local: Array) -> tuple[int, Array, float]:
    """First corner, pose and RMS residual px of one quadrilateral under a known camera."""
    turn = _short_side_first(camera, quad)
    sighting = Sighting(local, np.roll(quad, -turn, 0), _WEIGHT)
    p = camera.unproject(sighting.px)
    along = p[1] - p[0] + p[2] - p[3]
    pose, _, residual = solve_pose(camera, np.array([*p.mean(0), np.arctan2(along[1], along[0])]), sighting)
    return turn, pose, float(np.sqrt((residual**2).sum(1).mean()))


def _short_side_first(camera: Camera, quad: Array) -> int:
    """0 or 1: the corner from which a short side leads on, on the camera's table."""
    p = camera.unproject(quad)
    e = np.hypot(*(np.roll(p, -1, 0) - p).T)
    return 0 if e[0] + e[2] <= e[1] + e[3] else 1


def _nearness(camera: Camera, quad: Array) -> float:
    """Scale at a rectangle over the scale at the middle of the picture."""
    middle = camera.unproject(quad.mean(0, keepdims=True))[0]
    return float(np.sqrt(abs(np.linalg.det(camera.jacobian(middle))))) * camera.mm_per_px
