"""`kibitz evaluate`: replay footage, or read the reports there are, and print the accuracy table."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import msgspec

from device.errors import UserError
from device.evaluate import judge
from device.evaluate_boards import judge_carcassonne, judge_fairplay
from device.replay import report_of
from device.report import check_writable, write_report
from device.tell import grid_of, print_grid, print_line

Json = dict[str, Any]
AnyTally = Any
"""A `Tally` or `BoardTally`: only those of one game are added up."""


JUDGES: dict[str, Callable[[Json, Json], AnyTally]] = {
    "carpets": judge,
    "carcassonne": judge_carcassonne,
    "fairplay": judge_fairplay,
}


def evaluate_footage(folders: list[Path], reports: Path | None, *, as_json: bool) -> bool:
    """Prints each clip's figures, those of all together, and the goals. True when every clip reaches every goal."""
    if reports and not reports.is_dir():
        raise UserError(f"{reports}: is no folder; give the one that holds the reports, or make it for new ones")
    truths = [(folder, *_truth(folder)) for folder in folders]
    games: dict[str, dict[str, AnyTally]] = {}
    for folder, game, truth in truths:
        name = folder.resolve().name
        try:
            games.setdefault(game, {})[name] = JUDGES[game](_report(folder, reports), truth)
        except (KeyError, TypeError, ValueError, IndexError) as e:
            raise UserError(f"{folder}: report or truth lacks what is to be compared ({e!r})") from None
    told: dict[str, dict[str, float]] = {}
    met = True
    for game, tallies in games.items():
        together = reduce(add, tallies.values())
        columns = {name: tally.figures() for name, tally in tallies.items()}
        met &= all(goal.met(figures[goal.figure]) for figures in columns.values() for goal in together.goals)
        if len(columns) > 1:
            columns["all" if len(games) == 1 else f"all {game}"] = together.figures()
        told |= columns
        if not as_json:
            _print(columns, together)
    if as_json:
        print_line(msgspec.json.encode(told).decode())
    return met


def _print(columns: dict[str, dict[str, float]], together: AnyTally) -> None:
    rows = []
    for goal in together.goals:
        values = [figures[goal.figure] for figures in columns.values()]
        verdict = "ok" if all(map(goal.met, values)) else "SHORT"
        want = "" if goal.value is None else f"{goal.sign} {goal.value:g}"
        rows.append([verdict, goal.figure, *(f"{v:.3f}".rstrip("0").rstrip(".") for v in values), want])
    print_grid(grid_of(["", "", *columns, "goal"], rows, right=range(2, 3 + len(columns))))
    print_line(together.told())


def _truth(folder: Path) -> tuple[str, Json]:
    """Which game it is of, and the truth."""
    truth = _json(folder / "truth.json", "give folders of footage that have one")
    if "states" in truth and "layout_violations" in truth:
        return "carpets", truth
    if "states" in truth and truth.get("moves") and "tile_mm" in truth:
        return "fairplay" if "car_mm" in truth else "carcassonne", truth
    raise UserError(f"{folder / 'truth.json'}: is of no game that can be judged; give that of a recorded game")


def _report(folder: Path, reports: Path | None) -> Json:
    name = folder.resolve().name
    kept = reports / f"{name}.json" if reports else None
    if kept and kept.exists():
        return _json(kept, "give the folder where reports were written")
    if kept:
        check_writable(kept)
    print(f"{name}: replaying", file=sys.stderr, flush=True)
    report, cut = report_of(folder)
    if cut:
        raise UserError(cut)
    if kept:
        write_report(kept, report)
    decoded: Json = msgspec.json.decode(report)
    return decoded


def _json(path: Path, hint: str) -> Json:
    try:
        data = msgspec.json.decode(path.read_bytes())
    except OSError as e:
        raise UserError(f"{path}: {(e.strerror or 'cannot be read').lower()}; {hint}") from None
    except msgspec.DecodeError as e:
        raise UserError(f"{path}: is no JSON: {e}") from None
    if not isinstance(data, dict):
        raise UserError(f"{path}: holds no report and no truth; {hint}")
    return data
