"""What a legal move does to a position (rules 3.3 to 3.6)."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from rules.fairplay.driving import backward, is_ahead_of_all, jump, to_garage, why_ended
from rules.fairplay.hands import Hand, without
from rules.fairplay.hidden import pile_to_draw_from
from rules.fairplay.moves import (
    Discard,
    Draw,
    DriveOn,
    Lay,
    Mend,
    Move,
    Offer,
    Refuel,
    Reply,
    Reveal,
    Roll,
    Step,
    Stop,
)
from rules.fairplay.pieces import LEADER_STEPS, MINUS, PANNE, PLUS, PUNCTURE, STATION, TROUBLE, UNKNOWN
from rules.fairplay.state import Ended, Jump, Leg, Motion, Offered, Setup, State
from rules.fairplay.track import finish, last


def apply(state: State, setup: Setup, move: Move) -> State:
    """The position after a legal move."""
    match move:
        case Mend():
            return _end_turn(_put_away(state, move.player, PUNCTURE), setup)
        case Refuel():
            return _refuel(state, setup)
        case DriveOn():
            return _draw_or_end(state, setup)
        case Roll():
            least = min(setup.rules.min_die_steps, move.value)
            return _set_off(state, setup, move.player, "die", move.value, least)
        case Lay():
            return _lay(state, setup, move)
        case Step():
            return _step(state, setup)
        case Stop():
            return _stopped(state, setup, "stopped")
        case Draw():
            return _draw(state, setup, move)
        case Offer():
            return _offer(state, move)
        case Reply():
            return replace(state, phase="reveal", user=move.player if move.accepts else state.player)
        case Reveal():
            return _reveal(state, setup, move)
        case Discard():
            return _end_turn(_discard(state, move), setup)
    assert_never(move)


# -- the turn (rules 3.3) -----------------------------------------------------------------------------------------


def _end_turn(state: State, setup: Setup) -> State:
    """Rules 3.3.5, and 3.3.0 for the next player."""
    player = setup.after(state.player)
    phase = "mend" if state.punctured(player) else "roll"
    return replace(state, phase=phase, player=player, turn=state.turn + 1, user=0)


def _draw_or_end(state: State, setup: Setup) -> State:
    """Rules 3.3.2, 3.3.3: no card is drawn when there is nobody to offer one to."""
    if all(state.punctured(p) for p in setup.order if p != state.player):
        return _end_turn(state, setup)
    return replace(state, phase="draw")


def _refuel(state: State, setup: Setup) -> State:
    """Rules 3.3.0', options `refuel_timing` and `refuel_draw`."""
    player = state.player
    while PANNE in state.faceup[player - 1]:
        state = _put_away(state, player, PANNE)
    return _filled(state, setup)


def _filled(state: State, setup: Setup) -> State:
    """Rules 3.3.0': he draws until his hand is full again."""
    if state.hand_size(state.player) < setup.rules.refuel_draw:
        return replace(state, phase="fill")
    return _end_turn(state, setup)


def _draw(state: State, setup: Setup, move: Draw) -> State:
    """Rules 3.3.3; when the pile is used up the discards are shuffled and are the pile (3.5)."""
    pile, shuffled = pile_to_draw_from(state)
    if shuffled:
        state = replace(state, discards=(), discards_unseen=0)
    hand = state.hand(move.player)
    if move.card == UNKNOWN:
        state = _with_hand(replace(state, pile=pile.without_one_unseen()), move.player, hand.with_hidden())
    else:
        state = _with_hand(replace(state, pile=pile.without(move.card)), move.player, hand.with_card(move.card))
    return _filled(state, setup) if state.phase == "fill" else replace(state, phase="offer")


def _offer(state: State, move: Offer) -> State:
    """Rules 3.3.4. Which card it is may stay open until it is turned up."""
    if move.card != UNKNOWN:
        state = _with_hand(state, move.player, state.hand(move.player).shown(move.card))
    return replace(state, phase="reply", offered=Offered(move.to, move.card))


# -- moving forward (rules 3.4) -----------------------------------------------------------------------------------


def _set_off(state: State, setup: Setup, player: int, by: str, size: int, least: int = 0) -> State:
    motion = Motion(player, state.position(player), by, size, least=least)
    return _go_on(replace(state, phase="move", motion=motion), setup)


def _lay(state: State, setup: Setup, move: Lay) -> State:
    """Rules 3.4.1: the tile is laid on; a jump is then completed."""
    state = replace(state, track=(*state.track, move.tile), ways=(*state.ways, move.way))
    if state.jump:
        return _carried(replace(state, jump=None), setup, state.jump.player, state.jump.by, state.jump.target, "done")
    assert state.motion is not None
    return replace(state, motion=replace(state.motion, turned=True))


