"""`kibitz play` and `kibitz record`: the live table.

Beside the game a table that is played at has what an appliance has: the ring of the last minutes, with the seconds
around every ruling and plays to report; warnings; phones that must be paired. What only `kibitz serve` has: it goes on
by itself after a restart, begins the next game, feeds a watchdog, writes the system's log, and tells a broker.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from device import machine
from device.cameras import Clock, Live, open_camera
from device.config import RecordSection, ScreenSection
from device.deck_folder import find_deck
from device.errors import UserError
from device.furnish import RING, Around, keep_last_minutes, open_screen
from device.gaming import open_journal
from device.journal import Journal
from device.lens_file import read_lens
from device.recorder import Recorder
from device.screen.server import check_port
from device.session_file import SESSION, load_session, session_file
from device.sitting import CLIP, lay_journaled_table, open_sitting, resume_table
from device.table import Table
from device.tell import Teller, print_line, print_scores
from device.vitals import Vitals
from rules.session import Language
from vision.frame import Frame


def play_live(
    journal_file: Path,
    screen: ScreenSection,
    camera: str,
    stop: threading.Event,
    *,
    session: Path | None,
    resume: int | None,
    language: Language | None,
    record: RecordSection | None = None,
    lens: Path | None = None,
) -> None:
    """Referees until `stop` is set or, for footage as a camera, until it ends."""
    record = record or RecordSection()
    machine.hold_little()
    with ExitStack() as stack:
        clock = Clock()
        # What is wrong with the game is said before anything about the camera, and nothing is begun without both.
        measured = read_lens(lens) if lens else None
        sitting = open_sitting(session, language, lens) if session else None
        if resume is not None:
            journal = stack.enter_context(open_journal(journal_file))
            journal.game(resume)
        live = open_camera(camera, clock)
        check_port(screen.host, screen.port)
        source = camera.partition("@")[2] or camera  # never a password
        if sitting is not None:
            journal = stack.enter_context(Journal(journal_file))
            table = lay_journaled_table(sitting, journal, source=source, take_defaults=False)
            deck_folder = sitting.deck_folder
        else:
            assert resume is not None
            table = resume_table(journal, resume, source=source, blind=camera == "none", lens=lens)
            deck_folder = find_deck(journal.game(resume).deck)
            clock.before = table.status().t
        table.subscribe(Teller(language or table.session.language, line=print_line))
        home = journal_file.parent
        # Two tables on one machine have two ports, and so two recordings.
        ring = home / f"{RING}-{screen.port}"
        recorded = keep_last_minutes(stack, live, ring, record, deck_folder, lens=measured, passing=True)
        vitals = Vitals(table, live=live, ring=recorded.ring if recorded else None, place=home)
        stack.callback(vitals.close)
        print_line(f"The screen: {open_screen(stack, table, screen, home, Around(vitals=vitals, recorded=recorded))}")
        vitals.watch()
        if live is None:
            table.camera("none")
            stop.wait()
        else:
            referee_live(table, live, stop, camera, vitals.feed)
        print_scores(table)


def referee_live(table: Table, live: Live, stop: threading.Event, camera: str, feed: Callable[[Frame], None]) -> None:
    """Feeds the table with the newest frame each time it has looked at the last."""
    watch = Watch(camera, table.camera)
    with stopped_by(live, stop):
        for frame in live.frames(watch):
            feed(frame)
    table.finish()


SLOW = "no picture for"
"""How the reason of a camera begins that may only be slow to open."""


class Watch:
    """Tells when the camera goes and comes back. One that was not there at all is a mistake, which ends the command."""

    def __init__(self, camera: str, tell: Callable[[str], None] = lambda word: None) -> None:
        self._camera = camera
        self._tell = tell
        self._seen = False

    def __call__(self, word: str, why: str) -> None:
        if word == "away" and not self._seen and not why.startswith(SLOW):
            raise UserError(
                f"camera {self._camera}: {why}; connect it and start again, or name another with --camera (pi, usb,"
                " usb:1, a video)"
            )
        self._seen |= word == "live"
        self._tell(word)
        if why:
            print(f"kibitz: the camera is away: {why}", file=sys.stderr, flush=True)


def record_live(
    folder: Path, camera: str, stop: threading.Event, *, seconds: float | None, session: Path | None
) -> None:
    """Records until `stop`, the end of the footage, or for so many seconds of pictures."""
    if seconds is not None and not 0 < seconds < float("inf"):
        raise UserError(f"--seconds {seconds:g}: give how many seconds to record, more than 0")
    session = session and session_file(session)
    if session:
        load_session(session)  # says now what is wrong with it
        beside = folder / SESSION
        if beside.exists() and not beside.samefile(session):
            raise UserError(f"{beside}: is already there and would be lost; record into another folder")
    live = open_camera(camera, Clock())
    if live is None:
        raise UserError("--camera none records nothing; name a camera")
    with Recorder(folder / CLIP) as recorder, stopped_by(live, stop):
        start: float | None = None
        for frame in live.frames(Watch(camera)):
            start = frame.t if start is None else start
            if seconds is not None and frame.t - start >= seconds:
                break
            recorder.write(frame)
    if not recorder.frames:
        raise UserError(f"{recorder.path}: stopped before the first picture; nothing was recorded")
    if session and not (folder / SESSION).exists():
        shutil.copyfile(session, folder / SESSION)
    print_line(f"{recorder.path}: {recorder.frames} frames")


@contextmanager
def stopped_by(live: Live, stop: threading.Event) -> Iterator[None]:
    """Setting the event stops the camera, and so does leaving."""

    def wait() -> None:
        stop.wait()
        live.stop()

    threading.Thread(target=wait, name="stop", daemon=True).start()
    try:
        yield
    finally:
        live.stop()
