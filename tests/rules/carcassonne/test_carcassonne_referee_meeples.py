"""Meeples at the table: put, put wrongly, forgotten, pushed, doubtful."""

from __future__ import annotations

import pytest

from rules.carcassonne import Place, Put, Skip
from rules.carcassonne.tiles import TILES
from rules.protocol import Mark
from tests.rules.carcassonne.board_tables import BoardMatch


def begin(**more: object) -> BoardMatch:
    """The start tile lies: city N, road W to E."""
    match = BoardMatch(**more)
    match.still()
    return match


def marks(match: BoardMatch, kind: str) -> list[Mark]:
    return [mark for mark in match.referee.view().marks if mark.kind == kind]


def part(tile: str, kind: str, number: int = 0) -> int:
    return [i for i, p in enumerate(TILES[tile].parts) if p.kind == kind][number]


def lay(match: BoardMatch, tile: str, cell: tuple[int, int], turn: int = 0) -> str:
    piece = match.table.lay(tile, cell, turn)
    match.still()
    return piece


def test_2_2_3_a_meeple_on_the_tile_just_laid():
    match = begin()
    lay(match, "BA/L", (0, 1))
    meeple = match.table.put("red", (0, 1), part("BA/L", "Monastery"))
    match.still()
    (ruling,) = match.rulings("carcassonne.meeple")
    assert (ruling.player, ruling.data) == ("Anna", {"cell": [0, 1], "feature": "Monastery"})
    assert ruling.pieces == ("t1", meeple)
    assert match.moves[-1] == Put("Monastery")
    assert match.referee.view().players[1].active
    assert match.referee.notes(match.inputs[-1])[meeple] == {"on": {"cell": [0, 1], "feature": "Monastery"}}  # type: ignore[arg-type]
    assert match.referee.notes(match.inputs[-1])["supply.red.0"] == {"on": None}  # type: ignore[arg-type]


def test_a_turn_without_a_meeple_ends_when_the_next_tile_comes():
    match = begin()
    lay(match, "BA/L", (0, 1))
    assert match.referee.view().phase.key == "carcassonne.phase.meeple"
    lay(match, "BA/RFr", (1, 0))
    assert match.moves[2] == Skip()
    assert [r.player for r in match.rulings("carcassonne.place")] == ["Anna", "Ben"]


def test_a_turn_without_a_meeple_ends_when_the_players_say_so():
    match = begin()
    lay(match, "BA/L", (0, 1))
    assert [offer.value for offer in match.referee.view().offers] == ["no_meeple", "end"]
    match.correct("phase", "no_meeple")
    assert match.moves[-1] == Skip()
    match.correct("phase", "no_meeple")
    assert match.rulings("carcassonne.refused")[-1].message.key == "carcassonne.refused.phase"


def city_of_two(match: BoardMatch) -> tuple[str, str]:
    """Ben's knight makes the start tile's city and is scored by Ben himself: gives his meeple, and the tile."""
    lay(match, "BA/RFr", (1, 0))
    match.table.lay("BA/C", (0, -1), 180)
    meeple = match.table.put("blue", (0, -1), part("BA/C", "City"))
    match.still()
    return meeple, "t2"


def test_2_2_4_points_are_ruled_with_their_tiles_and_meeples_must_come_back():
    match = begin()
    meeple, tile = city_of_two(match)
    (score,) = match.rulings("carcassonne.score")
    assert (score.player, score.reason) == ("Ben", "city")
    assert score.data == {"points": 4, "feature": "City", "cells": [[0, -1], [0, 0]]}
    assert set(score.pieces) == {tile, "t0"}
    assert match.referee.scores() == {"Anna": 0, "Ben": 4}
    view = match.referee.view()
    assert view.board["lit"] == [{"player": "Ben", "points": 4, "feature": "City", "cells": [[0, -1], [0, 0]]}]
    (reminder,) = marks(match, "take_back")
    assert reminder.pieces == (meeple,)
    assert view.board["to_return"][0]["player"] == "Ben"


def test_2_2_4_a_forgotten_meeple_is_reminded_of_until_it_is_taken_back():
    match = begin()
    meeple, _ = city_of_two(match)
    lay(match, "BA/RFr", (-1, 0))
    lay(match, "BA/Rr", (-2, 0), 180)
    assert marks(match, "take_back")[0].pieces == (meeple,)
    assert match.questions() == []
    match.table.take(meeple)
    match.still()
    assert not marks(match, "take_back")
    assert match.rulings("carcassonne.illegal") == []


def test_a_meeple_that_was_only_hidden_must_come_back_after_all():
    match = begin()
    meeple, _ = city_of_two(match)
    match.still(hide=[meeple])
    assert not marks(match, "take_back")
    match.still()
    assert marks(match, "take_back")[0].pieces == (meeple,)
    assert match.questions() == []


