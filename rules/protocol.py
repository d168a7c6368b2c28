"""What every game's referee says and hears: rulings, questions, answers, and the view a screen draws.

A referee is a fold over inputs (scenes and answers): the same inputs give the same outputs, always. Text is carried as
a `Message` (key and parameters) and put into words by `rules.text.say(message, language)`, so that a screen may show
any of the three languages whatever the session was played in.
"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from vision.scene import Scene

Param = str | int | float


class Message(msgspec.Struct, frozen=True):
    """Words to be: a key of the text catalogues and its parameters."""

    key: str
    params: dict[str, Param] = {}


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """A decision: which rule, about which pieces, from which measure."""

    t: float
    rule: str
    """Stable dotted id, e.g. `carpets.layout.gap`."""
    pieces: tuple[str, ...] = ()
    player: str | None = None
    """The player's name."""
    measured: float | None = None
    sigma: float | None = None
    limit: float | None = None
    unit: str = ""
    reason: str = ""
    """A stable word where a rule has several reasons, e.g. `missed`, `only_under`, `off_table`."""
    inferred: bool = False
    """True when it was not seen itself but follows from what happened next."""
    message: Message
    data: dict[str, Any] = {}
    """Further fields that the report carries for this rule (board games: cell, rotation, tile ...)."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that Kibitz will not take alone."""

    id: str
    """Stable: the same inputs ask the same question under the same id."""
    t: float
    rule: str
    pieces: tuple[str, ...] = ()
    player: str | None = None
    """Whom it is put to; None: the whole table."""
    options: tuple[str, ...]
    """Stable words; their texts are `option.<word>` in the catalogue (or the word itself, for names and faces)."""
    default: str
    """What is taken when nobody is there to answer (replay): the likelier side."""
    measured: float | None = None
    sigma: float | None = None
    limit: float | None = None
    unit: str = ""
    message: Message


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the players chose; with `question=None` a correction nobody asked for.

    In a correction `choice` names what is corrected and `value` how.
    """

    t: float
    question: str | None
    choice: str
    value: str = ""
    by: str = "players"
    """`players`, or `default` when replay took the stated default."""


Input = Scene | Answer
Output = Ruling | Question


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Pieces to point at on the screen at this moment."""

    kind: str
    """`violation`, `contested`, `claimed`, `take_back`, `doubt`, `target`."""
    pieces: tuple[str, ...]
    message: Message
    measured: float | None = None
    limit: float | None = None


class ScoreLine(msgspec.Struct, frozen=True, kw_only=True):
    """Which pieces made which points, by which rule."""

    points: int
    rule: str
    faces: tuple[str, ...] = ()
    message: Message


class PlayerView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    colour: str
    side: str
    score: int
    active: bool = False
    won: tuple[str, ...] = ()
    """Faces won and still held, in the order they were won."""
    lines: tuple[ScoreLine, ...] = ()
    """How `score` comes about."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What the players may say now of their own accord: `Answer(question=None, choice=choice, value=value)`."""

    choice: str
    value: str
    message: Message
    """In their words, e.g. that the layout is ready."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a screen needs to know of the game, without knowing the game."""

    game: str
    phase: Message
    players: tuple[PlayerView, ...]
    round: int = 0
    rounds: int = 0
    flight: int = 0
    """Throwing turn within the round, from 1; 0 where there is none."""
    marks: tuple[Mark, ...] = ()
    questions: tuple[Question, ...] = ()
    """Open ones, oldest first."""
    offers: tuple[Offer, ...] = ()
    over: bool = False
    winners: tuple[str, ...] = ()
    board: dict[str, Any] = {}
    """The board games: the board in plain data (numbers, words, lists and dicts of them), as the game's reference says;
    what it holds of pieces names them by their ids in the last scene."""


class Referee(Protocol):
    """Turns what is seen and answered into rulings and questions."""

    def see(self, scene: Scene) -> tuple[Output, ...]: ...

    def answer(self, answer: Answer) -> tuple[Output, ...]: ...

    def view(self) -> View: ...

    def scores(self) -> dict[str, int]: ...

    def role(self, face: str) -> str:
        """What the game calls a face's sort in the report: `destination`, `carpet`, `djinn`, `back`, `unknown`."""
        ...


class BoardReferee(Referee, Protocol):
    """A referee whose game knows more of a piece than the camera: its cell, its feature, its tile of the track."""

    def notes(self, scene: Scene) -> dict[str, dict[str, Any]]:
        """By piece id, the report's further fields of that piece in a scene that was seen (`cell`, `on`, `tile_index`);
        an entry of None leaves the field out."""
        ...
