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
from typing import Any, Protocol

import cv2
import msgspec

from device.evidence import Stills, crop
from device.ledger import Ledger, Log, RefusedError
from device.state import Event, State, Status
from rules.history import Corrected, Entry, Redone, Undone
from rules.protocol import Answer, Input, Output, Referee, Ruling
from rules.session import Session
from vision.deck import Deck, Picture
from vision.frame import Frame
from vision.scene import Scene

JPEG_QUALITY = 85


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
        self._stills = stills or Stills(None)
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._version = 0
        self._status = Status(source=source, duration=duration)
        self._status_lock = threading.Lock()
        self._jpeg: bytes | None = None
        self._picture_wanted = True
        self._last_frame: Frame | None = None
        self._ledger = Ledger(make_referee, log, entries, take_defaults=take_defaults)
        if (last := self._ledger.last()) is not None:
            self._status = msgspec.structs.replace(self._status, t=last.t)

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
            self._stills.keep(self._ledger.next, observation.picture)
            events = self._ledger.put(observation.scene)
        self._changed(*events)

    # ---- what players do -----------------------------------------------------------------------------------------

    def answer(self, question_id: str, choice: str) -> None:
        """Answers an open question."""
        with self._lock:
            question = next((q for q in self._ledger.referee.view().questions if q.id == question_id), None)
            if question is None:
                raise RefusedError("this question is not open any more")
            if choice not in question.options:
                raise RefusedError(
                    f"{choice!r} is no answer to this question; choose one of: {', '.join(question.options)}"
                )
            events = self._ledger.put(Answer(t=self._status.t, question=question_id, choice=choice))
        self._changed(*events)

    def say(self, choice: str, value: str = "") -> None:
        """An answer nobody asked for: `choice` names what is corrected and `value` how."""
        with self._lock:
            events = self._ledger.put(Answer(t=self._status.t, question=None, choice=choice, value=value))
        self._changed(*events)

    def undo(self) -> None:
        """Drops the last thing that had consequences (an answer, a correction, an observation that was ruled upon)
        and what was seen after it."""
        with self._lock:
            first = self._ledger.undoable()
            if first is None:
                raise RefusedError("there is nothing to undo")
            events = self._ledger.rewrite(Undone(first), self._status.t)
        self._changed(*events)

    def redo(self) -> None:
        """Brings back what was last undone."""
        with self._lock:
            if not self._ledger.redoable:
                raise RefusedError("there is nothing to redo")
            events = self._ledger.rewrite(Redone(), self._status.t)
        self._changed(*events)

    def correct(self, entry: int, choice: str) -> None:
        """Another choice for an answer given earlier."""
        with self._lock:
            given = self._ledger.live(entry)
            if not isinstance(given, Answer):
                raise RefusedError(f"entry {entry} is an observation: correct a face in it, or remove it")
            _, asked = self._ledger.asked(given.question)
            if asked is not None and choice not in asked.options:
                raise RefusedError(
                    f"{choice!r} is no answer to that question; choose one of: {', '.join(asked.options)}"
                )
            answer = msgspec.structs.replace(given, choice=choice, by="players")
            events = self._ledger.rewrite(Corrected(entry, answer=answer), self._status.t)
        self._changed(*events)

    def correct_face(self, entry: int, piece_id: str, face: str) -> None:
        """Another face for a piece of an earlier observation: one of the deck's kinds, `back` or `unknown`."""
        with self._lock:
            given = self._ledger.live(entry)
            if not isinstance(given, Scene) or given.piece(piece_id) is None:
                raise RefusedError(f"entry {entry} is no observation of piece {piece_id}")
            if face not in {f.kind for f in self.deck.faces} | {"back", "unknown"}:
                raise RefusedError(f"{face!r} is no face of this deck")
            pieces = tuple(
                msgspec.structs.replace(p, face=face, print="", confidence=1.0) if p.id == piece_id else p
                for p in given.pieces
            )
            corrected = Corrected(entry, scene=msgspec.structs.replace(given, pieces=pieces))
            events = self._ledger.rewrite(corrected, self._status.t)
        self._changed(*events)

    def remove(self, entry: int) -> None:
        """Takes an earlier observation or answer out."""
        with self._lock:
            self._ledger.live(entry)
            events = self._ledger.rewrite(Corrected(entry), self._status.t)
        self._changed(*events)

    def take_open_defaults(self) -> None:
        """Nobody is there to answer any more: every open question takes its default."""
        with self._lock:
            events = self._ledger.take_defaults(self._ledger.referee.view().questions)
        self._changed(*events)

    # ---- what there is to show -----------------------------------------------------------------------------------

    @property
    def referee(self) -> Referee:
        return self._ledger.referee

    def outcomes(self) -> tuple[tuple[int, Input, tuple[Output, ...]], ...]:
        """Entry number, input and what the referee said to it, for every input that counts, in order."""
        with self._lock:
            return self._ledger.outcomes()

    def status(self) -> Status:
        return self._status

    def scene(self) -> Scene | None:
        """The last observation that counts."""
        return self._ledger.scene()

    def state(self) -> State:
        with self._lock:
            return State(
                version=self._version,
                session=self.session,
                status=self._status,
                view=self._ledger.referee.view(),
                scene=self._ledger.scene(),
                lines=self._ledger.lines(),
                can_undo=self._ledger.undoable() is not None,
                can_redo=self._ledger.redoable > 0,
            )

    def picture(self) -> bytes | None:
        """The newest camera picture, JPEG. Asking for it has the next frame renew it: nobody looks, nothing is made."""
        self._picture_wanted = True
        return self._jpeg

    def evidence(self, entry: int, index: int) -> bytes | None:
        """What ruling `index` of `Line.rulings` of that entry was made from: the still around the ruling's pieces."""
        with self._lock:
            rulings = [o for o in self._ledger.said(entry) if isinstance(o, Ruling)]
            if not 0 <= index < len(rulings):
                return None
        return self._close_up(entry, set(rulings[index].pieces))

    def asked(self, question_id: str) -> bytes | None:
        """What that question was asked about, as `evidence` shows a ruling's."""
        with self._lock:
            entry, question = self._ledger.asked(question_id)
        return None if question is None else self._close_up(entry, set(question.pieces))

    def _close_up(self, entry: int, wanted: set[str]) -> bytes | None:
        with self._lock:
            seen = self._ledger.seen(entry)
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
