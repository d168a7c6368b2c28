"""Sessions from files: what is right is read, what is wrong is said with file and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.errors import UserError
from device.session_file import check_colours, colours, load_session, session_file
from rules.session import Session
from tests.device.fakes import deck

GOOD = """
game = "carpets"
deck = "carpets"
dealer = 2
language = "de"

[[player]]
number = 1
name = "Anna"
carpet = "red"
side = "S"

[[player]]
number = 2
name = "Ben"
carpet = "blue"
side = "W"

[[player]]
number = 3
name = "Cläre"
carpet = "green"
side = "E"

[house_rules]
min_gap_mm = 10.0
"""


def more(number: int, colour: str, side: str) -> str:
    return f'[[player]]\nnumber = {number}\nname = "P{number}"\ncarpet = "{colour}"\nside = "{side}"\n'


def load(tmp_path: Path, text: str) -> Session:
    path = tmp_path / "session.toml"
    path.write_text(text, encoding="utf-8")
    return load_session(path)


def test_a_session_is_read(tmp_path: Path) -> None:
    session = load(tmp_path, GOOD)
    assert (session.game, session.dealer, session.language) == ("carpets", 2, "de")
    assert [(p.name, p.carpet, p.side) for p in session.player] == [
        ("Anna", "red", "S"),
        ("Ben", "blue", "W"),
        ("Cläre", "green", "E"),
    ]
    assert session.house_rules == {"min_gap_mm": 10.0}


def test_two_players_fly_two_carpets_each(tmp_path: Path) -> None:
    session = load(
        tmp_path, 'game = "carpets"\ndeck = "d"\n' + more(1, "red, yellow", "S") + more(2, "blue,green", "N")
    )
    assert [colours(p, "carpets") for p in session.player] == [("red", "yellow"), ("blue", "green")]


def test_board_games_name_a_colour_and_may_share_a_side(tmp_path: Path) -> None:
    text = GOOD.replace('"carpets"\ndeck', '"carcassonne"\ndeck').replace("carpet =", "colour =")
    assert load(tmp_path, text.replace('"E"', '"S"')).player[2].colour == "green"


FOUR = GOOD + more(4, "yellow", "N")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            GOOD.replace('"green"', '"purple"'),
            "player Cläre, carpet: unknown colour 'purple'; choose one of: red, blue",
        ),
        (GOOD.replace('"green"', '"blue"'), "player Cläre, carpet: 'blue' is already Ben's"),
        (GOOD.replace('"green"', '""'), "player Cläre, carpet: none given; give one colour"),
        (
            GOOD.replace('carpet = "green"', 'colour = "green"'),
            "carpet: none given; give one colour; colour = 'green' is not for carpets",
        ),
        (
            GOOD.replace('"carpets"\ndeck', '"carcassonne"\ndeck'),
            "colour: none given; give one colour; carpet = 'red' is",
        ),
        (GOOD.replace('"green"', '"green,green"'), "player Cläre, carpet: 'green' is given twice"),
        (GOOD.replace('"green"', '"green,yellow"'), "give one colour"),
        (FOUR + more(5, "red", "S"), "[[player]]: 5 players; carpets is played by 2 to 4"),
        ('game = "carpets"\ndeck = "d"\n' + more(1, "red", "S"), "1 players; carpets is played by 2 to 4"),
        ('game = "carpets"\ndeck = "d"\nplayer = []', "0 players"),
        ('game = "carpets"\ndeck = "d"', "missing required field `player`"),
        (
            'game = "carpets"\ndeck = "d"\n' + more(1, "red", "S") + more(2, "blue", "N"),
            "give two colours joined by a comma",
        ),
        (GOOD.replace('deck = "carpets"', ""), "missing required field `deck`"),
        (GOOD.replace('deck = "carpets"', 'deck = ""'), "deck: is empty"),
        (GOOD.replace("number = 3", "number = 2"), "two players have the number 2"),
        (GOOD.replace("Cläre", "Ben"), "two players are called 'Ben'"),
        (GOOD.replace("Cläre", " "), "a player has no name"),
        (GOOD.replace('"E"', '"S"'), "two players sit at side S; give each a side of his own"),
        (
            GOOD.replace('"E"', '"Q"'),
            "[[player]] number 3 (Cläre), side: invalid enum value 'Q'; choose one of: E, N, S, W",
        ),
        (GOOD.replace("dealer = 2", "dealer = 9"), "dealer: no player has the number 9"),
        (GOOD.replace("dealer", "dealr"), "unknown field `dealr`"),
        (GOOD.replace('game = "carpets"', 'game = "chess"'), "'chess'; choose one of: carcassonne, carpets, fairplay"),
        (
            GOOD.replace('language = "de"', 'language = "it"'),
            "language: invalid enum value 'it'; choose one of: de, en, fr",
        ),
        (GOOD.replace("dealer = 2", "dealer = "), "is not valid TOML: Invalid value (at line 4, column 10)"),
        (GOOD.replace("dealer = 2", "dealer = true"), "dealer: expected `int`, got `bool`"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_field(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path, text)
    assert says in str(caught.value)
    assert str(tmp_path / "session.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    assert load(tmp_path, "\ufeff" + GOOD).dealer == 2


def test_a_folder_stands_for_the_session_in_it(tmp_path: Path) -> None:
    assert session_file(tmp_path) == tmp_path / "session.toml"
    assert session_file(tmp_path / "evening.toml") == tmp_path / "evening.toml"
    with pytest.raises(UserError, match="is a folder; give a file"):
        load_session(tmp_path)


def test_a_session_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"session\.toml: no such file"):
        load_session(tmp_path / "session.toml")


def test_a_carpet_that_is_not_in_the_deck(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="player Anna: the deck 'fake' has no carpet 'red'; it has: none"):
        check_colours(load(tmp_path, GOOD), deck(), tmp_path / "session.toml")
