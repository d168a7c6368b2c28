"""What the command line prints: rulings as they fall, the final score, tables of figures. Plain lines in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from device.state import Event
from device.table import Table
from rules.protocol import Question, Ruling
from rules.session import Language
from rules.text import say


class Teller:
    """Prints what the table says, in the session's language."""

    def __init__(self, language: Language, *, line: Callable[[str], None]) -> None:
        self._language = language
        self._line = line

    def __call__(self, event: Event) -> None:
        if isinstance(event.output, Ruling):
            self._line(f"{clock(event.t)}  {say(event.output.message, self._language)}")
        elif isinstance(event.output, Question):
            self._line(f"{clock(event.t)}  ? {say(event.output.message, self._language)}")
        elif event.answer is not None:
            how = f"{event.answer.choice} {event.answer.value}".strip()
            self._line(f"{clock(event.t)}  > {how}" + (" (default)" if event.answer.by == "default" else ""))


def clock(t: float) -> str:
    """Minutes and seconds from the start."""
    return f"{int(t // 60):3d}:{t % 60:04.1f}"


def print_line(text: str) -> None:
    print(text, flush=True)


@contextmanager
def progress_bar(duration: float | None) -> Iterator[Callable[[float], None] | None]:
    """A bar over the footage's seconds on a terminal; nothing where nobody watches."""
    if not (sys.stderr.isatty() and sys.stdout.isatty() and duration):
        yield None
        return
    columns = (BarColumn(), TextColumn("{task.completed:.0f} of {task.total:.0f} s"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("replay", total=duration)
        yield lambda t: progress.update(task, completed=t)


def print_scores(table: Table) -> None:
    """The score of every player and how it came about, best first."""
    view = table.referee.view()
    grid = Grid.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(justify="right")
    grid.add_column()
    for player in sorted(view.players, key=lambda p: -p.score):
        how = "; ".join(f"{line.points:+d} {say(line.message, table.session.language)}" for line in player.lines)
        grid.add_row(player.name, str(player.score), how)
    print_line("")
    print_line(say(view.phase, table.session.language))
    print_grid(grid)


def print_grid(grid: Grid) -> None:
    """A table as wide as the terminal; in a pipe, as wide as it needs to be."""
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False, emoji=False)
    console.print(grid)


def grid_of(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> Grid:
    """A plain table with a head line; `right` are the columns of numbers."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for index, head in enumerate(heads):
        grid.add_column(head, justify="right" if index in right else "left", no_wrap=index in right)
    for row in rows:
        grid.add_row(*row)
    return grid
