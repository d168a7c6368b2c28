"""Tiles at the table: laid, laid wrongly, moved, turned, misread, out of the game."""

from __future__ import annotations

import pytest

from rules.carcassonne import Draw, Place, Put, Skip
from rules.carcassonne.tiles import turned
from rules.protocol import Mark
from tests.rules.carcassonne.board_tables import BoardMatch, BoardTable


def begin(**more: object) -> BoardMatch:
    """The start tile lies: city N, road W to E."""
    match = BoardMatch(**more)
    match.still()
    return match


def marks(match: BoardMatch, kind: str) -> list[Mark]:
    return [mark for mark in match.referee.view().marks if mark.kind == kind]


def test_2_2_1_the_start_tile_is_told_and_who_begins():
    match = begin(dealer=2)
    (ruling,) = match.rulings("carcassonne.start")
    assert ruling.message.params == {"player": "Ben"}
    assert ruling.pieces == ("t0",)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_the_start_tile_may_lie_turned_and_cells_count_from_it_as_people_see_them(turn):
    match = begin(table=BoardTable(turn=turn, origin=(7, 4)))
    match.table.lay("BA/RFr", (1, 0), 0)
    match.still()
    (ruling,) = match.rulings("carcassonne.place")
    seen = {0: [1, 0], 90: [0, 1], 180: [-1, 0], 270: [0, -1]}[turn]
    assert ruling.data == {"tile": "BA/RFr", "cell": seen, "rotation": turn}
    scene = match.inputs[-1]
    notes = match.referee.notes(scene)  # type: ignore[arg-type]
    assert notes["t0"] == {"cell": [0, 0], "rotation": turn}
    assert notes["t1"] == {"cell": seen, "rotation": turn}


def test_a_lone_start_tile_that_is_on_no_lattice_is_the_start_tile():
    match = BoardMatch(BoardTable(turn=90, lone=True))
    match.still()
    assert match.rulings("carcassonne.start")
    match.table.lay("BA/RFr", (1, 0), 0)
    match.still()
    assert match.moves == [Draw("BA/RFr"), Place(1, 0, 0)]


def test_which_of_several_is_the_start_tile_is_asked():
    table = BoardTable()
    table.lay("BA/RCr", (1, 0), 0)
    match = BoardMatch(table)
    match.answers["carcassonne.start"] = "t1"
    match.still()
    assert match.questions("carcassonne.start")[0].options == ("t0", "t1", "not_seen")
    assert match.moves == [Draw("BA/RCr"), Place(-1, 0, 0)]
    assert match.rulings("carcassonne.place")[0].data["cell"] == [-1, 0]


def test_of_several_tiles_that_lie_at_first_the_only_one_like_the_start_tile_need_not_be_it():
    table = BoardTable()
    table.lay("BA/RFr", (1, 0), 0)
    match = BoardMatch(table)
    match.answers["carcassonne.start"] = "not_seen"
    match.still()
    assert match.questions("carcassonne.start")[0].options == ("t0", "not_seen")
    assert match.rulings("carcassonne.start") == []
    match.answers["carcassonne.start"] = "t0"
    match.still()
    assert match.moves == [Draw("BA/RFr"), Place(1, 0, 0)]


def test_the_board_is_found_again_when_the_camera_counts_from_another_tile():
    match = begin()
    match.table.lay("BA/RFr", (1, 0), 0)
    match.still()
    match.table.origin = (-5, 3)
    match.table.lay("BA/Rr", (2, 0), 0)
    match.still()
    assert match.rulings("carcassonne.place")[-1].data["cell"] == [2, 0]
    assert match.rulings("carcassonne.illegal") == []


@pytest.mark.parametrize("apart", [0, 9])
def test_a_board_that_falls_apart_since_a_tile_is_hidden_is_still_one(apart):
    match = begin(table=BoardTable(apart=apart))
    for x in (1, 2, 3):
        match.table.lay("BA/RFr", (x, 0), 0)
        match.still()
    match.table.lay("BA/Rr", (4, 0), 0)
    match.still(hide=["t1"])
    assert match.rulings("carcassonne.place")[-1].data["cell"] == [4, 0]
    scene = match.inputs[-1]
    assert match.referee.notes(scene)["t4"]["cell"] == [4, 0]  # type: ignore[arg-type]
    assert match.questions() == []


