"""The bench measures what it says."""

from __future__ import annotations

import pytest

from device.sitting import CLIP, find_demo
from rules.games import make_referee
from rules.history import Answered, Seen, effective, fold
from rules.protocol import Answer
from tests.bench.clips import decode
from tests.bench.keeping import whole_game
from tests.bench.machine import Took, in_ms, machine
from tests.bench.stills import film, session
from tests.tablegen import load_deck, make_table
from vision.observer import Observer


def test_medians_and_percentiles_are_in_milliseconds() -> None:
    told = in_ms([Took(0.001 * k, 0.0005 * k) for k in range(1, 102)], 150.0)
    assert told == {
        "median_ms": 51.0, "p95_ms": 96.0, "cpu_median_ms": 25.5, "cpu_p95_ms": 48.0, "n": 101, "goal_ms": 150.0,
    }  # fmt: skip


def test_the_machine_is_named() -> None:
    assert {"cpu", "cores", "python", "opencv", "numpy"} <= set(machine())
    assert machine()["cpu"]


def test_the_game_that_is_folded_is_a_whole_one() -> None:
    told, inputs = whole_game(players=2, seed=3)
    entries = [Answered(i) if isinstance(i, Answer) else Seen(i) for i in inputs]
    referee, _ = fold(make_referee(told), effective(entries).inputs)
    assert referee.view().over
    assert len(inputs) > 300
    assert sum(referee.scores().values()) != 0


def test_every_frame_is_decoded() -> None:
    assert decode(find_demo("carpets") / CLIP, to_bgr=False) == 667


@pytest.mark.parametrize("seed", [2000])
def test_a_table_is_filmed_so_that_every_still_is_measured_within_it(seed: int) -> None:
    scene = make_table(seed, load_deck(), frames=1, cards=4, carpets=0, djinns=0, face_down=0, foreign=())
    groups = film(seed, scene.camera, [list(scene.stack[:3]), list(scene.stack)])
    observer = Observer(load_deck())
    seen = [[o for frame in group if (o := observer.look(frame)) is not None] for group in groups]
    assert [[len(o.scene.pieces) for o in one] for one in seen] == [[3], [4]]
    assert session().player[3].carpet == "yellow"
