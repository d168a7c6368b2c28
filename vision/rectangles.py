"""Find rectangles of one known proportion in a photograph: no face, no camera, no calibration known.

Proposals are the convex outlines that level sets and edges leave; each is then measured anew on the full picture, by
four lines fitted robustly to sub-pixel edges, and must have an edge along all four sides and be a view of such a
rectangle from some likely camera (`vision.coplanar`). Corners are where the four lines meet, so that rounded corners
do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array
from vision.coplanar import any_view

Image = NDArray[np.uint8]
Float = NDArray[np.float32]

PROPOSE_AT_PX = 960
"""Longest side of the picture on which outlines are looked for. They need to be good to a few pixels only."""

LEVELS = 9
"""Level sets of lightness and of either opponent colour, evenly between their 2nd and 98th percentile: whatever a
card and its cloth are like, a level that parts them lies within a tenth of the picture's range of the best one."""

SHORTEST_SHARE, LONGEST_SHARE = 0.04, 0.9
"""A rectangle's sides as shares of the picture's shorter side: at 4 % a card has no 30 px at 720 lines."""

SOLID = 0.93
"""Least area of an outline over that of its convex hull. A card with its corners rounded off has 1.0; a thumb or a
glare at the rim costs a few per cent."""

FOUR_SIDED = 0.90
"""Least area of the hull over that of the four-sided figure around it. Rounded corners leave 0.985, an ellipse 0.79."""

SAMPLES = 48
INNER = (0.13, 0.87)
"""Part of a side that is sampled: corners of playing cards are rounded off over 5 to 6 % of the short side, and seen
askew the outline found first is off by as much again."""

EDGE_SIGMA_PX = 1.0
"""Smoothing of the edge profile: the blur of a lens and of the sensor's colour filter is about as wide."""

ON_LINE_PX = 0.7
"""A sample this near the fitted line supports it. Samples of a true side scatter by 0.04 to 0.1 px."""

LEAST_CONTRAST = 8.0
"""Grey levels between both sides of an edge. JPEG and noise make steps of up to 4, averaged along a side."""

LEAST_SUPPORT = 0.7
"""Share of a side's samples that must lie on its line, for the worst of the four sides. 104 real cards on a cloth
have 1.0; cards with brown frames on oak down to 0.75."""

SAME_SHARE = 0.05
"""Two rectangles whose corners differ by less than this share of their short side are one."""


@dataclass(frozen=True, eq=False)
class Rectangle:
    """Four straight sides found in a picture."""

    corners_px: Array
    """(4, 2) where the sides would meet, clockwise in the picture, pixel centres at integers, from any of them on."""
    score: float
    """0 to 1: share of samples on the line, of the side that has fewest."""
    contrast: float
    """Colour step across the weakest side, grey levels."""
    sigma_px: float
    """1 sigma of a corner, from the scatter of edge samples about the lines."""


def find_rectangles(
    image: Image,
    aspect: float,
    max_tilt_deg: float = 50.0,
    worth: Callable[[Array], bool] = lambda _: True,
    area_px: tuple[float, float] | None = None,
) -> list[Rectangle]:
    """Rectangles whose sides have the proportion `aspect`, seen from no further askew than `max_tilt_deg`; best first.

    image: (h, w, 3) uint8 BGR. aspect: width over height of the rectangle or the inverse, both mean the same. Sides
    that are covered or leave the picture are not made up: such a rectangle is not found. Frames printed on a card and
    pads under it may be rectangles of that proportion, too; `vision.coplanar.common_plane` knows them by their size.
    worth, area_px: as for `find_outlines`.
    """
    h, w = image.shape[:2]
    found = find_outlines(image, worth, area_px)
    if found:
        seen_so = any_view(np.array([r.corners_px for r in found]), (w, h), aspect, max_tilt_deg)
        found = [r for r, ok in zip(found, seen_so, strict=True) if ok]
    return best_of_each(found)


