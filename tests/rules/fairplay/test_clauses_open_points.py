"""Rules text 3.7: the open points FP1 to FP16, each with its default and its other values, from the text alone."""

import pytest

from rules.fairplay.game import Game
from rules.fairplay.house_rules import HouseRuleError, HouseRules
from rules.fairplay.moves import Draw, DriveOn, Lay, Mend, Offer, Refuel, Step, Stop
from tests.rules.fairplay.clauses import at, before, breaks, drive, ended, roll, staged, start, stay, use


@pytest.mark.parametrize("players", range(2, 7))
def test_fp1_two_to_six_play_and_two_are_a_variant(players):
    assert start(players).is_variant == (players == 2)


@pytest.mark.parametrize("players", [1, 7, 0, -2])
def test_fp1_no_others_play(players):
    with pytest.raises(ValueError, match=f"2 to 6 players play, not {players}"):
        start(players)


def test_fp1_option_players_three_to_six():
    rules = HouseRules.of({"players": "3-6"})
    Game(3, house_rules=rules)
    with pytest.raises(ValueError, match="3 to 6 players play, not 2"):
        Game(2, house_rules=rules)


@pytest.mark.parametrize("capacity", [1, 2, 3, 4])
def test_fp2_option_tile_capacity(capacity):
    cars = [2] * capacity
    game = roll(staged("ccc", at=(1, *cars, 0), tile_capacity=capacity), 1)
    assert (at(game)[0], ended(game)) == (1, "full")
    game = drive(roll(staged("ccc", at=(1, *cars[1:], 0), tile_capacity=capacity), 1), 1)
    assert at(game)[0] == 2


def test_fp2_a_narrow_road_holds_one_whatever_the_others_hold():
    game = roll(staged("cnc", at=(1, 2, 0), tile_capacity=6), 1)
    assert ended(game) == "narrow"


def test_fp3_refuel_timing_whole_turn():
    game = staged("cp", at=(2, 0, 0), faceup={1: ["panne"]}, hands={1: ["plus1", "plus2"]})
    game.push(Refuel(1))
    game.push(Draw(1))
    assert (before(game, 1), game.turn) == ([], 2)


def test_fp3_refuel_timing_on_arrival_by_the_die_giving_up_draw_and_offer():
    options = {"refuel_timing": "on_arrival", "faceup": {1: ["panne"]}, "hands": {1: ["plus1", "plus2"]}}
    game = drive(roll(staged("cpc", at=(1, 0, 0), **options), 1), 1)
    assert game.state.phase == "arrive"
    assert breaks(game, Draw(1)) == "turn.arrive 3.3.0'"
    game.push(Refuel(1))
    game.push(Draw(1))
    assert (before(game, 1), game.turn, at(game)[0]) == ([], 2, 2)

    game = drive(roll(staged("cpc", at=(1, 0, 0), **options), 3), 1)
    game.push(Stop(1))  # he stops there early
    game.push(DriveOn(1))
    assert (before(game, 1), game.state.phase) == (["panne"], "draw")


def test_fp3_on_arrival_not_at_the_beginning_of_the_turn_and_not_by_a_card():
    assert breaks(staged("cp", at=(2, 0, 0), refuel_timing="on_arrival"), Refuel(1)) == "refuel.timing 3.3.0'"
    game = drive(use(staged("cpc", at=(0, 1, 0), refuel_timing="on_arrival"), "plus1", by=2), 1)
    assert (at(game)[1], game.turn, game.state.phase) == (2, 2, "roll")
    game = stay(staged("cp", at=(2, 0, 0), refuel_timing="on_arrival"))
    assert game.state.phase == "draw"  # he stood there already


def test_fp3_on_arrival_even_when_nobody_could_be_offered_a_card():
    faceup = {1: ["panne"], 2: ["puncture"]}
    game = drive(roll(staged("p", at=(0, 0), refuel_timing="on_arrival", faceup=faceup), 1), 1)
    assert game.state.phase == "arrive"
    game.push(DriveOn(1))
    assert (game.turn, game.state.phase) == (2, "mend")


