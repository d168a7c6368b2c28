"""Propose where known faces may lie, from local features: works at any rotation and when most of a face is covered.

Each feature of the picture that resembles one of the deck's votes for the position, rotation and size of a whole face;
votes that agree are a proposal (Lowe, Distinctive Image Features from Scale-Invariant Keypoints, 2004, section 7).
Proposals may be sloppy and many: `vision.fit` accepts strictly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.facebank import FaceBank
from vision.near import near_pairs

NEAREST = 3
"""Deck features that each picture feature votes for: pictures of one deck share frames and ornaments, so that the true
one is often second or third."""

MIN_SIMILARITY = 0.80
"""Cosine of two root-SIFT vectors. True pairs have a median of 0.90 on the bundled footage, chance pairs 0.75."""

FEATURE_PX_PER_MM = 1.0
"""Scale at which features of cards are looked for. At 1.6 (the full picture) whole cards get 76 to 192 votes and false
ones up to 26, at 1.0 still 12 to 97 against 13, in a third of the time (bundled footage)."""

SMALL_MM, USUAL_MM = 70.0, 91.0
"""A face whose longer side is under 70 mm is looked for at a larger scale, so that it has as many pixels as a card of
91 mm: a lone tile of 45 mm got 3 votes at 1.0 px/mm, 10 at 2.0."""

SMALL_ZOOM = 0.65
"""Scale of the picture searched for small faces, as part of the scale of their own features. A lone tile on oak gets 6
votes at 0.5 (not enough), 22 at 0.65 in a second, 48 at 0.85 in two."""

AT_ONCE = 250
"""Features compared with the deck at once: on oak there are sixteen thousand, and all of them took 400 MB. With 2000 at
a time the 80 tiles of Carcassonne took 145 MB and 461 ms, with 250 they take 38 MB and 350 ms: the same is found."""

STRIP_PX, OVERLAP_PX = 160, 64
"""Features are looked for in strips of the picture: SIFT keeps some 220 bytes for each pixel that it looks at. A whole
picture of 1280 x 720 took 206 MB; strips of 320 with 48 beyond took 69 MB and gave 99.7 to 99.8 % of the same features.
These take 49 MB and a fifth more time, and give 99.5 to 99.7 %: in reports of recordings of all three games outlines
differ by 0.001 mm at most, and nothing else does."""
ALIGNED_PX = 16
"""Strips begin where the pyramid's coarser levels have a pixel, too: elsewhere 3 to 5 % of the features differ."""

CELLS = (8, 5)
MOST_PER_CELL = 400
"""Strongest features of each cell of the picture that vote. Felt and patterned cloth have ten thousand; cut off by
strength alone, or at 130 a cell, they crowd out the cards: on a flowered cloth 7 of 16 cards were then proposed, with
400 all of them."""

MIN_VOTES = 4
CONTRAST = 0.015
"""SIFT contrast threshold; the usual 0.04 finds nothing on dim pictures."""
FEATURES_PER_FACE = 220


@dataclass(frozen=True, eq=False)
class Proposal:
    """A face may lie here."""

    centre_px: tuple[float, float]
    angle: float
    """Radians clockwise."""
    px_per_mm: float
    faces: tuple[int, ...]
    """Indices into `FaceBank.templates`, most votes first."""
    votes: int
    local_mm: NDArray[np.float64]
    """(n, 2) points of the first face, mm from its middle, and"""
    px: NDArray[np.float64]
    """(n, 2) where the picture has them: good to about 1 px, with some false ones."""


