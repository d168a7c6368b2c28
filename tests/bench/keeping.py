"""What it costs to store an input so that it survives a power cut, and to fold a whole game anew after a correction;
and the memory that each game takes at its peak while it is played live."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec

from device.journal import Journal
from rules.games import make_referee
from rules.history import Answered, Entry, Seen, effective, fold
from rules.protocol import Answer, Input, Output, Referee
from rules.session import Session
from tests.bench.clips import MEMORY_GOAL_MB, live
from tests.bench.machine import Took, in_ms, timed
from tests.rules.carpets.test_games_at_the_table import Books
from vision.scene import Scene

FOLD_GOAL_MS = 50.0
FOLDS = 9
BOARD_GAMES = ("carcassonne", "fairplay")
LOOKS = 3
"""A table that stays as it is, is looked at again: on the shipped recording every still gives about three scenes."""


class Ear:
    """A referee that writes down what it hears."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self.heard: list[Input] = []

    def see(self, scene: Scene) -> tuple[Output, ...]:
        out = self._referee.see(scene)
        self.heard.append(scene)
        for k in range(1, LOOKS):
            later = msgspec.structs.replace(scene, t=scene.t + 0.5 * k)
            out += self._referee.see(later)
            self.heard.append(later)
        return out

    def answer(self, answer: Answer) -> tuple[Output, ...]:
        self.heard.append(answer)
        return self._referee.answer(answer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._referee, name)


def whole_game(players: int = 4, seed: int = 1) -> tuple[Session, list[Input]]:
    """All inputs of a random game to its end."""
    books = Books(players, seed)
    ear = Ear(books.match.referee)
    books.match.referee = ear
    books.play()
    if not ear.view().over:
        raise RuntimeError("the game was not played to its end")
    return books.session, ear.heard


def bench_keeping() -> dict[str, Any]:
    session, inputs = whole_game()
    entries: list[Entry] = [Seen(i) if isinstance(i, Scene) else Answered(i) for i in inputs]
    folds = [timed(lambda: fold(make_referee(session), effective(entries).inputs))[1] for _ in range(FOLDS)]
    appends: list[Took] = []
    with tempfile.TemporaryDirectory() as place, Journal(Path(place) / "journal.sqlite") as journal:
        log = journal.begin(session, source="bench", deck="carpets")
        for entry in entries:
            appends.append(timed(lambda entry=entry: log.append(entry))[1])
    return {
        "fold": {"of": f"a whole game of {len(session.player)}: {len(inputs)} inputs", **in_ms(folds, FOLD_GOAL_MS)},
        "journal_append": {"of": "one input, synchronous, in the folder for temporary files", **in_ms(appends)},
    }


def bench_peaks() -> dict[str, Any]:
    """Of `kibitz play`, recorded as it is by default, the screen served, nobody looking at it. Takes five minutes."""
    peaks = {game: live(game)["peak_memory_mb"] for game in BOARD_GAMES}
    return {"of": "kibitz play on the shipped games, recorded", "goal_mb": MEMORY_GOAL_MB, **peaks}
