"""The live loop is killed and goes on with the game; `python -m tests.bench.kills` does it a hundred times."""

from __future__ import annotations

import pytest

from tests.bench.kills import is_subsequence, kills


def test_what_is_acknowledged_must_be_there_in_order() -> None:
    assert is_subsequence([1, 2, 4], [1, 2, 3, 4])
    assert not is_subsequence([1, 3, 2], [1, 2, 3])
    assert not is_subsequence([5], [])


@pytest.mark.slow
def test_nothing_acknowledged_is_lost() -> None:
    figures = kills(10, seed=7)
    assert figures["acknowledged"] > 10
    assert figures["lost"] == 0
