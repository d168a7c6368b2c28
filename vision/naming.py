"""Name the face that lies up, by comparing the rectified patch with every face of the deck, block by block.

Blocks (10 mm) that agree speak for a face; blocks that agree with no face are covered, burnt out or foreign and speak
for none. Faces that share a frame or differ by colour alone are told apart by the blocks where they differ and by hue.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.facebank import FaceBank, Float, chroma, normalise

_T = TypeVar("_T", bound=np.generic)

BLOCK = 8
"""Side of a block in coarse pixels (half of `PX_PER_MM`): 10 mm."""

AGREES_FROM, AGREES_FULLY = 0.3, 0.8
"""Block correlation at which a block begins to speak for a face, and from which it speaks fully. On the bundled footage
blocks of the right face have a median of 0.95, of other faces 0.1."""

HUE_WEIGHT = 0.8
"""Weight of the hue distance against the share of agreeing blocks. The right face has a hue distance of 0.08 to 0.23 on
the bundled footage, the same design in another colour 0.25 to 0.45."""

UPRIGHT_BONUS = 1.03
"""Carpets look the same either way up, to within 2 % of their score: the way they were found stands."""

WORTH_NAMING = 0.4
"""Share of what the best face agrees with, below which no face is told of: rivals have 0.45 of it or more."""

HUE_CLIP = 0.8
HUE_UNSEEN = 0.35
HUE_TYPICAL = 0.12
WHITE_SPREAD_UNKNOWN = 0.25
"""White balance of an unknown light: log ratios of daylight to lamp light differ by about 0.5 either way."""
WHITE_SPREAD_KNOWN = 0.12
"""Spread of one piece's word around the still's white balance (0.07 and 0.11 on the bundled footage)."""


@dataclass(frozen=True, eq=False)
class Look:
    """A rectified patch prepared for naming."""

    coarse: Float
    """(h/2, w/2) normalised luma."""
    hue: Float
    """(h/4, w/4, 2) chroma."""
    usable: NDArray[np.bool_]
    """(h/2, w/2) False where burnt out or outside the frame."""

    def turned(self, quarters: int) -> Look:
        """The same look, the face turned back by so many quarter turns."""
        if quarters == 0:
            return self
        return Look(np.rot90(self.coarse, quarters), np.rot90(self.hue, quarters), np.rot90(self.usable, quarters))


@dataclass(frozen=True)
class Match:
    """How well one face explains a look."""

    template: int
    """Index into `FaceBank.templates`."""
    turns: int
    """Quarter turns, clockwise in the picture, from the guessed pose to the face's own upright."""
    share: float
    """0 to 1: part of the face's area that agrees."""
    hue: float
    """Distance in hue, log units, over the agreeing part."""
    score: float


