"""What the bare table looks like, learned from stills, and what lies on it that no piece explains: hands, arms, things.

A hand that rests is still, too; it must not be measured. It reaches in from the frame's edge and is no piece: a large
region that touches the edge and differs from the table as known.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array
from vision.still import SMALL

HAND_AREA_MM2 = 2500.0
"""Smallest part of a hand and arm in view that matters: half a card."""

DIFFERENT = 0.22
"""Distance in log colour between the table and what lies on it. Shadows of players darken by up to 0.5 but keep the
hue: they are told apart by hue, see `HUE_DIFFERENT`."""

HUE_DIFFERENT = 0.12
DARK_SHADOW = 0.9
"""A darkening beyond this (to 40 %) is no shadow but a thing."""

EDGE_PX = 2
SAME_SHARE = 0.9
"""Share of their union that two hands in two stills never have in common; an arm laid down on the table's edge has."""


def reduce(bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(h, w, 3) to (h/4, w/4, 3) log colour."""
    h, w = bgr.shape[:2]
    small = cv2.resize(bgr, (max(1, w // SMALL), max(1, h // SMALL)), interpolation=cv2.INTER_AREA)
    return np.asarray(np.log(cv2.GaussianBlur(small, (0, 0), 1.0).astype(np.float32) + 12.0), np.float32)


class Background:
    """Bare table, where it was seen."""

    def __init__(self) -> None:
        self._log: NDArray[np.float32] | None = None
        self._known: NDArray[np.bool_] | None = None
        self._candidate: NDArray[np.bool_] | None = None

    def forget(self) -> None:
        self._log = self._known = None

    def strange(self, now: NDArray[np.float32], outlines_px: list[Array]) -> NDArray[np.uint8]:
        """(h/4, w/4) 255 where the picture (as `reduce` gives it) is neither the table as known nor a piece."""
        if self._log is None or self._known is None or self._log.shape != now.shape:
            return np.zeros(now.shape[:2], np.uint8)
        d = now - self._log
        pieces = piece_mask(now.shape[:2], outlines_px, grow=3)
        free = self._known & (pieces == 0)
        if free.sum() > 100:
            d = d - np.median(d[free], axis=0)  # exposure and white balance
        luma = (d[..., 0] + d[..., 1] + d[..., 2]) / 3
        hue = largest(np.abs(d - luma[..., None]))
        strange = (hue > HUE_DIFFERENT) | (luma > DIFFERENT) | (luma < -DARK_SHADOW)
        out = (strange & free).astype(np.uint8) * 255
        return np.asarray(cv2.morphologyEx(out, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)

    def bare(self, now: NDArray[np.float32], near: float) -> NDArray[np.bool_]:
        """(h/4, w/4) True where a picture (as `reduce` gives it) shows the bare table as known."""
        if self._log is None or self._known is None or self._log.shape != now.shape:
            return np.zeros(now.shape[:2], bool)
        d = now - self._log
        if self._known[::4, ::4].any():
            d = np.abs(d - np.median(d[::4, ::4][self._known[::4, ::4]], axis=0))
        return np.asarray(self._known & (largest(d) < near), np.bool_)

    def hand(self, strange: NDArray[np.uint8], mm_per_px: float) -> bool:
        """Whether a hand or arm is in view.

        What is there at the same place in two stills with motion between them is a thing, or a hand that was taken for
        the table and is gone: either way the table is learned anew there.
        """
        _, labels, stats, _ = cv2.connectedComponentsWithStats(strange)
        h, w = strange.shape
        least = HAND_AREA_MM2 / (mm_per_px * SMALL) ** 2
        candidate = np.zeros((h, w), bool)
        for k, (x, y, bw, bh, area) in enumerate(stats[1:], start=1):
            at_edge = x <= EDGE_PX or y <= EDGE_PX or x + bw >= w - EDGE_PX or y + bh >= h - EDGE_PX
            if at_edge and area >= least:
                candidate |= labels == k
        before, self._candidate = self._candidate, candidate if candidate.any() else None
        if self._candidate is None:
            return False
        if before is not None and before.shape == candidate.shape:
            shared = np.count_nonzero(before & candidate)
            if shared > SAME_SHARE * np.count_nonzero(before | candidate):
                strange[candidate] = 0
                if self._known is not None:
                    self._known[candidate] = False
                return False
        return True

    def learn(self, now: NDArray[np.float32], outlines_px: list[Array], strange: NDArray[np.uint8]) -> None:
        """Take in the bare table of one still, as `reduce` gives it."""
        bare = piece_mask(now.shape[:2], outlines_px, grow=4) == 0
        if self._log is None or self._known is None or self._log.shape != now.shape:
            self._log, self._known = now.copy(), bare
            return
        bare &= cv2.dilate(strange, np.ones((7, 7), np.uint8)) == 0
        bare &= ~self._in_shadow(now, bare)
        self._log[bare] = now[bare]
        self._known |= bare

    def _in_shadow(self, now: NDArray[np.float32], bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(h/4, w/4) True where the table as known has grown dark. It is not learned: once the shadow has gone, or the
        brown arm that was taken for one, the table would be brighter than known, as what lies on it is. In one of ten
        random games a dark arm was learned so, and three later stills were taken for hands."""
        assert self._log is not None and self._known is not None
        d = now - self._log
        d = (d[..., 0] + d[..., 1] + d[..., 2]) / 3
        free = (self._known & bare)[::4, ::4]
        light = float(np.median(d[::4, ::4][free])) if free.any() else 0.0
        return np.asarray(self._known & (d - light < -DIFFERENT), np.bool_)


def largest(colour: NDArray[np.float32]) -> NDArray[np.float32]:
    """(h, w, 3) to (h, w), the largest of each three: 0.1 ms, where numpy's own `max(2)` takes 2 of 320x180."""
    return np.maximum(np.maximum(colour[..., 0], colour[..., 1]), colour[..., 2])


def piece_mask(shape: tuple[int, int], outlines_px: list[Array], grow: int) -> NDArray[np.uint8]:
    """(h/4, w/4) 255 inside the outlines, grown by so many small pixels."""
    mask = np.zeros(shape, np.uint8)
    for o in outlines_px:
        cv2.fillConvexPoly(mask, np.round((o + 0.5) / SMALL - 0.5).astype(np.int32), 255)
    if grow:
        mask = np.asarray(cv2.dilate(mask, np.ones((2 * grow + 1, 2 * grow + 1), np.uint8)), np.uint8)
    return mask
