"""The bare table is learned from stills, but not what darkens it for a while."""

from __future__ import annotations

import numpy as np

from vision.background import Background, reduce

CLOTH = np.random.default_rng(1).integers(90, 130, (720, 1280, 3)).astype(np.uint8)
ARM = (slice(400, 720), slice(500, 640))


def shaded(by: float) -> np.ndarray:
    picture = CLOTH.copy()
    picture[ARM] = (picture[ARM] * by).astype(np.uint8)
    return picture


def look(background: Background, picture: np.ndarray) -> bool:
    small = reduce(picture)
    strange = background.strange(small, [])
    hand = background.hand(strange, 0.6)
    if not hand:
        background.learn(small, [], strange)
    return hand


def test_a_shadow_that_goes_again_is_no_hand() -> None:
    background = Background()
    assert [look(background, p) for p in (CLOTH, shaded(0.6), CLOTH, shaded(0.6), CLOTH)] == [False] * 5


def test_a_thing_that_is_brighter_than_the_table_and_reaches_in_is_one() -> None:
    background = Background()
    assert [look(background, p) for p in (CLOTH, shaded(1.6), CLOTH)] == [False, True, False]


def test_a_light_that_changes_is_learned() -> None:
    background = Background()
    dimmed = (CLOTH * 0.7).astype(np.uint8)
    assert [look(background, p) for p in (CLOTH, dimmed, dimmed)] == [False] * 3
    assert background.bare(reduce(dimmed), 0.1).mean() > 0.95
