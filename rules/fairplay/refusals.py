"""The rules that a move can break: dotted ids that stay what they are, and the clause of the rules text for each."""

from __future__ import annotations

import re
from types import UnionType
from typing import Final

import msgspec

from rules.engine import Refusal

RULES: Final[dict[str, str]] = {
    "move": "3.3",
    "player": "3.2",
    "over": "3.4.7",
    "turn.player": "3.3",
    "turn.puncture": "3.3.0",
    "turn.roll": "3.3.1",
    "turn.move": "3.3.1",
    "turn.lay": "3.5",
    "turn.arrive": "3.3.0'",
    "turn.draw": "3.3.3",
    "turn.offer": "3.3.4",
    "turn.reply": "3.3.4",
    "turn.reveal": "3.3.4",
    "turn.discard": "3.5",
    "turn.fill": "3.3.0'",
    "die": "3.1",
    "refuel.place": "3.6",
    "refuel.timing": "3.3.0'",
    "step.unlaid": "3.4.1",
    "step.count": "3.4",
    "step.stopped": "3.4.4",
    "step.narrow": "3.4.2",
    "step.full": "3.4.2",
    "step.roadworks": "3.4.3",
    "step.finish": "3.4.7",
    "step.back": "3.4",
    "stop.turned": "3.4.5",
    "stop.least": "3.4.4",
    "lay.needless": "3.4.1",
    "lay.finish": "3.4.8",
    "tile.unknown": "3.1",
    "tile.count": "3.1",
    "tile.finish": "3.2.1",
    "track.shape": "3.1",
    "track.run_in": "3.4",
    "card.unknown": "3.1",
    "card.count": "3.1",
    "card.hand": "3.3",
    "card.offered": "3.3.4",
    "card.unread": "3.3.4",
    "offer.self": "3.3.4",
    "offer.puncture": "3.3.4",
}
"""Id to clause."""


def refuse(rule: str, reason: str) -> Refusal:
    """The refusal of a move that breaks this rule."""
    return Refusal(rule, reason, RULES[rule])


def malformed(move: object, kinds: type | UnionType) -> Refusal | None:
    """What is told is no move of these kinds, or holds a value that is none of its sort."""
    if not isinstance(move, kinds):
        return refuse("move", f"{move!r} is no move of this game")
    try:
        msgspec.convert(msgspec.to_builtins(move), type(move))
    except msgspec.ValidationError as error:
        where, what = located(error)
        return refuse("move", f"{type(move).__name__}, {where}: {what}")
    except TypeError:
        return refuse("move", f"{move!r} holds what cannot be told")
    return None


def located(error: msgspec.ValidationError) -> tuple[str, str]:
    """Where a value is not what it should be (empty: at the top), and what is wrong with it.

    >>> located(msgspec.ValidationError("Expected `int`, got `str` - at `$.moves[3].value`"))
    ('moves[3].value', 'Expected `int`, got `str`')
    """
    what, _, where = str(error).partition(" - at ")
    return re.sub(r"`|\$\.?", "", where), what