def find_outlines(
    image: Image, worth: Callable[[Array], bool], area_px: tuple[float, float] | None = None
) -> list[Rectangle]:
    """Four straight sides wherever they are, often several times the same.

    image: (h, w, 3) uint8 BGR. worth: whether a rough quadrilateral (4, 2) px, clockwise, is worth measuring. area_px:
    the areas that are. On a chequered cloth tens of thousands of outlines are not, and would take half a minute.
    """
    pixels = image.astype(np.float32)
    found: list[Rectangle] = []
    seen = _Seen()
    for quad in _proposals(image, area_px):
        if not worth(quad) or seen.before(quad, SAME_SHARE / 2):
            continue
        rectangle = measure_rectangle(pixels, quad)
        if rectangle is not None:
            found.append(rectangle)
    return found


def best_of_each(found: list[Rectangle]) -> list[Rectangle]:
    """The best rectangle of each place, best first."""
    out: list[Rectangle] = []
    middles = np.zeros((len(found), 2))
    for r in sorted(found, key=lambda r: (-round(r.score, 1), r.sigma_px)):
        middle = r.corners_px.mean(0)
        # On a chequered cloth there are a thousand: only those about as near as a side can be the same.
        near = np.flatnonzero(np.hypot(*(middles[: len(out)] - middle).T) < _shortest(r.corners_px))
        if all(_apart(r.corners_px, out[k].corners_px) > SAME_SHARE for k in near.tolist()):
            middles[len(out)] = middle
            out.append(r)
    return out


def measure_rectangle(
    image: Float, quad: Array, reach_px: float | None = None, least_contrast: float = LEAST_CONTRAST
) -> Rectangle | None:
    """Fit four lines to the edges near a rough quadrilateral (4, 2) px; None where one of its sides shows no edge.

    image: (h, w, 3) float32. The edges may be as far away as `reach_px`: 8 % of the shorter side, or what is given.
    """
    near = 0.08 * _shortest(quad)
    reaches = (max(near, 4.0), max(near / 2, 4.0), 4.0) if reach_px is None else (reach_px, reach_px)
    for reach in reaches:
        sides = [_side(image, quad[k], quad[(k + 1) % 4], reach, least_contrast) for k in range(4)]
        if any(s is None for s in sides):
            return None
        lines = [s for s in sides if s is not None]
        corners = [_meet(lines[k - 1], lines[k]) for k in range(4)]
        if any(c is None for c in corners):
            return None
        moved = np.array(corners, float)
        if not _convex(moved) or _apart(moved, quad) > 0.3:
            return None
        quad = moved
    score = min(s.support for s in lines)
    if score < LEAST_SUPPORT:
        return None
    return Rectangle(quad, score, min(s.contrast for s in lines), max(s.sigma for s in lines))


# ---- one side ----


@dataclass(frozen=True, eq=False)
class _Line:
    point: Array
    direction: Array
    support: float
    contrast: float
    sigma: float


