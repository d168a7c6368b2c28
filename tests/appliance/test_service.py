"""The service: which game it goes on with, what it tells systemd and the log, and that it all holds together."""

from __future__ import annotations

import json
import socket
import threading
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from device.cameras import CameraGone, Live
from device.config import Config, load_config
from device.errors import UserError
from device.journal import Journal
from device.notify import Manager
from device.service import Place, begin_or_resume, going_on, log_events, referee, serve_table
from device.session_file import load_session
from device.table import Table
from rules.history import Seen
from tests.device.fakes import GAME, SESSION, FakeObserver, FakeReferee, MemoryLog, deck, frame
from tests.device.test_cameras import Scripted
from vision.frame import Frame


@pytest.fixture
def place(recording: Path, tmp_path: Path) -> Place:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "kibitz.toml").write_text(
        f'[table]\nsession = "{recording}/session.toml"\n[camera]\nsource = "{recording}/clip.mp4"\n'
        f"[screen]\nport = {port}\n[record]\nring_mb = 20\n"
    )
    return Place(config=tmp_path / "kibitz.toml", journal=tmp_path / "home" / "journal.sqlite")


class Told(Manager):
    def __init__(self) -> None:
        super().__init__({})
        self.heard: list[str] = []

    def beat(self) -> None:
        self.heard.append("beat")

    def status(self, text: str) -> None:
        self.heard.append(text)


def quiet(event: str, message: str, *, level: str = "info", **fields: object) -> None:
    pass


def now() -> datetime:
    return datetime.now(UTC)


def begin(place: Place, journal: Journal, at: datetime | None = None) -> int:
    table, game = begin_or_resume(load_config(place.config), place, journal, at or now())
    table._ledger.put(GAME[0])
    return game


def test_a_game_is_gone_on_with_until_it_is_old_over_or_anothers(
    place: Place, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(place.journal) as journal:
        assert begin(place, journal) == 1
        assert begin(place, journal) == 1, "the plug was pulled"
        assert len(journal.entries(1)) == 2
        assert begin(place, journal, now() + timedelta(hours=13)) == 2, "it was last night"
        session = load_config(place.config).table.session
        Path(session).write_text(Path(session).read_text().replace('"Ana"', '"Zoe"'))
        assert begin(place, journal) == 3, "others play now"
        over = FakeReferee.view

        def view(self: FakeReferee) -> object:
            return msgspec.structs.replace(over(self), over=True)

        monkeypatch.setattr(FakeReferee, "view", view)
        assert begin(place, journal) == 4, "that one was over"


def test_a_game_that_has_not_begun_is_none(place: Place, fake_game: object) -> None:
    with Journal(place.journal) as journal:
        config = load_config(place.config)
        session = load_session(Path(config.table.session))
        assert going_on(config, journal, session, now()) is None
        journal.begin(session, source="x", deck="carpets")
        assert going_on(config, journal, session, now()) is None


def test_what_is_wrong_with_the_session_ends_it_at_once(place: Place) -> None:
    place.config.write_text('[table]\nsession = "nobody.toml"\n')
    with pytest.raises(UserError, match=r"nobody\.toml: no such file"):
        serve_table(place, threading.Event())


def test_frames_feed_the_watchdog_and_the_camera_is_told_of() -> None:
    def script() -> Iterator[Frame | Exception | None]:
        yield frame(1.0)
        yield CameraGone("no cable")

    def back() -> Iterator[Frame | None]:
        away.wait()
        yield frame(2.0)
        yield None

    away, stop, manager, logged = threading.Event(), threading.Event(), Told(), []
    sources = [Scripted(script()), Scripted(back())]

    def log(event: str, message: str, *, level: str = "info", **fields: object) -> None:
        logged.append(event)
        if event == "camera_away":
            away.set()

    table = Table(SESSION, deck(), FakeObserver(*GAME), FakeReferee, MemoryLog())
    table.subscribe(lambda event: stop.set() if table.status().camera == "ended" else None)
    referee(table, Live(lambda: sources.pop(0), retry_s=0.0), stop, manager, log, table.feed)
    assert logged == ["camera_live", "camera_away", "camera_live"]
    assert manager.heard.count("beat") >= 3
    assert "camera away: no cable" in manager.heard


def test_without_a_camera_the_watchdog_is_fed_all_the_same() -> None:
    stop, manager = threading.Event(), Told()
    table = Table(SESSION, deck(), FakeObserver(), FakeReferee, MemoryLog())

    class Twice(threading.Event):
        turns = 0

        def wait(self, timeout: float | None = None) -> bool:
            self.turns += 1
            return self.turns > 2

    del stop
    referee(table, None, Twice(), manager, quiet, table.feed)
    assert manager.heard == ["beat", "beat"]
    assert table.status().camera == "none"


def test_rulings_go_to_the_log_with_their_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.service.say", lambda message, language: message.key)
    said: list[tuple[str, object]] = []

    def log(event: str, message: str, *, level: str = "info", **fields: object) -> None:
        said.append((event, fields.get("rule")))

    table = Table(SESSION, deck(), FakeObserver(*GAME), FakeReferee, MemoryLog())
    table.subscribe(log_events(log, table, 7))
    for t in (1.0, 2.0):
        table.feed(frame(t))
    table.answer("q-p2", "yes")
    table.undo()
    table.warn(("dark",))
    assert [event for event, _ in said] == ["ruling", "question", "answer", "ruling", "history", "warnings"]
    assert said[0] == ("ruling", "fake.palace")


def test_the_whole_service_from_start_to_stop(place: Place, fake_game: object, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    monkeypatch.setattr("device.service.say", lambda message, language: message.key)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            serve_table(place, stop)
        except BaseException as e:
            failed.append(e)

    thread = threading.Thread(target=run)
    thread.start()
    url = f"http://127.0.0.1:{load_config(place.config).screen.port}"
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{url}/state", timeout=5) as reply:
                if json.loads(reply.read())["looking"].get("camera") == "ended":
                    break
        except OSError:
            pass
        threading.Event().wait(0.05)
    with urllib.request.urlopen(f"{url}/health", timeout=5) as reply:
        report = json.loads(reply.read())
    stop.set()
    thread.join(30)
    assert not thread.is_alive()
    assert failed == []
    assert report["camera"]["word"] == "ended"
    assert report["recording"]["bytes"] > 0
    with Journal(place.journal) as journal:
        assert any(isinstance(entry, Seen) for entry in journal.entries(1))


def test_a_config_is_plain_data() -> None:
    assert Config().camera.wish().rate == 10
