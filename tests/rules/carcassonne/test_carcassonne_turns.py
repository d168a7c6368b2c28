"""Rules 2.2, the turn: draw, lay, put a meeple, score; and the end of the game."""

from collections import Counter
from dataclasses import replace

import pytest

from rules.carcassonne import Draw, Land, Place, Put, Skip
from rules.carcassonne.legal import placements
from tests.rules.carcassonne.tables import breaks, finish, fly, lay, places, play, points, start

FIELDS = ("BA/L", 0, 1, 0)
"""A monastery below the start tile."""
RING = [("BA/Rr", 0, 1, 270), ("BA/Rr", 1, 1, 0), ("BA/Rr", 0, 2, 180)]
"""Three quarters of a ring below the start tile; (1, 2) closes it."""
CLOSE_THE_CITY = ("BA/C", 0, -1, 180)
"""Completes the city of the start tile."""


def last_turns(game, *turns):
    """The game as if all other tiles were gone."""
    stock = Counter(tile for tile, *_ in turns)
    game.state = replace(game.state, stock=dict(stock))
    return play(game, *turns)


# -- 2.2.1, 2.2.2: whose turn, where a tile goes ------------------------------------------------------------------


def test_2_2_1_the_start_tile_lies_and_79_are_drawn():
    game = start()
    assert list(game.state.board.tiles) == [(0, 0)]
    assert sum(game.state.stock.values()) == 79
    assert len(finish(game).state.board.tiles) + len(game.state.discarded) == 80


@pytest.mark.parametrize(("first", "order"), [(1, [1, 2, 3, 1]), (2, [2, 3, 1, 2]), (3, [3, 1, 2, 3])])
def test_2_2_1_players_take_turns_clockwise(first, order):
    game = start(3, first=first)
    seen = []
    for y in range(1, 5):
        seen.append(game.turn)
        play(game, ("BA/L", 0, y, 0))
    assert seen == order


def test_2_2_1_another_players_move_is_refused():
    game = start(3)
    assert breaks(game, Draw("BA/L", player=2)) == "turn"
    game.push(Draw("BA/L", player=1))
    assert breaks(game, Place(0, 1, 0, player=3)) == "turn"
    assert breaks(game, Place(0, 1, 0, player=4)) == "player"


def test_2_2_2_all_touching_sides_must_match():
    game = start()
    game.push(Draw("BA/Rr"))
    assert placements(game.state) == [
        ((-1, 0), 180),
        ((-1, 0), 270),
        ((0, 1), 0),
        ((0, 1), 270),
        ((1, 0), 0),
        ((1, 0), 90),
    ]
    assert breaks(game, Place(1, 0, 180)) == "edges"
    assert breaks(game, Place(0, -1, 0)) == "edges"
    game.push(Place(1, 0, 0))
    game.push(Skip())
    game.push(Draw("BA/RFr"))
    assert breaks(game, Place(1, 1, 0)) == "edges"
    game.push(Place(1, 1, 90))


def test_2_2_2_side_to_side_and_not_on_another():
    game = start()
    game.push(Draw("BA/L"))
    assert breaks(game, Place(0, 0, 0)) == "taken"
    assert breaks(game, Place(1, 1, 0)) == "touch"
    assert breaks(game, Place(0, 1, 45)) == "rotation"


def test_2_2_2_a_tile_that_fits_may_not_be_refused():
    game = start()
    game.push(Draw("BA/L"))
    assert breaks(game, Skip()) == "must_place"
    assert breaks(game, Draw("BA/L")) == "phase"


def test_2_2_2_a_tile_that_fits_nowhere_is_out_and_another_is_drawn():
    game = play(start(), CLOSE_THE_CITY)
    game.push(Draw("BA/Cccc+"))
    assert (game.state.phase, game.turn, game.state.discarded) == ("draw", 2, ("BA/Cccc+",))
    assert breaks(game, Draw("BA/Cccc+")) == "stock"
    game.push(Draw("BA/L"))
    assert game.state.phase == "place"
    for _ in range(2):
        game.pop()
    assert (game.state.discarded, game.state.stock["BA/Cccc+"]) == ((), 1)


