"""Rules text 1.1 to 1.3: cards, setup, laying out. One test for each clause, written from the text alone.

The number in a test's name is the clause. Expected values come from the text or from `tests.oracles`, never from
running the engine.
"""

from collections import Counter

import pytest

from rules.carpets.cards import DESTINATIONS, DJINN_SETS
from rules.carpets.djinns import Djinns
from rules.carpets.game import Game
from rules.carpets.house_rules import HouseRules
from rules.carpets.legal import IllegalMoveError
from rules.carpets.moves import Lay, Place, Ready, Rearrange, Throw
from tests.rules.carpets.clauses import ADVENTURES, TWELVE, breaks, start


def test_1_1_there_are_52_destinations():
    assert {
        "palace": 12,
        **dict.fromkeys(ADVENTURES, 3),
        "bazaar.spice": 5,
        "bazaar.carpet": 5,
        "bazaar.camel": 4,
        "treasure": 3,
        "lamp": 4,
        "desert": 4,
    } == DESTINATIONS
    assert sum(DESTINATIONS.values()) == 52


def test_1_1_no_more_cards_of_a_kind_are_laid_than_there_are():
    game = start()
    for _ in range(3):
        game.push(Lay("treasure"))
    breaks(game, Lay("treasure"))


@pytest.mark.parametrize("players", [1, 5])
def test_1_2_1_there_are_two_to_four_players(players):
    with pytest.raises(ValueError, match="player"):
        Game(players)


def test_1_2_1_two_players_fly_two_carpets_each_more_fly_one():
    assert sorted(Counter(Game(2).setup.carpets.values()).values()) == [2, 2]
    for players in (3, 4):
        assert sorted(Game(players).setup.carpets.values()) == list(range(1, players + 1))


def test_1_2_2_the_djinn_sets():
    as_told = {n: sorted(sorted(s) for s in sets) for n, sets in DJINN_SETS.items()}
    assert as_told == {
        2: [[1, 4, 5, 8], [2, 3, 6, 7]],
        3: [[3, 8], [4, 7], [5, 6]],
        4: [[1, 8], [2, 7], [3, 6], [4, 5]],
    }


def test_1_2_2_one_set_is_dealt_to_each_player():
    with pytest.raises(ValueError):
        Djinns.dealt(3, {1: {8, 4}})
    with pytest.raises(ValueError):
        Djinns.dealt(3, {1: {8, 3}, 2: {8, 3}})
    # Two told, the third follows
    assert Djinns.dealt(3, {1: {8, 3}, 2: {7, 4}}).certain(3) == {6, 5}


def test_1_2_4_the_first_layouter_can_be_agreed_upon():
    assert start(3, layouter=2).state.layouter == 2
    game = Game(3, house_rules=HouseRules.of({"first_player": 3}))
    assert game.state.layouter == 3


def test_1_3_1_twelve_cards_are_laid_before_anybody_throws():
    game = start()
    for kind in TWELVE[:-1]:
        game.push(Lay(kind))
    breaks(game, Ready())
    breaks(game, Throw("blue"))
    game.push(Lay(TWELVE[-1]))
    breaks(game, Lay("palace"))
    game.push(Ready())
    assert game.state.phase == "throwing"


W, H = 59.0, 91.0


@pytest.mark.parametrize(
    ("x", "legal"),
    [
        (W + 10.0, True),  # exactly 1 cm
        (W + 9.9, False),
        (W + 59.0, True),  # exactly one card width
        (W + 59.1, False),
        (W - 1.0, False),  # on top of the other
    ],
)
def test_1_3_2_spacing_of_a_new_card(x, legal):
    game = start()
    game.push(Lay("palace", Place(0, 0)))
    if legal:
        game.push(Lay("palace", Place(x, 0)))
    else:
        assert breaks(game, Lay("palace", Place(x, 0))).startswith("1.3.2")


def test_1_3_2_one_near_card_is_enough_to_be_near():
    game = start()
    for i in range(4):
        game.push(Lay("palace", Place(i * (W + 50), 0)))


def test_1_3_2_every_earlier_card_must_keep_its_distance():
    game = start()
    game.push(Lay("palace", Place(0, 0)))
    game.push(Lay("palace", Place(W + 50, 0)))
    # in the middle between them: 50 mm are too few for a card of 59, wherever it is put
    assert breaks(game, Lay("palace", Place((W + 50) / 2, 0))).startswith("1.3.2")


def test_1_3_2_rotation_is_free_and_the_distance_is_from_edge_to_edge():
    game = start()
    game.push(Lay("palace", Place(0, 0)))
    # lying on its side the neighbour reaches 45.5 mm to each side
    game.push(Lay("palace", Place(W / 2 + 10 + H / 2, 0, 90)))
    assert breaks(game, Lay("palace", Place(0, H / 2 + 9.9 + W / 2, 90))).startswith("1.3.2")


def test_1_3_2_the_first_card_lies_anywhere():
    start().push(Lay("palace", Place(1e3, -400, 33)))


def test_1_3_2_the_card_width_is_a_parameter():
    game = start(card_w_mm=63.0, card_h_mm=88.0)
    game.push(Lay("palace", Place(0, 0)))
    game.push(Lay("palace", Place(63 + 62.9, 0)))
    assert breaks(game, Lay("palace", Place(-63 - 63.1, 0))).startswith("1.3.2")


def row_of_twelve(pitch=W + 20) -> Game:
    game = start()
    for i, kind in enumerate(TWELVE):
        game.push(Lay(kind, Place(i * pitch, 0)))
    return game


def test_1_3_3_cards_may_be_swapped_and_shifted_after_the_twelfth():
    game = row_of_twelve()
    a, b = (card.place for card in game.state.table[:2])
    game.push(Rearrange((1, 2), (b, a)))
    assert [card.place for card in game.state.table[:2]] == [b, a]
    game.push(Rearrange((12,), (Place(11 * (W + 20), 15, 5),)))
    game.push(Ready())


def test_1_3_3_not_before_the_twelfth():
    game = start()
    game.push(Lay("palace"))
    breaks(game, Rearrange((1,)))


def test_1_3_3_the_finished_layout_must_be_legal():
    game = row_of_twelve()
    game.push(Rearrange((12,), (Place(11 * (W + 20) - 12, 0),)))  # now 8 mm from the eleventh
    breaks(game, Ready())
    game.push(Rearrange((12,), (Place(11 * (W + 20), 0),)))
    game.push(Ready())


def test_1_3_3_the_layout_must_hang_together():
    """Each card has a neighbour within one width, but the layout falls into two halves: the text forbids that."""
    game = row_of_twelve()
    far = tuple(Place(i * (W + 20) + 50, 0) for i in range(6, 12))
    try:
        game.push(Rearrange(tuple(range(7, 13)), far))
    except IllegalMoveError as error:
        assert error.rule.startswith("1.3.3")
        return
    breaks(game, Ready())


def test_1_3_3_rearrange_limit():
    game = start(rearrange_limit=2)
    for kind in TWELVE:
        game.push(Lay(kind))
    game.push(Rearrange((1, 2)))
    breaks(game, Rearrange((3,)))
    game.push(Rearrange((2,)))  # touched already