def test_2_2_2_a_tile_that_does_not_match_is_ruled_and_flagged_until_it_is_moved():
    match = begin()
    bad = match.table.lay("BA/C", (1, 0), 0)
    match.still()
    (ruling,) = match.rulings("carcassonne.illegal")
    assert ruling.rule == "carcassonne.illegal.edges"
    assert ruling.player == "Anna"
    assert ruling.pieces == (bad, "t0")
    assert ruling.data == {"tile": "BA/C", "cell": [1, 0], "rotation": 0, "side": "W", "neighbour": [0, 0]}
    assert ruling.message.params == {"tile": "tile.BA/C", "side": "side.W", "mine": "edge.F", "theirs": "edge.R"}
    assert match.moves == []
    match.still()
    assert len(match.rulings("carcassonne.illegal")) == 1
    assert marks(match, "violation")[0].pieces == (bad, "t0")
    match.table.tiles[bad].cell, match.table.tiles[bad].rotation = (0, -1), 180
    match.still()
    assert match.moves == [Draw("BA/C"), Place(0, -1, 180)]
    assert not marks(match, "violation")


def test_while_a_tile_lies_wrongly_nobody_else_plays_on():
    match = begin()
    bad = match.table.lay("BA/C", (1, 0), 0)
    match.still()
    match.table.lay("BA/RFr", (-1, 0), 0)
    match.still()
    assert match.moves == []
    match.table.tiles[bad].cell, match.table.tiles[bad].rotation = (0, -1), 180
    match.answers["carcassonne.order"] = bad
    match.still()
    assert [m for m in match.moves if isinstance(m, Place)] == [Place(0, -1, 180), Place(-1, 0, 0)]


def test_two_new_tiles_that_do_not_match_each_other_are_both_flagged():
    match = begin()
    good = match.table.lay("BA/RFr", (1, 0), 0)
    bad = match.table.lay("BA/L", (2, 0), 0)
    match.still()
    (ruling,) = match.rulings("carcassonne.illegal.edges")
    assert (ruling.pieces, ruling.player) == ((good, bad), None)
    assert match.moves == []
    match.answers["carcassonne.order"] = good
    match.table.tiles[bad].cell = (0, 1)
    match.still()
    assert {(m.x, m.y) for m in match.moves if isinstance(m, Place)} == {(1, 0), (0, 1)}


def test_a_tile_may_be_turned_or_moved_before_the_turn_is_over():
    match = begin()
    tile = match.table.lay("BA/RRR", (1, 0), 0)
    match.still()
    assert match.moves == [Draw("BA/RRR"), Place(1, 0, 0)]
    match.table.tiles[tile].rotation = 90
    match.still()
    assert match.moves == [Draw("BA/RRR"), Place(1, 0, 90)]
    match.table.tiles[tile].rotation, match.table.tiles[tile].cell = 0, (-1, 0)
    match.still()
    assert match.moves == [Draw("BA/RRR"), Place(-1, 0, 0)]
    assert match.rulings("carcassonne.place")[-1].reason == "moved"


def test_a_tile_of_an_earlier_turn_that_was_moved_is_asked_about_and_to_be_put_back():
    match = begin()
    first = match.table.lay("BA/RFr", (1, 0), 0)
    match.still()
    match.table.lay("BA/RFr", (-1, 0), 0)
    match.still()
    match.table.tiles[first].cell = (0, 1)
    match.table.lay("BA/Rr", (-2, 0), 180)
    match.still()
    (question,) = match.questions("carcassonne.moved")
    assert question.pieces == (first,)
    assert question.options == ("put_back", "as_seen")
    assert question.default == "put_back"
    assert len([m for m in match.moves if isinstance(m, Place)]) == 2
    match.table.tiles[first].cell = (1, 0)
    match.still()
    assert not match.referee.view().questions
    assert [m for m in match.moves if isinstance(m, Place)][-1] == Place(-2, 0, 180)


def test_a_tile_that_lies_beside_the_board_now_is_to_be_put_back():
    match = begin()
    first = match.table.lay("BA/RFr", (1, 0), 0)
    match.still()
    match.table.lay("BA/RFr", (-1, 0), 0)
    match.still()
    match.table.tiles[first].cell = None
    match.still()
    (mark,) = marks(match, "take_back")
    assert (mark.pieces, mark.message.key) == ((first,), "carcassonne.mark.tile_back")
    assert match.questions() == []
    match.table.tiles[first].cell = (1, 0)
    match.still()
    assert not marks(match, "take_back")


