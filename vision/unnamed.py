"""Pieces of known size and no known face: where each lies in a row of stills, and the camera that saw them.

Without faces nothing but outlines can be followed. Many rectangles are proposed, printed frames among them; those of
all stills together leave one camera (`vision.coplanar`), and under it each is measured anew where a piece of exactly
that size must have its edges: a frame found in place of the outline has the outline around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray

from vision.birdseye import table_view
from vision.camera import Array, Camera, box, guess_camera, place
from vision.coplanar import LEAST_AGREEING, common_plane
from vision.outlines import pose_of_outline
from vision.rectangles import Float, Image, Rectangle, find_outlines, find_rectangles, measure_rectangle
from vision.solve import Sighting, solve, solve_pose

FRAME_TOLERANCE = 0.2
"""How much smaller than the piece a rectangle may be to be taken for a frame printed on it: 5 mm inside a card of 59."""

REACH_MM = 2.0
"""How far from its place an edge is looked for: less than the 3 mm that frames lie inside."""

GAMMA = 2.2
"""Edges are placed where half of the light is, not half of the grey level: coded grey draws an outline towards the
darker side. On 126 cards of three recordings corners were off by 0.51, 0.58 and 0.31 px (medians), in linear light by
0.34, 0.35 and 0.20 (dark felt, oak, white laminate)."""

LEAST_STEP = 1.0
"""Of linear grey levels across an edge, in dark places; whether there is an edge at all was decided on coded ones."""

WHOLE = 0.9
"""Share of every side that must be in view for nothing to lie over a piece: what covers one crosses its outline."""

CORNER_SIGMA_PX = 0.4
MOST_FOR_CAMERA = 20
SAME_PX = 2.0
"""Rectangles in different stills whose corners differ by less are one piece that still lies there."""

FLAT_MM = 1.0
"""Most RMS distance of a piece's corners from where its pose puts them."""


@dataclass(frozen=True, eq=False)
class Unnamed:
    """One piece in one still."""

    still: int
    """Index of the still."""
    shape: int
    """Index of its size."""
    pose: Array
    """(3,) x mm, y mm, angle rad, one of the poses that its outline allows."""
    whole: bool
    """Whether nothing is seen to lie over it."""


@dataclass(frozen=True, eq=False)
class Seen:
    """All pieces of a row of stills."""

    camera: Camera
    pieces: tuple[Unnamed, ...]
    """Still by still; in each, rows from the top of the picture to its bottom, from left to right."""
    rms_px: float


def find_unnamed(stills: Sequence[Image], sizes: Sequence[tuple[float, float]]) -> Seen | None:
    """Pieces of `sizes` (width, height; mm) in pictures (h, w, 3) BGR of one camera that did not move; None without
    any. Pieces that leave the picture, or of whose outline more than a third is covered, are not found."""
    rectangles = [
        [(k, r) for k, size in enumerate(sizes) for r in find_rectangles(still, size[0] / size[1])] for still in stills
    ]
    h, w = stills[0].shape[:2]
    camera = _first_camera([r for rs in rectangles for r in rs], sizes, (w, h))
    if camera is None:
        return None
    for last in (False, True):
        found = [_in_still(n, still, camera, sizes, rs) for n, (still, rs) in enumerate(zip(stills, rectangles))]
        pieces = [piece for one in found for piece in one]
        if not pieces:
            return None
        solved = _solve_again(camera, pieces)
        camera = solved[0]
        if last:
            break
    out = []
    for n, one in enumerate(found):
        settled = [replace(m, pose=_fit(camera, m.pose, m.sighting)[0]) for m in one]
        out += _in_rows([Unnamed(n, m.shape, m.pose, m.whole) for m in _not_covered(settled, sizes)], camera)
    return Seen(camera, tuple(out), solved[1])


@dataclass(frozen=True, eq=False)
class _Measured:
    shape: int
    pose: Array
    sighting: Sighting
    support: float
    off_mm: float

    @property
    def whole(self) -> bool:
        return self.support >= WHOLE


