"""Identities: who is who after things have moved, from poses and faces alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.deck import Deck, Face
from vision.facebank import FaceBank
from vision.found import Found
from vision.naming import Match
from vision.solve import Sighting
from vision.track import RETURN_S, Tracker

PALACE, LAMP, BACK = 0, 1, 2


@pytest.fixture(scope="module")
def bank() -> FaceBank:
    rng = np.random.default_rng(0)
    counts = {"palace": 4, "lamp": 1, "back": 1}
    faces = tuple(
        Face(kind, kind, rng.integers(0, 255, (182, 118, 3)).astype(np.uint8), 59.0, 91.0, count)
        for kind, count in counts.items()
    )
    return FaceBank(Deck("three", faces))


@pytest.fixture
def tracker(bank: FaceBank) -> Tracker:
    return Tracker(bank)


def lies(template: int, x: float, y: float = 0.0, angle: float = 0.0) -> Found:
    none = np.zeros((0, 2))
    return Found(
        template, np.array([x, y, angle]), np.eye(3) * 0.01, Sighting(none, none, np.zeros(0)), 0.2,
        Match(template, 0, 1.0, 0.0, 1.0), 20.0, 1.0, np.ones((8, 5), np.float32),
    )  # fmt: skip


def where(tracker: Tracker) -> dict[str, tuple[int, float]]:
    return {t.id: (t.found.template, float(t.found.pose[0])) for t in tracker.live}


def test_every_new_piece_gets_a_new_id(tracker: Tracker) -> None:
    tracker.update([], [lies(PALACE, 0), lies(LAMP, 100)], 1.0)
    tracker.update([(t, t.found, False) for t in tracker.live], [lies(PALACE, 200)], 2.0)
    assert where(tracker) == {"p1": (PALACE, 0.0), "p2": (LAMP, 100.0), "p3": (PALACE, 200.0)}


def test_what_was_pushed_is_told_by_its_face_and_of_two_alike_by_the_shorter_way(tracker: Tracker) -> None:
    tracker.update([], [lies(PALACE, 0), lies(PALACE, 100), lies(LAMP, 200)], 1.0)
    tracker.update([], [lies(LAMP, 30), lies(PALACE, 110), lies(PALACE, -20)], 2.0)
    assert where(tracker) == {"p1": (PALACE, -20.0), "p2": (PALACE, 110.0), "p3": (LAMP, 30.0)}


def test_a_card_turned_over_in_its_place_keeps_its_id(tracker: Tracker) -> None:
    tracker.update([], [lies(BACK, 0), lies(LAMP, 100)], 1.0)
    tracker.update([(tracker.live[1], tracker.live[1].found, False)], [lies(PALACE, 3)], 2.0)
    assert where(tracker) == {"p1": (PALACE, 3.0), "p2": (LAMP, 100.0)}


def test_another_card_laid_elsewhere_is_another_card(tracker: Tracker) -> None:
    tracker.update([], [lies(LAMP, 0)], 1.0)
    tracker.update([], [lies(PALACE, 150)], 2.0)
    assert where(tracker) == {"p2": (PALACE, 150.0)}


def test_what_was_lifted_and_comes_back_soon_is_the_same(tracker: Tracker) -> None:
    tracker.update([], [lies(PALACE, 0)], 1.0)
    tracker.update([], [], 2.0)
    tracker.update([], [lies(PALACE, 80)], 1.0 + 0.9 * RETURN_S)
    assert where(tracker) == {"p1": (PALACE, 80.0)}


def test_a_copy_that_comes_late_is_another_unless_there_is_only_one_in_the_deck(tracker: Tracker) -> None:
    tracker.update([], [lies(PALACE, 0), lies(LAMP, 100)], 1.0)
    tracker.update([], [], 2.0)
    tracker.update([], [lies(PALACE, 0), lies(LAMP, 300)], 100.0)
    assert where(tracker) == {"p3": (PALACE, 0.0), "p2": (LAMP, 300.0)}


def test_backs_are_all_alike_and_never_come_back_late(tracker: Tracker) -> None:
    tracker.update([], [lies(BACK, 0)], 1.0)
    tracker.update([], [], 2.0)
    tracker.update([], [lies(BACK, 0)], 100.0)
    assert list(where(tracker)) == ["p2"]


def test_what_is_hidden_stays_and_was_last_seen_before(tracker: Tracker) -> None:
    tracker.update([], [lies(PALACE, 0)], 1.0)
    track = tracker.live[0]
    tracker.update([(track, track.found, True)], [lies(LAMP, 2)], 5.0)
    assert {t.id: t.hidden for t in tracker.live} == {"p1": True, "p2": False}
    assert (tracker.live[0].seen, tracker.live[1].seen) == (1.0, 5.0)
    moved = replace(track.found, pose=np.array([1.0, 0, 0]))
    tracker.update([(track, moved, False), (tracker.live[1], tracker.live[1].found, False)], [], 6.0)
    assert {t.id: t.hidden for t in tracker.live} == {"p1": False, "p2": False}


def test_the_lost_come_before_the_long_gone(tracker: Tracker) -> None:
    """A lamp was taken up, another piece of its face lies there since: what moves is what lay there."""
    tracker.update([], [lies(PALACE, 0)], 1.0)
    tracker.update([], [], 2.0)
    tracker.update([], [lies(PALACE, 500)], 100.0)
    tracker.update([], [lies(PALACE, 3)], 101.0)
    assert where(tracker) == {"p2": (PALACE, 3.0)}
