"""Who lies on top where two outlines overlap, and how much of each piece is in view.

In each overlap the picture shows one of the two faces. Each face's scan, lit as the rest of that piece is lit, predicts
what the overlap would look like were it on top; the better prediction wins (analysis by synthesis).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray

from vision.camera import Array, Camera
from vision.facebank import FaceBank, Float, log_colour, normalise, rect_size
from vision.found import Found, corners_mm
from vision.measure import tiles_apart
from vision.rectify import rectify_map
from vision.sampling import sample
from vision.still_image import Still

LIGHT_SIGMA_PX = 14.0
"""Light and print tone are taken to be smooth over this radius (9 mm) of a rectified face."""

CLIP = 0.5
"""Log units beyond which a wrong prediction is simply wrong: one highlight must not outvote an overlap."""

SHAPE_WEIGHT, SHAPE_CLIP = 0.5, 2.0
"""What locally normalised luma adds: glare takes contrast away, which light alone does not tell. Of 86 overlaps on 22
random tables, the hard ones among them, 11 were wrong without it, 2 of them surely so; with it 9 and none."""

SPREAD = 0.16
"""Spread of the difference of the two prediction errors from point to point, log units (bundled footage)."""

SURE = 0.9
LID_MARGIN_MM = 1.0
"""Blur and rounding around a piece that covers an overlap."""

CORRELATED_MM2 = 6.0
"""Area that counts as one independent point: print strokes and blur are about 2.5 mm wide."""


@dataclass(frozen=True)
class Stacked:
    over: int
    under: int
    area_mm2: float
    confidence: float


def _errors(
    still: Still, camera: Camera, bank: FaceBank, found: list[Found], outlines: list[Array]
) -> list[tuple[Float, NDArray[np.bool_]]]:
    """For each piece: (h, w) prediction error of its rectified face were it on top; (h, w) inside the frame."""
    out = []
    w_img, h_img = still.size
    polygons = [shapely.Polygon(o) for o in outlines]
    for i, f in enumerate(found):
        t = bank.templates[f.template]
        m = rectify_map(camera, f.pose, *t.size_mm)
        patch = np.asarray(sample(still.bgr, m, border=cv2.BORDER_REPLICATE), np.uint8)
        inside = (m[..., 0] >= 0) & (m[..., 0] <= w_img - 1) & (m[..., 1] >= 0) & (m[..., 1] <= h_img - 1)
        d = log_colour(patch) - t.log_bgr
        free = inside.astype(np.float32)
        for j, other in enumerate(outlines):
            if j != i and polygons[i].intersects(polygons[j]):
                cv2.fillConvexPoly(free, np.round(_to_rect(f, t.size_mm, other)).astype(np.int32), 0.0)
        weight = cv2.GaussianBlur(free, (0, 0), LIGHT_SIGMA_PX)[..., None]
        light = cv2.GaussianBlur(d * free[..., None], (0, 0), LIGHT_SIGMA_PX)
        total = float(free.sum())
        overall = (d * free[..., None]).sum((0, 1)) / total if total > 50 else np.median(d.reshape(-1, 3), 0)
        # Far from any free pixel the overall light takes over.
        light = (light + 0.02 * overall) / (weight + 0.02)
        shape = np.minimum(np.abs(normalise(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY)) - t.luma), SHAPE_CLIP)
        error = cv2.blur(np.abs(d - light).mean(2) + SHAPE_WEIGHT * shape, (3, 3))
        out.append((error, inside))
    return out


def _to_rect(f: Found, size_mm: tuple[float, float], table_mm: Array) -> Array:
    """Table points (n, 2) mm to pixels (n, 2) of a piece's rectified face."""
    c, s = np.cos(f.pose[2]), np.sin(f.pose[2])
    d = table_mm - f.pose[:2]
    x, y = c * d[:, 0] + s * d[:, 1], -s * d[:, 0] + c * d[:, 1]
    w, h = rect_size(*size_mm)
    return np.column_stack([(x + size_mm[0] / 2) * w / size_mm[0] - 0.5, (y + size_mm[1] / 2) * h / size_mm[1] - 0.5])


