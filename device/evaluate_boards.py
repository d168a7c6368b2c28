"""How well a report agrees with the truth of its footage: the accuracy tables of Carcassonne and Fair Play.

As `device.evaluate`: for each state of the table that lasts long enough, the report's last scene within it is compared.
Tiles and cards are matched by the overlap of their outlines, meeples, cars and dice by the distance of their middles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from device.evaluate import Goal, match, settled
from rules.carcassonne.lattice import same

Json = dict[str, Any]

NEAR_PX = 12.0
"""Middles farther apart than this are of two pieces."""
NEARLY_ALL = 0.995

TILES = (
    Goal("states seen", ">=", 1.0),
    Goal("tiles found", ">=", NEARLY_ALL),
    Goal("false tiles"),
    Goal("tiles named right", ">=", NEARLY_ALL),
    Goal("wrong with confidence"),
)
CARCASSONNE = (
    *TILES,
    Goal("cell and rotation right", ">=", 1.0),
    Goal("meeples found", ">=", NEARLY_ALL),
    Goal("false meeples"),
    Goal("meeple colour and feature right", ">=", NEARLY_ALL),
    Goal("die right", ">=", 1.0),
    Goal("placements right", ">=", 1.0),
    Goal("meeple moves right", ">=", 1.0),
    Goal("flights right", ">=", 1.0),
    Goal("final points right", ">=", 1.0),
    Goal("questions", "<=", None),
)
FAIR_PLAY = (
    *TILES,
    Goal("cars found", ">=", NEARLY_ALL),
    Goal("false cars"),
    Goal("car colour and tile right", ">=", NEARLY_ALL),
    Goal("cards named right", ">=", NEARLY_ALL),
    Goal("die right", ">=", 1.0),
    Goal("rolls right", ">=", 1.0),
    Goal("positions after each turn right", ">=", 1.0),
    Goal("questions", "<=", None),
)


@dataclass
class BoardTally:
    """Counts over one or several clips of one game."""

    goals: tuple[Goal, ...]
    right: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    """What was asked for; figures without are plain counts."""

    def __add__(self, other: BoardTally) -> BoardTally:
        return BoardTally(self.goals, self.right + other.right, self.of + other.of)

    def add(self, figure: str, right: bool) -> None:
        self.right[figure] += right
        self.of[figure] += 1

    def figures(self) -> dict[str, float]:
        """Every figure of the game's goals; of nothing at all, all is right."""
        return {g.figure: self._figure(g) for g in self.goals}

    def _figure(self, goal: Goal) -> float:
        if goal.sign == "<=":
            return float(self.right[goal.figure])
        return self.right[goal.figure] / self.of[goal.figure] if self.of[goal.figure] else 1.0

    def told(self) -> str:
        """What it is made of."""
        n = self.of
        what = f"{n['meeples found']} meeples" if self.goals is CARCASSONNE else f"{n['cars found']} cars"
        return f"over {n['states seen']} states, {n['tiles found']} tiles, {what}, {n['die right']} dice"


def judge_carcassonne(report: Json, truth: Json) -> BoardTally:
    """Compares one report with the truth of its footage."""
    tally = BoardTally(CARCASSONNE)
    for scene, state in _looked_at(report, truth, tally):
        for tile, seen in _judge_tiles(scene, state, tally):
            on_cell = list(seen.get("cell") or ()) == tile["cell"]
            turned = on_cell and same(_bare(tile["kind"]), seen.get("rotation") or 0, tile["rotation"])
            tally.add("cell and rotation right", turned and seen.get("rotation") is not None)
        got, true = _of(scene, "meeple"), [m for m in state["meeples"] if "cell" in m]
        matched = near(got, true)
        beside = near([m for m in got if m not in list(matched.values())], state.get("supply", ()))
        tally.right["false meeples"] += len(got) - len(matched) - len(beside)
        for k, m in enumerate(true):
            tally.add("meeples found", k in matched)
            seen = matched.get(k, {})
            on = seen.get("on") or {}
            stands = (list(on.get("cell") or ()), on.get("feature")) == (m["cell"], m["feature"])
            tally.add("meeple colour and feature right", stands and seen["face"] == f"meeple.{m['colour']}")
    _judge_moves(report, truth, tally)
    return tally


def judge_fairplay(report: Json, truth: Json) -> BoardTally:
    """Compares one report with the truth of its footage."""
    tally = BoardTally(FAIR_PLAY)
    for scene, state in _looked_at(report, truth, tally):
        for _ in _judge_tiles(scene, state, tally):
            pass
        got = _of(scene, "car")
        matched = near(got, state["cars"])
        tally.right["false cars"] += len(got) - len(matched)
        for k, car in enumerate(state["cars"]):
            tally.add("cars found", k in matched)
            seen = matched.get(k, {})
            tally.add(
                "car colour and tile right",
                (seen.get("face"), seen.get("tile_index")) == (f"car.{car['colour']}", car["tile_index"]),
            )
        open_cards = [c for c in state.get("cards", ()) if c.get("face_up")]
        cards = match(_of(scene, "card"), open_cards)
        for card in open_cards:
            tally.add("cards named right", _named(cards.get(card["id"], {}), card))
    _judge_race(report, truth, tally)
    return tally


