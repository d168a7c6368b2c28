"""Recorded games before a camera that does not see everything: doubt is asked about, and nothing is ruled wrongly."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from rules.carcassonne import Game
from rules.protocol import Question
from tests.rules.carcassonne.board_tables import GAMES, BoardMatch, BoardTable, happenings, moves_of, recording
from vision.scene import UNKNOWN, Piece, Point, Scene

HAND_MM = 60.0


class NoisyTable(BoardTable):
    """A table of which each still lacks something. Shares: of `unread` dice, of dice that are `gone` for a still, of
    tiles `unnamed`, of stills at which an unnoticed `hand` comes to rest for up to three. It spares the tile that was
    just laid: whose that was nobody could tell any more when the next one lies."""

    shares: dict[str, float]
    chance: random.Random
    hand: Point = (0.0, 0.0)
    rests = 0

    def scene(self, hide: Iterable[str] = (), dt: float = 2.0) -> Scene:
        whole = super().scene(hide, dt)
        board = [p for p in whole.pieces if p.kind != "die" and not p.id.startswith("supply")]
        if self.rests:
            self.rests -= 1
        elif self._happens("hand"):
            self.hand, self.rests = _middle(self.chance.choice(board)), self.chance.choice((1, 1, 2, 3))
        covered = {p.id for p in board if self.rests and math.dist(_middle(p), self.hand) < HAND_MM}
        covered.discard(f"t{self.laid - 1}")
        pieces = [p for p in whole.pieces if p.id not in covered and not (p.kind == "die" and self._happens("gone"))]
        return msgspec.structs.replace(whole, pieces=tuple(map(self._read, pieces)))

    def _read(self, piece: Piece) -> Piece:
        if piece.kind == "die" and self._happens("unread"):
            return msgspec.structs.replace(piece, value=None)
        if piece.kind == "tile" and self._happens("unnamed"):
            return msgspec.structs.replace(piece, face=UNKNOWN)
        return piece

    def _happens(self, what: str) -> bool:
        return self.chance.random() < self.shares.get(what, 0.0)


def _middle(piece: Piece) -> Point:
    x, y = zip(*piece.outline_mm, strict=True)
    return piece.foot_mm or (sum(x) / 4, sum(y) / 4)


def play(path: Path, seed: int, **shares: float) -> BoardMatch:
    """Plays a recorded game; the people at the table answer by what they did."""
    recorded = recording(path)
    edition = "C1" if recorded.edition == 1 else "C2"
    table = NoisyTable(seed=seed, origin=(3, -2), turn=90 * (seed % 4))
    table.shares, table.chance = shares, random.Random(seed + 5)
    match = BoardMatch(table, players=recorded.players, tiles=edition)

    def die(question: Question) -> str:
        shown = str(table.die.value if table.die else None)
        return shown if shown in question.options else question.default

    def face(question: Question) -> str:
        tile = table.tiles[question.pieces[0]]
        return f"tile.{tile.name}"

    match.answers = {
        "carcassonne.order": lambda q: min(q.options, key=lambda o: int(o[1:])),
        "carcassonne.die": die,
        "carcassonne.face": face,
    }
    match.still()
    for happening in happenings(table, moves_of(recorded), Game(recorded.players, tiles=edition)):
        happening.do()
        match.still()
    table.shares = {}
    match.still()
    if match.referee.game.state.phase == "meeple":
        match.correct("phase", "no_meeple")
    if not match.referee.over:
        match.correct("phase", "end")
    return match


@pytest.mark.parametrize(
    "shares", ({"unread": 0.2}, {"gone": 0.1}, {"unnamed": 0.01}, {"hand": 0.05}), ids=lambda shares: next(iter(shares))
)
@pytest.mark.parametrize("number", (1, 6))
def test_what_a_camera_does_not_see_is_asked_at_most(number, shares):
    match = play(GAMES[number], number, **shares)
    recorded = recording(GAMES[number])
    assert match.moves == moves_of(recorded)
    assert list(match.referee.scores().values()) == recorded.final.points
    assert match.rulings("carcassonne.illegal") == []
    assert len(match.questions()) <= 0.04 * len(match.outputs)
