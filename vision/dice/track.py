"""Dice from still to still: which is which, and how often each was thrown.

    tracker = DiceTracker()
    tracker.watch(frame.t, small_luma(frame))     # every frame, where there are frames
    lying = tracker.still(t, find_dice(picture))  # every still

A throw is one event: the die was in a hand or moving, and came to rest. What tells a throw from a die that was picked
up and laid down again is the way it got there: by itself, or under a hand. Where that was not seen it is doubtful.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.assign import assign
from vision.dice.dice import Die
from vision.dice.motion import Motion

SAME_PLACE = 0.2
"""A die that lies nearer than this, in edges, to where it lay has not moved: readings of one place differ by 0.05."""
SAME_TURN_DEG = 8.0
"""And turned by less than this."""
NUDGED = 0.5
"""A die of the same value that moved by less and kept its turn was brushed by a sleeve."""
RESTLESS_S = 0.07
"""Something moved there so shortly before: the die is still rolling."""
OTHER_SIZE = 1.6
"""Dice that differ more in size are not the same one."""


@dataclass(frozen=True)
class TrackedDie:
    """A die at a still. throws: how often it came to rest from a throw since it was first seen; thrown_at: when it last
    did, s; throw_doubtful: something touched it since the last still, and whether it was thrown cannot be told."""

    id: str
    die: Die
    throws: int = 0
    throw_doubtful: bool = False
    thrown_at: float | None = None


class DiceTracker:
    """Follows the dice of one table. prefix: of the ids it gives."""

    def __init__(self, prefix: str = "die") -> None:
        self._prefix = prefix
        self._count = 0
        self._known: list[TrackedDie] = []
        self._motion = Motion()
        self._last_t = -1e9
        self._away: set[str] = set()

    def watch(self, t: float, small: NDArray[np.float32]) -> None:
        """Take note of what moves. small: `vision.still.small_luma` of a frame, every frame, in order."""
        self._motion.feed(t, small)

    @property
    def motion(self) -> Motion:
        """What moved since the last still."""
        return self._motion

    def still(self, t: float, dice: list[Die], touched: Callable[[Die], bool] | None = None) -> list[TrackedDie]:
        """The dice that lie there at a still of time `t`.

        touched: whether anything was over the place of a die since the last still; unknown (None) means it may have
        been.
        """
        before = [k for k in self._known if k.id not in self._away]
        unmoved = _pairs(before, dice, _lies_still)
        out: dict[int, TrackedDie] = {j: self._stayed(before[i], dice[j], t, touched) for i, j in unmoved.items()}
        rest_old = [k for n, k in enumerate(before) if n not in unmoved]
        rest_old += [k for k in self._known if k.id in self._away]
        rest_new = [j for j in range(len(dice)) if j not in out]
        moved = _pairs(rest_old, [dice[j] for j in rest_new], _alike)
        for i, j in moved.items():
            out[rest_new[j]] = self._moved(rest_old[i], dice[rest_new[j]], t)
        fresh = {j: self._new(dice[j], t) for j in rest_new if j not in out}
        if any(k.thrown_at is not None for k in fresh.values()):
            # Dice that are new together were thrown together: one alone, of a handful, is seen to come loose.
            fresh = {j: k if k.throws else self._thrown(k, k.die, t) for j, k in fresh.items()}
        out |= fresh
        seen = {k.id for k in out.values()}
        gone = [k for k in self._known if k.id not in seen]
        self._away = {k.id for k in gone}
        self._known = [*out.values(), *gone]
        self._last_t = t
        return [self._at_rest(out[j], t) for j in range(len(dice))]

    def _stayed(self, old: TrackedDie, die: Die, t: float, touched: Callable[[Die], bool] | None) -> TrackedDie:
        """It lies where it lay. Another value there without a touch is a doubt about the reading, not a throw."""
        loose = self._motion.came_loose(die.centre_px, die.edge_px, self._last_t)
        if loose and old.die.value != die.value and None not in (old.die.value, die.value):
            return self._thrown(old, die, t)
        if old.die.value == die.value or die.value is None:
            keep = old.die if die.value is None and (touched is not None and not touched(die)) else die
            return replace(old, die=replace(keep, pose=die.pose))
        if old.die.value is None:
            return replace(old, die=die)
        if touched is None or touched(die):
            return replace(old, die=die, throw_doubtful=True)
        return replace(old, die=replace(die, value=None, confidence=0.0))

    def _moved(self, old: TrackedDie, die: Die, t: float) -> TrackedDie:
        if self._motion.came_loose(die.centre_px, die.edge_px, self._last_t):
            return self._thrown(old, die, t)
        same = old.die.value == die.value
        if same and _distance(old.die, die) < NUDGED and _turned(old.die, die) < 2 * SAME_TURN_DEG:
            return replace(old, die=die)
        if self._motion.watched or same or die.value is None or old.die.value is None:
            return replace(old, die=die, throw_doubtful=True)
        # Seen in stills alone: a die shows another face only when it was turned over.
        return self._thrown(old, die, t)

    def _new(self, die: Die, t: float) -> TrackedDie:
        self._count += 1
        fresh = TrackedDie(f"{self._prefix}{self._count}", die)
        # One that lay there from the first did not come at all.
        if self._motion.came_loose(die.centre_px, die.edge_px, self._last_t):
            return self._thrown(fresh, die, t)
        return fresh

    def _thrown(self, old: TrackedDie, die: Die, t: float) -> TrackedDie:
        at = self._motion.last_near(die.centre_px, die.edge_px, self._last_t)
        return replace(old, die=die, throws=old.throws + 1, throw_doubtful=False, thrown_at=t if at is None else at)

    def _at_rest(self, known: TrackedDie, t: float) -> TrackedDie:
        last = self._motion.last_near(known.die.centre_px, known.die.edge_px, t - RESTLESS_S)
        if last is None:
            return known
        return replace(known, die=replace(known.die, pose="moving", value=None))


def _pairs(old: list[TrackedDie], new: list[Die], fit: Callable[[Die, Die], bool]) -> dict[int, int]:
    """Which of the old is which of the new, by the least distances in all, of those that `fit`."""
    if not old or not new:
        return {}
    far = np.array([[_distance(k.die, d) if fit(k.die, d) else 1e6 for d in new] for k in old])
    rows, cols = assign(far)
    return {int(i): int(j) for i, j in zip(rows, cols, strict=True) if far[i, j] < 1e6}


def _lies_still(old: Die, new: Die) -> bool:
    return _alike(old, new) and _distance(old, new) < SAME_PLACE and _turned(old, new) < SAME_TURN_DEG


def _alike(old: Die, new: Die) -> bool:
    return old.face == new.face and max(old.edge_px, new.edge_px) < OTHER_SIZE * min(old.edge_px, new.edge_px)


def _distance(old: Die, new: Die) -> float:
    """In edges."""
    dx, dy = np.subtract(new.centre_px, old.centre_px)
    return float(np.hypot(dx, dy) / old.edge_px)


def _turned(old: Die, new: Die) -> float:
    """Degrees between the faces' edges, 0 to 45."""

    def angle(d: Die) -> float:
        (x0, y0), (x1, y1) = d.corners_px[0], d.corners_px[1]
        return float(np.degrees(np.arctan2(y1 - y0, x1 - x0)))

    d = abs(angle(new) - angle(old)) % 90
    return min(d, 90 - d)
