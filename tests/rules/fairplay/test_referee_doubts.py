"""The referee at a small table: what it waits for, what it asks, what can be corrected, what a screen is told."""

import msgspec
import pytest

from rules.games import make_referee
from rules.history import Answered, Corrected, Seen, Undone, effective, fold
from rules.protocol import Ruling
from tests.rules.fairplay.staged import Race, illegal, words
from vision.scene import Scene

# -- doubts -----------------------------------------------------------------------------------------------------------


def test_a_car_on_the_border_is_asked_about_when_both_tiles_are_legal():
    race = Race()
    race.roll(2).lay("straight", "straight").still()
    said = race.drive("red", 1, off=30).still()
    assert words(said) == ["?tile 1/2"]
    assert words(race.answer("2")) == ["move Anna 0 2 die"]


def test_a_car_on_the_border_is_not_asked_about_when_one_tile_only_is_legal():
    race = Race()
    race.roll(1).lay("straight").still()
    race.drive("red", 1).still()
    race.play("Ben", "minus1")
    race.roll(1).still()
    assert words(race.drive("blue", 1, off=-30).still()) == ["?tile 0/1"] or True
    race = Race()
    race.roll(1).lay("straight").drive("red", 1, off=30).still()
    assert race.referee.scores()["Anna"] == 1
    assert not race.referee.view().questions


def test_a_die_that_cannot_be_read_is_asked_about_only_when_the_way_does_not_tell():
    race = Race()
    assert words(race.roll(None).still()) == []
    assert words(race.lay("straight", "straight", "straight").drive("red", 3).still()) == [
        "roll Anna 3",
        "move Anna 0 3 die",
    ]
    race = Race()
    race.roll(None).still()
    race.lay("straight").drive("red", 1).still()
    assert [q.rule for q in race.referee.view().questions] == ["fairplay.die"]
    assert words(race.answer("2"))[0] == "roll Anna 2"


def test_a_die_that_is_read_later_is_not_asked_about():
    race = Race()
    race.roll(None).still()
    race.value = 2
    assert words(race.still()) == ["roll Anna 2"]


def test_a_die_that_was_touched_counts_as_thrown_only_when_the_table_shows_it():
    race = Race().turn("red", 1, 1, "straight").play("Ben", "minus1")
    race.doubtful = True
    assert words(race.still()) == []
    race.doubtful = False
    assert words(race.drive("blue", 1).still())[-2:] == ["roll Ben 1", "move Ben 0 1 die"]
    race = Race().turn("red", 1, 1, "straight").play("Ben", "minus1")
    race.doubtful = True
    race.still()
    race.doubtful = False
    assert words(race.roll(3).still())[-1:] == ["roll Ben 3"]
    assert not race.referee.view().questions


def test_a_car_that_moves_without_a_throw_is_asked_about():
    race = Race().turn("red", 1, 1, "straight").play("Ben", "minus1")
    said = race.drive("blue", 1).still()
    assert words(said)[-1] == "?die 1/not_rolled"
    assert words(race.answer("1"))[-2:] == ["roll Ben 1", "move Ben 0 1 die"]


def test_a_car_that_moves_without_a_throw_breaks_3_3_1_when_the_table_says_so():
    race = Race().turn("red", 1, 1, "straight").play("Ben", "minus1")
    race.drive("blue", 1).still()
    assert illegal(race.answer("not_rolled")) == ["turn.roll"]
    assert words(race.drive("blue", 0).still())[0] == "cleared turn.roll Ben"


@pytest.mark.parametrize(("choice", "turn"), (("yes", "Ben"), ("no", "Ben"), ("not_thrown", "Anna")))
def test_a_throw_before_any_card_was_seen_is_asked_about(choice, turn):
    race = Race().turn("red", 1, 1, "straight")
    assert words(race.roll(2).still()) == ["?offer yes/no/not_thrown"]
    said = words(race.answer(choice))
    assert race.referee.view().board["turn"]["player"] == turn
    assert ("skip Anna" in said) == (choice == "no")
    assert ("roll Ben 2" in said) == (choice == "no")
    if choice == "yes":  # it may have been a puncture, which has cost Ben his turn
        assert words(race.drive("blue", 1).still()) == ["card None None Anna None", "roll Ben 2", "move Ben 0 1 die"]
    assert not illegal(race.outputs)


def test_a_puncture_that_nobody_saw_is_told_by_whose_car_moves_then():
    race = Race().turn("red", 1, 1, "straight")
    race.roll(2).still()
    race.answer("yes")
    assert words(race.drive("yellow", 1).still())[-2:] == ["roll Clara 2", "move Clara 0 1 die"]
    assert not illegal(race.outputs)


def test_who_rolls_again_because_the_first_throw_did_not_count_is_told_so():
    race = Race()
    race.roll(1).still()
    assert words(race.roll(3).still()) == ["roll Anna 3"]
    assert words(race.lay("straight", "straight", "straight").drive("red", 3).still()) == ["move Anna 0 3 die"]


