"""One position of the game, immutable; and what is agreed before the first roll."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from rules.fairplay.hands import Hand, Pile
from rules.fairplay.house_rules import HouseRules
from rules.fairplay.moves import Way
from rules.fairplay.pieces import CARDS, HAND, PANNE, PUNCTURE, START

Phase = Literal["mend", "roll", "move", "jump", "arrive", "draw", "offer", "reply", "reveal", "discard", "fill", "over"]
Ended = Literal[
    "moving", "done", "stopped", "narrow", "full", "roadworks", "laid_track", "finish", "start", "garage", "passed"
]
"""Why a car went no farther: it still moves; its steps are used up or the card names the place; its driver stopped; the
obstacle in its way or under it; the end of the track; a finish it may not pass now; start or garage reached; it is past
the finish."""


@dataclass(frozen=True)
class Setup:
    """Rules 3.2: who plays, in which order, and the house rules. Players are numbered 1.. in seat order (clockwise)."""

    players: int
    order: tuple[int, ...]
    """The players' numbers as they take turns."""
    rules: HouseRules = field(default_factory=HouseRules)

    def after(self, player: int) -> int:
        """Rules 3.3.5: whose turn comes next."""
        return self.order[(self.order.index(player) + 1) % self.players]


class Leg(msgspec.Struct, frozen=True):
    """One way of a car: from where to where (tiles after start), and what moved it."""

    player: int
    start: int
    end: int
    by: str
    """`die`, or the card."""
    ended: Ended
    turn: int
    """In which turn, counted from 1."""

    @property
    def points(self) -> int:
        """Tiles won, or lost when negative: a player's legs sum up to his position."""
        return self.end - self.start

    @property
    def clause(self) -> str:
        """Where the rules text moves the car: by the die, or by a card."""
        return "3.3.1" if self.by == "die" else "3.5"


class Motion(msgspec.Struct, frozen=True):
    """A car that moves forward step by step (rules 3.4)."""

    player: int
    start: int
    by: str
    size: int
    """Steps of the roll or the card."""
    taken: int = 0
    least: int = 0
    """Steps that must be taken (option `min_die_steps`)."""
    turned: bool = False
    """A tile was turned over for the next step."""


class Jump(msgspec.Struct, frozen=True):
    """A car that waits for the tile that its jump takes it to (rules 3.5)."""

    player: int
    target: int
    by: str


class Offered(msgspec.Struct, frozen=True):
    """A card that lies face down on the table (rules 3.3.4): offered to whom, and which, where that is known."""

    to: int
    card: str


class State(msgspec.Struct, frozen=True):
    """A position. Players' entries stand in the order of their numbers."""

    phase: Phase
    player: int
    """Whose turn it is."""
    turn: int
    """Turns begun so far."""
    positions: tuple[int, ...]
    """Tiles after start (rules 3.2.3); one more than the finish's for a car that has passed it."""
    track: tuple[str, ...]
    """Kinds of the tiles laid, the start first."""
    ways: tuple[Way, ...]
    """How each of them leads on, where it was told."""
    hands: tuple[Hand, ...]
    """With the card that is on offer, until it is turned up."""
    faceup: tuple[tuple[str, ...], ...]
    """Panne and puncture cards before the players, in the order they came."""
    pile: Pile
    discards: tuple[str, ...] = ()
    """Cards seen on the discard pile."""
    discards_unseen: int = 0
    """Cards that went there unseen."""
    motion: Motion | None = None
    jump: Jump | None = None
    offered: Offered | None = None
    user: int = 0
    """Who carries the offered card out, once the reply has settled it."""
    legs: tuple[Leg, ...] = ()
    winner: int = 0
    """0 while the game runs."""

    def position(self, player: int) -> int:
        return self.positions[player - 1]

    def hand(self, player: int) -> Hand:
        return self.hands[player - 1]

    def hand_size(self, player: int) -> int:
        """Cards in hand; one that is on offer lies on the table."""
        return self.hand(player).size - (self.offered is not None and player == self.player)

    def capacity(self, player: int) -> int:
        """Rules 3.3: three less the panne cards before him, not below 0."""
        return max(0, HAND - self.faceup[player - 1].count(PANNE))

    def punctured(self, player: int) -> bool:
        return PUNCTURE in self.faceup[player - 1]

    @property
    def running(self) -> Leg | None:
        """The way so far of the car that is moving."""
        if self.motion is None:
            return None
        player = self.motion.player
        return Leg(player, self.motion.start, self.position(player), self.motion.by, "moving", self.turn)

    def cars(self, place: int) -> int:
        """How many cars stand there."""
        return self.positions.count(place)


def start(setup: Setup, told: Mapping[int, Sequence[str]]) -> State:
    """Rules 3.2: all cars on the start tile, three cards to each; `told`: those that are known, by player."""
    hands = tuple(
        Hand(tuple(sorted(cards)), HAND - len(cards))
        for cards in (told.get(player, ()) for player in range(1, setup.players + 1))
    )
    left = [kind for kind, count in CARDS.items() for _ in range(count - sum(h.known.count(kind) for h in hands))]
    return State(
        phase="roll",
        player=setup.order[0],
        turn=1,
        positions=(0,) * setup.players,
        track=(START,),
        ways=("",),
        hands=hands,
        faceup=((),) * setup.players,
        pile=Pile(tuple(left), unseen=sum(hand.hidden for hand in hands)),
    )
