"""`kibitz serve`: what the service of an appliance runs. The whole live table at a glance:

    camera ──▶ Live ──newest frame──▶ table ──▶ journal, screen, log, broker
                 └──every frame──▶ ring (last minutes), vitals (how it does)

Started anew at any moment (a power cut, the watchdog, an update) it goes on with the game where it was.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from device import machine
from device.cameras import Clock, Live, open_camera
from device.config import Config, check_files, load_config
from device.deck_folder import find_deck
from device.furnish import RING, Around, keep_last_minutes, open_screen
from device.journal import Journal
from device.lens_file import read_lens
from device.logs import Log, system_log
from device.notify import Manager
from device.playing import stopped_by
from device.screen.server import check_port
from device.sitting import lay_journaled_table, open_sitting, resume_table, retell
from device.state import Event
from device.table import Table
from device.vitals import Vitals
from rules.protocol import Question, Ruling
from rules.session import Session
from rules.text import say
from vision.frame import Frame

IDLE_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an appliance keeps things."""

    config: Path
    journal: Path

    @property
    def ring(self) -> Path:
        return self.journal.parent / RING


def serve_table(place: Place, stop: threading.Event) -> None:
    """Referees as the config says, until `stop`. Raises `UserError` for what is wrong with config, session or deck."""
    machine.hold_little()
    config, log, manager = load_config(place.config), system_log(), Manager()
    check_files(place.config, config)
    with ExitStack() as stack:
        clock = Clock()
        journal = stack.enter_context(Journal(place.journal))
        table, game = begin_or_resume(config, place, journal, datetime.now(UTC))
        clock.before = table.status().t
        live = open_camera(config.camera.source, clock, config.camera.wish())
        check_port(config.screen.host, config.screen.port)
        deck_folder = find_deck(journal.game(game).deck)
        lens = lens_file(config, place)
        measured = read_lens(lens) if lens else None
        recorded = keep_last_minutes(stack, live, place.ring, config.record, deck_folder, lens=measured)
        vitals = Vitals(table, live=live, ring=recorded.ring if recorded else None, place=place.journal.parent)
        stack.callback(vitals.close)
        table.subscribe(log_events(log, table, game))
        broker = None
        if config.mqtt is not None:
            from device.mqtt import connect

            broker = connect(config, table, vitals, log)
            stack.callback(broker.close)
        tables = None if broker is None else broker.tables
        around = Around(vitals=vitals, recorded=recorded, next_game=stop.set, tables=tables)
        url = open_screen(stack, table, config.screen, place.journal.parent, around)
        log("started", f"game {game}, the screen: {url}", game=game, url=url)
        vitals.watch()
        manager.ready()
        referee(table, live, stop, manager, log, vitals.feed)
        manager.stopping()


def referee(
    table: Table,
    live: Live | None,
    stop: threading.Event,
    manager: Manager,
    log: Log,
    feed: Callable[[Frame], None],
) -> None:
    """The loop. The watchdog is fed by frames, or by a camera that explains why there are none."""
    if live is None:
        table.camera("none")
        while not stop.wait(IDLE_S):
            manager.beat()
        return

    def tell(word: str, why: str) -> None:
        table.camera(word)
        manager.status(f"camera {word}" + (f": {why}" if why else ""))
        if word == "away":
            log("camera_away", f"the camera is away: {why}", level="warning", why=why)
        else:
            log("camera_live", "the camera delivers")

    with stopped_by(live, stop):
        for frame in live.frames(tell, manager.beat):
            feed(frame)
    table.finish()
    while not stop.wait(IDLE_S):  # footage has ended; its game stays on the screen
        manager.beat()


def lens_file(config: Config, place: Place) -> Path | None:
    """Of the camera, where the config names one."""
    return place.config.parent / config.camera.lens if config.camera.lens else None


def begin_or_resume(config: Config, place: Place, journal: Journal, now: datetime) -> tuple[Table, int]:
    """The game that was being played, if it is not over and not too long ago; otherwise a new one."""
    session_file = place.config.parent / config.table.session
    lens = lens_file(config, place)
    sitting = open_sitting(session_file, config.table.language, lens)
    source = config.camera.source.partition("@")[2] or config.camera.source  # never a password
    game = going_on(config, journal, sitting.session, now)
    if game is not None:
        blind = config.camera.source == "none"
        return resume_table(journal, game, source=source, blind=blind, lens=lens), game
    table = lay_journaled_table(sitting, journal, source=source, take_defaults=False)
    return table, journal.games()[-1].id


def going_on(config: Config, journal: Journal, session: Session, now: datetime) -> int | None:
    games = [g for g in journal.games() if g.entries]
    if not games or games[-1].session != session:
        return None
    last = journal.last_played(games[-1].id)
    if last is None or now - last > timedelta(hours=config.table.resume_hours):
        return None
    return None if retell(journal, games[-1].id).referee.view().over else games[-1].id


def log_events(log: Log, table: Table, game: int) -> Callable[[Event], None]:
    """Writes rulings, questions, answers and what impairs the game into the system's log."""
    language = table.session.language
    warned: list[tuple[str, ...]] = [()]

    def hear(event: Event) -> None:
        if isinstance(event.output, Ruling | Question):
            kind = "ruling" if isinstance(event.output, Ruling) else "question"
            text = say(event.output.message, language)
            log(kind, text, game=game, entry=event.entry, rule=event.output.rule, t=round(event.t, 2))
        elif event.answer is not None:
            log("answer", f"{event.answer.choice} {event.answer.value}".strip(), game=game, entry=event.entry)
        elif event.kind == "history":
            log("history", "undo, redo or correction", game=game, entry=event.entry)
        elif event.kind == "status" and table.status().warnings != warned[0]:
            warned[0] = table.status().warnings
            names = ", ".join(warned[0])
            log("warnings", f"impaired by: {names}" if names else "no longer impaired", level="notice", names=names)

    return hear
