"""From still to ruling on a full table: 12 cards and 4 carpets, 1280 x 720; and what a frame costs when all rests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from rules.games import make_referee
from rules.protocol import Referee
from rules.session import Player, Session
from tests.bench.machine import Took, in_ms, timed
from tests.tablegen import draw_spec, load_deck, make_table
from tests.tablegen.film import Film
from tests.tablegen.hand import Skin
from tests.tablegen.moves import rest
from tests.tablegen.sheet import Sheet, settle
from tests.tablegen.studio import Studio
from vision.frame import ArrayFrame
from vision.observer import Observer
from vision.still import SMALL

TABLES = range(2000, 2006)
STILL_S = 1.4
GOAL_MS = 150.0
IDLE_GOAL_MS = 2.0


@dataclass
class Times:
    first: list[Took] = field(default_factory=list)
    second: list[Took] = field(default_factory=list)
    card: list[Took] = field(default_factory=list)
    carpet: list[Took] = field(default_factory=list)
    nothing: list[Took] = field(default_factory=list)
    idle: list[Took] = field(default_factory=list)
    idle_small: list[Took] = field(default_factory=list)


class WithSmall(ArrayFrame):
    """A frame of a camera that delivers a small grey picture of its own beside the large one (a Pi's lores stream)."""

    def __init__(self, frame: ArrayFrame) -> None:
        super().__init__(frame.t, frame.bgr())
        height, width = self.luma.shape
        size = (width // SMALL, height // SMALL)
        self.small = np.asarray(cv2.resize(self.luma, size, interpolation=cv2.INTER_AREA), np.uint8)


def bench_stills() -> dict[str, Any]:
    times = Times()
    for seed in TABLES:
        _one_table(seed, times)
    return {
        "still_to_ruling": {
            "of": f"12 cards and 4 carpets, 1280x720, {len(TABLES)} random tables; the frame that completes a still, "
            "looked at and ruled upon",
            "card_newly_laid": in_ms(times.card, GOAL_MS),
            "carpet_newly_thrown": in_ms(times.carpet, GOAL_MS),
            "nothing_new": in_ms(times.nothing, GOAL_MS),
            "first_look_at_the_full_table": in_ms(times.first),
            "second_look_once_it_has_rested": in_ms(times.second),
        },
        "idle_frame": {"of": "a frame of a table at rest that was measured already", **in_ms(times.idle, IDLE_GOAL_MS)},
        "idle_frame_with_lores": {
            "of": "the same from a camera that delivers a small grey picture beside the large one, as a Pi's does",
            **in_ms(times.idle_small, IDLE_GOAL_MS),
        },
    }


def _one_table(seed: int, times: Times) -> None:
    """Lays out a table with one card missing, then that card; throws four carpets; a hand passes; looks on."""
    deck = load_deck()
    scene = make_table(seed, deck, frames=1, cards=12, carpets=4, djinns=0, face_down=0, foreign=(),
                       throws=("on", "across", "on", "carpet"))  # fmt: skip
    cards = [s for s in scene.stack if not s.kind.startswith("carpet")]
    rugs = [s for s in scene.stack if s.kind.startswith("carpet")]
    full = list(scene.stack)
    tables = [[s for s in full if s in cards[:-1]], cards]
    tables += [[s for s in full if s in cards or s in rugs[: k + 1]] for k in range(len(rugs))]
    # Last: the newest card is taken up and laid down again on the full table, and somebody's hand passes over it.
    tables += [[s for s in full if s is not cards[-1]], full, full]
    frames = film(seed, scene.camera, tables)
    observer, referee = Observer(deck), make_referee(session())
    for k, group in enumerate(frames):
        bin_ = {1: times.card, len(tables) - 2: times.card, len(tables) - 1: times.nothing}.get(k)
        if 2 <= k < 2 + len(rugs):
            bin_ = times.carpet
        if k == len(tables) - 1:  # something moves, and then all is as it was
            observer.look(ArrayFrame(group[0].t - 0.05, frames[k - 2][0].bgr()))
        _feed(observer, referee, group, bin_, times.idle)
    observer, referee = Observer(deck), make_referee(session())
    _feed(observer, referee, frames[-1], times.first, [])
    times.second.append(timed(observer.finish)[1])
    _feed(Observer(deck), make_referee(session()), [WithSmall(f) for f in frames[-1]], None, times.idle_small)


def _feed(
    observer: Observer, referee: Referee, frames: list[ArrayFrame], out: list[Took] | None, idle: list[Took]
) -> None:
    measured = False
    for frame in frames:
        frame.luma  # noqa: B018 - a camera delivers it; making it from BGR is the test's own doing
        seen, took = timed(lambda frame=frame: _look(observer, referee, frame))
        if measured:  # what comes now is the same still
            idle.append(took)
        elif seen and out is not None:
            out.append(took)
        measured |= seen


def _look(observer: Observer, referee: Referee, frame: ArrayFrame) -> bool:
    seen = observer.look(frame)
    if seen is not None:
        referee.see(seen.scene)
    return seen is not None


def film(seed: int, camera: Any, tables: list[list[Sheet]]) -> list[list[ArrayFrame]]:
    """Frames of one table after another."""
    spec = draw_spec(seed)
    studio = Studio.of(spec, seed, load_deck(), camera)
    shots, ends = [], []
    for sheets in tables:
        shots += rest(tuple(settle(sheets)), STILL_S)
        ends.append(len(shots))
    frames = list(Film(studio, (camera,), (Skin.random(np.random.default_rng(seed)),), tuple(shots), seed).frames())
    starts = [0, *ends[:-1]]
    return [frames[a:b] for a, b in zip(starts, ends, strict=True)]


def session() -> Session:
    seats = (("Ana", "S", "red"), ("Ben", "W", "blue"), ("Clara", "N", "green"), ("David", "E", "yellow"))
    players = tuple(
        Player(number=i, name=n, side=s, carpet=c)  # type: ignore[arg-type]
        for i, (n, s, c) in enumerate(seats, 1)
    )
    return Session(game="carpets", deck="carpets", player=players)
