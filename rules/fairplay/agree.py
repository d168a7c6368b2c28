"""Positions that the table agrees on, however they came about: played on after a fault, joined late, corrected."""

from __future__ import annotations

from msgspec.structs import replace

from rules.fairplay.belief import Belief
from rules.fairplay.deeds import next_turn
from rules.fairplay.events import Drove, Refuelled
from rules.fairplay.explain import read
from rules.fairplay.pieces import PANNE, PUNCTURE
from rules.fairplay.sight import Sight
from rules.fairplay.state import Phase, Setup


def as_it_lies(setup: Setup, belief: Belief, sight: Sight) -> Belief:
    """Road and cars count as they lie. Who was moving has moved; a throw that is left over begins the next turn."""
    state = belief.state
    by, mover = _moving(belief)
    for player, spot in sight.cars.items():
        start = belief.cars[player - 1]
        if start not in spot.tiles:
            event = Drove(player, start, spot.tiles[0], by if player == mover else "table")
            belief = replace(moved(belief, player, spot.tiles[0]), log=(*belief.log, event))
    belief = laid(belief, read(sight))
    left_over = any(throw.sure for throw in sight.throws[belief.thrown :])
    used_up = state.phase == "jump" or (state.phase == "move" and by != "die")
    if (left_over and state.phase not in ("roll", "mend")) or used_up:
        return next_turn(setup, belief)
    phase: Phase = "draw" if state.phase == "move" else state.phase
    player = state.player
    drove = {event.player for event in belief.log if isinstance(event, Drove) and event.by == "table"}
    if len(drove) == 1 and state.phase in ("move", "draw", "roll") and mover not in drove:
        player, phase = drove.pop(), "draw"  # who has driven was on turn
    return replace(belief, state=replace(belief.state, player=player, phase=phase, motion=None), owed=None)


def _moving(belief: Belief) -> tuple[str, int]:
    """What moves whose car, or moved it last in this turn."""
    state = belief.state
    if belief.owed:
        return belief.owed.by, belief.owed.player
    if state.motion:
        return state.motion.by, state.motion.player
    leg = state.legs[-1] if state.legs and state.legs[-1].turn == state.turn else None
    return (leg.by, leg.player) if leg else ("table", 0)


def joined(belief: Belief, sight: Sight) -> Belief:
    """A race that was under way when it was first seen: the cards before the players and everything as it lies."""
    belief = laid(belief, read(sight))
    for player, spot in sight.cars.items():
        belief = moved(belief, player, spot.tiles[0])
    faceup = list(belief.state.faceup)
    used = belief.used
    for card in sight.faces:
        if card.face in (PANNE, PUNCTURE) and len(card.players) == 1:
            faceup[card.players[0] - 1] = (*faceup[card.players[0] - 1], card.face)
        used |= {card.key}
    return replace(belief, used=used, state=replace(belief.state, faceup=tuple(faceup)), thrown=len(sight.throws))


def moved(belief: Belief, player: int, place: int) -> Belief:
    """The car stands there."""
    cars, positions = list(belief.cars), list(belief.state.positions)
    cars[player - 1] = positions[player - 1] = place
    owed = None if belief.owed and belief.owed.player == player else belief.owed
    return replace(belief, cars=tuple(cars), owed=owed, state=replace(belief.state, positions=tuple(positions)))


def laid(belief: Belief, road: tuple[str, ...]) -> Belief:
    """The road is this one."""
    state = belief.state
    ways = (*state.ways, *[""] * len(road))[: len(road)]
    return replace(belief, road=road, state=replace(state, track=road, ways=ways))


def with_tile(belief: Belief, place: int, kind: str) -> Belief:
    """The tile at this place of the road is of this kind."""
    if not 0 <= place < len(belief.road):
        return belief
    road = (*belief.road[:place], kind, *belief.road[place + 1 :])
    track = road[: len(belief.state.track)]
    return replace(belief, road=road, state=replace(belief.state, track=track))


def passed(setup: Setup, belief: Belief) -> Belief:
    """The player whose turn it was has filled up, and the roll was the next player's."""
    state = belief.state
    assert state.motion is not None
    player = setup.after(state.player)
    faceup = list(state.faceup)
    faceup[state.player - 1] = tuple(card for card in faceup[state.player - 1] if card != PANNE)
    motion = replace(state.motion, player=player, start=state.position(player))
    after = replace(state, player=player, turn=state.turn + 1, motion=motion, faceup=tuple(faceup))
    return replace(belief, state=after, log=(*belief.log, Refuelled(state.player)))


def turn_of(belief: Belief, player: int) -> Belief:
    """It is this player's turn, from its beginning."""
    state = belief.state
    phase: Phase = "mend" if state.punctured(player) else "roll"
    fresh = replace(state, player=player, phase=phase, motion=None, jump=None, offered=None, user=0, winner=0)
    return replace(belief, state=fresh, owed=None, offered="", before=())
