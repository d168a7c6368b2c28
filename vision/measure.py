"""Gaps and overlaps in millimetres, each with one honest sigma.

What makes a measured gap uncertain: the fit of either piece, the camera model between them, and that cards are not
quite flat. A point z above the table, r off the camera's foot, seen from height H, appears shifted outwards by
z r / (H - z).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from vision.camera import Array, Camera
from vision.facebank import FaceBank
from vision.found import Found, corners_mm
from vision.scene import GAP_REACH_MM

CURL_MM = 0.5
"""1 sigma of the height of a card's edge above where the fit puts it: corners of played cards stand up to 1 mm."""

PRINT_MM = 0.12
"""1 sigma between the print, which is followed, and the cut edge, and of what the fit model leaves out."""

UNEVEN_FACTOR = 3.0
"""A card that is bent, or leans on others, stands up to 2.5 mm. How high cannot be measured from above: estimated from
the scale of its print, the heights of 181 cards on random tables were off by 1.2 mm rms and unrelated to the truth."""


ONE_ON_OTHER = 0.85
"""Sides of a tile within which the middle of another one must be for it to lie on it, not beside it."""


@dataclass(frozen=True)
class Measured:
    a: int
    b: int
    gap_mm: float
    """0 when they overlap."""
    depth_mm: float
    """How far one must move for the overlap to vanish; 0 when there is none."""
    sigma_mm: float


def inset(bank: FaceBank, f: Found, radius_mm: float) -> shapely.Polygon:
    """The outline drawn in by the corner radius: the rounded card is all points within the radius of it."""
    return shapely.Polygon(corners_mm(bank, f)).buffer(-radius_mm, join_style="mitre")


def tiles_apart(bank: FaceBank, found: list[Found]) -> NDArray[np.bool_]:
    """(n, n) True for two tiles that lie beside each other, not one on the other."""
    side = np.array(
        [min(t.size_mm) if t.face.piece == "tile" else np.inf for t in (bank.templates[f.template] for f in found)]
    )
    x, y = np.array([f.pose[:2] for f in found]).reshape(-1, 2).T
    away = np.hypot(x[:, None] - x, y[:, None] - y)
    return np.asarray(away > ONE_ON_OTHER * np.maximum(side[:, None], side), np.bool_)


def measure(
    bank: FaceBank,
    camera: Camera,
    camera_cov: NDArray[np.float64],
    found: list[Found],
    radius_mm: float,
    leaning: frozenset[int] = frozenset(),
) -> list[Measured]:
    """Gap or overlap depth of every pair nearer than `GAP_REACH_MM`. leaning: indices of pieces that lie on others.

    Tiles side by side are left out: their lattice says how they lie, and eighty of them have a thousand such pairs.
    """
    n = len(found)
    if n < 2:
        return []
    cores = np.array([inset(bank, f, radius_mm) for f in found])
    ia, ib = np.nonzero(np.triu(~tiles_apart(bank, found), 1))
    distance = shapely.distance(cores[ia], cores[ib]) - 2 * radius_mm
    near = distance < GAP_REACH_MM
    ia, ib, distance = ia[near], ib[near], distance[near]
    if len(ia) == 0:
        return []
    ends_a, ends_b, normal, depth = [], [], [], []
    for a, b, d in zip(ia, ib, distance, strict=True):
        if d > -2 * radius_mm + 1e-6:
            line = shapely.shortest_line(cores[a], cores[b])
            p, q = np.array(line.coords[0]), np.array(line.coords[1])
            v = q - p
            length = float(np.hypot(*v))
            ends_a.append(p)
            ends_b.append(q)
            normal.append(v / length if length > 1e-9 else np.array([1.0, 0.0]))
            depth.append(max(0.0, -d))
        else:
            deep, direction, at = _penetration(
                np.array(cores[a].exterior.coords)[:4], np.array(cores[b].exterior.coords)[:4]
            )
            ends_a.append(at)
            ends_b.append(at)
            normal.append(direction)
            depth.append(deep + 2 * radius_mm)
    pa, pb, u = np.array(ends_a), np.array(ends_b), np.array(normal)
    sigma = _sigma(camera, camera_cov, found, ia, ib, pa, pb, u, leaning)
    return [
        Measured(int(a), int(b), float(max(0.0, d)), float(dep), float(s))
        for a, b, d, dep, s in zip(ia, ib, distance, depth, sigma, strict=True)
    ]


def _penetration(a: Array, b: Array) -> tuple[float, Array, Array]:
    """Separating-axis depth of two convex quadrilaterals: depth, direction, a point of the overlap."""
    best = (np.inf, np.array([1.0, 0.0]))
    for quad in (a, b):
        for k in range(4):
            e = quad[(k + 1) % 4] - quad[k]
            normal = np.array([e[1], -e[0]]) / np.hypot(*e)
            pa, pb = a @ normal, b @ normal
            depth = min(pa.max() - pb.min(), pb.max() - pa.min())
            if depth < best[0]:
                best = (float(depth), normal)
    middle = shapely.Polygon(a).intersection(shapely.Polygon(b)).centroid
    return best[0], best[1], np.array([middle.x, middle.y])


def point_sigma(camera: Camera, f: Found, at_mm: Array, along: Array, leaning: bool = False) -> float:
    """1 sigma, mm, of a point of a piece along a direction: fit, print and curl."""
    lever = at_mm - f.pose[:2]
    j = np.array([along[0], along[1], -along[0] * lever[1] + along[1] * lever[0]])
    fit = float(j @ f.cov @ j)
    off = at_mm - camera.foot_mm
    height = CURL_MM if is_flat(f) and not leaning else UNEVEN_FACTOR * CURL_MM
    lift = height * float(off @ along) / camera.height_mm
    return float(np.sqrt(fit + PRINT_MM**2 + lift**2))


def is_flat(f: Found) -> bool:
    """False when the points of the face do not fit a flat card: it is curled or leans on something."""
    return f.residual_px < 0.6


def _sigma(
    camera: Camera,
    cov: NDArray[np.float64],
    found: list[Found],
    ia: NDArray[np.int64],
    ib: NDArray[np.int64],
    pa: Array,
    pb: Array,
    u: Array,
    leaning: frozenset[int],
) -> Array:
    own = np.array(
        [
            point_sigma(camera, found[a], p, n, a in leaning) ** 2
            + point_sigma(camera, found[b], q, n, b in leaning) ** 2
            for a, b, p, q, n in zip(ia, ib, pa, pb, u, strict=True)
        ]
    )
    # The camera's share: the same pixels seen with each parameter moved by a little.
    px_a, px_b = camera.project(pa), camera.project(pb)
    base = camera.params()
    steps = np.array([1e-3, 1e-3, 1e-3, 1e-4, 1e-4, 1e-4, 0.1, 0.1])
    g = np.empty((len(pa), len(base)))
    start = ((pb - pa) * u).sum(1)
    for k, step in enumerate(steps):
        p = base.copy()
        p[k] += step
        moved = camera.with_params(p)
        g[:, k] = (((moved.unproject(px_b) - moved.unproject(px_a)) * u).sum(1) - start) / step
    model = np.einsum("ni,ij,nj->n", g, cov, g)
    return np.asarray(np.sqrt(own + np.maximum(model, 0)), np.float64)
