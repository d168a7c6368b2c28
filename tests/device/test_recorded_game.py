"""The recorded game that ships with Kibitz, seen and ruled for real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from device.evaluate import GOALS, judge
from device.footage import open_footage
from device.journal import Journal
from device.replay import report_of
from device.report import build_report
from device.sitting import find_demo, find_recording, lay_journaled_table, open_sitting, resume_table
from rules.history import effective
from vision.scene import Scene

GAME = find_demo("carpets")
MID_THROW_S = 46.0
"""One of three carpets has landed, the next is about to fly."""


@pytest.fixture(scope="module")
def report() -> bytes:
    found, cut_off = report_of(GAME)
    assert cut_off is None
    return found


def test_every_figure_reaches_its_goal(report: bytes) -> None:
    figures = judge(json.loads(report), json.loads((GAME / "truth.json").read_text())).figures()
    assert {goal.figure: figures[goal.figure] for goal in GOALS if not goal.met(figures[goal.figure])} == {}


def test_the_same_bytes_again(report: bytes) -> None:
    assert report_of(GAME)[0] == report


def test_pulling_the_plug_in_the_middle_of_a_flight_changes_no_ruling(report: bytes, tmp_path: Path) -> None:
    recording = find_recording(GAME)
    with open_footage(recording.clip) as footage:
        frames = iter(footage)
        with Journal(tmp_path / "j.sqlite") as journal:
            table = lay_journaled_table(open_sitting(recording.session), journal, source="x", take_defaults=True)
            for frame in frames:
                table.feed(frame)
                if frame.t >= MID_THROW_S:
                    break
        del table
        with Journal(tmp_path / "j.sqlite") as journal:
            table = resume_table(journal, 1, source="x", take_defaults=True)
            left = journal.entries(1)
            for frame in frames:
                table.feed(frame)
            table.finish()
            again = json.loads(build_report(table, footage="carpets", frames=0, duration=0.0))
    whole = json.loads(report)
    scenes = [given for _, given in effective(left).inputs if isinstance(given, Scene)]
    assert {p.face for p in scenes[-1].pieces if p.face.startswith("carpet.")} == {"carpet.blue"}
    assert again["scores"] == whole["scores"]
    told = [[(r["rule"], r["player"], r["text"]) for r in one["rulings"]] for one in (again, whole)]
    assert told[0] == told[1]