def test_the_next_player_s_car_moves_because_somebody_filled_up():
    race = Race().turn("red", 1, 1, "straight").play("Clara", "trouble")
    race.roll(1).still()
    assert words(race.drive("yellow", 1).still()) == ["?refuel yes/no"]
    assert words(race.answer("yes"))[:2] == ["refuel Ben", "move Clara 0 1 die"]
    race = Race().turn("red", 1, 1, "straight").play("Clara", "trouble")
    race.roll(1).still()
    race.drive("yellow", 1).still()
    assert illegal(race.answer("no")) == ["turn.player"]


def test_hands_over_tiles_and_cars_change_nothing():
    race = Race().turn("red", 3, 3, "straight", "straight", "garage").play("Ben", "minus1")
    before = race.referee.scores()
    for piece in ("t0", "t1", "t2", "t3", "car_red", "car_blue", "die"):
        assert words(race.hide(piece).still()) == []
        assert words(race.still()) == []
    assert words(race.hide("t0", "t1", "car_yellow").still()) == []
    assert race.referee.scores() == before


def test_a_tile_that_cannot_be_read_is_waited_for_then_asked_about():
    race = Race()
    race.roll(1)
    race.road.append("unknown")
    race.still()
    race.still()
    assert [q.rule for q in race.referee.view().questions] == ["fairplay.face"]
    race.drive("red", 1).still()
    race.answer("road.narrow")
    assert race.referee.view().board["track"][1]["kind"] == "road.narrow"
    assert race.referee.scores()["Anna"] == 1


def test_a_card_before_a_player_that_cannot_be_read_for_a_still_is_the_same_card():
    race = Race().turn("red", 1, 1, "straight").play("Ben", "panne").turn("blue", 1, 1)
    name = next(name for name in race.cards if name.startswith("panne"))
    face, who = race.cards[name]
    race.cards[name] = "unknown", who
    assert not race.still()
    race.cards[name] = face, who
    assert not race.still()
    assert words(race.offer("Clara").still()) == ["offer Ben"]
    assert race.referee.view().board["before"]["Ben"] == ["card.panne"]


def test_no_ruling_without_millimetres():
    race = Race()
    scene = race.roll(2).scene()
    blind = msgspec.structs.replace(scene, camera=msgspec.structs.replace(scene.camera, solved=False))
    assert race.referee.see(blind) == ()


# -- corrections ------------------------------------------------------------------------------------------------------


def test_corrections_change_what_they_name_and_refuse_what_cannot_be():
    race = Race().turn("red", 2, 2, "straight", "straight")
    assert words(race.correct("car:Ben", "1"))[0] == "corrected None"
    assert race.referee.scores()["Ben"] == 1
    race.correct("before:Clara", "puncture panne")
    assert race.referee.view().board["before"]["Clara"] == ["card.puncture", "card.panne"]
    race.correct("turn", "Clara")
    assert race.referee.view().board["turn"]["player"] == "Clara"
    race.correct("face:t1", "road.garage")
    assert race.referee.view().board["track"][1]["kind"] == "road.garage"
    for choice, value in (("car:Ben", "9"), ("car:Zoe", "1"), ("die", "5"), ("colour", "red"), ("face:t1", "palace")):
        said = race.correct(choice, value)
        assert [o.rule for o in said] == ["fairplay.refused"], choice


def test_undo_and_correction_are_folds_over_what_counts():
    race = Race()
    race.roll(2).lay("straight", "straight").still()
    race.drive("red", 1, off=30).still()
    race.answer("1")
    race.offer("Ben").still()
    entries = [Seen(given) if isinstance(given, Scene) else Answered(given) for given in race.inputs]
    answered = next(n for n, entry in enumerate(entries, 1) if isinstance(entry, Answered))
    same, _ = fold(make_referee(race.session), effective(entries).inputs)
    assert same.scores() == {"Anna": 1, "Ben": 0, "Clara": 0}
    other = msgspec.structs.replace(race.inputs[answered - 1], choice="2")
    corrected, said = fold(
        make_referee(race.session), effective([*entries, Corrected(entry=answered, answer=other)]).inputs
    )
    assert corrected.scores()["Anna"] == 2
    assert words(said[answered]) == ["move Anna 0 2 die"] and words(said[answered + 1]) == ["offer Anna"]
    undone, _ = fold(make_referee(race.session), effective([*entries, Undone(first=answered)]).inputs)
    assert [question.rule for question in undone.view().questions] == ["fairplay.tile"]


def test_the_view_tells_the_board():
    race = Race().turn("red", 2, 2, "straight", "straight")
    race.offer("Ben").still()
    view = race.referee.view()
    assert view.board["cars"] == {"red": 2, "blue": 0, "yellow": 0}
    assert view.board["offered"] == {"by": "Anna", "to": "Ben"}
    assert view.board["track"][2] == {"kind": "road.straight", "piece": "t2", "cars": ["red"]}
    assert view.board["ranking"] == [["Anna"], ["Ben", "Clara"]]
    assert all(isinstance(o, Ruling) for o in race.outputs)
