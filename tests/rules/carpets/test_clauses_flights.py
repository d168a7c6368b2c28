"""Rules text 1.4 and 1.5: throwing, claims, duels. One test for each clause, written from the text alone.

The number in a test's name is the clause. Expected values come from the text or from `tests.oracles`, never from
running the engine.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.carpets.flights import judge, throw_sequence
from rules.carpets.game import Game
from rules.carpets.house_rules import HouseRules
from rules.carpets.moves import Duel, Evaluate, Landing, Throw
from tests.oracles import carpets_score as oracle
from tests.rules.carpets.clauses import (
    COLOUR,
    FOUR_DESERTS,
    SETS,
    TWELVE,
    USUAL,
    breaks,
    fly,
    lay,
    on,
    remaining,
    start,
    table,
)


@pytest.mark.parametrize(("layouter", "order"), [(1, (2, 3, 1)), (2, (3, 1, 2)), (3, (1, 2, 3))])
def test_1_4_1_the_layouter_s_left_throws_first_the_layouter_last(layouter, order):
    assert throw_sequence(3, layouter, USUAL) == order
    game = lay(start(layouter=layouter))
    for player in order:
        assert game.turn == player
        game.push(Throw(COLOUR[player]))
    assert game.turn is None


def test_1_4_1_nobody_throws_out_of_turn():
    game = lay(start())
    assert breaks(game, Throw("red")).startswith("1.4.1")


def test_1_4_3_one_throw_for_each_carpet():
    game = lay(start())
    game.push(Throw("blue"))
    breaks(game, Throw("blue"))


def test_1_4_3_rethrow_on_fumble():
    game = lay(start(rethrow_on_fumble=True))
    game.push(Throw("blue", on(1)))
    game.push(Throw("blue", on(2)))
    game.push(Throw("green"))
    game.push(Throw("red"))
    game.push(Evaluate())
    assert game.hand(2) == (TWELVE[1],)


def test_1_4_4_with_two_players_all_four_carpets_fly():
    assert throw_sequence(2, 1, USUAL) == (2, 1, 2, 1)
    game = lay(start(2))
    thrown = []
    while game.turn is not None:
        thrown.append(game.turn)
        own = [c for c, p in game.setup.carpets.items() if p == game.turn]
        game.push(Throw(next(c for c in own if game.why_illegal(Throw(c)) is None)))
    assert thrown == [2, 1, 2, 1]


def test_1_4_4_two_player_throw_order_both_at_once():
    assert throw_sequence(2, 1, HouseRules.of({"two_player_throw_order": "both_at_once"})) == (2, 2, 1, 1)


def test_1_4_5_a_later_carpet_may_push_an_earlier_one_and_where_it_then_lies_counts():
    game = lay(start())
    game.push(Throw("blue", on(1)))
    game.push(Throw("green"))
    game.push(Throw("red", on(4)))
    game.push(Evaluate({"blue": on(2)}))
    assert game.hand(2) == (TWELVE[1],)
    assert TWELVE[0] in table(game)


def test_1_4_5_evaluation_waits_until_all_have_flown():
    game = lay(start())
    game.push(Throw("blue", on(1)))
    breaks(game, Evaluate())


def verdict(landings, owners=None, order=(2, 3, 1), **house_rules):
    owners = owners or {"red": 1, "blue": 2, "green": 3}
    return judge(landings, owners, order, HouseRules.of(house_rules))


def test_1_5_a_carpet_beside_or_below_does_not_count():
    got = verdict({"red": Landing(under=(1,)), "blue": Landing(), "green": on(2)})
    assert got.claims == {2: 3}
    assert got.contests == {}


def test_1_5_a_carpet_under_one_card_and_over_another_lies_on_the_other_only():
    got = verdict({"red": Landing(on=(2,), under=(1,))})
    assert got.claims == {2: 1}


def test_1_5_with_another_carpet_between_it_still_lies_on_the_card():
    got = verdict({"red": on(1), "blue": Landing(on=(1,), over=("red",))})
    assert {k: set(v) for k, v in got.contests.items()} == {1: {1, 2}}


@pytest.mark.parametrize(("option", "owner"), [("top_only", 2), ("bottom_only", 1)])
def test_1_5_carpet_over_carpet(option, owner):
    got = verdict({"red": on(1), "blue": Landing(on=(1,), over=("red",))}, carpet_over_carpet=option)
    assert (got.claims, got.contests) == ({1: owner}, {})


def test_1_5_a_carpet_only_on_carpets_lies_on_nothing():
    got = verdict({"red": on(1), "blue": Landing(over=("red",))})
    assert (got.claims, dict(got.empty)) == ({1: 1}, {"blue": "missed"})


def test_1_5_1_who_gets_nothing_and_why():
    got = verdict({"red": Landing(off_table=True), "blue": Landing(), "green": Landing(under=(1, 2))})
    assert got.claims == {}
    assert dict(got.empty) == {"red": "off_table", "blue": "missed", "green": "only_under"}


def test_1_5_2_one_player_must_take_every_card_he_lies_on_even_deserts():
    game = fly(lay(start()), {"blue": on(11, 12)})
    assert game.hand(2) == ("desert", "desert")
    assert table(game) == TWELVE[:10]


def test_1_5_2_two_carpets_of_one_player_on_a_card_are_no_contest():
    game = fly(lay(start(2)), {"red": on(1), "green": on(1)})
    assert game.hand(1) == (TWELVE[0],)
    assert game.state.phase != "duels"


def test_1_5_2_cards_without_a_carpet_stay():
    game = fly(lay(start()))
    assert table(game) == TWELVE


def test_1_5_3_a_carpet_takes_the_uncontested_and_duels_for_the_contested():
    game = fly(lay(start(djinns=SETS[3])), {"red": on(1, 4), "blue": on(4)})
    assert game.hand(1) == (TWELVE[0],)
    assert game.state.phase == "duels"
    game.push(Duel(4, {1: 8, 2: 7}))
    assert game.hand(1) == (TWELVE[0], TWELVE[3])


def two_contests(**house_rules) -> Game:
    """Card 4 (Ana, Ben) and card 1 (Ben, Cem)."""
    game = lay(start(djinns=SETS[3], **house_rules))
    return fly(game, {"red": on(4), "blue": on(1, 4), "green": on(1)})


def test_1_5_4_duels_in_the_order_of_the_layout():
    game = two_contests()
    breaks(game, Duel(4, {1: 8, 2: 7}))
    game.push(Duel(1, {2: 7, 3: 6}))
    game.push(Duel(4, {1: 8, 2: 6}))


@pytest.mark.parametrize("order", ["layouter_chooses", "first_thrower_chooses"])
def test_1_5_4_duel_order_may_be_a_choice(order):
    game = two_contests(duel_order=order)
    game.push(Duel(4, {1: 8, 2: 7}))
    game.push(Duel(1, {2: 8, 3: 6}))


def contested(djinns=SETS[3]) -> Game:
    """All three on card 9, a treasure."""
    return fly(lay(start(djinns=djinns)), {"red": on(9), "blue": on(9), "green": on(9)})


def test_1_5_duel_1_each_involved_player_reveals_one_of_his_own():
    game = contested()
    breaks(game, Duel(9, {1: 7, 2: 4, 3: 6}))  # the 7 is Ben's
    breaks(game, Duel(9, {1: 8, 2: 7}))  # Cem is involved, too
    breaks(game, Duel(9, {1: 8, 2: 8, 3: 6}))  # there is one 8


def test_1_5_duel_1_only_the_involved_reveal():
    game = fly(lay(start(djinns=SETS[3])), {"red": on(9), "blue": on(9)})
    breaks(game, Duel(9, {1: 8, 2: 7, 3: 6}))


def test_1_5_duel_2_the_highest_takes_the_card():
    game = contested()
    game.push(Duel(9, {1: 3, 2: 4, 3: 5}))
    assert game.hand(3) == ("treasure",)


def test_1_5_duel_3_winner_s_and_lowest_change_owners_the_others_keep_theirs():
    game = contested()
    game.push(Duel(9, {1: 3, 2: 7, 3: 5}))
    _, want = oracle.duel({"1": 3, "2": 7, "3": 5}, {str(p): s for p, s in SETS[3].items()})
    assert {str(p): set(game.state.djinns.certain(p)) for p in game.players} == want
    assert want == {"1": {8, 7}, "2": {3, 4}, "3": {6, 5}}


def test_1_5_duel_4_set_sizes_never_change_and_a_djinn_may_be_used_again():
    game = two_contests()
    game.push(Duel(1, {2: 7, 3: 6}))  # Ben wins: he has 6 and 4, Cem 7 and 5
    game.push(Duel(4, {1: 8, 2: 6}))  # the 6 again, with its new owner
    assert {p: set(game.state.djinns.certain(p)) for p in game.players} == {1: {6, 3}, 2: {8, 4}, 3: {7, 5}}


def test_1_5_duel_5_one_djinn_for_each_player_not_for_each_carpet():
    game = fly(lay(start(2, djinns=SETS[2])), {"red": on(9), "green": on(9), "blue": on(9), "yellow": on(9)})
    game.push(Duel(9, {1: 1, 2: 2}))
    assert game.hand(2) == ("treasure",)
    assert {p: set(game.state.djinns.certain(p)) for p in game.players} == {1: {8, 5, 4, 2}, 2: {7, 6, 3, 1}}


def test_1_5_after_the_evaluation_they_fly_again_in_the_same_order():
    game = fly(lay(start()), {"blue": on(1)})
    assert (game.state.phase, game.state.round, game.turn) == ("throwing", 1, 2)


def test_1_5_a_card_that_was_taken_lies_there_no_more():
    game = fly(lay(start()), {"blue": on(1)})
    breaks(game, Throw("blue", on(1)))


@pytest.mark.parametrize(
    ("left", "again"),
    [
        (["palace"] * 4, True),
        (["palace"] * 3, False),
        (["desert"] * 4, False),
        (["desert"] * 3 + ["palace"], True),
        (["desert"] * 4 + ["palace"], True),
        ([], False),
    ],
)
def test_1_5_end_another_flight_while_four_cards_lie_there_that_are_not_all_deserts(left, again):
    game = remaining(FOUR_DESERTS, left)
    assert oracle.throws_again(left) is again
    assert (game.state.phase == "throwing" and game.state.round == 1) is again


def test_1_5_max_throw_turns():
    game = fly(fly(lay(start(max_throw_turns=2))))
    assert not (game.state.phase == "throwing" and game.state.round == 1)


places = st.dictionaries(
    st.sampled_from(["red", "blue", "green", "yellow"]),
    st.tuples(st.sets(st.integers(1, 5), max_size=3), st.sets(st.integers(1, 5), max_size=2), st.booleans()),
    min_size=1,
)


@settings(max_examples=300)
@given(
    places=places,
    two=st.booleans(),
    option=st.sampled_from(["counts", "top_only", "bottom_only"]),
)
def test_1_5_random_flights_agree_with_the_oracle(places, two, option):
    owners = {"red": 1, "blue": 2, "green": 1 if two else 3, "yellow": 2 if two else 4}
    order = list(places)  # a later carpet lies on an earlier one wherever they meet above a card
    landings, pile = {}, set()
    for i, (carpet, (above, below, gone)) in enumerate(places.items()):
        below = below - above
        if gone:
            landings[carpet] = Landing(off_table=True)
            continue
        below_carpets = tuple(c for c in order[:i] if c in landings and set(landings[c].on) & above)
        landings[carpet] = Landing(on=tuple(sorted(above)), under=tuple(sorted(below)), over=below_carpets)
        pile |= {(carpet, str(n)) for n in above} | {(str(n), carpet) for n in below}
        pile |= {(carpet, c) for c in below_carpets}
    want = oracle.claims(
        [(c, str(owners[c])) for c in places],
        [str(n) for n in range(1, 6)],
        pile,
        [c for c in places if places[c][2]],
        option,
    )
    got = judge(landings, owners, (1, 2) if two else (1, 2, 3, 4), HouseRules.of({"carpet_over_carpet": option}))
    assert {str(n): str(p) for n, p in got.claims.items()} == want.claimed
    assert {str(n): {str(p) for p in players} for n, players in got.contests.items()} == want.contested
    if option == "counts":
        assert dict(got.empty) == want.no_claim
