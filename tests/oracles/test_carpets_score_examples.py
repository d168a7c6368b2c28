"""The naive scorer against sums done by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.carpets_score import best_split, claims, duel, final_score, palace_points, throws_again

A, B, C, D, E = (f"adventure.{n}" for n in range(1, 6))
SPICE, CARPET, CAMEL = "bazaar.spice", "bazaar.carpet", "bazaar.camel"


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ([], 0),
        # pairs only: two spice 5, three carpets one pair 6, a single camel nothing
        ([SPICE, SPICE, CARPET, CARPET, CARPET, CAMEL], 11),
        ([SPICE] * 5, 10),
        ([CAMEL] * 4, 14),
        (["treasure"] * 3, 9),
        (["desert"] * 3, -15),
        # sets of adventures: 1, 3, 6, 10, 15
        ([A], 1),
        ([A, B], 3),
        ([A, B, C], 6),
        ([A, B, C, D], 10),
        ([A, B, C, D, E], 15),
        # two of a letter cannot share a set
        ([A, A], 2),
        # ABC and AB: 6 + 3
        ([A, A, B, B, C], 9),
        # a lamp alone: there is nothing it can be a joker beside, but it may be a treasure
        (["lamp"], 3),
        # a lamp cancels a desert: 5, better than a treasure's 3
        (["lamp", "desert"], 0),
        # completes four adventures: 15 instead of 10
        ([A, B, C, D, "lamp"], 15),
        # a pair of camels (7) beats the fifth adventure (5) and the desert (5)
        ([A, B, C, D, CAMEL, "desert", "lamp"], 10 + 7 - 5),
        # two lamps: 6 for a pair of carpets, 5 for a desert
        ([CARPET, "desert", "lamp", "lamp"], 6),
        # one letter and four lamps make the whole set
        ([A, "lamp", "lamp", "lamp", "lamp"], 15),
        # Two lamps at ABC make the set of five: 15. Split, AB and C with one lamp each, is 6 + 3 at best.
        ([A, B, C, "lamp", "lamp"], 15),
        # palaces have left the game, and say nothing here
        (["palace", "palace"], 0),
    ],
)
def test_end_scoring_by_hand(cards, points):
    assert final_score(cards) == points


def test_options_of_the_lamp_by_hand():
    assert final_score(["lamp"], {"lamp_as_treasure": False}) == 0
    # a lamp may then be an adventure by itself; still only 1, a treasure is 3
    assert final_score(["lamp"], {"joker_only_sets": True}) == 3
    assert final_score(["lamp"], {"joker_only_sets": True, "lamp_as_treasure": False}) == 1
    # two lamps: a pair of camels out of nothing, 7; without the option two treasures, 6
    assert final_score(["lamp", "lamp"], {"joker_only_sets": True}) == 7
    assert final_score(["lamp", "lamp"]) == 6
    # four lamps, jokers only: two pairs of camels 14; four treasures 12; ABCD 10
    assert final_score(["lamp"] * 4, {"joker_only_sets": True}) == 14


def test_options_of_the_values_by_hand():
    assert final_score([SPICE, SPICE], {"bazaar_values": {"spice": 6, "carpet": 5, "camel": 7}}) == 6
    # a ladder that is not convex: two sets of two (4 + 4) beat one of three and a single (5 + 1)
    assert final_score([A, A, B, C], {"adventure_ladder": [1, 4, 5, 6, 7]}) == 8
    assert final_score([A, B, C, D], {"adventure_ladder": [1, 4, 5, 6, 7]}) == 8


@pytest.mark.parametrize(
    ("palaces", "lamps", "points"),
    [
        ({"Ana": 3, "Ben": 1, "Cem": 2}, {}, {"Ana": 5, "Ben": -5, "Cem": 0}),
        ({"Ana": 2, "Ben": 2, "Cem": 0}, {}, {"Ana": 5, "Ben": 5, "Cem": -5}),
        ({"Ana": 1, "Ben": 0, "Cem": 0}, {"Ben": 1}, {"Ana": 5, "Ben": 5, "Cem": -5}),
        ({"Ana": 2, "Ben": 2}, {}, {"Ana": 0, "Ben": 0}),
        ({"Ana": 0, "Ben": 0, "Cem": 0}, {}, {"Ana": 0, "Ben": 0, "Cem": 0}),
    ],
)
def test_palaces_by_hand(palaces, lamps, points):
    assert palace_points(palaces, lamps) == points


def test_claims_by_hand():
    flight = claims(
        carpets=[("red", "Ana"), ("blue", "Ben"), ("green", "Cem"), ("yellow", "Dora")],
        destinations=["p1", "p2", "p3", "p4"],
        # red over p1 and p2; blue over p2 and over red; green under p3 and over p4; yellow under p3 only
        stacking=[
            ("red", "p1"),
            ("red", "p2"),
            ("blue", "p2"),
            ("blue", "red"),
            ("p3", "green"),
            ("green", "p4"),
            ("p3", "yellow"),
        ],
    )
    assert flight.claimed == {"p1": "Ana", "p4": "Cem"}
    assert flight.contested == {"p2": {"Ana", "Ben"}}
    assert flight.stays == ["p3"]
    assert flight.no_claim == {"yellow": "only_under"}


def test_a_carpet_on_carpets_only_lies_on_nothing():
    flight = claims([("red", "Ana"), ("blue", "Ben")], ["p1"], [("red", "p1"), ("blue", "red")])
    assert (flight.claimed, flight.no_claim) == ({"p1": "Ana"}, {"blue": "missed"})


def test_carpet_over_carpet_by_hand():
    table = ([("red", "Ana"), ("blue", "Ben")], ["p1"], [("red", "p1"), ("blue", "p1"), ("blue", "red")])
    assert claims(*table).contested == {"p1": {"Ana", "Ben"}}
    assert claims(*table, carpet_over_carpet="top_only").claimed == {"p1": "Ben"}
    assert claims(*table, carpet_over_carpet="bottom_only").claimed == {"p1": "Ana"}


def test_two_carpets_of_one_player_are_no_contest():
    flight = claims([("red", "Ana"), ("blue", "Ana")], ["p1"], [("red", "p1"), ("blue", "p1")])
    assert (flight.claimed, flight.contested) == ({"p1": "Ana"}, {})


def test_a_carpet_off_the_table_gets_nothing():
    flight = claims([("red", "Ana")], ["p1"], [], off_table=["red"])
    assert (flight.stays, flight.no_claim) == (["p1"], {"red": "off_table"})


def test_duels_by_hand():
    two = {"Ana": {8, 3}, "Ben": {7, 4}, "Cem": {6, 5}}
    assert duel({"Ana": 3, "Ben": 7}, two) == ("Ben", {"Ana": {8, 7}, "Ben": {3, 4}, "Cem": {6, 5}})
    # three: Ben's 7 and Ana's 3 change owners, Cem takes his own back
    assert duel({"Ana": 3, "Ben": 7, "Cem": 5}, two) == ("Ben", {"Ana": {8, 7}, "Ben": {3, 4}, "Cem": {6, 5}})
    with pytest.raises(ValueError, match="does not hold"):
        duel({"Ana": 7, "Ben": 4}, two)


@pytest.mark.parametrize(
    ("left", "again"),
    [
        (["palace"] * 4, True),
        (["palace"] * 3, False),
        (["desert"] * 4, False),
        (["desert"] * 4 + ["lamp"], True),
        ([], False),
    ],
)
def test_another_flight_by_hand(left, again):
    assert throws_again(left) is again


@given(st.tuples(*[st.integers(0, 3)] * 5))
def test_on_the_usual_ladder_the_largest_set_first_is_a_best_split(counts):
    left, greedy = list(counts), 0
    while any(left):
        size = sum(n > 0 for n in left)
        greedy += (1, 3, 6, 10, 15)[size - 1]
        left = [max(0, n - 1) for n in left]
    assert best_split(counts, (0,) * 5, (1, 3, 6, 10, 15), False) == greedy
