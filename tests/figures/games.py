"""One random game: filmed, refereed as `kibitz replay` does it, judged."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import cv2

from device.evaluate import GOALS, Tally, judge
from device.evidence import Stills
from device.replay import NoLog
from device.report import build_report
from device.table import Table
from rules.games import make_referee
from tests.figures.tables import deck_of
from tests.tablegen import GeneratedGame, make_game
from vision.observer import Observer


@dataclass
class GameFigures:
    """A game's figures."""

    seed: int
    where: str
    tally: Tally
    rulings: int = 0
    seconds: float = 0.0
    """Drawing the frames included."""

    @property
    def short(self) -> list[str]:
        figures = self.tally.figures()
        return [g.figure for g in GOALS if not g.met(figures[g.figure])]

    def line(self) -> str:
        figures = self.tally.figures()
        return f"game {self.seed}: {self.where}: " + "; ".join(f"{name} {figures[name]:.3g}" for name in self.short)


def judge_game(seed: int) -> GameFigures:
    """Films the game of a seed, referees it and judges the report."""
    cv2.setNumThreads(1)
    game = make_game(seed, deck_of(seed))
    begun = time.perf_counter()
    report = referee(game)
    p, s = game.plan, game.spec
    faults = "".join(w for w, is_so in ((", gap fault", p.gap_fault), (", reach fault", p.reach_fault),
                                        (", bump", p.bump)) if is_so)  # fmt: skip
    where = (
        f"{p.players} players{faults}, {game.deck.name} deck on {s.table}, {s.light}, "
        f"tilt {s.tilt_deg:.0f}, k1 {s.k1:+.2f}"
    )
    return GameFigures(seed, where, judge(report, game.truth), len(report["rulings"]), time.perf_counter() - begun)


def referee(game: GeneratedGame) -> dict[str, Any]:
    """The report of a game, with nothing kept."""
    table = Table(
        game.session,
        game.deck,
        Observer(game.deck),
        lambda: make_referee(game.session, card_of(game)),
        NoLog(),
        stills=Stills(None, limit=1),
        take_defaults=True,
    )
    frames = 0
    for frame in game.frames():
        frames += 1
        table.feed(frame)
    table.finish()
    report: dict[str, Any] = json.loads(
        build_report(table, footage=f"game {game.seed}", frames=frames, duration=game.truth["duration"])
    )
    return report


def card_of(game: GeneratedGame) -> tuple[float, float]:
    width, height = game.truth["card_mm"]
    return width, height