def _root_sift(descriptors: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Hellinger kernel (Arandjelovic & Zisserman 2012)."""
    d = descriptors.astype(np.float32)
    d /= np.maximum(d.sum(1, keepdims=True), 1e-6)
    return np.asarray(np.sqrt(d), np.float32)


def strongest(keys: Sequence[cv2.KeyPoint], shape: tuple[int, ...]) -> list[cv2.KeyPoint]:
    """The `MOST_PER_CELL` strongest features of each cell of a picture."""
    h, w = shape[:2]
    room = [MOST_PER_CELL] * (CELLS[0] * CELLS[1])
    out = []
    for k in sorted(keys, key=lambda k: -k.response):
        cell = min(int(k.pt[0] * CELLS[0] / w), CELLS[0] - 1) + CELLS[0] * min(
            int(k.pt[1] * CELLS[1] / h), CELLS[1] - 1
        )
        if room[cell]:
            room[cell] -= 1
            out.append(k)
    return out


def nearest(sim: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of the `NEAREST` best entries of each row that reach `MIN_SIMILARITY`."""
    rows, cols = np.nonzero(sim > MIN_SIMILARITY)
    order = np.lexsort((-sim[rows, cols], rows))
    rows, cols = rows[order], cols[order]
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
    return rows[rank < NEAREST], cols[rank < NEAREST]


def feature_scale(size_mm: tuple[float, float]) -> float:
    """Pixels to the millimetre at which the features of a face of that size are taken."""
    longest = max(size_mm)
    return FEATURE_PX_PER_MM * (USUAL_MM / longest if longest < SMALL_MM else 1.0)


class FeatureFinder:
    """The deck's features, made once; `propose` looks for them in a picture."""

    def __init__(self, bank: FaceBank) -> None:
        # Octaves and sigma as usual. Descriptors are whole numbers to 255 anyway: as floats they take four times that.
        self.sift = cv2.SIFT.create(0, 3, CONTRAST, 15, 1.6, cv2.CV_8U)
        descriptors, geometry, face = [], [], []
        finest = max((feature_scale(t.size_mm) for t in bank.templates), default=FEATURE_PX_PER_MM)
        self.px_per_mm = SMALL_ZOOM * finest if finest > FEATURE_PX_PER_MM else FEATURE_PX_PER_MM
        for i, t in enumerate(bank.templates):
            scale = feature_scale(t.size_mm)
            w, h = (round(x * scale) for x in t.size_mm)
            small = cv2.GaussianBlur(cv2.resize(t.face.picture, (w, h), interpolation=cv2.INTER_AREA), (0, 0), 0.7)
            keys, d = self.sift.detectAndCompute(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), None)
            if d is None:
                continue
            best = np.argsort([-k.response for k in keys], kind="stable")[:FEATURES_PER_FACE]
            descriptors.append(_root_sift(np.asarray(d, np.uint8)[best]))
            geometry += [
                (
                    (keys[j].pt[0] - (w - 1) / 2) / scale,
                    (keys[j].pt[1] - (h - 1) / 2) / scale,
                    keys[j].size / scale,
                    keys[j].angle,
                )
                for j in best
            ]
            face += [i] * len(best)
        self.descriptors = np.concatenate(descriptors) if descriptors else np.zeros((0, 128), np.float32)
        self.geometry = np.array(geometry, np.float64).reshape(-1, 4)
        """x, y and size mm, angle in degrees of each, on its face."""
        self.face = np.array(face, int)
        self.shortest_mm = min(min(t.size_mm) for t in bank.templates)

    def propose(
        self,
        luma: NDArray[np.uint8],
        mask: NDArray[np.uint8] | None,
        px_per_mm: tuple[float, float],
        fine: bool = False,
        most: int = 60,
    ) -> list[Proposal]:
        """Proposals in `luma` (h, w) where `mask` is not 0, best first.

        px_per_mm: the range of scales to believe. fine: use all of the picture's resolution; three times the time.
        """
        if mask is not None:
            ys, xs = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
            if len(ys) == 0:
                return []
            y0, y1, x0, x1 = ys[0], ys[-1] + 1, xs[0], xs[-1] + 1
            luma, mask = luma[y0:y1, x0:x1], mask[y0:y1, x0:x1]
        else:
            y0 = x0 = 0
        zoom = 1.0 if fine else min(1.0, self.px_per_mm / (px_per_mm[0] * px_per_mm[1]) ** 0.5)
        if zoom < 1:
            luma = np.asarray(cv2.resize(luma, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA), np.uint8)
            if mask is not None:
                mask = np.asarray(cv2.resize(mask, luma.shape[::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
        keys, d = self._strongest(luma, mask)
        if d is None or len(self.descriptors) == 0:
            return []
        # cv2.resize puts pixel centre x at (x + 0.5) * zoom - 0.5.
        geo = np.array(
            [
                ((k.pt[0] + 0.5) / zoom - 0.5 + x0, (k.pt[1] + 0.5) / zoom - 0.5 + y0, k.size / zoom, k.angle)
                for k in keys
            ]
        )
        rows, cols = self._nearest(d)
        a, b = geo[rows], self.geometry[cols]
        ppm = a[:, 2] / b[:, 2]
        ok = (ppm > px_per_mm[0] * 0.75) & (ppm < px_per_mm[1] * 1.33)
        a, b, ppm, rows, cols = a[ok], b[ok], ppm[ok], rows[ok], cols[ok]
        if len(rows) < MIN_VOTES:
            return []
        turn = np.radians(a[:, 3] - b[:, 3])
        c, s = np.cos(turn), np.sin(turn)
        cx = a[:, 0] - ppm * (c * b[:, 0] - s * b[:, 1])
        cy = a[:, 1] - ppm * (s * b[:, 0] + c * b[:, 1])
        return self._peaks(cx, cy, turn, ppm, rows, cols, most, a[:, :2])

    def _strongest(
        self, luma: NDArray[np.uint8], mask: NDArray[np.uint8] | None
    ) -> tuple[list[cv2.KeyPoint], NDArray[np.uint8] | None]:
        """The strongest features and their descriptors, (n, 128); None where there are none."""
        width = luma.shape[1]
        strips: list[tuple[int, NDArray[np.uint8], list[cv2.KeyPoint]]] = []
        for first in range(0, max(width - STRIP_PX // 2, 1), STRIP_PX):
            last = first + STRIP_PX if first + STRIP_PX * 3 // 2 < width else width
            begin = max(0, first - OVERLAP_PX) // ALIGNED_PX * ALIGNED_PX
            window = slice(begin, last + OVERLAP_PX)
            part = np.ascontiguousarray(luma[:, window])
            found = self.sift.detect(part, None if mask is None else np.ascontiguousarray(mask[:, window]))
            for k in found:
                k.pt = (k.pt[0] + begin, k.pt[1])
            strips.append((begin, part, [k for k in found if first <= k.pt[0] < last]))
        best = {id(k): n for n, k in enumerate(strongest([k for _, _, keys in strips for k in keys], luma.shape))}
        keys: list[cv2.KeyPoint] = []
        ranks: list[int] = []
        described = []
        for begin, part, found in strips:
            kept = [k for k in found if id(k) in best]
            for k in kept:
                k.class_id = best[id(k)]  # known again by this where some are left out
                k.pt = (k.pt[0] - begin, k.pt[1])
            same, d = self.sift.compute(part, kept)
            if d is None:
                continue
            described.append(np.asarray(d, np.uint8))
            for k in same:
                k.pt = (k.pt[0] + begin, k.pt[1])
                ranks.append(k.class_id)
            keys += same
        if not keys:
            return [], None
        order = np.argsort(ranks, kind="stable")
        return [keys[i] for i in order], np.concatenate(described)[order]

    def _nearest(self, descriptors: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """As `nearest`, of the deck's features."""
        parts = []
        for first in range(0, len(descriptors), AT_ONCE):
            rows, cols = nearest(_root_sift(descriptors[first : first + AT_ONCE]) @ self.descriptors.T)
            parts.append((rows + first, cols))
        return np.concatenate([r for r, _ in parts]), np.concatenate([c for _, c in parts])

    def _peaks(
        self,
        cx: NDArray[np.float64],
        cy: NDArray[np.float64],
        turn: NDArray[np.float64],
        ppm: NDArray[np.float64],
        rows: NDArray[np.int64],
        cols: NDArray[np.int64],
        most: int,
        px: NDArray[np.float64],
    ) -> list[Proposal]:
        # Votes agree within a sixth of a card's width in place, 15 degrees in rotation, 25 % in size.
        reach = self.shortest_mm * float(np.median(ppm)) / 6
        space = np.column_stack([cx / reach, cy / reach, np.cos(turn) / 0.26, np.sin(turn) / 0.26, np.log(ppm) / 0.25])
        near, other = near_pairs(space, 1.0)
        upto = np.searchsorted(near, np.arange(len(space) + 1))
        # One feature of the picture has one vote, however many of the deck's it resembles.
        base = int(rows.max()) + 1
        votes = np.bincount(np.unique(near * base + rows[other]) // base)
        out: list[Proposal] = []
        taken = np.zeros(len(votes), bool)
        for i in np.argsort(-votes, kind="stable"):
            if votes[i] < MIN_VOTES or len(out) >= most:
                break
            if taken[i]:
                continue
            n = other[upto[i] : upto[i + 1]]
            n = n[~taken[n]]
            if len(set(rows[n])) < MIN_VOTES:
                continue
            faces, count = np.unique(self.face[cols[n]], return_counts=True)
            order = faces[np.argsort(-count, kind="stable")]
            out.append(
                Proposal(
                    (float(np.median(cx[n])), float(np.median(cy[n]))),
                    float(np.arctan2(np.sin(turn[n]).mean(), np.cos(turn[n]).mean())),
                    float(np.median(ppm[n])),
                    tuple(int(f) for f in order[:4]),
                    len(set(rows[n])),
                    self.geometry[cols[n[self.face[cols[n]] == order[0]]], :2],
                    px[n[self.face[cols[n]] == order[0]]],
                )
            )
            taken[((space - space[i]) ** 2).sum(1) <= 1.5**2] = True
        return out
