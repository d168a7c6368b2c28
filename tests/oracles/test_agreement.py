"""The engines against the naive rules on random games: a few here, ten thousand among the slow tests."""

import pytest

from rules.fairplay import Draw, Lay, Mend, Offer, Refuel, Reveal, Roll, Step, Stop
from tests.oracles import carpets_agree, fairplay_agree
from tests.oracles.fairplay import Race
from tests.oracles.fairplay_cards import possible


def test_fair_play_agrees_on_random_games():
    tally = fairplay_agree.compare(range(60), tried=0.01)
    assert tally.disagreements == []
    assert tally.moves > 20_000
    for kind in (Roll, Lay, Step, Stop, Draw, Offer, Reveal, Refuel):
        assert tally.tried[kind.__name__, "legal"], kind
    for kind in (Roll, Lay, Step, Stop, Draw, Offer, Reveal, Refuel, Mend):
        assert tally.tried[kind.__name__, "illegal"], kind


@pytest.mark.slow
def test_fair_play_agrees_on_ten_thousand_random_games():
    assert fairplay_agree.compare(range(10_000)).disagreements == []


@pytest.mark.parametrize("rule", ["room", "may_win", "closed_ways"])
def test_a_rule_that_differs_is_noticed(rule, monkeypatch):
    wrong = {
        "room": lambda race, place: 9.0,
        "may_win": lambda race: False,
        "closed_ways": lambda race: {"left"},
    }
    monkeypatch.setattr(Race, rule, wrong[rule])
    assert fairplay_agree.compare(range(5), tried=0).disagreements


def test_the_judge_counts_cards_wherever_they_are():
    told = {"players": 2, "hands": {1: ["card.catchup"] * 3, 2: ["card.catchup"]}}
    assert possible(told, [Draw(1, "card.catchup")])
    assert not possible(told, [Draw(1, "card.catchup"), Offer(1, 2), Reveal(2, "card.plus1")])
    # the fifth may be in player 2's hand, but then it cannot be drawn
    assert possible(told, [Draw(1, "card.plus1"), Offer(1, 2, "card.plus1"), Draw(2), Offer(2, 1, "card.catchup")])
    both = [Draw(1, "card.catchup"), Offer(1, 2), Reveal(1, "card.catchup"), Offer(2, 1), Reveal(1, "card.catchup")]
    assert possible(told, both)
    assert not possible(told, [*both, Offer(2, 1), Reveal(1, "card.catchup")])


def test_fliegende_teppiche_is_scored_alike_on_random_hands():
    assert carpets_agree.compare(range(150)) == []


@pytest.mark.slow
def test_fliegende_teppiche_is_scored_alike_on_ten_thousand_hands():
    assert carpets_agree.compare(range(10_000)) == []
