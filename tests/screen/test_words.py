"""The page's own words: complete in every language, none missing, none left over."""

from __future__ import annotations

import json
import re
from string import Formatter

from device.screen.app import STATIC
from device.screen.state import LANGUAGES

WORDS: dict[str, dict[str, str]] = json.loads(
    (STATIC / "words.js").read_text(encoding="utf-8").split("export const WORDS =")[-1].rstrip().rstrip(";")
)
CODE = "\n".join(p.read_text(encoding="utf-8") for p in STATIC.glob("*.js") if p.name != "words.js")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_every_language_has_every_word() -> None:
    assert set(WORDS) == set(LANGUAGES)
    for words in WORDS.values():
        assert words.keys() == WORDS["en"].keys()
        assert all(words.values())


def test_translations_fill_in_the_same_things() -> None:
    for key, english in WORDS["en"].items():
        for language in LANGUAGES:
            assert fields(WORDS[language][key]) == fields(english), (language, key)


def test_what_the_page_says_is_in_the_catalogue() -> None:
    used = set(re.findall(r'\bt\("([\w.]+)"', CODE))
    assert used and used <= WORDS["en"].keys()


def test_no_word_is_left_over() -> None:
    said = set(re.findall(r'"([\w.]+)"', CODE))
    begun = (*re.findall(r"`([\w.]+\.)\$\{", CODE), "empty.", "learning.")
    left = {key for key in WORDS["en"] if key not in said and not key.startswith(begun)}
    assert not left
