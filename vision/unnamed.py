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
from vision.camera import N_PARAMS, Array, Camera, box, guess_camera, place
from vision.coplanar import LEAST_AGREEING, OUTLINE_VOTES, common_plane
from vision.outlines import pose_of_outline
from vision.rectangles import Float, Image, find_outlines, find_rectangles, measure_rectangle
from vision.solve import Sighting, Solution, solve, solve_pose

FRAME_TOLERANCE = 0.2
"""How much smaller than the piece a rectangle may be to be a frame printed on it: 5 mm inside a card of 59."""

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
RIM_SIGMA_MM = 0.15
"""How far outside of a piece its edges are usually seen: +0.16, -0.09 and +0.04 mm in three recordings, +0.22 on a
table of the generator. Left in, all of it goes into the scale: a deck learned there had gaps off by 0.74 mm (95 %)."""
LEAST_FREEDOM, LEAST_LEFT = 12, 0.05
"""Four pieces; and squared residuals, in units of `CORNER_SIGMA_PX`, that are never believed to be less."""

MOST_FOR_CAMERA = 20
STILLS_FOR_CAMERA = 8
"""Stills in which rectangles are looked for before the camera is known, evenly from first to last."""
SAME_PX = 2.0
"""Rectangles in different stills whose corners differ by less are one piece that still lies there."""

SAME_MM = 1.5
"""Proposals nearer than that are of one outline, and its measure is the same from either."""

EXACT_MM = 0.8
"""Beyond, a rectangle says nothing for a camera. Outlines of flat cards are off by 0.1 to 0.3 mm."""

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
    h, w = stills[0].shape[:2]
    few = sorted({round(k) for k in np.linspace(len(stills) - 1, 0, STILLS_FOR_CAMERA)})
    rectangles = [
        [(k, r.corners_px) for k, size in enumerate(sizes) for r in find_rectangles(stills[n], size[0] / size[1])]
        for n in few
    ]
    camera = _first_camera(rectangles, sizes, (w, h))
    if camera is None:
        return None
    found: list[list[_Measured]] = []
    for still in stills:
        found.append(_in_still(still, camera, sizes, found[-1] if found else []))
    if not any(found):
        return None
    camera, _ = _solve_again(camera, found)
    found = [_again(still, camera, sizes, one) for still, one in zip(stills, found, strict=True)]
    if not any(found):
        return None
    camera, rms_px, rim_mm = _solve_with_rim(camera, found, sizes)
    out = []
    for n, one in enumerate(found):
        one = [_grown(m, sizes, rim_mm) for m in one]
        settled = [replace(m, pose=_fit(camera, m.pose, m.sighting)[0]) for m in one]
        out += _in_rows([Unnamed(n, m.shape, m.pose, m.whole) for m in _not_covered(settled, sizes)], camera)
    return Seen(camera, tuple(out), rms_px)


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
    rectangles: list[list[tuple[int, Array]]], sizes: Sequence[tuple[float, float]], size_px: tuple[int, int]
) -> Camera | None:
    """The camera that best makes the rectangles of all stills pieces of one size. rectangles: shape and corners px.

    Tried are the planes of each still and of all together: printed frames and chance rectangles of a wooden table may
    agree on a plane of their own (9 of 13 by 1.5 px in one recording), but not as exactly as outlines do.
    """
    ballots: list[tuple[float, Camera]] = []
    together = [r for one in rectangles for r in one]
    for k, size in enumerate(sizes):
        everything = _different(quad for shape, quad in together if shape == k)
        for quads in [everything, *(np.array([q for shape, q in one if shape == k]) for one in rectangles)]:
            plane = common_plane(quads, size_px, size) if len(quads) >= LEAST_AGREEING else None
            if plane is not None:
                ballots.append((_explained(plane.camera, everything, size), plane.camera))
    if ballots:
        most = max(worth for worth, _ in ballots)
        # Of those that explain nearly as much, the one that takes the largest rectangles for the pieces.
        return min((camera for worth, camera in ballots if worth >= OUTLINE_VOTES * most), key=lambda c: c.mm_per_px)
    return _from_few(together, sizes, size_px)


def _explained(camera: Camera, quads: Array, size: tuple[float, float]) -> float:
    """How many of the quadrilaterals are pieces of that size; one that is off by half of `EXACT_MM` counts 0.75."""
    worth = 0.0
    for quad in quads:
        pose = pose_of_outline(camera.unproject(quad), size)
        if pose is not None:
            worth += max(0.0, 1 - (_fit(camera, pose, _sighting(camera, pose, size, quad))[1] / EXACT_MM) ** 2)
    return worth


def _from_few(
    rectangles: list[tuple[int, Array]], sizes: Sequence[tuple[float, float]], size_px: tuple[int, int]
) -> Camera | None:
    """One or two pieces, or one place where they lay one after another: the largest rectangles are their outlines."""
    if not rectangles:
        return None
    shape = max(rectangles, key=lambda r: _area(r[1]))[0]
    quads = _different(quad for k, quad in rectangles if k == shape)
    largest = max(_area(q) for q in quads)
    size = sizes[shape]
    camera = guess_camera(*size_px, float(np.sqrt(largest / (size[0] * size[1]))))
    sightings = []
    for quad in [q for q in quads if _area(q) > 0.85 * largest][:MOST_FOR_CAMERA]:
        pose = pose_of_outline(camera.unproject(quad), size, 0.5)
        if pose is not None:
            sightings.append(_sighting(camera, pose, size, quad))
    return solve(camera, sightings).camera if sightings else None


