"""Rules text 3.5: the cards. One test for each clause, written from the text alone; the clause is in the name."""

import pytest

from rules.fairplay.game import Game
from rules.fairplay.moves import Discard, Draw, Lay, Offer, Refuel, Reply, Reveal, Roll, Step, Stop
from rules.fairplay.pieces import CARDS, MINUS, PLUS, TROUBLE
from tests.rules.fairplay.clauses import at, before, breaks, drive, ended, staged, start, stay, use

LONG = "cscscscscs"


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_3_5_plus_moves_forward_up_to_the_number(steps):
    game = use(staged(LONG, at=(0, 4, 0)), f"plus{steps}", by=2)
    assert (game.actor, game.turn) == (2, 1)
    drive(game, steps)
    assert (at(game), game.turn) == ((0, 4 + steps, 0), 2)
    game = use(staged(LONG, at=(0, 4, 0)), f"plus{steps}", by=2)
    game.push(Stop(2))
    assert at(game) == (0, 4, 0)


def test_3_5_plus_by_the_rules_of_moving_forward():
    game = drive(use(staged("cnw", at=(0, 2, 0)), "plus3", by=1), 1)
    assert (at(game)[0], ended(game)) == (1, "narrow")
    game = drive(use(staged("cwc", at=(0, 0, 0)), "plus3", by=1), 2)
    assert (at(game)[0], ended(game)) == (2, "roadworks")
    game = drive(use(staged("", at=(0, 0, 0)), "plus2", by=1), 2, "sg")
    assert game.state.track == ("road.start", "road.straight", "road.garage")


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_3_5_minus_goes_back_exactly_that_many(steps):
    game = use(staged(LONG, at=(7, 0, 0)), f"minus{steps}", by=1)
    assert (at(game)[0], game.turn) == (7 - steps, 2)


def test_3_5_minus_not_past_the_start():
    assert at(use(staged(LONG, at=(2, 0, 0)), "minus3", by=1))[0] == 0
    assert at(use(staged(LONG, at=(3, 0, 0)), "minus3", by=1))[0] == 0
    assert at(use(start(), "minus3", by=1))[0] == 0
    for place in range(4):
        assert ended(use(staged(LONG, at=(place, 0, 0)), "minus3", by=1)) == "start"


def test_3_5_minus_obstacles_are_ignored():
    game = use(staged("cnwc", at=(4, 2, 0)), "minus3", by=1)
    assert at(game)[0] == 1
    game = use(staged("ccccc", at=(5, 4, 4, 4, 4)), "minus2", by=1)
    assert at(game)[0] == 3


def test_3_5_minus_onto_a_narrow_road_with_a_car_goes_one_more_back_again_if_needed():
    assert at(use(staged("ccnc", at=(4, 3, 0)), "minus1", by=1))[0] == 2
    assert at(use(staged("cnnc", at=(4, 3, 2)), "minus1", by=1))[0] == 1
    assert at(use(staged("nnc", at=(3, 2, 1)), "minus1", by=1))[0] == 0
    assert at(use(staged("ccnc", at=(4, 0, 0)), "minus1", by=1))[0] == 3


def test_3_5_minus_a_car_sent_back_has_no_obstacle_ahead():
    game = use(staged("ccnc", at=(4, 3, 0)), "minus1", by=1)
    assert (at(game)[0], ended(game)) == (2, "narrow")
    assert breaks(game, Step(1)) == "turn.roll 3.3.1"


def test_3_5_minus_onto_a_full_tile_goes_one_more_back():
    assert at(use(staged("ccccc", at=(5, 4, 4, 4, 4)), "minus1", by=1))[0] == 3
    assert at(use(staged("cncc", at=(4, 3, 3, 3, 3, 2)), "minus1", by=1))[0] == 1
    assert at(use(staged("cccc", at=(4, 3, 3, 3, 0)), "minus1", by=1))[0] == 3


@pytest.mark.parametrize("letter", "wpg")
def test_3_5_minus_onto_roadworks_station_garage_just_stands_there(letter):
    game = use(staged(f"c{letter}cc", at=(4, 0, 0)), "minus2", by=1)
    assert (at(game)[0], game.turn, game.state.phase) == (2, 2, "roll")


def test_3_5_catchup_goes_one_beyond_the_nearest_car_ahead():
    game = use(staged(LONG, at=(1, 4, 7)), "catchup", by=1)
    assert (at(game), game.turn) == ((5, 4, 7), 2)
    game = use(staged(LONG, at=(1, 4, 7)), "catchup", by=2)
    assert at(game) == (1, 8, 7)


def test_3_5_catchup_cars_on_the_own_tile_are_not_ahead():
    assert at(use(staged(LONG, at=(4, 4, 7)), "catchup", by=1)) == (8, 4, 7)