@pytest.mark.parametrize(("option", "drawn"), [(3, 2), (2, 1), (1, 0), (0, 0)])
def test_fp4_option_refuel_draw(option, drawn):
    faceup, hands = {1: ["panne", "panne"]}, {1: ["plus1"]}
    game = staged("p", at=(1, 0, 0), refuel_draw=option, faceup=faceup, hands=hands)
    game.push(Refuel(1))
    for _ in range(drawn):
        game.push(Draw(1))
    assert (game.turn, game.state.hand_size(1)) == (2, 1 + drawn)


@pytest.mark.parametrize("least", [0, 1, 2, 3])
def test_fp5_option_min_die_steps(least):
    game = roll(staged("cccc", min_die_steps=least), 2)
    taken = min(least, 2)
    for _ in range(taken):
        assert breaks(game, Stop(1)) == "stop.least 3.4.4"
        assert f"at least {taken} steps" in game.why_illegal(Stop(1)).reason
        game.push(Step(1))
    if taken < 2:
        game.push(Stop(1))
    assert (at(game)[0], game.state.phase) == (taken, "draw")


def test_fp5_min_die_steps_gives_way_to_obstacles_and_is_not_for_cards():
    game = roll(staged("nc", at=(0, 1, 0), min_die_steps=3), 3)
    assert (at(game)[0], game.state.phase) == (0, "draw")
    game = use(drive(roll(staged("cccc", at=(0, 1, 1), min_die_steps=3), 1), 1), "plus3", by=3)
    game.push(Stop(3))
    assert at(game)[2] == 1


def test_fp6_option_peek_then_stop():
    game = roll(start(peek_then_stop=True), 2)
    game.push(Lay(1, "road.roadworks"))
    game.push(Stop(1))
    assert (at(game)[0], game.state.track) == (0, ("road.start", "road.roadworks"))
    assert game.state.phase == "draw"


def test_fp6_peeking_does_not_undo_the_least_number_of_steps():
    game = roll(start(peek_then_stop=True, min_die_steps=1), 2)
    game.push(Lay(1, "road.roadworks"))
    assert breaks(game, Stop(1)) == "stop.least 3.4.4"


CATCHUPS = [
    # road, cars (player 1 plays it), where he lands: obstacles, laid_track, none
    ("cccccc", (1, 4, 0), 5, 5, 5),
    ("cnccc", (0, 4, 2), 1, 1, 3),
    ("cwccc", (1, 4, 0), 2, 2, 5),
    ("ccncc", (1, 3, 0), 2, 2, 4),
    ("ccnncc", (1, 3, 4), 2, 2, 4),
    ("cccccc", (1, 2, 3, 3, 3, 3), 2, 2, 3),
]


@pytest.mark.parametrize(("road", "cars", "obstacles", "laid_track", "none"), CATCHUPS)
def test_fp7_option_remontee_limits(road, cars, obstacles, laid_track, none):
    for option, place in (("obstacles", obstacles), ("laid_track", laid_track), ("none", none)):
        assert at(use(staged(road, at=cars, remontee_limits=option), "catchup", by=1))[0] == place


@pytest.mark.parametrize(
    ("option", "phase", "place"), [("obstacles", "jump", 1), ("laid_track", "roll", 4), ("none", "jump", 1)]
)
def test_fp7_new_tiles_may_be_laid_unless_the_laid_track_ends_it(option, phase, place):
    game = use(staged("cccc", at=(1, 4, 0), remontee_limits=option), "catchup", by=1)
    assert (game.state.phase, at(game)[0]) == (phase, place)
    if phase == "jump":
        game.push(Lay(1, "road.curve"))
        assert at(game)[0] == 5


def test_fp7_beyond_the_laid_track_is_the_finish_line():
    for option, winner in (("obstacles", 1), ("laid_track", None), ("none", 1)):
        game = use(staged("ccf", at=(0, 3, 0), remontee_limits=option), "catchup", by=1)
        assert game.winner == winner
        assert at(game)[0] == (4 if winner else 3)