def test_the_table_may_leave_a_moved_tile_where_it_lies():
    match = begin()
    first = match.table.lay("BA/RFr", (1, 0), 0)
    match.still()
    match.table.lay("BA/RFr", (-1, 0), 0)
    match.still()
    match.table.tiles[first].cell = (0, 1)
    match.answers["carcassonne.moved"] = "as_seen"
    match.still()
    assert match.moves[1] == Place(0, 1, 0)
    assert match.rulings("carcassonne.corrected")
    match.still()
    assert len(match.questions()) == 1


def test_a_tile_that_is_not_seen_for_a_while_is_still_there():
    match = begin()
    tile = match.table.lay("BA/RFr", (1, 0), 0)
    match.still()
    match.table.lay("BA/RFr", (-1, 0), 0)
    match.still(hide=[tile])
    match.still(hide=[tile, "t0"])
    match.still()
    assert [m for m in match.moves if isinstance(m, Place)] == [Place(1, 0, 0), Place(-1, 0, 0)]
    assert match.questions() == []


def test_a_face_that_is_not_certain_is_asked_with_what_fits_there():
    match = begin()
    match.table.lay("BA/RFr", (1, 0), 0, seen_as="unknown", confidence=0.4)
    match.answers["carcassonne.face"] = "tile.BA/RFr"
    match.still()
    (question,) = match.questions()
    assert question.rule == "carcassonne.face"
    assert "tile.BA/RFr" in question.options
    assert "tile.BA/L" not in question.options
    assert question.options[-1] == "not_in_play"
    assert match.moves == [Draw("BA/RFr"), Place(1, 0, 0)]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_tile_of_which_nothing_is_seen_is_asked_about_and_the_game_goes_on_with_it(turn):
    match = begin(table=BoardTable(turn=turn))
    match.table.lay("BA/Rr", (1, 0), 90, faceless=True)
    match.answers["carcassonne.face"] = "tile.BA/Rr"
    match.answers["carcassonne.turn"] = str((90 + turn) % 360)
    match.still()
    assert match.questions() == []  # the next look may show it
    assert match.moves == []
    match.still()
    face, way = match.questions()
    assert face.options[-1] == face.default == "not_in_play"
    assert "tile.BA/Rr" in face.options
    assert "tile.BA/L" not in face.options
    assert way.rule == "carcassonne.turn"
    assert match.moves == [Draw("BA/Rr"), Place(1, 0, 90)]
    assert match.rulings("carcassonne.place")[0].data["rotation"] == (90 + turn) % 360
    road = next(n for n, part in enumerate(turned("BA/Rr", 90).parts) if part.kind == "Road")
    match.table.put("red", (1, 0), road)
    match.still()
    assert match.moves[-1] == Put("Road", turned("BA/Rr", 90).parts[road].location)
    match.table.lay("BA/RFr", (-1, 0), 0)
    match.still()
    assert match.moves[-1] == Place(-1, 0, 0)
    assert len(match.questions()) == 2
    assert match.rulings("carcassonne.illegal") == []


def test_how_a_tile_is_turned_is_not_asked_where_it_fits_in_one_way_only():
    match = begin()
    match.table.lay("BA/C", (0, -1), 180, faceless=True)
    match.answers["carcassonne.face"] = "tile.BA/C"
    match.still()
    match.still()
    (question,) = match.questions()
    assert question.rule == "carcassonne.face"
    assert match.moves == [Draw("BA/C"), Place(0, -1, 180)]


def test_a_tile_of_which_nothing_is_seen_but_for_a_moment_is_not_asked_about():
    match = begin()
    tile = match.table.lay("BA/RFr", (1, 0), 0, faceless=True)
    match.still()
    match.table.tiles[tile].faceless = False
    match.still()
    assert match.questions() == []
    assert match.moves == [Draw("BA/RFr"), Place(1, 0, 0)]


def test_nobody_says_what_it_is_and_it_is_no_tile_of_the_board():
    match = begin()
    match.table.lay("BA/RFr", (1, 0), 0, faceless=True)
    match.still()
    match.still()
    match.table.lay("BA/RFr", (-1, 0), 0)
    match.still()
    assert match.moves == [Draw("BA/RFr"), Place(-1, 0, 0)]
    assert match.rulings("carcassonne.illegal") == []


def test_a_face_that_becomes_clear_need_not_be_asked_any_more():
    match = begin()
    tile = match.table.lay("BA/RFr", (1, 0), 0, confidence=0.6)
    match.answers["carcassonne.face"] = "-"
    match.still()
    assert match.referee.view().questions[0].options[0] == "tile.BA/RFr"
    assert match.moves == []
    match.table.tiles[tile].confidence = 0.97
    match.still()
    assert match.referee.view().questions == ()
    assert match.moves == [Draw("BA/RFr"), Place(1, 0, 0)]