def test_3_5_catchup_lays_the_tile_it_needs():
    game = use(staged("cccc", at=(1, 4, 0)), "catchup", by=1)
    assert (game.state.phase, at(game)) == ("jump", (1, 4, 0))
    assert breaks(game, Stop(1)) == "turn.lay 3.5"
    assert breaks(game, Step(1)) == "turn.lay 3.5"
    game.push(Lay(1, "road.station"))
    assert (at(game), game.turn) == ((5, 4, 0), 2)


def test_3_5_catchup_goes_as_far_as_obstacles_allow():
    assert at(use(staged("cnccc", at=(1, 4, 2)), "catchup", by=3)) == (1, 4, 5)
    # The nearest car ahead stands on the narrow road: it is the obstacle itself.
    assert at(use(staged("ccncc", at=(1, 3, 0)), "catchup", by=1)) == (2, 3, 0)
    assert at(use(staged("cwccc", at=(1, 4, 0)), "catchup", by=1)) == (2, 4, 0)
    assert at(use(staged("ccccc", at=(1, 3, 3, 3, 3)), "catchup", by=1))[0] == 2
    assert at(use(staged("ccncc", at=(1, 2, 3)), "catchup", by=1)) == (2, 2, 3)


def test_3_5_catchup_no_early_stop():
    game = use(staged(LONG, at=(1, 4, 7)), "catchup", by=1)
    assert game.actor == 2
    assert game.state.phase == "roll"


@pytest.mark.parametrize("card", ["catchup", "shortcut"])
@pytest.mark.parametrize("positions", [(5, 4, 0), (5, 5, 0)])
def test_3_5_the_leader_moves_up_to_three_and_so_does_who_is_tied_for_the_lead(card, positions):
    game = use(staged(LONG, at=positions), card, by=1)
    drive(game, 2)
    assert at(game)[0] == 7
    game.push(Stop(1))
    assert game.turn == 2
    assert at(drive(use(staged(LONG, at=positions), card, by=1), 3))[0] == 8


def test_3_5_leader_s_three_end_at_obstacles():
    game = drive(use(staged("ccw", at=(1, 0, 0)), "shortcut", by=1), 2)
    assert (at(game)[0], ended(game)) == (3, "roadworks")


def test_3_5_shortcut_goes_one_beyond_the_foremost_car_ignoring_obstacles():
    game = use(staged("cwncnc", at=(1, 3, 5)), "shortcut", by=1)
    assert (at(game), game.turn) == ((6, 3, 5), 2)


def test_3_5_shortcut_lays_the_tile_it_needs():
    game = use(staged("cnc", at=(0, 2, 3)), "shortcut", by=1)
    game.push(Lay(1, "road.roadworks"))
    assert (at(game), game.turn) == ((4, 2, 3), 2)


@pytest.mark.parametrize("card", ["catchup", "shortcut"])
def test_3_5_a_jump_past_the_finish_wins(card):
    game = use(staged("ccf", at=(0, 3, 0)), card, by=1)
    assert (game.winner, at(game)) == (1, (4, 3, 0))


def test_3_5_a_catchup_stopped_on_the_way_does_not_win():
    game = use(staged("cwf", at=(0, 3, 0)), "catchup", by=1)
    assert (game.winner, at(game)) == (None, (2, 3, 0))
    game = use(staged("ccf", at=(0, 3, 3, 3, 3)), "catchup", by=1)
    assert (game.winner, at(game)[0]) == (None, 2)


def test_3_5_panne_lies_before_the_user_and_costs_a_card():
    game = use(staged("cc", hands={2: ["plus1", "plus2", "minus3"]}), "panne", by=2)
    assert (before(game, 2), game.state.phase, game.actor) == (["panne"], "discard", 2)
    assert breaks(game, Roll(2, 1)) == "turn.discard 3.5"
    assert breaks(game, Discard(1)) == "turn.player 3.3"
    assert breaks(game, Discard(2, "card.plus3")) == "card.hand 3.3"
    game.push(Discard(2, "card.minus3"))
    assert game.state.hand(2).known == ("card.plus1", "card.plus2")
    assert (game.state.discards, game.turn) == (("card.minus3",), 2)
    assert game.state.hand_size(2) == game.state.capacity(2) == 2


def test_3_5_panne_kept_by_the_offerer():
    game = use(staged("cc"), "panne", by=1)
    game.push(Discard(1))
    assert (game.state.hand_size(1), game.state.capacity(1)) == (2, 2)


def test_3_5_panne_a_card_discarded_unseen_may_be_any_of_them():
    game = use(staged("cc", hands={2: ["plus1", "plus2", "minus3"]}), "panne", by=2)
    game.push(Discard(2))
    assert game.state.hand_size(2) == 2
    stay(game)
    game.push(Draw(2, "card.puncture"))
    game.push(Offer(2, 1))
    game.push(Reply(1, True))
    possible = {move.card for move in game.legal()}
    assert {"card.plus1", "card.plus2", "card.minus3", "card.puncture"} <= possible


