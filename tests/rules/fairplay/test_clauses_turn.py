"""Rules text 3.3: the turn. One test for each clause, written from the text alone; the number is the clause."""

import pytest

from rules.fairplay.game import Game
from rules.fairplay.moves import Discard, Draw, DriveOn, Lay, Mend, Offer, Refuel, Reply, Reveal, Roll, Step, Stop
from tests.rules.fairplay.clauses import at, before, breaks, drive, roll, staged, start, stay, use


def test_3_3_0_a_puncture_costs_the_next_turn():
    game = staged("cc", at=(1, 1, 1), faceup={1: ["puncture"]})
    assert breaks(game, Roll(1, 2)) == "turn.puncture 3.3.0"
    game.push(Mend(1))
    assert before(game, 1) == []
    assert game.state.discards == ("card.puncture",)
    assert (game.turn, game.state.phase) == (2, "roll")


def test_3_3_0_a_punctured_car_does_not_fill_up_either():
    game = staged("p", at=(1, 0, 0), faceup={1: ["puncture", "panne"]})
    assert breaks(game, Refuel(1)).startswith("refuel")
    assert list(game.legal()) == [Mend(1)]


def test_3_3_0_nothing_is_mended_without_a_puncture():
    assert breaks(start(), Mend(1)) == "turn.roll 3.3.1"


def test_3_3_0a_filling_up_takes_all_panne_cards_and_the_turn():
    game = staged("p", at=(1, 0, 0), faceup={1: ["panne", "panne"]}, hands={1: ["plus1"]})
    assert game.state.capacity(1) == 1
    game.push(Refuel(1))
    assert (before(game, 1), game.state.discards) == ([], ("card.panne", "card.panne"))
    assert game.state.phase == "fill"
    assert breaks(game, Roll(1, 1)) == "turn.fill 3.3.0'"
    game.push(Draw(1))
    game.push(Draw(1))
    assert (game.state.hand_size(1), game.state.capacity(1)) == (3, 3)
    assert (game.turn, game.state.phase, at(game)) == (2, "roll", (1, 0, 0))


def test_3_3_0a_one_fills_up_at_the_beginning_of_the_turn():
    game = drive(roll(staged("p", at=(0, 0, 0)), 1), 1)
    assert breaks(game, Refuel(1)) == "refuel.timing 3.3.0'"


def test_3_3_1_the_turn_begins_with_the_die():
    game = start()
    for move in (Step(1), Stop(1), Lay(1, "road.curve"), Draw(1), Offer(1, 2), Reply(1, True), Discard(1), DriveOn(1)):
        assert breaks(game, move) == "turn.roll 3.3.1"
    assert breaks(game, Reveal(1, "card.plus1")) == "turn.roll 3.3.1"
    game.push(Roll(1, 2))
    assert breaks(game, Roll(1, 2)) == "turn.move 3.3.1"


def test_3_3_2_nobody_to_offer_to_ends_the_turn_without_a_card():
    game = stay(staged("cc", at=(1, 1, 1), faceup={2: ["puncture"], 3: ["puncture"]}))
    assert (game.turn, game.state.phase) == (2, "mend")
    assert game.state.hand_size(1) == 3


def test_3_3_2_one_opponent_without_a_puncture_is_enough():
    game = stay(staged("cc", at=(1, 1, 1), faceup={2: ["puncture"]}))
    assert game.state.phase == "draw"


def test_3_3_3_one_card_is_drawn():
    game = stay(start())
    assert breaks(game, Offer(1, 2)) == "turn.draw 3.3.3"
    game.push(Draw(1))
    assert game.state.hand_size(1) == 4
    assert breaks(game, Draw(1)) == "turn.offer 3.3.4"


def test_3_3_4_offering_is_compulsory():
    game = stay(start())
    game.push(Draw(1))
    assert breaks(game, Roll(2, 1)) == "turn.offer 3.3.4"


def test_3_3_4_to_an_opponent_without_a_puncture():
    game = stay(staged("cc", at=(1, 1, 1), faceup={2: ["puncture"]}))
    game.push(Draw(1))
    assert breaks(game, Offer(1, 2)) == "offer.puncture 3.3.4"
    assert breaks(game, Offer(1, 1)) == "offer.self 3.3.4"
    assert breaks(game, Offer(1, 4)) == "player 3.2"
    game.push(Offer(1, 3))


