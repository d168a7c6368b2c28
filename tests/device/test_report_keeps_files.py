"""A report never takes the place of what is no report: a clip, a session, a journal."""

from pathlib import Path

import pytest

from device.errors import UserError
from device.report import check_writable


@pytest.mark.parametrize(
    ("name", "content"),
    [("clip.mp4", b"\x00\x00\x00 ftypisom"), ("session.toml", b"game"), ("games", b"SQLite format 3\x00")],
)
def test_what_is_no_report_is_not_overwritten(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError, match="would be lost"):
        check_writable(path)
    assert path.read_bytes() == content


def test_an_earlier_report_may_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text('{"kibitz": "0.1.0"}')
    check_writable(path)
