"""Rules text 1.6 to 1.8: palaces, rounds, final score, options. One test for each clause, written from the text alone.

The number in a test's name is the clause. Expected values come from the text or from `tests.oracles`, never from
running the engine.
"""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.carpets.cards import DESTINATIONS
from rules.carpets.game import Game
from rules.carpets.house_rules import HouseRuleError, HouseRules
from rules.carpets.moves import EndRound, Lamps, Lay
from rules.carpets.palaces import palace_points
from rules.carpets.scoring import final_score
from tests.oracles import carpets_score as oracle
from tests.rules.carpets.clauses import (
    ADVENTURES,
    COLOUR,
    FOUR_DESERTS,
    USUAL,
    breaks,
    finish_round,
    fly,
    lay,
    on,
    remaining,
    spend_no_lamps,
    start,
)


def test_1_6_1_a_spent_lamp_counts_as_a_palace():
    game = fly(
        lay(start(), ["palace", "lamp", "lamp", *["treasure"] * 3, *["desert"] * 4, *["bazaar.spice"] * 2]),
        {"blue": on(1), "red": on(2)},
    )
    game.push(EndRound())
    assert game.state.phase == "lamps"
    # Clockwise from the layouter's left; only Ana (1) holds a lamp
    for player in (2, 3, 1):
        if game.state.phase == "lamps" and game.why_illegal(Lamps(player, 1 if player == 1 else 0)) is None:
            game.push(Lamps(player, 1 if player == 1 else 0))
    assert (game.fixed(1), game.fixed(2), game.fixed(3)) == (5, 5, -5)


def test_1_6_1_nobody_spends_more_lamps_than_he_has():
    game = fly(lay(start()), {"red": on(1, 10)})
    game.push(EndRound())
    while game.state.phase == "lamps" and game.why_illegal(Lamps(1, 1)) is not None:
        player = next(p for p in (2, 3) if game.why_illegal(Lamps(p, 0)) is None)
        game.push(Lamps(player, 0))
    breaks(game, Lamps(1, 2))


@pytest.mark.parametrize(
    ("palaces", "points"),
    [
        ({1: 3, 2: 1, 3: 2}, {1: 5, 2: -5, 3: 0}),
        ({1: 2, 2: 2, 3: 0}, {1: 5, 2: 5, 3: -5}),
        ({1: 1, 2: 0, 3: 0}, {1: 5, 2: -5, 3: -5}),
        ({1: 1, 2: 1, 3: 1}, {1: 0, 2: 0, 3: 0}),
    ],
)
def test_1_6_2_and_3_most_and_fewest_palaces(palaces, points):
    assert palace_points(palaces, {}, USUAL) == points


@given(
    counts=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), min_size=2, max_size=4),
    equal=st.sampled_from(["both", "none"]),
)
def test_1_6_2_agrees_with_the_oracle(counts, equal):
    palaces = {i: palaces for i, (palaces, _) in enumerate(counts, 1)}
    lamps = {i: lamps for i, (_, lamps) in enumerate(counts, 1)}
    want = oracle.palace_points(
        {str(i): n for i, n in palaces.items()}, {str(i): n for i, n in lamps.items()}, {"palace_all_equal": equal}
    )
    got = palace_points(palaces, lamps, HouseRules.of({"palace_all_equal": equal}))
    assert {str(i): n for i, n in got.items()} == want


def test_1_6_2_a_round_without_any_palace_taken_brings_nothing():
    game = finish_round(fly(lay(start()), {"red": on(9)}))
    assert [game.fixed(p) for p in game.players] == [0, 0, 0]


LAMPS_FOR_ALL = ["palace", "palace", "lamp", "lamp", "lamp", *["desert"] * 4, *["treasure"] * 3]


def all_hold_lamps(**house_rules) -> Game:
    game = fly(lay(start(**house_rules), LAMPS_FOR_ALL), {"red": on(1, 3), "blue": on(2, 4), "green": on(5)})
    game.push(EndRound())
    return game


