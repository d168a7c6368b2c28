"""A die that is gone without a hand near it was missed, not taken."""

from __future__ import annotations

import numpy as np
import pytest

import vision.dice
from vision.camera import Camera
from vision.dice import SIX
from vision.dice.dice import Die
from vision.dice.motion import Motion
from vision.dice.shape import upper_face
from vision.frame import ArrayFrame
from vision.scene import Piece, Things
from vision.solids import Solids
from vision.still_image import Still

CAMERA = Camera(f=900, k1=0, k2=0, tilt_x=0, tilt_y=0, distance=450, width=640, height=480)
AT = (300.0, 200.0)
EDGE = 32.0
LIES = Die(AT, upper_face(AT, EDGE, np.zeros(2), 0.2), 4, "die.six", "rest", 0.98, EDGE)


def picture(*boxes: tuple[int, int, int, int]) -> np.ndarray:
    bgr = np.full((480, 640, 3), 90, np.uint8)
    for x, y, w, h in boxes:
        bgr[y : y + h, x : x + w] = 230
    return bgr


DIE_BOX = (284, 184, 32, 32)
BARE, WITH_DIE, HAND = picture(), picture(DIE_BOX), picture((0, 120, 340, 160), DIE_BOX)


class Watched:
    """The dice of a picture that is told, still after still."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.solids = Solids(Things(dice=(SIX,)), None)  # type: ignore[arg-type]
        self.found: list[Die] = []
        self.t = 0.0
        monkeypatch.setattr(vision.dice, "find_on_table", lambda *_: list(self.found))

    def film(self, *pictures: np.ndarray) -> None:
        for bgr in pictures:
            self.t = round(self.t + 0.1, 1)
            self.solids.watch(ArrayFrame(self.t, bgr))

    def still(self, bgr: np.ndarray, *dice: Die, again: bool = False) -> list[Piece]:
        self.found = list(dice)
        return list(self.solids.see(Still(bgr), CAMERA, [], self.t, everywhere=again))


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    w = Watched(monkeypatch)
    w.film(*[WITH_DIE] * 4)
    ((lies),) = w.still(WITH_DIE, LIES)
    assert (lies.value, lies.visible) == (4, 1.0)
    return w


def test_gone_from_one_frame_to_the_next_it_is_remembered_until_the_next_look(watched: Watched) -> None:
    watched.film(BARE, BARE, BARE)
    (kept,) = watched.still(BARE)
    assert (kept.id, kept.value, kept.visible, kept.throws) == ("d1", 4, 0.0, 0)
    assert watched.solids.unfinished
    assert watched.still(BARE, again=True) == []
    assert not watched.solids.unfinished


def test_a_hand_takes_it(watched: Watched) -> None:
    watched.film(HAND, HAND, BARE, BARE)
    assert watched.still(BARE) == []


def test_another_die_of_its_kind_that_lies_there_is_it(watched: Watched) -> None:
    there = (460.0, 300.0)
    moved = Die(there, upper_face(there, EDGE, np.zeros(2), 0.2), 2, "die.six", "rest", 0.98, EDGE)
    watched.film(BARE, BARE)
    (lies,) = watched.still(BARE, moved)
    assert (lies.value, lies.visible) == (2, 1.0)


def test_what_changes_in_two_frames_did_not_vanish() -> None:
    motion = Motion()
    for k, bright in enumerate([90.0, 230.0, 160.0, 90.0]):
        small = np.full((120, 160), 90.0, np.float32)
        small[46:54, 71:79] = bright
        motion.feed(k / 10, small)
    assert not motion.vanished(AT, EDGE, -1.0)
    assert motion.vanished(AT, EDGE, 0.25)
