"""Rules text 3.1, 3.2, 3.4, 3.6: components, setup, moving forward, tiles. One test for each clause.

The number in a test's name is the clause. Expected values come from the text, never from running the engine.
"""

import pytest

from rules.fairplay.game import Game
from rules.fairplay.moves import Draw, Lay, Refuel, Roll, Step, Stop
from rules.fairplay.pieces import CARDS, DIE, TILES
from tests.rules.fairplay.clauses import at, breaks, drive, ended, roll, staged, start, stay, use


def test_3_1_tiles_cards_and_die():
    assert sum(TILES.values()) == 48
    assert sum(CARDS.values()) == 55
    assert sorted(DIE) == [1, 1, 1, 2, 2, 3]
    assert (TILES["road.curve"], TILES["road.straight"], TILES["road.roadworks"]) == (23, 13, 2)
    assert (CARDS["card.plus1"], CARDS["card.minus1"], CARDS["card.shortcut"], CARDS["card.catchup"]) == (10, 5, 2, 5)


@pytest.mark.parametrize("value", [0, 4, -1])
def test_3_1_the_die_has_one_two_and_three(value):
    assert breaks(start(), Roll(1, value)) == "die 3.1"


def test_3_1_no_more_tiles_of_a_kind_than_there_are():
    game = roll(staged("nn", at=(2, 0, 0)), 1)
    assert breaks(game, Lay(1, "road.narrow")) == "tile.count 3.1"
    assert breaks(game, Lay(1, "road.start")) == "tile.count 3.1"
    assert breaks(game, Lay(1, "road.bridge")) == "tile.unknown 3.1"
    game.push(Lay(1, "road.roadworks"))


def test_3_1_no_more_cards_of_a_kind_than_there_are():
    game = staged("cccc", at=(4, 0, 0), hands={2: ["shortcut", "shortcut", "plus1"]})
    stay(game)
    assert breaks(game, Draw(1, "card.shortcut")) == "card.count 3.1"
    assert breaks(game, Draw(1, "card.rocket")) == "card.unknown 3.1"


@pytest.mark.parametrize(("drawn", "may"), [(22, False), (23, True), (45, True)])
def test_3_2_1_the_finish_is_draw_24_to_47(drawn, may):
    road = ("c" * 23 + "s" * 13 + "nngggpppww")[:drawn]
    game = roll(staged(road, at=(drawn, 0, 0)), 1)
    if may:
        game.push(Lay(1, "road.finish"))
        assert game.state.track[-1] == "road.finish"
    else:
        assert breaks(game, Lay(1, "road.finish")) == "tile.finish 3.2.1"


def test_3_2_1_when_all_others_are_laid_the_finish_comes():
    road = "c" * 23 + "s" * 13 + "nngggpppww"
    game = roll(staged(road, at=(46, 0, 0)), 1)
    assert {move.tile for move in game.legal() if isinstance(move, Lay)} == {"road.finish"}


def test_3_2_2_all_cars_on_the_start_three_cards_each():
    game = start(6)
    assert at(game) == (0,) * 6
    assert [game.state.hand_size(player) for player in game.players] == [3] * 6
    assert game.state.track == ("road.start",)
    assert game.state.pile.size == 55 - 18


def test_3_2_2_the_lot_gives_the_first_player_then_clockwise():
    game = start(4, first=3)
    turns = []
    for _ in range(5):
        turns.append(game.turn)
        game.push(Refuel(game.turn))
    assert turns == [3, 4, 1, 2, 3]


def test_3_2_3_position_is_the_number_of_tiles_after_start():
    game = drive(roll(start(), 3), 3)
    assert at(game) == (3, 0, 0)
    assert game.scores == {1: 3, 2: 0, 3: 0}
    assert len(game.state.track) == 4


def test_3_4_1_tiles_are_turned_over_one_at_a_time_as_needed():
    game = roll(start(), 2)
    assert breaks(game, Step(1)) == "step.unlaid 3.4.1"
    game.push(Lay(1, "road.curve"))
    assert breaks(game, Lay(1, "road.curve")) == "lay.needless 3.4.1"
    game.push(Step(1))
    game.push(Lay(1, "road.straight"))
    game.push(Step(1))
    assert game.state.track == ("road.start", "road.curve", "road.straight")
    assert game.state.phase == "draw"


