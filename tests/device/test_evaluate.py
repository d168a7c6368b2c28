"""`kibitz evaluate`: every figure tells the mistake it is there for."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from device.cli import run
from device.evaluate import GOALS, Tally, judge

Json = dict[str, Any]


def square(x: float, y: float, side: float = 100.0) -> list[list[float]]:
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]


def true_object(name: str, kind: str, x: float, **more: object) -> Json:
    return {
        "id": name,
        "face": f"{kind}_a",
        "kind": kind,
        "face_up": True,
        "corners_px": square(x, 100),
        "visible_in_frame_fraction": 1.0,
        "overlaps": [],
        **more,
    }


CARPET = true_object(
    "carpet_red", "carpet.red", 330, overlaps=[{"id": "card02", "area_mm2": 900.0, "on_top": "carpet_red"}]
)
TRUTH: Json = {
    "players": [{"number": 1, "name": "Ana"}, {"number": 2, "name": "Ben"}],
    "states": [
        {
            "t0": 1.0,
            "t1": 3.0,
            "objects": [
                true_object("card01", "palace", 100),
                true_object("card02", "lamp", 300),
                true_object("card03", "desert", 600, face_up=False),
                CARPET,
                true_object("card04", "desert", 900, visible_in_frame_fraction=0.2),
            ],
            "gaps": [
                {"a": "card01", "b": "card02", "gap_mm": 8.0},
                {"a": "card02", "b": "card03", "gap_mm": 50.0},
                {"a": "card01", "b": "card03", "gap_mm": 95.0},
            ],
        },
        {"t0": 3.2, "t1": 3.6, "objects": [], "gaps": []},
    ],
    "layout_violations": [{"kind": "gap", "ids": ["card01", "card02"]}, {"kind": "reach", "ids": ["card03"]}],
    "claims": [{"player": 1, "card": "card02"}],
    "duels": [{"card": "card02", "winner": 2}],
    "final_scores": {"Ana": 3, "Ben": -5},
}


def piece(name: str, face: str, x: float) -> Json:
    return {"id": name, "face": face, "corners_px": square(x, 100)}


REPORT: Json = {
    "scenes": [
        {"t": 1.2, "pieces": []},  # only the last scene of a state is judged
        {
            "t": 3.1,
            "pieces": [
                piece("p1", "palace", 100.5),
                piece("p2", "lamp", 300),
                piece("p3", "back", 600),
                piece("p9", "carpet.red", 330),
            ],
            "gaps": [
                {"a": "p2", "b": "p1", "mm": 8.3, "sigma_mm": 0.3},
                {"a": "p2", "b": "p3", "mm": 50.0, "sigma_mm": 0.3},
            ],
            "overlaps": [{"over": "p9", "under": "p2"}],
        },
    ],
    "rulings": [
        {"rule": "carpets.layout.gap", "pieces": ["p1", "p2"], "player": None},
        {"rule": "carpets.layout.reach", "pieces": ["p3"], "player": None},
        {"rule": "carpets.claim", "pieces": ["p2", "p9"], "player": "Ana"},
        {"rule": "carpets.duel", "pieces": ["p2"], "player": "Ben"},
    ],
    "questions": [],
    "scores": {"Ana": 3, "Ben": -5},
}


def short(report: Json) -> set[str]:
    figures = judge(report, TRUTH).figures()
    return {goal.figure for goal in GOALS if not goal.met(figures[goal.figure])}


def test_a_perfect_report_reaches_every_goal() -> None:
    tally = judge(REPORT, TRUTH)
    figures = tally.figures()
    assert list(figures) == [goal.figure for goal in GOALS]
    assert short(REPORT) == set()
    assert figures["corner error rms px"] == pytest.approx(0.25)  # one of four pieces is off by 0.5 px
    assert figures["gap sigma honest (rms error/sigma)"] == pytest.approx((0.5) ** 0.5)
    assert (tally.counts["states"], tally.counts["objects"], tally.counts["stacks"]) == (1, 4, 1)


def scene(report: Json) -> Json:
    last: Json = report["scenes"][1]
    return last


def rename(number: int, face: str) -> Callable[[Json], None]:
    return lambda report: scene(report)["pieces"][number].update(face=face)


def turn(report: Json) -> None:
    corners = scene(report)["pieces"][0]["corners_px"]
    scene(report)["pieces"][0]["corners_px"] = corners[2:] + corners[:2]


SPOILT: dict[str, tuple[Callable[[Json], object], set[str]]] = {
    "no scene": (lambda r: r.update(scenes=r["scenes"][:0]), {"states seen"}),
    "a scene too late": (lambda r: scene(r).update(t=3.4), {"pieces found"}),
    "a piece not found": (lambda r: scene(r)["pieces"].pop(0), {"pieces found", "faces right", "gap error p95 mm"}),
    "a piece that is not there": (
        lambda r: scene(r)["pieces"].append(piece("p7", "lamp", 1100)),
        {"false pieces"},
    ),
    "a wrong face": (rename(0, "lamp"), {"faces right", "faces wrong with confidence"}),
    "an unknown face": (rename(0, "unknown"), {"faces right"}),
    "a back named as its face": (rename(2, "desert"), {"faces right", "faces wrong with confidence"}),
    "turned": (turn, {"turned the wrong way"}),
    "corners off": (
        lambda r: scene(r)["pieces"][1].update(corners_px=square(302, 100)),
        {"corner error rms px"},
    ),
    "a gap off": (
        lambda r: scene(r)["gaps"][0].update(mm=9.0),
        {"gap error p95 mm", "gap sigma honest (rms error/sigma)"},
    ),
    "a gap missing": (lambda r: scene(r)["gaps"].pop(1), {"gap error p95 mm"}),
    "stacked the other way": (
        lambda r: scene(r)["overlaps"][0].update(over="p2", under="p9"),
        {"stacking right"},
    ),
    "a fault overlooked": (lambda r: r["rulings"].pop(0), {"layout faults found"}),
    "a fault invented": (
        lambda r: r["rulings"].append({"rule": "carpets.layout.gap", "pieces": ["p2", "p3"]}),
        {"false layout rulings"},
    ),
    "a claim overlooked": (lambda r: r["rulings"].pop(2), {"claims right"}),
    "a claim of another": (
        lambda r: r["rulings"][2].update(player="Ben"),
        {"claims right", "false claims"},
    ),
    "a duel won by another": (lambda r: r["rulings"][3].update(player="Ana"), {"duels right"}),
    "a wrong score": (lambda r: r["scores"].update(Ana=4), {"final score right"}),
}


@pytest.mark.parametrize(("spoil", "expected"), SPOILT.values(), ids=SPOILT)
def test_each_mistake_shows_in_its_figure(spoil: Callable[[Json], object], expected: set[str]) -> None:
    report = copy.deepcopy(REPORT)
    spoil(report)
    found = short(report)
    assert expected <= found
    if "states seen" not in expected and "pieces found" not in expected:
        assert found == expected


def test_a_question_stands_for_the_fault_it_asks_about() -> None:
    report = copy.deepcopy(REPORT)
    report["rulings"].pop(0)
    report["questions"].append({"pieces": ["p1", "p2"]})
    assert short(report) == set()
    assert judge(report, TRUTH).figures()["questions"] == 1


def test_several_clips_are_judged_together() -> None:
    bad = copy.deepcopy(REPORT)
    scene(bad)["pieces"].pop(0)
    together = sum([judge(REPORT, TRUTH), judge(bad, TRUTH)], Tally()).figures()
    assert together["pieces found"] == pytest.approx(7 / 8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c9").mkdir()
    (tmp_path / "c9" / "truth.json").write_text(json.dumps(TRUTH))
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "c9.json").write_text(json.dumps(REPORT))
    return tmp_path


def test_the_table_and_the_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["evaluate", str(folder / "c9"), "--reports", str(folder / "reports")]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert rows[0] == ["c9", "goal"]
    assert ["ok", "pieces", "found", "1", ">=", "1"] in rows
    assert "over 1 states, 4 pieces in view, 2 gaps, 1 overlaps" in out
    bad = copy.deepcopy(REPORT)
    bad["scores"] = {}
    (folder / "reports" / "c9.json").write_text(json.dumps(bad))
    assert run(arguments) == 1
    assert "SHORT  final score right" in capsys.readouterr().out


def test_figures_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", str(folder / "c9"), "--reports", str(folder / "reports"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["c9"]["pieces found"] == 1.0


def test_footage_is_replayed_where_there_is_no_report(
    recording: Path, tmp_path: Path, fake_game: object, capsys: pytest.CaptureFixture[str]
) -> None:
    (recording / "truth.json").write_text(
        json.dumps({"states": [], "layout_violations": [], "final_scores": {"Ana": 2}})
    )
    (tmp_path / "reports").mkdir()
    arguments = ["evaluate", str(recording), "--reports", str(tmp_path / "reports"), "--json"]
    assert run(arguments) == 1  # no corner was compared, which is no success
    assert json.loads(capsys.readouterr().out)["party"]["final score right"] == 1.0
    assert json.loads((tmp_path / "reports" / "party.json").read_text())["scores"] == {"Ana": 2}
    assert not (tmp_path / "home").exists()  # nothing of it is kept in the journal


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("c9/truth.json", "{", "truth.json: is no JSON"),
        ("c9/truth.json", "[]", "holds no report and no truth"),
        ("c9/truth.json", '{"moves": []}', "is of no game that can be judged"),
        (
            "reports/c9.json",
            '{"scenes": [{"t": 2.0}]}',
            "report or truth lacks what is to be compared (KeyError('pieces'))",
        ),
    ],
)
def test_files_that_cannot_be_judged(
    folder: Path, capsys: pytest.CaptureFixture[str], file: str, content: str, says: str
) -> None:
    (folder / file).write_text(content)
    assert run(["evaluate", str(folder / "c9"), "--reports", str(folder / "reports")]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
