"""`kibitz.toml`: what is wrong is told with file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.cli import run
from device.config import load_config
from device.errors import UserError

GOOD = """\
# how this table is set up
[table]
name = "Window"   # what people call it

[camera]
source = "usb:1"
width = 1920
height = 1080

[screen]
host = "0.0.0.0"
"""


def config(folder: Path, text: str) -> Path:
    path = folder / "kibitz.toml"
    path.write_text(text)
    return path


def test_what_is_not_given_has_a_default(tmp_path: Path) -> None:
    empty = load_config(config(tmp_path, ""))
    assert (empty.camera.source, empty.screen.host, empty.screen.port) == ("pi", "127.0.0.1", 8765)
    given = load_config(config(tmp_path, GOOD))
    assert given.camera.wish().size == (1920, 1080)
    assert given.table.name == "Window"


@pytest.mark.parametrize(
    ("line", "text", "told"),
    [
        (11, GOOD.replace('"0.0.0.0"', "80"), "[screen] host: expected str, got int"),
        (7, GOOD.replace("1920", "12"), "[camera] width: 12 is not between 320 and 4608"),
        (7, GOOD.replace("width", "breadth"), "[camera] breadth: no such field; there are: source, width"),
        (10, GOOD.replace("[screen]", "[scren]"), "[scren]: no such section; there are: table, camera"),
        (11, GOOD.replace("0.0.0.0", "over there"), "[screen] host: 'over there' is no address of this machine"),
        (3, GOOD.replace('"Window"', '""'), "[table] name: give a name of 1 to 60 letters"),
        (6, GOOD.replace('"usb:1"', '"usb:1'), "is not valid TOML"),
        (12, GOOD + "port = 99999\n", "[screen] port: 99999: ports go from 1 to 65535"),
        (12, GOOD + "[record]\nring_mb = -1", "[record] ring_mb: -1 is not between"),
        (1, "table = 3\n" + GOOD.replace("[table]", "[tables]"), "[table]: expected object, got int"),
    ],
)
def test_a_mistake_is_told_with_line_and_field(tmp_path: Path, line: int, text: str, told: str) -> None:
    path = config(tmp_path, text)
    with pytest.raises(UserError) as error:
        load_config(path)
    said = str(error.value)
    assert told in said
    if "[record]" in text:
        line = 13
    if not text.startswith("table"):
        assert said.startswith(f"{path}, line {line}: ")


@pytest.mark.parametrize("data", [b"\xff\xfe", None])
def test_a_file_that_cannot_be_read(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "kibitz.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UserError, match=r"kibitz\.toml: (no such file|is not a text file)"):
        load_config(path)


def test_a_file_that_is_not_there_is_told_with_the_field_that_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = config(tmp_path, GOOD)
    for command in ("config", "serve"):
        assert run([command, "--config", str(path)]) == 2
        told = capsys.readouterr().err
        assert f"{path}, line 2: [table] session: {tmp_path / 'session.toml'}: no such file" in told
    (tmp_path / "session.toml").write_text("")
    path.write_text(GOOD.replace("[screen]", 'lens = "mine.toml"\n[screen]'))
    assert run(["config", "--config", str(path)]) == 2
    assert f"{path}, line 10: [camera] lens: {tmp_path / 'mine.toml'}: no such file" in capsys.readouterr().err


def test_the_command_checks_config_and_session(
    tmp_path: Path, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = config(tmp_path, f'[table]\nsession = "{recording}/session.toml"')
    assert run(["config", "--config", str(path)]) == 0
    assert "good; carpets for Ana, Ben, Cleo, camera pi" in capsys.readouterr().out
    config(tmp_path, '[table]\nsession = "nobody.toml"')
    assert run(["config", "--config", str(path)]) == 2
    assert "nobody.toml: no such file" in capsys.readouterr().err
