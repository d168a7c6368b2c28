"""The printed deck, read back from the PDF: how many, how large, and each back behind its front."""

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags, Image
from pypdf import PdfReader
from pypdf.generic import ContentStream

from device.deck_folder import find_deck
from device.errors import UserError
from device.printing import PAPERS, fit_grid, print_deck, read_cards

MM = 72 / 25.4
DECK = find_deck("carpets")


@dataclass
class Drawn:
    """A picture as it lies on a page: millimetres, x right, y down; `up` is where the picture's top points."""

    name: str
    x: float
    y: float
    width: float
    height: float
    up: tuple[int, int]


def pictures(page) -> list[Drawn]:
    """Follow the page's drawing matrices to where each picture lands."""
    height = float(page.mediabox.height)
    stack, matrix, found = [], np.eye(3), []
    for operands, operator in ContentStream(page.get_contents(), page.pdf).operations:
        if operator == b"q":
            stack.append(matrix)
        elif operator == b"Q":
            matrix = stack.pop()
        elif operator == b"cm":
            a, b, c, d, e, f = map(float, operands)
            matrix = np.array([[a, b, 0], [c, d, 0], [e, f, 1]]) @ matrix
        elif operator == b"Do":
            corners = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]) @ matrix
            x0, y0 = corners[:, :2].min(axis=0)
            x1, y1 = corners[:, :2].max(axis=0)
            upward = matrix[1, :2] / np.linalg.norm(matrix[1, :2])
            up = (round(upward[0]), -round(upward[1]))
            found.append(
                Drawn(str(operands[0]), x0 / MM, (height - y1) / MM, (x1 - x0) / MM, (y1 - y0) / MM, up),
            )
    return found


def small_deck(folder: Path, face: str, card: str = "width_mm = 59\nheight_mm = 91") -> Path:
    """A deck of red cards with a blue back."""
    folder.mkdir(exist_ok=True)
    Image.new("RGB", (59, 91), "red").save(folder / "red.png")
    Image.new("RGB", (59, 91), "blue").save(folder / "blue.png")
    (folder / "deck.toml").write_text(f"[card]\n{card}\n{face}\n[back]\nfile = 'blue.png'\n", encoding="utf-8")
    return folder


def test_the_shipped_deck_has_the_cards_of_the_game():
    _, _, cards = read_cards(DECK)
    count = Counter(card.front.stem.split("_")[0] for card in cards)
    assert count.pop("carpet") == 4
    assert count.pop("djinn") == 8
    assert count == {"palace": 12, "adventure": 15, "bazaar": 14, "treasure": 3, "lamp": 4, "desert": 4}
    assert sum(count.values()) == 52


def test_counts_by_kind_are_those_of_the_rules():
    deck = tomllib.loads((DECK / "deck.toml").read_text(encoding="utf-8"))
    count = Counter()
    for face in deck["face"]:
        count[face["kind"]] += face["count"]
    assert [count[f"adventure.{n}"] for n in range(1, 6)] == [3] * 5
    assert (count["bazaar.spice"], count["bazaar.carpet"], count["bazaar.camel"]) == (5, 5, 4)
    assert {k for k in count if k.startswith("djinn")} == {f"djinn.{n}" for n in range(1, 9)}
    assert {k for k in count if k.startswith("carpet")} == {
        "carpet.red",
        "carpet.blue",
        "carpet.green",
        "carpet.yellow",
    }


@pytest.fixture(scope="module", params=sorted(PAPERS))
def printed(request, tmp_path_factory):
    out = tmp_path_factory.mktemp("print") / "deck.pdf"
    sheets = print_deck(DECK, out, request.param)
    return request.param, sheets, out


def test_pages_are_of_the_paper_s_size_and_alternate_fronts_and_backs(printed):
    paper, sheets, out = printed
    reader = PdfReader(out)
    assert sheets == 8
    assert len(reader.pages) == 16
    for page in reader.pages:
        assert (float(page.mediabox.width) / MM, float(page.mediabox.height) / MM) == pytest.approx(
            PAPERS[paper], abs=0.01
        )
    assert ["fronts" in page.extract_text() for page in reader.pages] == [True, False] * 8


