"""`kibitz play` and `kibitz record`: the live table."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from device.cameras import Clock, Live, open_camera
from device.errors import UserError
from device.journal import Journal
from device.recorder import Recorder
from device.replaying import serve_screen
from device.session_file import load_session
from device.sitting import CLIP, SESSION, lay_journaled_table, open_sitting, resume_table
from device.table import Table
from device.tell import Teller, print_line, print_scores
from rules.session import Language


def play_live(
    journal_file: Path,
    screen: tuple[str, int],
    camera: str,
    stop: threading.Event,
    *,
    session: Path | None,
    resume: int | None,
    language: Language | None,
) -> None:
    """Referees until `stop` is set or, for footage as a camera, until it ends."""
    with ExitStack() as stack:
        clock = Clock()
        live = open_camera(camera, clock)
        sitting = open_sitting(session, language) if session else None
        journal = stack.enter_context(Journal(journal_file))
        if sitting is not None:
            table = lay_journaled_table(sitting, journal, source=camera, take_defaults=False)
        else:
            assert resume is not None
            table = resume_table(journal, resume, source=camera, blind=camera == "none")
            clock.before = table.status().t
        table.subscribe(Teller(language or table.session.language, line=print_line))
        serve_screen(stack, table, *screen)
        if live is None:
            table.camera("away")
            stop.wait()
        else:
            referee_live(table, live, stop)
        print_scores(table)


def referee_live(table: Table, live: Live, stop: threading.Event) -> None:
    """Feeds the table with the newest frame each time it has looked at the last."""

    def tell(word: str, why: str) -> None:
        table.camera(word)
        if why:
            print(f"kibitz: the camera is away: {why}", file=sys.stderr, flush=True)

    with stopped_by(live, stop):
        for frame in live.frames(tell):
            table.feed(frame)
    table.finish()


def record_live(
    folder: Path, camera: str, stop: threading.Event, *, seconds: float | None, session: Path | None
) -> None:
    """Records until `stop`, the end of the footage, or for so many seconds."""
    if session:
        load_session(session)  # says now what is wrong with it
    live = open_camera(camera, Clock())
    if live is None:
        raise UserError("--camera none records nothing; name a camera")

    def tell(word: str, why: str) -> None:
        if why:
            print(f"kibitz: the camera is away: {why}", file=sys.stderr, flush=True)

    with Recorder(folder / CLIP) as recorder, stopped_by(live, stop):
        start: float | None = None
        for frame in live.frames(tell):
            start = frame.t if start is None else start
            if seconds is not None and frame.t - start >= seconds:
                break
            recorder.write(frame)
    if session:
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
