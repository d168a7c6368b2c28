"""`kibitz evaluate`: replay footage, or read the reports there are, and print the accuracy table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from device.errors import UserError
from device.evaluate import GOALS, Tally, judge
from device.replay import report_of
from device.report import check_writable, write_report
from device.tell import grid_of, print_grid, print_line

Json = dict[str, Any]


def evaluate_footage(folders: list[Path], reports: Path | None, *, as_json: bool) -> bool:
    """Prints each clip's figures, those of all together, and the goals. True when every clip reaches every goal."""
    if reports and not reports.is_dir():
        raise UserError(f"{reports}: is no folder; give the one that holds the reports, or make it for new ones")
    truths = [(folder, _truth(folder)) for folder in folders]
    tallies: dict[str, Tally] = {}
    for folder, truth in truths:
        name = folder.resolve().name
        try:
            tallies[name] = judge(_report(folder, reports), truth)
        except (KeyError, TypeError, ValueError, IndexError) as e:
            raise UserError(f"{folder}: report or truth lacks what is to be compared ({e!r})") from None
    together = sum(tallies.values(), Tally())
    columns = {name: tally.figures() for name, tally in tallies.items()}
    if len(columns) > 1:
        columns["all"] = together.figures()
    if as_json:
        print_line(msgspec.json.encode(columns).decode())
    else:
        _print(columns, together)
    return all(goal.met(figures[goal.figure]) for figures in columns.values() for goal in GOALS)


def _print(columns: dict[str, dict[str, float]], together: Tally) -> None:
    rows = []
    for goal in GOALS:
        values = [figures[goal.figure] for figures in columns.values()]
        verdict = "ok" if all(map(goal.met, values)) else "SHORT"
        want = "" if goal.value is None else f"{goal.sign} {goal.value:g}"
        rows.append([verdict, goal.figure, *(f"{v:.3f}".rstrip("0").rstrip(".") for v in values), want])
    print_grid(grid_of(["", "", *columns, "goal"], rows, right=range(2, 3 + len(columns))))
    n = together.counts
    print_line(
        f"over {n['states']} states, {n['objects']} pieces in view, {len(together.gap_mm)} gaps, {n['stacks']} overlaps"
    )


def _truth(folder: Path) -> Json:
    truth = _json(folder / "truth.json", "give folders of footage that have one")
    if "states" not in truth or "layout_violations" not in truth:
        raise UserError(f"{folder / 'truth.json'}: is not of Fliegende Teppiche; only that game is judged so far")
    return truth


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
