"""Plays a scripted game into a journal and tells each acknowledged entry on stdout, until it is killed.

python -m tests.device.write_entries JOURNAL GAME
"""

from __future__ import annotations

import sys
from pathlib import Path

from device.journal import Journal
from device.table import Table
from rules.history import Entry
from rules.protocol import Question
from tests.device.fakes import SESSION, FakeObserver, FakeReferee, deck, frame, piece, scene
from vision.scene import Scene

SCENES: tuple[Scene, ...] = tuple(
    scene(float(t), *(piece(n, "palace" if n % 2 else "lamp", 0.3 if n % 3 == 0 else 1.0) for n in range(t)))
    for t in range(1, 6)
)


class Telling:
    """Writes through to the journal, then says so."""

    def __init__(self, log: Journal, game: int) -> None:
        self._log = log.resume(game)

    def append(self, entry: Entry) -> int:
        number = self._log.append(entry)
        print(number, flush=True)
        return number


def play(table: Table) -> None:
    """Scenes, answers, undo, redo, corrections: every kind of entry."""
    for t in range(1, 6):
        table.feed(frame(float(t)))
        for question in open_questions(table):
            table.answer(question.id, "yes")
            table.undo()
            table.redo()
    table.correct_face(1, "p0", "desert")
    table.undo()
    table.remove(2)
    table.say("points", "3")


def open_questions(table: Table) -> tuple[Question, ...]:
    return table.state().view.questions


if __name__ == "__main__":
    journal = Journal(Path(sys.argv[1]))
    play(Table(SESSION, deck(), FakeObserver(*SCENES), FakeReferee, Telling(journal, int(sys.argv[2]))))
    sys.stdin.read()  # stays until it is killed
