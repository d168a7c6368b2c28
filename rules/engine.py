"""What every game's engine is, and how it says no.

An engine is a value to play with: ask it for its legal moves, push one, pop it, ask for the points. It knows no chance
and no camera: what is drawn, thrown or rolled is told to it as a move, like anything else that happens at the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Protocol, Self, TypeVar

import msgspec

MoveT = TypeVar("MoveT")


@dataclass(frozen=True)
class Refusal:
    """Why a move is illegal: the rule that it breaks, and the reason in words.

    >>> print(Refusal("1.4.1", "player 2 throws now"))
    rules 1.4.1: player 2 throws now
    >>> print(Refusal("edges", "a road meets a city", clause="2.2.2"))
    rules 2.2.2 (edges): a road meets a city
    """

    rule: str
    """Stable id of the rule: the clause of the rules text where each clause is one rule, else a word of its own."""
    reason: str
    clause: str = ""
    """Where the rule stands in the rules text, when that is not its id."""

    def __str__(self) -> str:
        return (
            f"rules {self.clause} ({self.rule}): {self.reason}" if self.clause else f"rules {self.rule}: {self.reason}"
        )


class IllegalMoveError(ValueError):
    """A move that the rules forbid; `rule` is the one it breaks."""

    def __init__(self, refusal: Refusal) -> None:
        self.rule = refusal.rule
        self.reason = refusal.reason
        self.clause = refusal.clause
        super().__init__(str(refusal))


class SavedGameError(ValueError):
    """A saved game that cannot be read: `where` in it (`moves[17]`, `players`), and `what` is wrong."""

    def __init__(self, where: str, what: str) -> None:
        self.where = where
        self.what = what
        super().__init__(f"saved game, {where}: {what}")


def malformed(move: object, kinds: type | UnionType) -> str | None:
    """Why something told is no move of these kinds (msgspec structs) or holds a value that is none of its sort.

    >>> malformed("e2e4", int)
    "'e2e4' is no move of this game"
    """
    if not isinstance(move, kinds):
        return f"{move!r} is no move of this game"
    try:
        msgspec.convert(msgspec.to_builtins(move), type(move))
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        return f"{type(move).__name__}, {where.rstrip('`')}: {what}"
    except TypeError:
        return f"{move!r} holds what cannot be told"
    return None


class HasPoints(Protocol):
    """A line of an explanation: pieces that made points together."""

    @property
    def points(self) -> int: ...


class Engine(Protocol[MoveT]):
    """A game of players numbered 1.. in seat order."""

    @property
    def moves(self) -> Sequence[MoveT]:
        """Every move made, oldest first."""
        ...

    @property
    def state(self) -> Any:
        """The position as a plain value: equal for equal positions, and not to be changed."""
        ...

    @property
    def is_over(self) -> bool: ...

    @property
    def scores(self) -> Mapping[int, int]:
        """Points by player."""
        ...

    def legal(self) -> Iterable[MoveT]:
        """The legal moves that the game offers now; none when it is over, at least one before."""
        ...

    def why_illegal(self, move: MoveT) -> Refusal | None:
        """The rule that the move breaks; None when it is legal."""
        ...

    def push(self, move: MoveT) -> None:
        """Make a move; raises `IllegalMoveError`, and leaves the game as it was, when the rules forbid it."""
        ...

    def pop(self) -> MoveT:
        """Take the last move back and return it; raises IndexError when there is none."""
        ...

    def explain(self) -> Mapping[int, Sequence[HasPoints]]:
        """Which pieces made which points, for each player."""
        ...

    def to_json(self) -> str: ...

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The game that `to_json` wrote; raises ValueError that says what is wrong and where."""
        ...

    def __str__(self) -> str:
        """The table in text."""
        ...
