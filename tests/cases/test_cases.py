"""Reported plays: every file dropped into this folder is a test by itself.

`kibitz report` (or *Report this play* on the screen) writes one. It passes when Kibitz rules as the players let it
stand, or asks; until a fault is mended, name the file in `NOT_YET` with what is wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from device.reported import judge

HERE = Path(__file__).parent
NOT_YET: dict[str, str] = {}
"""File name to what Kibitz still does wrong there."""


def cases() -> list[object]:
    return [
        pytest.param(path, id=path.stem, marks=[pytest.mark.xfail(reason=NOT_YET[path.name], strict=True)])
        if path.name in NOT_YET
        else pytest.param(path, id=path.stem)
        for path in sorted(HERE.glob("*.zip"))
    ]


@pytest.mark.parametrize("path", cases())
def test_a_reported_play_is_ruled_as_the_players_let_it_stand(path: Path) -> None:
    assert judge(path) == []