def _solve_again(camera: Camera, found: list[list[_Measured]]) -> tuple[Camera, float]:
    """By the best pieces in different places."""
    prior = guess_camera(camera.width, camera.height, 1 / camera.mm_per_px)
    solution = solve(camera, [p.sighting for p in _best(found)], prior)
    return solution.camera, solution.rms_px


def _solve_with_rim(
    camera: Camera, found: list[list[_Measured]], sizes: Sequence[tuple[float, float]]
) -> tuple[Camera, float, float]:
    """Camera, residual px, and by how many mm every edge is seen outside of where it is.

    Light, shadow and exposure draw all outlines of one table outwards or inwards alike. A card that is wider and higher
    by the same has another proportion: many cards, lying different ways, tell that from a tilt and from the scale.
    """
    chosen = _best(found)
    prior = guess_camera(camera.width, camera.height, 1 / camera.mm_per_px)

    def solved(rim_mm: float) -> Solution:
        return solve(camera, [_grown(p, sizes, rim_mm).sighting for p in chosen], prior)

    rim_mm = 0.0
    freedom = 5 * len(chosen) - N_PARAMS  # eight coordinates a piece, less its pose
    if freedom >= LEAST_FREEDOM:
        steps = np.linspace(-0.4, 0.4, 5)
        a, b, c = np.polyfit(steps, [solved(s).cost for s in steps], 2)
        if a > 0:
            left = max((c - b * b / (4 * a)) / freedom, LEAST_LEFT)
            rim_mm = float(-b / (2 * (a + left / RIM_SIGMA_MM**2)))
    solution = solved(rim_mm)
    return solution.camera, solution.rms_px, rim_mm


def _grown(m: _Measured, sizes: Sequence[tuple[float, float]], rim_mm: float) -> _Measured:
    """With corners that lie so far outside of the piece's own on all sides."""
    width, height = sizes[m.shape]
    local = box(width + 2 * rim_mm, height + 2 * rim_mm)
    return replace(m, sighting=replace(m.sighting, local_mm=local))


def _best(found: list[list[_Measured]]) -> list[_Measured]:
    """Whole and flat ones in different places."""
    chosen: list[_Measured] = []
    for p in sorted((p for one in found for p in one), key=lambda p: (not p.whole, p.off_mm)):
        if all(float(np.hypot(*(p.pose[:2] - c.pose[:2]))) > 20.0 for c in chosen):
            chosen.append(p)
        if len(chosen) == MOST_FOR_CAMERA:
            break
    return chosen


# ---- one still ----


def _in_still(
    still: Image, camera: Camera, sizes: Sequence[tuple[float, float]], before: list[_Measured]
) -> list[_Measured]:
    """Every piece in a still, each once. before: those of the still before, most of which lie there yet."""
    coded, light = _coded_and_light(still)
    found = [m for m in _again(still, camera, sizes, before) if m.whole]
    for quad in _from_above(still, camera, sizes, found):
        for shape, size in enumerate(sizes):
            pose = pose_of_outline(quad, size, FRAME_TOLERANCE)
            if pose is None or any(m.whole and m.shape == shape and _same_place(m.pose, pose) for m in found):
                continue
            measured = _measure(coded, light, camera, pose, shape, size)
            if measured is not None:
                found.append(measured)
    out: list[_Measured] = []
    for m in sorted(found, key=lambda m: (-round(m.support, 1), m.off_mm)):
        apart = min(sizes[m.shape]) / 4
        if all(float(np.hypot(*(m.pose[:2] - o.pose[:2]))) > apart for o in out):
            out.append(m)
    return out


def _again(
    still: Image, camera: Camera, sizes: Sequence[tuple[float, float]], before: list[_Measured]
) -> list[_Measured]:
    """The same pieces under a better camera."""
    coded, light = _coded_and_light(still)
    poses = [_fit(camera, m.pose, m.sighting)[0] for m in before]
    found = [_measure(coded, light, camera, p, m.shape, sizes[m.shape]) for p, m in zip(poses, before, strict=True)]
    return [m for m in found if m is not None]


def _coded_and_light(still: Image) -> tuple[Float, Float]:
    linear = np.asarray(255 * (np.arange(256) / 255) ** GAMMA, np.float32)
    return still.astype(np.float32), linear[still]


def _same_place(a: Array, b: Array) -> bool:
    """Whether two proposals are the same outline, either way up."""
    turn = abs((a[2] - b[2] + np.pi / 2) % np.pi - np.pi / 2)
    return float(np.hypot(*(a[:2] - b[:2]))) < SAME_MM and turn < np.radians(2)


def _from_above(
    still: Image, camera: Camera, sizes: Sequence[tuple[float, float]], found: list[_Measured]
) -> list[Array]:
    """(4, 2) mm corners of outlines whose middles are not those of pieces found already.

    They are looked for where tilt and lens are taken out: every side is straight and every size true there.
    """
    view = table_view(still, np.full(still.shape[:2], 255, np.uint8), camera)
    if view is None:
        return []
    middles = np.array([m.pose[:2] for m in found]).reshape(-1, 2)
    apart = min(min(size) for size in sizes) / 4
    areas = [w * h * view.px_per_mm**2 for w, h in sizes]

    def worth(quad: Array) -> bool:
        corners = view.to_table(quad)
        if len(middles) and float(np.hypot(*(middles - corners.mean(0)).T).min()) < apart:
            return False
        return any(pose_of_outline(corners, size, FRAME_TOLERANCE) is not None for size in sizes)

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
