"""What looks like a broken rule because a still was missed, or because it is said at the table rather than seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.fairplay.belief import Belief
from rules.fairplay.events import Drove, Rolled, Used
from rules.fairplay.explain import Explained
from rules.fairplay.faults import Fault
from rules.fairplay.pieces import STATIONS
from rules.fairplay.sight import Sight
from rules.fairplay.state import Setup

EXCHANGE_S: Final = 5.0
"""A card cannot be offered, accepted, turned up, carried out and put away unseen in less time between two stills. In
recorded play that takes 9 s; a car is moved in 3."""


def unthrown(told: Explained) -> bool:
    """The car of the player who should roll has moved, or a tile was turned over, and no throw was seen."""
    state = told.nearest.state
    moved = {n for kind, n in told.left if kind == "car"}
    return state.phase == "roll" and _only_on_the_road(told) and moved <= {state.player}


def unoffered(told: Explained, seconds: float) -> bool:
    """So long after the last still that a card may have been offered, used and put away, a car stands elsewhere."""
    state = told.nearest.state
    due = state.phase in ("draw", "arrive") or (state.motion is not None and state.motion.by == "die")
    return due and seconds >= EXCHANGE_S and _only_on_the_road(told)


def passed(setup: Setup, told: Explained, found: Sequence[Fault]) -> bool:
    """The next player's car moves, and who should move is on a station or the start: he may have filled up instead."""
    state = told.nearest.state
    if state.motion is None or state.motion.by != "die" or state.motion.taken:
        return False
    here = state.track[state.position(state.player)]
    return here in STATIONS and [(f.rule, f.player) for f in found] == [("turn.player", setup.after(state.player))]


def taken_up(told: Explained, sight: Sight) -> bool:
    """The card on offer has gone: it was turned up and put away unseen."""
    return told.nearest.state.phase == "reply" and all(card.key != told.nearest.offered for card in sight.cards)


def without_trace(beliefs: Sequence[Belief]) -> bool:
    """All that speaks for a card that nobody saw is that the die was thrown."""
    log = beliefs[0].log
    cards = [event for event in log if isinstance(event, Used) and event.unseen]
    effects = [event for event in log if isinstance(event, Drove) and event.by != "die"]
    return bool(cards) and not effects and any(isinstance(event, Rolled) for event in log)


def _only_on_the_road(told: Explained) -> bool:
    return {kind for kind, _ in told.left} <= {"car", "road"}
