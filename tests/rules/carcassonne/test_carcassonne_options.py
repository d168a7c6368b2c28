"""Every option of table 2.10, by its number there."""

from dataclasses import replace

import pytest

from rules.carcassonne import Draw, Game, Land, Put, Recall, Roll, Skip
from rules.carcassonne.house_rules import HouseRuleError, HouseRules
from tests.rules.carcassonne.tables import breaks, fly, landings, lay, places, play, points, random_game, start

COLUMN = [("BA/L", 0, 1, 0), ("BA/L", 0, 2, 0)]
TO_THE_GAP = [*COLUMN, ("BA/L", 1, 2, 0), ("BA/L", 2, 2, 0)]
"""A machine at (2, 1) flies west over the empty (1, 1) to (0, 1)."""
WHOLE_FIELD = "NL.NR.EL.ER.SL.SR.WL.WR"


def test_c1_flight_over_gaps():
    game = lay(play(start(flight_over_gaps=False), *TO_THE_GAP), "FL/F.o", 2, 1, 0)
    fly(game, 2)
    assert (game.turn, game.supply) == (2, {1: 7, 2: 7}), "the first cell on the way is empty"
    game = lay(play(start(flight_over_gaps=False), *COLUMN), "FL/F.o", 0, 3, 90)
    assert landings(fly(game, 2)) == {("Monastery", "I")}


def test_c2_landing_mandatory():
    game = lay(play(start(landing_mandatory=False), *COLUMN), "FL/F.o", 1, 2, 0)
    fly(game, 1)
    assert list(game.legal()) == [Land("Monastery"), Skip()]
    game.push(Skip())
    assert (game.turn, game.supply, game.meeples()) == (2, {1: 7, 2: 7}, ())


def test_c3_farmers():
    game = lay(start(farmers=False), "BA/L", 0, 1, 0)
    assert places(game) == {("Monastery", "I")}
    assert breaks(game, Put("Field", WHOLE_FIELD)) == "farmers"
    assert all(line.rule != "field" for line in random_game(3, farmers=False).state.lines)


@pytest.mark.parametrize(("each", "total", "rule"), [(4, 4, "city"), (2, 2, "city.tiny")])
def test_c4_tiny_city_points(each, total, rule):
    game = play(start(tiny_city_points=each), ("BA/C", 0, -1, 180, "City", "S"))
    assert points(game) == [(1, total, rule)]


def test_c4_only_a_complete_city_of_two_tiles_is_tiny():
    game = play(start(tiny_city_points=2), ("BA/CFc.1", 0, -1, 90, "City", "NS"), ("BA/C", 0, -2, 180))
    assert points(game) == [(1, 6, "city")]
    game = start(tiny_city_points=2)
    game.state = replace(game.state, stock={"BA/CFc.1": 1})
    assert points(play(game, ("BA/CFc.1", 0, -1, 90, "City", "NS"))) == [(1, 2, "city.incomplete")]


GARDEN = ("BA/RFrG", 1, 0, 0)


def test_c5_without_abbots_gardens_are_decoration():
    game = lay(start(), *GARDEN)
    assert breaks(game, Put("Garden")) == "abbot"
    assert breaks(game, Put("Garden", figure="abbot")) == "abbot"
    assert all(feature.kind != "Garden" for feature in game.features())


def test_c5_an_abbot_goes_on_gardens_and_monasteries_only():
    game = lay(start(abbot=True), *GARDEN)
    assert places(game, "abbot") == {("Garden", "I")}
    assert breaks(game, Put("Garden")) == "abbot"
    assert breaks(game, Put("Road", "WE", figure="abbot")) == "abbot"
    game.push(Put("Garden", figure="abbot"))
    assert (game.state.abbots, game.supply) == ((0, 1), {1: 7, 2: 7})
    lay(game, "BA/L", 1, 1, 0)
    assert places(game, "abbot") == {("Monastery", "I")}
    assert ("Monastery", "I") in places(game)
    game.push(Skip())
    lay(game, "BA/L", 1, 2, 0)
    assert breaks(game, Put("Monastery", figure="abbot")) == "supply"


def test_c5_a_garden_scores_like_a_monastery():
    game = play(
        start(abbot=True),
        ("BA/RFr", 1, 0, 0),
        ("BA/RFrG", 2, 0, 0, "Garden", "I", "abbot"),
        ("BA/RFr", 3, 0, 0),
        *[("BA/L", x, 1, 0) for x in (1, 2, 3)],
        *[("FL/F.o", 1, -1, 0), ("FL/F.dG", 2, -1, 0)],
    )
    assert points(game) == []
    play(game, ("BA/LR", 3, -1, 180))
    assert points(game) == [(2, 9, "garden")]
    assert game.state.abbots == (1, 1)


def test_c5_instead_of_putting_a_meeple_the_abbot_is_called_back_and_scored():
    game = play(start(abbot=True), ("BA/L", 0, 1, 0, "Monastery", "I", "abbot"))
    lay(game, "BA/L", 0, 2, 0)
    assert breaks(game, Recall()) == "recall", "player 2 has none on the table"
    game.push(Skip())
    lay(game, "BA/L", 1, 1, 0)
    assert Recall() in list(game.legal())
    game.push(Recall())
    assert points(game) == [(1, 4, "monastery.recalled")]
    assert (game.state.abbots, game.turn, game.meeples()) == ((1, 1), 2, ())


