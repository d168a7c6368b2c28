"""Flights at the table (rules 2.3): the meeple on the machine, the die, the landing; and the view of it."""

from __future__ import annotations

import msgspec
import pytest

from rules.carcassonne import Land, Put, Roll, Skip
from rules.carcassonne.tiles import TILES
from rules.games import make_referee, things
from rules.history import Answered, Corrected, Entry, Seen, Undone, effective, fold
from rules.options import HouseRuleError
from rules.protocol import Answer, Message, View
from rules.session import Player
from rules.text import CATALOGUES, option_text, say
from tests.rules.carcassonne.board_tables import BoardMatch, BoardTable, session
from vision.scene import Scene


def part(tile: str, kind: str, number: int = 0) -> int:
    return [i for i, p in enumerate(TILES[tile].parts) if p.kind == kind][number]


def runway(**more: object) -> BoardMatch:
    """A road from the start tile to a machine at (3, 0) that flies west: 1 to (2, 0), 3 to the start tile."""
    match = BoardMatch(**more)
    match.still()
    for x, tile in ((1, "BA/RFr"), (2, "BA/RRR")):
        match.table.lay(tile, (x, 0))
        match.still()
    match.table.lay("FL/RFr.WE.o", (3, 0))
    match.still()
    return match


def board_machine(match: BoardMatch) -> str:
    meeple = match.table.put("red", (3, 0), part("FL/RFr.WE.o", "FlyingMachine"))
    match.still()
    return meeple


def test_2_3_a_flight_from_the_machine_to_the_landing():
    match = runway()
    meeple = board_machine(match)
    assert match.moves[-1] == Put("FlyingMachine")
    assert match.rulings("carcassonne.meeple")[-1].data == {"cell": [3, 0], "feature": "FlyingMachine"}
    flight = match.referee.view().board["flight"]
    assert flight == {"player": "Anna", "from": [3, 0], "die": None, "to": None, "options": []}
    match.table.throw(1)
    match.still()
    assert match.moves[-1] == Roll(1)
    assert match.rulings("carcassonne.roll")[0].data == {"die": 1, "target": [2, 0]}
    flight = match.referee.view().board["flight"]
    assert (flight["die"], flight["to"]) == (1, [2, 0])
    assert {option["feature"] for option in flight["options"]} == {"Road"}
    assert len(flight["options"]) == 3
    target = next(mark for mark in match.referee.view().marks if mark.kind == "target")
    assert target.pieces == ("t2",)
    match.table.take(meeple)
    match.table.put("red", (2, 0), part("BA/RRR", "Road", 1))
    match.still()
    assert match.moves[-1] == Land("Road", "S")
    (ruling,) = match.rulings("carcassonne.flight")
    assert ruling.data == {"die": 1, "landed": {"cell": [2, 0], "feature": "Road"}}
    assert match.referee.view().board["flight"] is None
    assert match.referee.turn_name == "Ben"


def test_2_3_8_a_flight_over_the_edge_of_the_board():
    match = BoardMatch()
    match.still()
    match.table.lay("FL/F.o", (0, 1))
    match.still()
    meeple = match.table.put("red", (0, 1), part("FL/F.o", "FlyingMachine"))
    match.still()
    match.table.throw(2)
    match.still()
    (ruling,) = match.rulings("carcassonne.flight")
    assert (ruling.player, ruling.reason, ruling.data) == ("Anna", "crashed", {"die": 2, "landed": None})
    assert match.referee.game.supply[1] == 7
    assert match.referee.view().board["to_return"][0]["feature"] == "FlyingMachine"
    match.table.take(meeple)
    match.still()
    assert match.referee.view().board["to_return"] == []
    assert match.referee.turn_name == "Ben"


def test_the_same_number_thrown_again_is_a_throw():
    match = runway()
    board_machine(match)
    match.still()
    assert match.moves[-1] == Put("FlyingMachine")
    match.table.throw(1)
    match.still()
    assert match.moves[-1] == Roll(1)


