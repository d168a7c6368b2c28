"""A game as a value: the whole surface, what a person reads of it, and bad input told by name with nothing changed."""

from __future__ import annotations

import msgspec
import pytest

from rules.engine import Engine, IllegalMoveError, SavedGameError
from rules.fairplay import Discard, Draw, Game, HouseRules, Lay, Move, Offer, Reply, Reveal, Roll, Step, Stop, summary
from tests.rules.fairplay.clauses import breaks, drive, roll, staged, start, stay, use


def begun() -> Game:
    game = Game(3, first=2, hands={1: ["card.plus1", "card.panne"]}, house_rules=HouseRules.of({"tile_capacity": 3}))
    drive(roll(game, 2), 2, "sn")
    game.push(Draw(2))
    game.push(Offer(2, to=1))
    game.push(Reply(1, True))
    game.push(Reveal(1, "card.minus1"))
    return game


def test_it_is_an_engine() -> None:
    engine: Engine[Move] = Game(3)
    assert not engine.is_over
    assert [*engine.legal()]


def test_the_table_in_text() -> None:
    game = staged("cn", at=(1, 2, 0), faceup={2: ["panne"]}, hands={1: ["plus1", "panne", "trouble"]})
    game.push(Roll(1, 3))
    assert str(game).splitlines() == [
        "turn 1 (player 1): player 1 draws a card",
        " 0 start <3>        1 curve <1>        2 narrow <2>",
        "player 1 at  1: card.panne card.plus1 card.trouble",
        "player 2 at  2: ? ? ? | card.panne",
        "player 3 at  0: ? ? ?",
    ]
    assert repr(game) == "<Game of 3, turn 1, draw>"


def test_the_text_says_how_many_steps_are_left_and_who_won() -> None:
    game = drive(roll(staged("ccf", at=(1, 0)), 3), 1)
    assert str(game).splitlines()[0] == "turn 1 (player 1): player 1 is still moving, 2 steps left"
    drive(game, 2)
    assert str(game).splitlines()[0] == "turn 1: player 1 has passed the finish and wins"


def test_summary_is_plain_data_that_json_carries() -> None:
    game = begun()
    told = summary(game)
    assert told == {
        "positions": [0, 2, 0],
        "track": ["road.start", "road.straight", "road.narrow"],
        "faceup": [[], [], []],
        "hands": [3, 3, 3],
        "player": 3,
        "actor": 3,
        "phase": "roll",
        "winner": None,
    }
    assert msgspec.json.decode(msgspec.json.encode(told)) == told


def test_explain_says_how_each_car_came_to_where_it_stands() -> None:
    game = drive(roll(staged("cw", at=(0, 0, 0)), 3), 2)
    (leg,) = game.explain()[1]
    assert (leg.start, leg.end, leg.points, leg.by, leg.ended, leg.turn) == (0, 2, 2, "die", "roadworks", 1)
    use(game, "plus3", by=3)
    drive(game, 1)
    (leg,) = game.explain()[3]
    assert (leg.start, leg.end, leg.by, leg.ended, leg.clause) == (0, 1, "card.plus3", "moving", "3.5")
    assert sum(leg.points for leg in game.explain()[3]) == game.scores[3] == 1


def test_a_step_too_far_after_a_card_is_told_by_what_it_runs_into() -> None:
    game = drive(use(staged("cn", at=(0, 2, 0)), "plus3", by=3), 1)
    assert game.turn == 2
    assert breaks(game, Step(3)) == "step.narrow 3.4.2"
    game.push(Roll(2, 1))
    assert breaks(game, Step(3)) == "turn.player 3.3"


def test_a_copy_goes_its_own_way() -> None:
    game = begun()
    other = game.copy()
    other.push(Roll(3, 1))
    assert (game.state.phase, other.state.phase) == ("roll", "move")
    other.pop()
    assert other.to_json() == game.to_json()


def test_positions_are_immutable() -> None:
    with pytest.raises(AttributeError):
        Game(3).state.turn = 7  # type: ignore[misc]


# -- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("player", [0, 4, -1, 99])
def test_no_such_player(player: int) -> None:
    assert breaks(start(3), Roll(player, 1)) == "player 3.2"


@pytest.mark.parametrize("value", [-1, 0, 4, 7])
def test_what_no_die_shows_is_refused(value: int) -> None:
    assert breaks(start(), Roll(1, value)) == "die 3.1"


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        ("roll", "'roll' is no move"),
        (None, "None is no move"),
        (("roll", 1, 2), "is no move"),
        (Roll("1", 2), "Roll, player: Expected `int`, got `str`"),
        (Roll(True, 2), "Roll, player: Expected `int`, got `bool`"),
        (Roll(1, 2.0), "Roll, value: Expected `int`, got `float`"),
        (Roll(1, None), "Roll, value: Expected `int`, got `null`"),
        (Lay(1, ["road.curve"]), "Lay, tile: Expected `str`, got `array`"),
        (Lay(1, "road.curve", "up"), "Lay, way: Invalid enum value 'up'"),
        (Reply(1, "yes"), "Reply, accepts: Expected `bool`, got `str`"),
        (Draw(1, object()), "holds what cannot be told"),
    ],
)
def test_what_is_no_move_is_refused(thing: Move, words: str) -> None:
    game = start()
    before = game.state
    why = game.why_illegal(thing)
    assert why is not None
    assert (why.rule, why.clause) == ("move", "3.3")
    assert words in why.reason
    with pytest.raises(IllegalMoveError):
        game.push(thing)
    assert (game.state, game.moves) == (before, [])


