"""Rules 2.3, the flying machines; the worked examples of the rules bear their names."""

from dataclasses import replace

import pytest

from rules.carcassonne import Draw, Land, Place, Put, Roll, Skip
from tests.rules.carcassonne.tables import breaks, fly, landings, lay, places, play, points, start

MONK = {("Monastery", "I")}
COLUMN = [("BA/L", 0, 1, 0), ("BA/L", 0, 2, 0)]
"""Two monasteries below the start tile."""

# -- the worked examples ------------------------------------------------------------------------------------------
# Rebuilt from what the rules say of them. No tile of this box shows a monastery, a city and a road together as the
# picture of example 1 does: so it is played on two tables, one with the monastery and one with the city.


def example_1(target: str) -> object:
    """Red (1) lays a machine that flies diagonally; blue (2) is monk, yellow (3) knight two tiles away.

    The road there is complete, three tiles away lies none.
    """
    game = start(3)
    if target == "monastery":
        play(
            game,
            ("BA/RRR", 1, 0, 0),
            ("BA/LR", -1, 0, 270, "Monastery"),  # blue; its road runs to (0, 0) and ends in (1, 0)
            ("BA/L", -1, 1, 0),
            ("BA/L", 0, 1, 0),
            ("BA/L", 0, 2, 0),
            ("BA/L", -1, 2, 0),
        )
        return lay(game, "FL/F.dG", 1, 2, 0)
    play(
        game,
        ("BA/RRR", 1, 0, 0),
        ("BA/RRR", -1, 0, 180),
        ("BA/Ccc", 0, -1, 180, "City", "_N"),  # yellow
        ("BA/L", 0, 1, 0),
        ("BA/L", 0, 2, 0),
        ("BA/L", 1, 2, 0),
    )
    return lay(game, "FL/F.dG", 2, 2, 0)


@pytest.mark.parametrize(
    ("target", "rivals", "options"),
    [("monastery", [2], {("Monastery", "I")}), ("city", [3], {("City", "N")})],
)
def test_example_1_a_two_lands_beside_others_and_must_but_not_on_the_completed_road(target, rivals, options):
    game = example_1(target)
    cell = {"monastery": (-1, 0), "city": (0, 0)}[target]
    fly(game, 2)
    assert landings(game) == options
    assert breaks(game, Skip()) == "must_land"
    road = next(part for part in game.state.board.tiles[cell].parts if part.kind == "Road")
    assert breaks(game, Land("Road", road.location)) == "landing"
    (option,) = options
    game.push(Land(*option))
    (feature,) = [f for f in game.features() if {m.player for m in f.meeples} >= set(rivals)]
    assert [m.player for m in feature.meeples] == [*rivals, 1]


@pytest.mark.parametrize("target", ["monastery", "city"])
def test_example_1_where_no_tile_lies_the_meeple_returns_and_no_other_is_put(target):
    game = example_1(target)
    before = game.supply
    fly(game, 3)
    assert game.turn == 2, "the turn is over"
    assert game.supply == before
    assert breaks(game, Put("Field", "NL.NR.EL.ER.SL.SR.WL.WR")) == "phase"


def test_example_2_only_the_city_beside_blue_is_left_to_land_on():
    game = play(
        start(3),
        ("BA/RRR", 1, 0, 0),
        ("BA/Ccc", 0, -1, 180, "City", "_N"),  # blue (2)
        ("BA/RRR", -1, 0, 180),  # completes the road of the start tile
    )
    fly(lay(game, "FL/RFr.WE.o", 2, 0, 0), 2)
    assert landings(game) == {("City", "N")}
    assert breaks(game, Land("Road", "WE")) == "landing"
    assert breaks(game, Land("Field", "EL.WR")) == "landing"
    assert breaks(game, Skip()) == "must_land"
    game.push(Land("City", "N"))
    assert [m.player for f in game.features() if f.kind == "City" for m in f.meeples] == [2, 1]


def test_example_3a_no_landing_on_what_was_complete_before():
    game = play(start(), ("BA/C", 0, -1, 180), ("BA/RRR", 1, 0, 0), ("BA/RRR", -1, 0, 180))
    fly(lay(game, "FL/RFr.WE.o", 2, 0, 0), 2)
    assert game.turn == 1, "city and road of the start tile are complete: the meeple returns"
    assert game.supply == {1: 7, 2: 7}


CLOSED_BY_THE_MACHINE = [
    ("BA/RRR", -1, 0, 180),
    ("BA/RFr", 1, 0, 0, "Road", "WE"),  # blue (2)
    ("BA/L", 1, 1, 0),
    ("BA/L", 2, 1, 0),
    ("BA/L", 3, 1, 0),
    ("BA/RRR", 3, 0, 180),  # (2, 0) is left between two ends of a road
]


def test_example_3b_no_landing_on_what_this_very_tile_completes():
    game = play(start(), *CLOSED_BY_THE_MACHINE)
    lay(game, "FL/RFr.WE.o", 2, 0, 0)
    game.push(Put("FlyingMachine"))
    assert points(game) == [], "scoring comes after the flight"
    game.push(Roll(1))
    assert points(game) == [(2, 5, "road")], "the completed road scores for who stood there"
    assert (game.supply, game.turn) == ({1: 7, 2: 7}, 2)


