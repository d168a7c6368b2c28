"""From many tables and games to the figures that stand in a report, with how sure they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from device.evaluate import GOALS, MISSED_GAP_MM, Tally
from tests.figures.games import GameFigures
from tests.figures.tables import TableFigures

Z = 1.959964
"""Normal quantile of a two-sided interval of 95 %."""
QUESTIONS_SHARE = 0.02
"""Goal: questions asked / rulings."""


def wilson(hits: int, n: int) -> tuple[float, float]:
    """95 % interval of a share of which `hits` of `n` were seen (Wilson 1927): honest also at 0 and 1.

    >>> low, high = wilson(200, 200)
    >>> round(low, 3), high
    (0.981, 1.0)
    """
    if n == 0:
        return 0.0, 1.0
    p = hits / n
    middle, half = p + Z * Z / (2 * n), Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    low, high = (middle - half) / (1 + Z * Z / n), (middle + half) / (1 + Z * Z / n)
    return (0.0 if hits == 0 else low), (1.0 if hits == n else high)


@dataclass(frozen=True)
class Row:
    """One line of the summary."""

    figure: str
    value: float
    n: int
    """Out of how many."""
    goal: str = ""
    ok: bool = True
    interval: tuple[float, float] | None = None
    unit: str = ""

    @classmethod
    def share(cls, figure: str, hits: int, n: int, goal: float | None = None) -> Row:
        value = hits / n if n else 1.0
        want = "" if goal is None else f">= {goal:g}"
        return cls(figure, value, n, want, goal is None or value >= goal - 1e-9, wilson(hits, n))

    @classmethod
    def count(cls, figure: str, hits: int, n: int, goal: int | None = 0) -> Row:
        want = "" if goal is None else f"<= {goal}"
        return cls(figure, hits, n, want, goal is None or hits <= goal, wilson(min(hits, n), n), "of")

    @classmethod
    def measure(cls, figure: str, value: float, n: int, goal: float | None, unit: str) -> Row:
        want = "" if goal is None else f"<= {goal:g}"
        return cls(figure, value, n, want, goal is None or value <= goal + 1e-9, None, unit)

    def cells(self) -> tuple[str, str, str, str, str]:
        value = f"{self.value:.0f}" if self.unit == "of" else f"{self.value:.4g}"
        unit = "" if self.unit == "of" else f" {self.unit}"
        span = f"[{self.interval[0]:.4f}, {self.interval[1]:.4f}]" if self.interval else ""
        return "ok" if self.ok else "SHORT", self.figure, f"{value}{unit} of {self.n}", span, self.goal


def goal_of(figure: str) -> float | None:
    return next(g.value for g in GOALS if g.figure == figure)


def rows_of_seeing(tally: Tally, per_table_px: Sequence[float]) -> list[Row]:
    """The figures of what was seen, all tables pooled. `per_table_px`: each table's corner error, rms."""
    n = tally.counts
    seen, gaps = n["objects"], len(tally.gap_mm)
    wrong_gaps = sum(g >= MISSED_GAP_MM for g in tally.gap_mm)
    corner = float(np.sqrt(np.mean(np.square(tally.corner_px)))) if tally.corner_px else math.inf
    honest = float(np.sqrt(np.mean(np.square(tally.gap_sigmas)))) if tally.gap_sigmas else 0.0
    beyond = sum(abs(z) > 2 for z in tally.gap_sigmas)
    return [
        Row.share("states seen", n["states seen"], n["states"], 1.0),
        Row.share("pieces found", n["found"], seen, 1.0),
        Row.count("pieces that are not there", n["false pieces"], seen),
        Row.share("named right", n["faces right"], seen, goal_of("faces right")),
        Row.count("named wrong with confidence", n["faces wrong"], seen),
        Row.count("said to be unknown", n["found"] - n["faces right"] - n["faces wrong"], seen, None),
        Row.count("turned the wrong way", n["turned"], seen),
        Row.measure("corner error, rms", corner, len(tally.corner_px), goal_of("corner error rms px"), "px"),
        Row.measure("  median table", _percentile(per_table_px, 50), len(per_table_px), None, "px"),
        Row.measure("  95th percentile of tables", _percentile(per_table_px, 95), len(per_table_px), None, "px"),
        Row.measure("gap error, 95th percentile", _percentile(tally.gap_mm, 95), gaps, goal_of("gap error p95 mm"),
                    "mm"),
        Row.measure("  median", _percentile(tally.gap_mm, 50), gaps, None, "mm"),
        Row.count("  gaps of pieces that were not found", wrong_gaps, gaps, None),
        Row.measure("gap error / sigma, rms", honest, len(tally.gap_sigmas),
                    goal_of("gap sigma honest (rms error/sigma)"), ""),
        Row.count("  beyond 2 sigma", beyond, len(tally.gap_sigmas), None),
        Row.share("who lies on top", n["stacks right"], n["stacks"], 1.0),
    ]  # fmt: skip


def rows_of_tables(tables: Sequence[TableFigures]) -> list[Row]:
    tally = sum((t.tally for t in tables), Tally())
    per_table = [float(np.sqrt(np.mean(np.square(t.tally.corner_px)))) for t in tables if t.tally.corner_px]
    perfect = sum(not t.short for t in tables)
    return [Row.share("tables without a fault", perfect, len(tables)), *rows_of_seeing(tally, per_table)]


def rows_of_hands(hands: Sequence[TableFigures]) -> list[Row]:
    return [Row.share("hands noticed", sum(bool(h.hand_seen) for h in hands), len(hands), 1.0)]


def rows_of_games(games: Sequence[GameFigures]) -> list[Row]:
    tally = sum((g.tally for g in games), Tally())
    per_game = [float(np.sqrt(np.mean(np.square(g.tally.corner_px)))) for g in games if g.tally.corner_px]
    n = tally.counts
    rulings = sum(g.rulings for g in games)
    return [
        Row.share("games without a fault", sum(not g.short for g in games), len(games)),
        *rows_of_seeing(tally, per_game),
        Row.share("layout faults found", n["faults found"], n["faults"], 1.0),
        Row.count("false layout rulings", n["false faults"], rulings),
        Row.share("claims right", n["claims right"], n["claims"], 1.0),
        Row.count("false claims", n["false claims"], rulings),
        Row.share("duels right", n["duels right"], n["duels"], 1.0),
        Row("questions asked", n["questions"], rulings, f"<= {QUESTIONS_SHARE:.0%}",
            n["questions"] <= QUESTIONS_SHARE * rulings, wilson(min(n["questions"], rulings), rulings), "of"),
    ]  # fmt: skip


def _percentile(values: Sequence[float], q: float) -> float:
    return float(np.percentile(values, q)) if len(values) else 0.0