@pytest.mark.parametrize("kind", ["", "curve", "card.plus1", "unknown"])
def test_what_is_no_tile_is_refused(kind: str) -> None:
    assert breaks(roll(start(), 1), Lay(1, kind)) == "tile.unknown 3.1"


@pytest.mark.parametrize("kind", ["", "plus1", "road.curve", "back"])
def test_what_is_no_card_is_refused(kind: str) -> None:
    game = stay(staged("cc", at=(1, 1, 1)))
    assert breaks(game, Draw(1, kind)) == "card.unknown 3.1"
    game.push(Draw(1))
    assert breaks(game, Offer(1, 2, kind)) == "card.unknown 3.1"
    game.push(Offer(1, 2))
    game.push(Reply(2, True))
    assert breaks(game, Reveal(2, kind)) == "card.unknown 3.1"
    game.push(Reveal(2, "card.panne"))
    assert breaks(game, Discard(2, kind)) == "card.unknown 3.1"


def test_moves_after_the_end_are_refused() -> None:
    game = drive(roll(staged("cf", at=(2, 0)), 1), 1)
    for move in (Roll(2, 1), Step(1), Stop(1), Draw(1), Lay(1, "road.curve")):
        assert breaks(game, move) == "over 3.4.7"


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"first": 4}, "there is no player 4 to begin"),
        ({"first": 0}, "there is no player 0 to begin"),
        ({"hands": {4: ["card.plus1"]}}, "there is no player 4 to be dealt"),
        ({"hands": {1: ["card.plus1"] * 4}}, "dealt 3 cards, not 4"),
        ({"hands": {1: ["card.joker"]}}, "no card 'card.joker'"),
        ({"hands": {1: ["card.shortcut"] * 2, 2: ["card.shortcut"]}}, "there are 2 of card.shortcut, not 3"),
    ],
)
def test_a_deal_that_cannot_be_is_refused(keywords: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Game(3, **keywords)


def saved(**changes: object) -> bytes:
    """A saved game with something else put in."""
    told = msgspec.json.decode(begun().to_json())
    return msgspec.json.encode({**told, **changes})


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        (b"", "the whole", "no JSON"),
        (b"{", "the whole", "no JSON"),
        (b'{"players": 3, "order": [\xff]}', "the whole", "no JSON"),
        (b"[]", "the whole", "Expected `object`"),
        (b'{"players": 3}', "the whole", "missing required field `order`"),
        (saved(players="three"), "players", "Expected `int`"),
        (saved(players=9), "players, order, hands and house_rules", "2 to 6 players play, not 9"),
        (saved(order=[1, 3, 2]), "players, order, hands and house_rules", "clockwise"),
        (saved(hands={"1": ["card.joker"]}), "players, order, hands and house_rules", "no card"),
        (saved(hands={"one": []}), "key in hands", "Expected `int`"),
        (saved(house_rules={"tile_capasity": 3}), "house_rules", "unknown field `tile_capasity`"),
        (saved(house_rules={"tile_capacity": 9}), "house_rules", "must lie between 1 and 6, got 9"),
        (saved(house_rules={"order": "none"}), "house_rules.order", "Invalid enum value 'none'"),
        (saved(moves=[{"move": "teleport"}]), "moves[0].move", "teleport"),
        (saved(moves=[{"move": "roll", "player": 2, "value": 1}, {"move": "roll"}]), "moves[1]", "missing required"),
        (saved(moves=[{"move": "roll", "player": 2, "value": 4}]), "moves[0]", "rules 3.1 (die)"),
        (saved(moves=[{"move": "roll", "player": 1, "value": 3}]), "moves[0]", "rules 3.3 (turn.player)"),
        (saved(comment="hello"), "the whole", "unknown field `comment`"),
    ],
)
def test_a_saved_game_that_cannot_be_read_says_where(text: bytes, where: str, words: str) -> None:
    with pytest.raises(SavedGameError) as error:
        Game.from_json(text)
    assert error.value.where == where
    assert words in error.value.what
    assert "\n" not in str(error.value)


def test_a_tile_count_that_does_not_add_up_in_a_saved_game() -> None:
    game = start(2)
    told = msgspec.json.decode(game.to_json())
    lay = [{"move": "lay", "player": 1, "tile": "road.roadworks"}, {"move": "step", "player": 1}]
    rest = [
        {"move": "draw", "player": 1},
        {"move": "offer", "player": 1, "to": 2},
        {"move": "reply", "player": 2, "accepts": True},
        {"move": "reveal", "player": 2, "card": "card.minus1"},
        {"move": "refuel", "player": 2},
    ]
    told["moves"] = [{"move": "roll", "player": 1, "value": 1}, *lay, *rest] * 3
    with pytest.raises(SavedGameError, match=r"moves\[17\].*there are 2 of road.roadworks, and they are all laid"):
        Game.from_json(msgspec.json.encode(told))


def test_a_refused_move_leaves_the_game_as_it_was() -> None:
    game = begun()
    before = game.state, list(game.moves), game.to_json()
    with pytest.raises(IllegalMoveError) as error:
        game.push(Roll(1, 1))
    assert (error.value.rule, error.value.clause) == ("turn.player", "3.3")
    assert str(error.value) == "rules 3.3 (turn.player): it is for player 3 now, not for player 1"
    assert (game.state, game.moves, game.to_json()) == before
