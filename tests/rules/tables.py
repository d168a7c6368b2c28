"""Hand-made tables: cards put down with exact places, measured by shapely into the Scenes a referee hears.

The geometry here is shapely's, on purpose not the one of `rules.carpets.geometry`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from shapely.affinity import rotate, translate
from shapely.geometry import Polygon, box

from rules.protocol import Answer, Output, Question, Referee, Ruling
from rules.session import Player, Session
from vision.scene import GAP_REACH_MM, CameraState, Gap, Overlap, Piece, Quad, Scene

WIDTH, HEIGHT, RADIUS = 59.0, 91.0, 3.0
VIEW: Quad = ((-400.0, -225.0), (400.0, -225.0), (400.0, 225.0), (-400.0, 225.0))


@dataclass(frozen=True)
class Thing:
    """A card on the table."""

    id: str
    face: str
    x: float
    y: float
    angle: float = 0.0
    z: int = 0
    """Height in the stack: of two that overlap, the higher lies on top."""
    confidence: float = 0.99
    sigma: float = 0.2
    stacking: float = 0.99
    """How sure it is who lies on top where this one overlaps another."""

    @property
    def sharp(self) -> Polygon:
        card = box(-WIDTH / 2, -HEIGHT / 2, WIDTH / 2, HEIGHT / 2)
        return translate(rotate(card, self.angle, origin=(0, 0)), self.x, self.y)

    @property
    def inset(self) -> Polygon:
        """The sharp card less the radius of its corners all around."""
        return self.sharp.buffer(-RADIUS, join_style="mitre")

    @property
    def rounded(self) -> Polygon:
        return self.inset.buffer(RADIUS)

    @property
    def quad(self) -> Quad:
        c, s = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        a, b, d, e = (
            (self.x + u * WIDTH / 2 * c - v * HEIGHT / 2 * s, self.y + u * WIDTH / 2 * s + v * HEIGHT / 2 * c)
            for u, v in corners
        )
        return a, b, d, e


@dataclass
class Tabletop:
    """A table to put things on and take them from; `scene()` is what a camera would measure of it."""

    things: dict[str, Thing] = field(default_factory=dict)
    t: float = 0.0
    solved: bool = True

    def put(self, face: str, x: float, y: float, angle: float = 0.0, **more: object) -> str:
        """Lays a card on top of everything; gives its id (the face's own name with a number, or `id=`)."""
        name = str(more.pop("id", f"p{len(self.things) + 1}_{face}"))
        z = max((thing.z for thing in self.things.values()), default=0) + 1
        self.things[name] = Thing(name, face, x, y, angle, **{"z": z, **more})  # type: ignore[arg-type]
        return name

    def move(self, name: str, x: float, y: float, angle: float | None = None) -> None:
        thing = self.things[name]
        self.things[name] = replace(thing, x=x, y=y, angle=thing.angle if angle is None else angle)

    def change(self, name: str, **what: object) -> None:
        self.things[name] = replace(self.things[name], **what)  # type: ignore[arg-type]

    def take(self, *names: str) -> None:
        for name in names:
            del self.things[name]

    def take_kind(self, prefix: str) -> None:
        self.take(*[name for name, thing in self.things.items() if thing.face.startswith(prefix)])

    def scene(self, hide: Iterable[str] = (), dt: float = 2.0) -> Scene:
        """The next still; `hide`: things that this still fails to show."""
        self.t += dt
        things = [thing for name, thing in self.things.items() if name not in set(hide)]
        gaps, overlaps = [], []
        for i, a in enumerate(things):
            for b in things[i + 1 :]:
                distance = a.rounded.distance(b.rounded)
                sigma = math.hypot(a.sigma, b.sigma)
                if distance <= GAP_REACH_MM:
                    gaps.append(Gap(a=a.id, b=b.id, mm=distance, sigma_mm=sigma))
                if distance == 0:
                    overlaps.append(_overlap(a, b, sigma))
        return Scene(
            t=self.t,
            camera=CameraState(solved=self.solved, rms_px=0.2),
            size_px=(1280, 720),
            view_mm=VIEW,
            pieces=tuple(_piece(thing, things) for thing in things),
            gaps=tuple(gaps),
            overlaps=tuple(overlaps),
        )


def _piece(thing: Thing, things: list[Thing]) -> Piece:
    above = [other.sharp for other in things if other.z > thing.z]
    seen = thing.sharp.intersection(Polygon(VIEW))
    for other in above:
        seen = seen.difference(other)
    return Piece(
        id=thing.id,
        face=thing.face,
        confidence=thing.confidence,
        visible=seen.area / thing.sharp.area,
        corners_px=thing.quad,
        outline_mm=thing.quad,
        sigma_mm=thing.sigma,
    )


def _overlap(a: Thing, b: Thing, sigma: float) -> Overlap:
    over, under = (a, b) if a.z > b.z else (b, a)
    area = a.rounded.intersection(b.rounded).area
    return Overlap(
        over=over.id,
        under=under.id,
        area_mm2=area,
        depth_mm=_depth(a, b),
        sigma_mm=sigma,
        confidence=min(a.stacking, b.stacking),
    )


def _depth(a: Thing, b: Thing) -> float:
    """How far one must be pushed until the overlap is gone, exactly: a rounded card is its inset rectangle with a disc
    rolled around it, so the inset rectangles' own depth (over the axes that may separate them) grows by two radii."""
    one, other = a.inset, b.inset
    if apart := one.distance(other):
        return 2 * RADIUS - apart

    def shadow(card: Polygon, c: float, s: float) -> tuple[float, float]:
        along = [x * c + y * s for x, y in card.exterior.coords]
        return min(along), max(along)

    pushes = []
    for angle in (a.angle, a.angle + 90, b.angle, b.angle + 90):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        (low1, high1), (low2, high2) = shadow(one, c, s), shadow(other, c, s)
        pushes.append(min(high1 - low2, high2 - low1))
    return min(pushes) + 2 * RADIUS


GRID = [(-225 + 110 * column, -110 + 110 * row) for row in range(3) for column in range(4)]
"""Places of a legal layout: columns 51 mm, rows 19 mm apart."""

DEAL = (
    "palace", "desert", "lamp", "treasure",
    "adventure.1", "adventure.2", "bazaar.spice", "bazaar.carpet",
    "palace", "bazaar.camel", "adventure.3", "palace",
)  # fmt: skip


def lay_out(table: Tabletop, deal: Iterable[str] = DEAL, prefix: str = "c") -> list[str]:
    """Twelve cards in a legal layout; gives their ids, `c1` to `c12`."""
    return [
        table.put(face, x, y, id=f"{prefix}{i}") for i, (face, (x, y)) in enumerate(zip(deal, GRID, strict=False), 1)
    ]


def session(players: int = 3, **more: object) -> Session:
    """Anna (S, red), Ben (W, blue), Clara (E or N, green), Dora (E, yellow); Anna lays out first."""
    seats = {
        2: [("Anna", "S", "red,green"), ("Ben", "N", "blue,yellow")],
        3: [("Anna", "S", "red"), ("Ben", "W", "blue"), ("Clara", "E", "green")],
        4: [("Anna", "S", "red"), ("Ben", "W", "blue"), ("Clara", "N", "green"), ("Dora", "E", "yellow")],
    }[players]
    people = tuple(
        Player(number=n, name=name, side=side, carpet=carpet)  # type: ignore[arg-type]
        for n, (name, side, carpet) in enumerate(seats, 1)
    )
    return Session(game="carpets", deck="deck", player=people, **more)  # type: ignore[arg-type]


class Match:
    """A referee and a table: every still is shown, questions are answered as told or by their default."""

    def __init__(self, referee: Referee, table: Tabletop) -> None:
        self.referee, self.table = referee, table
        self.outputs: list[Output] = []
        self.answers: dict[str, str] = {}
        """Rule to the choice that is taken instead of the default; `-`: left open."""

    def still(self, hide: Iterable[str] = ()) -> list[Output]:
        """Shows the table as it lies now; gives what was said, answers included."""
        return self._hear(list(self.referee.see(self.table.scene(hide))))

    def _hear(self, said: list[Output]) -> list[Output]:
        self.outputs += said
        heard = list(said)
        for question in [o for o in said if isinstance(o, Question)]:
            choice = self.answers.get(question.rule, question.default)
            if choice != "-":
                heard += self.answer(question.id, choice)
        return heard

    def answer(self, question: str, choice: str) -> list[Output]:
        return self._hear(list(self.referee.answer(Answer(t=self.table.t, question=question, choice=choice))))

    def correct(self, choice: str, value: str) -> list[Output]:
        given = Answer(t=self.table.t, question=None, choice=choice, value=value)
        return self._hear(list(self.referee.answer(given)))

    def rulings(self, rule: str) -> list[Ruling]:
        """Every ruling of that rule, or of a rule below it."""
        return [o for o in self.outputs if isinstance(o, Ruling) and (o.rule == rule or o.rule.startswith(rule + "."))]

    def questions(self, rule: str = "carpets") -> list[Question]:
        return [o for o in self.outputs if isinstance(o, Question) and o.rule.startswith(rule)]
