"""A game whose every word is written down beforehand, on the real table: scenes drawn with the deck's own pictures,
and a referee that says at each of them what the script says. The screen cannot tell it from a game that is ruled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from math import cos, radians, sin
from typing import Any

import cv2
import numpy as np

from device.deck_folder import DECKS, load_deck
from device.table import Table
from rules.history import Entry
from rules.protocol import Answer, Mark, Message, Offer, Output, PlayerView, Question, Ruling, ScoreLine, View
from rules.session import Player, Session
from vision.deck import Deck, Picture
from vision.frame import ArrayFrame, Frame
from vision.scene import CameraState, Gap, Overlap, Piece, Point, Quad, Scene

SIZE = (1280, 720)
PX_PER_MM = 1.55
CARD = (59.0, 91.0)
LIMIT = 10.0

SESSION = Session(
    game="carpets",
    deck="carpets",
    player=(
        Player(number=1, name="Anna", carpet="red", side="S"),
        Player(number=2, name="Ben", carpet="blue", side="W"),
        Player(number=3, name="Clara", carpet="green", side="E"),
    ),
)

FACES = {"palace": ("palace", "palais", "Palast"), "carpet.red": ("red carpet", "tapis rouge", "roter Teppich")}


def said(en: str, fr: str, de: str, **params: str | int | float) -> Message:
    return Message("scripted", {"en": en, "fr": fr, "de": de, **params})


class Words:
    """Stands for `rules.text`: a message carries its own words here."""

    @staticmethod
    def say(message: Message, language: str) -> str:
        return str(message.params[language])

    @staticmethod
    def option_text(option: str, language: str) -> str:
        return {"legal": {"en": "legal", "fr": "permis", "de": "erlaubt"}}.get(option, {}).get(language, option)

    @staticmethod
    def face_name(face: str, language: str) -> str:
        names = FACES.get(face)
        return names[("en", "fr", "de").index(language)] if names else face


def piece(name: str, face: str, x: float, y: float, turn: float = 0.0, print_id: str = "") -> Piece:
    """A card of the usual size with its middle at x, y (mm), turned clockwise by degrees."""
    c, s = cos(radians(turn)), sin(radians(turn))
    w, h = CARD[0] / 2, CARD[1] / 2
    corners = [(-w, -h), (w, -h), (w, h), (-w, h)]
    outline = tuple((round(x + c * u - s * v, 3), round(y + s * u + c * v, 3)) for u, v in corners)
    return Piece(
        id=name,
        face=face,
        print=print_id,
        confidence=0.99,
        visible=1.0,
        corners_px=tuple(to_px(p) for p in outline),  # type: ignore[arg-type]
        outline_mm=outline,  # type: ignore[arg-type]
        sigma_mm=0.2,
    )


def to_px(p: Point) -> Point:
    return p[0] * PX_PER_MM + SIZE[0] / 2, p[1] * PX_PER_MM + SIZE[1] / 2


def scene(t: float, pieces: tuple[Piece, ...], solved: bool = True, **more: Any) -> Scene:
    width, height = (size / PX_PER_MM / 2 for size in SIZE)
    view: Quad = ((-width, -height), (width, -height), (width, height), (-width, height))
    camera = CameraState(solved=solved, rms_px=0.2, mm_per_px=1 / PX_PER_MM)
    return Scene(t=t, camera=camera, size_px=SIZE, view_mm=view if solved else None, pieces=pieces, **more)


@dataclass(frozen=True)
class Step:
    """One still: what lies there, what the referee says to it, and how the game stands from then on."""

    scene: Scene
    says: tuple[Output, ...] = ()
    view: dict[str, Any] = field(default_factory=dict)


LAYOUT = (
    piece("p1", "bazaar.spice", -2, 4, 268),
    piece("p2", "palace", -92, -42, 1, "palace_b"),
    piece("p3", "bazaar.spice", -198, -84, 118),
    piece("p4", "palace", -122, 102, 2, "palace_a"),
    piece("p5", "adventure.2", -38, 103, 0),
    piece("p6", "bazaar.carpet", -186, 8, 76),
    piece("p7", "bazaar.spice", 42, -86, 56),
    piece("p8", "adventure.4", 162, -82, 6),
    piece("p9", "adventure.2", 148, 26, 98),
    piece("p10", "adventure.1", 236, 9, 2),
    piece("p11", "adventure.4", 73, 112, 266),
    piece("p12", "desert", 188, 124, 90),
)
TOO_NEAR = piece("p5", "adventure.2", -53.6, 103, 0)
CARPETS = (
    piece("c1", "carpet.red", -97, -139, 98),
    piece("c2", "carpet.blue", -214, 66, 258),
    piece("c3", "carpet.green", 196, 42, 94),
)
DJINNS = (piece("d1", "djinn.5", -350, 40, 90), piece("d2", "djinn.7", 350, 40, -90))

GAP = Ruling(
    t=5.0,
    rule="carpets.layout.gap",
    pieces=("p4", "p5"),
    measured=6.1,
    sigma=0.3,
    limit=LIMIT,
    unit="mm",
    message=said(
        "Palace and Sindbad lie 6.1 mm apart; at least 10 mm are needed.",
        "Le palais et Sindbad sont à 6,1 mm ; il en faut au moins 10.",
        "Palast und Sindbad liegen 6,1 mm auseinander; nötig sind mindestens 10 mm.",
    ),
)
CLEARED = Ruling(
    t=7.0,
    rule="carpets.layout.cleared",
    pieces=("p4", "p5"),
    measured=24.9,
    sigma=0.3,
    limit=LIMIT,
    unit="mm",
    message=said("Palace and Sindbad lie rightly now.", "Palais et Sindbad sont en règle.", "Jetzt liegt es richtig."),
)
DOUBT = Question(
    id="gap-p9-p10",
    t=9.0,
    rule="carpets.layout.gap",
    pieces=("p9", "p10"),
    options=("legal", "illegal"),
    default="legal",
    measured=10.3,
    sigma=0.4,
    limit=LIMIT,
    unit="mm",
    message=said(
        "Are Sindbad and the Roc far enough apart?",
        "Sindbad et le Roc sont-ils assez éloignés ?",
        "Liegen Sindbad und der Vogel Roch weit genug auseinander?",
    ),
)
DECIDED = {
    "legal": said("The layout stands.", "La disposition est valable.", "Die Auslage gilt."),
    "illegal": said("The layout must change.", "La disposition doit changer.", "Die Auslage muss geändert werden."),
}
CLAIM = Ruling(
    t=12.0,
    rule="carpets.claim",
    pieces=("p6", "c2"),
    player="Ben",
    message=said(
        "Ben claims the carpet bazaar: his carpet alone lies on it.",
        "Ben prend le bazar aux tapis : seul son tapis est dessus.",
        "Ben bekommt den Teppichbasar: Nur sein Teppich liegt darauf.",
    ),
)
MISSED = Ruling(
    t=12.0,
    rule="carpets.no_claim",
    pieces=("c1",),
    player="Anna",
    reason="missed",
    message=said(
        "Anna’s carpet lies on no card.",
        "Le tapis d’Anna n’est sur aucune carte.",
        "Annas Teppich liegt auf keiner Karte.",
    ),
)
DUEL = Ruling(
    t=14.0,
    rule="carpets.duel",
    pieces=("p9", "d1", "d2"),
    player="Clara",
    inferred=True,
    message=said(
        "Clara’s djinn 7 beats Ben’s 5.", "Le djinn 7 de Clara bat le 5 de Ben.", "Claras Dschinn 7 schlägt 5."
    ),
)

PHASES = {
    "start": said("Anna lays out: 5 of 12 cards.", "Anna pose : 5 cartes sur 12.", "Anna legt aus: 5 von 12 Karten."),
    "throw": said("Ben throws.", "Ben lance.", "Ben wirft."),
    "duel": said("A duel of djinns", "Duel de djinns", "Ein Duell der Dschinns"),
    "over": said("The game is over", "La partie est finie", "Das Spiel ist aus"),
}
VIOLATION = Mark(kind="violation", pieces=("p4", "p5"), message=GAP.message, measured=6.1, limit=LIMIT)
CLAIMED = Mark(kind="claimed", pieces=("p6",), message=said("Ben", "Ben", "Ben", player="Ben"))
CONTESTED = Mark(kind="contested", pieces=("p9",), message=said("duel", "duel", "Duell", players="Ben, Clara"))
LINES = {
    "Anna": (
        ScoreLine(
            points=5,
            rule="palaces",
            faces=("palace", "palace"),
            message=said("most palaces", "majorité de palais", "meiste Paläste"),
        ),
    ),
    "Ben": (
        ScoreLine(points=-5, rule="deserts", faces=("desert",), message=said("a desert", "un désert", "eine Wüste")),
    ),
    "Clara": (
        ScoreLine(
            points=6,
            rule="adventures",
            faces=("adventure.1", "adventure.2", "adventure.4"),
            message=said("three adventures", "trois aventures", "drei Abenteuer"),
        ),
        ScoreLine(
            points=5,
            rule="bazaars",
            faces=("bazaar.spice", "bazaar.spice"),
            message=said("a pair of spices", "une paire d’épices", "ein Paar Gewürze"),
        ),
    ),
}
WON = {
    "Anna": ("palace", "palace"),
    "Ben": ("bazaar.carpet", "desert"),
    "Clara": ("adventure.1", "adventure.2", "adventure.4", "bazaar.spice", "bazaar.spice"),
}
READY = Offer(
    choice="phase", value="ready", message=said("The layout is ready", "La pose est prête", "Die Auslage liegt")
)
AFTER = tuple(p for p in LAYOUT if p.id not in ("p6", "p9", "p10"))

SCRIPT = (
    Step(scene(1.0, LAYOUT[:1], solved=False), view={"phase": "start"}),
    Step(scene(3.0, LAYOUT[:4])),
    Step(
        scene(5.0, (*LAYOUT[:4], TOO_NEAR, LAYOUT[5]), gaps=(Gap(a="p4", b="p5", mm=6.1, sigma_mm=0.3),)),
        (GAP,),
        {"marks": (VIOLATION,)},
    ),
    Step(scene(7.0, LAYOUT[:8]), (CLEARED,), {"marks": ()}),
    Step(scene(9.0, LAYOUT), (DOUBT,), {"questions": (DOUBT,)}),
    Step(
        scene(
            12.0,
            (*CARPETS, *LAYOUT),
            overlaps=(
                Overlap(over="c2", under="p6", area_mm2=900, depth_mm=12, sigma_mm=0.3, confidence=0.99),
                Overlap(over="c3", under="p9", area_mm2=2200, depth_mm=40, sigma_mm=0.3, confidence=0.99),
                Overlap(over="c3", under="p10", area_mm2=900, depth_mm=20, sigma_mm=0.3, confidence=0.99),
            ),
        ),
        (CLAIM, MISSED),
        {"phase": "throw", "active": "Ben", "marks": (CLAIMED, CONTESTED)},
    ),
    Step(scene(14.0, (*CARPETS, *LAYOUT, *DJINNS)), (DUEL,), {"phase": "duel", "active": None}),
    Step(
        scene(17.0, AFTER),
        (),
        {"marks": (), "won": {"Ben": ("bazaar.carpet",), "Clara": ("adventure.1", "adventure.2")}},
    ),
    Step(scene(20.0, ()), (), {"phase": "over", "over": True, "won": WON, "winners": ("Clara",)}),
)


class ScriptedReferee:
    """A fold like any referee, so that undo and correction work upon it."""

    def __init__(self) -> None:
        self._now: dict[str, Any] = {"phase": "start", "active": "Anna"}
        self._agreed: dict[str, int] = {}

    def see(self, scene: Scene) -> tuple[Output, ...]:
        step = next((s for s in SCRIPT if s.scene.t == scene.t), None)
        if step is None:
            return ()
        self._now |= step.view
        return step.says

    def answer(self, answer: Answer) -> tuple[Output, ...]:
        if answer.question is None:
            what, _, whom = answer.choice.partition(":")
            if what == "score":
                self._agreed[whom] = self._agreed.get(whom, 0) + int(answer.value)
            words = f"{answer.choice} {answer.value}"
            return (Ruling(t=answer.t, rule="carpets.corrected", message=said(words, words, words)),)
        asked = self._now.get("questions", ())
        self._now["questions"] = tuple(q for q in asked if q.id != answer.question)
        return (Ruling(t=answer.t, rule="carpets.layout.decided", pieces=DOUBT.pieces, message=DECIDED[answer.choice]),)

    def view(self) -> View:
        now = self._now
        over = now.get("over", False)
        return View(
            game="carpets",
            phase=PHASES[now["phase"]],
            players=tuple(
                PlayerView(
                    name=p.name,
                    colour=p.carpet,
                    side=p.side,
                    score=self._agreed.get(p.name, 0) + (sum(x.points for x in LINES[p.name]) if over else 0),
                    active=p.name == now["active"],
                    won=now.get("won", {}).get(p.name, ()),
                    lines=LINES[p.name] if over else (),
                )
                for p in SESSION.player
            ),
            round=1,
            rounds=3,
            marks=now.get("marks", ()),
            questions=now.get("questions", ()),
            offers=(READY,) if now["phase"] == "start" else (),
            over=over,
            winners=now.get("winners", ()),
        )

    def scores(self) -> dict[str, int]:
        return {p.name: p.score for p in self.view().players}

    def role(self, face: str) -> str:
        return "unknown"


@dataclass(frozen=True)
class Observed:
    scene: Scene
    picture: Picture


class ScriptedObserver:
    """Measures nothing: knows what lies there at the second of a step, and calls what is between two steps a hand."""

    def __init__(self) -> None:
        self.status = "still"
        self._steps = {step.scene.t: step for step in SCRIPT}

    @property
    def moving(self) -> bool:
        return self.status in ("moving", "hand")

    def look(self, frame: Frame) -> Observed | None:
        step = self._steps.get(frame.t)
        if step is None:
            self.status = "hand"
            return None
        self.status = "still" if step.scene.camera.solved else "learning_camera"
        return Observed(step.scene, frame.bgr())

    def finish(self) -> Observed | None:
        return None


class MemoryLog:
    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, entry: Entry) -> int:
        self.entries.append(entry)
        return len(self.entries)


@cache
def deck() -> Deck:
    return load_deck(DECKS / "carpets")


def make_table(log: MemoryLog | None = None, **more: Any) -> Table:
    log = log or MemoryLog()
    return Table(SESSION, deck(), ScriptedObserver(), ScriptedReferee, log, source="scripted", **more)


def play(table: Table, until: float, after: float = 0.0) -> Table:
    """Feeds the steps' frames up to a second, and a frame with a hand before each."""
    for step in SCRIPT:
        if after < step.scene.t <= until:
            picture = painted(step.scene.t)
            table.feed(ArrayFrame(step.scene.t - 0.5, picture))
            table.feed(ArrayFrame(step.scene.t, picture))
    return table


@cache
def painted(t: float) -> Picture:
    """The table as a camera straight above would see it: felt, and the deck's pictures where the pieces lie."""
    shown = next(step.scene for step in SCRIPT if step.scene.t == t)
    noise = np.random.default_rng(7).normal(0, 5, (SIZE[1], SIZE[0], 1))
    felt = np.clip(np.array([62, 92, 34], np.float64) + noise, 0, 255).astype(np.uint8)
    under = [p for p in shown.pieces if not p.face.startswith("carpet")]
    for lying in [*under, *(p for p in shown.pieces if p not in under)]:
        face = next(f for f in deck().faces if lying.print == f.id or (not lying.print and lying.face == f.kind))
        h, w = face.picture.shape[:2]
        corners = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32)
        warp = cv2.getPerspectiveTransform(corners, np.array(lying.corners_px, np.float32))
        small = cv2.warpPerspective(cv2.GaussianBlur(face.picture, (0, 0), 1.5), warp, SIZE)
        mask = cv2.warpPerspective(np.full((h, w), 255, np.uint8), warp, SIZE)[..., None] > 127
        felt = np.where(mask, small, felt)
    return felt
