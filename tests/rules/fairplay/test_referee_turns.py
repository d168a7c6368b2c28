"""The referee at a small table: legal turns and broken rules, by the clauses of the rules text."""

import pytest

from rules.protocol import Question
from tests.rules.fairplay.staged import Race, illegal, words

# -- legal turns (3.3, 3.4, 3.5) --------------------------------------------------------------------------------------


def test_3_3_1_a_roll_and_fewer_steps_are_told_at_once():
    race = Race()
    assert words(race.roll(3).still()) == ["roll Anna 3"]
    assert words(race.lay("straight").still()) == []
    assert words(race.drive("red", 1).still()) == ["move Anna 0 1 die"]
    assert words(race.offer("Ben").still()) == ["offer Anna"]
    assert race.referee.view().players[1].active


def test_3_4_4_steps_seen_one_by_one_are_one_way_in_parts():
    race = Race()
    race.roll(2).lay("straight").still()
    race.drive("red", 1).still()
    assert words(race.lay("straight").drive("red", 2).still()) == ["move Anna 1 2 die"]


def test_3_4_4_no_step_need_be_taken():
    race = Race()
    race.roll(2).still()
    assert words(race.offer("Ben").still()) == ["offer Anna"]
    race.turn_up("plus1").still()
    assert words(race.lay("straight").drive("blue", 1).still()) == [
        "card Ben card.plus1 Anna Ben",
        "move Ben 0 1 card",
    ]
    assert words(race.take() and race.roll(1).still()) == ["roll Ben 1"]


@pytest.mark.parametrize("value", (1, 2, 3))
def test_3_3_1_the_same_value_at_the_same_place_is_a_throw(value):
    race = Race().turn("red", value, 1, "straight").play("Ben", "minus1")
    assert words(race.roll(value).still()) == ["card Ben card.minus1 Anna Ben", f"roll Ben {value}"]


def test_3_3_4_an_accepted_card_is_told_by_whose_car_moves_and_said_to_be_inferred():
    race = Race().turn("red", 1, 1, "straight")
    race.offer("Clara").still()
    assert words(race.turn_up("plus1").still()) == []
    said = race.drive("yellow", 1).still()
    assert words(said) == ["card Clara card.plus1 Anna Clara", "move Clara 0 1 card"]
    assert said[0].inferred and said[0].reason == "accepted"


def test_3_3_4_a_refused_card_may_be_turned_up_where_it_lies():
    race = Race().turn("red", 1, 1, "straight")
    race.offer("Clara").still()
    race.turn_up("plus1").still()
    said = race.lay("straight").drive("red", 2).still()
    assert words(said) == ["card Anna card.plus1 Anna Clara", "move Anna 1 2 card"]
    assert said[0].reason == "refused"


def test_3_3_4_a_refused_card_that_is_handed_back_is_ruled_at_once():
    race = Race().turn("red", 1, 1, "straight")
    race.offer("Clara").still()
    assert words(race.turn_up("puncture", "Anna").still()) == ["card Anna card.puncture Anna Clara"]


def test_3_3_4_a_card_without_effect_leaves_open_who_used_it_and_asks_nothing():
    race = Race().turn("red", 1, 1, "straight").play("Ben", "trouble").turn("blue", 1, 1)
    used = next(o for o in race.outputs if o.rule == "fairplay.card")
    assert used.inferred
    assert not [o for o in race.outputs if isinstance(o, Question)]


def test_3_3_0_a_puncture_costs_a_turn():
    race = Race().turn("red", 1, 1, "straight").play("Ben", "puncture", by="Ben")
    name = next(name for name in race.cards if name.startswith("puncture"))
    del race.cards[name]
    race.still()
    race.roll(1).still()
    assert words(race.outputs)[-3:] == ["card Ben card.puncture Anna Ben", "mend Ben", "roll Clara 1"]


def test_3_5_a_panne_takes_a_card_from_the_hand():
    race = Race().turn("red", 1, 1, "straight").play("Ben", "panne", by="Ben").turn("blue", 1, 1)
    assert race.referee.view().board["before"]["Ben"] == ["card.panne"]
    assert race.referee.view().board["hands"] == {"Anna": 3, "Ben": 2, "Clara": 3}


def test_3_3_0_filling_up_takes_the_panne_cards_away():
    race = Race().turn("red", 1, 0).play("Ben", "panne", by="Ben")
    name = next(name for name in race.cards if name.startswith("panne"))
    race.turn("blue", 1, 0).play("Clara", "minus1")
    race.turn("yellow", 1, 0).play("Anna", "minus1")
    race.turn("red", 1, 0).play("Clara", "minus1")
    del race.cards[name]
    race.still()
    race.roll(2).still()
    said = race.lay("straight", "straight").drive("yellow", 2).still()
    assert "refuel Ben" in words(race.outputs)
    assert words(said)[-1] == "move Clara 0 2 die"
    assert not illegal(race.outputs)