def test_2_2_2_so_is_the_last_one():
    game = start()
    game.state = replace(game.state, stock={"BA/C": 1, "BA/Cccc+": 1})
    play(game, CLOSE_THE_CITY)
    game.push(Draw("BA/Cccc+"))
    assert game.is_over
    assert game.state.discarded == ("BA/Cccc+",)


def test_2_1_no_more_of_a_tile_than_there_are():
    game = play(start(), *[("BA/L", 0, y, 0) for y in range(1, 5)])
    assert breaks(game, Draw("BA/L")) == "stock"
    assert breaks(game, Draw("BA/Zzz")) == "tile"
    assert breaks(start(tiles="C1"), Draw("BA/CG")) == "tile"


# -- 2.2.3: the meeple --------------------------------------------------------------------------------------------


def test_2_2_3_on_any_feature_of_the_tile_just_laid():
    game = lay(start(), "BA/RRR", 1, 0, 0)
    assert places(game) == {
        ("Road", "E"),
        ("Road", "S"),
        ("Road", "W"),
        ("Field", "NL.NR.EL.WR"),
        ("Field", "ER.SL"),
        ("Field", "SR.WL"),
    }
    assert breaks(game, Put("City", "N")) == "feature"
    assert breaks(game, Put("Road", "WE")) == "feature"
    assert breaks(game, Put("FlyingMachine")) == "feature"


def test_2_2_3_not_where_anybody_stands_on_the_connected_feature():
    game = play(start(), ("BA/RFr", 1, 0, 0, "Road", "WE"))
    lay(game, "BA/RFr", -1, 0, 0)
    assert breaks(game, Put("Road", "WE")) == "occupied"
    game.push(Skip())
    lay(game, "BA/RFr", 2, 0, 0)
    assert breaks(game, Put("Road", "WE")) == "occupied", "nor where one's own meeple stands"
    assert places(game) == {("Field", "NL.NR.EL.WR"), ("Field", "ER.SL.SR.WL")}


def test_2_2_3_a_feature_just_completed_may_be_taken_and_scores_at_once():
    game = lay(start(), *CLOSE_THE_CITY)
    game.push(Put("City", "S"))
    assert points(game) == [(1, 4, "city")]
    assert game.supply == {1: 7, 2: 7}
    assert game.meeples() == ()


def test_2_2_3_without_a_meeple_in_the_supply_none_is_put():
    game = start()
    game.state = replace(game.state, supply=(0, 7))
    lay(game, *FIELDS)
    assert list(game.legal()) == [Skip()]
    assert breaks(game, Put("Monastery")) == "supply"


def test_2_2_3_a_meeple_leaves_the_supply():
    game = play(start(), (*FIELDS, "Monastery"))
    assert game.supply == {1: 6, 2: 7}


# -- 2.2: completion and points -----------------------------------------------------------------------------------


def test_2_2_road_one_point_a_tile_when_both_ends_are_closed():
    game = play(start(), ("BA/RRR", 1, 0, 0), ("BA/RFr", -1, 0, 0, "Road", "WE"))
    assert points(game) == []
    play(game, ("BA/RRR", -2, 0, 180))
    assert points(game) == [(2, 4, "road")]
    assert game.explain()[2][0].cells == ((-2, 0), (-1, 0), (0, 0), (1, 0))
    assert game.supply[2] == 7


def test_2_2_road_a_ring_is_complete():
    game = play(start(), *RING, ("BA/Rr", 1, 2, 90, "Road", "NW"))
    assert points(game) == [(2, 4, "road")]


def test_2_2_road_a_tile_counts_once_though_the_road_begins_and_ends_on_it():
    loop = [("BA/RRRR", 1, 0, 0, "Road", "E"), ("BA/Rr", 2, 0, 0), ("BA/Rr", 2, 1, 90), ("BA/Rr", 1, 1, 180)]
    game = play(start(), *loop)
    assert points(game) == [(1, 4, "road")]
    assert game.explain()[1][0].cells == ((1, 0), (1, 1), (2, 0), (2, 1))


def test_2_2_road_ends_at_a_monastery_and_at_a_city():
    game = play(start(), ("BA/LR", 1, 0, 90, "Road", "W"), ("BA/CccR", -1, 0, 270))
    assert points(game) == [(1, 3, "road")]


