"""A deck as a PDF to print and cut: true to size, with cut marks, backs for printing on both sides, and a check ruler.

For the command line: `print_deck(find_deck("carpets"), Path("carpets.pdf"), "a4")`, with `find_deck` of
`device.deck_folder`; whatever is wrong with the deck, the paper or the place to write to is raised as `UserError`.

Sheets are portrait. Each sheet holds pieces of one size, edge to edge, so that one straight cut parts two rows. The
backs page that follows is mirrored left to right: it falls behind its fronts when the printer turns the paper on the
long edge. Lengths are millimetres, x right and y down from the top left of the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fpdf import FPDF, ViewerPreferences
from PIL import ExifTags, Image, ImageOps

from device.deck_folder import DeckSpec, load_deck
from device.errors import UserError
from device.papercraft import draw_net, lay_nets, nets_of
from device.places import check_place, write_whole
from device.toml_file import read_toml

PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
SIDE_MM = 10.0
"""Least margin left and right: cut marks, and the 4 to 6 mm that home printers cannot reach."""
END_MM = 15.0
"""Least margin above and below: as `SIDE_MM`, and a line for the check rulers or the credit."""
MARK_MM = (1.0, 5.0)
"""A cut mark begins this far from the cards and ends that far."""
EDGE_MM = 6.5
"""Nothing is printed nearer to the paper's edge."""
INCH_MM = 25.4
ORIENTATION = ExifTags.Base.Orientation


@dataclass(frozen=True)
class Card:
    """One piece to print."""

    front: Path
    back: Path | None
    width_mm: float
    height_mm: float
    corner_radius_mm: float


@dataclass(frozen=True)
class Placed:
    """A picture on the paper: its box there, and how far it is turned clockwise (0, 90 or 270 degrees) to lie in it."""

    picture: Path
    x: float
    y: float
    width: float
    height: float
    turn: int


@dataclass(frozen=True)
class Grid:
    """Cells of one size in the middle of the paper."""

    columns: int
    rows: int
    cell: tuple[float, float]
    """Width and height of a cell on the paper."""
    origin: tuple[float, float]
    turned: bool
    """The cards lie on their side."""

    @property
    def room(self) -> int:
        return self.columns * self.rows


@dataclass(frozen=True)
class Sheet:
    grid: Grid
    fronts: tuple[Placed, ...]
    backs: tuple[Placed, ...]
    corner_radius_mm: float


def print_deck(deck_folder: Path, out_pdf: Path, paper: str = "a4") -> int:
    """Write every piece of the deck, as often as it is in the deck, then its dice and tokens as nets to fold. Returns
    how many sheets of paper that takes."""
    size = PAPERS.get(paper.lower())
    if size is None:
        raise UserError(f"paper {paper!r}: not known; choose one of: {', '.join(PAPERS)}")
    name, credit, cards = read_cards(deck_folder)
    spec = read_toml(deck_folder / "deck.toml", DeckSpec)
    nets = lay_nets(nets_of(spec.die, spec.token), size, SIDE_MM, END_MM)
    check_place(out_pdf, "the PDF", "--out", lambda file: b"/Creator (Kibitz" in file.read())
    sheets = lay_out(cards, size)
    pdf = FPDF(unit="mm", format=size)
    pdf.set_auto_page_break(False)
    pdf.set_title(name)
    pdf.set_creator("Kibitz")
    total = len(sheets) + len(nets)
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None", duplex="DuplexFlipLongEdge")
    for number, sheet in enumerate(sheets, 1):
        for side, pictures in (("fronts", sheet.fronts), ("backs", sheet.backs)):
            if pictures:
                pdf.add_page()
                _draw_side(pdf, sheet, pictures)
                draw_rulers(pdf, sheet.grid)
                _draw_footer(pdf, sheet.grid, f"{name} · sheet {number} of {total}, {side}", credit)
    frame = Grid(1, 1, (size[0] - 2 * SIDE_MM, size[1] - 2 * END_MM), (SIDE_MM, END_MM), turned=False)
    for number, placed in enumerate(nets, len(sheets) + 1):
        pdf.add_page()
        for net in placed:
            draw_net(pdf, net)
        draw_rulers(pdf, frame)
        _draw_footer(pdf, frame, f"{name} · sheet {number} of {total}: cut out, fold, glue", credit)
        pdf.add_page()  # a blank back, so that a printer that prints on both sides begins a new sheet
    write_whole(out_pdf, bytes(pdf.output()), "the PDF", "--out")
    return total


def read_cards(deck_folder: Path) -> tuple[str, str, list[Card]]:
    """Name, credit and every single card of a deck, in the order of its `deck.toml`."""
    load_deck(deck_folder)  # says what is wrong with the deck, if anything is
    spec = read_toml(deck_folder / "deck.toml", DeckSpec)
    usual = (spec.card.width_mm, spec.card.height_mm)
    cards: list[Card] = []
    for face in spec.face:
        size = (face.width_mm or usual[0], face.height_mm or usual[1])
        back = spec.back if size == usual else spec.tile_back or spec.back
        reverse = deck_folder / back.file if back else None
        cards += [Card(deck_folder / face.file, reverse, *size, spec.card.corner_radius_mm)] * face.count
    return spec.name or deck_folder.name, spec.credit, cards


