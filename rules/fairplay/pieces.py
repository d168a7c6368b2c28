"""The tiles, the cards and the die of Fair Play: what there is and how many (rules 3.1).

A face is named as the deck names its kind: `road.curve`, `road.station`, `card.plus2`, `card.panne`.
"""

from __future__ import annotations

from typing import Final

START: Final = "road.start"
FINISH: Final = "road.finish"
NARROW: Final = "road.narrow"
GARAGE: Final = "road.garage"
STATION: Final = "road.station"
ROADWORKS: Final = "road.roadworks"
CURVE: Final = "road.curve"
STRAIGHT: Final = "road.straight"

TILES: Final[dict[str, int]] = {
    CURVE: 23,
    STRAIGHT: 13,
    START: 1,
    FINISH: 1,
    NARROW: 2,
    GARAGE: 3,
    STATION: 3,
    ROADWORKS: 2,
}
"""Rules 3.1: the 48 tiles, kind to count."""

PLUS: Final[dict[str, int]] = {"card.plus1": 1, "card.plus2": 2, "card.plus3": 3}
"""Move cards, and how far they take the user forward (rules 3.5)."""
MINUS: Final[dict[str, int]] = {"card.minus1": 1, "card.minus2": 2, "card.minus3": 3}
"""Wrong way cards, and how far they take the user back (rules 3.5)."""
TROUBLE: Final = "card.trouble"
PANNE: Final = "card.panne"
PUNCTURE: Final = "card.puncture"
SHORTCUT: Final = "card.shortcut"
CATCHUP: Final = "card.catchup"

CARDS: Final[dict[str, int]] = {
    "card.plus1": 10,
    "card.plus2": 8,
    "card.plus3": 6,
    "card.minus1": 5,
    "card.minus2": 3,
    "card.minus3": 3,
    TROUBLE: 4,
    PANNE: 5,
    PUNCTURE: 4,
    SHORTCUT: 2,
    CATCHUP: 5,
}
"""Rules 3.1: the 55 cards, kind to count."""

UNKNOWN: Final = "unknown"
"""A card that nobody has turned up yet."""

DIE: Final = (1, 1, 1, 2, 2, 3)
"""Rules 3.1: the faces of the die."""

COLOURS: Final = ("red", "blue", "green", "yellow", "black", "white")
"""Rules 3.1: the six cars."""

PLAYERS: Final = (2, 6)
"""Rules 3: fewest and most players."""
HAND: Final = 3
"""Rules 3.2.2, 3.3: cards in hand, while no panne lies before the player."""
UPPER_PILE: Final = 23
"""Rules 3.2.1: tiles above the pile that hides the finish."""
LEADER_STEPS: Final = 3
"""Rules 3.5: what a catch-up or a short cut is worth when nobody is ahead."""

STATIONS: Final = frozenset({STATION, START})
"""Rules 3.6: where one may fill up."""
GARAGES: Final = frozenset({GARAGE, START})
"""Rules 3.6: where engine trouble takes a car."""
