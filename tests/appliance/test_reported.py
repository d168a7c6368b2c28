"""Report this play: one file, nobody named in it, that can be played again; and files that are none."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException

from device.cli import run
from device.errors import UserError
from device.lens_file import lens_spec
from device.reported import Play, Stood, is_play, open_play, play_again, without_names, write_play
from device.ring import Ring
from device.screen.app import cannot, refused
from device.screen.live_routes import Recorded, live_routes
from device.screen.pairing import Devices, Pairing
from device.screen.server import Serving, serve
from device.vitals import Vitals
from rules.history import Answered
from rules.protocol import Answer
from tests.cases.test_cases import HERE
from tests.device.fakes import frame
from tests.screen.scripted import make_table, play
from vision.camera import Lens

Capture = pytest.CaptureFixture[str]
CASE = HERE / "three-claims.zip"
LENS = Lens(width=1280, height=720, f=900.0, k1=-0.1, k2=0.01, axis_x=2.0, axis_y=-3.0)


def changed(tmp_path: Path, **parts: bytes | None) -> Path:
    """The case with other parts, by name; None leaves one out."""
    path = tmp_path / "case.zip"
    with zipfile.ZipFile(CASE) as source, zipfile.ZipFile(path, "w") as out:
        kept = {name: source.read(name) for name in source.namelist()}
        for name, data in {**kept, **parts}.items():
            if data is not None:
                out.writestr(name, data)
    return path


def test_nobody_is_named() -> None:
    with open_play(CASE) as (found, clip, _):
        text = msgspec.json.encode(found).decode()
        assert not any(name in text for name in ("Anna", "Ben", "Clara"))
        assert [p.name for p in found.session.player] == ["Player 1", "Player 2", "Player 3"]
        assert clip.stat().st_size > 100_000
        assert found.camera is not None and found.camera.solved
        assert found.before and found.end > found.start


def test_names_are_replaced_where_they_stand_alone_and_nowhere_else() -> None:
    with open_play(CASE) as (found, _, _):
        pass
    people = tuple(msgspec.structs.replace(p, name=n) for p, n in zip(found.session.player, ("Ann", "palace", "Jo"),
                                                                      strict=True))  # fmt: skip
    said = Answer(t=1.0, question="q:Ann:p3", choice="score:Jo", value="Annabel")
    mixed = msgspec.structs.replace(
        found,
        session=msgspec.structs.replace(found.session, player=people),
        before=(Answered(said),),
        answers=(said,),
        stood=(Stood(t=2.0, rule="carpets.claim", player="Jo", faces=("lamp",)),),
    )
    told = without_names(mixed)
    (entry,) = told.before
    assert isinstance(entry, Answered)
    answer = entry.answer
    assert (answer.question, answer.choice, answer.value) == ("q:Player 1:p3", "score:Player 3", "Annabel")
    assert told.stood[0].player == "Player 3"


def test_a_fault_shows_and_replay_tells_it(tmp_path: Path, capsys: Capture, home: Path) -> None:
    """Where the players let something else stand, today's ruling is a difference, and so is what is missing."""
    told = json.loads(zipfile.ZipFile(CASE).read("play.json"))
    claim = next(s for s in told["stood"] if s["rule"] == "carpets.claim" and s["player"] == "Player 2")
    claim["player"] = "Player 3"
    assert run(["replay", str(changed(tmp_path, **{"play.json": json.dumps(told).encode()}))]) == 0
    out = capsys.readouterr().out
    assert "Player 2 takes carpet bazaar." in out
    wrong = out.splitlines()[-3:-1]
    assert "carpets.claim Player 2" in wrong[0] and "did not stand" in wrong[0]
    assert "carpets.claim Player 3" in wrong[1] and "neither ruled nor asked" in wrong[1]
    assert out.splitlines()[-1] == "case.zip: 2 differences from what the players let stand"


