"""Whole games of the engine put on a table and refereed: what the referee says is what was played.

A few are broken off early, so that the tests stay quick; the slow ones run on.
"""

import pytest

from tests.rules.fairplay.watched import Noise, watch


@pytest.mark.parametrize("seed", range(12))
def test_every_roll_way_and_place_is_told_and_nothing_is_asked(seed):
    heard = watch(seed, most_moves=250)
    assert heard.rolls == heard.true_rolls
    assert heard.ways == heard.true_ways
    assert heard.right
    assert not heard.questions
    assert not heard.rulings("fairplay.illegal")


@pytest.mark.parametrize("seed", (3, 7))
def test_a_game_is_refereed_to_its_end(seed):
    heard = watch(seed, most_moves=3000)
    assert heard.right
    assert heard.winners


@pytest.mark.parametrize("seed", range(6))
def test_lost_stills_cost_at_most_a_question(seed):
    """Of what is told without having been seen, the referee says that it is inferred."""
    heard = watch(seed, Noise(missed=0.1), most_moves=250)
    state = heard.table.game_table.game.state
    assert heard.rolls == heard.true_rolls
    assert list(heard.scores.values()) == list(state.positions)
    assert not heard.rulings("fairplay.illegal")
    assert len(heard.questions) <= 0.02 * len(heard.outputs) + 1


@pytest.mark.parametrize("seed", (5, 8, 16, 19))
def test_a_card_is_told_when_it_is_turned_up_and_before_the_next_roll_and_never_of_the_wrong_user(seed):
    """Who used it may stay untold where it moved nobody, since it may be turned up where it was offered."""
    heard = watch(seed, most_moves=250)
    told = heard.rulings("fairplay.card")
    assert len(told) == len(heard.turned_up)
    for ruling, (up, user, card, by) in zip(told, heard.turned_up, strict=True):
        assert (ruling.data["card"], ruling.data["offered_by"]) == (card, by)
        assert ruling.player in (user, None)
        assert up <= ruling.t <= min((t for t in heard.thrown if t > up), default=ruling.t)
    assert sum(ruling.player is None for ruling in told) <= 0.15 * len(told)


NOISES = {
    "pieces covered": Noise(covered=0.05),
    "pieces covered as they are put there": Noise(covered=0.03, fresh=0.03),
    "a die unread": Noise(unread=0.1),
    "tiles unnamed": Noise(unnamed=0.03),
    "a hand that rests": Noise(hand=0.05),
}


@pytest.mark.parametrize("seed", (1, 8, 16, 23, 24, 37))
@pytest.mark.parametrize("noise", NOISES)
def test_what_a_camera_does_not_see_for_a_still_changes_nothing(noise, seed):
    heard = watch(seed, NOISES[noise], most_moves=150)
    assert heard.right
    assert len(heard.questions) <= 2
    assert not heard.rulings("fairplay.illegal")


@pytest.mark.parametrize("seed", (5, 8, 9))
def test_five_and_six_players_who_share_sides_are_asked_only_who_keeps_a_card(seed):
    heard = watch(seed, most_moves=250, sides=False)
    assert len(heard.table.session.player) > 4
    assert heard.right
    assert {question.rule for question in heard.questions} <= {"fairplay.user"}
    assert len(heard.questions) <= 0.02 * len(heard.outputs)
    assert not heard.rulings("fairplay.illegal")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 120))
def test_many_games_are_told_as_they_were_played(seed):
    heard = watch(seed)
    assert heard.right
    assert not heard.questions
    assert not heard.rulings("fairplay.illegal")


def test_the_same_scenes_give_the_same_rulings():
    once, again = watch(5, Noise(missed=0.1), most_moves=150), watch(5, Noise(missed=0.1), most_moves=150)
    assert once.outputs == again.outputs
