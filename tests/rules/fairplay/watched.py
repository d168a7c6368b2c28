"""Random games at a table as the referee hears them, compared with the engine that played them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import msgspec

from rules.fairplay import Refuel, Reveal, Roll
from rules.games import make_referee
from rules.protocol import Answer, Output, Question, Referee, Ruling
from tests.rules.fairplay.tabletop import NAMES, Tabletop
from vision.scene import Scene


@dataclass
class Watched:
    """What the referee said of a game."""

    table: Tabletop
    outputs: list[Output] = field(default_factory=list)
    stills: int = 0
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


def watch(seed: int, missed: float = 0.0, covered: float = 0.0, answer: bool = True, **more: int) -> Watched:
    """Referees a game. `missed`: the share of stills that are lost; `covered`: of pieces that are under a hand."""
    table = Tabletop(seed, **more)
    chance = random.Random(seed + 17)
    referee = make_referee(table.session)
    heard = Watched(table)
    lost = None
    for what, scene in table.play():
        lost = scene if chance.random() < missed and what != "start" else None
        if lost:
            continue
        if covered:
            pieces = tuple(p for p in scene.pieces if chance.random() >= covered or _new(what, p.id, table))
            scene = msgspec.structs.replace(scene, pieces=pieces)
        _hear(heard, referee, scene, answer)
    if lost:  # after the last move the table lies as it is for long
        _hear(heard, referee, lost, answer)
    heard.winners, heard.scores = referee.view().winners, referee.scores()
    return heard


def _hear(heard: Watched, referee: Referee, scene: Scene, answer: bool) -> None:
    heard.stills += 1
    heard.outputs += referee.see(scene)
    while answer and (question := next(iter(referee.view().questions), None)):
        reply = Answer(t=scene.t, question=question.id, choice=truth(question, heard.table))
        heard.outputs += referee.answer(reply)


def _new(what: str, piece: str, table: Tabletop) -> bool:
    """It was only just put there."""
    return what in ("offered", "turned up") or piece == "die" or piece == f"t{len(table.tiles) - 1}"


def truth(question: Question, table: Tabletop) -> str:
    """What an honest table answers."""
    moves = table.game_table.game.moves
    match question.rule.removeprefix("fairplay."):
        case "die":
            choice = str(next(m.value for m in reversed(moves) if isinstance(m, Roll)))
        case "tile":
            choice = str(table.at.get(NAMES.index(question.player or NAMES[0]) + 1, 0))
        case "card":
            choice = next(m.card for m in reversed(moves) if isinstance(m, Reveal))
        case "user":
            choice = NAMES[next(m.player for m in reversed(moves) if isinstance(m, Reveal)) - 1]
        case "refuel":
            choice = "yes" if isinstance(moves[-1], Refuel) or isinstance(moves[-2], Refuel) else "no"
        case "offer":
            choice = "yes"
        case _:
            choice = question.default
    return choice if choice in question.options else question.default