def test_2_2_city_two_points_for_each_tile_and_pennant():
    game = play(start(), ("BA/CFc+", 0, -1, 90, "City", "NS"), ("BA/C", 0, -2, 180))
    assert points(game) == [(1, 8, "city")]
    (line,) = game.explain()[1]
    assert (line.cells, line.pennants) == (((0, -2), (0, -1), (0, 0)), 1)


def test_2_2_city_of_two_tiles_scores_four():
    game = lay(start(), *CLOSE_THE_CITY)
    game.push(Put("City", "S"))
    assert game.scores == {1: 4, 2: 0}


def test_2_2_city_is_open_while_a_side_of_it_faces_an_empty_cell():
    game = play(start(), ("BA/Ccc", 0, -1, 180, "City", "_N"), ("BA/Cc.1", -1, -1, 90), ("BA/Cc.1", 1, -1, 0))
    assert points(game) == []
    city = next(f for f in game.features() if f.meeples)
    assert (len(city.cells), city.open, city.complete) == (4, 2, False)
    play(game, ("BA/C", -1, -2, 180), ("BA/C", 1, -2, 180))
    assert points(game) == [(1, 12, "city")]


@pytest.mark.parametrize("on", ["Monastery", None])
def test_2_2_monastery_nine_points_when_eight_tiles_lie_around_it(on):
    put = (on,) if on else ()
    game = play(
        start(),
        ("BA/L", 0, 1, 0, *put),
        ("BA/RFr", -1, 0, 0),
        ("BA/RFr", 1, 0, 0),
        ("BA/L", -1, 1, 0),
        ("BA/L", 1, 1, 0),
        ("BA/L", 0, 2, 0),
        ("BA/Rr", -1, 2, 0),
    )
    assert points(game) == []
    play(game, ("BA/Rr", 1, 2, 270))
    assert points(game) == ([(1, 9, "monastery")] if on else [])
    assert game.supply == {1: 7, 2: 7}
    if on:
        assert set(game.explain()[1][0].cells) == {(x, y) for x in (-1, 0, 1) for y in (0, 1, 2)}


def test_2_2_monastery_completed_by_the_tile_that_shows_it():
    """The last gap is filled by a monastery: it may be taken and scores at once."""
    game = play(
        start(),
        ("BA/RFr", -1, 0, 0),
        ("BA/RFr", 1, 0, 0),
        ("BA/L", -1, 1, 0),
        ("BA/L", 1, 1, 0),
        ("BA/Rr", -1, 2, 0),
        ("BA/Rr", 1, 2, 270),
        ("BA/LR", 0, 2, 0),
        ("BA/L", 0, 1, 0, "Monastery"),
    )
    assert points(game) == [(2, 9, "monastery")]


def test_2_2_a_tile_may_complete_several_features():
    game = play(
        start(),
        CLOSE_THE_CITY,
        ("BA/RRR", 1, 0, 0),
        ("BA/C", -1, -1, 180, "City", "S"),
        ("BA/L", -2, -1, 0),
        ("BA/RRR", -2, 0, 0, "Road", "E"),
    )
    assert points(game) == []
    play(game, ("BA/RCr", -1, 0, 0))
    assert points(game) == [(1, 4, "city"), (1, 4, "road")]
    assert game.supply == {1: 7, 2: 7}


def test_2_2_a_feature_with_nobody_on_it_scores_nothing():
    game = play(start(), CLOSE_THE_CITY, ("BA/RRR", 1, 0, 0), ("BA/RRR", -1, 0, 180))
    assert points(game) == []


# -- 2.2: who gets the points -------------------------------------------------------------------------------------

JOINED = [
    ("BA/RFr", 1, 0, 0, "Road", "WE"),  # player 1
    ("BA/Rr", 1, 1, 270, "Road", "SE"),  # player 2
    ("BA/Rr", 2, 0, 0),
    ("BA/Rr", 2, 1, 90),  # joins both
    ("BA/RRR", -1, 0, 180),
    ("BA/RRR", 1, 2, 90),  # closes the road
]


def test_2_2_majority_a_tie_scores_in_full_for_each():
    game = play(start(), *JOINED)
    assert points(game) == [(1, 7, "road"), (2, 7, "road")]
    assert game.supply == {1: 7, 2: 7}
    assert {meeple.player for meeple in game.explain()[1][0].meeples} == {1, 2}