@pytest.mark.parametrize("card", ["catchup", "shortcut"])
@pytest.mark.parametrize("can", [True, False])
def test_fp8_option_jump_can_win(card, can):
    game = use(staged("ccf", at=(0, 3, 0), jump_can_win=can), card, by=1)
    assert (game.winner, at(game)[0]) == ((1, 4) if can else (None, 3))


def test_fp8_the_leader_s_three_steps_are_no_jump():
    game = drive(use(staged("ccf", at=(3, 0, 0), jump_can_win=False), "shortcut", by=1), 1)
    assert game.winner == 1


def test_fp8_onto_a_full_finish_only_who_ignores_obstacles():
    cars = (0, 3, 3, 3, 3)
    assert at(use(staged("ccf", at=cars, jump_can_win=False), "shortcut", by=1))[0] == 3
    assert at(use(staged("ccf", at=cars, jump_can_win=False), "catchup", by=1))[0] == 2


@pytest.mark.parametrize(("option", "place"), [("back_one_more", 2), ("allow", 3)])
def test_fp9_option_reverse_full_tile(option, place):
    cars = (4, 3, 3, 3, 3)
    assert at(use(staged("cccc", at=cars, reverse_full_tile=option), "minus1", by=1))[0] == place
    assert at(use(staged("ccgc", at=cars, reverse_full_tile=option), "trouble", by=1))[0] == place


def test_fp9_a_narrow_road_sends_back_whatever_the_option_says():
    assert at(use(staged("ccnc", at=(4, 3, 0), reverse_full_tile="allow"), "minus1", by=1))[0] == 2


@pytest.mark.parametrize(("option", "place"), [(True, 3), (False, 1)])
def test_fp10_option_garage_here(option, place):
    assert at(use(staged("gcgc", at=(3, 0, 0), garage_here=option), "trouble", by=1))[0] == place
    assert at(use(staged("gcgc", at=(0, 0, 0), garage_here=option), "trouble", by=1))[0] == 0


def test_fp11_the_start_holds_all_cars_so_its_capacity_is_no_less():
    start(4, start_capacity=4)
    with pytest.raises(HouseRuleError, match="all 4 cars begin on the start, got 3"):
        start(4, start_capacity=3)


@pytest.mark.parametrize(("capacity", "enters"), [(4, False), (2, False), (5, True), (None, True)])
def test_fp11_option_finish_capacity(capacity, enters):
    cars = [2] * 4 if capacity != 2 else [2] * 2
    game = staged("cf", at=(1, *cars), finish_capacity=capacity, tile_capacity=3)
    roll(game, 1)
    assert (game.state.phase == "move") == enters


def test_fp12_option_win_any_time_false():
    game = use(staged("ccf", at=(0, 2, 0), win_any_time=False), "plus3", by=2)
    drive(game, 1)
    assert (at(game)[1], ended(game), game.is_over) == (3, "finish", False)
    assert breaks(game, Step(2)) == "step.finish 3.4.7"
    for card in ("catchup", "shortcut"):
        game = use(staged("ccf", at=(0, 2, 3), win_any_time=False), card, by=2)
        assert (at(game)[1], game.winner) == (3, None)
    game = drive(roll(staged("ccf", at=(3, 0, 0), win_any_time=False), 1), 1)
    assert game.winner == 1
    game = use(staged("ccf", at=(1, 3, 0), win_any_time=False), "shortcut", by=1)
    assert game.winner == 1


def turns(game: Game, number: int) -> list[int]:
    seen = []
    for _ in range(number):
        seen.append(game.turn)
        game.push(Refuel(game.turn))
    return seen


def test_fp13_option_order_clockwise():
    assert turns(start(4, order=(2, 3, 4, 1)), 5) == [2, 3, 4, 1, 2]
    with pytest.raises(HouseRuleError, match=r"clockwise, got \[2, 4, 1, 3\]"):
        start(4, order=(2, 4, 1, 3))


