"""Points near each other: the same pairs as by comparing all of them."""

from __future__ import annotations

import numpy as np
import pytest

from vision import near
from vision.near import near_pairs


@pytest.mark.parametrize("at_once", [1, 300, 100_000])
def test_pairs_are_those_of_comparing_all(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "AT_ONCE", at_once)
    rng = np.random.default_rng(3)
    for trial in range(30):
        points = rng.normal(size=(int(rng.integers(1, 90)), 5)) * [9, 4, 1, 1, 0.5]
        if trial % 3 == 0:
            points = np.round(points)  # on the edges of cells, and exactly as far apart as may be
        away = points[:, None] - points[None]
        i, j = near_pairs(points, 1.0)
        assert np.array_equal(np.column_stack([i, j]), np.argwhere((away**2).sum(2) <= 1.0))
        i, j = near_pairs(points[:, :2], 2.5, longest_side=True)
        assert np.array_equal(np.column_stack([i, j]), np.argwhere(np.abs(away[..., :2]).max(2) <= 2.5))


def test_no_points_have_no_pairs() -> None:
    i, j = near_pairs(np.zeros((0, 2)), 1.0)
    assert len(i) == len(j) == 0
