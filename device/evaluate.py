"""How well a report agrees with the truth of its footage: the accuracy table of Fliegende Teppiche.

`truth.json` lists every settled state of the table with all pieces' corners, the gaps, and what happened by the rules.
For each state that lasts long enough, the report's last scene within it is compared. Report pieces and true objects
are matched by the overlap of their outlines in the picture.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from shapely.geometry import Polygon

Json = dict[str, Any]

LONG_ENOUGH_S = 1.2
"""Shorter states are seen when they are seen."""
VISIBLE = 0.4
"""Pieces with less in view than this need not be found."""
SAME_PIECE_IOU = 0.5
BEFORE_S, AFTER_S = 0.05, 0.3
"""A scene belongs to a state when its time is within it, give or take a frame's rounding and the still's own length."""
GAP_REACH_MM = 80.0
"""Gaps wider than this are not judged."""
OVERLAP_MM2 = 25.0
"""Overlaps smaller than this are not judged."""
TURN_MARGIN_PX = 2.0
"""Corners must fit by this much better half a turn round for the piece to count as turned the wrong way."""
MISSED_GAP_MM = 99.0
"""Error that stands for a gap which was not reported at all."""


@dataclass(frozen=True)
class Goal:
    """A figure's name and what it has to be."""

    figure: str
    sign: str = "<="
    value: float | None = 0.0
    """None: told, not judged."""

    def met(self, figure: float) -> bool:
        if self.value is None:
            return True
        return figure >= self.value - 1e-9 if self.sign == ">=" else figure <= self.value + 1e-9


GOALS = (
    Goal("states seen", ">=", 1.0),
    Goal("pieces found", ">=", 1.0),
    Goal("false pieces"),
    Goal("faces right", ">=", 0.995),
    Goal("faces wrong with confidence"),
    Goal("turned the wrong way"),
    Goal("corner error rms px", "<=", 0.8),
    Goal("gap error p95 mm", "<=", 0.7),
    Goal("gap sigma honest (rms error/sigma)", "<=", 1.5),
    Goal("stacking right", ">=", 1.0),
    Goal("layout faults found", ">=", 1.0),
    Goal("false layout rulings"),
    Goal("claims right", ">=", 1.0),
    Goal("false claims"),
    Goal("duels right", ">=", 1.0),
    Goal("final score right", ">=", 1.0),
    Goal("questions", "<=", None),
)


@dataclass
class Tally:
    """Counts and errors over one or several clips."""

    counts: Counter[str] = field(default_factory=Counter)
    corner_px: list[float] = field(default_factory=list)
    gap_mm: list[float] = field(default_factory=list)
    gap_sigmas: list[float] = field(default_factory=list)
    goals = GOALS

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.counts + other.counts,
            self.corner_px + other.corner_px,
            self.gap_mm + other.gap_mm,
            self.gap_sigmas + other.gap_sigmas,
        )

    def told(self) -> str:
        """What it is made of."""
        n = self.counts
        return (
            f"over {n['states']} states, {n['objects']} pieces in view, {len(self.gap_mm)} gaps, {n['stacks']} overlaps"
        )

    def share(self, part: str, whole: str) -> float:
        return self.counts[part] / self.counts[whole] if self.counts[whole] else 1.0

    def figures(self) -> dict[str, float]:
        """Every figure of `GOALS`."""
        n = self.counts
        return {
            "states seen": self.share("states seen", "states"),
            "pieces found": self.share("found", "objects"),
            "false pieces": n["false pieces"],
            "faces right": self.share("faces right", "objects"),
            "faces wrong with confidence": n["faces wrong"],
            "turned the wrong way": n["turned"],
            "corner error rms px": _rms(self.corner_px, MISSED_GAP_MM),
            "gap error p95 mm": float(np.percentile(self.gap_mm, 95)) if self.gap_mm else 0.0,
            "gap sigma honest (rms error/sigma)": _rms(self.gap_sigmas, 0.0),
            "stacking right": self.share("stacks right", "stacks"),
            "layout faults found": self.share("faults found", "faults"),
            "false layout rulings": n["false faults"],
            "claims right": self.share("claims right", "claims"),
            "false claims": n["false claims"],
            "duels right": self.share("duels right", "duels"),
            "final score right": self.share("scores right", "scores"),
            "questions": n["questions"],
        }


