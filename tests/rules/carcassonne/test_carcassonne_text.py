"""Words of Carcassonne: whatever the code may say is in the catalogue, in three languages."""

from __future__ import annotations

import re
from pathlib import Path

import rules.carcassonne
from rules.carcassonne.rulings import score_key
from rules.carcassonne.scoring import Line
from rules.carcassonne.tiles import TILES
from rules.text import CATALOGUES, FACES, face_name

SOURCES = "\n".join(file.read_text(encoding="utf-8") for file in Path(rules.carcassonne.__file__).parent.glob("*.py"))


def test_every_message_the_code_names_is_in_the_catalogue():
    for key in re.findall(r'Message\(\s*f?"(carcassonne[^"]*)"', SOURCES):
        stem = key.partition("{")[0]
        assert any(known == key if stem == key else known.startswith(stem) for known in CATALOGUES["en"]), key


def test_every_question_has_words():
    asked = re.findall(r'key="(\w+)"', SOURCES)
    assert len(asked) > 8
    for key in [*asked, "colour", "whose"]:
        assert f"carcassonne.ask.{key}" in CATALOGUES["en"]


def test_every_rule_that_a_meeple_may_break_has_words():
    for rule in ("edges", "occupied", "farmers", "abbot", "phase", "landing"):
        assert f"carcassonne.illegal.{rule}" in CATALOGUES["en"]


def test_every_way_to_make_points_has_words():
    rules_of = ["road", "city", "monastery", "field", "city.tiny", "road.incomplete", "city.incomplete"]
    for rule in [*rules_of, "monastery.incomplete"]:
        for pennants in (0, 2):
            key = score_key(Line(1, 3, rule, 1, (), (), pennants))
            assert key in CATALOGUES["de"]
            assert key.replace(".score.", ".line.") in CATALOGUES["fr"]


def test_every_tile_has_a_name_in_every_language():
    for language in ("en", "fr", "de"):
        for tile in TILES:
            assert face_name(f"tile.{tile}", language) != f"tile.{tile}"  # type: ignore[arg-type]
        assert FACES[language].keys() == FACES["en"].keys()  # type: ignore[index]
