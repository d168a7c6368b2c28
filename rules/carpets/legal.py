"""Which moves a position allows, and which clause of the rules forbids the others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from rules.carpets.cards import LAYOUT_SIZE, UNKNOWN, sort_of
from rules.carpets.djinns import winner_of
from rules.carpets.flights import throw_sequence
from rules.carpets.moves import (
    TABLE,
    Adjust,
    Duel,
    EndRound,
    Evaluate,
    Lamps,
    Landing,
    Lay,
    Move,
    Place,
    Ready,
    Rearrange,
    Throw,
    Transfer,
)
from rules.carpets.palaces import lamp_order
from rules.carpets.spacing import Fault, faults_of_layout, faults_of_new_card
from rules.carpets.state import Contest, Setup, State
from rules.engine import IllegalMoveError, Refusal
from vision.scene import Quad

__all__ = ["IllegalMoveError", "Refusal", "lamp_deciders", "legal", "next_thrower", "open_contests", "why_illegal"]


def next_thrower(state: State, setup: Setup) -> int | None:
    """Whose throw it is (rules 1.4.1, 1.4.4)."""
    order = throw_sequence(setup.players, state.layouter, setup.rules)
    return order[len(state.thrown)] if len(state.thrown) < len(order) else None


def open_contests(state: State, setup: Setup) -> tuple[Contest, ...]:
    """The contested cards that may be duelled for next (rules 1.5.4)."""
    return state.contests[:1] if setup.rules.duel_order == "layout_index" else state.contests


def lamp_deciders(state: State, setup: Setup) -> tuple[int, ...]:
    """Who may decide on his lamps now (rules 1.6.4): the next one, or with `secret` everybody."""
    done = {player for player, _ in state.lamps}
    order = lamp_order(setup.players, state.layouter)
    left = tuple(p for p in order if p not in done and state.count(p, "lamp"))
    return left[:1] if setup.rules.lamp_decision == "clockwise" else left


def why_illegal(state: State, setup: Setup, move: Move) -> Refusal | None:
    """The first clause that the move breaks; None when it is legal."""
    match move:
        case Lay():
            return _lay(state, setup, move)
        case Rearrange():
            return _rearrange(state, setup, move)
        case Ready():
            return _ready(state, setup, move)
        case Throw():
            return _throw(state, setup, move)
        case Evaluate():
            return _evaluate(state, move, setup)
        case Duel():
            return _duel(state, setup, move)
        case Lamps():
            return _lamps(state, setup, move)
        case EndRound():
            if state.phase != "throwing" or state.thrown:
                return Refusal("1.5", "a round is ended between two flights")
        case Adjust():
            return _player(move.player, setup)
        case Transfer():
            return _transfer(state, setup, move)
    return None


def legal(state: State, setup: Setup) -> Iterator[Move]:
    """Every legal move that the game itself offers, simplest first; places are left open, corrections left out.

    Lazy: a carpet may lie on any of the 4096 sets of cards.
    """
    if state.phase == "layout":
        if len(state.table) < LAYOUT_SIZE:
            yield from (Lay(kind) for kind in state.deck())
        else:
            yield from (move for move in (Ready(),) if not _ready(state, setup, move))
            pairs = itertools.combinations([card.slot for card in state.table], 2)
            swaps = (Rearrange(pair) for pair in pairs)
            yield from (move for move in swaps if not _rearrange(state, setup, move))
    elif state.phase == "throwing":
        player = next_thrower(state, setup)
        slots = [card.slot for card in state.table]
        flown = {carpet for carpet, _ in state.thrown}
        yield from (
            Throw(carpet, Landing(on=on))
            for size in range(len(slots) + 1)
            for on in itertools.combinations(slots, size)
            for carpet, owner in setup.carpets.items()
            if owner == player and carpet not in flown
        )
    elif state.phase == "evaluation":
        yield Evaluate()
    elif state.phase == "duels":
        for contest in open_contests(state, setup):
            yield from (Duel(contest.slot, djinns) for djinns in state.djinns.duels(contest.players))
    elif state.phase == "lamps":
        for player in lamp_deciders(state, setup):
            yield from (Lamps(player, n) for n in range(state.count(player, "lamp") + 1))


def _lay(state: State, setup: Setup, move: Lay) -> Refusal | None:
    if state.phase != "layout":
        return Refusal("1.3.1", "cards are laid at the beginning of a round only")
    if len(state.table) >= LAYOUT_SIZE:
        return Refusal("1.3.1", "12 cards lie already")
    if move.card != UNKNOWN and sort_of(move.card) != "destination":
        return Refusal("1.1", f"{move.card} is no destination card")
    if move.card != UNKNOWN and move.card not in state.deck():
        return Refusal("1.1", f"every {move.card} of the deck has been laid already")
    if not state.deck_size():
        return Refusal("1.1", "the deck is used up")
    outlines = _outlines([card.place for card in state.table] + [move.place], setup)
    if outlines is None:
        return None
    return _first(faults_of_new_card(outlines, setup.rules.card_mm[0]), state, "1.3.2")


def _rearrange(state: State, setup: Setup, move: Rearrange) -> Refusal | None:
    if state.phase != "layout" or len(state.table) < LAYOUT_SIZE:
        return Refusal("1.3.3", "cards are rearranged after the 12th and before the layout is ready")
    if any(state.card(slot) is None for slot in move.slots) or len(set(move.slots)) != len(move.slots):
        return Refusal("1.3.3", "only cards of the layout are rearranged, each named once")
    if move.places and len(move.places) != len(move.slots):
        return Refusal("1.3.3", "a place is needed for each card that is touched")
    limit = setup.rules.rearrange_limit
    if limit is not None and len(state.touched | set(move.slots)) > limit:
        return Refusal("1.3.3", f"no more than {limit} cards may be touched (house rule rearrange_limit)")
    return None


def _ready(state: State, setup: Setup, move: Ready) -> Refusal | None:
    if state.phase != "layout" or not state.table:
        return Refusal("1.3.3", "there is no layout to finish")
    if move.agreed:
        return None
    if len(state.table) < min(LAYOUT_SIZE, len(state.table) + state.deck_size()):
        return Refusal("1.3.1", f"only {len(state.table)} of 12 cards lie")
    outlines = _outlines([card.place for card in state.table], setup)
    return None if outlines is None else _first(faults_of_layout(outlines, setup.rules.card_mm[0]), state, "1.3.3")


def _throw(state: State, setup: Setup, move: Throw) -> Refusal | None:
    if state.phase not in ("throwing", "evaluation"):
        return Refusal("1.4", "carpets are thrown when the layout is ready and no card is disputed")
    owner = setup.carpets.get(move.carpet)
    if owner is None:
        return Refusal("1.2.1", f"nobody plays the carpet {move.carpet}")
    if bad := _landing(state, setup, move.carpet, move.landing):
        return bad
    last = state.thrown[-1][0] if state.thrown else None
    if move.carpet in {carpet for carpet, _ in state.thrown}:
        if setup.rules.rethrow_on_fumble and move.carpet == last and move.carpet not in state.rethrown:
            return None
        return Refusal("1.4.3", f"the carpet {move.carpet} has flown already")
    expected = next_thrower(state, setup)
    if owner != expected:
        return Refusal("1.4.1", f"player {expected} throws now, not player {owner}")
    return None


def _evaluate(state: State, move: Evaluate, setup: Setup) -> Refusal | None:
    if state.phase != "evaluation":
        return Refusal("1.4.5", "a flight is evaluated when all carpets have flown")
    for carpet, landing in move.landings.items():
        if carpet not in setup.carpets:
            return Refusal("1.2.1", f"nobody plays the carpet {carpet}")
        if bad := _landing(state, setup, carpet, landing):
            return bad
    return None


def _landing(state: State, setup: Setup, carpet: str, landing: Landing) -> Refusal | None:
    for slot in (*landing.on, *landing.under):
        if state.card(slot) is None:
            return Refusal("1.5", f"card {slot} does not lie on the table")
    if any(other == carpet or other not in setup.carpets for other in landing.over):
        return Refusal("1.5", "a carpet lies on other players' carpets only")
    if landing.off_table and (landing.on or landing.under or landing.over):
        return Refusal("1.5.1", "a carpet off the table lies on nothing")
    return None


def _duel(state: State, setup: Setup, move: Duel) -> Refusal | None:
    if state.phase != "duels":
        return Refusal("1.5.2", "no card is disputed")
    contest = next((c for c in state.contests if c.slot == move.slot), None)
    if contest is None:
        return Refusal("1.5.2", f"card {move.slot} is not disputed")
    if contest not in open_contests(state, setup):
        return Refusal("1.5.4", f"card {state.contests[0].slot} is duelled for first")
    if not set(move.djinns) <= set(contest.players):
        return Refusal("1.5.d1", "only players with a carpet on the card take part")
    if move.djinns and not state.djinns.allow(move.djinns):
        return Refusal("1.2.2", "these players cannot hold these djinns")
    if set(move.djinns) == set(contest.players):
        if move.winner not in (None, winner_of(move.djinns)):
            return Refusal("1.5.d2", "the highest djinn takes the card")
    elif move.winner is None:
        return Refusal("1.5.d1", "each involved player reveals one djinn")
    elif move.winner not in contest.players:
        return Refusal("1.5.d2", f"player {move.winner} takes no part in this duel")
    return None


def _lamps(state: State, setup: Setup, move: Lamps) -> Refusal | None:
    if bad := _player(move.player, setup):
        return bad
    if state.phase != "lamps":
        return Refusal("1.6.1", "lamps are spent as palaces at the end of a round")
    if not 0 <= move.spent <= state.count(move.player, "lamp"):
        return Refusal("1.6.1", f"player {move.player} holds {state.count(move.player, 'lamp')} lamps")
    if move.player not in lamp_deciders(state, setup):
        return Refusal("1.6.4", "lamps are decided clockwise from the layouter's left, once each")
    return None


def _transfer(state: State, setup: Setup, move: Transfer) -> Refusal | None:
    if move.to != TABLE and (bad := _player(move.to, setup)):
        return bad
    held = {(card.round, card.slot) for hand in state.hands for card in hand}
    lying = {(card.round, card.slot) for card in state.table}
    if (move.round, move.slot) not in held | lying:
        return Refusal("1.5", f"card {move.slot} of round {move.round} is neither held nor on the table")
    if move.to == TABLE and move.round != state.round:
        return Refusal("1.6.6", "cards of an earlier round do not return to the table")
    if any(contest.slot == move.slot for contest in state.contests) and move.round == state.round:
        return Refusal("1.5.2", "the card is disputed: the duel decides")
    if state.phase == "evaluation" or state.thrown:
        return Refusal("1.4.5", "cards change hands between flights")
    return None


def _player(player: int, setup: Setup) -> Refusal | None:
    return None if 1 <= player <= setup.players else Refusal("1.2.1", f"there is no player {player}")


def _outlines(places: list[Place | None], setup: Setup) -> list[Quad] | None:
    """Outlines of the cards, or None when the place of one is not known."""
    width, height = setup.rules.card_mm
    outlines = [place.outline(width, height) for place in places if place is not None]
    return outlines if len(outlines) == len(places) else None


def _first(faults: list[Fault], state: State, rule: str) -> Refusal | None:
    if not faults:
        return None
    fault = faults[0]
    slots = [state.table[i].slot if i < len(state.table) else len(state.table) + 1 for i in fault.cards]
    names = " and ".join(f"card {slot}" for slot in slots)
    if fault.kind == "gap":
        return Refusal(rule, f"{names} lie {fault.mm:.1f} mm apart, at least {fault.limit:g} mm are needed")
    return Refusal(rule, f"{names}: {fault.mm:.1f} mm from the others, at most {fault.limit:g} mm are allowed")
