"""`kibitz play`, `record`, `games`, `doctor`, `print`, `demo`: the rest of the command line."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from device.cameras import CameraGone
from device.cli import run
from device.config import ScreenSection
from device.errors import UserError
from device.footage import open_footage
from device.journal import Journal
from device.lens_file import write_lens
from device.playing import play_live
from device.recorder import Recorder
from rules.history import Answered, Seen
from tests.device.fakes import FakeObserver, frame
from tests.device.test_cameras import FastClock
from vision.camera import Lens

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def post(port: int, what: str, body: bytes) -> None:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{what}", data=body, method="POST")
    request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request, timeout=20) as reply:
        assert reply.status in (200, 204)


# ---- play --------------------------------------------------------------------------------------------------------


def test_footage_as_if_live_is_refereed_with_its_questions_left_open(
    recording: Path, home: Path, port: int, capsys: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.playing.Clock", FastClock)
    code = run(["play", "--session", f"{recording}/session.toml", "--camera", str(recording), "--port", str(port)])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    assert f"The screen: http://127.0.0.1:{port}" in out
    with Journal(home / "journal.sqlite") as journal:
        entries = journal.entries(1)
    assert entries
    assert all(isinstance(e, Seen) for e in entries)


def test_a_game_is_resumed_where_it_was_left(
    recording: Path, home: Path, port: int, capsys: Capture, fake_game: object
) -> None:
    assert run(["replay", str(recording)]) == 0
    stop = threading.Event()
    stop.set()  # at once
    screen = ScreenSection(port=port)
    play_live(home / "journal.sqlite", screen, "none", stop, session=None, resume=1, language=None)
    assert capsys.readouterr().out.splitlines()[-1].split()[:2] == ["Ana", "2"]
    with pytest.raises(UserError, match="there is no game 5"):
        play_live(
            home / "journal.sqlite", ScreenSection(port=port), "none", stop, session=None, resume=5, language=None
        )


def test_a_resumed_game_can_be_corrected_from_the_screen(
    recording: Path, home: Path, port: int, capsys: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    class AtOnce(threading.Event):
        """Does what a player does on the screen, and then it is time to stop."""

        def wait(self, timeout: float | None = None) -> bool:
            state = urllib.request.urlopen(f"http://127.0.0.1:{port}/state", timeout=10)
            assert state.status == 200
            post(port, "undo", b'{"entry": 5}')
            return True

    assert run(["replay", str(recording)]) == 0
    play_live(
        home / "journal.sqlite", ScreenSection(port=port), "none", AtOnce(), session=None, resume=1, language="de"
    )
    out = capsys.readouterr().out
    assert out.splitlines()[-1].split()[:2] == ["Ana", "1"]
    assert run(["games", "show", "1"]) == 0
    out = capsys.readouterr().out
    assert "   5 x   0:04.0  palace (en)" in out
    assert "   6     0:04.0  undo" in out


def test_a_live_table_records_and_lets_only_paired_phones_play(
    recording: Path, home: Path, port: int, capsys: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an appliance does: one request from here, the same through a proxy as a stranger's."""
    seen: list[tuple[int, bytes]] = []
    stranger = {"x-forwarded-for": "192.168.1.77"}

    def ask(path: str, body: bytes | None = None, **headers: str) -> None:
        request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as reply:
                seen.append((reply.status, reply.read()))
        except urllib.error.HTTPError as e:
            seen.append((e.code, e.read()))

    def at_the_end(table: object) -> None:
        ask("me")
        ask("play.zip?seconds=60")
        ask("pairing", **stranger)
        ask("undo", b'{"entry": 5}', **{"content-type": "application/json"}, **stranger)

    monkeypatch.setattr("device.playing.print_scores", at_the_end)
    monkeypatch.setattr("device.playing.Clock", FastClock)
    options = ["--camera", str(recording), "--port", str(port), "--host", "0.0.0.0"]
    assert run(["play", "--session", f"{recording}/session.toml", *options]) == 0
    assert [code for code, _ in seen] == [200, 200, 403, 401]
    offered = {"pairing": True, "recording": True, "next_game": False}
    assert json.loads(seen[0][1]) == {"here": True, "paired": True, **offered}
    assert seen[1][1][:2] == b"PK"
    assert not list(home.glob("ring*")), "the recording went with the game"


