"""The cards of Fliegende Teppiche: what there is and how many (rules 1.1, 1.2).

A face is named as the deck names its kind: `palace`, `adventure.3`, `carpet.red`, `djinn.5`, `back`.
"""

from __future__ import annotations

from typing import Final, Literal

Sort = Literal["destination", "carpet", "djinn", "back", "unknown"]

UNKNOWN: Final = "unknown"
BACK: Final = "back"

ADVENTURES: Final = tuple(f"adventure.{letter}" for letter in range(1, 6))
BAZAARS: Final = ("bazaar.spice", "bazaar.carpet", "bazaar.camel")

DESTINATIONS: Final[dict[str, int]] = {
    "palace": 12,
    **dict.fromkeys(ADVENTURES, 3),
    "bazaar.spice": 5,
    "bazaar.carpet": 5,
    "bazaar.camel": 4,
    "treasure": 3,
    "lamp": 4,
    "desert": 4,
}
"""Rules 1.1: the 52 destination cards, kind to count."""

COLOURS: Final = ("red", "blue", "green", "yellow")
CARPETS: Final = tuple(f"carpet.{colour}" for colour in COLOURS)
DJINNS: Final = tuple(range(1, 9))

KINDS: Final = (*DESTINATIONS, *CARPETS, *(f"djinn.{n}" for n in DJINNS), BACK)
"""Every kind that a deck for this game may name."""

DJINN_SETS: Final[dict[int, tuple[frozenset[int], ...]]] = {
    2: (frozenset({8, 5, 4, 1}), frozenset({7, 6, 3, 2})),
    3: (frozenset({8, 3}), frozenset({7, 4}), frozenset({6, 5})),
    4: (frozenset({8, 1}), frozenset({7, 2}), frozenset({6, 3}), frozenset({5, 4})),
}
"""Rules 1.2.2: the sets that are dealt, by number of players."""

ROUNDS: Final = {2: 4, 3: 3, 4: 4}
"""Rules 1.6: rounds in a game, by number of players."""

LAYOUT_SIZE: Final = 12
"""Rules 1.3.1."""

FEWEST_FOR_A_FLIGHT: Final = 4
"""Rules 1.5: fewer destination cards than this end the round."""

MIN_GAP_MM: Final = 10.0
"""Rules 1.3.2: neighbouring cards keep at least 1 cm between them."""

CARD_MM: Final = (59.0, 91.0)
"""Rules 1.1: card size where neither deck nor house rules say otherwise."""


def sort_of(face: str) -> Sort:
    """What sort of card a face belongs to.

    >>> sort_of("bazaar.spice"), sort_of("carpet.red"), sort_of("djinn.5"), sort_of("coaster")
    ('destination', 'carpet', 'djinn', 'unknown')
    """
    if face in DESTINATIONS:
        return "destination"
    if face.startswith("carpet."):
        return "carpet"
    if face.startswith("djinn."):
        return "djinn"
    return "back" if face == BACK else "unknown"


def colour_of(carpet: str) -> str:
    """`red` of `carpet.red`."""
    return carpet.rpartition(".")[2]


def djinn_number(face: str) -> int:
    """5 of `djinn.5`; 0 when the face bears no number of this game."""
    number = face.rpartition(".")[2]
    return int(number) if number.isdigit() and int(number) in DJINNS else 0
