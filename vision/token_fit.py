"""Lay outlines of pieces over maps of evidence: they cover what speaks for a piece and spare what speaks against it.

A map holds for each pixel the log likelihood ratio of "a piece of this colour" to "what lies there without it". The sum
under an outline is then the evidence for a piece standing just there, turned just so; where pieces touch, the best one
is taken first, its pixels are explained, and afterwards each is placed anew given the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera
from vision.facebank import Float
from vision.scene import TokenKind
from vision.token_backdrop import Window
from vision.token_shapes import LYING, Shape, Stamp, StampBook, shapes_of, stamp, variants, view_at

EXPLAINED = -0.4
"""What a pixel that already belongs to a piece says for another: a piece may hide part of its neighbour."""
PROMISING_MEAN, LEAST_MEAN = 0.2, 0.5
"""Mean evidence a pixel under a piece, roughly placed and at its very place and angle: there it is up to 0.4 more."""
SEED = 0.6
"""Evidence from which a pixel is worth looking around."""
LEAST_SHARE = 0.3
"""Of a shape's area that a region of such pixels must have."""
MOST_TOGETHER = 12
LEFT_OVER = 0.7
"""Share of a region's evidence that may remain unexplained: beyond it the region is another thing of that colour."""
GOES_ON = 0.4
"""Share of the ring around a piece that may be of its colour, too: more, and it is a part of something larger."""
ROUNDS = 2
DECIDED = 1.2
"""Lead a pixel of one pose over the other that no finer look turns round."""
NOTCHES = 0.03
"""Evidence a pixel in favour of lying: shadows fill the notches between arms and legs. Without it three in four of the
wrong poses on 60 generated boards were of lying meeples."""
FINE_DEG = (-10.0, -5.0, 5.0, 10.0)


