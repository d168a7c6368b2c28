"""What a command writes never takes the place of another file: a clip, a session, a journal, a truth."""

from pathlib import Path

import pytest

from device.cli import run
from device.errors import UserError
from device.places import write_whole
from device.report import check_writable

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("clip.mp4", b"\x00\x00\x00 ftypisom"),
        ("session.toml", b"game"),
        ("games", b"SQLite format 3\x00"),
        ("truth.json", b'{"states": []}'),
    ],
)
def test_what_is_no_report_is_not_overwritten(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"is another file and would be lost; choose another place with --report"):
        check_writable(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("content", ['{"kibitz": "0.1.0"}', '{\n  "kibitz": "0.1.0"}', ""])
def test_an_earlier_report_may_be_replaced(tmp_path: Path, content: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(content)
    check_writable(path)


def test_a_pdf_replaces_one_of_ours_and_nothing_else(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "cards.pdf"
    assert run(["print", "carpets", "--out", str(out)]) == 0
    assert run(["print", "carpets", "--out", str(out), "--paper", "letter"]) == 0
    capsys.readouterr()
    for content in (b"%PDF-1.7 a thesis", b"game = 1"):
        out.write_bytes(content)
        assert run(["print", "carpets", "--out", str(out)]) == 2
        assert out.read_bytes() == content
        assert capsys.readouterr().err == (
            f"kibitz: {out}: is another file and would be lost; choose another place with --out\n"
        )


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.json"
    path.write_text("the old one")

    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UserError, match="the report cannot be written there: no space left on device"):
        write_whole(path, b"the new one", "the report", "--report")
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]
    assert path.read_text() == "the old one"