def test_example_3c_landing_on_the_incomplete_road_that_this_tile_extends():
    game = play(start(), *CLOSED_BY_THE_MACHINE[:2])
    lay(game, "FL/RFr.WE.o", 2, 0, 0)
    assert breaks(game, Put("Road", "WE")) == "occupied", "blue stands on it: none can be put there"
    fly(game, 1)
    assert landings(game) == {("Road", "WE")}
    game.push(Land("Road", "WE"))
    (road,) = [f for f in game.features() if f.meeples]
    assert [m.player for m in road.meeples] == [2, 1]
    assert [m.spot[:2] for m in road.meeples] == [(1, 0), (1, 0)]


# -- clause by clause ---------------------------------------------------------------------------------------------


def test_2_3_1_the_tile_is_laid_by_the_normal_rules():
    game = start()
    game.push(Draw("FL/RFr.WE.o"))
    assert breaks(game, Place(1, 0, 90)) == "edges"
    game.push(Place(1, 0, 0))


def test_2_3_2_nothing_or_road_or_field_or_the_machine():
    game = lay(start(), "FL/RFr.WE.o", 1, 0, 0)
    assert places(game) == {
        ("Road", "WE"),
        ("Field", "NL.NR.EL.WR"),
        ("Field", "ER.SL.SR.WL"),
        ("FlyingMachine", "I"),
    }
    assert Skip() in list(game.legal())


def test_2_3_2_without_a_meeple_in_the_supply_nobody_flies():
    game = lay(play(start(), *COLUMN), "FL/F.o", 1, 2, 0)
    game.state = replace(game.state, supply=(0, 7))
    assert breaks(game, Put("FlyingMachine")) == "supply"
    assert list(game.legal()) == [Skip()]


def test_2_3_2_the_last_meeple_may_fly():
    game = lay(play(start(), *COLUMN), "FL/F.o", 1, 2, 0)
    game.state = replace(game.state, supply=(1, 7))
    assert landings(fly(game, 1)) == MONK
    game.push(Land("Monastery"))
    assert game.supply == {1: 0, 2: 7}


def test_2_3_3_the_meeple_is_committed_before_the_roll():
    game = lay(play(start(), *COLUMN), "FL/F.o", 1, 2, 0)
    assert breaks(game, Roll(1)) == "phase"
    game.push(Put("FlyingMachine"))
    assert game.supply == {1: 6, 2: 7}
    assert breaks(game, Skip()) == "phase"
    assert breaks(game, Put("Field", "NL.NR.EL.ER.SL.SR.WL.WR")) == "phase"
    assert list(game.legal()) == [Roll(1), Roll(2), Roll(3)]
    for die in (0, 4):
        assert breaks(game, Roll(die)) == "die"


@pytest.mark.parametrize(
    ("machine", "rotation", "turns", "cell", "die", "target"),
    [
        ("FL/F.o", 0, [("BA/L", 0, 1, 0)], (1, 1), 1, (0, 1)),
        ("FL/F.o", 90, COLUMN, (0, 3), 1, (0, 2)),
        ("FL/F.o", 90, COLUMN, (0, 3), 2, (0, 1)),
        ("FL/F.o", 180, [("BA/L", 0, 1, 0)], (-1, 1), 1, (0, 1)),
        ("FL/F.o", 270, [*COLUMN, ("BA/L", 1, 2, 0)], (1, 1), 1, (1, 2)),
        ("FL/F.d", 0, COLUMN, (1, 2), 1, (0, 1)),
        ("FL/F.d", 90, COLUMN, (-1, 2), 1, (0, 1)),
        ("FL/F.d", 180, COLUMN, (-1, 1), 1, (0, 2)),
        ("FL/F.d", 270, COLUMN, (1, 1), 1, (0, 2)),
        ("FL/F.dG", 270, COLUMN, (1, 1), 1, (0, 2)),
    ],
)
def test_2_3_4_direction_turns_with_the_tile_and_the_die_counts_cells(machine, rotation, turns, cell, die, target):
    game = play(start(tiles="C2" if machine.endswith("G") else "C1"), *turns)
    fly(lay(game, machine, *cell, rotation), die)
    assert landings(game) == MONK
    game.push(Land("Monastery"))
    assert [meeple.spot[:2] for meeple in game.meeples()] == [target]


OVER_A_GAP = [*COLUMN, ("BA/L", 1, 2, 0), ("BA/L", 2, 2, 0)]
"""A machine at (2, 1) flies west over the empty (1, 1) to (0, 1)."""


def test_2_3_5_empty_cells_do_not_stop_the_flight():
    game = lay(play(start(), *OVER_A_GAP), "FL/F.o", 2, 1, 0)
    assert (1, 1) not in game.state.board.tiles
    assert landings(fly(game, 2)) == MONK


