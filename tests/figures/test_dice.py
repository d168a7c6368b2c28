"""Bounds on what `python -m tests.figures.dice` measures over many random throws: minutes, with `make figures` only."""

from __future__ import annotations

import pytest

from tests.figures.dice import odd, run, share, throws


@pytest.mark.slow
def test_random_throws() -> None:
    told = run(throws(6_000_000, 6_000_300), by_sort=True, known=True)
    alone, on_table = told["throws"], told["throws, camera known"]
    # Measured on 3,146 other dice: 0.70 and 0.35 % misread, 90 and 94 % found.
    assert alone.wrong <= 0.013 * alone.dice, share(alone.wrong, alone.dice)
    assert on_table.wrong <= 0.008 * on_table.dice, share(on_table.wrong, on_table.dice)
    assert alone.found >= 0.88 * alone.dice, share(alone.found, alone.dice)
    assert on_table.found >= 0.92 * on_table.dice, share(on_table.found, on_table.dice)


def test_forty_dice_at_once_and_dice_on_a_screen() -> None:
    told = run(odd(7_100_000, 7_100_001), by_sort=True)
    # Measured on six of each: 172 of 188 and 18 of 22 found, none misread.
    assert told["forty"].found >= 0.8 * told["forty"].dice > 20
    assert told["forty"].wrong <= 1
    assert told["screen"].wrong == 0