def test_meeple_die_and_landing_in_one_still():
    match = runway()
    match.table.throw(1)
    match.table.put("red", (2, 0), part("BA/RRR", "Road", 0))
    match.still()
    assert match.moves[-3:] == [Put("FlyingMachine"), Roll(1), Land("Road", "E")]
    assert match.rulings("carcassonne.meeple")[-1].inferred
    assert match.questions() == []


def test_a_flight_nobody_saw_follows_from_the_throw():
    match = BoardMatch()
    match.still()
    match.table.lay("FL/F.o", (0, 1))
    match.still()
    match.table.throw(2)
    match.still()
    assert match.rulings("carcassonne.flight") == []
    match.table.lay("BA/RFr", (1, 0))
    match.still()
    (ruling,) = match.rulings("carcassonne.flight")
    assert ruling.inferred
    assert ruling.data == {"die": 2, "landed": None}


def test_2_3_6_a_landing_that_is_none_is_ruled():
    match = runway()
    meeple = board_machine(match)
    match.table.throw(3)
    match.still()
    match.table.take(meeple)
    wrong = match.table.put("red", (0, 0), part("BA/RCr", "Field", 1), at=(0.5, 0.9))
    match.still()
    (ruling,) = match.rulings("carcassonne.illegal")
    assert (ruling.rule, ruling.pieces) == ("carcassonne.illegal.landing", (wrong,))
    match.table.take(wrong)
    match.table.put("red", (0, 0), part("BA/RCr", "City"))
    match.still()
    assert match.moves[-1] == Land("City", "N")
    assert not [mark for mark in match.referee.view().marks if mark.kind == "violation"]


def test_2_3_7_a_landing_that_was_not_seen_is_asked_about():
    match = runway()
    meeple = board_machine(match)
    match.table.throw(1)
    match.still()
    match.table.take(meeple)
    match.table.lay("BA/RFr", (4, 0))
    match.answers["carcassonne.landed"] = "Road.S"
    match.still()
    (question,) = match.questions()
    assert question.options == ("Road.E", "Road.S", "Road.W")
    assert Land("Road", "S") in match.moves
    assert match.rulings("carcassonne.place")[-1].player == "Ben"


def test_2_10_c9_a_cocked_die_is_rolled_again():
    match = runway()
    board_machine(match)
    match.table.throw(2)
    assert match.table.die is not None
    match.table.die.pose = "cocked"
    match.still()
    assert match.moves[-1] == Put("FlyingMachine")
    assert match.referee.view().marks[0].message.key == "carcassonne.mark.cocked"
    match.table.throw(3)
    match.still()
    assert match.moves[-1] == Roll(3)


def test_2_10_c9_or_counts_as_it_lies():
    match = runway(house_rules={"die_cocked": "as_it_lies"})
    board_machine(match)
    match.table.throw(2)
    assert match.table.die is not None
    match.table.die.pose = "cocked"
    match.still()
    assert match.moves[-1] == Roll(2)


def test_2_10_c9_a_die_that_cannot_be_read_is_asked_about():
    match = runway()
    board_machine(match)
    match.table.throw(None)
    match.answers["carcassonne.die"] = "3"
    match.still()
    (question,) = match.questions()
    assert question.options == ("1", "2", "3", "not_thrown")
    assert match.moves[-1] == Roll(3)


def test_a_die_that_may_or_may_not_have_been_thrown_is_asked_about():
    match = runway()
    board_machine(match)
    assert match.table.die is not None
    match.table.die.doubtful = True
    match.answers["carcassonne.die"] = "not_thrown"
    match.still()
    assert match.questions()[0].rule == "carcassonne.die"
    assert match.moves[-1] == Put("FlyingMachine")
    match.table.die.doubtful = False
    match.table.throw(1)
    match.still()
    assert match.moves[-1] == Roll(1)


