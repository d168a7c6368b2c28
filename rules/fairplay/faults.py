"""What breaks the rules in a still that no legal play explains."""

from __future__ import annotations

import msgspec

from rules.engine import Refusal
from rules.fairplay import deeds
from rules.fairplay.belief import Belief
from rules.fairplay.explain import Aspect, Explained, read
from rules.fairplay.legal import actor
from rules.fairplay.pieces import UNKNOWN
from rules.fairplay.sight import Card, Sight
from rules.fairplay.state import Setup

MISSED = frozenset({"turn.draw", "turn.offer", "turn.reply"})
"""Rules that seem broken when a still was missed: the card may have been offered, turned up and put away meanwhile."""


class Fault(msgspec.Struct, frozen=True):
    """A rule that what lies on the table breaks."""

    rule: str
    clause: str
    player: int
    piece: str = ""
    tile: int = -1
    """Where the car stands, or which tile was laid; -1: neither."""
    sure: bool = True
    """It was seen beyond doubt; otherwise it is not ruled."""

    @property
    def key(self) -> tuple[str, int, str]:
        return self.rule, self.player, self.piece


def faults(setup: Setup, told: Explained, sight: Sight, pieces: dict[int, str]) -> list[Fault]:
    """The rules broken by what the nearest belief leaves unexplained. `pieces`: the road's tiles by number."""
    found: list[Fault] = []
    for aspect in told.left:
        fault = _fault(setup, told.nearest, aspect, sight, pieces)
        if fault and not sight.die_seen:
            fault = msgspec.structs.replace(fault, sure=False)  # it may have been thrown under what covers it
        if fault and all(fault.key != other.key for other in found):
            found.append(fault)
    return found


def _fault(setup: Setup, belief: Belief, aspect: Aspect, sight: Sight, pieces: dict[int, str]) -> Fault | None:
    player = belief.owed.player if belief.owed else actor(belief.state)
    match aspect:
        case ("throw", int(n)):
            thrown = sight.throws[n]
            refused = _refusal(setup, belief, deeds.throw(thrown.value or 1))
            seen = refused is not None and refused.rule not in MISSED
            return _named(refused, player, thrown.piece, sure=seen)
        case ("road", int(n)):
            road = read(sight)
            if n != len(belief.road) or n >= len(road):
                return None  # a tile after one that is wrong, or one that is gone
            refused = _refusal(setup, belief, deeds.lay(road[n]))
            return _named(refused, player, pieces.get(n, ""), n)
        case ("car", int(car)):
            spot = sight.cars[car]
            sure = len(spot.tiles) == 1 and UNKNOWN not in sight.road
            refused = _refusal(setup, belief, deeds.drive(car, spot.tiles[0]))
            return _named(refused, car, spot.piece, spot.tiles[0], sure)
        case ("card", str(key)):
            card = next(card for card in sight.cards if card.key == key)
            return _card_fault(setup, belief, card)
    return None


def _card_fault(setup: Setup, belief: Belief, card: Card) -> Fault | None:
    if card.face != "back":
        return None
    refused = [_refusal(setup, belief, deeds.offer(to)) for to in card.players]
    broken = next((r for r in refused if r and r.rule == "offer.puncture"), None)
    if broken is None or any(r is None for r in refused):
        return None
    return _named(broken, belief.state.player, card.piece)


def _refusal(setup: Setup, belief: Belief, deed: deeds.Deed) -> Refusal | None:
    after = deed(setup, belief)
    return after if isinstance(after, Refusal) else None


def _named(refusal: Refusal | None, player: int, piece: str, tile: int = -1, sure: bool = True) -> Fault | None:
    return Fault(refusal.rule, refusal.clause, player, piece, tile, sure) if refusal else None
