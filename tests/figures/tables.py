"""One random table: looked at, judged, and what was wrong told in words."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import cv2
import msgspec
import numpy as np

from device.evaluate import GOALS, VISIBLE, Tally, judge, match
from tests.tablegen import GeneratedStill, load_deck, make_deck, make_table, restyle_deck
from vision.deck import Deck
from vision.observer import Observation, Observer
from vision.scene import CameraState, Scene

JUDGED = ("states seen", "pieces found", "false pieces", "faces right", "faces wrong with confidence",
          "turned the wrong way", "corner error rms px", "gap error p95 mm", "stacking right")  # fmt: skip
"""What one table is held to; the honesty of sigma shows over many tables only."""
EMPTY: dict[str, Any] = {"cards": 0, "carpets": 0, "djinns": 0, "face_down": 0, "foreign": ()}


@dataclass
class TableFigures:
    """A table's figures and faults."""

    seed: int
    where: str
    """Deck, table, light, camera: what a person wants to know of a table that was seen badly."""
    tally: Tally
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0
    hand_seen: bool | None = None
    """With a hand in view: whether it was noticed, and no scene measured. None: there was no hand."""

    @property
    def short(self) -> list[str]:
        """Figures that do not reach their goals."""
        if self.hand_seen is not None:
            return [] if self.hand_seen else ["hand noticed"]
        figures = self.tally.figures()
        return [g.figure for g in GOALS if g.figure in JUDGED and not g.met(figures[g.figure])]

    def line(self) -> str:
        figures = self.tally.figures()
        told = [f"{name} {figures[name]:.2f}" for name in self.short if name in figures]
        told += [f"missed {x}" for x in self.missed] + [f"false {x}" for x in self.false]
        told += [f"wrong {x}" for x in self.wrong]
        if self.hand_seen is False:
            told.append("measured with a hand in view")
        return f"{self.seed}: {self.where}: {'; '.join(told)}"


def deck_of(seed: int) -> Deck:
    """By turns the shipped deck, one drawn at random, and the shipped one printed otherwise."""
    if seed % 3 == 0:
        return load_deck()
    return make_deck(seed) if seed % 3 == 1 else restyle_deck(load_deck(), seed)


def judge_table(seed: int) -> TableFigures:
    """Draws the table of a seed, looks at it through the front door, judges what was seen."""
    cv2.setNumThreads(1)
    still = make_table(seed, deck_of(seed))
    observer = Observer(still.deck)
    begun = time.perf_counter()
    seen = look(observer, still)
    out = TableFigures(seed, where_of(still), Tally(), seconds=time.perf_counter() - begun)
    if seen:
        judge_scene(still, seen[-1].scene, out)
    else:
        # As if nothing had been found, which is what a player has of it.
        judge_scene(still, Scene(t=0.5, camera=CameraState(solved=False, rms_px=0.0)), out)
        out.tally.counts["states seen"] = 0
        out.missed = ["the whole still"]
    return out


def judge_hand(seed: int) -> TableFigures:
    """An empty table first, then the table of a seed with a hand in view: no scene may come of it."""
    cv2.setNumThreads(1)
    deck = deck_of(seed)
    empty = make_table(seed, deck, frames=6, **EMPTY)
    full = make_table(seed, deck, frames=6, hand=True)
    observer = Observer(deck)
    look(observer, empty, finish=False)
    seen = [o for o in look(observer, full, t0=1.0) if o.scene.t > 0.9]
    return TableFigures(seed, where_of(full), Tally(), hand_seen=not seen)


def look(observer: Observer, still: GeneratedStill, t0: float = 0.0, *, finish: bool = True) -> list[Observation]:
    """What an observer makes of a still's frames."""
    seen = [observer.look(frame) for frame in still.as_frames(t0)]
    return [o for o in [*seen, observer.finish() if finish else None] if o is not None]


def report_of(scenes: list[Scene]) -> dict[str, Any]:
    """As much of a report as is needed to judge what was seen."""
    return {"scenes": msgspec.to_builtins(scenes), "rulings": [], "questions": [], "scores": {}}


def judge_scene(still: GeneratedStill, scene: Scene, out: TableFigures) -> None:
    """Fills in the tally and the words."""
    report, truth = report_of([scene]), still.clip_truth()
    out.tally = judge(report, truth)
    pieces, objects = report["scenes"][0]["pieces"], truth["states"][0]["objects"]
    matched = match(pieces, objects)
    for o in objects:
        want = o["kind"] if o["face_up"] else "back"
        part = f"{o['visible_in_frame_fraction']:.2f} of {o['id']} ({want})"
        piece = matched.get(o["id"])
        if o["visible_in_frame_fraction"] < VISIBLE:
            continue
        if piece is None:
            out.missed.append(part)
        elif piece["face"] not in (want, o["face"]):
            out.wrong.append(f"{part}: {piece['face']} {piece['confidence']:.2f}")
    ours = {id(p) for p in matched.values()}
    for p in pieces:
        if id(p) not in ours:
            at = np.mean(p["corners_px"], axis=0)
            out.false.append(f"{p['face']} {p['confidence']:.2f} at {at[0]:.0f},{at[1]:.0f}")


def where_of(still: GeneratedStill) -> str:
    s = still.spec
    foreign = f" with {', '.join(s.foreign)}" if s.foreign else ""
    return (
        f"{still.deck.name} deck on {s.table}, {s.light}, tilt {s.tilt_deg:.0f}, k1 {s.k1:+.2f}, "
        f"blur {s.blur_px:.1f}, {s.codec} {s.quality}{foreign}"
    )
