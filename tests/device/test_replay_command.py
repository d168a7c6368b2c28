"""`kibitz replay`: rulings, report and score from footage, and one clear line for whatever is wrong."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from device.cli import run
from device.footage import open_footage
from device.journal import MIGRATIONS, Journal
from device.replay import RealTime, replay
from device.report import build_report
from device.table import Table
from tests.device.fakes import GAME, SESSION, FakeObserver, FakeReferee, MemoryLog, deck
from tests.device.videos import size_changes, sound_only, truncated, turn_clockwise, write_video

Capture = pytest.CaptureFixture[str]


def kibitz(capfd: Capture, *arguments: object) -> tuple[int, str, str]:
    capfd.readouterr()
    code = run([str(a) for a in arguments])
    return code, *capfd.readouterr()


def complaint(capfd: Capture, *arguments: object) -> str:
    """The one line that a mistake gets."""
    code, _, err = kibitz(capfd, *arguments)
    assert code == 2
    assert err.startswith("kibitz: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def games(home: Path) -> list[int]:
    """How many entries each game of the journal has."""
    with Journal(home / "journal.sqlite") as journal:
        return [len(journal.entries(game.id)) for game in journal.games()]


# ---- what is right -----------------------------------------------------------------------------------------------


def test_rulings_fall_and_the_score_is_told(recording: Path, home: Path, capfd: Capture, fake_game: object) -> None:
    code, out, err = kibitz(capfd, "replay", recording)
    assert code == 0
    assert err == ""
    assert [line.split()[:2] for line in out.splitlines()[:4]] == [
        ["0:01.0", "palace"],
        ["0:02.0", "?"],
        ["0:02.0", ">"],
        ["0:02.0", "a"],
    ]
    assert "> no (default)" in out
    assert out.splitlines()[-1].split()[:2] == ["Ana", "2"]
    assert games(home) == [5]


def test_the_report_is_the_contract(recording: Path, tmp_path: Path, capfd: Capture, fake_game: object) -> None:
    path = tmp_path / "report.json"
    assert kibitz(capfd, "replay", recording, "--report", path, "--language", "fr")[0] == 0
    report = json.loads(path.read_text())
    assert list(report) == [
        *("kibitz", "game", "footage", "frames", "duration", "scenes", "rulings", "questions", "scores")
    ]
    assert (report["game"], report["footage"], report["frames"], report["duration"]) == ("carpets", "party", 45, 4.5)
    assert [s["t"] for s in report["scenes"]] == [1.0, 2.0, 3.0, 4.0]
    assert report["scenes"][0] == {
        "t": 1.0,
        "camera": {"rms_px": 0.2},
        "pieces": [
            {
                "id": "p1",
                "kind": "destination",
                "face": "palace",
                "confidence": 1.0,
                "visible": 1.0,
                "corners_px": [[90.0, 30.0], [149.0, 30.0], [149.0, 121.0], [90.0, 121.0]],
                "outline_mm": [[90.0, 30.0], [149.0, 30.0], [149.0, 121.0], [90.0, 121.0]],
                "sigma_mm": 0.2,
            }
        ],
        "gaps": [],
        "overlaps": [],
    }
    assert report["rulings"][0] == {
        "t": 1.0,
        "rule": "fake.palace",
        "pieces": ["p1"],
        "player": "Ana",
        "measured": None,
        "sigma": None,
        "limit": None,
        "unit": "",
        "text": "palace (fr)",
    }
    assert report["rulings"][1]["reason"] == "no"
    assert report["questions"] == [
        {
            "t": 2.0,
            "rule": "fake.lamp",
            "pieces": ["p2"],
            "options": ["yes", "no"],
            "answered": "no",
            "by": "default",
        }
    ]
    assert report["scores"] == {"Ana": 2}


def test_the_same_footage_gives_the_same_bytes(
    recording: Path, tmp_path: Path, capfd: Capture, fake_game: object
) -> None:
    reports = []
    for name in ("one", "two"):
        assert kibitz(capfd, "replay", recording, "--report", tmp_path / name)[0] == 0
        reports.append((tmp_path / name).read_bytes())
    assert reports[0] == reports[1]
    assert str(tmp_path).encode() not in reports[0]


def test_the_pace_changes_nothing(recording: Path, fake_game: object) -> None:
    reports = []
    paced: list[float] = []
    for pace in (None, paced.append):
        with open_footage(recording / "clip.mp4") as footage:
            table = Table(SESSION, deck(), FakeObserver(*GAME), FakeReferee, MemoryLog(), take_defaults=True)
            replay(table, footage, pace=pace)
            reports.append(build_report(table, footage="x", frames=footage.frames, duration=footage.duration))
    assert len(paced) == 45
    assert reports[0] == reports[1]


def test_real_time_waits_for_each_frame_and_never_for_a_late_one(monkeypatch: pytest.MonkeyPatch) -> None:
    now, waited = [100.0], []
    monkeypatch.setattr("device.replay.time.monotonic", lambda: now[0])
    monkeypatch.setattr("device.replay.time.sleep", waited.append)
    pace = RealTime()
    for t, clock in ((0.5, 100.0), (0.75, 100.0), (1.0, 102.0), (2.75, 102.0)):
        now[0] = clock
        pace(t)
    assert waited == [0.0, 0.25, 0.0, 0.25]


def test_a_bare_video_with_a_session(recording: Path, tmp_path: Path, capfd: Capture, fake_game: object) -> None:
    video = tmp_path / "evening.mp4"
    (recording / "clip.mp4").rename(video)
    report = tmp_path / "r.json"
    for session in (recording / "session.toml", recording):
        assert kibitz(capfd, "replay", video, "--session", session, "--report", report)[0] == 0
        assert json.loads(report.read_text())["footage"] == "evening"


@pytest.mark.parametrize(
    "make",
    [
        lambda path: write_video(path, 45, 360, 640),
        lambda path: turn_clockwise(write_video(path, 45)),
        lambda path: write_video(path, 45, pix_fmt="yuv420p10le"),
    ],
    ids=["portrait", "turned", "10-bit"],
)
def test_unusual_footage_is_refereed_all_the_same(
    recording: Path, capfd: Capture, fake_game: object, make: Callable[[Path], Path]
) -> None:
    make(recording / "clip.mp4")
    code, out, err = kibitz(capfd, "replay", recording)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].split()[:2] == ["Ana", "2"]


def test_a_journal_elsewhere(recording: Path, tmp_path: Path, home: Path, capfd: Capture, fake_game: object) -> None:
    place = tmp_path / "else" / "j.sqlite"
    assert kibitz(capfd, "replay", recording, "--journal", place)[0] == 0
    assert place.exists()
    assert not home.exists()


def test_python_m_device_is_the_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "device", "replay", str(tmp_path / "nowhere")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"kibitz: {tmp_path / 'nowhere'}: no such footage;"
        " give a folder with clip.mp4 and session.toml, or a video file\n"
    )


# ---- what is wrong with the footage ------------------------------------------------------------------------------


def test_cut_off_footage_is_played_and_then_said(
    recording: Path, tmp_path: Path, home: Path, capfd: Capture, fake_game: object
) -> None:
    truncated(recording / "clip.mp4")
    code, out, err = kibitz(capfd, "replay", recording, "--report", tmp_path / "r.json")
    assert code == 2
    assert err.count("\n") == 1
    assert "ends early, after frame" in err
    assert "palace" in out
    report = json.loads((tmp_path / "r.json").read_text())
    assert 5 < report["frames"] < 40
    assert games(home)[0] >= 1


BAD_FOOTAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (Path.unlink, "there is no clip.mp4 in this folder"),
    "empty": (lambda path: path.write_bytes(b""), "is empty (0 bytes)"),
    "text": (lambda path: path.write_text("no video " * 99), "is not a video"),
    "sound only": (sound_only, "there is no video in it"),
    "one frame": (lambda path: write_video(path, 1), "has only one frame"),
    "64x48": (lambda path: write_video(path, 45, 64, 48), "64x48 pixels is too small"),
    "size change": (size_changes, "changes from 640x360 to 480x360 pixels at 0.8 s"),
}


@pytest.mark.parametrize(("spoil", "says"), BAD_FOOTAGE.values(), ids=BAD_FOOTAGE)
def test_bad_footage_gets_one_line_and_the_journal_stays_whole(
    recording: Path, home: Path, capfd: Capture, fake_game: object, spoil: Callable[[Path], object], says: str
) -> None:
    assert kibitz(capfd, "replay", recording)[0] == 0
    spoil(recording / "clip.mp4")
    assert says in complaint(capfd, "replay", recording)
    assert games(home)[0] == 5
    assert kibitz(capfd, "games", "show", 1)[0] == 0


# ---- what is wrong with deck, session, report --------------------------------------------------------------------


def edit(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return change


BAD_FOLDER: dict[str, tuple[Callable[[Path], object], str]] = {
    "picture missing": (lambda f: (f / "deck/faces/lamp.png").unlink(), "face lamp, file: there is no picture"),
    "picture broken": (lambda f: (f / "deck/faces/lamp.png").write_bytes(b"\x89PNG"), "face lamp, file: the picture"),
    "duplicate ids": (edit("deck/deck.toml", 'id = "lamp"', 'id = "palace"'), "two faces have the id 'palace'"),
    "zero size": (edit("deck/deck.toml", "width_mm = 59", "width_mm = 0"), "card.width_mm: expected `float` > 0"),
    "unknown kind": (edit("deck/deck.toml", 'kind = "lamp"', 'kind = "unknown"'), "knows no kind 'unknown'"),
    "no deck there": (edit("session.toml", "./deck", "./dek"), "party/session.toml: deck './dek': there is no"),
    "no deck named": (edit("session.toml", 'deck = "./deck"', ""), "missing required field `deck`"),
    "unknown colour": (edit("session.toml", '"red"', '"mauve"'), "unknown colour 'mauve'"),
    "carpet not in deck": (edit("session.toml", '"red"', '"yellow"'), "has no carpet 'yellow'"),
    "two with one colour": (edit("session.toml", '"red"', '"blue"'), "'blue' is already Ana's"),
    "five players": (
        lambda f: (f / "session.toml").write_text(
            (f / "session.toml").read_text()
            + "".join(f'[[player]]\nnumber={n}\nname="P{n}"\ncarpet="red"\nside="N"\n' for n in (4, 5))
        ),
        "5 players; carpets is played by 2 to 4",
    ),
    "bad TOML": (edit("session.toml", 'game = "carpets"', "game = "), "is not valid TOML: Invalid value (at line 2"),
    "no session": (lambda f: (f / "session.toml").unlink(), "no such session file"),
}


@pytest.mark.parametrize(("spoil", "says"), BAD_FOLDER.values(), ids=BAD_FOLDER)
def test_a_bad_deck_or_session_gets_one_line_and_no_game(
    recording: Path, home: Path, capfd: Capture, fake_game: object, spoil: Callable[[Path], object], says: str
) -> None:
    spoil(recording)
    assert says in complaint(capfd, "replay", recording)
    assert not (home / "journal.sqlite").exists()


def test_a_bad_house_rule(recording: Path, capfd: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(session: object) -> FakeReferee:
        raise ValueError("house rule `min_gap_mm`: must not be negative, -3 given")

    monkeypatch.setattr("device.sitting.make_referee", refuse)
    said = complaint(capfd, "replay", recording)
    assert "session.toml: house rule `min_gap_mm`: must not be negative" in said


def test_djinns_that_nobody_was_dealt(recording: Path, capfd: Capture) -> None:
    edit("session.toml", 'side = "S"', 'side = "S"\ndjinns = [9]')(recording)
    said = complaint(capfd, "replay", recording)
    assert "party/session.toml: no dealing of 3 players gives those djinns; the sets are" in said


@pytest.mark.parametrize("where", ["nowhere/report.json", "party", "party/clip.mp4/report.json"])
def test_a_report_that_cannot_be_written_is_found_before_the_replay(
    recording: Path, tmp_path: Path, home: Path, capfd: Capture, fake_game: list[FakeObserver], where: str
) -> None:
    said = complaint(capfd, "replay", recording, "--report", tmp_path / where)
    assert "the report cannot be written there" in said
    assert fake_game == []
    assert not home.exists()


def test_a_report_that_was_there_stays_when_the_replay_fails(
    recording: Path, tmp_path: Path, capfd: Capture, fake_game: object
) -> None:
    report = tmp_path / "r.json"
    report.write_text('{"kibitz": "the old one"}')
    write_video(recording / "clip.mp4", 1)
    complaint(capfd, "replay", recording, "--report", report)
    assert report.read_text() == '{"kibitz": "the old one"}'
    assert sorted(p.name for p in tmp_path.iterdir()) == ["home", "party", "r.json"]


# ---- what is wrong with the journal or the port ------------------------------------------------------------------


def newer(place: Path) -> None:
    with closing(sqlite3.connect(place)) as db:
        db.execute(f"PRAGMA user_version={len(MIGRATIONS) + 1}")


def damaged(place: Path) -> None:
    whole = place.read_bytes()
    place.write_bytes(whole[:1024] + b"\xa5" * 3000 + whole[4024:])


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (newer, "newer Kibitz"),
        (damaged, "damaged"),
        (lambda place: place.write_text("diary " * 500), "is no journal"),
    ],
    ids=["newer", "damaged", "no journal"],
)
def test_a_journal_that_cannot_be_used(
    recording: Path, home: Path, capfd: Capture, fake_game: object, spoil: Callable[[Path], object], says: str
) -> None:
    assert kibitz(capfd, "replay", recording)[0] == 0
    place = home / "journal.sqlite"
    spoil(place)
    before = place.read_bytes()
    assert says in complaint(capfd, "replay", recording)
    assert place.read_bytes() == before


def test_a_journal_that_is_locked(
    recording: Path, home: Path, capfd: Capture, fake_game: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kibitz(capfd, "replay", recording)[0] == 0
    monkeypatch.setattr("device.journal.BUSY_S", 0.01)
    with closing(sqlite3.connect(home / "journal.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "in use by another program" in complaint(capfd, "replay", recording)
        other.execute("ROLLBACK")
    assert games(home) == [5]


def test_a_journal_that_is_read_only(recording: Path, home: Path, capfd: Capture, fake_game: object) -> None:
    assert kibitz(capfd, "replay", recording)[0] == 0
    for path in (*home.iterdir(), home):
        path.chmod(0o555)
    walk = [p for p in (home, *home.parents) if p.stat().st_uid == os.geteuid()]
    was, modes = os.geteuid(), {p: p.stat().st_mode for p in walk}
    for path in walk[1:]:
        path.chmod(path.stat().st_mode | 0o055)
    if was == 0:  # root may write everywhere, so become somebody who may not
        os.seteuid(65534)
    try:
        said = complaint(capfd, "replay", recording)
    finally:
        os.seteuid(was)
        for path, mode in modes.items():
            path.chmod(mode)
        for path in (home, *home.iterdir()):
            path.chmod(0o755)
    assert "read-only" in said or "cannot be opened" in said
    assert games(home) == [5]


def test_a_port_in_use(recording: Path, capfd: Capture, fake_game: list[FakeObserver]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"port {port}" in complaint(capfd, "replay", recording, "--screen", "--port", port)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (["replay"], "Missing argument 'footage'; see `kibitz replay --help`"),
        (["replay", "x", "--port", "many"], "see `kibitz replay --help`"),
        (["replay", "x", "--sesion", "y"], "No such option: --sesion"),
        (["record", "x", "--seconds", "0"], "--seconds 0: give how many seconds to record, more than 0"),
        (["record", "x", "--seconds", "-1"], "--seconds -1: give how many seconds"),
        (["record", "x", "--seconds", "nan"], "--seconds nan: give how many seconds"),
        (["replay", "x", "--language", "it"], "choose one of: en, fr, de"),
        (["replay", "x", "--ask"], "add --screen"),
        (["play"], "give either --session FILE for a new game or --resume NUMBER"),
        (["demo", "chess"], "there is no recorded game of that name"),
        (["print", "nowhere"], "deck 'nowhere': there is no"),
        (["games", "show", "7"], "there is no journal yet"),
        (["games", "export", "x"], "see `kibitz games export --help`"),
        (["games", "resume", "99"], "there is no journal yet"),
        (["evaluate", "nowhere"], "nowhere/truth.json: no such file"),
    ],
)
def test_mistakes_in_the_arguments(capfd: Capture, arguments: list[str], says: str) -> None:
    assert says in complaint(capfd, *arguments)
