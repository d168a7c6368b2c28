"""Somebody knocks against the camera in the middle of a game: the whole table, from frames to rulings.

A virtual camera films a layout with two cards too near each other; it is moved, and then a hand mends the layout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from device.state import Event
from device.table import Table
from rules.games import make_referee, things
from rules.history import Seen
from rules.protocol import Ruling
from rules.session import Player, Session
from tests.device.fakes import MemoryLog
from tests.tablegen import load_deck
from tests.tablegen.camera import TableCamera
from tests.tablegen.moves import Stop, rest, visit
from tests.tablegen.sheet import settle
from tests.vision.stage import Stage, camera_for
from vision.observer import Observer

SESSION = Session(
    game="carpets",
    deck="carpets",
    player=tuple(
        Player(number=n, name=name, side=side, carpet=carpet)  # type: ignore[arg-type]
        for n, (name, side, carpet) in enumerate((("Ana", "S", "red"), ("Ben", "W", "blue"), ("Cem", "E", "green")), 1)
    ),
)
BUMP_S = 1.5
PLACES = {
    "palace_a": (-150, 50, 2), "desert_a": (-57, 48, 95), "treasure_b": (140, -55, 203), "lamp_b": (-120, -50, 265),
    "palace_b": (100, 50, 2), "adventure_1_a": (33, 50, 0),
}  # fmt: skip
NEAR = ("adventure_1_a", "palace_b")
"""Less than seven millimetres apart; the rules want ten."""


def pushed(stage: Stage) -> TableCamera:
    """Two millimetres to the side and nothing else: the least that must be noticed."""
    return camera_for(stage.spec, stage.size, look_at=(2.0, 0.0))


def turned(stage: Stage) -> TableCamera:
    return stage.knocked(roll_deg=1.6, tilt_deg=7.5)


class Evening:
    """What the table said, frame by frame."""

    def __init__(self, moved: Callable[[Stage], TableCamera]) -> None:
        self.stage = stage = Stage.of(load_deck(), 5, table="oak")
        self.camera = moved(stage)
        sheets = [stage.sheet(name, *place) for name, place in PLACES.items()]
        mended = [stage.sheet("palace_b", 112, 50, 2) if s.id == "palace_b" else s for s in sheets]
        self.laid, last = tuple(settle(sheets)), tuple(settle(mended))
        shots = rest(self.laid, BUMP_S)
        self.hand_s = BUMP_S + 1.4
        hand = visit(self.camera, "E", self.laid, (), [Stop(100, 50, last)], np.random.default_rng(1), 0)
        shots += [replace(shot, camera=1) for shot in [*rest(self.laid, 1.4), *hand, *rest(last, 1.0)]]
        log = MemoryLog()
        observer = Observer(stage.deck, things(SESSION))
        table = Table(SESSION, stage.deck, observer, lambda: make_referee(SESSION), log)
        self.rulings: list[tuple[float, str]] = []
        self.words: dict[float, str] = {}
        """What the screen says of the looking, by time."""
        now = 0.0

        def hear(event: Event) -> None:
            if isinstance(event.output, Ruling):
                self.rulings.append((now, event.output.rule))

        table.subscribe(hear)
        for frame in stage.film(shots, cameras=[self.camera]):
            now = frame.t
            table.feed(frame)
            self.words[now] = table.status().observer
        table.finish()
        self.scenes = [entry.scene for entry in log.entries if isinstance(entry, Seen)]


@pytest.fixture(scope="module", params=[pushed, turned])
def evening(request: pytest.FixtureRequest) -> Evening:
    return Evening(request.param)


def test_a_bump_is_noticed_within_a_second_and_nothing_is_ruled_from_it(evening: Evening) -> None:
    assert evening.words[BUMP_S] == "moving"
    before = [s for s in evening.scenes if s.t < BUMP_S][-1]
    after = next(s for s in evening.scenes if s.t >= BUMP_S)
    assert after.t - BUMP_S < 1.0
    assert (before.camera.epoch, after.camera.epoch) == (0, 1), "the camera's model was solved again"
    assert [rule for t, rule in evening.rulings if t < BUMP_S] == ["carpets.session", "carpets.layout.gap"]
    assert [rule for t, rule in evening.rulings if BUMP_S <= t < evening.hand_s] == []


def test_pieces_keep_their_ids_and_are_measured_by_the_new_model(evening: Evening) -> None:
    first, after = evening.scenes[0], next(s for s in evening.scenes if s.t >= BUMP_S)
    ids = [{p.print: p.id for p in s.pieces} for s in (first, *evening.scenes)]
    assert len(ids[0]) == len(PLACES)
    assert all(one == ids[0] for one in ids)
    truth = evening.stage.truth(evening.laid, evening.camera)
    for p in after.pieces:
        assert np.abs(np.array(p.corners_px) - np.array(truth["objects"][p.print]["corners_px"])).max() < 0.8
    names = {p.id: p.print for p in after.pieces}
    (gap,) = [g for g in after.gaps if {names[g.a], names[g.b]} == set(NEAR)]
    assert abs(gap.mm - truth["gaps"][frozenset(NEAR)]) < 3 * gap.sigma_mm


def test_the_game_goes_on_with_what_was_wrong_before(evening: Evening) -> None:
    assert [rule for t, rule in evening.rulings if t >= evening.hand_s] == ["carpets.layout.cleared"]