def test_c5_the_abbot_called_back_scores_alone():
    """Two meeples of player 2 are on the monastery as well; they stay."""
    game = play(start(abbot=True), ("BA/L", 0, 1, 0, "Monastery", "I", "abbot"))
    fly(lay(game, "FL/F.o", 1, 1, 0), 1)
    game.push(Land("Monastery"))
    lay(game, "BA/L", 0, 2, 0)
    game.push(Recall())
    assert points(game) == [(1, 4, "monastery.recalled")]
    assert [(m.player, m.figure) for m in game.meeples()] == [(2, "meeple")]


def test_c5_a_flying_abbot_lands_on_monasteries_and_gardens_only():
    game = play(start(abbot=True), ("BA/RFrG", 1, 0, 0))
    fly(lay(game, "FL/RFr.WE.o", 2, 0, 0), 1, "abbot")
    assert landings(game) == {("Garden", "I")}
    assert breaks(game, Land("Road", "WE")) == "abbot"
    game.push(Land("Garden"))
    assert [m.figure for m in game.meeples()] == ["abbot"]
    game = play(start(abbot=True), ("BA/RFrG", 1, 0, 0))
    fly(lay(game, "FL/RFr.WE.o", 2, 0, 0), 1)
    assert landings(game) == {("Road", "WE")}
    assert breaks(game, Land("Garden")) == "abbot"


def test_c5_an_abbot_that_cannot_land_returns():
    game = play(start(abbot=True), ("BA/RFr", 1, 0, 0))
    fly(lay(game, "FL/RFr.WE.o", 2, 0, 0), 1, "abbot")
    assert (game.state.abbots, game.turn) == ((1, 1), 1)


def test_c5_an_abbot_left_in_a_garden_scores_at_the_end():
    game = start(abbot=True)
    game.state = replace(game.state, stock={"BA/RFrG": 1})
    play(game, (*GARDEN, "Garden", "I", "abbot"))
    assert points(game) == [(1, 2, "garden.incomplete")]


def test_c6_unplaceable_put_back():
    game = play(start(unplaceable="put_back"), ("BA/C", 0, -1, 180))
    game.push(Draw("BA/Cccc+"))
    assert (game.state.phase, game.turn, game.state.discarded) == ("draw", 2, ())
    assert game.state.stock["BA/Cccc+"] == 1
    game.push(Draw("BA/Cccc+"))
    game.push(Draw("BA/L"))
    assert game.state.phase == "place"


def test_c6_put_back_ends_when_no_tile_fits_any_more():
    game = start(unplaceable="put_back")
    game.state = replace(game.state, stock={"BA/C": 1, "BA/Cccc+": 1})
    play(game, ("BA/C", 0, -1, 180))
    assert game.is_over
    assert game.state.stock == {"BA/Cccc+": 1}


@pytest.mark.parametrize(("first", "winner"), [(1, 3), (2, 1), (3, 2)])
def test_c7_tiebreak(first, winner):
    game = start(3, first=first, tiebreak="later_player")
    game.state = replace(game.state, stock={"BA/L": 1})
    assert play(game, ("BA/L", 0, 1, 0)).winners == (winner,)


def test_c8_first_player():
    assert start(3, first_player=2).turn == 2
    assert start(3, first_player=2, first=3).turn == 3, "what the players say goes first"
    with pytest.raises(HouseRuleError, match="no player 4"):
        start(3, first_player=4)


def test_c9_die_cocked():
    game = lay(play(start(), *COLUMN), "FL/F.o", 1, 2, 0)
    game.push(Put("FlyingMachine"))
    assert breaks(game, Roll(1, cocked=True)) == "cocked"
    game.push(Roll(1))
    game = lay(play(start(die_cocked="as_it_lies"), *COLUMN), "FL/F.o", 1, 2, 0)
    game.push(Put("FlyingMachine"))
    game.push(Roll(1, cocked=True))
    assert game.state.phase == "land"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("flight_over_gaps", "yes"),
        ("landing_mandatory", 1),
        ("farmers", None),
        ("tiny_city_points", 3),
        ("abbot", "true"),
        ("unplaceable", "keep"),
        ("tiebreak", "dice"),
        ("first_player", 6),
        ("first_player", 0),
        ("die_cocked", "maybe"),
        ("ask_below_confidence", 0.2),
        ("ask_below_confidence", 1.1),
        ("gardens", True),
    ],
)
def test_a_house_rule_that_cannot_be_played_by_is_named(field, value):
    with pytest.raises(HouseRuleError, match=f"`{field}`") as error:
        HouseRules.of({field: value})
    assert error.value.field == field
    assert "\n" not in str(error.value)


def test_what_differs_from_the_defaults_is_told():
    assert HouseRules().changed() == {}
    assert HouseRules.of({"abbot": True, "tiny_city_points": 2}).changed() == {"abbot": True, "tiny_city_points": 2}


def test_the_options_are_those_of_the_table_in_its_order():
    assert HouseRules.__struct_fields__ == (
        "flight_over_gaps",
        "landing_mandatory",
        "farmers",
        "tiny_city_points",
        "abbot",
        "unplaceable",
        "tiebreak",
        "first_player",
        "die_cocked",
        "ask_below_confidence",
    )


@pytest.mark.parametrize("players", [1, 6, 0])
def test_2_1_two_to_five_play(players):
    with pytest.raises(ValueError, match=f"2 to 5 players play, not {players}"):
        Game(players)
