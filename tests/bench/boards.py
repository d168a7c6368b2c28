"""From still to ruling when one tile was laid on a board of ten, forty, eighty; and a first look at a full table."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.games import make_referee, things
from rules.session import Player, Session
from tests.bench.machine import Took, in_ms, timed
from tests.tablegen import BoardGame
from tests.tablegen.board import GeneratedBoard
from vision.observer import Observer
from vision.still import StillPicture

TILES = (10, 40, 80)
SEED = 4001
GOAL_MS, FIRST_GOAL_MS = 200.0, 1500.0
TABLE: dict[str, Any] = {
    "height_mm": 780.0,
    "hfov_deg": 62.0,
    "tilt_deg": 5.0,
    "light": "daylight",
    "table": "laminate",
}
"""Eighty tiles and the supplies fit into its view."""


def bench_boards() -> dict[str, Any]:
    out: dict[str, Any] = {"of": "Carcassonne, two players, 1280x720: a still looked at and ruled upon"}
    for count in TILES:
        game = BoardGame(SEED, game="carcassonne", tiles=count, restyled=False, colours=("red", "blue"), **TABLE)
        first: list[Took] = []
        laid: list[Took] = []
        _play(game, first, laid)
        goal = GOAL_MS if count == max(TILES) else None
        out[f"one_tile_more_on_{count}"] = in_ms(laid, goal) if goal else in_ms(laid)
        if count == max(TILES):
            out["first_look_at_the_full_table"] = in_ms(first, FIRST_GOAL_MS)
    return {"boards": out}


def _play(game: BoardGame, first: list[Took], laid: list[Took]) -> None:
    """Looks at the table without its last tiles, and then as each is laid."""
    last = {len(p.tiles): k for k, p in enumerate(game.positions)}
    stills = [game.still(k) for _, k in sorted(last.items())[-4:]]
    session = session_of(game)
    observer, referee = Observer(game.deck, things(session)), make_referee(session)
    for k, still in enumerate([stills[0], *stills]):  # the first look is followed by another, by a better camera
        took = timed(lambda k=k, still=still: _look(observer, referee, k, still))[1]
        (laid if k > 1 else first if k == 0 else []).append(took)


def _look(observer: Observer, referee: Any, k: int, still: GeneratedBoard) -> None:
    picture = np.mean(np.stack(still.frames).astype(np.float32), axis=0).round().astype(np.uint8)
    scene = observer.seer.see(StillPicture(3.0 * k, picture, len(still.frames), 1.0))
    assert scene is not None
    referee.see(scene)


def session_of(game: BoardGame) -> Session:
    seats = zip(("Ana", "Ben"), ("S", "N"), game.colours, strict=True)
    players = tuple(Player(number=i, name=n, side=s, colour=c) for i, (n, s, c) in enumerate(seats, 1))  # type: ignore[arg-type]
    return Session(game="carcassonne", deck="carcassonne", player=players)
