"""The calibration sheet, read back from the PDF: the board that is looked for, true to size, on either paper."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from pypdf import PdfReader
from pypdf.generic import ContentStream

from device.calibration_sheet import black_rectangles, print_sheet
from device.cli import run
from vision.charuco import COLUMNS, ROWS, SQUARE_MM, find_board, make_board

MM = 72 / 25.4
PX_PER_MM = 4


def drawn(pdf: Path) -> np.ndarray:
    """The page's filled rectangles as a picture of 4 px/mm."""
    page = PdfReader(pdf).pages[0]
    width, height = float(page.mediabox.width) / MM, float(page.mediabox.height) / MM
    picture = np.full((round(height * PX_PER_MM), round(width * PX_PER_MM)), 255, np.uint8)
    for operands, operator in ContentStream(page.get_contents(), page.pdf).operations:
        if operator == b"re":
            x, y, w, h = (float(v) / MM for v in operands)
            top, left = height - y - max(h, 0), x
            rows = slice(round(top * PX_PER_MM), round((top + abs(h)) * PX_PER_MM))
            columns = slice(round(left * PX_PER_MM), round((left + w) * PX_PER_MM))
            picture[rows, columns] = 0
    return picture


@pytest.mark.parametrize(("paper", "size"), [("a4", (210.0, 297.0)), ("letter", (215.9, 279.4))])
def test_the_sheet_on_paper_is_the_board_that_is_looked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], paper: str, size: tuple[float, float]
) -> None:
    pdf = tmp_path / "sheet.pdf"
    assert run(["print", "sheet", "--out", str(pdf), "--paper", paper]) == 0
    assert "100 %" in capsys.readouterr().out
    view = find_board(drawn(pdf))
    assert view is not None
    assert len(view.px) == (COLUMNS - 1) * (ROWS - 1)
    # True to size, and in the middle of the paper.
    on_paper = (view.px + 0.5) / PX_PER_MM
    corner = (np.array(size) - SQUARE_MM * np.array([COLUMNS, ROWS])) / 2
    assert np.abs(on_paper - (view.board_mm + corner)).max() < 0.15


def test_the_rectangles_are_those_of_opencv() -> None:
    picture = np.full((ROWS * 96, COLUMNS * 96), 255, np.uint8)
    for x, y, w, h in black_rectangles():
        picture[round(y * 4) : round((y + h) * 4), round(x * 4) : round((x + w) * 4)] = 0
    theirs = make_board().generateImage((COLUMNS * 96, ROWS * 96), marginSize=0, borderBits=1)
    assert (cv2.absdiff(picture, np.asarray(theirs, np.uint8)) > 0).mean() < 0.001


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "notes.pdf"
    other.write_bytes(b"not ours")
    for arguments in (["--paper", "a5"], ["--out", str(other)], ["--out", str(tmp_path / "no" / "sheet.pdf")]):
        assert run(["print", "sheet", *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert other.read_bytes() == b"not ours"
    print_sheet(tmp_path / "sheet.pdf")
    print_sheet(tmp_path / "sheet.pdf", "letter")  # its own earlier one may be replaced
