"""Messages, faces and options put into words, in English, French and German.

Each game brings a catalogue: key to template, the same keys and parameters in all three languages. A template names its
parameters in braces. Parameters that are faces or what is on a face (`FACE_PARAMS`) are named in the language too.
"""

from __future__ import annotations

import re
from typing import Final

from rules.carcassonne import text as carcassonne
from rules.carpets import text as carpets
from rules.fairplay import text as fairplay
from rules.protocol import Message, Param
from rules.session import Language

FACE_PARAMS: Final = frozenset(
    {"card", "other", "carpet", "face", "tile", "feature", "side", "mine", "theirs", "meeple"}
)

CATALOGUES: Final[dict[Language, dict[str, str]]] = {
    "en": carcassonne.ENGLISH | carpets.ENGLISH | fairplay.ENGLISH,
    "fr": carcassonne.FRENCH | carpets.FRENCH | fairplay.FRENCH,
    "de": carcassonne.GERMAN | carpets.GERMAN | fairplay.GERMAN,
}
"""Language to key to template, all games together."""

FACES: Final[dict[Language, dict[str, str]]] = {
    "en": carcassonne.FACES_ENGLISH | carpets.FACES_ENGLISH | fairplay.FACES_ENGLISH,
    "fr": carcassonne.FACES_FRENCH | carpets.FACES_FRENCH | fairplay.FACES_FRENCH,
    "de": carcassonne.FACES_GERMAN | carpets.FACES_GERMAN | fairplay.FACES_GERMAN,
}
"""Language to face to name."""


ONES: Final[dict[Language, dict[str, str]]] = {
    "en": {"tiles": "tile", "points": "point", "pennants": "pennant", "finished cities": "finished city",
           "lamps": "lamp", "palaces": "palace", "more tiles": "more tile", "are left": "is left", "cards": "card"},
    "fr": {"tuiles": "tuile", "points": "point", "blasons": "blason", "villes achevées": "ville achevée",
           "lampes": "lampe", "cases": "case", "cartes": "carte"},
    "de": {"Punkte": "Punkt", "Punkten": "Punkt", "fertigen Städten": "fertigen Stadt", "Lampen": "Lampe",
           "Paläste": "Palast", "Felder": "Feld", "Karten": "Karte"},
}  # fmt: skip
"""What is counted, and its word when there is but one."""

_ONE: Final = {language: re.compile(rf"(?<![\w.,/−-])1 ({'|'.join(words)})\b") for language, words in ONES.items()}


def say(message: Message, language: Language = "en") -> str:
    """The message in words; a key that no catalogue has is given back with its parameters, never an error.

    >>> say(Message("carpets.layout.gap", {"card": "palace", "other": "desert", "mm": 6.1, "limit": 10.0}), "de")
    'Palast und Wüste liegen 6,1 mm auseinander; mindestens 10 mm müssen es sein.'
    """
    template = CATALOGUES[language].get(message.key)
    if template is None:
        return " ".join([message.key, *(f"{name}={value}" for name, value in message.params.items())])
    words = {name: _word(name, value, language) for name, value in message.params.items()}
    begins_with_face = any(template.startswith(f"{{{name}}}") for name in FACE_PARAMS)
    try:
        text = template.format(**words)
    except KeyError as missing:
        return f"{template} ({missing} missing)"
    text = _ONE[language].sub(lambda found: f"1 {ONES[language][found[1]]}", text)
    return text[:1].upper() + text[1:] if begins_with_face else text


def face_name(face: str, language: Language = "en") -> str:
    """A face's name; faces that no catalogue has keep their own.

    >>> face_name("carpet.red", "fr"), face_name("djinn.5", "de")
    ('tapis rouge', 'Dschinn 5')
    """
    return FACES[language].get(face, face)


def option_text(option: str, language: Language = "en") -> str:
    """A question's option: a word of the catalogue, a face (`palace#2`: the second of its kind), or a name as it is."""
    template = CATALOGUES[language].get(f"option.{option}")
    if template is not None:
        return template
    face, _, number = option.partition("#")
    name = face_name(face, language)
    return f"{name} ({number})" if number else name


def _word(name: str, value: Param, language: Language) -> str:
    if isinstance(value, float):
        number = f"{value:.1f}".removesuffix(".0")
        return number if language == "en" else number.replace(".", ",")
    if name in FACE_PARAMS:
        return face_name(str(value), language)
    return str(value)
