"""What the rules cost without a camera: whole games, in which every legal move is computed at every step."""

from __future__ import annotations

from typing import Any

from tests.bench.machine import Took, in_ms, timed
from tests.rules.carcassonne.tables import random_game
from tests.rules.fairplay.random_games import MOST_MOVES, Table

CARCASSONNE_GOAL_MS = 400.0
GAMES = 8
RACES = 40


def race(seed: int) -> int:
    """A race by random options, every legal move listed at every step. Returns how many moves it took."""
    table = Table(seed)
    while not table.game.is_over and len(table.game.moves) < MOST_MOVES:
        list(table.game.legal())
        table.move()
    return len(table.game.moves)


def bench_engines() -> dict[str, Any]:
    random_game(0)  # what is made once, of the first game, is no game's cost
    games: list[Took] = [timed(lambda seed=seed: random_game(seed))[1] for seed in range(1, GAMES + 1)]
    races = [timed(lambda seed=seed: race(seed)) for seed in range(1, RACES + 1)]
    moves = sum(count for count, _ in races)
    return {
        "carcassonne": {
            "of": "a game of 80 tiles with Flying Machines, 2 to 5 players, every legal move at every step",
            **in_ms(games, CARCASSONNE_GOAL_MS),
        },
        "fairplay": {
            "of": f"a race of 2 to 6 cars by random options, every legal move at every step; {moves // RACES} moves",
            **in_ms([took for _, took in races]),
        },
    }
