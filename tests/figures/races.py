"""Random races of Fair Play of which not everything is seen: what is ruled wrongly, and what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.protocol import Question
from tests.figures.summary import Row
from tests.rules.fairplay.watched import Noise, watch

NOISES = {
    "10 % of the stills lost": Noise(missed=0.1),
    "5 % of the pieces covered": Noise(covered=0.05),
    "3 % covered, also as they are put there": Noise(covered=0.03, fresh=0.03),
    "the die unread in 10 % of the stills": Noise(unread=0.1),
    "3 % of the tiles unnamed": Noise(unnamed=0.03),
    "an unnoticed hand at 5 % of the stills": Noise(hand=0.05),
}
MOST_MOVES = 250


@dataclass(frozen=True)
class RaceFigures:
    """One race under each noise."""

    seed: int
    illegal: tuple[int, ...]
    """Rules that were ruled broken, of races that break none."""
    rolls: tuple[bool, ...]
    """Every roll is told, and of whom."""
    places: tuple[bool, ...]
    """At the end every car is where it is."""
    questions: tuple[int, ...]
    rulings: tuple[int, ...]

    @property
    def short(self) -> list[str]:
        told = zip(NOISES, self.illegal, self.rolls, self.places, strict=True)
        return [name for name, illegal, rolls, places in told if illegal or not rolls or not places]

    def line(self) -> str:
        return f"race {self.seed}: {'; '.join(self.short)}"


def judge_race(seed: int) -> RaceFigures:
    """Plays and referees the race of a seed."""
    heard = [watch(seed, noise, most_moves=MOST_MOVES) for noise in NOISES.values()]
    return RaceFigures(
        seed,
        tuple(len(h.rulings("fairplay.illegal")) for h in heard),
        tuple(h.rolls == h.true_rolls for h in heard),
        tuple(list(h.scores.values()) == list(h.table.game_table.game.state.positions) for h in heard),
        tuple(len(h.questions) for h in heard),
        tuple(sum(not isinstance(o, Question) for o in h.outputs) for h in heard),
    )


def rows_of_races(races: Sequence[RaceFigures]) -> list[Row]:
    rows = []
    for n, name in enumerate(NOISES):
        rulings = sum(r.rulings[n] for r in races)
        rows += [
            Row.count(
                f"{name}: races with a broken rule that is none", sum(r.illegal[n] > 0 for r in races), len(races)
            ),
            Row.count("  races with a roll told wrongly", sum(not r.rolls[n] for r in races), len(races)),
            Row.count("  races with a car elsewhere in the end", sum(not r.places[n] for r in races), len(races)),
            Row.count("  questions, of rulings", sum(r.questions[n] for r in races), rulings, rulings // 50),
        ]
    return rows