# ---- what was seen -----------------------------------------------------------------------------------------------


def _looked_at(report: Json, truth: Json, tally: BoardTally) -> list[tuple[Json, Json]]:
    """The scene that belongs to each state that lasts; what was asked and the die are judged on the way."""
    tally.right["questions"] += len(report.get("questions", ()))
    out = []
    for state, scene in settled(report, truth):
        tally.add("states seen", scene is not None)
        if scene is None:
            continue
        out.append((scene, state))
        if state.get("die"):
            dice = near(_of(scene, "die"), [state["die"]])
            tally.add("die right", bool(dice) and dice[0].get("value") == state["die"]["value"])
    return out


def _judge_tiles(scene: Json, state: Json, tally: BoardTally) -> list[tuple[Json, Json]]:
    """Each true tile with the one that was seen, {} where none was."""
    got = _of(scene, "tile")
    matched = match(got, state["tiles"])
    others = [t for t in got if t not in list(matched.values())]
    tally.right["false tiles"] += len(others) - len(match(others, state.get("piles", ())))
    out = []
    for tile in state["tiles"]:
        seen = matched.get(tile["id"], {})
        tally.add("tiles found", bool(seen))
        tally.add("tiles named right", _named(seen, tile))
        tally.right["wrong with confidence"] += bool(seen) and not _named(seen, tile) and seen["face"] != "unknown"
        out.append((tile, seen))
    return out


def near(pieces: Sequence[Json], true: Sequence[Json]) -> dict[int, Json]:
    """Index of the true piece -> piece of the report, one to one, the nearest first."""
    away = [
        (float(np.hypot(*np.subtract(p["centre_px"], t["centre_px"]))), i, j)
        for i, p in enumerate(pieces)
        for j, t in enumerate(true)
    ]
    taken: set[int] = set()
    matched: dict[int, Json] = {}
    for distance, i, j in sorted(away):
        if distance <= NEAR_PX and i not in taken and j not in matched:
            taken.add(i)
            matched[j] = pieces[i]
    return matched


def _of(scene: Json, kind: str) -> list[Json]:
    return [p for p in scene["pieces"] if p["kind"] == kind]


def _named(seen: Json, true: Json) -> bool:
    return bool(seen) and seen["face"] in (true["kind"], true["face"])


def _bare(kind: str) -> str:
    return kind.removeprefix("tile.")


# ---- what was ruled ----------------------------------------------------------------------------------------------


def _judge_moves(report: Json, truth: Json, tally: BoardTally) -> None:
    names = {p["number"]: p["name"] for p in truth["players"]}
    ruled = _ruled(report, "carcassonne")
    for move in truth["moves"]:
        who, cell = names[move["player"]], move["cell"]
        tally.add(
            "placements right",
            any(
                (r["player"], _bare(r["tile"]), list(r["cell"])) == (who, move["tile"], cell)
                and same(move["tile"], r["rotation"], move["rotation"])
                for r in ruled["place"]
            ),
        )
        if move["meeple"]:
            laid = (who, cell, move["meeple"]["feature"])
            tally.add("meeple moves right", any(laid == _laid(r, r) for r in ruled["meeple"]))
        if move["flight"]:
            flown = (move["flight"]["die"], _laid({"player": who}, move["flight"]["landing"]))
            tally.add("flights right", any(flown == (r["die"], _laid(r, r["landed"])) for r in ruled["flight"]))
    for player, points in zip(truth["players"], truth["moves"][-1]["points"], strict=True):
        tally.add("final points right", report["scores"].get(player["name"]) == points)


def _laid(who: Json, where: Json | None) -> tuple[str, list[int], str | None]:
    where = where or {}
    return who["player"], list(where.get("cell") or ()), where.get("feature")


def _judge_race(report: Json, truth: Json, tally: BoardTally) -> None:
    names = {p["number"]: p["name"] for p in truth["players"]}
    ruled = _ruled(report, "fairplay")
    turns = [m for m in truth["moves"] if m.get("t_die") is not None]  # who is stuck rolls no die
    rolls = [(r["player"], r["value"]) for r in ruled["roll"]]
    for k, turn in enumerate(turns):
        tally.add("rolls right", rolls[k : k + 1] == [(names[turn["player"]], turn["die"])])
        end = turns[k + 1]["t_die"] if k + 1 < len(turns) else float("inf")
        stands = dict.fromkeys(names.values(), 0) | {r["player"]: r["to"] for r in ruled["move"] if r["t"] < end}
        right = [stands[name] for name in names.values()] == turn["positions"]
        tally.add("positions after each turn right", right)


def _ruled(report: Json, game: str) -> dict[str, list[Json]]:
    """The report's rulings by the last word of their rule."""
    kinds = ("place", "meeple", "flight", "roll", "move")
    return {k: [r for r in report["rulings"] if r["rule"] == f"{game}.{k}"] for k in kinds}
