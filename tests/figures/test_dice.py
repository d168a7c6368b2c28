"""Bounds on what `python -m tests.figures.dice` measures over many random throws: minutes, with `make figures` only."""

from __future__ import annotations

import pytest

from tests.figures.dice import run, share, throws


@pytest.mark.slow
def test_random_throws() -> None:
    t = run(throws(6_000_000, 6_000_300), by_sort=True)["throws"]
    assert t.wrong <= 0.01 * t.dice, share(t.wrong, t.dice)
    assert t.found >= 0.93 * t.dice, share(t.found, t.dice)
