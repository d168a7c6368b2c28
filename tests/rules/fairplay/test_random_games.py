"""Whole random games: nothing that really happened is refused, nothing is lost, and every game can be taken back."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rules.fairplay import Game, Move, Reveal
from rules.fairplay.house_rules import HouseRules
from rules.fairplay.pieces import CARDS, NARROW, PUNCTURE, TILES
from rules.fairplay.state import State
from tests.rules.fairplay.random_games import MOST_MOVES, Table, game_of, play, random_games


@pytest.mark.parametrize("block", range(10))
def test_what_really_happens_at_a_table_is_never_refused(block):
    """Real decks, hands mostly unseen: a refusal of a real move would raise here."""
    over = 0
    for options, _, moves, summaries in random_games(range(40 * block, 40 * block + 40)):
        assert len(summaries) == len(moves) + 1
        over += summaries[-1]["winner"] is not None
        if len(moves) < MOST_MOVES:
            assert summaries[-1]["positions"][summaries[-1]["winner"] - 1] == len(summaries[-1]["track"])
        assert len(summaries[0]["positions"]) == options["players"]
    assert over == 40


@pytest.mark.parametrize("seed", range(0, 400, 13))
def test_cards_and_cars_are_where_they_really_are(seed):
    table = Table(seed)
    rules = table.game.setup.rules
    while not table.game.is_over and len(table.game.moves) < MOST_MOVES:
        before = table.game.state
        table.move()
        state = table.game.state
        _check_cards(table, state)
        _check_cars(before, state, rules)
        for player, legs in table.game.explain().items():
            assert sum(leg.points for leg in legs) == table.game.scores[player]


def _check_cards(table: Table, state: State) -> None:
    """Rules 3.1, 3.3: 55 cards, hands as large as they really are, no more than the panne cards allow."""
    for player, hand in enumerate(table.hands, 1):
        assert state.hand_size(player) == len(hand)
        known = Counter(state.hand(player).known)
        if state.offered and player == state.player:
            known.subtract([table.offered])
        assert all(count <= hand.count(card) for card, count in known.items())
        choosing = player == state.player and state.phase == "offer"
        spare = state.phase == "discard" and player == state.user  # the panne lies there, its price is not paid yet
        assert state.hand_size(player) <= state.capacity(player) + choosing + spare
        if table.game.setup.rules.refuel_draw == 3 and state.phase == "roll":
            assert state.hand_size(player) == state.capacity(player)
        assert state.faceup[player - 1].count(PUNCTURE) <= 1
    assert state.pile.size == len(table.cards)
    assert len(state.discards) + state.discards_unseen == len(table.discards)
    assert not Counter(state.discards) - Counter(table.discards)
    for kind in CARDS:
        assert state.pile.least(kind) <= table.cards.count(kind) <= state.pile.most(kind)


def _check_cars(before: State, state: State, rules: HouseRules) -> None:
    """Rules 3.4, 3.6: no tile holds more than it may, the track only grows, nobody drives past a finish not laid."""
    assert state.track[: len(before.track)] == before.track
    assert len(state.track) - len(before.track) in (0, 1)
    assert all(count <= TILES[kind] for kind, count in Counter(state.track).items())
    moved = [p for p, (a, b) in enumerate(zip(before.positions, state.positions, strict=True), 1) if a != b]
    assert len(moved) <= 1
    if rules.remontee_limits == "none":
        return  # a catch-up that nothing stops arrives on full tiles and narrow roads, too
    for player in moved:
        place = state.position(player)
        if place == 0 or place == len(state.track):
            continue
        back = place < before.position(player)
        if state.track[place] == NARROW:
            assert state.cars(place) == 1
        elif state.track[place] == "road.finish":
            jumped = not rules.jump_can_win or not rules.win_any_time
            assert rules.finish_capacity is None or jumped or state.cars(place) <= rules.finish_capacity
        elif not (back and rules.reverse_full_tile == "allow"):
            assert state.cars(place) <= rules.tile_capacity


@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_pop_undoes_push_and_pushing_again_redoes_it(seed):
    game = play(seed).game
    end, moves = game.state, list(game.moves)
    again = game_of(Table(seed).options)
    states = [again.state]
    for move in moves:
        again.push(move)
        states.append(again.state)
    assert again.state == end
    for state, move in zip(reversed(states[:-1]), reversed(moves), strict=True):
        assert game.pop() == move
        assert game.state == state
    with pytest.raises(IndexError):
        game.pop()


@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_json_gives_the_same_game(seed):
    game = play(seed).game
    again = Game.from_json(game.to_json())
    assert (again.state, again.moves, again.setup) == (game.state, game.moves, game.setup)
    assert again.to_json() == game.to_json()


@pytest.mark.parametrize("seed", range(0, 400, 40))
def test_there_is_always_a_legal_move_and_what_is_not_offered_is_refused_by_name(seed):
    """Moves of the whole game, put where they do not belong: legal says yes exactly where why_illegal says nothing."""
    table = play(seed)
    dice = random.Random(seed)
    game = game_of(table.options)
    strange: list[Move] = list(dict.fromkeys(dice.sample(table.game.moves, 60)))
    for move in table.game.moves:
        if dice.random() < 0.1:
            offered = list(game.legal())
            assert offered
            assert len(set(offered)) == len(offered)
            for other in [*strange, move]:
                why = game.why_illegal(other)
                assert (other in offered) == (why is None)
                assert why is None or (why.rule and why.clause.startswith("3.") and why.reason)
        game.push(move)
    assert not list(game.legal())


@pytest.mark.parametrize("seed", range(5))
def test_every_hidden_card_may_be_anything_that_is_left(seed):
    """With nothing seen, each kind of which a copy is left is a legal reveal, and each that is gone is none."""
    table = Table(seed)
    while not table.game.is_over and len(table.game.moves) < 300:
        state = table.game.state
        if state.phase == "reveal" and not any(hand.known for hand in state.hands) and state.pile.unseen > 12:
            gone = Counter(state.discards) + Counter(card for cards in state.faceup for card in cards)
            possible = {move.card for move in table.game.legal() if isinstance(move, Reveal)}
            assert possible == {kind for kind, count in CARDS.items() if gone[kind] < count}
        table.move()


def test_every_option_is_tried_and_matters_somewhere():
    """Over the first games each option is used; the driver would otherwise prove less than it says."""
    tried = Counter(name for seed in range(100) for name in Table(seed).options["house_rules"])
    options = set(HouseRules.__struct_fields__) - {"players", "ranking", "track_layout"}
    assert set(tried) == options
    assert min(tried.values()) >= 10


def test_the_same_moves_give_the_same_position_copied_or_saved():
    game = play(3).game
    copy = game.copy()
    copy.pop()
    assert (copy.state, len(copy.moves)) != (game.state, len(game.moves))
    assert Game.from_json(copy.to_json()).state == copy.state
    copy.push(game.moves[-1])
    assert copy.state == game.state
