"""What moved between two stills, and whether it moved by itself: a die that rolls is loose, one that is laid is held.

Frames are compared on the small luma picture (`vision.still.small_luma`), of which each change is a patch. A hand is
large and reaches in from the border; a rolling die is small and away from it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.still import SMALL, edge_slack

CHANGED = 9.0
"""Grey levels, averaged over 3x3, that a moving thing changes: three times the noise of a dim room."""
TREMBLE = 2.5
"""Times `vision.still`'s allowance for a camera that trembles: one held in a hand shakes by 1.6 px from frame to frame,
and the rim of a red die on green paper then changes by 40 grey levels."""
KEPT_S = 12.0
LEAST_PX = 12
"""Smaller patches are a grain of the table under a trembling camera."""
MOST_PATCHES = 60
"""A frame with more is a change of light, not of things."""
LOOSE_EDGES = 4.5
"""A rolling die with the place it left and its blur is not longer than this, in its edges: at 10 frames a second it
leaves its own length behind in each frame."""
NEAR_EDGES = 1.3
"""Patches this near the place where a die then lies are of that die."""
HELD_EDGES = 0.8
"""A larger moving thing within this distance may hold it."""


@dataclass(frozen=True)
class Patch:
    """A part of the picture that changed; full picture's pixels."""

    x: float
    y: float
    w: float
    h: float

    def distance(self, px: tuple[float, float]) -> float:
        """From the patch's box to a point, px; 0 inside."""
        dx = max(self.x - px[0], 0.0, px[0] - self.x - self.w)
        dy = max(self.y - px[1], 0.0, px[1] - self.y - self.h)
        return float(np.hypot(dx, dy))

    def gap(self, other: Patch) -> float:
        """Between two boxes, px; 0 when they touch."""
        dx = max(self.x - other.x - other.w, other.x - self.x - self.w, 0.0)
        dy = max(self.y - other.y - other.h, other.y - self.y - self.h, 0.0)
        return float(np.hypot(dx, dy))


class Motion:
    """Feed every frame's small luma; ask about the time since the last still."""

    def __init__(self) -> None:
        self._last: NDArray[np.float32] | None = None
        self._flicker = False
        self._seen: deque[tuple[float, tuple[Patch, ...]]] = deque()

    @property
    def watched(self) -> bool:
        """Whether frames between the stills have been fed at all."""
        return bool(self._seen)

    def calm(self, frames: int, seconds: float) -> bool:
        """Whether nothing of a die's size has moved in the last frames; a hand may."""
        recent = list(self._seen)[-frames:]
        if len(recent) < frames or self._flicker:
            return False
        large = 0.22 * min(self._last.shape) * SMALL if self._last is not None else 0.0
        loose = [t for t, ps in self._seen if any(LEAST_PX <= max(p.w, p.h) <= large for p in ps)]
        return not loose or (recent[0][0] > loose[-1] and recent[-1][0] - loose[-1] >= seconds)

    @property
    def moved_at(self) -> float | None:
        """Time of the last frame in which anything moved, s; None when nothing did."""
        times = [t for t, ps in self._seen if any(max(p.w, p.h) >= LEAST_PX for p in ps)]
        return times[-1] if times else None

    def feed(self, t: float, small: NDArray[np.float32]) -> None:
        """small: (h, w) float32, the frame's luma reduced by `SMALL`."""
        last, self._last = self._last, small
        if last is None or last.shape != small.shape:
            return
        d = cv2.blur(cv2.absdiff(small, last), (3, 3))
        limit = CHANGED + TREMBLE * edge_slack(last)
        _, _, stats, _ = cv2.connectedComponentsWithStats((d > limit).astype(np.uint8), connectivity=8)
        boxes = stats.reshape(-1, 5)[1:]
        boxes = boxes[boxes[:, 4] >= 3]
        self._flicker = len(boxes) > MOST_PATCHES
        patches = tuple(Patch(*(float(v) * SMALL for v in b[:4])) for b in boxes) if len(boxes) <= MOST_PATCHES else ()
        self._seen.append((t, patches))
        while self._seen and self._seen[0][0] < t - KEPT_S:
            self._seen.popleft()

    def last_near(self, px: tuple[float, float], edge_px: float, since: float) -> float | None:
        """Time of the last frame in which something moved where a die lies."""
        times = [t for t, ps in self._seen if t > since and any(p.distance(px) < 0.5 * edge_px for p in ps)]
        return times[-1] if times else None

    def vanished(self, px: tuple[float, float], edge_px: float, since: float) -> bool:
        """Whether what lay at `px` was gone from one frame to the next, with nothing larger than a die anywhere: no
        hand takes a die like that."""
        frames = [ps for t, ps in self._seen if t > since and ps]
        near = [ps for ps in frames if any(p.distance(px) < NEAR_EDGES * edge_px for p in ps)]
        return len(near) == 1 and all(max(p.w, p.h) <= LOOSE_EDGES * edge_px for ps in frames for p in ps)

    def came_loose(self, px: tuple[float, float], edge_px: float, since: float) -> bool:
        """Whether what lies at `px` got there by itself: small patches near it, in two frames or more, nothing large
        beside them, and none after that."""
        loose = 0
        for t, patches in self._seen:
            if t <= since:
                continue
            large = [p for p in patches if max(p.w, p.h) > LOOSE_EDGES * edge_px]
            near = [p for p in patches if p not in large and p.distance(px) < NEAR_EDGES * edge_px]
            if any(p.distance(px) < HELD_EDGES * edge_px for p in large):
                loose = 0
            elif near and all(p.gap(q) > HELD_EDGES * edge_px for p in near for q in large):
                loose += 1
        return loose >= 2
