"""The accuracy tables of the two board games: a perfect report reaches every goal, each mistake shows in its figure."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from device.cli import run
from device.evaluate_boards import judge_carcassonne, judge_fairplay

Json = dict[str, Any]


def square(x: float, y: float) -> list[list[float]]:
    return [[x, y], [x + 80, y], [x + 80, y + 80], [x, y + 80]]


PLAYERS = [{"number": 1, "name": "Ana"}, {"number": 2, "name": "Ben"}]
BOARD: Json = {
    "tile_mm": 45,
    "players": PLAYERS,
    "moves": [
        {
            "player": 1,
            "tile": "BA/RFr",
            "cell": [0, 1],
            "rotation": 90,
            "meeple": {"feature": "Road"},
            "flight": None,
            "points": [0, 0],
        },
        {
            "player": 2,
            "tile": "FL/Rr.NW.o",
            "cell": [1, 0],
            "rotation": 0,
            "meeple": None,
            "flight": {"die": 3, "landing": {"cell": [0, 0], "feature": "City"}},
            "points": [2, 0],
        },
    ],
    "states": [
        {
            "t0": 1.0,
            "t1": 3.0,
            "tiles": [
                {
                    "id": "a",
                    "kind": "tile.BA/RCr",
                    "face": "BA_RCr_a",
                    "cell": [0, 0],
                    "rotation": 0,
                    "corners_px": square(100, 100),
                },
                {
                    "id": "b",
                    "kind": "tile.BA/RFr",
                    "face": "BA_RFr_a",
                    "cell": [0, 1],
                    "rotation": 90,
                    "corners_px": square(100, 180),
                },
            ],
            "meeples": [{"colour": "red", "cell": [0, 1], "feature": "Road", "centre_px": [140, 220]}],
            "supply": [{"colour": "blue", "centre_px": [600, 600]}],
            "die": {"value": 3, "centre_px": [400, 400]},
        },
        {"t0": 4.0, "t1": 4.5, "tiles": [], "meeples": []},
    ],
}
BOARD_REPORT: Json = {
    "scenes": [
        {
            "t": 2.0,
            "pieces": [
                {"kind": "tile", "face": "tile.BA/RCr", "cell": [0, 0], "rotation": 0, "corners_px": square(101, 100)},
                {
                    "kind": "tile",
                    "face": "tile.BA/RFr",
                    "cell": [0, 1],
                    "rotation": 270,
                    "corners_px": square(100, 181),
                },
                {
                    "kind": "meeple",
                    "face": "meeple.red",
                    "centre_px": [141, 222],
                    "on": {"cell": [0, 1], "feature": "Road"},
                },
                {"kind": "meeple", "face": "meeple.blue", "centre_px": [601, 600], "on": None},
                {"kind": "die", "value": 3, "centre_px": [402, 400]},
            ],
        }
    ],
    "rulings": [
        {"t": 1.0, "rule": "carcassonne.place", "player": "Ana", "tile": "tile.BA/RFr", "cell": [0, 1], "rotation": 90},
        {"t": 1.5, "rule": "carcassonne.meeple", "player": "Ana", "cell": [0, 1], "feature": "Road"},
        {"t": 2.0, "rule": "carcassonne.place", "player": "Ben", "tile": "FL/Rr.NW.o", "cell": [1, 0], "rotation": 0},
        {
            "t": 2.5,
            "rule": "carcassonne.flight",
            "player": "Ben",
            "die": 3,
            "landed": {"cell": [0, 0], "feature": "City"},
        },
    ],
    "questions": [],
    "scores": {"Ana": 2, "Ben": 0},
}
RACE: Json = {
    "tile_mm": 60,
    "car_mm": [28, 14],
    "players": PLAYERS,
    "moves": [
        {"player": 1, "die": 2, "t_die": 1.0, "positions": [2, 0]},
        {"player": 2, "die": None, "t_die": None, "positions": [2, 0]},
        {"player": 1, "die": 1, "t_die": 5.0, "positions": [3, 0]},
    ],
    "states": [
        {
            "t0": 1.0,
            "t1": 3.0,
            "tiles": [{"id": "r", "kind": "road.start", "face": "road_start_a", "corners_px": square(100, 100)}],
            "piles": [{"id": "p", "corners_px": square(700, 100)}],
            "cars": [{"colour": "red", "tile_index": 0, "centre_px": [120, 120]}],
            "cards": [
                {"id": "c", "kind": "card.plus2", "face": "card_plus2", "face_up": True, "corners_px": square(400, 400)}
            ],
            "die": {"value": 2, "centre_px": [300, 300]},
        },
    ],
}
RACE_REPORT: Json = {
    "scenes": [
        {
            "t": 3.1,
            "pieces": [
                {"kind": "tile", "face": "road.start", "corners_px": square(100, 101)},
                {"kind": "tile", "face": "back", "corners_px": square(702, 100)},
                {"kind": "car", "face": "car.red", "tile_index": 0, "centre_px": [121, 121]},
                {"kind": "card", "face": "card.plus2", "corners_px": square(401, 400)},
                {"kind": "die", "value": 2, "centre_px": [301, 300]},
            ],
        }
    ],
    "rulings": [
        {"t": 1.2, "rule": "fairplay.roll", "player": "Ana", "value": 2},
        {"t": 2.0, "rule": "fairplay.move", "player": "Ana", "from": 0, "to": 2, "by": "die"},
        {"t": 5.2, "rule": "fairplay.roll", "player": "Ana", "value": 1},
        {"t": 6.0, "rule": "fairplay.move", "player": "Ana", "from": 2, "to": 3, "by": "die"},
    ],
    "questions": [],
    "scores": {},
}
GAMES = {"carcassonne": (judge_carcassonne, BOARD, BOARD_REPORT), "fairplay": (judge_fairplay, RACE, RACE_REPORT)}


def short(game: str, report: Json) -> set[str]:
    judge, truth, _ = GAMES[game]
    tally = judge(report, truth)
    figures = tally.figures()
    return {g.figure for g in tally.goals if not g.met(figures[g.figure])}


@pytest.mark.parametrize("game", GAMES)
def test_a_perfect_report_reaches_every_goal_and_short_states_are_not_judged(game: str) -> None:
    judge, truth, report = GAMES[game]
    assert short(game, report) == set()
    assert judge(report, truth).of["states seen"] == 1


def piece(report: Json, k: int) -> Json:
    found: Json = report["scenes"][0]["pieces"][k]
    return found


@pytest.mark.parametrize(
    ("game", "spoil", "expected"),
    [
        ("carcassonne", lambda r: r["scenes"].clear(), {"states seen"}),
        ("carcassonne", lambda r: piece(r, 0).update(face="unknown"), {"tiles named right"}),
        ("carcassonne", lambda r: piece(r, 0).update(face="tile.BA/L"), {"tiles named right", "wrong with confidence"}),
        ("carcassonne", lambda r: piece(r, 0).update(rotation=90), {"cell and rotation right"}),
        ("carcassonne", lambda r: piece(r, 1).update(rotation=None), {"cell and rotation right"}),
        ("carcassonne", lambda r: piece(r, 0).update(cell=[0, 2]), {"cell and rotation right"}),
        (
            "carcassonne",
            lambda r: piece(r, 0).update(corners_px=square(900, 500)),
            {"tiles found", "false tiles", "tiles named right", "cell and rotation right"},
        ),
        (
            "carcassonne",
            lambda r: piece(r, 2).update(on={"cell": [0, 1], "feature": "Field"}),
            {"meeple colour and feature right"},
        ),
        ("carcassonne", lambda r: piece(r, 2).update(face="meeple.black"), {"meeple colour and feature right"}),
        (
            "carcassonne",
            lambda r: piece(r, 2).update(centre_px=[160, 240]),
            {"meeples found", "false meeples", "meeple colour and feature right"},
        ),
        ("carcassonne", lambda r: piece(r, 3).update(centre_px=[640, 600]), {"false meeples"}),
        ("carcassonne", lambda r: piece(r, 4).update(value=None), {"die right"}),
        ("carcassonne", lambda r: r["rulings"][0].update(player="Ben"), {"placements right"}),
        ("carcassonne", lambda r: r["rulings"][1].update(feature="Field"), {"meeple moves right"}),
        ("carcassonne", lambda r: r["rulings"][3].update(landed=None), {"flights right"}),
        ("carcassonne", lambda r: r["scores"].update(Ana=3), {"final points right"}),
        ("fairplay", lambda r: piece(r, 2).update(tile_index=1), {"car colour and tile right"}),
        (
            "fairplay",
            lambda r: piece(r, 2).update(centre_px=[500, 500]),
            {"cars found", "false cars", "car colour and tile right"},
        ),
        ("fairplay", lambda r: piece(r, 3).update(face="back"), {"cards named right"}),
        ("fairplay", lambda r: piece(r, 1).update(corners_px=square(900, 500)), {"false tiles"}),
        ("fairplay", lambda r: r["rulings"][2].update(value=3), {"rolls right"}),
        ("fairplay", lambda r: r["rulings"][1].update(to=1), {"positions after each turn right"}),
    ],
)
def test_each_mistake_shows_in_its_figure(game: str, spoil: Callable[[Json], object], expected: set[str]) -> None:
    report = copy.deepcopy(GAMES[game][2])
    spoil(report)
    assert short(game, report) == expected


def test_clips_of_several_games_have_a_table_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "reports").mkdir()
    folders = []
    for name, (_, truth, report) in {
        "k9": GAMES["carcassonne"],
        "k8": GAMES["carcassonne"],
        "f9": GAMES["fairplay"],
    }.items():
        folders.append(tmp_path / name)
        folders[-1].mkdir()
        (folders[-1] / "truth.json").write_text(json.dumps(truth))
        (tmp_path / "reports" / f"{name}.json").write_text(json.dumps(report))
    arguments = ["evaluate", *map(str, folders), "--reports", str(tmp_path / "reports")]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "over 2 states, 4 tiles, 2 meeples, 2 dice" in out
    assert "over 1 states, 1 tiles, 1 cars, 1 dice" in out
    assert run([*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"k9", "k8", "all carcassonne", "f9"}
    assert told["f9"]["rolls right"] == 1.0
