"""Names of tiles, features, sides and places, put together from what is on a tile: in English, French and German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.carcassonne.geometry import sides_of
from rules.carcassonne.lattice import PREFIX
from rules.carcassonne.tiles import TILES, Tile
from rules.session import Language

LANGUAGES: Final[tuple[Language, ...]] = ("en", "fr", "de")

_FEATURES: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "Road": "road",
        "City": "city",
        "Field": "field",
        "Monastery": "monastery",
        "Garden": "garden",
        "FlyingMachine": "flying machine",
    },
    "fr": {
        "Road": "route",
        "City": "ville",
        "Field": "pré",
        "Monastery": "monastère",
        "Garden": "jardin",
        "FlyingMachine": "machine volante",
    },
    "de": {
        "Road": "Straße",
        "City": "Stadt",
        "Field": "Wiese",
        "Monastery": "Kloster",
        "Garden": "Garten",
        "FlyingMachine": "Flugmaschine",
    },
}
_EDGES: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {"F": "field", "R": "road", "C": "city"},
    "fr": {"F": "pré", "R": "route", "C": "ville"},
    "de": {"F": "Wiese", "R": "Straße", "C": "Stadt"},
}
_SIDES: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {"N": "upper side", "E": "right side", "S": "lower side", "W": "left side"},
    "fr": {"N": "en haut", "E": "à droite", "S": "en bas", "W": "à gauche"},
    "de": {"N": "oben", "E": "rechts", "S": "unten", "W": "links"},
}
_DIRECTIONS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "N": "top",
        "NE": "top right",
        "E": "right",
        "SE": "bottom right",
        "S": "bottom",
        "SW": "bottom left",
        "W": "left",
        "NW": "top left",
        "I": "middle",
    },
    "fr": {
        "N": "en haut",
        "NE": "en haut à droite",
        "E": "à droite",
        "SE": "en bas à droite",
        "S": "en bas",
        "SW": "en bas à gauche",
        "W": "à gauche",
        "NW": "en haut à gauche",
        "I": "au milieu",
    },
    "de": {
        "N": "oben",
        "NE": "oben rechts",
        "E": "rechts",
        "SE": "unten rechts",
        "S": "unten",
        "SW": "unten links",
        "W": "links",
        "NW": "oben links",
        "I": "Mitte",
    },
}
_MEEPLES: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "red": "red meeple",
        "blue": "blue meeple",
        "green": "green meeple",
        "yellow": "yellow meeple",
        "black": "black meeple",
        "unknown": "meeple",
    },
    "fr": {
        "red": "partisan rouge",
        "blue": "partisan bleu",
        "green": "partisan vert",
        "yellow": "partisan jaune",
        "black": "partisan noir",
        "unknown": "partisan",
    },
    "de": {
        "red": "roter Meeple",
        "blue": "blauer Meeple",
        "green": "grüner Meeple",
        "yellow": "gelber Meeple",
        "black": "schwarzer Meeple",
        "unknown": "Meeple",
    },
}
_KINDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {"cities": "{n} cities", "curve": "curve", "crossing": "crossing", "pennant": "pennant", "wide": "city ×{n}"},
    "fr": {
        "cities": "{n} villes",
        "curve": "virage",
        "crossing": "croisement",
        "pennant": "blason",
        "wide": "ville ×{n}",
    },
    "de": {"cities": "{n} Städte", "curve": "Kurve", "crossing": "Kreuzung", "pennant": "Wappen", "wide": "Stadt ×{n}"},
}


def tile_name(tile: Tile, language: Language) -> str:
    """What is on a tile: `city, curve`; `city ×3` reaches three sides.

    >>> tile_name(TILES["BA/CRRR"], "en"), tile_name(TILES["BA/CcRr+"], "de"), tile_name(TILES["FL/Rr.d"], "fr")
    ('city, crossing', 'Stadt ×2, Wappen, Kurve', 'machine volante, virage')
    """
    features, words = _FEATURES[language], _KINDS[language]
    out = [features[kind] for kind in ("Monastery", "FlyingMachine") if any(p.kind == kind for p in tile.parts)]
    cities = [part for part in tile.parts if part.kind == "City"]
    if len(cities) > 1:
        out.append(words["cities"].format(n=len(cities)))
    elif cities:
        sides = len(sides_of(cities[0].location))
        out.append(features["City"] if sides == 1 else words["wide"].format(n=sides))
        if cities[0].pennants:
            out.append(words["pennant"])
    roads = [sides_of(part.location) for part in tile.parts if part.kind == "Road"]
    if len(roads) > 1:
        out.append(words["crossing"])
    elif roads:
        straight = roads[0] in (frozenset("NS"), frozenset("WE")) or len(roads[0]) == 1
        out.append(features["Road"] if straight else words["curve"])
    if any(part.kind == "Garden" for part in tile.parts):
        out.append(features["Garden"])
    return ", ".join(out or [features["Field"]])


def _faces(language: Language) -> dict[str, str]:
    named = {f"{PREFIX}{tile.id}": tile_name(tile, language) for tile in TILES.values()}
    named |= _FEATURES[language]
    named |= {f"edge.{edge}": word for edge, word in _EDGES[language].items()}
    named |= {f"side.{side}": word for side, word in _SIDES[language].items()}
    return named | {f"meeple.{colour}": word for colour, word in _MEEPLES[language].items()}


def _places(language: Language) -> dict[str, str]:
    features = _FEATURES[language]
    named = {f"option.{kind}": word for kind, word in features.items()}
    for kind, word in features.items():
        named |= {f"option.{kind}.{way}": f"{word} ({where})" for way, where in _DIRECTIONS[language].items()}
    return named


FACES: Final = {language: _faces(language) for language in LANGUAGES}
"""Language to face to name: tiles, features, edges, sides, meeples."""
PLACES: Final = {language: _places(language) for language in LANGUAGES}
"""Language to the words for a question's options: where a meeple stands."""