def test_2_3_6_any_incomplete_feature_of_the_tile_may_be_chosen():
    game = play(start(), ("BA/RRR", 1, 0, 0))
    fly(lay(game, "FL/RFr.WE.o", 2, 0, 0), 1)
    assert landings(game) == {("Road", "E"), ("Road", "S"), ("Road", "W")}
    assert breaks(game, Land("Field", "NL.NR.EL.WR")) == "landing"
    assert breaks(game, Land("City", "N")) == "landing"


TWO_PARTS = [("BA/CC.2", 0, 1, 180), ("BA/Cc.1", 1, 1, 270), ("BA/Ccc", 1, 2, 0), ("BA/Cc.1", 0, 2, 90)]
"""Both cities of the tile at (0, 1) are one, round the corner, and open at (1, 2)."""


def test_2_3_6_two_parts_of_one_feature_are_two_places_to_land():
    game = play(start(), *TWO_PARTS)
    fly(lay(game, "FL/F.o", -1, 1, 180), 1)
    assert landings(game) == {("City", "E"), ("City", "S")}
    game.push(Land("City", "S"))
    (city,) = [f for f in game.features() if f.meeples]
    assert len(city.cells) == 4


def test_2_3_6_where_oneself_stands_already():
    game = play(start(), ("BA/L", 0, 1, 0, "Monastery"), ("BA/L", 0, 2, 0))
    fly(lay(game, "FL/F.o", 1, 1, 0), 1)
    game.push(Land("Monastery"))
    assert [m.player for m in game.meeples()] == [1, 1]
    assert game.supply == {1: 5, 2: 7}


def test_2_3_7_the_owner_chooses_where_to_land():
    game = play(start(), ("BA/LR", 0, 1, 0))
    fly(lay(game, "FL/F.o", 1, 1, 0), 1)
    assert landings(game) == {("Monastery", "I"), ("Road", "S")}
    for kind, location in landings(game):
        game.push(Land(kind, location))
        assert [game.state.board.part(meeple.spot).kind for meeple in game.meeples()] == [kind]
        game.pop()


def test_2_3_8_a_tile_with_fields_only_sends_the_meeple_back():
    game = play(start(), ("FL/F.dG", 0, 1, 0))
    fly(lay(game, "FL/F.o", 1, 1, 0), 1)
    assert (game.turn, game.supply) == (1, {1: 7, 2: 7})


def test_2_3_9_two_monks_of_different_players_both_own_the_monastery():
    game = play(start(), ("BA/L", 0, 1, 0, "Monastery"), ("BA/L", 0, 2, 0), ("BA/RFr", -1, 0, 0))
    fly(lay(game, "FL/F.dG", -1, 2, 90), 1)
    game.push(Land("Monastery"))
    play(game, ("BA/RFr", 1, 0, 0), ("BA/L", 1, 1, 0), ("BA/L", -1, 1, 0))
    assert points(game) == []
    play(game, ("BA/Rr", 1, 2, 270))
    assert points(game) == [(1, 9, "monastery"), (2, 9, "monastery")]
    assert game.supply == {1: 7, 2: 7}


def test_2_3_9_a_landed_meeple_counts_for_majorities_at_once():
    game = play(start(), *CLOSED_BY_THE_MACHINE[:2])
    fly(lay(game, "FL/RFr.WE.o", 2, 0, 0), 1)
    game.push(Land("Road", "WE"))
    play(game, ("BA/RRR", 3, 0, 0))
    assert points(game) == [(1, 5, "road"), (2, 5, "road")]


def test_2_3_10_what_the_tile_completes_scores_with_the_meeples_that_stood_there():
    """Blue's road is completed; red flies over it to another road of the crossing beyond."""
    game = play(start(), *CLOSED_BY_THE_MACHINE)
    fly(lay(game, "FL/RFr.WE.o", 2, 0, 0), 3)
    assert landings(game) == {("Road", "N"), ("Road", "W")}
    game.push(Land("Road", "W"))
    assert points(game) == [(2, 5, "road")]
    assert [(m.player, m.spot[:2]) for m in game.meeples()] == [(1, (-1, 0))]


def test_2_3_12_a_later_flyer_may_land_on_a_machine_tiles_road():
    game = play(start(), ("FL/RFr.d", 1, 0, 0))
    fly(lay(game, "FL/RFr.WE.o", 2, 0, 0), 1)
    assert landings(game) == {("Road", "WE")}


def test_2_3_2_the_machine_never_counts_as_occupied():
    game = play(start(), ("BA/RFr", 1, 0, 0, "Road", "WE"), ("BA/RFr", -1, 0, 0))
    lay(game, "FL/RFr.WE.o", 2, 0, 0)
    assert ("FlyingMachine", "I") in places(game)


def test_2_3_13_with_the_last_tile_the_flight_comes_before_the_final_scoring():
    game = play(start(), *COLUMN)
    game.state = replace(game.state, stock={"FL/F.o": 1})
    fly(lay(game, "FL/F.o", 1, 2, 0), 1)
    assert not game.is_over
    game.push(Land("Monastery"))
    assert game.is_over
    assert points(game) == [(1, 3, "monastery.incomplete")]
