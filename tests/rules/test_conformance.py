"""What every engine must be, whatever its game: `rules.engine` says it, and here it is tried on random games."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

from rules.carpets.house_rules import HouseRules as CarpetsRules
from rules.engine import IllegalMoveError
from rules.fairplay.house_rules import HouseRules as FairPlayRules
from rules.games import GAMES, engine
from tests.rules.carcassonne.tables import start as start_carcassonne

Game = Any
SEEDS = range(4)
WIDE = 60
"""Moves among which a random one is chosen; a carpet may lie on any of 4096 sets of cards."""
LONG = 600
"""Moves after which a random game is left unfinished: Fair Play may go on for ever."""


def carpets(dice: random.Random) -> Game:
    rules = {"max_throw_turns": 2, "leftovers": dice.choice(["remove", "under_deck"])}
    return engine("carpets")(dice.choice((2, 3, 4)), house_rules=CarpetsRules.of(rules), layouter=dice.choice((1, 2)))


def carcassonne(dice: random.Random) -> Game:
    told = {name: dice.random() < 0.5 for name in ("abbot", "farmers", "landing_mandatory", "flight_over_gaps")}
    return start_carcassonne(dice.randint(2, 5), first=dice.choice((1, 2)), tiles=dice.choice(("C1", "C2")), **told)


def fairplay(dice: random.Random) -> Game:
    rules = {"refuel_timing": dice.choice(["whole_turn", "on_arrival"]), "peek_then_stop": dice.random() < 0.5}
    return engine("fairplay")(dice.randint(2, 6), first=dice.choice((1, 2)), house_rules=FairPlayRules.of(rules))


START: dict[str, Callable[[random.Random], Game]] = {
    "carpets": carpets,
    "carcassonne": carcassonne,
    "fairplay": fairplay,
}


def random_game(name: str, seed: int) -> Game:
    """A game of random legal moves, to its end or until it is long."""
    dice = random.Random(seed)
    game = START[name](dice)
    while not game.is_over and len(game.moves) < LONG:
        game.push(dice.choice(list(islice(game.legal(), WIDE))))
    return game


def replayed(name: str, seed: int) -> Iterator[tuple[Game, Any]]:
    """The same game move by move: the position before each, and the move that was made."""
    moves = random_game(name, seed).moves
    game = START[name](random.Random(seed))
    for move in moves:
        yield game, move
        game.push(move)


def everything(game: Game) -> tuple[Any, ...]:
    """All that can be asked of a position."""
    asked = {player: list(lines) for player, lines in game.explain().items()}
    return game.state, list(game.moves), game.is_over, dict(game.scores), asked, str(game), game.to_json()


def test_every_game_is_tried():
    assert set(START) == set(GAMES)
    with pytest.raises(ValueError, match="no such game; there are carpets, carcassonne, fairplay"):
        engine("chess")


every_game = pytest.mark.parametrize("name", GAMES)
every_seed = pytest.mark.parametrize("seed", SEEDS)


@every_game
@every_seed
def test_pop_undoes_push_and_pushing_again_redoes_it(name, seed):
    game = START[name](random.Random(seed))
    positions = []
    for move in random_game(name, seed).moves:
        positions.append(game.state)
        before = everything(game) if len(positions) % 20 == 0 else None
        game.push(move)
        if before:
            after = everything(game)
            assert game.pop() == move
            assert everything(game) == before
            game.push(move)
            assert everything(game) == after
    moves = [game.pop() for _ in list(game.moves)]
    assert game.state == positions[0]
    with pytest.raises(IndexError):
        game.pop()
    for move, position in zip(reversed(moves), positions, strict=True):
        assert game.state == position
        game.push(move)


@every_game
@every_seed
def test_the_same_moves_give_the_same_game(name, seed):
    one, other = random_game(name, seed), START[name](random.Random(seed))
    for move in one.moves:
        other.push(move)
    assert everything(one) == everything(other)


@every_game
@every_seed
def test_json_gives_the_same_game(name, seed):
    game = random_game(name, seed)
    for _ in range(random.Random(seed).choice((0, 0, 3, 17))):
        game.pop()
    again = engine(name).from_json(game.to_json())
    assert everything(again) == everything(game)
    assert everything(engine(name).from_json(game.to_json().encode())) == everything(game)
    assert list(islice(again.legal(), WIDE)) == list(islice(game.legal(), WIDE))


@every_game
@every_seed
def test_there_is_a_legal_move_until_the_end_and_none_after(name, seed):
    for game, _ in replayed(name, seed):
        assert not game.is_over
        assert next(iter(game.legal()), None) is not None
    game = random_game(name, seed)
    assert bool(list(islice(game.legal(), 1))) is not game.is_over


@every_game
def test_random_games_come_to_their_end(name):
    assert any(random_game(name, seed).is_over for seed in SEEDS)


@every_game
@every_seed
def test_what_is_legal_is_not_refused(name, seed):
    for i, (game, _) in enumerate(replayed(name, seed)):
        if i % 7 == 0:
            for move in islice(game.legal(), WIDE):
                assert game.why_illegal(move) is None, move


@every_game
@every_seed
def test_every_other_move_is_refused_by_a_named_rule_and_changes_nothing(name, seed):
    """The other moves: what was legal at any time in this and another game, and not now."""
    seen = {repr(move): move for s in (seed, seed + 100) for game, move in replayed(name, s)}
    dice = random.Random(seed)
    refused = 0
    for i, (game, _) in enumerate(replayed(name, seed)):
        if i % 9:
            continue
        offered = list(islice(game.legal(), 5000))
        for move in dice.sample(list(seen.values()), min(40, len(seen))):
            refusal = game.why_illegal(move)
            assert (refusal is None) == (move in offered), (move, refusal)
            if refusal is not None:
                refused += 1
                assert refusal.rule
                assert refusal.reason
                assert refusal.rule in str(refusal)
                before = everything(game)
                with pytest.raises(IllegalMoveError) as error:
                    game.push(move)
                assert (error.value.rule, error.value.reason) == (refusal.rule, refusal.reason)
                assert everything(game) == before
    assert refused > 100


@every_game
@every_seed
def test_points_are_explained(name, seed):
    game = random_game(name, seed)
    assert set(game.explain()) == set(game.scores)
    if name != "carpets":  # whose palaces and agreed points are no lines
        assert {player: sum(line.points for line in lines) for player, lines in game.explain().items()} == dict(
            game.scores
        )


@every_game
@pytest.mark.parametrize("text", ["", "{", "null", "[]", '"game"', b"\xff\xfe"])
def test_what_is_no_saved_game_is_refused(name, text):
    with pytest.raises(ValueError) as error:
        engine(name).from_json(text)
    assert "\n" not in str(error.value)


@every_game
@every_seed
def test_a_saved_game_that_was_tampered_with_is_refused(name, seed):
    dice = random.Random(seed)
    game = random_game(name, seed)
    for _ in range(20):
        saved = json.loads(game.to_json())
        key = dice.choice([k for k in saved if k != "moves"])
        for value in ("?", None, -1, {"?": "?"}):
            with pytest.raises(ValueError) as error:
                engine(name).from_json(json.dumps({**saved, key: value}))
            assert "\n" not in str(error.value)
        saved["moves"][dice.randrange(len(saved["moves"]))] = {"move": "teleport"}
        with pytest.raises(ValueError, match="teleport"):
            engine(name).from_json(json.dumps(saved))
    saved["moves"] = saved["moves"] * 2
    with pytest.raises(ValueError):
        engine(name).from_json(json.dumps(saved))