def test_a_port_in_use_is_said_before_a_game_is_begun(
    recording: Path, home: Path, capsys: Capture, fake_game: object
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        options = ["--camera", str(recording), "--port", str(taken.getsockname()[1])]
        assert run(["play", "--session", f"{recording}/session.toml", *options]) == 2
    assert "is in use (is Kibitz running already?)" in capsys.readouterr().err
    assert not home.exists()


def test_a_replay_on_a_network_is_watched_and_not_changed(
    recording: Path, port: int, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[int] = []

    def look(table: object) -> None:
        headers = {"content-type": "application/json", "x-forwarded-for": "192.168.1.77"}
        for path, body in (("state", None), ("undo", b'{"entry": 5}')):
            request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", data=body, headers=headers)
            try:
                codes.append(urllib.request.urlopen(request, timeout=20).status)
            except urllib.error.HTTPError as e:
                codes.append(e.code)

    monkeypatch.setattr("device.replaying.print_scores", look)
    assert run(["replay", str(recording), "--screen", "--host", "0.0.0.0", "--port", str(port)]) == 0
    assert codes == [200, 401]


def test_a_camera_name_that_is_none_begins_no_game(
    recording: Path, home: Path, capsys: Capture, fake_game: object
) -> None:
    assert run(["play", "--session", f"{recording}/session.toml", "--camera", "webcam"]) == 2
    assert "camera 'webcam': no such camera" in capsys.readouterr().err
    assert not home.exists()


class Absent:
    """A camera that is not there."""

    def __init__(self, *arguments: object) -> None:
        raise CameraGone("there is no USB camera 0, or another program has it")


@pytest.mark.parametrize("command", ["play", "record"])
def test_a_camera_that_is_not_there_ends_the_command(
    recording: Path, port: int, capfd: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("device.cameras.UsbSource", Absent)
    session = ["--session", str(recording), "--camera", "usb"]
    new = recording.parent / "new"
    assert run(["play", *session, "--port", str(port)] if command == "play" else ["record", str(new), *session]) == 2
    err = capfd.readouterr().err
    assert err == (
        "kibitz: camera usb: there is no USB camera 0, or another program has it; connect it and start again, or name"
        " another with --camera (pi, usb, usb:1, a video)\n"
    )
    assert not new.exists()


def test_a_game_that_is_not_there_is_said_before_the_camera_is_asked_for(
    recording: Path, home: Path, capsys: Capture, fake_game: object
) -> None:
    assert run(["replay", str(recording)]) == 0
    capsys.readouterr()
    assert run(["games", "resume", "99", "--camera", "webcam"]) == 2
    assert "there is no game 99; `kibitz games` lists those there are" in capsys.readouterr().err


def test_a_resumed_game_takes_the_measured_lens(
    recording: Path, home: Path, port: int, tmp_path: Path, capsys: Capture, fake_game: list[FakeObserver],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("device.playing.Clock", FastClock)
    lens = Lens(width=640, height=360, f=500.0, k1=-0.1, k2=0.01, axis_x=2.0, axis_y=-3.0)
    write_lens(tmp_path / "lens.toml", lens)
    assert run(["replay", str(recording)]) == 0
    asked = ["games", "resume", "1", "--camera", str(recording), "--port", str(port)]
    assert run([*asked, "--lens", str(tmp_path / "lens.toml")]) == 0
    assert [observer.lens for observer in fake_game] == [None, lens]
    assert run([*asked, "--lens", str(tmp_path / "no.toml")]) == 2
    assert "no.toml" in capsys.readouterr().err


# ---- record ------------------------------------------------------------------------------------------------------


def test_a_recording_keeps_pictures_and_times(tmp_path: Path) -> None:
    path = tmp_path / "new" / "clip.mp4"
    times = [3.0, 3.033, 3.133, 4.0]
    with Recorder(path) as recorder:
        for t in times:
            recorder.write(frame(t))
        recorder.write(frame(2.0))  # not later than the last: left out
    assert recorder.frames == 4
    with open_footage(path) as footage:
        read = [(f.t, f.bgr()) for f in footage]
    assert [t for t, _ in read] == pytest.approx([t - 3.0 for t in times], abs=0.0011)
    assert np.abs(read[0][1].astype(int) - 90).max() <= 5


def test_what_was_recorded_before_a_power_cut_can_be_replayed(tmp_path: Path) -> None:
    path, cut = tmp_path / "clip.mp4", tmp_path / "cut.mp4"
    with Recorder(path) as recorder:
        for n in range(60):
            recorder.write(frame(n / 10))
        shutil.copy(path, cut)  # as the disk has it at this moment
    with open_footage(cut) as footage:
        count = len(list(footage))
    assert 50 <= count <= 60  # at most the last second is lost


def test_record_writes_a_folder_that_replay_takes(
    recording: Path, tmp_path: Path, capsys: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.playing.Clock", FastClock)
    session = recording / "session.toml"
    new = recording.parent / "new"
    assert run(["record", str(new), "--camera", str(recording), "--session", str(session)]) == 0
    assert (new / "session.toml").read_text() == session.read_text()
    said = capsys.readouterr().out
    with open_footage(new / "clip.mp4") as footage:
        assert f"{len(list(footage))} frames" in said
    assert run(["record", str(new), "--camera", str(recording)]) == 2
    assert "is already there; record into another folder" in capsys.readouterr().err


def test_a_session_that_lies_where_is_recorded_is_kept(
    recording: Path, capsys: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.playing.Clock", FastClock)
    session, new = recording / "session.toml", recording.parent / "new"
    new.mkdir()
    (new / "session.toml").write_text("mine")
    command = ["record", str(new), "--camera", str(recording), "--session"]
    assert run([*command, str(session)]) == 2
    assert "session.toml: is already there and would be lost" in capsys.readouterr().err
    assert (new / "session.toml").read_text() == "mine"
    (new / "session.toml").write_text(session.read_text())
    assert run([*command, str(new / "session.toml")]) == 0
    assert (new / "session.toml").read_text() == session.read_text()


def test_a_recording_that_cannot_be_written(recording: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").write_text("")
    assert run(["record", str(tmp_path / "file" / "x"), "--camera", str(recording)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# ---- games -------------------------------------------------------------------------------------------------------


def test_games_are_listed_shown_and_exported(
    recording: Path, tmp_path: Path, capsys: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["games"]) == 0
    assert capsys.readouterr().out == "No games yet.\n"
    for _ in range(2):
        assert run(["replay", str(recording)]) == 0
    capsys.readouterr()
    assert run(["games"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [(row[0], row[-2], row[-1]) for row in rows[1:]] == [("1", "party", "5"), ("2", "party", "5")]

    assert run(["games", "show", "2"]) == 0
    out = capsys.readouterr().out
    assert "   3     0:02.0  > no (default)" in out
    assert "   4     0:03.0  seen" in out

    assert run(["games", "export", "2"]) == 0
    exported = json.loads(capsys.readouterr().out)
    assert run(["games", "export", "2", "--out", str(tmp_path / "game.json")]) == 0
    assert json.loads((tmp_path / "game.json").read_text()) == exported
    assert exported["scores"] == {"Ana": 2}
    journal = ["--journal", str(tmp_path / "home" / "journal.sqlite")]
    monkeypatch.setenv("KIBITZ_HOME", str(tmp_path / "elsewhere"))
    for words in (["games", *journal, "export", "2"], ["games", "export", "2", *journal]):
        assert run(words) == 0
        assert json.loads(capsys.readouterr().out) == exported
    assert [(e["number"], e["entry_kind"], e["counts"]) for e in exported["entries"]][:3] == [
        (1, "scene", True),
        (2, "scene", True),
        (3, "answer", True),
    ]


def test_a_damaged_entry_is_said_in_one_line(recording: Path, home: Path, capsys: Capture, fake_game: object) -> None:
    assert run(["replay", str(recording)]) == 0
    with Journal(home / "journal.sqlite") as journal:
        journal.db.execute("INSERT INTO entry VALUES (1, 6, '', '{\"entry_kind\": \"dance\"}')")
    capsys.readouterr()
    assert run(["games", "show", "1"]) == 2
    err = capsys.readouterr().err
    assert "game 1: entry 6 is damaged" in err
    assert err.count("\n") == 1


# ---- the rest ----------------------------------------------------------------------------------------------------


def test_questions_are_put_to_the_screen_when_asked_for(
    recording: Path, home: Path, port: int, capsys: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def player(line: str) -> None:
        """Answers on the screen as soon as the command says that it waits."""
        print(line)
        if line.startswith("Open questions wait"):
            body = json.dumps({"question": "q-p2", "choice": "yes"}).encode()
            threading.Thread(target=post, args=(port, "answer", body)).start()

    monkeypatch.setattr("device.replaying.print_line", player)
    report = recording.parent / "r.json"
    code = run(["replay", str(recording), "--screen", "--port", str(port), "--ask", "--report", str(report)])
    assert code == 0
    (question,) = json.loads(report.read_text())["questions"]
    assert (question["answered"], question["by"]) == ("yes", "players")
    with Journal(home / "journal.sqlite") as journal:
        assert isinstance(journal.entries(1)[-1], Answered)


def test_doctor_says_what_is_and_what_to_do(home: Path, port: int, capsys: Capture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        code = run(["doctor", "--port", str(port)])
    out = capsys.readouterr().out
    assert code == 0
    assert "ok    opencv-python-headless: " in out
    assert f"ok    journal: {home / 'journal.sqlite'}, 0 games" in out
    assert f"warn  port {port}: " in out
    assert "ok    deck carpets: 64 pieces of 37 faces" in out  # the back is no piece
    (home / "journal.sqlite").write_text("diary " * 500)
    assert run(["doctor", "--port", str(port)]) == 1
    assert "fail  journal: " in capsys.readouterr().out


def test_doctor_names_decks_that_are_damaged(
    home: Path, tmp_path: Path, port: int, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "decks" / "carpets").mkdir(parents=True)
    monkeypatch.setattr("device.doctor.DECKS", tmp_path / "decks")
    assert run(["doctor", "--port", str(port)]) == 1
    assert "fail  deck carpets: " in capsys.readouterr().out
    monkeypatch.setattr("device.doctor.DECKS", tmp_path / "nowhere")
    assert run(["doctor", "--port", str(port)]) == 1
    assert "fail  decks: none in " in capsys.readouterr().out


def test_print_writes_the_shipped_deck(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "carpets.pdf"
    assert run(["print", "carpets", "--out", str(out), "--paper", "letter"]) == 0
    assert out.read_bytes().startswith(b"%PDF")
    assert "sheets" in capsys.readouterr().out


def test_demo_replays_what_ships(
    recording: Path, port: int, capsys: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.sitting.DEMOS", recording.parent)
    assert run(["demo", "party", "--fast", "--port", str(port)]) == 0
    out = capsys.readouterr().out
    assert f"The screen: http://127.0.0.1:{port}" in out
    assert out.splitlines()[-1].split()[:2] == ["Ana", "2"]


def test_help_of_every_command_can_be_read(capsys: Capture) -> None:
    for command in ("replay", "demo", "evaluate", "play", "record", "print", "doctor", "games"):
        assert run([command, "--help"]) == 0
        assert command in capsys.readouterr().out