@dataclass(frozen=True, eq=False)
class Placed:
    """A shape laid over the map."""

    stamp: Stamp
    at: tuple[int, int]
    """Reduced px (x, y) of the foot of its middle."""
    colour: str
    evidence: float
    """Sum under it."""
    rest: tuple[float, float] = (0.0, 0.0)
    """What is left of its place beyond whole pixels."""
    rival: Placed | None = None
    """The best of another pose there."""

    @property
    def mean(self) -> float:
        return self.evidence / max(self.stamp.area, 1.0)

    @property
    def lead(self) -> float:
        """Evidence a pixel by which its pose is ahead of the other one."""
        if self.rival is None:
            return 1.0
        return (self.weighed - self.rival.weighed) / max(self.stamp.area, 1.0)

    @property
    def weighed(self) -> float:
        """Evidence for comparing poses."""
        return self.evidence + (NOTCHES * self.stamp.area if self.stamp.shape.pose == LYING else 0.0)

    def window(self, shape: tuple[int, ...]) -> tuple[slice, slice, slice, slice] | None:
        """Rows and columns of a map that its stamp covers, and those of the stamp itself; None when outside."""
        mh, mw = self.stamp.cover.shape
        x, y = self.at[0] - self.stamp.origin[0], self.at[1] - self.stamp.origin[1]
        y0, y1, x0, x1 = max(y, 0), min(y + mh, shape[0]), max(x, 0), min(x + mw, shape[1])
        if y0 >= y1 or x0 >= x1:
            return None
        return slice(y0, y1), slice(x0, x1), slice(y0 - y, y1 - y), slice(x0 - x, x1 - x)

    def pixel(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """Row and column of its foot, within a map."""
        return min(max(self.at[1], 0), shape[0] - 1), min(max(self.at[0], 0), shape[1] - 1)

    def seen(self, shape: tuple[int, ...], shrink: int = 0) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
        """Rows and columns of a map about it, and there True where it is seen, `shrink` pixels within its rim."""
        where = self.window(shape)
        if where is None:
            return (slice(0, 0), slice(0, 0)), np.zeros((0, 0), bool)
        cover = self.stamp.cover
        if shrink:
            k = 2 * shrink + 1
            cover = np.asarray(cv2.erode(cover, np.ones((k, k), np.uint8), borderValue=0), np.float32)
        return (where[0], where[1]), cover[where[2], where[3]] > 0.5

    def pixels(self, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """(h, w) True where it is seen."""
        out = np.zeros(shape[:2], bool)
        where, mask = self.seen(shape)
        out[where] = mask
        return out

    def moved(self, x: int, y: int) -> Placed:
        """The same in a map that begins elsewhere."""
        return replace(self, at=(self.at[0] + x, self.at[1] + y))


def fit_colour(
    weight: Float,
    colour: str,
    kind: TokenKind,
    book: StampBook,
    changed: NDArray[np.bool_] | None = None,
    window: Window | None = None,
    frame: tuple[int, int] | None = None,
) -> list[Placed]:
    """All pieces of one colour in a map (h, w) of evidence; with `changed` (h, w) only of regions that it touches.

    window: which part of the frame (rows, columns) the map is, if not all of it; a piece must then be wholly within.
    """
    frame = frame or (weight.shape[0], weight.shape[1])
    window = window or Window(0, 0, frame[1], frame[0])
    shapes = shapes_of(kind)
    seeds = (cv2.blur(weight, (3, 3)) > SEED).astype(np.uint8)
    reach = reach_of(kind)
    least = LEAST_SHARE * min(s.length_mm * s.width_mm for s in shapes)
    # Windows and folds part a piece's colour: what is nearer than 3 mm is looked at together.
    joined = cv2.dilate(seeds, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
    out: list[Placed] = []
    for k in range(1, count):
        x, y, w, h, _ = (int(v) for v in stats[k])
        own = labels[y : y + h, x : x + w] == k
        if int((seeds[y : y + h, x : x + w] > 0)[own].sum()) < least:
            continue
        if changed is not None and not changed[y : y + h, x : x + w][own].any():
            continue
        part = Window(x, y, x + w, y + h).grown(reach).within(weight.shape)
        if part.area > frame[0] * frame[1] / 3:
            continue  # a third of the frame is no piece
        corner = part.x0 + window.x0, part.y0 + window.y0
        out += _fit_region(weight[part.pixels].copy(), own, (x - part.x0, y - part.y0), corner, colour, kind, book)
    return [p for p in out if _within(p, window, frame)]


def reach_of(kind: TokenKind) -> int:
    """Reduced px about a spot of a piece's colour within which all of the piece is seen."""
    return int(max(max(s.length_mm, s.width_mm) + s.height_mm for s in shapes_of(kind))) + 4


def _within(p: Placed, window: Window, frame: tuple[int, int]) -> bool:
    """Whether a window shows all of a piece that the frame shows."""
    x, y = p.at[0] - p.stamp.origin[0], p.at[1] - p.stamp.origin[1]
    h, w = p.stamp.cover.shape
    seen = Window(x, y, x + w, y + h).within(frame)
    return seen == seen.within((window.y1, window.x1)) and seen.x0 >= window.x0 and seen.y0 >= window.y0


def _fit_region(
    part: Float,
    region: NDArray[np.bool_],
    region_at: tuple[int, int],
    corner: tuple[int, int],
    colour: str,
    kind: TokenKind,
    book: StampBook,
) -> list[Placed]:
    """Pieces in a region of a part of the map. region_at: column and row of the region in the part; corner: of the part
    in the frame."""
    shapes = shapes_of(kind)
    own = np.zeros(part.shape, bool)
    x, y = region_at
    own[y : y + region.shape[0], x : x + region.shape[1]] = region
    part[(part > 0) & ~own] = 0.0  # that of another region
    total = float(part[own & (part > 0)].sum())
    placed: list[Placed] = []
    left = part.copy()
    least = LEAST_MEAN * LEAST_SHARE * min(s.length_mm * s.width_mm for s in shapes)
    while len(placed) < MOST_TOGETHER and float(left[own & (left > 0)].sum()) > least:
        best = _best(left, corner, colour, shapes, book, own)
        if best is None or best.mean < PROMISING_MEAN:
            break
        placed.append(best)
        left = _without(part, placed, corner)
    if len(placed) > 1:
        for _ in range(ROUNDS):
            for i in range(len(placed)):
                others = placed[:i] + placed[i + 1 :]
                again = _best(_without(part, others, corner), corner, colour, shapes, book, own)
                if again is not None:
                    placed[i] = again
    placed = [
        _settled(p, _without(part, [q for q in placed if q is not p], corner), corner, kind, book) for p in placed
    ]
    kept = [p for p in placed if p.mean >= LEAST_MEAN]
    remaining = _without(part, kept, corner)
    rest = float(remaining[own & (remaining > 0)].sum())
    if rest > LEFT_OVER * total:
        return []
    return [p for p in kept if _goes_on(p, remaining, corner) < GOES_ON]


def _goes_on(p: Placed, remaining: Float, corner: tuple[int, int]) -> float:
    """Share of a narrow ring around a piece that speaks for its colour, too, and belongs to no other piece."""
    mask = p.moved(-corner[0], -corner[1]).pixels(remaining.shape).astype(np.uint8)
    ring = (cv2.dilate(mask, np.ones((7, 7), np.uint8)) > 0) & (cv2.dilate(mask, np.ones((3, 3), np.uint8)) == 0)
    return float((remaining[ring] > SEED).mean()) if ring.any() else 0.0


def _without(part: Float, placed: list[Placed], corner: tuple[int, int]) -> Float:
    out = part.copy()
    for p in placed:
        where, mask = p.moved(-corner[0], -corner[1]).seen(part.shape)
        here = out[where]
        here[mask] = np.minimum(here[mask], EXPLAINED)
    return out


def _best(
    part: Float,
    corner: tuple[int, int],
    colour: str,
    shapes: tuple[Shape, ...],
    book: StampBook,
    own: NDArray[np.bool_],
) -> Placed | None:
    """The best shape, angle and place within a part of the map whose top left pixel is `corner`."""
    positive = own & (part > 0)
    if not positive.any():
        return None
    ys, xs = np.nonzero(positive)
    middle = np.array([corner[0] + xs.mean(), corner[1] + ys.mean()])
    tops: dict[str, Placed] = {}
    # Whatever explains these pixels lies over them: nothing beyond a few pixels around need be tried.
    pad = max(max(s.cover.shape) for shape in shapes for s in book.at(middle, shape)) // 2
    x0, y0 = int(xs.min()) - pad, int(ys.min()) - pad
    inner = part[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    padded = cv2.copyMakeBorder(part, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=0.0)[
        y0 + pad : y0 + 3 * pad + inner.shape[0], x0 + pad : x0 + 3 * pad + inner.shape[1]
    ]
    for shape in shapes:
        for s in book.at(middle, shape):
            sums = cv2.matchTemplate(padded, s.cover, cv2.TM_CCORR)
            _, value, _, at = cv2.minMaxLoc(sums)
            if shape.pose not in tops or value > tops[shape.pose].evidence:
                x = at[0] + s.origin[0] + x0 + corner[0]
                y = at[1] + s.origin[1] + y0 + corner[1]
                tops[shape.pose] = Placed(s, (int(x), int(y)), colour, float(value))
    ranked = sorted(tops.values(), key=lambda p: -p.evidence)
    return replace(ranked[0], rival=ranked[1] if len(ranked) > 1 else None)


def _settled(p: Placed, part: Float, corner: tuple[int, int], kind: TokenKind, book: StampBook) -> Placed:
    """Placed to a fraction of a pixel, in the pose that explains more of the map."""
    best = _fine(p, part, corner, kind, book)
    if p.rival is None or p.evidence - p.rival.evidence > DECIDED * p.stamp.area:
        return best
    other = _fine(p.rival, part, corner, kind, book)
    if other.weighed > best.weighed:
        best, other = other, best
    return replace(best, rival=other)


def _fine(p: Placed, part: Float, corner: tuple[int, int], kind: TokenKind, book: StampBook) -> Placed:
    """The same shape at the best of some angles between, with the lean of its very place."""
    view = view_at(book.camera, np.array(p.at, float), book.scale, 0.0)
    best = p
    tries = [(p.stamp.shape, p.stamp.angle + float(np.radians(t))) for t in (0.0, *FINE_DEG)]
    for shape, angle in [*tries, *((v, None) for v in variants(kind, p.stamp.shape.pose))]:
        s = stamp(shape, best.stamp.angle if angle is None else angle, view)
        sums = np.array([[_sum(part, s, p.at[0] + dx, p.at[1] + dy, corner) for dx in (-1, 0, 1)] for dy in (-1, 0, 1)])
        dy, dx = (int(v) - 1 for v in np.unravel_index(int(sums.argmax()), (3, 3)))
        if best is p or sums.max() > best.evidence:
            best = replace(p, stamp=s, at=(p.at[0] + dx, p.at[1] + dy), evidence=float(sums.max()))
    x, y = best.at
    across = [_sum(part, best.stamp, x + d, y, corner) for d in (-1, 0, 1)]
    down = [_sum(part, best.stamp, x, y + d, corner) for d in (-1, 0, 1)]
    return replace(best, rest=(_peak(across), _peak(down)))


def _sum(part: Float, s: Stamp, x: int, y: int, corner: tuple[int, int]) -> float:
    where = Placed(s, (x - corner[0], y - corner[1]), "", 0.0).window(part.shape)
    if where is None:
        return -np.inf
    return float((part[where[0], where[1]] * s.cover[where[2], where[3]]).sum())


def _peak(v: list[float]) -> float:
    """Where the parabola through three neighbouring values is highest, from the middle one; within half a step."""
    bend = v[0] - 2 * v[1] + v[2]
    return float(np.clip((v[0] - v[2]) / (2 * bend), -0.5, 0.5)) if np.isfinite(bend) and bend < 0 else 0.0


def foot_of(p: Placed, camera: Camera, scale: float) -> Array:
    """(2,) mm where the middle of a placed piece stands."""
    return view_at(camera, np.array(p.at, float) + p.rest, scale, 0.0).xy_mm