def judge(report: Json, truth: Json) -> Tally:
    """Compares one report with the truth of its footage."""
    tally = Tally()
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for state, scene in settled(report, truth):
        tally.counts["states"] += 1
        if scene is not None:
            tally.counts["states seen"] += 1
            _judge_scene(scene, state, tally, votes)
    names = {piece: count.most_common(1)[0][0] for piece, count in votes.items()}
    _judge_rulings(report, truth, names, tally)
    return tally


def settled(report: Json, truth: Json) -> Iterator[tuple[Json, Json | None]]:
    """Every true state that lasts long enough, with the report's last scene within it or None."""
    for state in truth["states"]:
        if state["t1"] - state["t0"] >= LONG_ENOUGH_S:
            within = [s for s in report["scenes"] if state["t0"] - BEFORE_S <= s["t"] <= state["t1"] + AFTER_S]
            yield state, within[-1] if within else None


# ---- what was seen -----------------------------------------------------------------------------------------------


def _judge_scene(scene: Json, state: Json, tally: Tally, votes: dict[str, Counter[str]]) -> None:
    pieces, objects = scene["pieces"], state["objects"]
    matched = match(pieces, objects)
    in_view = [o for o in objects if o.get("visible_in_frame_fraction", 1.0) >= VISIBLE]
    in_view_ids = {o["id"] for o in in_view}
    n = tally.counts
    n["false pieces"] += len(pieces) - len(matched)
    n["objects"] += len(in_view)
    for o in in_view:
        piece = matched.get(o["id"])
        if piece is not None:
            n["found"] += 1
            votes[piece["id"]][o["id"]] += 1
            _judge_piece(piece, o, tally)
    id_of = {object_id: piece["id"] for object_id, piece in matched.items()}

    gaps = {frozenset((g["a"], g["b"])): g for g in scene.get("gaps", [])}
    for gap in state.get("gaps", []):
        if gap["gap_mm"] > GAP_REACH_MM or not {gap["a"], gap["b"]} <= in_view_ids:
            continue
        got = gaps.get(frozenset((id_of.get(gap["a"]), id_of.get(gap["b"]))))
        if got is None:
            tally.gap_mm.append(MISSED_GAP_MM)
            continue
        error = got["mm"] - gap["gap_mm"]
        tally.gap_mm.append(abs(error))
        tally.gap_sigmas.append(error / max(got.get("sigma_mm") or 0.0, 1e-3))

    on_top = {(q["over"], q["under"]) for q in scene.get("overlaps", [])}
    for o in objects:
        for q in o.get("overlaps", []):
            if q["on_top"] == o["id"] and q["area_mm2"] >= OVERLAP_MM2 and {o["id"], q["id"]} <= in_view_ids:
                n["stacks"] += 1
                n["stacks right"] += (id_of.get(o["id"]), id_of.get(q["id"])) in on_top


def _judge_piece(piece: Json, o: Json, tally: Tally) -> None:
    got, want = piece["face"], o["kind"] if o.get("face_up", True) else "back"
    if got not in (want, o["face"]):
        tally.counts["faces wrong"] += got not in ("unknown", "", None)
        return
    tally.counts["faces right"] += 1
    seen, true = np.array(piece["corners_px"], float), np.array(o["corners_px"], float)
    straight = np.linalg.norm(seen - true, axis=1)
    turned = np.linalg.norm(np.roll(seen, 2, axis=0) - true, axis=1)
    # Backs and carpets may look the same either way round.
    if turned.mean() + TURN_MARGIN_PX < straight.mean() and want != "back" and not want.startswith("carpet"):
        tally.counts["turned"] += 1
    tally.corner_px += (np.minimum(straight, turned) if turned.mean() < straight.mean() else straight).tolist()