def _step(state: State, setup: Setup) -> State:
    motion = state.motion
    assert motion is not None
    state = _at(state, motion.player, state.position(motion.player) + 1)
    return _go_on(replace(state, motion=replace(motion, taken=motion.taken + 1, turned=False)), setup)


def _go_on(state: State, setup: Setup) -> State:
    """Rules 3.4.2, 3.4.3, 3.4.7: the move ends by itself when no further step is possible."""
    assert state.motion is not None
    ended = why_ended(state, setup.rules, state.motion)
    return _stopped(state, setup, ended) if ended else state


def _stopped(state: State, setup: Setup, ended: Ended) -> State:
    """A car has stopped: what comes next in the turn."""
    motion = state.motion
    assert motion is not None
    state = replace(state, motion=None)
    state = _logged(state, motion.player, motion.start, motion.by, ended)
    if ended == "passed":
        return _won(state, motion.player)
    if motion.by != "die":
        return _end_turn(state, setup)
    arrived = motion.taken and state.track[state.position(motion.player)] == STATION
    if arrived and setup.rules.refuel_timing == "on_arrival":
        return replace(state, phase="arrive")
    return _draw_or_end(state, setup)


def _won(state: State, player: int) -> State:
    """Rules 3.4.7: the game ends at once."""
    return replace(state, phase="over", winner=player, user=0)


# -- cards (rules 3.5) --------------------------------------------------------------------------------------------


def _reveal(state: State, setup: Setup, move: Reveal) -> State:
    """Rules 3.5: the effect of a card for its user."""
    card, user = move.card, move.player
    hand = state.hand(state.player).without(card)
    state = replace(_with_hand(state, state.player, hand), offered=None)
    if card in (PANNE, PUNCTURE):
        return _laid_before(state, setup, user, card)
    state = replace(state, discards=(*state.discards, card))
    if card in PLUS:
        return _set_off(state, setup, user, card, PLUS[card])
    if card in MINUS:
        return _carried(state, setup, user, card, *backward(state, setup.rules, user, MINUS[card]))
    if card == TROUBLE:
        return _carried(state, setup, user, card, *to_garage(state, setup.rules, user))
    if is_ahead_of_all(state, user):
        return _set_off(state, setup, user, card, LEADER_STEPS)
    target, ended = jump(state, setup.rules, user, card)
    if target > last(state) and finish(state) is None:
        return replace(state, phase="jump", jump=Jump(user, target, card))
    return _carried(state, setup, user, card, target, ended)


def _laid_before(state: State, setup: Setup, user: int, card: str) -> State:
    """Rules 3.5: panne and puncture lie face up before the user; a panne also costs him a card."""
    faceup = list(state.faceup)
    faceup[user - 1] = (*faceup[user - 1], card)
    state = replace(state, faceup=tuple(faceup))
    if card == PANNE and state.hand_size(user):
        return replace(state, phase="discard")
    return _end_turn(state, setup)


def _discard(state: State, move: Discard) -> State:
    hand = state.hand(move.player)
    if move.card == UNKNOWN:
        state = _with_hand(state, move.player, hand.without_one_unseen())
        return replace(state, discards_unseen=state.discards_unseen + 1)
    state = _with_hand(state, move.player, hand.without(move.card))
    return replace(state, discards=(*state.discards, move.card))


def _put_away(state: State, player: int, card: str) -> State:
    """Rules 3.5: a card before the player goes to the discard pile."""
    faceup = list(state.faceup)
    faceup[player - 1] = without(faceup[player - 1], card)
    return replace(state, faceup=tuple(faceup), discards=(*state.discards, card))


# -- cars and hands -----------------------------------------------------------------------------------------------


def _carried(state: State, setup: Setup, player: int, by: str, place: int, ended: Ended) -> State:
    """A card has taken the car there at once."""
    state = _logged(_at(state, player, place), player, state.position(player), by, ended)
    return _won(state, player) if ended == "passed" else _end_turn(state, setup)


def _logged(state: State, player: int, start: int, by: str, ended: Ended) -> State:
    return replace(state, legs=(*state.legs, Leg(player, start, state.position(player), by, ended, state.turn)))


def _at(state: State, player: int, place: int) -> State:
    positions = list(state.positions)
    positions[player - 1] = place
    return replace(state, positions=tuple(positions))


def _with_hand(state: State, player: int, hand: Hand) -> State:
    hands = list(state.hands)
    hands[player - 1] = hand
    return replace(state, hands=tuple(hands))