def test_every_card_is_there_true_to_size_and_inside_the_printable_part(printed):
    paper, _, out = printed
    width, height = PAPERS[paper]
    reader = PdfReader(out)
    fronts = [drawn for page in reader.pages[::2] for drawn in pictures(page)]
    backs = [drawn for page in reader.pages[1::2] for drawn in pictures(page)]
    assert len(fronts) == len(backs) == 64
    for card in fronts + backs:
        assert sorted((card.width, card.height)) == pytest.approx([59, 91], abs=0.02)
        assert card.x >= 10
        assert card.x + card.width <= width - 10
        assert card.y >= 15
        assert card.y + card.height <= height - 15
    # how often each picture is drawn is its count in the deck
    _, _, cards = read_cards(DECK)
    wanted = sorted(Counter(card.front for card in cards).values())
    assert sorted(Counter(card.name for card in fronts).values()) == wanted
    assert len({card.name for card in backs}) == 1


def test_cards_of_one_sheet_do_not_overlap(printed):
    for page in PdfReader(printed[2]).pages:
        cards = pictures(page)
        for i, a in enumerate(cards):
            for b in cards[:i]:
                apart = max(
                    abs(a.x + a.width / 2 - b.x - b.width / 2) - (a.width + b.width) / 2,
                    abs(a.y + a.height / 2 - b.y - b.height / 2) - (a.height + b.height) / 2,
                )
                assert apart > -0.02


def test_each_back_lies_behind_its_front_when_the_paper_turns_on_its_long_edge(printed):
    paper, _, out = printed
    pages = PdfReader(out).pages
    for fronts, backs in zip(pages[::2], pages[1::2], strict=True):
        for front, back in zip(pictures(fronts), pictures(backs), strict=True):
            assert back.x == pytest.approx(PAPERS[paper][0] - front.x - front.width, abs=0.02)
            assert back.y == pytest.approx(front.y, abs=0.02)
            # seen from behind left and right are exchanged; the same end of the card is up
            assert back.up == (-front.up[0], front.up[1])


def test_a_sheet_that_is_not_full_is_mirrored_too(tmp_path):
    deck = small_deck(tmp_path / "deck", "[[face]]\nid='r'\nfile='red.png'\nkind='red'\ncount=3")
    print_deck(deck, tmp_path / "out.pdf", "a4")
    fronts, backs = (pictures(page) for page in PdfReader(tmp_path / "out.pdf").pages)
    assert len(fronts) == len(backs) == 3
    for front, back in zip(fronts, backs, strict=True):
        assert back.x + back.width == pytest.approx(210 - front.x, abs=0.02)
    assert {card.name for card in fronts}.isdisjoint(card.name for card in backs)


def test_each_picture_is_in_the_file_once(printed):
    reader = PdfReader(printed[2])
    images = {
        xobject.idnum
        for page in reader.pages
        for xobject in (page["/Resources"]["/XObject"].raw_get(k) for k in page["/Resources"]["/XObject"])
    }
    assert len(images) == len(list((DECK / "faces").iterdir()))
    scans = sum(path.stat().st_size for path in (DECK / "faces").iterdir())
    assert printed[2].stat().st_size < 1.1 * scans


def test_every_page_names_the_deck_credits_the_artists_and_says_how_to_print(printed):
    reader = PdfReader(printed[2])
    for page in reader.pages:
        text = page.extract_text()
        assert "Fliegende Teppiche" in text
        assert "Icons by Lorc, Delapouite & contributors, game-icons.net, CC BY 3.0" in text
        assert "50 mm" in text
        assert "2 in" in text
    assert reader.root_object["/ViewerPreferences"]["/PrintScaling"] == "/None"
    assert reader.root_object["/ViewerPreferences"]["/Duplex"] == "/DuplexFlipLongEdge"


