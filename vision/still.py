"""Find the stills: moments when nothing moves over the table. Their frames are averaged, which also takes out noise.

Motion is looked for on a small luma picture. Not motion are: noise (estimated from each pair of frames), slow changes
of light and auto-exposure (one gain and offset are taken out), and a camera that trembles by 0.3 px (edges may differ
by what their gradient explains).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame

SMALL = 4
"""Reduction of the picture on which motion is looked for."""

JITTER_PX = 0.65
"""Camera tremble that is not motion, full-resolution px: twice what a table that people lean on shows. With 0.6 one of
80 random stills, on fine-grained oak, was never at rest; with 0.7 a finger tip that comes in is missed for a frame."""

TREMBLE_PX = 1.5
"""Largest shift of the whole picture between two frames, full-resolution px, that is still tremble: two frames of a
camera that trembles by 0.3 px either way in x and y are up to 0.85 px apart."""

SOLID_PX = 6
"""Of what then still differs, pixels whose neighbours all do: hands are solid, tremble leaves thin lines of grain."""

NOISE_FACTOR = 2.5
"""Threshold over the noise, on differences averaged over 3x3. Single pixels cannot tell: compression leaves most
untouched and repaints some (230 of 57600 in a median resting frame of the bundled footage against 2000 in motion;
averaged 0 against 2200)."""

LEAST_GREY = 2.5
"""Averaged differences under this many grey levels are never motion: H.264 repaints flat areas by as much."""

MOVING_PX = 24
"""Pixels of the small picture (of 57600) that must differ: a finger tip is about 40, a die 30."""

SHORTEST_S = 0.3
"""A still must last this long; some last only half a second before the next hand comes."""

LONG_ENOUGH_S = 0.65
AGAIN_S = 1.5
AGAIN_TIMES = 3
AGAIN_LATER_S = 10.0
"""A still that lasts is reported again, unmeasured: after 1.5 s three times, then every 10 s."""

MOST_FRAMES = 8
"""Averaging more gains little: noise falls by 2.8 with eight frames, 3.5 with twelve."""


@dataclass(frozen=True, eq=False)
class StillPicture:
    """The average of a still's frames."""

    t: float
    """Time of the last frame averaged, s."""
    bgr: NDArray[np.uint8]
    frames: int
    noise: float
    """1 sigma of one frame's luma noise at the small scale, grey levels."""
    again: bool = False
    """The still goes on: the picture is the one handed out before, `t` is now."""