def test_fp13_option_order_full_lot():
    game = Game(4, order=(2, 4, 1, 3), house_rules=HouseRules.of({"order": "full_lot"}))
    assert turns(game, 6) == [2, 4, 1, 3, 2, 4]


@pytest.mark.parametrize("order", [(1, 2), (1, 2, 2), (0, 1, 2), (1, 2, 3, 4)])
def test_fp13_the_lot_names_everybody_once(order):
    with pytest.raises(ValueError, match="must name the players 1 to 3 once each"):
        Game(3, order=order, house_rules=HouseRules.of({"order": "full_lot"}))


def test_fp14_a_second_puncture_cannot_happen():
    # By an offer: none is made to a punctured player. By a refusal: who offers has mended before, or had no turn.
    game = use(staged("cc"), "puncture", by=2)
    assert list(game.legal()) == [Mend(2)]
    game.push(Mend(2))
    assert (before(game, 2), game.turn) == ([], 3)
    game = stay(use(staged("cc"), "puncture", by=3))
    game.push(Draw(2))
    assert {move.to for move in game.legal() if isinstance(move, Offer)} == {1}


def test_fp15_ranks_by_position_and_nobody_plays_on():
    game = drive(roll(staged("cccf", at=(4, 2, 0, 2, 3)), 1), 1)
    assert game.ranking == ((1,), (5,), (2, 4), (3,))
    assert list(game.legal()) == []
    with pytest.raises(HouseRuleError):
        HouseRules.of({"ranking": "play_on"})


def test_fp16_the_mover_turns_the_curve():
    assert HouseRules().track_layout == "mover_chooses"
    game = roll(staged("scc", at=(3, 0, 0), ways="sll"), 1)
    assert breaks(game, Lay(1, "road.curve", "left")) == "track.run_in 3.4"
    game.push(Lay(1, "road.curve", "right"))


def test_3_1_option_tile_shape():
    game = roll(start(tile_shape={"road.narrow": "straight", "road.garage": "curve"}), 1)
    assert breaks(game, Lay(1, "road.narrow", "left")) == "track.shape 3.1"
    assert breaks(game, Lay(1, "road.garage", "straight")) == "track.shape 3.1"
    game.push(Lay(1, "road.station", "straight"))


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("tile_capacity", 0, "must lie between 1 and 6, got 0"),
        ("tile_capacity", "four", "Expected `int`"),
        ("refuel_draw", 4, "must lie between 0 and 3, got 4"),
        ("min_die_steps", -1, "must lie between 0 and 3, got -1"),
        ("finish_capacity", 0, "must lie between 1 and 6, got 0"),
        ("refuel_timing", "never", "Invalid enum value 'never'"),
        ("jump_can_win", 1, "Expected `bool`"),
        ("tile_capasity", 4, "did you mean `tile_capacity`?"),
        ("track_layout", "drawn", "Invalid enum value 'drawn'"),
        ("tile_shape", {"road.curve": "straight"}, "there is no special tile road.curve"),
    ],
)
def test_3_7_an_option_that_cannot_be_is_refused_by_name(option, value, words):
    with pytest.raises(HouseRuleError) as error:
        HouseRules.of({option: value})
    assert error.value.field == option
    assert words in str(error.value)


def test_3_7_the_defaults_are_the_table_s():
    assert HouseRules().changed() == {}
    assert HouseRules.of({"tile_capacity": 3}).changed() == {"tile_capacity": 3}
    rules = HouseRules()
    assert (rules.tile_capacity, rules.finish_capacity, rules.start_capacity) == (4, 4, None)
    assert (rules.refuel_timing, rules.refuel_draw, rules.min_die_steps) == ("whole_turn", 3, 0)
    assert (rules.peek_then_stop, rules.remontee_limits, rules.jump_can_win) == (False, "obstacles", True)
    assert (rules.reverse_full_tile, rules.garage_here, rules.win_any_time) == ("back_one_more", True, True)
    assert (rules.order, rules.ranking) == ("clockwise", "position")