def test_who_takes_the_scored_meeples_back_puts_none():
    match = begin()
    match.table.lay("BA/Cc.1", (0, -1), 180)
    knight = match.table.put("red", (0, -1), part("BA/Cc.1", "City"))
    match.still()
    assert match.moves[-1] == Put("City", "SE")
    match.table.lay("BA/C", (1, -1), 270)
    match.still()
    assert match.referee.scores() == {"Anna": 6, "Ben": 0}
    assert match.rulings("carcassonne.score") == []
    match.table.take(knight)
    match.still()
    assert match.moves[-1] == Skip()
    assert match.rulings("carcassonne.score")[0].data["points"] == 6
    assert match.referee.scores() == {"Anna": 6, "Ben": 0}


def test_a_meeple_that_comes_late_is_put_all_the_same():
    match = begin()
    match.table.lay("BA/Cc.1", (0, -1), 180)
    knight = match.table.put("red", (0, -1), part("BA/Cc.1", "City"))
    match.still()
    match.table.lay("BA/C", (1, -1), 270)
    match.still(hide=[knight])
    assert match.moves[-1] == Skip()  # the knight of a finished city was gone
    match.table.put("blue", (1, -1), part("BA/C", "Field"))
    match.still()
    assert isinstance(match.moves[-1], Put)
    assert match.moves[-1].feature == "Field"
    assert len(match.rulings("carcassonne.score")) == 1
    assert match.rulings("carcassonne.illegal") == []
    assert marks(match, "take_back")[0].pieces == (knight,)


def test_2_2_3_occupied_a_feature_that_holds_a_meeple_takes_no_other():
    match = begin()
    match.table.lay("BA/RFr", (1, 0))
    match.table.put("red", (1, 0), part("BA/RFr", "Field", 0))
    match.still()
    match.table.lay("BA/RFr", (2, 0))
    wrong = match.table.put("blue", (2, 0), part("BA/RFr", "Field", 0))
    match.still()
    (ruling,) = match.rulings("carcassonne.illegal")
    assert ruling.rule == "carcassonne.illegal.occupied"
    assert (ruling.player, ruling.pieces, ruling.data) == ("Ben", (wrong,), {"cell": [2, 0], "feature": "Field"})
    assert marks(match, "violation")[0].pieces == (wrong,)
    match.still()
    assert len(match.rulings("carcassonne.illegal")) == 1
    match.table.take(wrong)
    match.still()
    assert not marks(match, "violation")
    match.table.put("blue", (2, 0), part("BA/RFr", "Field", 1))
    match.still()
    assert match.moves[-1] == Put("Field", "ER.SL.SR.WL")


def test_2_2_3_one_meeple_a_turn():
    match = begin()
    match.table.lay("BA/RFr", (1, 0))
    match.table.put("red", (1, 0), part("BA/RFr", "Field", 0))
    match.still()
    second = match.table.put("red", (1, 0), part("BA/RFr", "Field", 1))
    match.still()
    (ruling,) = match.rulings("carcassonne.illegal")
    assert (ruling.rule, ruling.player, ruling.pieces) == ("carcassonne.illegal.phase", "Anna", (second,))


def test_2_10_c3_without_farmers_nobody_lies_on_a_field():
    match = begin(house_rules={"farmers": False})
    match.table.lay("BA/L", (0, 1))
    match.table.put("red", (0, 1), part("BA/L", "Field"), at=(0.15, 0.85))
    match.still()
    assert match.rulings("carcassonne.illegal")[0].rule == "carcassonne.illegal.farmers"


def test_a_meeple_of_the_wrong_colour_is_asked_about():
    match = begin()
    lay(match, "BA/L", (0, 1))
    wrong = match.table.put("blue", (0, 1), part("BA/L", "Monastery"))
    match.still()
    (question,) = match.questions()
    assert question.rule == "carcassonne.colour"
    assert (question.options, question.default) == (("Anna", "take_back"), "take_back")
    assert match.rulings("carcassonne.meeple") == []
    assert marks(match, "take_back")[0].pieces == (wrong,)
    match.table.take(wrong)
    match.still()
    assert not marks(match, "take_back")


def test_a_colour_that_was_misread_is_told():
    match = begin()
    lay(match, "BA/L", (0, 1))
    match.table.put("blue", (0, 1), part("BA/L", "Monastery"))
    match.answers["carcassonne.colour"] = "Anna"
    match.still()
    assert match.moves[-1] == Put("Monastery")
    assert match.rulings("carcassonne.meeple")[0].player == "Anna"


def test_a_colour_that_is_not_certain_is_asked():
    match = begin()
    lay(match, "BA/L", (0, 1))
    meeple = match.table.put("red", (0, 1), part("BA/L", "Monastery"))
    match.table.meeples[meeple].confidence = 0.5
    match.still()
    (question,) = match.questions()
    assert (question.rule, question.default) == ("carcassonne.whose", "Anna")
    assert match.moves[-1] == Put("Monastery")


def test_2_10_c10_a_meeple_between_two_features_is_asked_about():
    match = begin()
    lay(match, "FL/RFr.WE.o", (1, 0))
    match.table.spread = match.table.noise = 0.0
    match.table.put("red", (1, 0), part("FL/RFr.WE.o", "Road"), at=(0.27, 0.5))
    match.answers["carcassonne.meeple"] = "-"
    match.still()
    (question,) = match.questions()
    assert question.rule == "carcassonne.meeple"
    assert question.options == ("Road", "Field.N", "Field.S", "FlyingMachine", "take_back")
    assert match.moves[-1] == Place(1, 0, 0)
    match.answer(question.id, "Road")
    assert match.moves[-1] == Put("Road", "WE")