# ---- the camera ----


def _first_camera(
    rectangles: list[tuple[int, Rectangle]], sizes: Sequence[tuple[float, float]], size_px: tuple[int, int]
) -> Camera | None:
    """From the rectangles of all stills: the camera that makes most of them pieces of one size."""
    best: tuple[int, Camera] | None = None
    for k, size in enumerate(sizes):
        quads = _different(r.corners_px for shape, r in rectangles if shape == k)
        plane = common_plane(quads, size_px, size) if len(quads) >= LEAST_AGREEING else None
        if plane is not None and (best is None or len(plane.kept) > best[0]):
            best = len(plane.kept), plane.camera
    if best is not None:
        return best[1]
    return _from_few(rectangles, sizes, size_px)


def _from_few(
    rectangles: list[tuple[int, Rectangle]], sizes: Sequence[tuple[float, float]], size_px: tuple[int, int]
) -> Camera | None:
    """One or two pieces, or one place where they lay one after another: the largest rectangles are their outlines."""
    if not rectangles:
        return None
    shape = max(rectangles, key=lambda r: _area(r[1].corners_px))[0]
    quads = _different(r.corners_px for k, r in rectangles if k == shape)
    largest = max(_area(q) for q in quads)
    size = sizes[shape]
    camera = guess_camera(*size_px, float(np.sqrt(largest / (size[0] * size[1]))))
    sightings = []
    for quad in [q for q in quads if _area(q) > 0.85 * largest][:MOST_FOR_CAMERA]:
        pose = pose_of_outline(camera.unproject(quad), size, 0.5)
        if pose is not None:
            sightings.append(_sighting(camera, pose, size, quad))
    return solve(camera, sightings).camera if sightings else None


def _solve_again(camera: Camera, pieces: list[_Measured]) -> tuple[Camera, float]:
    """By the best pieces in different places."""
    chosen: list[_Measured] = []
    for p in sorted(pieces, key=lambda p: (not p.whole, p.off_mm)):
        if all(float(np.hypot(*(p.pose[:2] - c.pose[:2]))) > 20.0 for c in chosen):
            chosen.append(p)
        if len(chosen) == MOST_FOR_CAMERA:
            break
    prior = guess_camera(camera.width, camera.height, 1 / camera.mm_per_px)
    solution = solve(camera, [p.sighting for p in chosen], prior)
    return solution.camera, solution.rms_px


# ---- one still ----


def _in_still(
    number: int,
    still: Image,
    camera: Camera,
    sizes: Sequence[tuple[float, float]],
    rectangles: list[tuple[int, Rectangle]],
) -> list[_Measured]:
    """Every piece in a still, each once."""
    coded = still.astype(np.float32)
    light = np.asarray(255 * (np.arange(256) / 255) ** GAMMA, np.float32)[still]
    table = [camera.unproject(r.corners_px) for _, r in rectangles] + _from_above(still, camera, sizes)
    found: list[_Measured] = []
    for quad in table:
        for shape, size in enumerate(sizes):
            pose = pose_of_outline(quad, size, FRAME_TOLERANCE)
            measured = None if pose is None else _measure(coded, light, camera, pose, shape, size)
            if measured is not None:
                found.append(measured)
    out: list[_Measured] = []
    for m in sorted(found, key=lambda m: (-round(m.support, 1), m.off_mm)):
        apart = min(sizes[m.shape]) / 4
        if all(float(np.hypot(*(m.pose[:2] - o.pose[:2]))) > apart for o in out):
            out.append(m)
    return out


