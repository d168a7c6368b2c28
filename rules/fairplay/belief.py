"""What the referee believes has happened: a position of the engine, and what lies on the table beside it.

The table may lag behind the engine or be ahead of it: tiles are turned over before the car moves, a card that sends a
car back is turned up before anybody touches the car. A `Belief` holds both, and the events that led to it.
"""

from __future__ import annotations

import msgspec

from rules.fairplay.events import Event
from rules.fairplay.state import State


class Owed(msgspec.Struct, frozen=True):
    """A move that a card has made in the engine and that somebody has still to make on the table."""

    player: int
    start: int
    end: int
    by: str


class Belief(msgspec.Struct, frozen=True):
    state: State
    road: tuple[str, ...]
    """Tiles on the table: the engine's track, and those turned over for steps to come."""
    cars: tuple[int, ...]
    """Where the cars stand on the table, by player."""
    thrown: int = 0
    """How many throws of the die are accounted for."""
    used: frozenset[str] = frozenset()
    """Keys of the cards on the table that are accounted for."""
    offered: str = ""
    """Key of the card that lies face down on offer; empty when it was not seen."""
    before: tuple[int, ...] = ()
    """Who sits where it lies."""
    owed: Owed | None = None
    log: tuple[Event, ...] = ()
    """What happened since the last ruling on which all beliefs agree."""
    guesses: tuple[tuple[int, int], ...] = ()
    """Throws that could not be read, by number, and what they are taken for."""
    lapses: int = 0
    """How many things that should have been seen were supposed since the last still."""
    cost: float = 0.0
    """How much had to be assumed to explain what was seen, compared with the other beliefs."""

    @property
    def key(self) -> tuple[object, ...]:
        """Beliefs of one key expect the same of the future; a throw that is guessed may be read yet."""
        s = self.state
        return (
            (s.phase, s.player, s.turn, s.positions, s.track, s.faceup, s.motion, s.jump, s.offered, s.user, s.winner),
            tuple(hand.size for hand in s.hands),
            self.road,
            self.cars,
            self.thrown,
            self.used,
            self.offered,
            self.owed,
            self.guesses,
        )