def test_what_is_not_in_play_is_no_tile_of_the_board():
    match = begin()
    match.table.lay("BA/RFr", (1, 0), 0, seen_as="unknown", confidence=0.2)
    match.answers["carcassonne.face"] = "not_in_play"
    match.still()
    match.table.lay("BA/RFr", (-1, 0), 0)
    match.still()
    assert match.moves == [Draw("BA/RFr"), Place(-1, 0, 0)]


def test_2_1_more_of_a_tile_than_there_are_were_misread():
    match = begin()
    match.table.lay("BA/RRRR", (1, 0), 0)
    match.still()
    match.table.lay("BA/RRRR", (-1, 0), 0)
    match.still()
    (question,) = match.questions()
    assert question.rule == "carcassonne.face"
    assert "tile.BA/RRRR" not in question.options
    assert match.rulings("carcassonne.illegal") == []


def test_2_2_2_a_tile_that_fits_nowhere_is_out_of_the_game():
    match = begin()
    for cell in ((1, 0), (-1, 0)):
        match.table.lay("BA/Rr", cell, 0 if cell == (1, 0) else 270)
        match.still()
    match.table.lay("BA/C", (0, -1), 180)
    match.still()
    assert match.referee.game.state.phase == "meeple"
    loose = match.table.lay("BA/Cccc+", None)
    match.still()
    fits = list(match.referee.game.state.board.fits("BA/Cccc+"))
    assert not fits
    (question,) = match.questions()
    assert question.rule == "carcassonne.discard"
    assert match.moves[-2:] == [Skip(), Draw("BA/Cccc+")]
    assert match.rulings("carcassonne.discard")[0].data == {"tile": "BA/Cccc+"}
    match.table.take(loose)
    match.still()
    assert match.referee.game.state.player == 2


def test_a_tile_that_was_drawn_and_fits_is_just_not_laid_yet():
    match = begin()
    match.table.lay("BA/RFr", None)
    match.still()
    assert match.questions() == []
    assert match.moves == []


def test_the_order_of_two_tiles_is_asked_when_nothing_tells_it():
    match = begin()
    match.table.lay("BA/RFr", (1, 0), 0)
    match.table.lay("BA/Rr", (-1, 0), 270)
    match.answers["carcassonne.order"] = "t2"
    match.still()
    assert match.questions()[0].options == ("t2", "t1") or match.questions()[0].options == ("t1", "t2")
    assert [m for m in match.moves if isinstance(m, Place)] == [Place(-1, 0, 270), Place(1, 0, 0)]
    assert [r.player for r in match.rulings("carcassonne.place")] == ["Anna", "Ben"]


def test_meeples_tell_the_order_of_two_tiles():
    match = begin()
    match.table.lay("BA/RFr", (1, 0), 0)
    match.table.lay("BA/L", (0, 1), 0)
    match.table.put("red", (0, 1), 0)
    match.still()
    assert match.questions() == []
    assert match.moves[:4] == [Draw("BA/L"), Place(0, 1, 0), Put("Monastery"), Draw("BA/RFr")]


def test_many_tiles_at_once_are_taken_by_turns_when_the_table_says_so():
    table = BoardTable()
    for x, name, turn in ((1, "BA/RFr", 0), (2, "BA/RFr", 0), (3, "BA/RFr", 0), (4, "BA/RRR", 0), (5, "BA/Rr", 0)):
        table.lay(name, (x, 0), turn)
    table.put("blue", (2, 0), 0)
    match = BoardMatch(table)
    match.still()
    (question,) = match.questions("carcassonne.many")
    assert question.message.params == {"n": 5}
    assert len([m for m in match.moves if isinstance(m, Place)]) == 5
    assert [m.player for m in match.referee.game.meeples()] == [2]


def test_a_tile_that_looks_otherwise_later_is_asked_about_after_two_stills():
    match = begin()
    tile = match.table.lay("BA/RFr", (1, 0), 0)
    match.still()
    match.table.lay("BA/Rr", (-1, 0), 270)
    match.still()
    match.table.tiles[tile].seen_as = "tile.BA/RRR"
    match.still()
    assert match.questions() == []
    match.answers["carcassonne.changed"] = "as_seen"
    match.still()
    (question,) = match.questions()
    assert question.message.params == {"tile": "tile.BA/RFr", "other": "tile.BA/RRR"}
    assert match.moves[:2] == [Draw("BA/RRR"), Place(1, 0, 0)]
    assert match.rulings("carcassonne.corrected")