def look(patch_bgr: NDArray[np.uint8], inside: NDArray[np.bool_] | None = None) -> Look:
    """Prepare an (h, w, 3) rectified patch. inside: (h, w) False outside the frame."""
    grey = cv2.cvtColor(patch_bgr, cv2.COLOR_BGR2GRAY)
    h, w = grey.shape
    coarse = cv2.resize(normalise(grey), (w // 2, h // 2), interpolation=cv2.INTER_AREA)
    hue = cv2.resize(chroma(patch_bgr), (w // 4, h // 4), interpolation=cv2.INTER_AREA)
    ok = grey < 250
    if inside is not None:
        ok &= inside
    usable = cv2.resize(ok.astype(np.uint8), (w // 2, h // 2), interpolation=cv2.INTER_AREA) > 0
    return Look(np.asarray(coarse, np.float32), np.asarray(hue, np.float32), usable)


class Namer:
    """Compares looks with all faces of one physical size."""

    def __init__(self, bank: FaceBank, shape_id: int) -> None:
        self.index = bank.by_size[shape_id]
        width, height = bank.sizes[shape_id]
        self.square = width == height
        self.kinds = [bank.templates[i].face.kind for i in self.index]
        self.coarse = stack = np.stack([bank.templates[i].coarse for i in self.index])
        _, h, w = stack.shape
        self.rows, self.cols = h // BLOCK, w // BLOCK
        self.y0, self.x0 = (h - self.rows * BLOCK) // 2, (w - self.cols * BLOCK) // 2
        blocks = self.cut(stack)
        self.sum = blocks.sum(-1)
        self.sum2 = (blocks**2).sum(-1)
        self.blocks = np.ascontiguousarray(blocks.transpose(1, 0, 2))
        """(blocks, faces, pixels of a block): each block of a look meets that block of all faces."""
        self.hue = np.stack([bank.templates[i].hue for i in self.index])

    def cut(self, stack: NDArray[_T]) -> NDArray[_T]:
        """(n, h, w) to (n, blocks, pixels of a block)."""
        n = len(stack)
        s = stack[:, self.y0 : self.y0 + self.rows * BLOCK, self.x0 : self.x0 + self.cols * BLOCK]
        s = s.reshape(n, self.rows, BLOCK, self.cols, BLOCK).transpose(0, 1, 3, 2, 4)
        return np.ascontiguousarray(s.reshape(n, self.rows * self.cols, BLOCK * BLOCK))

    def correlations(self, seen: Look, only: list[int] | None = None) -> NDArray[np.float32]:
        """(faces, blocks) correlation of each block with each face; 0 where too little of the block is usable.

        only: positions in `index` to compare with; None for all.
        """
        return np.asarray(self._correlations([seen], only)[0])

    def _correlations(self, views: list[Look], only: list[int] | None) -> NDArray[np.float32]:
        """(views, faces, blocks) as `correlations`, of a look turned several ways: at once in half the time."""
        pick = slice(None) if only is None else only
        blocks, total, total2 = self.blocks[:, pick], self.sum[pick], self.sum2[pick]
        a = self.cut(np.stack([v.coarse for v in views]))
        usable = self.cut(np.stack([v.usable for v in views]).view(np.uint8))
        m = BLOCK * BLOCK
        ok = usable.sum(-1, dtype=np.int32) > 0.6 * m
        own, squares = a.sum(-1), np.einsum("vbp,vbp->vb", a, a)
        cov = np.matmul(blocks, a.transpose(1, 2, 0)).transpose(2, 1, 0) - total * own[:, None] / m
        va = squares - own**2 / m
        vb = total2 - total**2 / m
        # 0.05 per pixel: two flat blocks do not correlate, they say nothing.
        rho = cov / np.sqrt((va + 0.05 * m)[:, None] * (vb + 0.05 * m))
        return np.asarray(np.where(ok[:, None], rho, 0.0), np.float32)

    def judge(self, seen: Look, white: Float | None, only: list[int] | None = None) -> list[Match]:
        """How well each face, each way up, explains the look; best first.

        white: (2,) the still's white balance in `chroma`, where known. only: positions in `index` to try; None for all.
        """
        quarters = range(0, 4, 1 if self.square else 2)
        views = [seen.turned(q) for q in quarters]
        every = _agree(self._correlations(views, only))
        agreeing = list(zip(quarters, views, every, every.mean(2), strict=True))
        # What agrees with far less than the best is nobody's rival.
        least = 0.0 if only is not None else WORTH_NAMING * max(float(s.max(initial=0.0)) for _, _, _, s in agreeing)
        out = [m for seen_so in agreeing for m in self._judge_upright(*seen_so, white, only, least)]
        out.sort(key=lambda m: -m.score * (1 if m.turns else UPRIGHT_BONUS))
        return out

    def _judge_upright(
        self,
        turns: int,
        seen: Look,
        agree: NDArray[np.float32],
        share: NDArray[np.float32],
        white: Float | None,
        only: list[int] | None,
        least: float,
    ) -> Iterator[Match]:
        positions = range(len(self.index)) if only is None else only
        top = share.max(initial=0.0)
        for row in np.flatnonzero(share >= least).tolist():
            hue = HUE_UNSEEN
            # Hue costs time and only decides among faces of like structure.
            if share[row] > 0.6 * top and share[row] > 0.1:
                hue = self._hue_distance(seen, positions[row], agree[row], white)
            own = float(share[row])
            yield Match(self.index[positions[row]], turns, own, hue, own - HUE_WEIGHT * own * hue)

    def _hue_distance(self, seen: Look, k: int, agree: NDArray[np.float32], white: Float | None) -> float:
        """RMS difference in `chroma` over the blocks that agree, after one free offset that is held near `white`."""
        h, w = seen.hue.shape[:2]
        weight = cv2.resize(agree.reshape(self.rows, self.cols), (w, h), interpolation=cv2.INTER_NEAREST)[..., None]
        total = float(weight.sum()) + 1e-6
        d = np.clip(seen.hue - self.hue[k], -HUE_CLIP, HUE_CLIP)
        offset = (d * weight).sum((0, 1)) / total
        residual = float((((d - offset) ** 2) * weight).sum() / total / 2)
        target, spread = (np.zeros(2), WHITE_SPREAD_UNKNOWN) if white is None else (white, WHITE_SPREAD_KNOWN)
        away = float((np.clip(np.abs(offset - target) / spread - 1, 0, 4) ** 2).mean()) * HUE_TYPICAL**2
        return float(np.sqrt(residual + away))

    def agreement(self, seen: Look, template: int) -> Float:
        """(rows, columns) 0 to 1: how well each block agrees with one face."""
        agree = _agree(self.correlations(seen, [self.index.index(template)])[0])
        return np.asarray(agree.reshape(self.rows, self.cols), np.float32)

    def block_corners(self) -> Float:
        """(rows + 1, columns + 1, 2) corners of the blocks in pixels of the rectified face."""
        x = (self.x0 + np.arange(self.cols + 1) * BLOCK) * 2.0 - 0.5
        y = (self.y0 + np.arange(self.rows + 1) * BLOCK) * 2.0 - 0.5
        return np.stack(np.meshgrid(x, y), axis=-1).astype(np.float32)

    def offset(self, seen: Look, match: Match) -> Float:
        """(2,) chroma of the look minus that of the face: one piece's word on the white balance."""
        d = seen.turned(match.turns).hue - self.hue[self.index.index(match.template)]
        return np.asarray(np.median(d.reshape(-1, 2), axis=0), np.float32)


def _agree(rho: NDArray[np.float32]) -> NDArray[np.float32]:
    """0 to 1: how well blocks of that correlation speak for a face."""
    return np.asarray(np.clip((rho - AGREES_FROM) / (AGREES_FULLY - AGREES_FROM), 0, 1), np.float32)
