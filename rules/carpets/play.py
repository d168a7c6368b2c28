"""What each move does to a position. Legality was checked before (`legal.why_illegal`)."""

from __future__ import annotations

from dataclasses import replace

from rules.carpets.cards import ROUNDS
from rules.carpets.djinns import winner_of
from rules.carpets.flights import Verdict, flies_again, judge, throw_sequence
from rules.carpets.legal import lamp_deciders, next_thrower
from rules.carpets.moves import (
    TABLE,
    Adjust,
    Duel,
    EndRound,
    Evaluate,
    Lamps,
    Lay,
    Move,
    Ready,
    Rearrange,
    Throw,
    Transfer,
)
from rules.carpets.palaces import palace_points
from rules.carpets.state import Card, Contest, Setup, State


def apply(state: State, setup: Setup, move: Move) -> State:
    """The position after a legal move."""
    match move:
        case Lay():
            card = Card(move.card, state.round, len(state.table) + 1, move.place)
            return replace(state, table=(*state.table, card))
        case Rearrange():
            places = dict(zip(move.slots, move.places or (None,) * len(move.slots), strict=True))
            table = tuple(replace(c, place=places[c.slot]) if c.slot in places else c for c in state.table)
            return replace(state, table=table, touched=state.touched | set(move.slots))
        case Ready():
            return replace(state, phase="throwing", touched=frozenset())
        case Throw():
            return _throw(state, setup, move)
        case Evaluate():
            return _evaluate(state, setup, move)
        case Duel():
            return _duel(state, setup, move)
        case Lamps():
            return _lamps_decided(replace(state, lamps=(*state.lamps, (move.player, move.spent))), setup)
        case EndRound():
            return _end_of_flights(state, setup)
        case Adjust():
            points = list(state.adjustments)
            points[move.player - 1] += move.points
            return replace(state, adjustments=tuple(points))
        case Transfer():
            return _transfer(state, setup, move)


def verdict(state: State, setup: Setup, move: Evaluate) -> Verdict:
    """Who claims what when the flight is evaluated with these landings (rules 1.5)."""
    landings = dict(state.thrown) | move.landings
    return judge(landings, setup.carpets, throw_sequence(setup.players, state.layouter, setup.rules), setup.rules)


def _throw(state: State, setup: Setup, move: Throw) -> State:
    """Rules 1.4.3, 1.4.5."""
    again = move.carpet in {carpet for carpet, _ in state.thrown}
    thrown = (*(pair for pair in state.thrown if pair[0] != move.carpet), (move.carpet, move.landing))
    state = replace(state, thrown=thrown, rethrown=state.rethrown | {move.carpet} if again else state.rethrown)
    return replace(state, phase="throwing" if next_thrower(state, setup) else "evaluation")


def _evaluate(state: State, setup: Setup, move: Evaluate) -> State:
    """Rules 1.5.2, 1.5.3: uncontested cards are taken at once."""
    found = verdict(state, setup, move)
    for slot, player in found.claims.items():
        state = _take(state, slot, player)
    state = replace(
        state,
        thrown=(),
        rethrown=frozenset(),
        flights=state.flights + 1,
        contests=tuple(Contest(slot, players) for slot, players in found.contests.items()),
    )
    return replace(state, phase="duels") if state.contests else _after_evaluation(state, setup)


def _duel(state: State, setup: Setup, move: Duel) -> State:
    """Rules 1.5, djinn duel 2 and 3."""
    contest = next(c for c in state.contests if c.slot == move.slot)
    complete = set(move.djinns) == set(contest.players)
    winner = winner_of(move.djinns) if complete else move.winner
    assert winner is not None
    state = replace(
        _take(state, move.slot, winner),
        djinns=state.djinns.after(contest.players, winner, move.djinns),
        contests=tuple(c for c in state.contests if c is not contest),
    )
    return state if state.contests else _after_evaluation(state, setup)


def _take(state: State, slot: int, player: int) -> State:
    card = state.card(slot)
    assert card is not None
    hands = list(state.hands)
    hands[player - 1] = (*hands[player - 1], card)
    return replace(state, hands=tuple(hands), table=tuple(c for c in state.table if c is not card))


def _after_evaluation(state: State, setup: Setup) -> State:
    """Rules 1.5: throw again, or the round ends."""
    if flies_again((card.kind for card in state.table), state.flights, setup.rules):
        return replace(state, phase="throwing")
    return _end_of_flights(state, setup)


def _end_of_flights(state: State, setup: Setup) -> State:
    return _lamps_decided(replace(state, phase="lamps", lamps=()), setup)


def _lamps_decided(state: State, setup: Setup) -> State:
    return state if lamp_deciders(state, setup) else _end_of_round(state, setup)


def _end_of_round(state: State, setup: Setup) -> State:
    """Rules 1.6.2, 1.6.5 to 1.6.7."""
    players = range(1, setup.players + 1)
    spent = dict(state.lamps)
    points = palace_points({p: state.count(p, "palace") for p in players}, spent, setup.rules)
    hands, out = [], list(state.out)
    for player in players:
        lamps, kept = spent.get(player, 0), []
        for card in state.hands[player - 1]:
            if card.kind == "palace" or (card.kind == "lamp" and lamps):
                lamps -= card.kind == "lamp"
                out.append(card)
            else:
                kept.append(card)
        hands.append(tuple(kept))
    under = setup.rules.leftovers == "under_deck"
    last = state.round == ROUNDS[setup.players]
    return replace(
        state,
        phase="over" if last else "layout",
        round=state.round if last else state.round + 1,
        layouter=state.layouter if last else state.layouter % setup.players + 1,
        hands=tuple(hands),
        table=(),
        out=tuple(out) if under else (*out, *state.table),
        bottom=(*state.bottom, *state.table) if under else state.bottom,
        tally=tuple((state.count(p, "palace"), spent.get(p, 0), points[p]) for p in players),
        palace_points=tuple(old + points[p] for p, old in zip(players, state.palace_points, strict=True)),
        flights=0,
        lamps=(),
    )


def _transfer(state: State, setup: Setup, move: Transfer) -> State:
    """A correction: the card leaves its place and goes where the table says; 1.5 then decides on the next flight."""
    key = move.round, move.slot
    cards = [card for hand in (*state.hands, state.table) for card in hand if (card.round, card.slot) == key]
    card = cards[0]
    hands = [tuple(c for c in hand if c is not card) for hand in state.hands]
    table = tuple(c for c in state.table if c is not card)
    if move.to == TABLE:
        table = tuple(sorted((*table, card), key=lambda c: c.slot))
    else:
        hands[move.to - 1] = (*hands[move.to - 1], card)
    state = replace(state, hands=tuple(hands), table=table)
    if state.flights and (state.phase == "throwing" or (state.phase == "lamps" and move.to == TABLE)):
        return _after_evaluation(state, setup)
    return state