def lay_out(cards: list[Card], paper: tuple[float, float]) -> list[Sheet]:
    """Spread the cards over sheets, size by size, each sheet filled row by row."""
    sheets: list[Sheet] = []
    for size in dict.fromkeys((card.width_mm, card.height_mm) for card in cards):
        same = [card for card in cards if (card.width_mm, card.height_mm) == size]
        grid = fit_grid(size, len(same), paper)
        for start in range(0, len(same), grid.room):
            part = same[start : start + grid.room]
            fronts = tuple(_place(card.front, grid, i, mirrored=False) for i, card in enumerate(part))
            backs = tuple(_place(card.back, grid, i, mirrored=True) for i, card in enumerate(part) if card.back)
            sheets.append(Sheet(grid, fronts, backs, part[0].corner_radius_mm))
    return sheets


def fit_grid(size: tuple[float, float], count: int, paper: tuple[float, float]) -> Grid:
    """The grid that needs the fewest sheets for `count` cards, and of those the one with the widest margins."""
    grids = []
    for turned in (False, True):
        cell = size[::-1] if turned else size
        columns = int((paper[0] - 2 * SIDE_MM + 1e-6) // cell[0])
        rows = int((paper[1] - 2 * END_MM + 1e-6) // cell[1])
        if columns and rows:
            origin = ((paper[0] - columns * cell[0]) / 2, (paper[1] - rows * cell[1]) / 2)
            grids.append(Grid(columns, rows, cell, origin, turned))
    if not grids:
        raise UserError(
            f"a card of {size[0]:g} x {size[1]:g} mm does not fit on paper of {paper[0]:g} x {paper[1]:g} mm"
        )
    return min(grids, key=lambda grid: (-(-count // grid.room), -min(grid.origin)))


def _place(picture: Path, grid: Grid, index: int, *, mirrored: bool) -> Placed:
    row, column = divmod(index, grid.columns)
    if mirrored:
        column = grid.columns - 1 - column
    # A back is turned the other way, so that front and back of a card that lies on its side have the same end up.
    turn = (270 if mirrored else 90) if grid.turned else 0
    x, y = grid.origin[0] + column * grid.cell[0], grid.origin[1] + row * grid.cell[1]
    return Placed(picture, x, y, grid.cell[0], grid.cell[1], turn)


def _upright(path: Path) -> Path | Image.Image:
    """The picture file, which goes into the PDF as it is, unless a phone noted in it that it is to be turned."""
    with Image.open(path) as image:
        if image.getexif().get(ORIENTATION, 1) == 1:
            return path
        return ImageOps.exif_transpose(image)


def _draw_side(pdf: FPDF, sheet: Sheet, pictures: tuple[Placed, ...]) -> None:
    for placed in pictures:
        centre = (placed.x + placed.width / 2, placed.y + placed.height / 2)
        width, height = (placed.height, placed.width) if placed.turn else (placed.width, placed.height)
        # fpdf turns counterclockwise
        with pdf.rotation(-placed.turn, *centre):
            pdf.image(_upright(placed.picture), centre[0] - width / 2, centre[1] - height / 2, width, height)
    grid = sheet.grid
    xs = [grid.origin[0] + i * grid.cell[0] for i in range(grid.columns + 1)]
    ys = [grid.origin[1] + i * grid.cell[1] for i in range(grid.rows + 1)]
    near, far = MARK_MM
    pdf.set_line_width(0.15)
    pdf.set_draw_color(0)
    for x in xs:
        pdf.line(x, ys[0] - far, x, ys[0] - near)
        pdf.line(x, ys[-1] + near, x, ys[-1] + far)
    for y in ys:
        pdf.line(xs[0] - far, y, xs[0] - near, y)
        pdf.line(xs[-1] + near, y, xs[-1] + far, y)
    # Scissors need marks between the cards too: they lie in the corners that rounding takes off.
    arm = min(2.0, sheet.corner_radius_mm)
    pdf.set_draw_color(170)
    for x in xs[1:-1]:
        for y in ys[1:-1]:
            pdf.line(x - arm, y, x + arm, y)
            pdf.line(x, y - arm, x, y + arm)


def draw_rulers(pdf: FPDF, grid: Grid, hint: str = "Print at 100 %, flip on the long edge; then measure.") -> None:
    """50 mm on the left, 2 inches on the right, above the cut marks: measure them to know that nothing was scaled."""
    y = max(EDGE_MM + 2, (grid.origin[1] - MARK_MM[1]) / 2 + 1)
    pdf.set_font("helvetica", size=7)
    for x, unit, count, label in ((SIDE_MM, 10.0, 5, "50 mm"), (pdf.w - SIDE_MM - 2 * INCH_MM, INCH_MM / 4, 8, "2 in")):
        pdf.set_line_width(0.15)
        pdf.set_draw_color(0)
        pdf.line(x, y, x + unit * count, y)
        for tick in range(count + 1):
            pdf.line(x + tick * unit, y - (2 if tick in (0, count) else 1), x + tick * unit, y)
        width = pdf.get_string_width(label) + 2
        pdf.text(x + unit * count + 1 if x == SIDE_MM else x - width, y, label)
    pdf.text((pdf.w - pdf.get_string_width(hint)) / 2, y, hint)


def _draw_footer(pdf: FPDF, grid: Grid, left: str, right: str) -> None:
    y = pdf.h - max(EDGE_MM, (pdf.h - grid.origin[1] - grid.rows * grid.cell[1] - MARK_MM[1]) / 2 - 1)
    pdf.set_font("helvetica", size=7)
    # The built-in fonts know Latin-1 only.
    left, right = (text.encode("latin-1", "replace").decode("latin-1") for text in (left, right))
    pdf.text(SIDE_MM, y, left)
    pdf.text(pdf.w - SIDE_MM - pdf.get_string_width(right), y, right)
