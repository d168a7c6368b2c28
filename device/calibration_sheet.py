"""The calibration sheet as a PDF: `print_sheet(Path("sheet.pdf"), "a4")`. One page; the same board on A4 and Letter."""

from __future__ import annotations

from pathlib import Path

from fpdf import FPDF, ViewerPreferences

from device.errors import UserError
from device.places import check_place, write_whole
from device.printing import EDGE_MM, END_MM, PAPERS, SIDE_MM, Grid, draw_rulers
from vision.charuco import COLUMNS, MARKER_SHARE, ROWS, SQUARE_MM, marker_bits

MODULES = 6
OVERLAP_MM = 0.02
"""Black rectangles side by side overlap by so much: a viewer would draw a hair between them."""


def print_sheet(out_pdf: Path, paper: str = "a4") -> None:
    """Raises `UserError` when the paper is not known or the file cannot be written."""
    size = PAPERS.get(paper.lower())
    if size is None:
        raise UserError(f"paper {paper!r}: not known; choose one of: {', '.join(PAPERS)}")
    check_place(out_pdf, "the PDF", "--out", lambda file: b"/Creator (Kibitz" in file.read())
    pdf = FPDF(unit="mm", format=size)
    pdf.set_auto_page_break(False)
    pdf.set_title("Calibration sheet")
    pdf.set_creator("Kibitz")
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")
    pdf.add_page()
    origin = (size[0] - COLUMNS * SQUARE_MM) / 2, (size[1] - ROWS * SQUARE_MM) / 2
    pdf.set_fill_color(0)
    for x, y, width, height in black_rectangles():
        pdf.rect(origin[0] + x, origin[1] + y, width + OVERLAP_MM, height + OVERLAP_MM, style="F")
    frame = Grid(1, 1, (size[0] - 2 * SIDE_MM, size[1] - 2 * END_MM), (SIDE_MM, END_MM), turned=False)
    draw_rulers(pdf, frame, "Print at 100 %; then measure.")
    pdf.set_font("helvetica", size=7)
    text = (
        f"Kibitz: {COLUMNS} x {ROWS} squares of {SQUARE_MM:g} mm. Measure ten of them: {10 * SQUARE_MM:g} mm."
        " Glue it on something flat."
    )
    pdf.text((size[0] - pdf.get_string_width(text)) / 2, size[1] - EDGE_MM - 2, text)
    write_whole(out_pdf, bytes(pdf.output()), "the PDF", "--out")


def black_rectangles() -> list[tuple[float, float, float, float]]:
    """x, y, width, height in mm from the board's top left corner: squares whole, markers as runs of their modules.

    As OpenCV lays it out: the top left square is black, and markers stand in the white ones, row by row.
    """
    out: list[tuple[float, float, float, float]] = []
    margin, module = (1 - MARKER_SHARE) / 2 * SQUARE_MM, MARKER_SHARE * SQUARE_MM / MODULES
    number = 0
    for row in range(ROWS):
        for column in range(COLUMNS):
            x, y = column * SQUARE_MM, row * SQUARE_MM
            if (row + column) % 2 == 0:
                out.append((x, y, SQUARE_MM, SQUARE_MM))
                continue
            bits = marker_bits(number)
            number += 1
            for r in range(MODULES):
                begun: int | None = None
                for c in range(MODULES + 1):
                    black = c < MODULES and not bits[r, c]
                    if black and begun is None:
                        begun = c
                    if not black and begun is not None:
                        left, top = x + margin + begun * module, y + margin + r * module
                        out.append((left, top, (c - begun) * module, module))
                        begun = None
    return out
