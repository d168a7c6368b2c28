"""Random games at a table as the referee hears them, compared with the engine that played them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import msgspec

from rules.fairplay import Refuel, Reveal, Roll
from rules.fairplay.places import centre
from rules.games import make_referee
from rules.protocol import Answer, Output, Question, Referee, Ruling
from tests.rules.fairplay.tabletop import NAMES, Tabletop
from vision.scene import BACK, UNKNOWN, Piece, Point, Scene

HAND_MM = 70.0
"""Pieces whose middle is so near to a hand's are under it."""


@dataclass
class Watched:
    """What the referee said of a game."""

    table: Tabletop
    outputs: list[Output] = field(default_factory=list)
    stills: int = 0
    turned_up: list[tuple[float, str, str, str]] = field(default_factory=list)
    """When each card was turned up, who used it, what it was, and whose offer it was."""
    thrown: list[float] = field(default_factory=list)
    """When each die was thrown."""
    winners: tuple[str, ...] = ()
    scores: dict[str, int] = field(default_factory=dict)

    @property
    def questions(self) -> list[Question]:
        return [output for output in self.outputs if isinstance(output, Question)]

    def rulings(self, rule: str) -> list[Ruling]:
        return [o for o in self.outputs if isinstance(o, Ruling) and (o.rule == rule or o.rule.startswith(rule + "."))]

    @property
    def rolls(self) -> list[tuple[str | None, int]]:
        return [(r.player, r.data["value"]) for r in self.rulings("fairplay.roll")]

    @property
    def ways(self) -> list[tuple[str | None, int, int, str]]:
        """Every way of a car; steps seen one by one are one way."""
        moves = [
            (r.player, r.data["from"], r.data["to"], r.data.get("card", "die")) for r in self.rulings("fairplay.move")
        ]
        return _joined(moves)

    @property
    def true_rolls(self) -> list[tuple[str | None, int]]:
        return [(NAMES[m.player - 1], m.value) for m in self.table.game_table.game.moves if isinstance(m, Roll)]

    @property
    def true_ways(self) -> list[tuple[str | None, int, int, str]]:
        legs = self.table.game_table.game.state.legs
        return _joined([(NAMES[leg.player - 1], leg.start, leg.end, leg.by) for leg in legs if leg.start != leg.end])

    @property
    def right(self) -> bool:
        """All rolls, ways, places and the winner are as they were."""
        state = self.table.game_table.game.state
        won = (NAMES[state.winner - 1],) if state.winner else ()
        return (
            self.rolls == self.true_rolls
            and self.ways == self.true_ways
            and self.winners == won
            and list(self.scores.values()) == list(state.positions)
        )


def _joined(ways: list[tuple[str | None, int, int, str]]) -> list[tuple[str | None, int, int, str]]:
    out: list[tuple[str | None, int, int, str]] = []
    for player, start, end, by in ways:
        if out and out[-1][0] == player and out[-1][3] == by and out[-1][2] == start and end > start > out[-1][1]:
            out[-1] = player, out[-1][1], end, by
        else:
            out.append((player, start, end, by))
    return out


@dataclass(frozen=True)
class Noise:
    """What a camera does not see. Each is a share."""

    missed: float = 0.0
    """Of the stills that are lost."""
    covered: float = 0.0
    """Of the pieces that are under something for a still, where they lay before."""
    fresh: float = 0.0
    """Of those that were only just put there."""
    unread: float = 0.0
    """Of the stills in which the die cannot be read."""
    unnamed: float = 0.0
    """Of the tiles that cannot be named."""
    hand: float = 0.0
    """Of the stills at which a hand comes to rest over some pieces, for up to three stills, and is not noticed."""


