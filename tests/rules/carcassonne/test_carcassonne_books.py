"""Whole random games over all options against what a careful person with paper would note, by the rules text alone."""

from __future__ import annotations

import random

import pytest

from rules.carcassonne import Draw, Game, Land, Place, Put, Recall, Roll, Skip
from tests.oracles.carcassonne_books import Books
from tests.rules.carcassonne.tables import start


def options(dice: random.Random) -> dict[str, object]:
    told: dict[str, object] = {
        name: dice.random() < 0.5 for name in ("flight_over_gaps", "landing_mandatory", "farmers", "abbot")
    }
    return {**told, "tiny_city_points": dice.choice((2, 4)), "unplaceable": dice.choice(("discard", "put_back"))}


def parts(game: Game, kind: type, cell: tuple[int, int], figure: str = "meeple") -> set:
    """The parts of a laid tile that moves of a kind name, as (cell, index)."""
    named = [(part.kind, part.location) for part in game.state.board.tiles[cell].parts]
    moves = [m for m in game.legal() if isinstance(m, kind) and getattr(m, "figure", figure) == figure]
    found = [named.index((move.feature, move.location)) for move in moves if move.feature != "FlyingMachine"]
    assert len(set(found)) == len(found)
    return {(cell, i) for i in found}


def index(game: Game, cell: tuple[int, int], move: Put | Land) -> tuple[tuple[int, int], int]:
    named = [(part.kind, part.location) for part in game.state.board.tiles[cell].parts]
    return cell, named.index((move.feature, move.location))


def target(game: Game) -> tuple[int, int]:
    (x, y), (dx, dy) = game.state.cell, game.state.board.tiles[game.state.cell].flight
    return x + game.state.die * dx, y + game.state.die * dy


def eager(dice: random.Random, moves: list) -> object:
    """A move: machines are mostly taken, abbots seldom called back, so that flights and gardens come up often."""
    weights = [
        9 if isinstance(m, Put) and (m.feature in ("FlyingMachine", "Garden") or m.figure == "abbot") else 1
        for m in moves
    ]
    return dice.choices(moves, weights)[0]


def same(game: Game, books: Books) -> None:
    state = game.state
    assert list(state.points) == [books.points[p] for p in game.players]
    assert list(state.supply) == [books.supply[p, "meeple"] for p in game.players]
    assert list(state.abbots) == [books.supply[p, "abbot"] for p in game.players]
    mine = {
        frozenset(((s.x, s.y), s.part) for s in feature.spots): feature for feature in state.board.features.values()
    }
    theirs = {frozenset(feature): feature for feature in books.features()}
    assert mine.keys() == theirs.keys()
    for spots, feature in theirs.items():
        assert mine[spots].complete == books.complete(feature)
        standing = sorted((m.player, m.figure, ((m.spot.x, m.spot.y), m.spot.part)) for m in mine[spots].meeples)
        assert standing == sorted(books.on(feature))


@pytest.mark.parametrize("seed", range(12))
def test_random_games_agree_with_the_books(seed):
    dice = random.Random(seed)
    told = options(dice)
    game = start(dice.randint(2, 5), first=dice.randint(1, 2), tiles=dice.choice(("C1", "C2")), **told)
    books = Books(game.setup.players, told)
    figure = None
    while not game.is_over:
        player, cell = game.state.player, game.state.cell
        moves = list(game.legal())
        if game.state.phase == "place":
            assert {(m.x, m.y, m.rotation) for m in moves} == books.placements(game.state.tile)
        elif game.state.phase == "meeple":
            for kind in ("meeple", "abbot"):
                want = books.places(cell, kind) if books.supply[player, kind] else set()
                assert parts(game, Put, cell, kind) == want
        elif game.state.phase == "land":
            assert parts(game, Land, target(game)) == books.landings(cell, game.state.die, figure) != set()
        move = eager(dice, moves)
        landing = target(game) if isinstance(move, Land) else None
        game.push(move)
        match move:
            case Draw():
                if game.state.phase != "place":
                    assert not books.placements(move.tile), "it fits nowhere"
            case Place():
                books.tiles[move.x, move.y] = (game.state.tile, move.rotation)
            case Put(feature="FlyingMachine"):
                figure = move.figure
            case Put():
                books.put(player, move.figure, index(game, cell, move))
                books.end_turn()
            case Roll():
                if game.state.phase != "land":
                    assert books.landings(cell, move.die, figure) == set()
                    books.end_turn()
            case Land():
                books.put(player, figure, index(game, landing, move))
                books.end_turn()
            case Recall():
                books.recall(player)
                books.end_turn()
            case Skip():
                books.end_turn()
        if game.state.phase == "draw":
            same(game, books)
    books.end()
    same(game, books)
