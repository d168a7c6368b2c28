"""Exposure, white balance and focus: left to the camera until the picture rests, then held while people play.

A camera that goes on adjusting changes the whole picture whenever a hand or a white card comes in. What is held is
checked by the picture itself: some cameras answer with a stale exposure, and their picture jumps; they stay automatic.
When the light of the room changes for good, all is let go and held anew.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from device.cameras.source import Knobs, Source
from vision.frame import Frame

LEAST_S = 1.5
"""No camera's automatic exposure is done sooner."""
RESTS_S = 1.0
RESTS_GREY = 2.0
"""The picture rests when its median grey has stayed within this for so long."""
LATEST_S = 8.0
"""Then what there is will do: a lamp that flickers never rests."""
JUMP_GREY = 10.0
"""A median that changes by more within `RESTS_S` of being held was not held but set to something else."""
OTHER_LIGHT_GREY = 35.0
OTHER_LIGHT_S = 4.0
"""A median that is this far from where it was held, for so long, means another light; a hand covers no half of it."""
STEP = 16
"""The median is that of every 16th pixel each way: 3600 of 1280x720, 30 microseconds."""


class Settled:
    """A source whose knobs are turned as its pictures tell."""

    def __init__(self, source: Source, knobs: Knobs) -> None:
        self._source = source
        self._knobs = knobs
        self.held: tuple[str, ...] = ()
        self._trusted = True
        self._let_go(None)

    def read(self) -> Frame | None:
        frame = self._source.read()
        if frame is not None:
            self._look(frame.t, float(np.median(frame.luma[::STEP, ::STEP])))
        return frame

    def close(self) -> None:
        self._source.close()

    def _let_go(self, t: float | None) -> None:
        self._knobs.automatic()
        self.held = ()
        self._since = t
        self._greys: deque[tuple[float, float]] = deque()
        self._at: float | None = None
        """Median grey when it was held."""
        self._held_t = 0.0
        self._other_since: float | None = None

    def _look(self, t: float, grey: float) -> None:
        if not self._trusted:
            return
        if self._since is None:
            self._since = t
        if self._at is None:
            self._wait_for_rest(t, grey)
        elif t - self._held_t <= RESTS_S and abs(grey - self._at) > JUMP_GREY:
            self._trusted = False
            self._let_go(t)
        elif abs(grey - self._at) < OTHER_LIGHT_GREY:
            self._other_since = None
        elif self._other_since is None:
            self._other_since = t
        elif t - self._other_since > OTHER_LIGHT_S:
            self._let_go(t)

    def _wait_for_rest(self, t: float, grey: float) -> None:
        assert self._since is not None
        self._greys.append((t, grey))
        while self._greys and t - self._greys[0][0] > RESTS_S:
            self._greys.popleft()
        greys = [g for _, g in self._greys]
        rests = t - self._since >= LEAST_S and max(greys) - min(greys) <= RESTS_GREY
        if rests or t - self._since >= LATEST_S:
            self.held = self._knobs.hold()
            self._at, self._held_t = float(np.median(greys)), t
            if not self.held:
                self._trusted = False  # nothing to hold here
