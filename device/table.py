"""The appliance on one page: source -> observer -> referee -> journal -> screen.

What a screen may use (safe from any thread; everything handed out is immutable):

    table.state() -> State            all there is to show, with a `version` that counts up at every change
    table.picture() -> bytes | None   newest camera picture as JPEG (asking makes the next frame renew it); its
                                      pixels are those of `Piece.corners_px`
    table.evidence(entry, index) -> bytes | None     JPEG crop for ruling `index` of `Line.rulings` of entry `entry`
    table.asked(question_id) -> bytes | None         JPEG crop for a question
    table.deck -> vision.deck.Deck    the faces' pictures
    table.subscribe(listener) -> unsubscribe         `listener(event)` is called in the thread that made the change:
                                      return at once; read `state()` for what is true by then
    table.answer(question_id, choice)                answers an open question
    table.say(choice, value)          an answer nobody asked for, as the referee understands it
    table.undo(), table.redo()        the last thing that had consequences, and back
    table.correct(entry, choice)      another choice for an answer given earlier
    table.correct_face(entry, piece_id, face)        another face for a piece of an earlier observation
    table.remove(entry)               takes an earlier observation or answer out
All six raise `RefusedError` (one line, for people) when it cannot be done, and then nothing has changed.

What feeds it (one thread): `table.feed(frame)`, `table.finish()`, `table.camera(word)`.

Every input is in the log before the referee hears of it; state is the fold of the log (`rules.history`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Literal, Protocol

import cv2
import msgspec

from device.errors import UserError
from device.evidence import Stills, crop
from device.state import KINDS, Event, Line, State, Status
from rules.history import Answered, Corrected, Effective, Entry, Redone, Seen, Undone, effective, fold
from rules.protocol import Answer, Input, Output, Question, Referee, Ruling
from rules.session import Session
from vision.deck import Deck, Picture
from vision.frame import Frame
from vision.scene import Scene

JPEG_QUALITY = 85


class RefusedError(UserError):
    """What was asked of the table cannot be done now."""


class Observation(Protocol):
    @property
    def scene(self) -> Scene: ...
    @property
    def picture(self) -> Picture: ...


class Observer(Protocol):
    """As `vision.observer.Observer`."""

    @property
    def moving(self) -> bool: ...
    @property
    def status(self) -> str: ...
    def look(self, frame: Frame) -> Observation | None: ...
    def finish(self) -> Observation | None: ...


class Log(Protocol):
    """Where entries are kept: `append` returns the entry's number once it would survive a power cut."""

    def append(self, entry: Entry) -> int: ...


Listener = Callable[[Event], None]