def test_1_6_4_lamps_are_decided_clockwise_from_the_layouter_s_left():
    game = all_hold_lamps()
    breaks(game, Lamps(1, 0))
    breaks(game, Lamps(3, 0))
    game.push(Lamps(2, 1))
    breaks(game, Lamps(1, 0))
    game.push(Lamps(3, 0))
    game.push(Lamps(1, 0))
    assert [game.fixed(p) for p in game.players] == [0, 5, -5]


def test_1_6_4_secret_lamps_are_told_in_any_order():
    game = all_hold_lamps(lamp_decision="secret")
    game.push(Lamps(1, 1))
    game.push(Lamps(3, 0))
    game.push(Lamps(2, 0))
    assert [game.fixed(p) for p in game.players] == [5, 0, -5]


def test_1_6_5_palaces_and_spent_lamps_leave_the_game_unspent_lamps_stay():
    game = all_hold_lamps()
    for player, lamps in ((2, 1), (3, 0), (1, 0)):
        game.push(Lamps(player, lamps))
    assert [game.hand(p) for p in game.players] == [("lamp",), (), ("lamp",)]


def test_1_6_6_cards_still_on_the_table_leave_the_game():
    left = remaining(FOUR_DESERTS, ["palace"] * 3)
    spend_no_lamps(left)
    assert left.state.round == 2
    assert left.state.table == ()
    # all four deserts were taken and all twelve cards were laid: none comes again
    breaks(left, Lay("desert"))
    assert left.state.deck_size() == 40


def test_1_6_6_leftovers_under_the_deck_do_not_come_up_again_either():
    """12 x 4 = 48 of 52 cards are dealt at most: what lies under the deck is never reached."""
    game = finish_round(fly(lay(start(leftovers="under_deck"), FOUR_DESERTS)))
    assert game.state.table == ()
    breaks(game, Lay("desert"))


def test_1_6_7_the_next_player_on_the_left_lays_out():
    game = finish_round(fly(lay(start(layouter=3))))
    assert game.state.layouter == 1


@pytest.mark.parametrize(("players", "rounds"), [(2, 4), (3, 3), (4, 4)])
def test_1_6_rounds_in_a_game(players, rounds):
    game = start(players)
    layouters = []
    piles = [
        ["palace"] * 12,
        [*ADVENTURES * 2, "lamp", "lamp"],
        ["bazaar.spice"] * 5 + ["bazaar.carpet"] * 5 + ["lamp"] * 2,
    ]
    piles.append(["bazaar.camel"] * 4 + ["desert"] * 4 + ["treasure"] * 3 + ["adventure.1"])
    for kinds in piles[:rounds]:
        assert not game.is_over
        layouters.append(game.state.layouter)
        finish_round(fly(lay(game, kinds)))
    assert game.is_over
    assert Counter(layouters) == dict.fromkeys(range(1, players + 1), rounds // players)


hands = st.lists(
    st.sampled_from([k for k, n in DESTINATIONS.items() for _ in range(n) if k != "palace"]), max_size=14
).filter(lambda hand: all(n <= DESTINATIONS[kind] for kind, n in Counter(hand).items()))
scoring_rules = st.fixed_dictionaries(
    {},
    optional={
        "lamp_as_treasure": st.booleans(),
        "joker_only_sets": st.booleans(),
        "bazaar_values": st.fixed_dictionaries({k: st.integers(0, 12) for k in ("spice", "carpet", "camel")}),
        "adventure_ladder": st.lists(st.integers(0, 20), min_size=5, max_size=5).map(sorted),
    },
)


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        (["bazaar.spice"] * 3 + ["bazaar.carpet"] * 2 + ["bazaar.camel"], 11),
        (["bazaar.camel"] * 4, 14),
        ([*ADVENTURES, *ADVENTURES[:3]], 21),
        (["treasure"] * 3, 9),
        (["desert"] * 2, -10),
        (["lamp", "desert"], 0),
        (["lamp", "adventure.1"], 4),
        ([*ADVENTURES[:4], "lamp"], 15),
        (["lamp", "bazaar.camel"], 7),
        ([], 0),
    ],
)
def test_1_7_cards_by_hand(cards, points):
    assert final_score(cards, USUAL) == points


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(cards=hands, rules=scoring_rules)
def test_1_7_the_best_use_of_lamps_agrees_with_the_oracle(cards, rules):
    assert final_score(cards, HouseRules.of(rules)) == oracle.final_score(cards, rules)