def test_2_2_majority_whoever_has_most_meeples_scores_once_for_all_of_them():
    game = play(start(), *JOINED[:2], ("BA/RFr", -1, 0, 0), *JOINED[2:4])
    fly(lay(game, "FL/RFr.WE.o", -2, 0, 180), 1)
    game.push(Land("Road", "WE"))
    play(game, ("BA/RRR", -3, 0, 180), ("BA/RRR", 1, 2, 90))
    assert points(game) == [(2, 9, "road")]
    assert game.supply == {1: 7, 2: 7}
    assert [m.player for m in game.explain()[2][0].meeples].count(2) == 2


# -- 2.2: the end -------------------------------------------------------------------------------------------------


def test_2_2_the_game_ends_after_the_turn_in_which_the_last_tile_was_laid():
    game = last_turns(start(), FIELDS)
    assert game.is_over
    assert (list(game.legal()), game.turn) == ([], None)
    for move in (Draw("BA/L"), Place(1, 0, 0), Skip()):
        assert breaks(game, move) == "over"


@pytest.mark.parametrize(
    ("turn", "line"),
    [
        (("BA/RFr", 1, 0, 0, "Road", "WE"), (1, 2, "road.incomplete")),
        (("BA/CFc+", 0, -1, 90, "City", "NS"), (1, 3, "city.incomplete")),
        (("BA/L", 0, 1, 0, "Monastery"), (1, 2, "monastery.incomplete")),
        (("BA/L", 0, 1, 0, "Field", "NL.NR.EL.ER.SL.SR.WL.WR"), (1, 0, "field")),
    ],
)
def test_2_2_the_end_what_is_incomplete_scores_less(turn, line):
    game = start()
    assert all(not lines for lines in game.outlook().values())
    last_turns(game, turn)
    assert points(game) == [line]
    assert game.supply == {1: 6, 2: 7}, "meeples stay on the table"
    assert game.state.lines[0].turn == 2


def test_2_2_the_outlook_is_what_the_end_would_bring():
    game = play(start(), ("BA/CFc+", 0, -1, 90, "City", "NS"))
    assert [(line.points, line.rule) for line in game.outlook()[1]] == [(3, "city.incomplete")]
    assert game.scores == {1: 0, 2: 0}


FARMS = [
    ("BA/RFr", 1, 0, 0, "Field", "NL.NR.EL.WR"),  # player 1, north of the road
    ("BA/C", 0, -1, 180, "Field", "NL.NR.EL.ER.WL.WR"),  # player 2, completes the city between
]


def test_2_2_fields_one_city_feeds_several():
    game = last_turns(start(), *FARMS)
    assert points(game) == [(1, 3, "field"), (2, 3, "field")]
    assert [line.cities for line in game.state.lines] == [(((0, -1), (0, 0)),)] * 2


def test_2_2_fields_count_each_completed_city_once_and_no_other():
    game = start()
    last_turns(game, *FARMS, ("BA/L", 1, -1, 0), ("BA/C", 2, -1, 0))
    assert points(game) == [(1, 3, "field"), (2, 3, "field")], "one field now, with a farmer of each, and an open city"
    assert len({line.spots for line in game.state.lines}) == 1
    assert len(game.state.lines[0].cities) == 1


def test_2_2_fields_are_cut_by_roads_and_cities():
    game = last_turns(start(), CLOSE_THE_CITY, ("BA/RFr", 1, 0, 0, "Field", "ER.SL.SR.WL"))
    assert points(game) == [(2, 0, "field")], "south of the road no city is touched"


def test_2_2_farmers_stay_until_the_end():
    game = play(start(), *FARMS, ("BA/RRR", 2, 0, 0), ("BA/RRR", -1, 0, 180))
    assert sorted(meeple.player for meeple in game.meeples()) == [1, 2]
    assert points(game) == []


def test_2_2_most_points_win_and_a_tie_is_shared():
    game = last_turns(start(), ("BA/RFr", 1, 0, 0), ("BA/RFr", -1, 0, 0, "Road", "WE"))
    assert game.scores == {1: 0, 2: 3}
    assert game.winners == (2,)
    assert last_turns(start(3), FIELDS).winners == (1, 2, 3)
    assert start().winners == ()