@pytest.mark.parametrize(("accepts", "user"), [(True, 3), (False, 1)])
def test_3_3_4_yes_makes_him_the_user_no_the_offerer(accepts, user):
    game = stay(staged("cc", at=(1, 1, 1)))
    game.push(Draw(1))
    game.push(Offer(1, 3))
    assert game.actor == 3
    game.push(Reply(3, accepts))
    assert game.actor == user
    game.push(Reveal(user, "card.minus1"))
    assert at(game) == tuple(0 if player == user else 1 for player in (1, 2, 3))


def test_3_3_4_he_answers_before_he_sees_the_card():
    game = stay(start())
    game.push(Draw(1))
    game.push(Offer(1, 3))
    assert breaks(game, Reveal(3, "card.plus1")) == "turn.reply 3.3.4"
    assert breaks(game, Reply(2, True)) == "turn.player 3.3"


def test_3_3_4_the_card_is_carried_out_at_once():
    game = stay(start())
    game.push(Draw(1))
    game.push(Offer(1, 3))
    game.push(Reply(3, True))
    assert breaks(game, Roll(2, 1)) == "turn.reveal 3.3.4"
    game.push(Reveal(3, "card.plus2"))
    assert breaks(game, Roll(2, 1)) == "turn.move 3.3.1"
    assert breaks(game, Lay(2, "road.curve")) == "turn.player 3.3"
    drive(game, 2)
    assert (at(game), game.turn) == ((0, 0, 2), 2)


def test_3_3_4_the_card_leaves_the_offerer_s_hand():
    game = stay(staged("cc", hands={1: ["plus1", "plus2", "panne"]}))
    game.push(Draw(1, "card.minus1"))
    game.push(Offer(1, 2))
    assert [game.state.hand_size(player) for player in game.players] == [3, 3, 3]
    game.push(Reply(2, True))
    assert breaks(game, Reveal(2, "card.trouble")) == "card.hand 3.3"
    game.push(Reveal(2, "card.plus2"))
    assert game.state.hand(1).known == ("card.minus1", "card.panne", "card.plus1")


def test_3_3_4_a_card_told_when_offered_is_the_one_turned_up():
    game = stay(start())
    game.push(Draw(1))
    game.push(Offer(1, 2, "card.plus1"))
    game.push(Reply(2, False))
    assert breaks(game, Reveal(1, "card.plus2")) == "card.offered 3.3.4"
    assert breaks(game, Reveal(1, "unknown")) == "card.unread 3.3.4"
    game.push(Reveal(1, "card.plus1"))


def test_3_3_5_the_next_player():
    game = use(start(), "minus1", by=2)
    assert (game.turn, game.state.turn) == (2, 2)
    assert breaks(game, Roll(1, 1)) == "turn.player 3.3"


def test_3_3_hand_capacity_is_three_less_the_own_panne_cards():
    for pannes, capacity in enumerate([3, 2, 1, 0, 0, 0]):
        game = staged("c", at=(1, 0, 0), faceup={1: ["panne"] * pannes})
        assert [game.state.capacity(player) for player in (1, 2)] == [capacity, 3]


def test_3_3_hand_one_more_while_choosing():
    game = staged("c", at=(1, 0, 0), faceup={1: ["panne"]}, hands={1: ["plus1", "plus2"]})
    stay(game)
    game.push(Draw(1))
    assert game.state.hand_size(1) == game.state.capacity(1) + 1


def test_3_5_details_hands_are_secret_until_a_card_is_turned_up():
    def hidden(game: Game) -> list[int]:
        return [hand.hidden for hand in game.state.hands]

    game = stay(start())
    game.push(Draw(1))
    assert hidden(game) == [4, 3, 3]
    game.push(Offer(1, 2))
    game.push(Reply(2, True))
    assert {move.card for move in game.legal()} == {f"card.{c}" for c in (
        "plus1", "plus2", "plus3", "minus1", "minus2", "minus3", "trouble", "panne", "puncture", "shortcut", "catchup",
    )}  # fmt: skip
    game.push(Reveal(2, "card.puncture"))
    assert hidden(game) == [3, 3, 3]
    assert before(game, 2) == ["puncture"]