def test_3_4_7_passing_the_finish_wins():
    race = Race()
    for _ in range(23):
        race.road.append("road.straight")
    race.road.append("road.finish")
    race.cars = {"red": 24, "blue": 5, "yellow": 5}
    race.referee = type(race.referee)(race.session)
    race.still()
    race.answer("Anna")
    assert words(race.roll(1).still()) == ["roll Anna 1"]
    assert words(race.drive("red", 25).still()) == ["move Anna 24 25 die", "win Anna"]
    view = race.referee.view()
    assert view.over and view.winners == ("Anna",)


def test_several_things_between_two_stills_are_explained_together():
    race = Race()
    race.roll(2).lay("straight", "straight").drive("red", 2).offer("Ben")
    assert words(race.still()) == ["roll Anna 2", "move Anna 0 2 die", "offer Anna"]
    race.turn_up("plus1").drive("blue", 1)
    assert words(race.still()) == ["card Ben card.plus1 Anna Ben", "move Ben 0 1 card"]


# -- broken rules -----------------------------------------------------------------------------------------------------


def test_3_4_a_car_that_goes_too_far_is_flagged_until_it_is_put_right():
    race = Race()
    race.roll(1).lay("straight").still()
    race.drive("red", 1).still()
    race.play("Ben", "minus1").turn("blue", 2, 2, "straight").play("Clara", "minus1")
    race.roll(1).still()
    said = race.drive("yellow", 2).still()
    assert illegal(said) == ["step.count"]
    assert said[0].player == "Clara" and said[0].data["clause"] == "3.4"
    marks = race.referee.view().marks
    assert [mark.kind for mark in marks] == ["violation"] and marks[0].pieces == ("car_yellow",)
    assert words(race.still()) == []
    assert words(race.drive("yellow", 1).still()) == ["cleared step.count Clara", "move Clara 0 1 die"]
    assert not race.referee.view().marks


def test_3_4_1_a_tile_that_no_step_needs_is_flagged():
    race = Race()
    race.roll(1).still()
    assert illegal(race.lay("straight", "straight").still()) == ["lay.needless"]
    race.road.pop()
    assert words(race.still()) == ["cleared lay.needless Anna"]
    assert words(race.drive("red", 1).still()) == ["move Anna 0 1 die"]


def test_3_4_2_an_occupied_narrow_road_blocks():
    race = Race().turn("red", 1, 1, "narrow").play("Ben", "minus1")
    race.roll(2).still()
    assert illegal(race.lay("straight").drive("blue", 2).still()) == ["step.narrow", "step.narrow"]  # tile, car
    race.road.pop()
    assert words(race.drive("blue", 0).still()) == ["cleared step.narrow Ben"] * 2
    assert words(race.offer("Clara").still()) == ["offer Ben"]


def test_3_4_3_roadworks_end_a_move():
    race = Race()
    race.roll(2).still()
    assert set(illegal(race.lay("roadworks", "straight").drive("red", 2).still())) == {"lay.needless", "step.roadworks"}


def test_3_4_5_a_tile_turned_over_must_be_entered():
    race = Race()
    race.roll(2).lay("straight").still()
    said = race.offer("Ben").still()
    assert not words(said) or illegal(said)
    assert "offer Anna" not in words(race.outputs)


def test_3_3_4_no_card_for_somebody_with_a_puncture():
    race = Race().turn("red", 1, 1, "straight").play("Ben", "puncture", by="Ben")
    name = next(name for name in race.cards if name.startswith("puncture"))
    del race.cards[name]
    race.still()
    race.turn("yellow", 1, 1).play("Anna", "puncture", by="Anna")
    del race.cards[next(name for name in race.cards if name.startswith("puncture"))]
    race.still()
    race.turn("blue", 1, 1).play("Clara", "puncture", by="Clara")
    # Clara is to lose her turn; before that nobody offers. Let Ben offer her one all the same.
    said = race.offer("Clara", "second").still()
    assert "offer.puncture" in illegal(said) or not illegal(said)


def test_3_3_another_car_than_the_mover_s():
    race = Race()
    race.roll(1).lay("straight").still()
    said = race.drive("yellow", 1).still()
    assert illegal(said) == ["turn.player"] and said[0].player == "Clara"


def test_3_3_4_a_card_is_carried_out_before_the_die_is_thrown():
    race = Race().turn("red", 2, 2, "straight", "straight")
    race.offer("Ben").still()
    race.turn_up("minus1", "Anna").still()
    said = race.roll(2).still()
    assert illegal(said) == ["turn.reveal"]
    said = race.drive("red", 1).still()
    assert words(said) == ["cleared turn.reveal Anna", "move Anna 2 1 card", "roll Ben 2"]


def test_a_fault_that_is_played_on_from_is_put_to_the_table():
    race = Race()
    race.roll(1).lay("straight").still()
    race.drive("red", 1).lay("straight").still()
    race.drive("red", 2).still()
    assert "step.count" in illegal(race.outputs)
    race.offer("Ben").still()
    assert [q.rule for q in race.referee.view().questions] == ["fairplay.counts"]
    assert words(race.answer("counts")) == ["move Anna 0 1 die", "offer Anna", "move Anna 1 2 die"]
    assert race.referee.scores()["Anna"] == 2
    assert race.referee.view().phase.key == "fairplay.phase.reply"
