"""Words for messages, faces and options, in three languages."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

import rules
from rules.carpets.cards import KINDS
from rules.protocol import Message
from rules.text import CATALOGUES, FACE_PARAMS, FACES, face_name, option_text, say

LANGUAGES = ("en", "fr", "de")


def parameters(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_is_in_every_language_with_the_same_parameters(language: str) -> None:
    catalogue = CATALOGUES[language]  # type: ignore[index]
    assert catalogue.keys() == CATALOGUES["en"].keys()
    assert {k: parameters(t) for k, t in catalogue.items()} == {k: parameters(t) for k, t in CATALOGUES["en"].items()}
    assert FACES[language].keys() == FACES["en"].keys()  # type: ignore[index]


def test_every_face_of_the_game_has_a_name_and_no_two_share_one() -> None:
    for language in LANGUAGES:
        names = [face_name(kind, language) for kind in KINDS]  # type: ignore[arg-type]
        assert len(set(names)) == len(names)
        assert not set(names) & set(KINDS) - {"palace", "treasure", "desert"}


def test_every_message_the_code_names_is_in_the_catalogue() -> None:
    """Keys are literals; where one is put together (`carpets.phase.{stage}`) some key must begin like that."""
    for file in (Path(rules.__file__).parent / "carpets").glob("*.py"):
        if file.name == "text.py":
            continue
        source = file.read_text(encoding="utf-8")
        for key in re.findall(r'Message\(\s*f?"([^"]+)"', source):
            stem = key.partition("{")[0]
            assert any(known == key if stem == key else known.startswith(stem) for known in CATALOGUES["en"]), key


def test_faces_among_the_parameters_are_named_in_the_language() -> None:
    message = Message("carpets.claim.alone", {"player": "Ana", "card": "bazaar.camel"})
    assert say(message) == "Ana takes camel bazaar."
    assert say(message, "fr") == "Ana prend bazar aux chameaux."
    assert say(message, "de") == "Ana nimmt Kamelbasar."
    assert "card" in FACE_PARAMS


def test_numbers_follow_the_language() -> None:
    message = Message("carpets.layout.gap", {"card": "palace", "other": "desert", "mm": 6.1, "limit": 10.0})
    assert say(message) == "Palace and desert lie 6.1 mm apart; at least 10 mm are needed."
    assert "6,1 mm" in say(message, "fr")


def test_one_is_no_plural() -> None:
    roll = Message("carcassonne.roll.lands", {"player": "Ana", "die": 1})
    assert say(roll) == "Ana flies 1 tile far and can land there."
    road = Message("carcassonne.score.road", {"player": "Ana", "points": 1, "n": 1})
    assert say(road) == "Ana: 1 point for a road of 1 tile."
    assert say(road, "de") == "Ana: 1 Punkt für eine Straße aus 1 Plättchen."
    field = Message("carcassonne.score.field", {"player": "Ana", "points": 3, "cities": 1})
    assert say(field, "fr") == "Ana : 3 points pour un pré au bord de 1 ville achevée."
    assert "21 tiles" in say(Message("carcassonne.score.road", {"player": "Ana", "points": 21, "n": 21}))


def test_a_key_without_words_is_given_back_not_an_error() -> None:
    assert say(Message("nowhere.at.all", {"n": 3})) == "nowhere.at.all n=3"
    assert "missing" in say(Message("carpets.phase.flight", {}))


def test_options_are_words_faces_or_names() -> None:
    assert option_text("illegal", "de") == "nicht erlaubt"
    assert option_text("palace#2", "fr") == "palais (2)"
    assert option_text("Zoë") == "Zoë"
