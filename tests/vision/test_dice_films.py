"""Two films of a hand that throws five red dice and collects them: one throw each, its values, its time, no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.footage import open_footage
from vision.dice import ThrowWatch

FILMS = Path(__file__).parents[1] / "data" / "real" / "dice" / "video"


@pytest.mark.parametrize(
    ("film", "at_rest", "values"), [("tirada_1", 2.27, [1, 1, 2, 3, 4]), ("tirada_2", 1.87, [1, 2, 2, 3, 3])]
)
def test_a_throw_is_one_event(film: str, at_rest: float, values: list[int]) -> None:
    watch = ThrowWatch()
    with open_footage(FILMS / f"{film}.mp4") as footage:
        throws = [throw for frame in footage if (throw := watch.feed(frame)) is not None]
    (throw,) = throws
    assert 0 <= throw.t - at_rest < 0.3
    # A value may be in doubt on a film reduced to half its size; none may be wrong.
    read = [v for v in throw.values if v is not None]
    assert len(throw.values) == 5
    assert len(read) >= 4
    left = list(values)
    for v in read:
        left.remove(v)
