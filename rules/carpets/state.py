"""One position of the game, immutable; and what is agreed before the first card is laid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rules.carpets.cards import COLOURS, DESTINATIONS
from rules.carpets.djinns import Djinns
from rules.carpets.house_rules import HouseRules
from rules.carpets.moves import Landing, Place

Phase = Literal["layout", "throwing", "evaluation", "duels", "lamps", "over"]


@dataclass(frozen=True)
class Card:
    """A destination card that was laid: its kind, and in which round and as which of the twelve."""

    kind: str
    round: int
    slot: int
    place: Place | None = None


@dataclass(frozen=True)
class Contest:
    """A card that several players' carpets lie on."""

    slot: int
    players: tuple[int, ...]
    """In the order in which they throw."""


@dataclass(frozen=True)
class Setup:
    """Rules 1.2: who plays with which carpets, and the house rules. Players are numbered 1.. in seat order."""

    players: int
    carpets: Mapping[str, int]
    """Colour to player."""
    rules: HouseRules = field(default_factory=HouseRules)
    layouter: int = 1

    def carpets_of(self, player: int) -> tuple[str, ...]:
        """The colours of a player's carpets."""
        return tuple(colour for colour, owner in self.carpets.items() if owner == player)


def default_carpets(players: int) -> dict[str, int]:
    """Rules 1.2.1: two carpets each with two players, else one each."""
    return {colour: i % players + 1 for i, colour in enumerate(COLOURS[: 4 if players == 2 else players])}


@dataclass(frozen=True)
class State:
    """A position. Players' entries stand in the order of their numbers."""

    phase: Phase
    round: int
    layouter: int
    hands: tuple[tuple[Card, ...], ...]
    """Cards won and still held, in the order they were won."""
    djinns: Djinns
    palace_points: tuple[int, ...]
    adjustments: tuple[int, ...]
    table: tuple[Card, ...] = ()
    """The layout, in the order in which it was laid."""
    out: tuple[Card, ...] = ()
    """Cards that left the game: palaces, spent lamps, leftovers (rules 1.6.5, 1.6.6)."""
    bottom: tuple[Card, ...] = ()
    """Leftovers under the deck (option `leftovers`): 12 x 4 = 48 of 52 cards are dealt, they never come up again."""
    touched: frozenset[int] = frozenset()
    """Cards touched after the twelfth (rules 1.3.3)."""
    thrown: tuple[tuple[str, Landing], ...] = ()
    rethrown: frozenset[str] = frozenset()
    flights: int = 0
    """Flights evaluated in this round."""
    contests: tuple[Contest, ...] = ()
    lamps: tuple[tuple[int, int], ...] = ()
    """Player and lamps spent, as far as decided in this round."""
    tally: tuple[tuple[int, int, int], ...] = ()
    """The last finished round: palaces, lamps spent and points of each player (rules 1.6.2)."""

    def laid(self) -> Counter[str]:
        """Cards that are no longer to be drawn."""
        cards = [*self.table, *self.out, *self.bottom]
        for hand in self.hands:
            cards += hand
        return Counter(card.kind for card in cards)

    def deck(self) -> dict[str, int]:
        """Kinds that may still lie in the deck, and at most how many of each."""
        laid = self.laid()
        return {kind: n - laid[kind] for kind, n in DESTINATIONS.items() if n > laid[kind]}

    def deck_size(self) -> int:
        """Cards that may still be drawn."""
        return sum(DESTINATIONS.values()) - sum(self.laid().values())

    def card(self, slot: int) -> Card | None:
        """The card on the table that was laid as number `slot`."""
        return next((card for card in self.table if card.slot == slot), None)

    def count(self, player: int, kind: str) -> int:
        """Cards of a kind that a player holds."""
        return sum(card.kind == kind for card in self.hands[player - 1])


def start(setup: Setup, djinns: Djinns) -> State:
    """Rules 1.2: the position before the first card is laid."""
    return State(
        phase="layout",
        round=1,
        layouter=setup.layouter,
        hands=((),) * setup.players,
        djinns=djinns,
        palace_points=(0,) * setup.players,
        adjustments=(0,) * setup.players,
    )