class Table:
    """One game at one table. `entries` are those of an earlier sitting that is resumed."""

    def __init__(
        self,
        session: Session,
        deck: Deck,
        observer: Observer,
        make_referee: Callable[[], Referee],
        log: Log,
        *,
        stills: Stills | None = None,
        entries: tuple[Entry, ...] = (),
        source: str = "",
        duration: float | None = None,
        take_defaults: bool = False,
    ) -> None:
        self.session = session
        self.deck = deck
        self._observer = observer
        self._make_referee = make_referee
        self._log = log
        self._stills = stills or Stills(None)
        self._take_defaults = take_defaults
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._version = 0
        self._status = Status(source=source, duration=duration)
        self._status_lock = threading.Lock()
        self._jpeg: bytes | None = None
        self._picture_wanted = True
        self._last_frame: Frame | None = None
        self._entries: list[Entry] = []
        self._said: dict[int, tuple[Output, ...]] = {}
        self._referee, self._effective = make_referee(), effective(())
        self._resume(entries)

    # ---- looking -------------------------------------------------------------------------------------------------

    def feed(self, frame: Frame) -> None:
        """Looks at the next frame, and at the table when it has come to rest."""
        observation = self._observer.look(frame)
        self._note(frame)
        if observation is not None:
            self._observed(observation)

    def finish(self) -> None:
        """The footage is over: measures a last still if there is one."""
        observation = self._observer.finish()
        if observation is not None:
            self._observed(observation)
        if self._last_frame is not None:
            self._take_picture(self._last_frame)
        self.camera("ended")

    def camera(self, word: str) -> None:
        """Tells the screen how the camera does: `live`, `away`, `ended`."""
        self._set_status(camera=word)

    def warn(self, warnings: tuple[str, ...]) -> None:
        """Tells the screen what impairs the game. Safe from any thread."""
        self._set_status(warnings=warnings)

    def _note(self, frame: Frame) -> None:
        self._set_status(
            t=frame.t,
            frames=self._status.frames + 1,
            moving=self._observer.moving,
            observer=self._observer.status,
        )
        self._last_frame = frame
        if self._picture_wanted:
            self._take_picture(frame)

    def _set_status(self, **news: Any) -> None:
        with self._status_lock:  # warnings come from another thread than frames
            old = self._status
            self._status = status = msgspec.structs.replace(old, **news)
        if any(getattr(old, name) != getattr(status, name) for name in ("camera", "observer", "moving", "warnings")):
            self._changed(Event(kind="status", t=status.t))

    def _take_picture(self, frame: Frame) -> None:
        self._picture_wanted = False
        done, data = cv2.imencode(".jpg", frame.bgr(), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        if done:
            self._jpeg = data.tobytes()
            self._changed(Event(kind="picture", t=frame.t))

    def _observed(self, observation: Observation) -> None:
        with self._lock:
            self._stills.keep(len(self._entries) + 1, observation.picture)
            events = self._input(observation.scene)
        self._changed(*events)

    # ---- what players do -----------------------------------------------------------------------------------------

    def answer(self, question_id: str, choice: str) -> None:
        """Answers an open question."""
        with self._lock:
            question = next((q for q in self._referee.view().questions if q.id == question_id), None)
            if question is None:
                raise RefusedError("this question is not open any more")
            if choice not in question.options:
                raise RefusedError(
                    f"{choice!r} is no answer to this question; choose one of: {', '.join(question.options)}"
                )
            events = self._input(Answer(t=self._status.t, question=question_id, choice=choice))
        self._changed(*events)

    def say(self, choice: str, value: str = "") -> None:
        """An answer nobody asked for: `choice` names what is corrected and `value` how."""
        with self._lock:
            events = self._input(Answer(t=self._status.t, question=None, choice=choice, value=value))
        self._changed(*events)

    def undo(self) -> None:
        """Drops the last thing that had consequences (an answer, a correction, an observation that was ruled upon)
        and what was seen after it."""
        with self._lock:
            first = self._undoable()
            if first is None:
                raise RefusedError("there is nothing to undo")
            events = self._rewrite(Undone(first))
        self._changed(*events)

    def redo(self) -> None:
        """Brings back what was last undone."""
        with self._lock:
            if not self._effective.redoable:
                raise RefusedError("there is nothing to redo")
            events = self._rewrite(Redone())
        self._changed(*events)

    def correct(self, entry: int, choice: str) -> None:
        """Another choice for an answer given earlier."""
        with self._lock:
            given = self._live(entry)
            if not isinstance(given, Answer):
                raise RefusedError(f"entry {entry} is an observation: correct a face in it, or remove it")
            asked = self._question(given.question)
            if asked is not None and choice not in asked.options:
                raise RefusedError(
                    f"{choice!r} is no answer to that question; choose one of: {', '.join(asked.options)}"
                )
            answer = msgspec.structs.replace(given, choice=choice, by="players")
            events = self._rewrite(Corrected(entry, answer=answer))
        self._changed(*events)

    def correct_face(self, entry: int, piece_id: str, face: str) -> None:
        """Another face for a piece of an earlier observation: one of the deck's kinds, `back` or `unknown`."""
        with self._lock:
            given = self._live(entry)
            if not isinstance(given, Scene) or given.piece(piece_id) is None:
                raise RefusedError(f"entry {entry} is no observation of piece {piece_id}")
            if face not in {f.kind for f in self.deck.faces} | {"back", "unknown"}:
                raise RefusedError(f"{face!r} is no face of this deck")
            pieces = tuple(
                msgspec.structs.replace(p, face=face, print="", confidence=1.0) if p.id == piece_id else p
                for p in given.pieces
            )
            events = self._rewrite(Corrected(entry, scene=msgspec.structs.replace(given, pieces=pieces)))
        self._changed(*events)

    def remove(self, entry: int) -> None:
        """Takes an earlier observation or answer out."""
        with self._lock:
            self._live(entry)
            events = self._rewrite(Corrected(entry))
        self._changed(*events)

    def take_open_defaults(self) -> None:
        """Nobody is there to answer any more: every open question takes its default."""
        with self._lock:
            events = self._defaults(list(self._referee.view().questions))
        self._changed(*events)

    # ---- the fold ------------------------------------------------------------------------------------------------

    def _input(self, given: Input) -> list[Event]:
        """Stores one input, then lets the referee hear it, then answers by default if nobody else will."""
        entry: Entry = Seen(given) if isinstance(given, Scene) else Answered(given)
        number = self._log.append(entry)
        self._entries.append(entry)
        outputs = self._referee.see(given) if isinstance(given, Scene) else self._referee.answer(given)
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
        if self._take_defaults:
            events += self._defaults([o for o in outputs if isinstance(o, Question)])
        return events

    def _defaults(self, questions: list[Question]) -> list[Event]:
        events: list[Event] = []
        for question in questions:
            if any(q.id == question.id for q in self._referee.view().questions):
                answer = Answer(t=question.t, question=question.id, choice=question.default, by="default")
                events += self._input(answer)
        return events

    def _rewrite(self, entry: Entry) -> list[Event]:
        """Stores an undo, redo or correction and folds the log anew."""
        number = self._log.append(entry)
        self._entries.append(entry)
        self._fold()
        return [Event(kind="history", t=self._status.t, entry=number)]

    def _fold(self) -> None:
        self._effective = effective(self._entries)
        self._referee, said = fold(self._make_referee(), self._effective.inputs)
        self._said.update(said)  # what had been said to entries that count no more stays on record

    def _resume(self, entries: tuple[Entry, ...]) -> None:
        for entry in entries:
            if self._entries and isinstance(entry, Undone | Redone | Corrected):
                self._fold()  # so that undone entries still show what was ruled from them
            self._entries.append(entry)
        if entries:
            self._fold()
        given = [i for _, i in self._effective.inputs]
        if given:
            self._status = msgspec.structs.replace(self._status, t=given[-1].t)

    def _undoable(self) -> int | None:
        """Number of the last live entry that had consequences."""
        dropped = self._effective.dropped
        for number in range(len(self._entries), 0, -1):
            entry = self._entries[number - 1]
            if number in dropped or isinstance(entry, Undone | Redone):
                continue
            if not isinstance(entry, Seen) or self._said.get(number):
                return number
        return None

    def _live(self, entry: int) -> Input:
        for number, given in self._effective.inputs:
            if number == entry:
                return given
        raise RefusedError(f"entry {entry} is no observation or answer that counts")

    def _question(self, question_id: str | None) -> Question | None:
        said = (o for outputs in self._said.values() for o in outputs if isinstance(o, Question))
        return next((q for q in said if q.id == question_id), None)

    # ---- what there is to show -----------------------------------------------------------------------------------

    @property
    def referee(self) -> Referee:
        return self._referee

    def outcomes(self) -> tuple[tuple[int, Input, tuple[Output, ...]], ...]:
        """Entry number, input and what the referee said to it, for every input that counts, in order."""
        with self._lock:
            return tuple((n, given, self._said[n]) for n, given in self._effective.inputs)

    def status(self) -> Status:
        return self._status

    def scene(self) -> Scene | None:
        """The last observation that counts."""
        inputs = self._effective.inputs
        return next((given for _, given in reversed(inputs) if isinstance(given, Scene)), None)

    def state(self) -> State:
        with self._lock:
            scenes = [given for _, given in self._effective.inputs if isinstance(given, Scene)]
            return State(
                version=self._version,
                session=self.session,
                status=self._status,
                view=self._referee.view(),
                scene=scenes[-1] if scenes else None,
                lines=self._lines(),
                can_undo=self._undoable() is not None,
                can_redo=self._effective.redoable > 0,
            )

    def _lines(self) -> tuple[Line, ...]:
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

    def picture(self) -> bytes | None:
        """The newest camera picture, JPEG. Asking for it has the next frame renew it: nobody looks, nothing is made."""
        self._picture_wanted = True
        return self._jpeg

    def evidence(self, entry: int, index: int) -> bytes | None:
        """What ruling `index` of `Line.rulings` of that entry was made from: the still around the ruling's pieces."""
        with self._lock:
            rulings = [o for o in self._said.get(entry, ()) if isinstance(o, Ruling)]
            if not 0 <= index < len(rulings):
                return None
        return self._close_up(entry, set(rulings[index].pieces))

    def asked(self, question_id: str) -> bytes | None:
        """What that question was asked about, as `evidence` shows a ruling's."""
        with self._lock:
            said = ((n, o) for n, outputs in self._said.items() for o in outputs if isinstance(o, Question))
            entry, question = next(((n, o) for n, o in said if o.id == question_id), (0, None))
        return None if question is None else self._close_up(entry, set(question.pieces))

    def _close_up(self, entry: int, wanted: set[str]) -> bytes | None:
        with self._lock:
            seen = [(number, e.scene) for number, e in enumerate(self._entries[:entry], 1) if isinstance(e, Seen)]
        # The newest still that shows any of the pieces: one that has gone was ruled upon from where it last lay. What
        # was seen again unchanged has no still of its own: the one before it is the same.
        shown = [s for s in seen if any(p.id in wanted for p in s[1].pieces)] or seen
        for number, scene in reversed(shown):
            still = self._stills.find(number)
            if still is not None:
                return crop(still, [p.corners_px for p in scene.pieces if p.id in wanted])
        return None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` at every change until the returned function is called."""
        self._listeners = [*self._listeners, listener]

        def unsubscribe() -> None:
            self._listeners = [one for one in self._listeners if one is not listener]

        return unsubscribe

    def _changed(self, *events: Event) -> None:
        with self._lock:
            self._version += len(events)
        for event in events:
            for listener in self._listeners:
                listener(event)