def _from_above(still: Image, camera: Camera, sizes: Sequence[tuple[float, float]]) -> list[Array]:
    """(4, 2) mm corners of outlines that only show when tilt and lens are taken out."""
    view = table_view(still, np.full(still.shape[:2], 255, np.uint8), camera)
    if view is None:
        return []
    areas = [w * h * view.px_per_mm**2 for w, h in sizes]

    def worth(quad: Array) -> bool:
        return any(pose_of_outline(view.to_table(quad), size, FRAME_TOLERANCE) is not None for size in sizes)

    outlines = find_outlines(view.image, worth, (min(areas) * 0.6, max(areas) * 1.5))
    return [view.to_table(r.corners_px) for r in outlines]


def _measure(
    coded: Float, light: Float, camera: Camera, pose: Array, shape: int, size: tuple[float, float]
) -> _Measured | None:
    """The piece whose edges lie near where `pose` puts them; None where one of its sides does not show."""
    quad = camera.project(place(pose, box(*size)))
    h, w = coded.shape[:2]
    if (quad < 0).any() or (quad > [w - 1, h - 1]).any():
        return None
    reach = max(3.0, REACH_MM / camera.mm_per_px)
    edges = measure_rectangle(coded, quad, reach_px=reach)
    if edges is None:
        return None
    exact = measure_rectangle(light, edges.corners_px, reach_px=3.0, least_contrast=LEAST_STEP)
    sighting = _sighting(camera, pose, size, (exact or edges).corners_px)
    pose, off_mm = _fit(camera, pose, sighting)
    return _Measured(shape, pose, sighting, edges.score, off_mm) if off_mm < FLAT_MM else None


def _not_covered(measured: list[_Measured], sizes: Sequence[tuple[float, float]]) -> list[_Measured]:
    """Of two that overlap, the one whose outline is whole: the other lies under it."""
    outlines = [shapely.Polygon(place(m.pose, box(*sizes[m.shape]))) for m in measured]
    out = []
    for m, outline in zip(measured, outlines, strict=True):
        over = [
            o
            for o, other in zip(measured, outlines, strict=True)
            if o is not m and other.intersection(outline).area > 20.0
        ]
        if m.whole and all(m.support > o.support for o in over):
            out.append(m)
    return out


def _in_rows(pieces: list[Unnamed], camera: Camera) -> list[Unnamed]:
    """As one reads: a row is what overlaps in height with its first piece by half."""
    left = sorted(pieces, key=lambda p: float(camera.project(p.pose[None, :2])[0, 1]))
    out: list[Unnamed] = []
    while left:
        top = left[0].pose[1]
        row = [p for p in left if p.pose[1] - top < 30.0]
        out += sorted(row, key=lambda p: float(p.pose[0]))
        left = [p for p in left if p not in row]
    return out


# ---- corners ----


def _sighting(camera: Camera, pose: Array, size: tuple[float, float], quad: Array) -> Sighting:
    """Corners (4, 2) px, clockwise from any of them, as those of a piece at `pose`."""
    local = box(*size)
    expected = camera.project(place(pose, local))
    turn = min(range(4), key=lambda k: float(np.abs(np.roll(quad, -k, axis=0) - expected).sum()))
    return Sighting(local, np.roll(quad, -turn, axis=0), np.full(4, 1 / CORNER_SIGMA_PX))


def _fit(camera: Camera, pose: Array, sighting: Sighting) -> tuple[Array, float]:
    """Pose, and the RMS distance of the corners from it, mm."""
    pose, _, residual = solve_pose(camera, pose, sighting)
    return pose, float(np.sqrt((residual**2).sum(1).mean())) * camera.mm_per_px


def _different(quads: Iterable[Array]) -> NDArray[np.float64]:
    """(n, 4, 2) those that are not one piece again in another still."""
    out: list[Array] = []
    for quad in quads:
        near = [o for o in out if float(np.abs(o.mean(0) - quad.mean(0)).max()) < SAME_PX]
        if not any(min(float(np.abs(np.roll(quad, -k, 0) - o).max()) for k in range(4)) < SAME_PX for o in near):
            out.append(quad)
    return np.array(out).reshape(-1, 4, 2)


def _area(quad: Array) -> float:
    return float(shapely.Polygon(quad).area)