def shrink(luma: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Luma reduced by `SMALL` (area average)."""
    h, w = luma.shape
    size = (max(1, w // SMALL), max(1, h // SMALL))
    if (w, h) == (size[0] * SMALL, size[1] * SMALL):
        # OpenCV halves fifteen times as fast as it quarters (1280x720: 0.04 ms against 0.6), half a grey level apart.
        luma = np.asarray(cv2.resize(luma, (w // 2, h // 2), interpolation=cv2.INTER_AREA), np.uint8)
    return cv2.resize(luma, size, interpolation=cv2.INTER_AREA).astype(np.float32)


def small_luma(frame: Frame) -> NDArray[np.float32]:
    """The small picture of a frame: the camera's own, where it delivers one beside the large one, or made from it."""
    own: NDArray[np.uint8] | None = getattr(frame, "small", None)
    return shrink(frame.luma) if own is None else own.astype(np.float32)


def edge_slack(small: NDArray[np.float32]) -> NDArray[np.float32]:
    """How much each pixel may change when the camera trembles."""
    gx = cv2.Sobel(small, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    gy = cv2.Sobel(small, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    g = cv2.dilate(cv2.magnitude(gx, gy), np.ones((3, 3), np.uint8))
    return np.asarray(g * (JITTER_PX / SMALL), np.float32)


def _over(d: NDArray[np.float32], limit: NDArray[np.float32]) -> int:
    return int(np.count_nonzero(cv2.blur(d, (3, 3)) > limit))


def _solid(d: NDArray[np.float32], limit: NDArray[np.float32]) -> int:
    over = (cv2.blur(d, (3, 3)) > limit).astype(np.uint8)
    return int(np.count_nonzero(cv2.erode(over, np.ones((3, 3), np.uint8))))


def difference(a: NDArray[np.float32], b: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
    """a - b after one gain and offset, and the robust noise of it, grey levels."""
    sa, sb = a[::7, ::7].ravel(), b[::7, ::7].ravel()
    gain = min(max((float(sa.std()) + 4) / (float(sb.std()) + 4), 0.8), 1.25)
    offset = _middle(sa - gain * sb)
    d = cv2.addWeighted(a, 1.0, b, -gain, -offset)
    return np.asarray(d, np.float32), _middle(np.abs(d[::4, ::4]).ravel()) / 0.6745


def _middle(values: NDArray[np.float32]) -> float:
    """The upper median: `np.median` takes as long again to look for what is no number."""
    k = len(values) // 2
    return float(np.partition(values, k)[k])


class StillFinder:
    """Feed frames in order; a `StillPicture` comes out once for each still."""

    def __init__(self) -> None:
        self.moving = True
        self._last: NDArray[np.float32] | None = None
        self._first: NDArray[np.float32] | None = None
        self._slack: NDArray[np.float32] | None = None
        self._start = 0.0
        self._times: list[float] = []
        self._sum: NDArray[np.uint16] | None = None
        """Of up to 257 frames; as float32 it took twice the memory while the last still's look may not have given back
        its own."""
        self._emitted = False
        self._now = 0.0
        self._noise = 0.0
        self._done: StillPicture | None = None
        self._repeats = 0
        self._pending: Frame | None = None

    def feed(self, frame: Frame) -> StillPicture | None:
        """Take one frame; returns the still that was completed by it, if any."""
        small = small_luma(frame)
        if self._last is None or self._last.shape != small.shape:
            self._begin(frame, small)
            return None
        moved = self._moved(small, self._last) or (self._first is not None and self._moved(small, self._first))
        self._last = small
        out = None
        if moved:
            # The frame before may already hold the first shadow of what now moves; it is in `_pending`, not in the sum.
            if not self._emitted and self._times and self._times[-1] - self._start >= SHORTEST_S - 1e-6:
                out = self._picture()
            self._begin(frame, small)
            return out
        self.moving = False
        if not self._emitted:
            self._add_pending()
            if len(self._times) < MOST_FRAMES:
                self._pending = frame
            if self._times and (
                self._times[-1] - self._start >= LONG_ENOUGH_S - 1e-6
                or (len(self._times) >= MOST_FRAMES and frame.t - self._start >= SHORTEST_S)
            ):
                out = self._picture()
        elif self._done is not None:
            wait = AGAIN_S if self._repeats < AGAIN_TIMES else AGAIN_LATER_S
            if frame.t - self._done.t >= wait - 1e-6:
                self._repeats += 1
                self._done = out = replace(self._done, t=frame.t, again=True)
        self._now = frame.t
        return out

    def finish(self) -> StillPicture | None:
        """At the end of the footage: the still that was going on, however short if it is all there is."""
        if self._last is None:
            return None
        if self._emitted:
            if self._done is None or self._now <= self._done.t:
                return None
            self._done = replace(self._done, t=self._now, again=True)
            return self._done
        self._add_pending()
        if self._times and (self._times[-1] - self._start >= SHORTEST_S - 1e-6 or self.moving is False):
            return self._picture()
        return None

    def _begin(self, frame: Frame, small: NDArray[np.float32]) -> None:
        self.moving = True
        self._last = self._first = small
        self._slack = edge_slack(small)
        self._start = self._now = frame.t
        self._done = None
        self._times = []
        self._sum = None
        self._emitted = False
        self._pending = None

    def _add_pending(self) -> None:
        if self._pending is None:
            return
        t, bgr = self._pending.t, self._pending.bgr()
        self._pending = None
        if self._sum is None:
            self._sum = bgr.astype(np.uint16)
        else:
            cv2.add(self._sum, bgr, dst=self._sum, dtype=cv2.CV_16U)
        self._times.append(t)

    def _moved(self, small: NDArray[np.float32], reference: NDArray[np.float32]) -> bool:
        d, noise = difference(small, reference)
        self._noise = noise
        assert self._slack is not None
        limit = np.maximum(LEAST_GREY, NOISE_FACTOR * noise) + self._slack
        if _over(np.abs(d), limit) <= MOVING_PX:
            return False
        # The whole picture may have trembled: what one small shift explains is no motion.
        gx = cv2.Sobel(reference, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)[::2, ::2]
        gy = cv2.Sobel(reference, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)[::2, ::2]
        e = np.clip(d[::2, ::2], -30, 30)
        a = np.array([[(gx * gx).sum() + 1, (gx * gy).sum()], [(gx * gy).sum(), (gy * gy).sum() + 1]])
        shift = np.linalg.solve(a, np.array([(gx * e).sum(), (gy * e).sum()]))
        if float(np.hypot(*shift)) * SMALL > TREMBLE_PX:
            return True
        step = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
        moved = cv2.warpAffine(
            reference,
            step,
            reference.shape[::-1],
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        d, _ = difference(small, np.asarray(moved, np.float32))
        return _over(np.abs(d), limit) > MOVING_PX and _solid(np.abs(d), limit) > SOLID_PX

    def _picture(self) -> StillPicture:
        assert self._sum is not None
        n = len(self._times)
        self._emitted = True
        self._repeats = 0
        average = cv2.convertScaleAbs(self._sum, alpha=1 / n)
        self._sum = None
        self._done = StillPicture(self._times[-1], np.asarray(average, np.uint8), n, self._noise)
        return self._done
