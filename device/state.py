"""What the table tells a screen: events while it plays, and the state of everything at one moment. Plain data."""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.history import Answered, Corrected, Entry, Redone, Seen, Undone
from rules.protocol import Answer, Output, Question, Ruling, View
from rules.session import Session
from vision.scene import Scene

Kind = Literal["scene", "answer", "undo", "redo", "correct"]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something changed."""

    kind: Literal["scene", "ruling", "question", "answer", "history", "status", "picture"]
    """`history`: undo, redo or a correction, after which any ruling may be another. `picture`: a new camera picture."""
    t: float
    entry: int = 0
    output: Output | None = None
    answer: Answer | None = None


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How the looking goes."""

    source: str
    """Name of the camera or of the footage."""
    camera: str = "live"
    """`live`, `away` (the camera does not deliver), `none` (there is to be none), `ended` (the footage is over)."""
    observer: str = ""
    """The observer's word: `moving`, `hand`, `still`, `learning_camera`."""
    moving: bool = False
    t: float = 0.0
    """Seconds from the start of the footage."""
    frames: int = 0
    duration: float | None = None
    """Of footage; None when live."""
    warnings: tuple[str, ...] = ()
    """What impairs the game and who plays can put right: names as in `device.vitals.WARNINGS`."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the log, as a list of what happened shows it."""

    entry: int
    t: float
    kind: Kind
    live: bool
    """False: undone or taken out; shown struck through, with what had been ruled from it."""
    answer: Answer | None = None
    """What was answered (as corrected, if it was)."""
    corrects: int = 0
    """Kind `correct`: the entry it corrects."""
    rulings: tuple[Ruling, ...] = ()
    questions: tuple[Question, ...] = ()
    """What the referee said to it."""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Everything there is to show at one moment."""

    version: int
    session: Session
    status: Status
    view: View
    scene: Scene | None
    """The last observation that counts."""
    lines: tuple[Line, ...]
    can_undo: bool
    can_redo: bool


KINDS: dict[type[Entry], Kind] = {
    Seen: "scene",
    Answered: "answer",
    Undone: "undo",
    Redone: "redo",
    Corrected: "correct",
}