def test_3_4_1_nothing_is_turned_over_where_the_road_is_laid():
    game = roll(staged("cc", at=(0, 2, 0)), 2)
    assert breaks(game, Lay(1, "road.curve")) == "lay.needless 3.4.1"


def test_3_4_no_more_steps_than_rolled():
    game = drive(roll(start(), 2), 2)
    assert breaks(game, Step(1)) == "step.count 3.4"


def test_3_4_2_a_narrow_road_with_a_car_on_it_blocks_and_the_rest_is_lost():
    game = drive(roll(staged("cnc", at=(0, 2, 0)), 3), 1)
    assert (at(game), ended(game), game.state.phase) == ((1, 2, 0), "narrow", "draw")
    assert breaks(game, Step(1)) == "step.narrow 3.4.2"


def test_3_4_2_a_tile_with_four_cars_blocks():
    game = roll(staged("cc", at=(1, 2, 2, 2, 2)), 2)
    assert (at(game)[0], ended(game), game.state.phase) == (1, "full", "draw")
    assert breaks(game, Step(1)) == "step.full 3.4.2"


def test_3_4_2_three_cars_leave_room_for_a_fourth():
    game = drive(roll(staged("cc", at=(1, 2, 2, 2, 0)), 1), 1)
    assert at(game)[0] == 2


def test_3_4_2_the_start_holds_all_cars():
    game = use(staged("c", at=(1, 0, 0, 0, 0, 0)), "minus1", by=1)
    assert at(game) == (0,) * 6


def test_3_4_3_entering_roadworks_ends_the_move_and_leaving_is_free():
    game = drive(roll(staged("cwcc", at=(0, 0, 0)), 3), 2)
    assert (at(game)[0], ended(game), game.state.phase) == (2, "roadworks", "draw")
    assert breaks(game, Step(1)) == "step.roadworks 3.4.3"
    game = drive(roll(staged("cwcc", at=(2, 0, 0)), 2), 2)
    assert at(game)[0] == 4


def test_3_4_4_the_mover_may_stop_early_at_any_tile_and_at_once():
    for steps in range(3):
        game = drive(roll(staged("ccc"), 3), steps)
        game.push(Stop(1))
        assert (at(game)[0], ended(game), game.state.phase) == (steps, "stopped", "draw")
        assert breaks(game, Step(1)) == "step.stopped 3.4.4"


def test_3_4_5_a_tile_turned_over_must_be_entered():
    game = roll(start(), 2)
    game.push(Lay(1, "road.garage"))
    assert breaks(game, Stop(1)) == "stop.turned 3.4.5"
    game.push(Step(1))
    game.push(Stop(1))
    assert at(game)[0] == 1


def test_3_4_5_a_tile_once_turned_stays_laid():
    game = drive(roll(start(), 1), 1, "g")
    use(game, "minus1", by=1)
    assert (at(game)[0], game.state.track) == (0, ("road.start", "road.garage"))


def test_3_4_6_the_free_narrow_road_is_passed_like_any_other():
    game = drive(roll(staged("ncc", at=(0, 0, 0)), 2), 2)
    assert at(game)[0] == 2


def test_3_4_7_reaching_the_finish_does_not_win():
    game = drive(roll(staged("cf", at=(0, 0, 0)), 2), 2)
    assert (at(game)[0], game.is_over, game.winner) == (2, False, None)
    assert game.state.phase == "draw"


def test_3_4_7_a_step_beyond_the_finish_wins_at_once():
    game = drive(roll(staged("cf", at=(2, 0, 1)), 3), 1)
    assert (game.is_over, game.winner, ended(game)) == (True, 1, "passed")
    assert game.ranking == ((1,), (3,), (2,))
    assert list(game.legal()) == []
    assert breaks(game, Draw(1)) == "over 3.4.7"


def test_3_4_7_a_card_wins_in_another_player_s_turn():
    game = use(staged("cf", at=(0, 2, 1)), "plus1", by=2)
    drive(game, 1)
    assert (game.winner, game.turn) == (2, 1)


def test_3_4_7_the_finish_holds_four_cars():
    game = roll(staged("cf", at=(1, 2, 2, 2, 2)), 1)
    assert (at(game)[0], ended(game)) == (1, "full")


