"""Frames in, observations out: the door to this room.

observer = Observer(deck)
for frame in frames:
    if (seen := observer.look(frame)) is not None:
        print(seen.scene)
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from vision.camera import Lens
from vision.deck import Deck
from vision.frame import Frame
from vision.scene import Scene, Things
from vision.seer import NOTHING_ELSE, Seer
from vision.still import StillFinder, StillPicture


@dataclass(frozen=True, eq=False)
class Observation:
    """What one still showed."""

    scene: Scene
    picture: NDArray[np.uint8]
    """(h, w, 3) uint8 BGR: the averaged still that was measured."""


class Observer:
    """Looks at every frame once, measures every still once."""

    def __init__(self, deck: Deck, things: Things = NOTHING_ELSE, lens: Lens | None = None) -> None:
        """things: what may be on the table beside the deck's flat pieces. lens: the camera's, where it was measured."""
        self.stills = StillFinder()
        self.seer = Seer(deck, things, lens)
        self._last: Observation | None = None
        self._hand_picture: StillPicture | None = None

    @property
    def moving(self) -> bool:
        """Something moves, or a hand is in view."""
        return self.stills.moving or self.seer.hand

    @property
    def status(self) -> str:
        """`moving`, `hand`, `learning_camera` or `still`."""
        if self.stills.moving:
            return "moving"
        if self.seer.hand:
            return "hand"
        return "still" if self.seer.calibration.solved else "learning_camera"

    def look(self, frame: Frame) -> Observation | None:
        """Take the next frame. Returns an observation when a still was completed by it."""
        self.seer.solids.watch(frame)
        return self._measure(self.stills.feed(frame))

    def finish(self) -> Observation | None:
        """At the end of the footage: the still that was going on."""
        return self._measure(self.stills.finish())

    def _measure(self, picture: StillPicture | None) -> Observation | None:
        if picture is None:
            return None
        if picture.again and self._last is not None and not self.seer.hand and not self.seer.unfinished:
            # Nothing has moved since it was measured: the same scene, a little later.
            self._last = Observation(msgspec.structs.replace(self._last.scene, t=picture.t), self._last.picture)
            return self._last
        scene = self.seer.see(picture)
        self._last = None if scene is None else Observation(scene, picture.bgr)
        return self._last