def test_1_7_lamps_need_a_real_card_beside_them():
    assert final_score(["lamp", "lamp"], HouseRules.of({"lamp_as_treasure": False})) == 0
    assert final_score(["lamp", "lamp"], HouseRules.of({"lamp_as_treasure": False, "joker_only_sets": True})) == 7


def play_out(shares: dict[int, tuple[int, ...]], **house_rules) -> Game:
    """Three rounds; in the last the players take these of the cards below, nobody ever takes a palace."""
    game = start(**house_rules)
    for kinds in (["palace"] * 12, [*ADVENTURES * 2, "bazaar.camel", "bazaar.camel"]):
        finish_round(fly(lay(game, kinds)))
    lay(game, [*["treasure"] * 3, *["desert"] * 2, *["bazaar.spice"] * 5, "bazaar.carpet", "bazaar.carpet"])
    return finish_round(fly(game, {COLOUR[p]: on(*cards) for p, cards in shares.items()}))


def test_1_7_most_points_wins():
    game = play_out({1: (1,), 2: (2, 3), 3: (4,)})
    assert game.is_over
    assert game.scores == {1: 3, 2: 6, 3: -5}
    assert game.winners == (2,)


def test_1_7_a_tie_is_a_shared_win():
    game = play_out({1: (1,), 2: (2,)})
    assert game.winners == (1, 2)


def test_1_7_tiebreak_most_cards():
    # a treasure (3) against a treasure and a single bazaar (3 + 0)
    shares = {1: (1,), 2: (2, 6)}
    assert play_out(shares).winners == (1, 2)
    assert play_out(shares, tiebreak="most_cards").winners == (2,)


def test_1_7_totals_may_be_negative():
    assert play_out({3: (4, 5)}).scores[3] == -10


def test_1_8_every_option_has_its_name_and_default():
    told = {
        "bazaar_values": {"spice": 5, "carpet": 6, "camel": 7},
        "adventure_ladder": (1, 3, 6, 10, 15),
        "throw_distance_cm": 30,
        "rearrange_limit": None,
        "duel_order": "layout_index",
        "carpet_over_carpet": "counts",
        "pushed_cards": "stay",
        "two_player_throw_order": "alternate",
        "palace_all_equal": "both",
        "leftovers": "remove",
        "lamp_as_treasure": True,
        "joker_only_sets": False,
        "lamp_decision": "clockwise",
        "first_player": None,
        "tiebreak": "shared",
        "min_overlap_mm2": 0,
        "rethrow_on_fumble": False,
        "max_throw_turns": None,
    }
    assert {name: getattr(USUAL, name) for name in told} == told
    assert tuple(USUAL.card_mm) == (59.0, 91.0)
    assert 0 < USUAL.ask_below_confidence <= 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"no_such_option": 1},
        {"duel_order": "youngest"},
        {"adventure_ladder": [1, 2, 3]},
        {"bazaar_values": {"spice": 5}},
        {"bazaar_values": {"spice": 5, "carpet": 6, "camel": 7, "salt": 3}},
        {"throw_distance_cm": -1},
        {"rearrange_limit": -1},
        {"card_w_mm": 0},
        {"tiebreak": "duel"},
        {"max_throw_turns": 0},
        {"min_overlap_mm2": -5},
        {"ask_below_confidence": 1.5},
        {"lamp_as_treasure": "yes"},
    ],
)
def test_1_8_a_wrong_option_is_refused_by_name(wrong):
    with pytest.raises(HouseRuleError) as error:
        HouseRules.of(wrong)
    assert next(iter(wrong)) in str(error.value)