def test_a_meeple_astride_a_road_is_on_the_road_for_people_and_for_kibitz():
    match = begin()
    lay(match, "BA/RFr", (1, 0))
    match.table.put("red", (1, 0), part("BA/RFr", "Road"), at=(0.4, 0.53))
    match.still()
    assert match.questions() == []
    assert match.moves[-1] == Put("Road", "WE")


def test_a_meeple_put_elsewhere_before_the_next_tile_counts_where_it_stands():
    match = begin()
    lay(match, "BA/L", (0, 1))
    meeple = match.table.put("red", (0, 1), part("BA/L", "Monastery"))
    match.still()
    match.table.take(meeple)
    match.table.put("red", (0, 1), part("BA/L", "Field"), at=(0.1, 0.9))
    match.still()
    assert [m for m in match.moves if isinstance(m, Put)] == [Put("Field", "NL.NR.EL.ER.SL.SR.WL.WR")]


def test_a_meeple_that_is_pushed_later_is_to_be_put_back():
    match = begin()
    lay(match, "BA/L", (0, 1))
    meeple = match.table.put("red", (0, 1), part("BA/L", "Monastery"))
    match.still()
    lay(match, "BA/RFr", (1, 0))
    x, y = match.table.meeples[meeple].foot
    match.table.meeples[meeple].foot = (x + 16, y + 15)
    match.still()
    assert match.referee.view().marks[0].message.key == "carcassonne.mark.put_back"
    assert len([m for m in match.moves if isinstance(m, Put)]) == 1
    match.table.meeples[meeple].foot = (x + 1, y)
    match.still()
    assert match.referee.view().marks == ()


def test_a_meeple_that_was_not_seen_in_its_turn_is_asked_about_and_put_then():
    match = begin()
    lay(match, "BA/L", (0, 1))
    meeple = match.table.put("red", (0, 1), part("BA/L", "Monastery"))
    match.table.lay("BA/RFr", (1, 0))
    match.still(hide=[meeple])
    match.table.lay("BA/RFr", (-1, 0))
    match.still(hide=[meeple])
    match.still()
    (question,) = match.questions()
    assert (question.rule, question.options) == ("carcassonne.late", ("take_back", "late"))
    assert match.moves[2] == Put("Monastery")
    assert match.referee.game.supply == {1: 6, 2: 7}


@pytest.mark.parametrize(
    ("choice", "value", "key"),
    [
        ("meeple:red.1", "City", "feature"),
        ("face:t1", "palace", "face"),
        ("face:t1", "tile.BA/C", "face_does_not_fit"),
        ("colour:red.1", "pink", "colour"),
        ("die", "3", "die"),
        ("score:Zoe", "3", "player"),
        ("score:Anna", "three", "number"),
        ("discard", "tile.BA/L", "discard"),
        ("phase", "lunch", "phase"),
        ("weather", "fine", "what"),
    ],
)
def test_what_cannot_be_corrected_is_refused_and_changes_nothing(choice, value, key):
    match = begin()
    lay(match, "BA/RFr", (1, 0))
    match.table.put("red", (1, 0), part("BA/RFr", "Road"), at=(0.4, 0.5))
    match.still()
    before = match.referee.game.to_json(), match.referee.view()
    match.correct(choice, value)
    assert match.rulings("carcassonne.refused")[-1].message.key == f"carcassonne.refused.{key}"
    assert (match.referee.game.to_json(), match.referee.view()) == before


def test_what_a_meeple_stands_on_may_be_corrected():
    match = begin()
    lay(match, "BA/RFr", (1, 0))
    meeple = match.table.put("red", (1, 0), part("BA/RFr", "Road"), at=(0.4, 0.5))
    match.still()
    assert match.moves[-1] == Put("Road", "WE")
    match.correct(f"meeple:{meeple}", "Field.N")
    assert match.moves[-1] == Put("Field", "NL.NR.EL.WR")
    match.still()
    assert match.moves[-1] == Put("Field", "NL.NR.EL.WR")
    assert match.referee.view().marks == ()


def test_what_a_tile_is_may_be_corrected_long_after():
    match = begin()
    lay(match, "BA/RFr", (1, 0))
    lay(match, "BA/Rr", (-1, 0), 270)
    match.correct("face:t1", "tile.BA/RRR")
    assert match.referee.game.state.board.tiles[1, 0].tile.id == "BA/RRR"
    match.still()
    match.still()
    assert match.questions() == []


def test_points_may_be_given_and_are_told_apart():
    match = begin()
    match.correct("score:Ben", "+3")
    assert match.referee.scores() == {"Anna": 0, "Ben": 3}
    (line,) = match.referee.view().players[1].lines
    assert (line.points, line.message.key) == (3, "carcassonne.line.agreed")
