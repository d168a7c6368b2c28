"""Dice from still to still: what counts as a throw, what does not, and what is asked."""

from __future__ import annotations

import numpy as np
import pytest

from vision.dice.dice import Die
from vision.dice.motion import Motion
from vision.dice.shape import upper_face
from vision.dice.track import DiceTracker

EDGE = 40.0
TABLE = np.full((120, 160), 90.0, np.float32)
"""A small luma picture: of 640x480."""


def die(x: float, y: float, value: int | None, turn_deg: float = 10.0, edge: float = EDGE) -> Die:
    corners = upper_face((x, y), edge, np.zeros(2), np.radians(turn_deg))
    return Die((x, y), corners, value, "die.six", "rest", 0.98, edge)


def frame(*boxes: tuple[float, float, float, float]) -> np.ndarray:
    """The table with light boxes on it; x, y, width, height in full pixels."""
    picture = TABLE.copy()
    for x, y, w, h in boxes:
        picture[int(y / 4) : int((y + h) / 4), int(x / 4) : int((x + w) / 4)] = 230.0
    return picture


def roll(tracker: DiceTracker, t: float, start: tuple[float, float], end: tuple[float, float], steps: int = 6) -> float:
    """A loose die flies from start to end at 10 frames a second and lies there for half a second."""
    for k in range(steps):
        a = k / (steps - 1)
        x, y = (s + (e - s) * a for s, e in zip(start, end, strict=True))
        tracker.watch(t, frame((x - 20, y - 20, 40, 40)))
        t += 0.1
    for _ in range(5):
        tracker.watch(t, frame((end[0] - 20, end[1] - 20, 40, 40)))
        t += 0.1
    return t


def carry(tracker: DiceTracker, t: float, end: tuple[float, float]) -> float:
    """A hand reaches in from the left border to the place, and goes; the die lies there then."""
    for reach in (0.3, 0.6, 1.0, 1.0, 0.6, 0.3):
        tip = end[0] + 60 if reach == 1.0 else reach * end[0]
        lies = [(end[0] - 20, end[1] - 20, 40.0, 40.0)]
        tracker.watch(t, frame((0, end[1] - 60, tip, 120), *lies))
        t += 0.1
    for _ in range(5):
        tracker.watch(t, frame((end[0] - 20, end[1] - 20, 40, 40)))
        t += 0.1
    return t


def rest(tracker: DiceTracker, t: float, *places: tuple[float, float]) -> float:
    for _ in range(5):
        tracker.watch(t, frame(*((x - 20, y - 20, 40.0, 40.0) for x, y in places)))
        t += 0.1
    return t


def test_a_die_that_lies_there_from_the_first_was_not_thrown() -> None:
    tracker = DiceTracker()
    t = rest(tracker, 0.0, (300, 200))
    (lying,) = tracker.still(t, [die(300, 200, 4)])
    assert (lying.throws, lying.throw_doubtful, lying.die.pose) == (0, False, "rest")


@pytest.mark.parametrize("value", [4, 2])
@pytest.mark.parametrize("end", [(460.0, 300.0), (306.0, 204.0)], ids=["far", "nearly the same place"])
def test_a_roll_is_one_throw_whatever_falls_and_wherever(value: int, end: tuple[float, float]) -> None:
    tracker = DiceTracker()
    t = rest(tracker, 0.0, (300, 200))
    tracker.still(t, [die(300, 200, 4)])
    t = roll(tracker, t, (120.0, 80.0), end)
    (lying,) = tracker.still(t, [die(*end, value, turn_deg=31)])
    assert (lying.id, lying.throws, lying.throw_doubtful) == ("die1", 1, False)
    (again,) = tracker.still(rest(tracker, t, end), [die(*end, value, turn_deg=31)])
    assert (again.throws, again.throw_doubtful) == (1, False)


def test_a_die_that_was_away_for_a_still_keeps_its_name_and_its_count() -> None:
    tracker = DiceTracker()
    t = rest(tracker, 0.0, (300, 200))
    tracker.still(t, [die(300, 200, 4)])
    assert tracker.still(rest(tracker, t), []) == []
    t = roll(tracker, t + 0.5, (120.0, 80.0), (460.0, 300.0))
    (lying,) = tracker.still(t, [die(460, 300, 4, turn_deg=70)])
    assert (lying.id, lying.throws, lying.throw_doubtful) == ("die1", 1, False)