def test_3_5_details_panne_with_an_empty_hand():
    game = use(staged("cc", faceup={2: ["panne"] * 3}, hands={2: []}), "panne", by=2)
    assert (before(game, 2), game.state.capacity(2)) == (["panne"] * 4, 0)
    assert (game.turn, game.state.phase) == (2, "roll")


def test_3_5_details_with_three_panne_one_plays_just_the_card_drawn():
    game = stay(staged("cc", faceup={1: ["panne"] * 3}, hands={1: []}))
    game.push(Draw(1, "card.plus1"))
    game.push(Offer(1, 2))
    game.push(Reply(2, True))
    assert [move.card for move in game.legal()] == ["card.plus1"]
    game.push(Reveal(2, "card.plus1"))
    assert game.state.hand_size(1) == 0


def test_3_5_puncture_lies_before_the_user_until_his_next_turn_is_lost():
    game = use(staged("cc"), "puncture", by=2)
    assert before(game, 2) == ["puncture"]
    assert (game.turn, game.state.phase) == (2, "mend")


def test_3_5_puncture_until_then_no_card_is_offered_to_him():
    game = use(staged("cc"), "puncture", by=3)
    stay(game)
    game.push(Draw(2))
    assert breaks(game, Offer(2, 3)) == "offer.puncture 3.3.4"


def test_3_5_puncture_of_the_offerer_himself():
    game = use(staged("cc"), "puncture", by=1)
    assert (before(game, 1), game.turn) == (["puncture"], 2)


def test_3_5_trouble_goes_back_to_the_nearest_garage_behind_or_start():
    assert at(use(staged("gcgccc", at=(6, 0, 0)), "trouble", by=1))[0] == 3
    assert at(use(staged("gcgccc", at=(2, 0, 0)), "trouble", by=1))[0] == 1
    assert at(use(staged("ccgccc", at=(2, 0, 0)), "trouble", by=1))[0] == 0
    assert at(use(start(), "trouble", by=1))[0] == 0


def test_3_5_trouble_the_card_is_discarded():
    game = use(staged("gc", at=(2, 0, 0)), "trouble", by=1)
    assert (before(game, 1), game.state.discards) == ([], ("card.trouble",))


def test_3_5_trouble_on_a_garage_tile_does_not_move():
    assert at(use(staged("gcgc", at=(3, 0, 0)), "trouble", by=1))[0] == 3


def test_3_5_trouble_obstacles_are_ignored():
    assert at(use(staged("gnwc", at=(4, 2, 0)), "trouble", by=1))[0] == 1


def test_3_5_trouble_into_a_full_garage_goes_one_tile_further_back():
    assert at(use(staged("cgcc", at=(4, 2, 2, 2, 2)), "trouble", by=1))[0] == 1
    assert at(use(staged("cngcc", at=(5, 3, 3, 3, 3, 2)), "trouble", by=1))[0] == 1


def test_3_5_a_station_reached_by_a_card_counts_like_one_reached_by_the_die():
    game = use(staged("pc", at=(0, 2, 0)), "minus1", by=2)
    assert at(game)[1] == 1
    assert Refuel(2) in list(game.legal())


def test_3_5_a_card_that_can_do_nothing_is_discarded():
    game = use(staged("nc", at=(0, 1, 0)), "plus2", by=1)
    assert (at(game)[0], game.state.discards, game.turn) == (0, ("card.plus2",), 2)


def used_up() -> Game:
    """Six players at the start have used up the pile: 15 cards that go back, 22 that go forward and were not driven."""
    game = start(6)
    waste = [card for card in [*MINUS, TROUBLE, *PLUS] for _ in range(CARDS[card])][: 55 - 6 * 3]
    for card in waste:
        use(game, card.removeprefix("card."))
        if game.state.phase == "move":
            game.push(Stop(game.actor))
    return game


def test_3_5_details_used_cards_are_shuffled_when_the_draw_pile_is_empty():
    game = used_up()
    assert (game.state.pile.size, len(game.state.discards)) == (0, 37)
    stay(game)
    game.push(Draw(1 + 37 % 6))
    assert (game.state.discards, game.state.pile.size) == ((), 36)


def test_3_5_details_after_the_shuffle_the_pile_is_what_was_used():
    game = stay(used_up())
    assert breaks(game, Draw(game.turn, "card.panne")) == "card.count 3.1"
    game.push(Draw(game.turn, "card.trouble"))


def test_3_5_details_what_was_just_shuffled_in_is_in_no_hand():
    # All four engine troubles went into the pile. One card was drawn since: so one at most is in a hand.
    game = stay(used_up())
    game.push(Draw(game.turn))
    asked = game.turn + 1
    game.push(Offer(game.turn, asked))
    game.push(Reply(asked, True))
    game.push(Reveal(asked, "card.trouble"))
    stay(game)
    game.push(Draw(game.turn, "card.plus1"))
    game.push(Offer(game.turn, 1))
    game.push(Reply(1, True))
    assert breaks(game, Reveal(1, "card.trouble")) == "card.count 3.1"
