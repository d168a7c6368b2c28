"""Dice and tokens to cut out: nets that fold to their box, on the paper, each as often as it is needed."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest
from fpdf import FPDF
from pypdf import PdfReader

from device.deck_folder import DeckSpec, find_deck
from device.papercraft import Die, Net, Token, draw_net, lay_nets, nets_of, panels, size_of
from device.printing import END_MM, PAPERS, SIDE_MM, print_deck, read_cards
from device.toml_file import read_toml

RED = (185, 25, 35)
CAR = Token("car", (28.0, 14.0, 10.0), RED)
FLIGHT, RACE = Die((1, 1, 2, 2, 3, 3), 16.0), Die((2, 1, 1, 3, 1, 2), 16.0)
OPPOSITE = (("front", "back"), ("right", "left"), ("top", "bottom"))


def nets(game: str) -> list[Net]:
    spec = read_toml(find_deck(game) / "deck.toml", DeckSpec)
    return nets_of(spec.die, spec.token)


class Pen(FPDF):
    """Counts the pips."""

    pips = 0

    def ellipse(self, *where, **how) -> None:
        self.pips += 1


def pips(die: Die, side: str) -> int:
    pen = Pen()
    die.draw(pen, next(p for p in panels(die) if p.name == side))
    return pen.pips


def test_opposite_sides_are_alike_and_neighbours_share_an_edge() -> None:
    sides = {p.name: p for p in panels(CAR)}
    for one, other in OPPOSITE:
        assert (sides[one].width, sides[one].height) == (sides[other].width, sides[other].height)
    assert (sides["top"].width, sides["top"].height) == (28.0, 14.0)
    assert (sides["front"].width, sides["front"].height) == (28.0, 10.0)
    for left, right in itertools.pairwise(("front", "right", "back", "left")):
        assert sides[left].x + sides[left].width == sides[right].x
    assert sides["top"].y + sides["top"].height == sides["front"].y
    assert sides["bottom"].y == sides["front"].y + sides["front"].height


@pytest.mark.parametrize("die", [FLIGHT, RACE])
def test_a_die_shows_each_of_its_values(die: Die) -> None:
    shown = {side: pips(die, side) for pair in OPPOSITE for side in pair}
    assert sorted(shown.values()) == sorted(die.values)


def test_the_flight_die_has_equal_values_opposite_each_other() -> None:
    assert all(pips(FLIGHT, one) == pips(FLIGHT, other) for one, other in OPPOSITE)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("game", ["carcassonne", "fairplay"])
def test_nets_lie_within_the_margins_and_apart(game: str, paper: str) -> None:
    size = PAPERS[paper]
    sheets = lay_nets(nets(game), size, SIDE_MM, END_MM)
    for sheet in sheets:
        boxes = [(n.x, n.y, n.x + size_of(n.net)[0], n.y + size_of(n.net)[1]) for n in sheet]
        for x0, y0, x1, y1 in boxes:
            assert x0 >= SIDE_MM
            assert y0 >= END_MM
            assert x1 <= size[0] - SIDE_MM + 1e-6
            assert y1 <= size[1] - END_MM + 1e-6
        for a, b in itertools.combinations(boxes, 2):
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    assert sum(map(len, sheets)) == len(nets(game))


def test_everybody_gets_his_pieces() -> None:
    meeples = Counter(n.colour for n in nets("carcassonne") if isinstance(n, Token))
    assert sorted(meeples.values()) == [8] * 5
    assert Counter(n.colour for n in nets("fairplay") if isinstance(n, Token)).total() == 6
    assert [n.values for n in nets("fairplay") if isinstance(n, Die)] == [(1, 1, 1, 2, 2, 3)]


@pytest.mark.parametrize(
    ("game", "pieces"),
    [("carcassonne", {(45.0, 45.0): 80}), ("fairplay", {(60.0, 60.0): 48, (59.0, 91.0): 55})],
)
def test_tiles_and_cards_are_true_to_size_and_have_a_back(game: str, pieces: dict[tuple[float, float], int]) -> None:
    _, credit, cards = read_cards(find_deck(game))
    assert Counter((c.width_mm, c.height_mm) for c in cards) == pieces
    backs = {(c.width_mm, c.height_mm): c.back for c in cards}
    assert len(set(backs.values())) == len(pieces)
    assert all(back is not None and back.exists() for back in backs.values())
    assert "game-icons.net" in credit


def test_each_sheet_of_nets_has_a_blank_back(tmp_path: Path) -> None:
    out = tmp_path / "carcassonne.pdf"
    sheets = print_deck(find_deck("carcassonne"), out)
    pages = PdfReader(out).pages
    assert len(pages) == 2 * sheets
    text = [page.extract_text() for page in pages]
    assert "sheet 5 of 7: cut out, fold, glue" in text[8]
    assert text[9].strip() == ""


@pytest.mark.parametrize("net", [CAR, Token("meeple", (16.0, 10.0, 16.0), (32, 32, 34)), FLIGHT])
def test_every_net_can_be_drawn(net: Net) -> None:
    pdf = FPDF(unit="mm")
    pdf.add_page()
    (placed,) = lay_nets([net], (210.0, 297.0), SIDE_MM, END_MM)[0]
    draw_net(pdf, placed)
    assert pdf.output()