def test_3_4_8_nothing_is_laid_after_the_finish():
    game = roll(staged("cf", at=(2, 0, 0)), 2)
    assert breaks(game, Lay(1, "road.curve")) == "lay.finish 3.4.8"


def laying(road: str, ways: str, **house_rules) -> Game:
    """The first car stands at the end of a road that leads these ways (l, r, s, ?) and lays the next tile."""
    return roll(staged(road, at=(len(road), 0, 0), ways=ways, **house_rules), 1)


def test_3_4_lay_of_the_land_the_mover_chooses_left_or_right():
    for way in ("left", "right"):
        laying("c", "l").push(Lay(1, "road.curve", way))


def test_3_4_lay_of_the_land_a_curve_is_bent_and_a_straight_is_not():
    game = laying("c", "l")
    assert breaks(game, Lay(1, "road.curve", "straight")) == "track.shape 3.1"
    assert breaks(game, Lay(1, "road.straight", "left")) == "track.shape 3.1"
    game.push(Lay(1, "road.narrow", "left"))  # nobody knows how the special tiles are


@pytest.mark.parametrize(("ways", "way", "other"), [("sll", "left", "right"), ("srr", "right", "left")])
def test_3_4_lay_of_the_land_the_track_does_not_run_into_itself(ways, way, other):
    # A straight and two turns: the third turn the same way would lead back onto the straight.
    game = laying("scc", ways)
    assert breaks(game, Lay(1, "road.curve", way)) == "track.run_in 3.4"
    game.push(Lay(1, "road.curve", other))
    laying("scc", ways).push(Lay(1, "road.straight", "straight"))


def test_3_4_lay_of_the_land_no_way_is_wrong_when_both_sides_are_taken():
    # Round three sides of a square and into its middle: there the start is on the right, the road on the left.
    for way in ("left", "right"):
        laying("cscscc", "lslsll").push(Lay(1, "road.curve", way))


def test_3_4_lay_of_the_land_after_a_gap_only_what_is_laid_since_is_judged():
    # Three turns left lead onto the start: the next tile lies after a gap, wherever that is.
    for way in ("left", "right"):
        laying("ccc", "lll").push(Lay(1, "road.curve", way))
        laying("cccsc", "lllsl").push(Lay(1, "road.curve", way))
    game = laying("cccscc", "lllsll")
    assert breaks(game, Lay(1, "road.curve", "left")) == "track.run_in 3.4"
    game.push(Lay(1, "road.curve", "right"))


def test_3_4_lay_of_the_land_nothing_follows_the_finish():
    road, ways = "s" * 21 + "cc", "s" * 21 + "ll"
    assert breaks(laying(road, ways), Lay(1, "road.curve", "left")) == "track.run_in 3.4"
    laying(road, ways).push(Lay(1, "road.finish", "left"))


def test_3_4_lay_of_the_land_what_is_not_told_is_not_judged():
    assert breaks(laying("cc", "ll"), Lay(1, "road.curve", "left")) == "track.run_in 3.4"
    laying("cc", "?l").push(Lay(1, "road.curve", "left"))  # onto the start, unless the first curve led right


def test_3_4_lay_of_the_land_what_was_laid_since_is_judged():
    # Wherever the first curve leads, three turns left after it lead back onto it.
    assert breaks(laying("ccc", "?ll"), Lay(1, "road.curve", "left")) == "track.run_in 3.4"


def test_3_4_lay_of_the_land_a_straight_leads_on_told_or_not():
    assert breaks(laying("scc", "?ll"), Lay(1, "road.curve", "left")) == "track.run_in 3.4"
    game = laying("ncc", "?ll", tile_shape={"road.narrow": "straight"})
    assert breaks(game, Lay(1, "road.curve", "left")) == "track.run_in 3.4"


def test_3_6_start_and_stations_are_for_filling_up():
    assert Refuel(1) in list(start().legal())
    assert Refuel(1) in list(staged("cp", at=(2, 0, 0)).legal())
    for road in ("cg", "cc", "cw", "cn"):
        assert breaks(staged(road, at=(2, 0, 0)), Refuel(1)) == "refuel.place 3.6"


def test_3_6_start_and_garages_are_for_engine_trouble():
    assert at(use(staged("cgcc", at=(4, 0, 0)), "trouble", by=1))[0] == 2
    assert at(use(staged("cpcc", at=(4, 0, 0)), "trouble", by=1))[0] == 0
