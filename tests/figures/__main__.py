"""Judge random tables and games that nobody tuned to.

python -m tests.figures --seeds 1000:1200 --hands 1000:1040 --games 1000:1010 --tokens 2000:2120 --boards 3000:3100
    --races 200:300 [--jobs 2] [--json]

A line for each that falls short of a goal, then the figures of all together with 95 % intervals. Takes about 4 s a
table, as much a board's still, and two minutes a game on one core.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Protocol, TypeVar

import msgspec

from tests.figures.boards import judge_first_look, rows_of_boards
from tests.figures.games import judge_game
from tests.figures.races import judge_race, rows_of_races
from tests.figures.summary import Row, rows_of_games, rows_of_hands, rows_of_tables
from tests.figures.tables import judge_hand, judge_table
from tests.figures.tokens import confusion, judge_tokens, rows_of_tokens


class Judged(Protocol):
    @property
    def short(self) -> list[str]: ...
    def line(self) -> str: ...


T = TypeVar("T", bound=Judged)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.figures", description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=seeds, default=range(0), metavar="A:B", help="tables to judge")
    parser.add_argument("--hands", type=seeds, default=range(0), metavar="A:B", help="tables with a hand in view")
    parser.add_argument("--games", type=seeds, default=range(0), metavar="A:B", help="games to referee")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--tokens", type=seeds, default=range(0), metavar="A:B", help="boards whose pieces to judge")
    parser.add_argument("--boards", type=seeds, default=range(0), metavar="A:B", help="boards to look at")
    parser.add_argument("--races", type=seeds, default=range(0), metavar="A:B", help="races not all of which is seen")
    asked = parser.parse_args(argv)
    out: dict[str, list[Row]] = {}
    faults: list[str] = []
    if asked.seeds:
        out["tables"] = rows_of_tables(list(each(judge_table, asked.seeds, asked.jobs, asked.json, faults)))
    if asked.hands:
        out["hands"] = rows_of_hands(list(each(judge_hand, asked.hands, asked.jobs, asked.json, faults)))
    if asked.games:
        out["games"] = rows_of_games(list(each(judge_game, asked.games, asked.jobs, asked.json, faults)))
    if asked.tokens:
        boards = list(each(judge_tokens, asked.tokens, asked.jobs, asked.json, faults))
        out["tokens"] = rows_of_tokens(boards)
        if not asked.json:
            print(confusion(boards))
    if asked.boards:
        out["boards"] = rows_of_boards(list(each(judge_first_look, asked.boards, asked.jobs, asked.json, faults)))
    if asked.races:
        out["races"] = rows_of_races(list(each(judge_race, asked.races, asked.jobs, asked.json, faults)))
    if not out:
        parser.error("name what to judge: --seeds, --hands, --games, --tokens, --boards or --races")
    if asked.json:
        print(msgspec.json.encode({**out, "short": faults}).decode())
    else:
        for title, rows in out.items():
            show(title, rows)
    return 0 if all(row.ok for rows in out.values() for row in rows) else 1


def seeds(text: str) -> range:
    first, _, end = text.partition(":")
    return range(int(first), int(end) if end else int(first) + 1)


def each(judge: Callable[[int], T], which: range, jobs: int, quiet: bool, faults: list[str]) -> Iterator[T]:
    """Judges every seed, telling at once of each that falls short."""
    for k, one in enumerate(_map(judge, which, jobs), 1):
        if one.short:
            faults.append(one.line())
            if not quiet:
                print(one.line(), flush=True)
        if sys.stderr.isatty():
            print(f"\r{judge.__name__} {k}/{len(which)} ", end="\n" if k == len(which) else "", file=sys.stderr)
        yield one


def _map(judge: Callable[[int], T], which: range, jobs: int) -> Iterator[T]:
    if jobs <= 1:
        yield from map(judge, which)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(judge, which)


def show(title: str, rows: list[Row]) -> None:
    cells = [("", title, "", "95 %", "goal"), *(row.cells() for row in rows)]
    widths = [max(len(c[k]) for c in cells) for k in range(5)]
    print()
    for c in cells:
        print("  ".join(x.ljust(w) for x, w in zip(c, widths, strict=True)).rstrip())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
