"""Stand-ins for the seeing and the ruling, so that what `device` does with them can be seen on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rules.history import Entry
from rules.protocol import Answer, Message, Output, PlayerView, Question, Ruling, View
from rules.session import Player, Session
from vision.camera import Lens
from vision.deck import Deck, Face, Picture
from vision.frame import ArrayFrame, Frame
from vision.scene import CameraState, Piece, Scene

SESSION = Session(
    game="carpets",
    deck="carpets",
    player=(
        Player(number=1, name="Ana", side="S", carpet="red"),
        Player(number=2, name="Ben", side="W", carpet="blue"),
        Player(number=3, name="Cleo", side="E", carpet="green"),
    ),
)


def deck() -> Deck:
    picture = np.zeros((91, 59, 3), np.uint8)
    kinds = ("palace", "lamp", "desert", "back")
    return Deck(name="fake", faces=tuple(Face(k, k, picture, 59.0, 91.0) for k in kinds))


def piece(number: int, face: str = "palace", confidence: float = 1.0) -> Piece:
    x, y = 20.0 + 70.0 * number, 30.0
    corners = ((x, y), (x + 59, y), (x + 59, y + 91), (x, y + 91))
    return Piece(
        id=f"p{number}",
        face=face,
        confidence=confidence,
        visible=1.0,
        corners_px=corners,
        outline_mm=corners,
        sigma_mm=0.2,
    )


def scene(t: float, *pieces: Piece) -> Scene:
    return Scene(t=t, camera=CameraState(solved=True, rms_px=0.2), size_px=(640, 360), pieces=pieces)


def frame(t: float) -> ArrayFrame:
    return ArrayFrame(t, np.full((360, 640, 3), 90, np.uint8))


class FakeReferee:
    """A new palace is a point; a piece it is not sure of is asked about, and `yes` is worth 10."""

    def __init__(self) -> None:
        self.points = 0
        self.known: set[str] = set()
        self.open: dict[str, Question] = {}

    def see(self, scene: Scene) -> tuple[Output, ...]:
        out: list[Output] = []
        for p in scene.pieces:
            if p.id in self.known:
                continue
            self.known.add(p.id)
            if p.face == "palace":
                self.points += 1
                out.append(
                    Ruling(t=scene.t, rule="fake.palace", pieces=(p.id,), player="Ana", message=Message("palace"))
                )
            if p.confidence < 0.5:
                question = Question(
                    id=f"q-{p.id}",
                    t=scene.t,
                    rule="fake.lamp",
                    pieces=(p.id,),
                    options=("yes", "no"),
                    default="no",
                    message=Message("lamp"),
                )
                self.open[question.id] = question
                out.append(question)
        return tuple(out)

    def answer(self, answer: Answer) -> tuple[Output, ...]:
        if answer.question is None:
            self.points += int(answer.value)
            return ()
        question = self.open.pop(answer.question, None)
        if question is None:
            return ()
        if answer.choice == "yes":
            self.points += 10
        return (
            Ruling(
                t=answer.t, rule="fake.answered", pieces=question.pieces, reason=answer.choice, message=Message("a")
            ),
        )

    def view(self) -> View:
        ana = PlayerView(name="Ana", colour="red", side="S", score=self.points)
        return View(game="carpets", phase=Message("phase"), players=(ana,), questions=tuple(self.open.values()))

    def scores(self) -> dict[str, int]:
        return {"Ana": self.points}

    def role(self, face: str) -> str:
        return "unknown" if face == "unknown" else "destination"


@dataclass
class Observation:
    scene: Scene
    picture: Picture


class FakeObserver:
    """Hands out each scripted scene at the first frame that is not before it."""

    def __init__(self, *scenes: Scene) -> None:
        self._coming = list(scenes)
        self.moving = False
        self.status = "moving"
        self.lens: Lens | None = None

    def look(self, frame: Frame) -> Observation | None:
        due = bool(self._coming) and self._coming[0].t <= frame.t + 1e-9
        self.moving, self.status = not due, "still" if due else "moving"
        return Observation(self._coming.pop(0), frame.bgr()) if due else None

    def finish(self) -> Observation | None:
        left, self._coming = self._coming, []
        return Observation(left[0], np.zeros((360, 640, 3), np.uint8)) if left else None


class MemoryLog:
    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, entry: Entry) -> int:
        self.entries.append(entry)
        return len(self.entries)


GAME: Sequence[Scene] = (
    scene(1.0, piece(1)),
    scene(2.0, piece(1), piece(2, "lamp", confidence=0.3)),
    scene(3.0, piece(1), piece(2, "lamp", confidence=0.3), piece(3, "desert")),
    scene(4.0, piece(1), piece(3, "desert"), piece(4)),
)
"""A palace, a doubtful lamp, a desert that nothing follows from, another palace."""
