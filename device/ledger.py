"""One game's log and what it amounts to: entries in, the referee's word out, undone and corrected at will.

Every entry is stored before the referee hears of it; state is the fold of the log (`rules.history`). Not safe from
several threads: `device.table.Table` holds the lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from device.errors import UserError
from device.state import KINDS, Event, Line
from rules.history import Answered, Corrected, Effective, Entry, Redone, Seen, Undone, effective, fold
from rules.protocol import Answer, Input, Output, Question, Referee, Ruling
from vision.scene import Scene


class RefusedError(UserError):
    """What was asked of the table cannot be done now."""


class Log(Protocol):
    """Where entries are kept: `append` returns the entry's number once it would survive a power cut."""

    def append(self, entry: Entry) -> int: ...


class Ledger:
    """One game's entries. `entries` are those of an earlier sitting that is resumed."""

    def __init__(
        self, make_referee: Callable[[], Referee], log: Log, entries: tuple[Entry, ...], *, take_defaults: bool = False
    ) -> None:
        """take_defaults: nobody is there to answer, every question takes its default at once."""
        self._make_referee = make_referee
        self._log = log
        self._answers_itself = take_defaults
        self._entries: list[Entry] = []
        self._said: dict[int, tuple[Output, ...]] = {}
        self.referee, self._effective = make_referee(), effective(())
        self._resume(entries)

    def put(self, given: Input) -> list[Event]:
        """Stores one input, then lets the referee hear it, then answers by default if nobody else will."""
        entry: Entry = Seen(given) if isinstance(given, Scene) else Answered(given)
        number = self._log.append(entry)
        self._entries.append(entry)
        outputs = self.referee.see(given) if isinstance(given, Scene) else self.referee.answer(given)
        self._said[number] = outputs
        redoable = self._effective.redoable if isinstance(given, Scene) else 0
        self._effective = Effective((*self._effective.inputs, (number, given)), self._effective.dropped, redoable)
        if isinstance(given, Scene):
            events = [Event(kind="scene", t=given.t, entry=number)]
        else:
            events = [Event(kind="answer", t=given.t, entry=number, answer=given)]
        for output in outputs:
            kind: Literal["ruling", "question"] = "ruling" if isinstance(output, Ruling) else "question"
            events.append(Event(kind=kind, t=output.t, entry=number, output=output))
        if self._answers_itself:
            events += self.take_defaults([o for o in outputs if isinstance(o, Question)])
        return events

    def take_defaults(self, questions: Iterable[Question]) -> list[Event]:
        events: list[Event] = []
        for question in questions:
            if any(q.id == question.id for q in self.referee.view().questions):
                answer = Answer(t=question.t, question=question.id, choice=question.default, by="default")
                events += self.put(answer)
        return events

    def rewrite(self, entry: Entry, t: float) -> list[Event]:
        """Stores an undo, redo or correction made at `t` and folds the log anew."""
        number = self._log.append(entry)
        self._entries.append(entry)
        self._fold()
        return [Event(kind="history", t=t, entry=number)]

    def _fold(self) -> None:
        self._effective = effective(self._entries)
        self.referee, said = fold(self._make_referee(), self._effective.inputs)
        self._said.update(said)  # what had been said to entries that count no more stays on record

    def _resume(self, entries: tuple[Entry, ...]) -> None:
        for entry in entries:
            if self._entries and isinstance(entry, Undone | Redone | Corrected):
                self._fold()  # so that undone entries still show what was ruled from them
            self._entries.append(entry)
        if entries:
            self._fold()

    def undoable(self) -> int | None:
        """Number of the last live entry that had consequences."""
        dropped = self._effective.dropped
        for number in range(len(self._entries), 0, -1):
            entry = self._entries[number - 1]
            if number in dropped or isinstance(entry, Undone | Redone):
                continue
            if not isinstance(entry, Seen) or self._said.get(number):
                return number
        return None

    def live(self, entry: int) -> Input:
        for number, given in self._effective.inputs:
            if number == entry:
                return given
        raise RefusedError(f"entry {entry} is no observation or answer that counts")

    # ---- what there is to tell -----------------------------------------------------------------------------------

    @property
    def next(self) -> int:
        """The number that the next entry will have."""
        return len(self._entries) + 1

    @property
    def redoable(self) -> int:
        """How many undone entries can be brought back."""
        return self._effective.redoable

    def last(self) -> Input | None:
        """The newest input that counts."""
        return self._effective.inputs[-1][1] if self._effective.inputs else None

    def scene(self) -> Scene | None:
        """The newest observation that counts."""
        inputs = self._effective.inputs
        return next((given for _, given in reversed(inputs) if isinstance(given, Scene)), None)

    def outcomes(self) -> tuple[tuple[int, Input, tuple[Output, ...]], ...]:
        """Entry number, input and what the referee said to it, for every input that counts, in order."""
        return tuple((n, given, self._said[n]) for n, given in self._effective.inputs)

    def said(self, entry: int) -> tuple[Output, ...]:
        """What the referee said to an entry, whether it counts still or not."""
        return self._said.get(entry, ())

    def asked(self, question_id: str | None) -> tuple[int, Question | None]:
        """The entry at which a question was asked, and the question; (0, None) when it never was."""
        said = ((n, o) for n, outputs in self._said.items() for o in outputs if isinstance(o, Question))
        return next(((n, o) for n, o in said if o.id == question_id), (0, None))

    def seen(self, up_to: int) -> list[tuple[int, Scene]]:
        """Number and scene of every observation up to an entry, as it was seen."""
        return [(number, e.scene) for number, e in enumerate(self._entries[:up_to], 1) if isinstance(e, Seen)]

    def lines(self) -> tuple[Line, ...]:
        """The whole log for people, entry by entry."""
        counts = dict(self._effective.inputs)
        lines: list[Line] = []
        t = 0.0
        for number, entry in enumerate(self._entries, 1):
            given = counts.get(number)
            answer: Answer | None = None
            match entry:
                case Seen(scene=scene):
                    t = scene.t
                case Answered(answer=said):
                    t = said.t
                    answer = given if isinstance(given, Answer) else said
                case Corrected(answer=answer):
                    pass
            outputs = self._said.get(number, ())
            lines.append(
                Line(
                    entry=number,
                    t=t,
                    kind=KINDS[type(entry)],
                    live=number not in self._effective.dropped,
                    answer=answer,
                    corrects=entry.entry if isinstance(entry, Corrected) else 0,
                    rulings=tuple(o for o in outputs if isinstance(o, Ruling)),
                    questions=tuple(o for o in outputs if isinstance(o, Question)),
                )
            )
        return tuple(lines)
