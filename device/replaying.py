"""`kibitz replay` and `kibitz demo`: footage, journal, screen and report joined for one run."""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from device.errors import UserError
from device.footage import open_footage
from device.journal import Journal
from device.replay import RealTime, replay
from device.report import build_report, check_writable, write_report
from device.reported import differences, is_play, open_play, play_again
from device.sitting import find_recording, lay_journaled_table, open_sitting
from device.state import Event
from device.table import Table
from device.tell import Teller, print_line, print_scores, progress_bar
from rules.session import Language


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """How a replay is to go."""

    journal: Path
    session: Path | None = None
    report: Path | None = None
    realtime: bool = False
    screen: tuple[str, int] | None = None
    """Host and port."""
    ask: bool = False
    language: Language | None = None
    lens: Path | None = None
    """What `kibitz calibrate` wrote."""


def replay_footage(path: Path, wishes: Wishes) -> None:
    """Replays, printing rulings as they fall and the final score. Everything that can be wrong is found before."""
    if is_play(path):
        replay_play(path)
        return
    recording = find_recording(path, wishes.session)
    if wishes.report:
        check_writable(wishes.report)
    sitting = open_sitting(recording.session, wishes.language, wishes.lens)
    with ExitStack() as stack:
        footage = stack.enter_context(open_footage(recording.clip))
        journal = stack.enter_context(Journal(wishes.journal))
        table = lay_journaled_table(
            sitting,
            journal,
            source=recording.name,
            duration=footage.expected_duration,
            take_defaults=not wishes.ask,
        )
        if wishes.screen:
            from device.furnish import show_footage  # a web server is loaded by those who want one

            print_line(f"The screen: {show_footage(stack, table, *wishes.screen, wishes.journal.parent)}")
        table.subscribe(Teller(sitting.session.language, line=print_line))
        with progress_bar(footage.expected_duration) as progress:
            replay(table, footage, pace=RealTime() if wishes.realtime else None, progress=progress)
        if wishes.ask:
            wait_for_answers(table)
            table.take_open_defaults()
        if wishes.report:
            report = build_report(table, footage=recording.name, frames=footage.frames, duration=footage.duration)
            write_report(wishes.report, report)
        print_scores(table)
        if cut := footage.cut_off():
            raise UserError(cut)
        if wishes.screen and sys.stdout.isatty():
            print_line("The screen stays open until Ctrl-C.")
            wait_for_ctrl_c()


def replay_play(path: Path) -> None:
    """A reported play once more: what is ruled now, and how that differs from what the players let stand."""
    with open_play(path) as (play, _, _):
        teller = Teller(play.session.language, line=print_line)
    wrong = differences(play_again(path, teller))
    print_line("")
    for line in wrong:
        print_line(line)
    print_line(f"{path.name}: {len(wrong)} differences from what the players let stand")


def wait_for_answers(table: Table) -> None:
    """Until no question is open, or Ctrl-C."""
    answered = threading.Event()

    def look(event: Event) -> None:
        if event.kind in ("answer", "history") and not table.state().view.questions:
            answered.set()

    leave = table.subscribe(look)
    try:
        if table.state().view.questions:
            print_line("Open questions wait for an answer on the screen; Ctrl-C takes the defaults.")
            answered.wait()
    except KeyboardInterrupt:
        pass
    finally:
        leave()


def wait_for_ctrl_c() -> None:
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print_line("")