@pytest.mark.parametrize("value", [4, 2])
def test_a_die_that_a_hand_lays_elsewhere_is_asked_about(value: int) -> None:
    tracker = DiceTracker()
    t = rest(tracker, 0.0, (300, 200))
    tracker.still(t, [die(300, 200, 4)])
    t = carry(tracker, t, (460.0, 300.0))
    (lying,) = tracker.still(t, [die(460, 300, value, turn_deg=40)])
    assert (lying.throws, lying.throw_doubtful) == (0, True)


def test_a_hand_that_passes_over_a_die_throws_nothing() -> None:
    tracker = DiceTracker()
    t = rest(tracker, 0.0, (300, 200))
    tracker.still(t, [die(300, 200, 4)])
    t = carry(tracker, t, (300.0, 200.0))
    (lying,) = tracker.still(t, [die(300.5, 199.6, 4, turn_deg=11)])
    assert (lying.throws, lying.throw_doubtful) == (0, False)


def test_another_value_in_the_same_place_without_a_touch_is_a_doubt_about_the_reading() -> None:
    tracker = DiceTracker()
    tracker.still(0.0, [die(300, 200, 4)])
    (lying,) = tracker.still(1.0, [die(300, 200, 5)], touched=lambda _: False)
    assert (lying.die.value, lying.throws) == (None, 0)


def test_a_value_once_read_stays_while_nothing_touches_the_die() -> None:
    tracker = DiceTracker()
    tracker.still(0.0, [die(300, 200, 4)])
    (lying,) = tracker.still(1.0, [die(300, 200, None)], touched=lambda _: False)
    assert lying.die.value == 4


def test_in_stills_alone_another_value_elsewhere_is_a_throw_and_the_same_value_is_asked_about() -> None:
    tracker = DiceTracker()
    tracker.still(0.0, [die(300, 200, 4)])
    (lying,) = tracker.still(5.0, [die(400, 250, 2)])
    assert (lying.throws, lying.throw_doubtful) == (1, False)
    (lying,) = tracker.still(9.0, [die(200, 150, 2)])
    assert (lying.throws, lying.throw_doubtful) == (1, True)


def test_five_dice_keep_their_names_when_one_of_them_is_thrown() -> None:
    tracker = DiceTracker()
    places = [(100.0, 100.0), (200.0, 120.0), (300.0, 140.0), (400.0, 160.0), (500.0, 180.0)]
    t = rest(tracker, 0.0, *places)
    first = tracker.still(t, [die(*p, 3) for p in places])
    places[2] = (320.0, 330.0)
    for k in range(6):
        loose = (60 + 260 * k / 5, 420 - 90 * k / 5)
        tracker.watch(t, frame(*((x - 20, y - 20, 40.0, 40.0) for x, y in [*places[:2], loose, *places[3:]])))
        t += 0.1
    t = rest(tracker, t, *places)
    second = tracker.still(t, [die(*p, 3) for p in places])
    assert [k.id for k in second] == [k.id for k in first]
    assert [k.throws for k in second] == [0, 0, 1, 0, 0]
    assert not any(k.throw_doubtful for k in second)


def test_a_die_under_which_the_picture_still_moves_is_moving() -> None:
    tracker = DiceTracker()
    t = 0.0
    for k in range(6):
        tracker.watch(t, frame((100 + 30 * k, 200, 40, 40)))
        t += 0.1
    (lying,) = tracker.still(t - 0.1, [die(270, 220, 4)])
    assert (lying.die.pose, lying.die.value) == ("moving", None)


def test_a_change_of_light_is_not_a_throw() -> None:
    motion = Motion()
    rng = np.random.default_rng(0)
    for k in range(6):
        motion.feed(
            k / 10, frame((280, 180, 40, 40)) * (0.7 + 0.1 * (k % 2)) + rng.normal(0, 1, TABLE.shape).astype(np.float32)
        )
    assert not motion.came_loose((300.0, 200.0), EDGE, -1.0)
