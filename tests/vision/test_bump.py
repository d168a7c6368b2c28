"""A moved camera and pushed cards differ by whether all that moved did so as one plane."""

from __future__ import annotations

import numpy as np

from vision.bump import is_bump
from vision.camera import Array

RNG = np.random.default_rng(3)


def laid(n: int) -> list[Array]:
    """Points of cards here and there in a picture of 1280 x 720."""
    middles = RNG.uniform([100, 100], [1180, 620], (n, 2))
    return [m + RNG.uniform(-60, 60, (20, 2)) for m in middles]


def turned(
    points: Array, deg: float, shift: tuple[float, float] = (0, 0), about: tuple[float, float] = (640, 360)
) -> Array:
    c, s = np.cos(np.radians(deg)), np.sin(np.radians(deg))
    return (points - about) @ np.array([[c, s], [-s, c]]) + about + shift


def noise(points: Array) -> Array:
    return points + RNG.normal(0, 0.15, points.shape)


def test_a_turned_camera_is_noticed_although_the_pieces_go_different_ways() -> None:
    before = laid(8)
    assert is_bump(before, [noise(turned(p, 0.5)) for p in before])


def test_a_still_camera_is_not_bumped() -> None:
    before = laid(8)
    assert not is_bump(before, [noise(p) for p in before])


def test_two_cards_pushed_among_eight_are_no_bump() -> None:
    before = laid(8)
    after = [noise(p) for p in before]
    for k in (1, 4):
        after[k] = noise(turned(before[k], 3.0, (9, -4), tuple(before[k].mean(0))))
    assert not is_bump(before, after)


def test_every_card_pushed_its_own_way_is_no_bump() -> None:
    before = laid(6)
    after = [noise(turned(p, RNG.uniform(-8, 8), tuple(RNG.uniform(-14, 14, 2)), tuple(p.mean(0)))) for p in before]
    assert not is_bump(before, after)


def test_two_cards_do_not_tell_a_push_from_a_bump() -> None:
    before = laid(2)
    assert not is_bump(before, [noise(p + np.array([6.0, 2.0])) for p in before])


def test_three_cards_do() -> None:
    before = laid(3)
    assert is_bump(before, [noise(turned(p, 0.4, (5, 2))) for p in before])


def test_one_card_pushed_while_the_camera_was_moved_does_not_hide_the_bump() -> None:
    before = laid(7)
    after = [noise(turned(p, 0.4, (3, 2))) for p in before]
    after[2] = after[2] + [10, 7]
    assert is_bump(before, after)