def test_who_goes_on_without_a_throw_did_not_take_the_machine():
    match = runway()
    board_machine(match)
    match.table.lay("BA/RFr", (4, 0))
    match.answers["carcassonne.meeple"] = "Road"
    match.still()
    assert match.questions()[0].rule == "carcassonne.die"
    assert Put("FlyingMachine") not in match.moves


# -- view, session, history -------------------------------------------------------------------------------------------


def test_the_view_is_plain_data_and_every_word_of_it_is_known():
    match = runway()
    board_machine(match)
    match.table.throw(1)
    match.still()
    view = match.referee.view()
    assert msgspec.json.decode(msgspec.json.encode(view), type=View) == view
    messages = [view.phase, *(m.message for m in view.marks), *(o.message for o in view.offers)]
    for language in ("en", "fr", "de"):
        assert all("carcassonne." not in say(message, language) for message in messages)
        assert option_text("Field.NE", language) != "Field.NE"
    assert [tile["cell"] for tile in view.board["tiles"]] == [[0, 0], [1, 0], [2, 0], [3, 0]]
    assert view.board["supply"] == {"Anna": 6, "Ben": 7}
    assert view.board["meeples"][0]["feature"] == "FlyingMachine"


def test_a_tile_is_named_by_what_is_on_it():
    message = Message("carcassonne.place", {"player": "Ana", "tile": "tile.BA/CcRr+"})
    assert say(message, "de") == "Ana legt ein Plättchen: Stadt ×2, Wappen, Kurve."
    assert "carcassonne.place" in CATALOGUES["fr"]


def test_the_game_may_be_ended_by_the_table_before_the_last_tile():
    match = runway()
    match.table.put("red", (3, 0), part("FL/RFr.WE.o", "Road"), at=(0.1, 0.5))
    match.answers["carcassonne.meeple"] = "Road"
    match.still()
    match.correct("phase", "end")
    view = match.referee.view()
    assert view.over
    assert match.referee.scores() == {"Anna": 2, "Ben": 0}
    assert view.winners == ("Anna",)
    assert match.rulings("carcassonne.score")[-1].reason == "road.incomplete.final"
    assert match.rulings("carcassonne.final")[0].data == {"scores": {"Anna": 2, "Ben": 0}, "winners": ["Anna"]}
    match.table.lay("BA/RFr", (4, 0))
    assert match.still() == []


def test_undo_and_correction_go_by_the_journal():
    match = runway()
    meeple = board_machine(match)
    match.table.throw(1)
    match.still()
    entries: list[Entry] = [Seen(i) if isinstance(i, Scene) else Answered(i) for i in match.inputs]
    undone = [*entries, Undone(len(entries))]
    referee, _ = fold(BoardMatch().referee, effective(undone).inputs)
    assert referee.game.moves == match.moves[:-1]
    told = Answered(Answer(t=match.table.t, question=None, choice="die", value="3"))
    referee, _ = fold(BoardMatch().referee, effective([*undone, told]).inputs)
    assert referee.game.moves[-1] == Roll(3)
    other = [*entries, Corrected(len(entries), answer=told.answer)]
    referee, _ = fold(BoardMatch().referee, effective(other).inputs)
    assert referee.game.moves[-1] == Roll(3)
    assert meeple in match.table.meeples


def test_a_die_is_corrected_while_the_meeple_may_land():
    match = runway()
    board_machine(match)
    match.table.throw(1)
    match.still()
    assert match.referee.game.state.phase == "land"
    said = match.correct("die", "3")
    assert [o.rule for o in said][:2] == ["carcassonne.corrected", "carcassonne.roll"]
    assert match.moves[-1] == Roll(3)
    assert match.referee.view().board["flight"]["to"] == [0, 0]
    assert match.still() == []


