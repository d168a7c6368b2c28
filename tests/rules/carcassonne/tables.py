"""Short words for the tests of the rules text: lay tiles in turn, see what a move breaks, play a random game."""

from __future__ import annotations

import random

import pytest

from rules.carcassonne import Draw, Game, IllegalMoveError, Land, Place, Put, Roll, Skip
from rules.carcassonne.house_rules import HouseRules

Turn = tuple[object, ...]
"""Tile, x, y, rotation and, when a meeple is put, its feature and location (and figure)."""


def start(players: int = 2, *, first: int | None = None, tiles="C2", **house_rules: object) -> Game:
    return Game(players, tiles=tiles, house_rules=HouseRules.of(house_rules), first_player=first)


def lay(game: Game, tile: str, x: int, y: int, rotation: int = 0) -> Game:
    """Draw a tile and lay it; the meeple is still to be put."""
    game.push(Draw(tile))
    game.push(Place(x, y, rotation))
    return game


def play(game: Game, *turns: Turn) -> Game:
    """Whole turns, without flights."""
    for tile, x, y, rotation, *put in turns:
        lay(game, tile, x, y, rotation)
        game.push(Put(*put) if put else Skip())
    return game


def fly(game: Game, die: int, figure: str = "meeple") -> Game:
    """A meeple takes the machine of the tile just laid."""
    game.push(Put("FlyingMachine", figure=figure))
    game.push(Roll(die))
    return game


def landings(game: Game) -> set[tuple[str, str]]:
    """Where the flyer may land; empty when it could not and the turn is over."""
    return {(move.feature, move.location) for move in game.legal() if isinstance(move, Land)}


def places(game: Game, figure: str = "meeple") -> set[tuple[str, str]]:
    """Where such a figure may be put on the tile just laid."""
    return {(m.feature, m.location) for m in game.legal() if isinstance(m, Put) and m.figure == figure}


def breaks(game: Game, move) -> str:
    """The rule that a move breaks; the game stays as it was."""
    before, moves = game.state, list(game.moves)
    assert move not in list(game.legal())
    with pytest.raises(IllegalMoveError) as error:
        game.push(move)
    assert (game.state, game.moves) == (before, moves)
    refusal = game.why_illegal(move)
    assert (refusal.rule, refusal.clause, refusal.reason) == (
        error.value.rule,
        error.value.clause,
        error.value.reason,
    )
    return error.value.rule


def points(game: Game) -> list[tuple[int, int, str]]:
    """Player, points and rule of everything scored so far."""
    return [(line.player, line.points, line.rule) for line in game.state.lines]


def finish(game: Game) -> Game:
    """Play on to the end, always the first legal placement and no meeple."""
    while not game.is_over:
        moves = list(game.legal())
        skips = [move for move in moves if isinstance(move, Skip)]
        game.push(skips[0] if skips else moves[0])
    return game


def random_game(seed: int, players: int | None = None, *, tiles="C2", **house_rules: object) -> Game:
    """A whole game of random moves, every legal one of which was computed at every step."""
    dice = random.Random(seed)
    game = start(players or dice.randint(2, 5), tiles=tiles, **house_rules)
    while not game.is_over:
        game.push(dice.choice(list(game.legal())))
    return game
