"""Questions about what was missed or cannot be read, and about play that is against the rules."""

from __future__ import annotations

from collections.abc import Sequence

from rules.fairplay.pieces import TILES
from rules.protocol import Message, Question

NOT_ROLLED = "not_rolled"
NOT_THROWN = "not_thrown"


def throw(t: float, player: str, values: Sequence[int]) -> Question:
    """A car moves, or a tile is turned over, and no throw was seen. `values`: what it may have been, likelier first."""
    options = tuple(str(value) for value in sorted(set(values)))
    return _asked(t, "die", "throw", (*options, NOT_ROLLED), str(values[0]), player)


def offer(t: float, player: str) -> Question:
    """A car stands where only a card can have brought it, and none was seen."""
    return _asked(t, "offer", "offer", ("yes", "no"), "yes", player)


def traceless(t: float, player: str) -> Question:
    """The die was thrown, and no card was seen before: was one offered, or was that no throw?"""
    return _asked(t, "offer", "trace", ("yes", "no", NOT_THROWN), "yes", player)


def passed(t: float, player: str) -> Question:
    """The next player's car moves by the roll: did this one fill up, which is said rather than seen?"""
    return _asked(t, "refuel", "refuel", ("yes", "no"), "yes", player)


def retold(t: float, player: str) -> Question:
    """What lies there fits no play from what was ruled, but another course of the last turn: was that ruled wrongly, or
    is a rule broken?"""
    return _asked(t, "retold", "retold", ("yes", "no"), "yes", player)


def counts(t: float) -> Question:
    """The table plays on from what is against the rules."""
    return _asked(t, "counts", "counts", ("counts", "put_right"), "counts")


def turn(t: float, names: Sequence[str], likeliest: str) -> Question:
    """The race was under way when it was first seen."""
    return _asked(t, "turn", "turn", tuple(names), likeliest)


def face(t: float, piece: str, road: Sequence[str]) -> Question:
    """A tile of the road cannot be read."""
    left = tuple(kind for kind, n in TILES.items() if road.count(kind) < n)
    return _asked(t, "face", "face", left, left[0], pieces=(piece,))


def _asked(
    t: float,
    rule: str,
    words: str,
    options: tuple[str, ...],
    default: str,
    player: str | None = None,
    pieces: tuple[str, ...] = (),
) -> Question:
    return Question(
        id="",
        t=t,
        rule=f"fairplay.{rule}",
        pieces=pieces,
        player=player,
        options=options,
        default=default,
        message=Message(f"fairplay.ask.{words}", {"player": player} if player else {}),
    )