def test_a_die_is_corrected_after_the_landing_if_all_that_followed_may_have_been():
    match = runway()
    meeple = board_machine(match)
    match.table.throw(1)
    match.still()
    match.table.take(meeple)
    match.table.put("red", (2, 0), part("BA/RRR", "Road", 1))
    match.still()
    assert isinstance(match.moves[-1], Land)
    match.table.lay("BA/RFr", (4, 0))
    match.still()
    assert [o.rule for o in match.correct("die", "3")] == ["carcassonne.refused"]  # it did not land there
    assert Roll(1) in match.moves
    assert match.correct("die", "1")[0].rule == "carcassonne.corrected"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"house_rules": {"abbot": True}}, "abbot"),
        ({"house_rules": {"first_player": 5}}, "first_player"),
        ({"house_rules": {"farmer": True}}, "farmers"),
        ({"dealer": 9}, "dealer = 9"),
    ],
)
def test_a_session_that_cannot_be_played_says_why(told, words):
    with pytest.raises(ValueError, match=words) as error:
        make_referee(session(**told))
    assert "\n" not in str(error.value)
    assert isinstance(error.value, HouseRuleError) or "dealer" in told


@pytest.mark.parametrize("colours", [("red", "red"), ("red", "")])
def test_colours_must_be_told_apart(colours):
    two = tuple(
        Player(number=n, name=name, side="S", colour=colour)
        for n, name, colour in zip((1, 2), ("Ana", "Bo"), colours, strict=True)
    )
    with pytest.raises(ValueError, match="Bo"):
        make_referee(msgspec.structs.replace(session(), player=two))


def test_what_lies_on_such_a_table():
    table = things(session(3))
    assert table.dice[0].face == "die.flight"
    assert sorted(table.dice[0].values) == [1, 1, 2, 2, 3, 3]
    assert table.tokens[0].colours == ("red", "blue", "green")
    assert (table.tokens[0].kind, table.tokens[0].count) == ("meeple", 8)


def test_c8_who_starts():
    assert BoardMatch(house_rules={"first_player": 2}).referee.turn_name == "Ben"
    assert BoardMatch(dealer=2).referee.turn_name == "Ben"


def test_roles():
    referee = BoardMatch().referee
    assert [referee.role(face) for face in ("tile.BA/L", "back", "tile.BA/X", "palace")] == [
        "tile",
        "back",
        "unknown",
        "unknown",
    ]


def test_a_scene_that_shows_no_board_says_nothing():
    match = BoardMatch(BoardTable())
    match.table.tiles.clear()
    assert [o.rule for o in match.still()] == ["carcassonne.session"]
    assert match.referee.view().phase.key == "carcassonne.phase.start"
    assert Skip() not in match.moves


def test_a_cocked_die_that_the_players_went_by_counts():
    match = runway()
    meeple = board_machine(match)
    match.table.throw(1)
    assert match.table.die is not None
    match.table.die.pose = "cocked"
    match.still()
    match.table.take(meeple)
    match.table.put("red", (2, 0), part("BA/RRR", "Road", 1))
    match.still()
    assert match.moves[-2:] == [Roll(1), Land("Road", "S")]
    assert match.questions() == []


def test_a_landing_tells_what_an_unread_die_most_likely_shows():
    match = runway()
    meeple = board_machine(match)
    match.table.die = None
    match.table.take(meeple)
    match.table.put("red", (2, 0), part("BA/RRR", "Road", 1))
    match.still()
    assert match.questions()[0].default == "1"
    assert match.moves[-2:] == [Roll(1), Land("Road", "S")]


def test_a_landing_elsewhere_than_the_flight_reached_is_flagged():
    match = runway()
    meeple = board_machine(match)
    match.table.throw(1)
    match.still()
    match.table.take(meeple)
    match.table.put("red", (1, 0), part("BA/RFr", "Road"), at=(0.4, 0.5))
    match.still()
    assert match.moves[-1] == Roll(1)
    keys = {mark.message.key for mark in match.referee.view().marks}
    assert "carcassonne.mark.lands_elsewhere" in keys
    assert match.questions() == []
