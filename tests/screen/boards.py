"""Board games at a moment worth looking at: recorded and random games played on made tables, held by a real `Table`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from device.deck_folder import DECKS, load_deck
from device.table import Table
from rules.carcassonne import Game
from rules.fairplay.referee import FairPlayReferee
from rules.games import make_referee
from rules.history import Answered, Entry, Seen
from rules.protocol import Answer, Input, Question, View
from rules.session import Session
from tests.device.fakes import FakeObserver, MemoryLog
from tests.rules.carcassonne.board_tables import (
    GAMES,
    BoardMatch,
    BoardTable,
    happenings,
    moves_of,
    recording,
    session,
)
from tests.rules.fairplay.tabletop import Tabletop
from vision.deck import Deck
from vision.scene import Scene

Wanted = Callable[[View], bool]


@cache
def deck(game: str) -> Deck:
    return load_deck(DECKS / game)


def table_of(told: Session, inputs: Sequence[Input]) -> Table:
    """A table at which all this has been seen and answered."""
    entries: list[Entry] = [Seen(i) if isinstance(i, Scene) else Answered(i) for i in inputs]
    log = MemoryLog()
    log.entries = list(entries)
    return Table(
        told,
        deck(told.game),
        FakeObserver(),
        lambda: make_referee(told),
        log,
        entries=tuple(entries),
        source="made",
    )


def carcassonne(wanted: Wanted, after: Callable[[BoardTable], object] | None = None) -> Table:
    """The first moment that fits in a recorded game of two with the first edition; `after`: what is done then."""
    return table_of(*_carcassonne(wanted, after))


@cache
def _carcassonne(wanted: Wanted, after: Callable[[BoardTable], object] | None) -> tuple[Session, list[Input]]:
    path = next(p for p in GAMES if (r := recording(p)).edition == 1 and r.players == 2)
    told = session(2, "C1")
    match = BoardMatch(BoardTable(seed=1, spread=0.5), make_referee(told))  # type: ignore[arg-type]
    match.still()
    for happening in happenings(match.table, moves_of(recording(path)), Game(2, tiles="C1")):
        happening.do()
        match.still()
        if wanted(match.referee.view()):
            break
    else:
        raise AssertionError("there is no such moment in that game")
    if after is not None:
        after(match.table)
        match.still()
    return told, match.inputs


def asks(lay: Callable[[BoardTable], object]) -> Table:
    """A table of Carcassonne at the question that follows from what is laid after the start tile was seen."""
    told = session(2, "C1")
    match = BoardMatch(BoardTable(seed=1), make_referee(told))  # type: ignore[arg-type]
    match.answers = {"carcassonne.order": "-", "carcassonne.face": "-"}
    match.still()
    lay(match.table)
    for _ in range(3):
        match.still()
    return table_of(told, match.inputs)


def fairplay(wanted: Wanted, seed: int = 3, *, sides: bool = True) -> Table:
    """The first moment that fits in a random race; `sides`: everybody has a side of his own."""
    return table_of(*_fairplay(wanted, seed, sides))


@cache
def _fairplay(wanted: Wanted, seed: int, sides: bool) -> tuple[Session, list[Input]]:
    top = Tabletop(seed, sides=sides)
    referee = FairPlayReferee(top.session)
    inputs: list[Input] = []
    for _, scene in top.play():
        inputs.append(scene)
        for said in referee.see(scene):
            if isinstance(said, Question):
                answer = Answer(t=said.t, question=said.id, choice=said.default, by="default")
                inputs.append(answer)
                referee.answer(answer)
        if wanted(referee.view()):
            return top.session, inputs
    raise AssertionError("there is no such moment in that race")