def _side(image: Float, a: Array, b: Array, reach: float, least_contrast: float) -> _Line | None:
    """The straight edge near the segment from a to b, at most `reach` px away."""
    length = float(np.hypot(*(b - a)))
    if length < 8:
        return None
    t = (b - a) / length
    inward = np.array([-t[1], t[0]])  # of a clockwise figure, y down
    step = 0.5
    at = np.arange(-reach - 3, reach + 3 + step / 2, step)
    share = np.linspace(*INNER, int(np.clip(length / 2, 8, SAMPLES)))
    grid = (a + share[:, None] * (b - a))[:, None] + at[None, :, None] * inward
    h, w = image.shape[:2]
    # A side that runs along the border of the picture is where the picture ends, not the thing.
    edge = grid[:, [0, -1]]
    if ((edge < 0) | (edge > [w - 1, h - 1])).any(2).mean() > 0.15:
        return None
    m = grid.astype(np.float32)
    profile = cv2.remap(image, m[..., 0], m[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    # One number per pixel: colour along the line from outside to inside, so that edges between equal brightness count.
    outside, inside = profile[:, at < -1], profile[:, at > 1]
    step_colour = np.median(inside.reshape(-1, 3), axis=0) - np.median(outside.reshape(-1, 3), axis=0)
    norm = float(np.linalg.norm(step_colour))
    if norm < 1e-3:
        return None
    signal = cv2.GaussianBlur(profile @ (step_colour / norm), (0, 0), sigmaX=EDGE_SIGMA_PX / step, sigmaY=0.5)
    slope = np.gradient(signal, step, axis=1)
    k = np.clip(slope[:, 5:-5].argmax(1) + 5, 1, slope.shape[1] - 2)
    rows = np.arange(len(k))
    left, mid, right = slope[rows, k - 1], slope[rows, k], slope[rows, k + 1]
    curve = left - 2 * mid + right
    off = at[k] + step * np.where(curve < 0, 0.5 * (left - right) / np.minimum(curve, -1e-9), 0.0)
    along = share * length
    offset, angle = _robust_line(along, off)
    away = np.abs(off - (offset + angle * along))
    good = (away < ON_LINE_PX) & (mid > least_contrast / 4)
    if good.sum() < 5:
        return None
    angle, offset = np.polyfit(along[good], off[good], 1)
    residual = off - (offset + angle * along)
    good = (np.abs(residual) < ON_LINE_PX) & (mid > least_contrast / 4)
    # A step of height c, blurred to sigma s, is steepest by c / (s sqrt(2 pi)); the picture's own blur is as wide.
    contrast = float(np.median(mid)) * EDGE_SIGMA_PX * np.sqrt(2) * np.sqrt(2 * np.pi)
    if contrast < least_contrast:
        return None
    point = a + offset * inward
    direction = t + angle * inward
    spread = float(np.sqrt(np.mean(residual[good] ** 2))) if good.any() else reach
    # Twice the error of the mean: a corner lies outside the part of the side that was sampled.
    return _Line(point, direction, float(good.mean()), contrast, 2 * spread / np.sqrt(max(int(good.sum()), 1)) + 0.02)


def _robust_line(x: Array, y: Array) -> tuple[float, float]:
    """Offset and slope by Theil and Sen: up to 29 % of the points may be anywhere."""
    i, j = np.triu_indices(len(x), max(1, len(x) // 4))
    slope = float(np.median((y[j] - y[i]) / (x[j] - x[i])))
    return float(np.median(y - slope * x)), slope


def _meet(a: _Line, b: _Line) -> Array | None:
    m = np.column_stack([a.direction, -b.direction])
    if abs(np.linalg.det(m)) < 0.1:
        return None
    s = np.linalg.solve(m, b.point - a.point)
    return np.asarray(a.point + s[0] * a.direction, float)


# ---- proposals ----


def _proposals(image: Image, area_px: tuple[float, float] | None) -> Iterator[Array]:
    """Rough quadrilaterals (4, 2) px of the full picture, clockwise."""
    h, w = image.shape[:2]
    zoom = min(1.0, PROPOSE_AT_PX / max(h, w))
    small = cv2.resize(image, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA) if zoom < 1 else image
    soft = np.asarray(cv2.GaussianBlur(small, (0, 0), 1.0), np.uint8)
    short = min(small.shape[:2])
    least, most = (SHORTEST_SHARE * short) ** 2, (LONGEST_SHARE * short) ** 2
    if area_px is not None:
        least, most = max(least, area_px[0] * zoom**2), min(most, area_px[1] * zoom**2)
    for mask in _masks(soft):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for c in contours:
            if len(c) < 4 or not least <= cv2.contourArea(c) <= most:
                continue
            quad = _four_sides(np.asarray(c, np.int32))
            if quad is not None and _shortest(quad) >= SHORTEST_SHARE * short:
                yield (quad + 0.5) / zoom - 0.5


def _masks(small: Image) -> Iterator[Image]:
    """Binary pictures in which a whole rectangle may be one connected thing."""
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB)
    for channel in cv2.split(lab):
        low, high = np.percentile(channel[::3, ::3], [2, 98])
        for level in np.linspace(low, high, LEVELS + 2)[1:-1]:
            if high - low >= LEAST_CONTRAST:
                yield np.asarray((channel > level).astype(np.uint8) * 255, np.uint8)
    # Where light is uneven no one level parts card and cloth; a closed line of edges does.
    for strong in (30, 80):
        edges = cv2.Canny(lab[..., 0], strong / 2, strong)
        yield np.asarray(cv2.dilate(edges, np.ones((3, 3), np.uint8)), np.uint8)


def _four_sides(contour: NDArray[np.int32]) -> Array | None:
    """The quadrilateral around a contour, clockwise; None when the contour is not four-sided."""
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    if area <= 0 or cv2.contourArea(contour) < SOLID * area:
        return None
    quad = _around(hull.reshape(-1, 2).astype(float))
    if quad is None or area < FOUR_SIDED * cv2.contourArea(quad.astype(np.float32)):
        return None
    return quad


def _around(hull: Array) -> Array | None:
    """A small quadrilateral around a convex polygon (n, 2): the side that costs least area is given up until four stay.

    A side given up is replaced by its neighbours, drawn out until they meet, so that rounded corners become sharp.
    """
    p = hull if cv2.contourArea(hull.astype(np.float32), True) > 0 else hull[::-1]
    p = cv2.approxPolyDP(p.astype(np.float32), 1.0, True).reshape(-1, 2).astype(float)
    while len(p) > 4:
        n = len(p)
        best: tuple[float, int, Array] | None = None
        for k in range(n):
            a, b, c, d = p[k - 1], p[k], p[(k + 1) % n], p[(k + 2) % n]
            m = np.column_stack([b - a, d - c])
            det = float(np.linalg.det(m))
            if abs(det) < 1e-9:
                continue
            s = np.linalg.solve(m, d - a)
            if s[0] < 1 or s[1] < 1:
                continue
            x = a + s[0] * (b - a)
            u, v = b - x, c - x
            cost = abs(float(u[0] * v[1] - u[1] * v[0]))
            if best is None or cost < best[0]:
                best = cost, k, x
        if best is None:
            return None
        _, k, x = best
        p = np.insert(np.delete(p, [k, (k + 1) % n], axis=0), k if k + 1 < n else 0, x, axis=0)
    return p if len(p) == 4 and _convex(p) else None


# ---- four corners ----


class _Seen:
    """Quadrilaterals that came before, in one array: each new one is compared with all."""

    def __init__(self) -> None:
        self._quads = np.zeros((64, 4, 2))
        self._short = np.zeros(64)
        self._n = 0

    def before(self, quad: Array, share: float) -> bool:
        """Whether one with corners no farther away than `share` of the shorter side was here; takes it in if not."""
        short = _shortest(quad)
        quads, shorts = self._quads[: self._n], self._short[: self._n]
        reach = share * np.maximum(np.minimum(shorts, short), 1e-9)
        near = np.abs(quads.mean(1) - quad.mean(0)).max(1) <= reach
        for other, limit in zip(quads[near], reach[near], strict=True):
            if min(float(np.hypot(*(quad[TURNS[k]] - other).T).max()) for k in range(4)) < limit:
                return True
        if self._n == len(self._short):
            self._quads = np.concatenate([self._quads, np.zeros_like(self._quads)])
            self._short = np.concatenate([self._short, np.zeros_like(self._short)])
        self._quads[self._n], self._short[self._n] = quad, short
        self._n += 1
        return False


TURNS = np.array([[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]])
"""The same corners from another one on."""


def _shortest(quad: Array) -> float:
    return float(np.hypot(*(quad[TURNS[3]] - quad).T).min())


def _convex(quad: Array) -> bool:
    """Whether four points run clockwise in the picture around a convex figure."""
    e = quad[TURNS[3]] - quad
    f = e[TURNS[3]]
    return bool((e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0] > 0).all())


def _apart(a: Array, b: Array) -> float:
    """Largest distance of corresponding corners as a share of the shorter side, whichever corner is first."""
    short = max(min(_shortest(a), _shortest(b)), 1e-9)
    middles = float(np.hypot(*(a.mean(0) - b.mean(0))))
    if middles > short:
        return middles / short  # the corners are no nearer than that
    return min(float(np.hypot(*(a[TURNS[k]] - b).T).max()) for k in range(4)) / short
