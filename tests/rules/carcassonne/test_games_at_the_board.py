"""Recorded games played on a table that a camera watches: what is told must be what was recorded, move by move."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rules.carcassonne import Game
from rules.carcassonne.doubts import TAKE_BACK, place_options
from rules.history import fold
from rules.protocol import Question, Ruling
from rules.text import say
from tests.rules.carcassonne.board_tables import (
    GAMES,
    BoardMatch,
    BoardTable,
    happenings,
    moves_of,
    recording,
)


def play(path: Path, *, seed: int, missed: float = 0.0, hidden: float = 0.0, **table: float) -> BoardMatch:
    """Plays a recorded game. `missed`: share of stills not taken; `hidden`: of pieces that a still lacks.

    The tile that was just laid is always seen: nobody can tell who laid one that turns up when others lie. What
    only the people at the table know is answered by what was played.
    """
    recorded = recording(path)
    edition = "C1" if recorded.edition == 1 else "C2"
    board = BoardTable(seed=seed, origin=(3, -2), turn=90 * (seed % 4), **table)  # type: ignore[arg-type]
    match = BoardMatch(board, players=recorded.players, tiles=edition)
    dice = random.Random(seed)

    def meant(question: Question) -> str:
        state = match.referee.game._before[-1] if match.referee.game.state.phase == "draw" else None
        options = place_options(match.referee, state)
        return next((w for w, place in options.items() if place == board.meant[question.pieces[0]]), TAKE_BACK)

    match.answers = {
        "carcassonne.order": lambda q: min(q.options, key=lambda o: int(o[1:])),
        "carcassonne.meeple": meant,
    }
    match.still()
    before_missed, newest = False, ""
    for happening in happenings(board, moves_of(recorded), Game(recorded.players, tiles=edition)):
        happening.do()
        before_missed = happening.may_be_missed and not before_missed and dice.random() < missed
        newest = f"t{board.laid - 1}" if happening.what == "tile" else newest
        if not before_missed:
            there = [piece for piece in (*board.tiles, *board.meeples) if piece != newest]
            match.still([piece for piece in there if dice.random() < hidden])
    match.still()
    if match.referee.game.state.phase == "meeple":
        match.correct("phase", "no_meeple")
    if not match.referee.over:
        match.correct("phase", "end")
    return match


def check(match: BoardMatch, path: Path) -> None:
    recorded = recording(path)
    assert match.moves == moves_of(recorded)
    assert list(match.referee.scores().values()) == recorded.final.points
    assert match.rulings("carcassonne.illegal") == []
    final = match.rulings("carcassonne.final")
    assert len(final) == 1
    assert list(final[0].data["scores"].values()) == recorded.final.points


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.name.partition(".")[0])
def test_a_recorded_game_is_told_move_by_move(path):
    match = play(path, seed=GAMES.index(path))
    check(match, path)
    asked = [q.rule for q in match.questions() if q.rule != "carcassonne.discard"]
    assert len(asked) <= 1, asked
    rulings = [o for o in match.outputs if isinstance(o, Ruling)]
    placed = match.rulings("carcassonne.place")
    assert [r.t for r in placed] == sorted(r.t for r in placed)
    scored = dict.fromkeys(match.referee.names, 0)
    for ruling in match.rulings("carcassonne.score"):
        scored[str(ruling.player)] += ruling.data["points"]
    assert scored == match.referee.scores()
    for ruling in rulings:
        for language in ("en", "fr", "de"):
            words = say(ruling.message, language)  # type: ignore[arg-type]
            assert "missing" not in words
            assert "carcassonne." not in words


@pytest.mark.parametrize("path", GAMES[::4], ids=lambda p: p.name.partition(".")[0])
def test_stills_may_be_missed_pieces_hidden_and_meeples_put_down_carelessly(path):
    match = play(path, seed=1, missed=0.3, hidden=0.01, spread=2.0)
    check(match, path)
    asked = {q.rule for q in match.questions()}
    assert asked <= {
        "carcassonne.order",
        "carcassonne.meeple",
        "carcassonne.late",
        "carcassonne.discard",
        "carcassonne.die",
    }


def test_the_same_inputs_give_the_same_rulings_and_the_same_view():
    match = play(GAMES[0], seed=2, misread_poses=0.05)
    again = BoardMatch(match.table, players=2, tiles="C1" if recording(GAMES[0]).edition == 1 else "C2")
    _, said = fold(again.referee, enumerate(match.inputs, 1))
    assert [o for outputs in said.values() for o in outputs] == match.outputs
    assert again.referee.view() == match.referee.view()
    assert again.referee.game.to_json() == match.referee.game.to_json()