def watch(seed: int, noise: Noise = Noise(), answer: bool = True, **more: int) -> Watched:
    """Referees a game."""
    table = Tabletop(seed, **more)
    eye = _Eye(seed, noise, table)
    referee = make_referee(table.session)
    heard = Watched(table)
    for what, scene in table.play():
        if what == "turned up":
            up = next(m for m in reversed(table.game_table.game.moves) if isinstance(m, Reveal))
            heard.turned_up.append((scene.t, NAMES[up.player - 1], up.card, NAMES[table.offered_by - 1]))
        if what == "die":
            heard.thrown.append(scene.t)
        seen = eye.see(what, scene)
        if seen is not None:
            _hear(heard, referee, seen, answer)
    for later in (1.5, 3.0):  # after the last move the table lies as it is for long
        _hear(heard, referee, msgspec.structs.replace(scene, t=scene.t + later), answer)
    heard.winners, heard.scores = referee.view().winners, referee.scores()
    return heard


class _Eye:
    """Leaves out of scenes what is not seen."""

    def __init__(self, seed: int, noise: Noise, table: Tabletop) -> None:
        self.noise, self.table = noise, table
        self.chance = random.Random(seed + 17)
        self.hand: Point = (0.0, 0.0)
        self.rests = 0

    def see(self, what: str, scene: Scene) -> Scene | None:
        chance, noise = self.chance, self.noise
        if chance.random() < noise.missed and what != "start":
            return None
        pieces = [p for p in scene.pieces if chance.random() >= self._share(what, p)]
        if self.rests:
            self.rests -= 1
        elif chance.random() < noise.hand and what != "start":
            self.hand, self.rests = _middle(chance.choice(scene.pieces)), chance.choice((1, 1, 2, 3))
        if self.rests:
            pieces = [p for p in pieces if math.dist(_middle(p), self.hand) > HAND_MM]
        return msgspec.structs.replace(scene, pieces=tuple(map(self._read, pieces)))

    def _share(self, what: str, piece: Piece) -> float:
        new = what in ("offered", "turned up") or piece.id in ("die", f"t{len(self.table.tiles) - 1}")
        return self.noise.fresh if new else self.noise.covered

    def _read(self, piece: Piece) -> Piece:
        if piece.kind == "die" and self.chance.random() < self.noise.unread:
            return msgspec.structs.replace(piece, value=None)
        if piece.kind == "tile" and piece.face != BACK and self.chance.random() < self.noise.unnamed:
            return msgspec.structs.replace(piece, face=UNKNOWN)
        return piece


def _middle(piece: Piece) -> Point:
    return piece.foot_mm or centre(piece.outline_mm)


def _hear(heard: Watched, referee: Referee, scene: Scene, answer: bool) -> None:
    heard.stills += 1
    heard.outputs += referee.see(scene)
    while answer and (question := next(iter(referee.view().questions), None)):
        reply = Answer(t=scene.t, question=question.id, choice=truth(question, heard.table))
        heard.outputs += referee.answer(reply)


def truth(question: Question, table: Tabletop) -> str:
    """What an honest table answers."""
    moves = table.game_table.game.moves
    match question.rule.removeprefix("fairplay."):
        case "die":
            choice = str(next(m.value for m in reversed(moves) if isinstance(m, Roll)))
        case "tile":
            choice = str(table.at.get(NAMES.index(question.player or NAMES[0]) + 1, 0))
        case "card" if "unknown" in question.options:  # that nobody saw, before the die was thrown
            thrown = max(n for n, m in enumerate(moves) if isinstance(m, Roll))
            choice = next(m.card for m in reversed(moves[:thrown]) if isinstance(m, Reveal))
            choice = choice if choice in question.options else "unknown"
        case "card":
            choice = next(m.card for m in reversed(moves) if isinstance(m, Reveal))
        case "user":
            choice = NAMES[next(m.player for m in reversed(moves) if isinstance(m, Reveal)) - 1]
        case "refuel":
            choice = "yes" if isinstance(moves[-1], Refuel) or isinstance(moves[-2], Refuel) else "no"
        case "face":
            choice = next((kind for name, kind, _ in table.tiles if name == question.pieces[0]), question.default)
        case "offer":
            choice = "yes"
        case _:
            choice = question.default
    return choice if choice in question.options else question.default