def stack(
    still: Still, camera: Camera, bank: FaceBank, found: list[Found], radius_mm: float, least_mm2: float = 1.0
) -> tuple[list[Stacked], list[float]]:
    """Overlapping pairs with who lies on top, and the share of each piece that is in the frame and not covered.

    radius_mm: of the rounded corners. least_mm2: smaller overlaps are not looked at.
    """
    outlines = [corners_mm(bank, f) for f in found]
    rounded = [shapely.Polygon(o).buffer(-radius_mm).buffer(radius_mm, quad_segs=6) for o in outlines]
    if not found:  # the table has been cleared; shapely cannot be asked about nothing
        return [], []
    pairs = []
    tree = shapely.STRtree(rounded)
    beside = tiles_apart(bank, found)
    for i, j in sorted(zip(*map(list, tree.query(rounded, predicate="intersects")), strict=True)):
        if i < j and not beside[i, j]:
            shared = rounded[i].intersection(rounded[j])
            if shared.area >= least_mm2:
                pairs.append((i, j, shared))
    involved = sorted({k for i, j, _ in pairs for k in (i, j)})
    errors = dict(
        zip(
            involved,
            _errors(still, camera, bank, [found[k] for k in involved], [outlines[k] for k in involved]),
            strict=True,
        )
    )
    stacked = [_decide(bank, found, errors, i, j, shared) for i, j, shared in pairs]
    # A third piece may lie over both: what it hides cannot speak, so such overlaps are judged again by what is left.
    above = {(s.over, s.under) for s in stacked if s.confidence > SURE}
    for n, (i, j, shared) in enumerate(pairs):
        lids = [rounded[k] for k in range(len(found)) if (k, i) in above and (k, j) in above]
        if lids:
            left = shared.difference(shapely.union_all(lids).buffer(LID_MARGIN_MM))
            again = _decide(bank, found, errors, i, j, left) if left.area > least_mm2 else Stacked(i, j, 0.0, 0.5)
            stacked[n] = Stacked(again.over, again.under, float(shared.area), again.confidence)
    return stacked, _visible(still, camera, bank, found, rounded, stacked)


def _decide(
    bank: FaceBank,
    found: list[Found],
    errors: dict[int, tuple[Float, NDArray[np.bool_]]],
    i: int,
    j: int,
    shared: shapely.Polygon,
) -> Stacked:
    points = _grid(shared)
    sampled = []
    for k in (i, j):
        error, inside = errors[k]
        p = _to_rect(found[k], bank.templates[found[k].template].size_mm, points).astype(np.float32)
        e = sample(error, p[None], border=cv2.BORDER_REPLICATE).ravel()
        ok = sample(inside.astype(np.float32), p[None], nearest=True).ravel() > 0
        sampled.append((np.minimum(e, CLIP), ok))
    ok = sampled[0][1] & sampled[1][1]
    if not ok.any():
        return Stacked(i, j, float(shared.area), 0.5)
    lead = (sampled[1][0] - sampled[0][0])[ok]
    independent = max(1.0, shared.area * ok.mean() / CORRELATED_MM2)
    z = float(lead.mean()) / SPREAD * np.sqrt(independent)
    confidence = float(1 / (1 + np.exp(-min(abs(z), 30.0))))
    over, under = (i, j) if z >= 0 else (j, i)
    return Stacked(over, under, float(shared.area), confidence)


def _grid(shared: shapely.Polygon) -> Array:
    """(n, 2) table points spread evenly over a polygon, at most about 900."""
    x0, y0, x1, y1 = shared.bounds
    step = max(0.5, float(np.sqrt(shared.area / 900)))
    gx, gy = np.meshgrid(np.arange(x0 + step / 2, x1, step), np.arange(y0 + step / 2, y1, step))
    inner = shared.buffer(-0.4)
    target = inner if inner.area > 0 else shared
    inside = shapely.contains_xy(target, gx.ravel(), gy.ravel())
    p = np.column_stack([gx.ravel(), gy.ravel()])[inside]
    return p if len(p) else np.array([[target.representative_point().x, target.representative_point().y]])


def _visible(
    still: Still,
    camera: Camera,
    bank: FaceBank,
    found: list[Found],
    rounded: list[shapely.Polygon],
    stacked: list[Stacked],
) -> list[float]:
    w, h = still.size
    edge = np.array([[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]], float)
    out = []
    for i, polygon in enumerate(rounded):
        covers = [rounded[s.over] for s in stacked if s.under == i]
        area = polygon.area
        left = polygon.difference(shapely.union_all(covers)) if covers else polygon
        px = camera.project(corners_mm(bank, found[i]))
        if (px < 0).any() or (px[:, 0] > w - 1).any() or (px[:, 1] > h - 1).any():
            # Distortion bends the frame's edge on the table by less than a millimetre over one card: corners suffice.
            view = shapely.Polygon(camera.unproject(_between(edge)))
            left = left.intersection(view)
        out.append(float(left.area / area))
    return out


def _between(quad: Array, n: int = 16) -> Array:
    """Points along the sides of a quadrilateral."""
    return np.concatenate([np.linspace(quad[k], quad[(k + 1) % 4], n, endpoint=False) for k in range(4)])
