"""Throws in a film, as they happen: for a table where dice are all there is to see, or a hand is soon back.

A whole picture at rest for 0.3 s (`vision.still`) is more than a throw waits for: in a film of five dice the shadow of
the hand that collects them is back after 0.2 s.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.dice.dice import SIX, Die, find_dice
from vision.dice.track import DiceTracker, TrackedDie
from vision.frame import Frame
from vision.scene import DieKind
from vision.still import small_luma

CALM_S, CALM_FRAMES = 0.09, 3
"""No die moved for so long and in so many frames: one that tumbles slowly over its edge takes 0.1 s."""


@dataclass(frozen=True)
class Throw:
    """t: when all were seen to lie still, s, a tenth of a second after the last one moved. dice: those that were
    thrown, as they lie."""

    t: float
    dice: tuple[Die, ...]

    @property
    def values(self) -> tuple[int | None, ...]:
        return tuple(d.value for d in self.dice)


class ThrowWatch:
    """Feed every frame in order; each throw comes out once, when its dice lie still.

    `lying` are the dice at the last rest.
    """

    def __init__(self, kinds: tuple[DieKind, ...] = (SIX,)) -> None:
        self._kinds = kinds
        self._tracker = DiceTracker()
        self._looked_at = -1.0
        self.lying: tuple[TrackedDie, ...] = ()

    def feed(self, frame: Frame) -> Throw | None:
        """Take one frame; returns the throw that has just ended, if any."""
        self._tracker.watch(frame.t, small_luma(frame))
        moved = self._tracker.motion.moved_at
        if self._looked_at > (0.0 if moved is None else moved) or not self._tracker.motion.calm(CALM_FRAMES, CALM_S):
            return None
        self._looked_at = frame.t
        before = {k.id: k.throws for k in self.lying}
        self.lying = tuple(self._tracker.still(frame.t, find_dice(frame.bgr(), self._kinds)))
        thrown = [k for k in self.lying if k.throws > before.get(k.id, 0)]
        if not thrown:
            return None
        return Throw(frame.t, tuple(k.die for k in thrown))