def match(pieces: Sequence[Json], objects: Sequence[Json]) -> dict[str, Json]:
    """True object id -> report piece, one to one, the best overlaps first."""
    seen, true = [_polygon(p["corners_px"]) for p in pieces], [_polygon(o["corners_px"]) for o in objects]
    pairs = sorted(((_iou(a, b), i, j) for i, a in enumerate(seen) for j, b in enumerate(true)), reverse=True)
    taken: set[int] = set()
    matched: dict[str, Json] = {}
    for share, i, j in pairs:
        if share < SAME_PIECE_IOU:
            break
        if i not in taken and objects[j]["id"] not in matched:
            taken.add(i)
            matched[objects[j]["id"]] = pieces[i]
    return matched


def _polygon(corners: Sequence[Sequence[float]]) -> Polygon:
    polygon = Polygon(corners)
    return polygon if polygon.is_valid else polygon.buffer(0)


def _iou(a: Polygon, b: Polygon) -> float:
    union = a.union(b).area
    return a.intersection(b).area / union if union else 0.0


def _rms(values: Iterable[float], of_none: float) -> float:
    squares = np.square(list(values))
    return float(np.sqrt(squares.mean())) if squares.size else of_none


# ---- what was ruled ----------------------------------------------------------------------------------------------

Fault = tuple[str, frozenset[str | None]]


def _judge_rulings(report: Json, truth: Json, names: dict[str, str], tally: Tally) -> None:
    n, rulings, questions = tally.counts, report.get("rulings", []), report.get("questions", [])

    def true_ids(ruling: Json) -> frozenset[str | None]:
        return frozenset(names.get(p) for p in ruling.get("pieces", []))

    # An honest question about the same pieces is as good as the ruling; but a false ruling is false.
    asked = {true_ids(q) for q in questions}
    faults: set[Fault] = {(v["kind"], frozenset(v["ids"])) for v in truth.get("layout_violations", [])}
    ruled: set[Fault] = {
        (r["rule"].rsplit(".", 1)[1], true_ids(r))
        for r in rulings
        if r["rule"] in ("carpets.layout.gap", "carpets.layout.reach")
    }
    n["faults"] += len(faults)
    n["faults found"] += sum(f[1] in asked or any(_same_fault(r, f) for r in ruled) for f in faults)
    n["false faults"] += sum(not any(_same_fault(r, f) for f in faults) for r in ruled)

    player = {p["number"]: p["name"] for p in truth.get("players", [])}
    claims = {(player.get(c["player"], str(c["player"])), c["card"]) for c in truth.get("claims", [])}
    claimed = {
        (r.get("player"), card)
        for r in rulings
        if r["rule"] == "carpets.claim"
        for card in true_ids(r)
        if card and not card.startswith(("carpet", "djinn"))
    }
    n["claims"] += len(claims)
    n["claims right"] += len(claims & claimed)
    n["false claims"] += len(claimed - claims)

    duels = {(d["card"], player.get(d["winner"], str(d["winner"]))) for d in truth.get("duels", [])}
    fought = {(card, r.get("player")) for r in rulings if r["rule"] == "carpets.duel" for card in true_ids(r)}
    n["duels"] += len(duels)
    n["duels right"] += len(duels & fought)

    scores = report.get("scores", {})
    n["scores"] += 1
    n["scores right"] += all(scores.get(name) == value for name, value in truth.get("final_scores", {}).items())
    n["questions"] += len(questions)


def _same_fault(ruled: Fault, true: Fault) -> bool:
    """A gap has two culprits, both named; a card out of reach has one, and may be named along with others."""
    return ruled[0] == true[0] and (ruled[1] == true[1] if true[0] == "gap" else bool(ruled[1] & true[1]))