def level_lines(page) -> list[float]:
    """Lengths in mm of the level lines drawn on a page."""
    lengths, start = [], None
    for operands, operator in ContentStream(page.get_contents(), page.pdf).operations:
        if operator == b"m":
            start = [float(v) for v in operands]
        elif operator == b"l" and start and abs(float(operands[1]) - start[1]) < 1e-6:
            lengths.append(abs(float(operands[0]) - start[0]) / MM)
    return lengths


def test_the_check_rulers_are_as_long_as_they_say(printed):
    for page in PdfReader(printed[2]).pages:
        lines = level_lines(page)
        assert [length for length in lines if length == pytest.approx(50, abs=0.02)]
        assert [length for length in lines if length == pytest.approx(50.8, abs=0.02)]


def test_cut_marks_stand_at_every_row_on_both_sides(printed):
    page = PdfReader(printed[2]).pages[0]
    assert sum(length == pytest.approx(4, abs=0.02) for length in level_lines(page)) >= 2 * (4 + 1)


def test_square_tiles_lie_upright():
    grid = fit_grid((45, 45), 80, PAPERS["a4"])
    assert (grid.columns, grid.rows, grid.turned) == (4, 5, False)


@pytest.mark.parametrize(
    ("deck", "paper", "out", "words"),
    [
        ("no-such-deck", "a4", "deck.pdf", ["no-such-deck", "carpets"]),
        ("carpets", "a7", "deck.pdf", ["a7", "a4", "letter"]),
        ("carpets", "a4", "missing/deck.pdf", ["missing", "--out"]),
        ("carpets", "a4", ".", ["cannot be written"]),
    ],
)
def test_what_cannot_be_printed_is_said_in_one_line(deck, paper, out, words, tmp_path):
    with pytest.raises(UserError) as error:
        print_deck(find_deck(deck), tmp_path / out, paper)
    message = str(error.value)
    assert "\n" not in message
    assert all(word in message for word in words)


@pytest.mark.parametrize(
    ("card", "face", "words"),
    [
        ("width_mm = 59\nheight_mm = 91", "[[face]]\nid='r'\nfile='gone.png'\nkind='red'", ["gone.png"]),
        ("width_mm = 590\nheight_mm = 910", "[[face]]\nid='r'\nfile='red.png'\nkind='red'", ["does not fit"]),
        ("width_mm = 59", "[[face]]\nid='r'\nfile='red.png'\nkind='red'", ["height_mm"]),
        ("width_mm = 59\nheight_mm = 91", "[[face]]\nid='r'\nfile='red.png'\nkind='red'\ncount=0", ["count"]),
    ],
)
def test_a_broken_deck_is_said_in_one_line(card, face, words, tmp_path):
    deck = small_deck(tmp_path / "deck", face, card)
    with pytest.raises(UserError) as error:
        print_deck(deck, tmp_path / "deck.pdf", "a4")
    message = str(error.value)
    assert "\n" not in message
    assert all(word in message for word in words), message
    assert not (tmp_path / "deck.pdf").exists()


def test_a_picture_that_a_phone_took_on_its_side_is_printed_upright(tmp_path):
    deck = small_deck(tmp_path / "deck", "[[face]]\nid='r'\nfile='red.jpg'\nkind='red'")
    side = Image.new("RGB", (910, 590), "red")
    side.paste("white", (0, 0, 100, 590))  # the left of what is stored is the top of what is meant
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    side.save(deck / "red.jpg", exif=exif, quality=95)
    print_deck(deck, tmp_path / "out.pdf", "a4")
    image = next(iter(PdfReader(tmp_path / "out.pdf").pages[0].images)).image
    assert image.width < image.height
    band = np.asarray(image.convert("RGB"))[:, image.width // 2, 1]
    assert (band[10] > 200, band[-10] > 200) == (True, False)
