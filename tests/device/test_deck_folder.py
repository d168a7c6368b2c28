"""Decks from folders: what is right is read, what is wrong is said with file and field."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from device.deck_folder import DECKS, check_kinds, find_deck, load_deck
from device.errors import UserError

CARD = """
name = "Trial"
credit = "Somebody"
[card]
width_mm = 59
height_mm = 91.0
thickness_mm = 0.32
corner_radius_mm = 3.0
"""
PALACE = """
[[face]]
id = "palace_a"
file = "faces/palace_a.png"
kind = "palace"
count = 4
title = "Palace"
"""
ROAD = """
[[face]]
id = "road"
file = "faces/road.png"
kind = "road.curve"
width_mm = 60.0
height_mm = 60.0
"""
BACKS = """
[back]
file = "faces/palace_a.png"
[tile_back]
file = "faces/road.png"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "faces").mkdir()
    red = np.zeros((182, 118, 3), np.uint8)
    red[..., 0] = 200
    Image.fromarray(red).save(tmp_path / "faces" / "palace_a.png")
    Image.fromarray(np.zeros((120, 120, 3), np.uint8)).save(tmp_path / "faces" / "road.png")
    return tmp_path


def deck_of(folder: Path, *parts: str) -> Path:
    (folder / "deck.toml").write_text("".join(parts), encoding="utf-8")
    return folder


def test_faces_sizes_and_backs(folder: Path) -> None:
    deck = load_deck(deck_of(folder, CARD, PALACE, ROAD, BACKS))
    assert (deck.name, deck.thickness_mm, deck.corner_radius_mm) == ("Trial", 0.32, 3.0)
    assert deck.notes == {"credit": "Somebody"}
    assert [(f.id, f.kind, f.count, f.width_mm, f.height_mm) for f in deck.faces] == [
        ("palace_a", "palace", 4, 59.0, 91.0),
        ("road", "road.curve", 1, 60.0, 60.0),
        ("back", "back", 1, 59.0, 91.0),
        ("tile_back", "back", 1, 60.0, 60.0),
    ]
    assert deck.faces[0].picture.shape == (182, 118, 3)
    assert deck.faces[0].picture[0, 0].tolist() == [0, 0, 200]  # B, G, R


def test_pictures_of_every_mode_become_colour(folder: Path) -> None:
    deck_of(folder, CARD, PALACE)
    for mode in ("L", "RGBA", "P", "1", "I;16"):
        Image.new(mode, (118, 182)).save(folder / "faces" / "palace_a.png")
        assert load_deck(folder).faces[0].picture.shape == (182, 118, 3)


def test_a_photograph_noted_as_turned_is_turned(folder: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # shown a quarter turn clockwise
    Image.new("RGB", (182, 118)).save(folder / "faces" / "palace_a.png", exif=exif)
    assert load_deck(deck_of(folder, CARD, PALACE)).faces[0].picture.shape == (182, 118, 3)


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ((CARD,), "has no faces; add a [[face]] table"),
        ((PALACE,), "missing required field `card`"),
        ((CARD, PALACE, PALACE), "two faces have the id 'palace_a'"),
        ((CARD, PALACE.replace('palace_a"\nfile', 'back"\nfile'), BACKS), "two faces have the id 'back'"),
        ((CARD.replace("59", "0"), PALACE), "card.width_mm: expected `float` > 0"),
        ((CARD.replace("91.0", "-91.0"), PALACE), "card.height_mm: expected `float` > 0"),
        ((CARD.replace("91.0", "nan"), PALACE), "card.height_mm: expected `float` > 0"),
        ((CARD.replace("91.0", "inf"), PALACE), "card.height_mm: expected `float` <= 2000"),
        ((CARD.replace("3.0", "40.0"), PALACE), "corner_radius_mm: is more than half"),
        ((CARD, PALACE, ROAD.replace("60.0", "0.0", 1)), "[[face]] number 2 (road), width_mm: expected `float` > 0"),
        ((CARD, PALACE.replace("4", "-1")), "[[face]] number 1 (palace_a), count: expected `int` >= 1"),
        ((CARD, PALACE.replace("4", '"four"')), "[[face]] number 1 (palace_a), count: expected `int`, got `str`"),
        ((CARD, PALACE.replace("kind", "kid")), "[[face]] number 1 (palace_a): "),
        ((CARD, PALACE.replace('kind = "palace"', "")), "[[face]] number 1 (palace_a): missing required field `kind`"),
        ((CARD.replace("59", ""), PALACE), "is not valid TOML: Invalid value (at line 5, column 12)"),
        ((CARD, PALACE.replace("palace_a.png", "nowhere.png")), "face palace_a, file: there is no picture"),
        ((CARD, PALACE.replace("palace_a.png", "road.png")), "120x120 pixels, which does not have the proportion"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_field(folder: Path, parts: tuple[str, ...], says: str) -> None:
    deck_of(folder, *parts)
    with pytest.raises(UserError) as caught:
        load_deck(folder)
    assert says in str(caught.value)
    assert str(folder / "deck.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_picture_that_breaks_off_in_the_middle(folder: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (182, 118, 3), np.uint8)
    for name in ("palace_a.jpg", "palace_a.png"):
        path = folder / "faces" / name
        Image.fromarray(noise).save(path)
        path.write_bytes(path.read_bytes()[:5000])
        deck_of(folder, CARD, PALACE.replace("palace_a.png", name))
        with pytest.raises(UserError, match=r"face palace_a, file: the picture .* cannot be read: it is broken"):
            load_deck(folder)


@pytest.mark.parametrize("content", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n"])
def test_a_file_that_is_no_picture(folder: Path, content: bytes) -> None:
    (folder / "faces" / "palace_a.png").write_bytes(content)
    with pytest.raises(UserError, match="it is broken or of an unknown format"):
        load_deck(deck_of(folder, CARD, PALACE))


def test_a_picture_too_small_to_recognise(folder: Path) -> None:
    Image.new("RGB", (12, 18)).save(folder / "faces" / "palace_a.png")
    with pytest.raises(UserError, match="too small: 40 pixels a side are the least"):
        load_deck(deck_of(folder, CARD, PALACE))


def test_a_folder_without_a_deck_toml(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"deck\.toml: no such file"):
        load_deck(tmp_path)


def test_a_deck_toml_that_is_no_text(folder: Path) -> None:
    (folder / "deck.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="is not a text file in UTF-8"):
        load_deck(folder)


def test_a_kind_the_game_does_not_know(folder: Path) -> None:
    deck = load_deck(deck_of(folder, CARD, PALACE, ROAD))
    roles = {"palace": "destination"}
    with pytest.raises(UserError, match=r"deck\.toml: face road: the game carpets knows no kind 'road\.curve'"):
        check_kinds(deck, lambda face: roles.get(face, "unknown"), folder, "carpets")


def test_a_name_is_a_shipped_deck_and_a_path_is_a_path(folder: Path) -> None:
    deck_of(folder, CARD, PALACE)
    assert find_deck("carpets") == DECKS / "carpets"
    assert find_deck("..", folder / "faces").resolve() == folder
    assert find_deck(folder.name, folder.parent) == folder
    with pytest.raises(UserError, match=r"deck 'nowhere': there is no .*nowhere/deck\.toml; .* or one of: .*carpets"):
        find_deck("nowhere", folder)


def test_the_shipped_decks_can_be_read() -> None:
    for path in sorted(DECKS.glob("*/deck.toml")):
        deck = load_deck(path.parent)
        assert deck.faces
        assert deck.notes["credit"]