def test_it_is_played_again_with_the_lens_it_was_played_with(tmp_path: Path) -> None:
    told = json.loads(zipfile.ZipFile(CASE).read("play.json"))
    with open_play(CASE) as (_, _, sitting):
        assert sitting.lens is None
    told["lens"] = msgspec.to_builtins(lens_spec(LENS))
    with open_play(changed(tmp_path, **{"play.json": json.dumps(told).encode()})) as (_, _, sitting):
        assert sitting.lens == LENS
    told["lens"]["f"] = 1.0
    with (
        pytest.raises(UserError, match=r"case.zip: lens, f: 1 px is no focal length"),
        open_play(changed(tmp_path, **{"play.json": json.dumps(told).encode()})),
    ):
        pass


def test_files_that_are_no_play(tmp_path: Path) -> None:
    for parts, told in (
        ({"play.json": b"{"}, "no reported play, or damaged"),
        ({"play.json": None}, "no play.json in it"),
        ({"../evil": b"x"}, "does not belong"),
        ({"deck/../../evil": b"x"}, "does not belong"),
        ({"/etc/evil": b"x"}, "does not belong"),
        ({"deck/evil/deep/er": b"x"}, "does not belong"),
    ):
        with pytest.raises(UserError, match=told):
            play_again(changed(tmp_path, **parts))  # type: ignore[arg-type]
    assert not (tmp_path / "evil").exists()
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("clip.mp4", b"\0" * 250_000_000)
    with pytest.raises(UserError, match="does not belong"):
        play_again(tmp_path / "bomb.zip")


def test_a_play_with_wrong_bits_is_told_of(tmp_path: Path) -> None:
    """Each of these once came out as an error of zipfile's or zlib's own."""
    whole = CASE.read_bytes()
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(CASE) as file:
        start = file.getinfo("play.json").header_offset + 30 + len("play.json")
    directory = whole.rindex(b"PK\x01\x02")
    wrong = ((start, b"\xff\xff\xff"), (directory + 6, b"\xff"), (directory + 8, b"\x61"), (5000, b""))
    for at, bits in wrong:
        bad.write_bytes(whole[:at] + bits + whole[at + len(bits) :] if bits else whole[:at])
        assert is_play(bad)
        with pytest.raises(UserError, match="no reported play, or damaged"):
            play_again(bad)


def test_without_a_recording_there_is_nothing_to_report(tmp_path: Path) -> None:
    ring = Ring(tmp_path / "ring", limit_mb=10)
    with pytest.raises(UserError, match="nothing has been recorded"):
        write_play(play(make_table(), 3), ring, tmp_path)
    ring.close()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Serving]:
    (tmp_path / "deck").mkdir()
    (tmp_path / "deck" / "deck.toml").write_text("x")
    table = play(make_table(), 9)
    ring = Ring(tmp_path / "ring", limit_mb=10)
    for n in range(40):
        ring.offer(frame(table.status().t - 4.0 + n / 10))
        ring.wait()
    pairing = Pairing(Devices(tmp_path / "d.json"))
    vitals = Vitals(table, live=None, ring=ring, place=tmp_path)
    recorded = Recorded(ring=ring, seconds=3.0, deck_folder=tmp_path / "deck", lens=LENS)
    routes = live_routes(table, vitals=vitals, pairing=pairing, port=1, host="127.0.0.1", recorded=recorded)
    app = Starlette(routes=routes, exception_handlers={HTTPException: refused, UserError: cannot})
    with serve(app, port=0) as serving:
        yield serving
    ring.close()


def test_the_command_fetches_it_from_the_service(running: Serving, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "play.zip"
    assert run(["report", "--out", str(out), "--port", str(running.port), "--seconds", "20"]) == 0
    assert str(out) in capsys.readouterr().out
    names = zipfile.ZipFile(io.BytesIO(out.read_bytes())).namelist()
    assert names == ["play.json", "clip.mp4", "deck/deck.toml"], "a deck of one's own is in it"
    told = msgspec.json.decode(zipfile.ZipFile(out).read("play.json"), type=Play)
    assert told.lens == lens_spec(LENS)
    (tmp_path / "holiday.jpg").write_bytes(b"a picture")
    assert run(["report", "--out", str(tmp_path / "holiday.jpg"), "--port", str(running.port)]) == 2
    assert run(["report", "--seconds", "3", "--port", str(running.port)]) == 2
    assert run(["report", "--port", "1"]) == 2
    assert "no Kibitz answers at port 1" in capsys.readouterr().err
