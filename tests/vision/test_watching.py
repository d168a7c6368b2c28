"""Through the front door: frames in, scenes out, the same id for the same piece whatever happens at the table."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from tests.tablegen.film import Shot
from tests.tablegen.hand import Reach
from tests.tablegen.moves import Stop, fly, rest, visit
from tests.tablegen.sheet import Sheet, settle
from tests.vision.stage import Stage, observe, watch
from vision.deck import Deck
from vision.frame import ArrayFrame
from vision.observer import Observation, Observer
from vision.scene import Scene

PLACES = {
    "palace_a": (-140, 50, 12), "desert_a": (-50, 45, 95), "treasure_b": (140, -55, 203), "lamp_b": (-120, -50, 265),
    "adventure_1_a": (60, 50, 170), "palace_b": (140, 50, 350),
}  # fmt: skip


class Evening:
    """Writes the shots of what happens at a table, one after another."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.rng = np.random.default_rng(stage.seed)
        self.stack: tuple[Sheet, ...] = ()
        self.shots: list[Shot] = []

    def hold(self, seconds: float = 1.0) -> Evening:
        self.shots += rest(self.stack, seconds)
        return self

    def becomes(self, *sheets: Sheet) -> Evening:
        self.stack = tuple(settle(list(sheets)))
        return self

    def hand(self, x: float, y: float, *after: Sheet, held: Sequence[Sheet] = (), wait: int = 1) -> Evening:
        """A hand comes to (x, y) and leaves the table as `after`."""
        there = tuple(settle(list(after)))
        stops = [Stop(x, y, there, (), wait)]
        self.shots += visit(self.stage.camera, "S", self.stack, tuple(held), stops, self.rng, 0)
        self.stack = there
        return self

    def throw(self, rug: Sheet, *after: Sheet) -> Evening:
        self.shots += fly(self.stage.camera, "W", self.stack, rug, self.rng)
        return self.becomes(*after)

    def film(self) -> list[ArrayFrame]:
        return self.stage.film(self.shots)


def cards(stage: Stage, *names: str) -> list[Sheet]:
    return [stage.sheet(name, *PLACES[name]) for name in names or PLACES]


def ids(scene: Scene) -> dict[str, str]:
    """Print to id."""
    out = {p.print: p.id for p in scene.pieces}
    assert len(out) == len(scene.pieces)
    return out


def fresh(scenes: list[Scene]) -> list[Scene]:
    """Without scenes that only say that all is as it was."""
    out: list[Scene] = []
    for s in scenes:
        if not out or msgspec.structs.replace(s, t=0.0) != msgspec.structs.replace(out[-1], t=0.0):
            out.append(s)
    return out


@pytest.fixture(scope="module")
def evening(deck: Deck) -> tuple[Stage, list[Observation], list[Observation]]:
    """Cards are laid out, a hand passes, one is pushed, carpets are thrown over it, and it is uncovered again.

    All of it watched by two observers.
    """
    stage = Stage.of(deck, 3, table="oak", codec="h264", quality=22, jitter_px=0.3)
    all_ = cards(stage)
    first, last = all_[:5], all_[5]
    pushed = [replace(s, x=s.x + 14, y=s.y - 6, angle=s.angle + 9) if s.id == "desert_a" else s for s in all_]
    rug = stage.sheet("carpet_red", -60, 20, 70)
    over = stage.sheet("carpet_blue", -40, 38, 100)
    e = Evening(stage).hold(0.9).becomes(*first)
    e.hand(0, 0, *first).hold()  # 1: five cards
    e.hand(140, 50, *all_, held=[last]).hold(1.8)  # 2: the sixth
    e.hand(0, -20, *all_, wait=3).hold()  # 3: a hand was there
    e.hand(-50, 45, *pushed).hold()  # 4: one was pushed
    e.throw(rug, *pushed, rug).hold()  # 5: a carpet lies over it
    e.throw(over, *pushed, rug, over).hold()  # 6: two do
    e.hand(-45, 40, *pushed).hold()  # 7: both are taken up
    frames = e.film()
    return stage, observe(Observer(deck), frames, finish=True), observe(Observer(deck), frames, finish=True)


def test_every_still_is_told_and_nothing_in_between(
    evening: tuple[Stage, list[Observation], list[Observation]],
) -> None:
    told = fresh([o.scene for o in evening[1]])
    assert [len(s.pieces) for s in told][:-1] == [0, 5, 6, 6, 6, 7, 8]
    assert all(a.t < b.t for a, b in itertools.pairwise(told))


def test_ids_stay_across_hands_pushes_and_cover(evening: tuple[Stage, list[Observation], list[Observation]]) -> None:
    told = fresh([o.scene for o in evening[1]])
    first = ids(told[1])
    for scene in told[1:]:
        now = ids(scene)
        assert {k: now.get(k) for k in first} == first
    assert len(set(ids(told[-2]).values())) == 8
    assert ids(told[4]).items() <= ids(told[-1]).items()


def test_a_carpet_that_was_taken_up_is_gone(evening: tuple[Stage, list[Observation], list[Observation]]) -> None:
    """It cannot have slipped under the card on which it lay, however well that card covers the place."""
    told = fresh([o.scene for o in evening[1]])
    assert ids(told[-1]) == ids(told[4])


def test_two_observers_of_the_same_frames_agree_to_the_last_bit(
    evening: tuple[Stage, list[Observation], list[Observation]],
) -> None:
    _, one, two = evening
    assert msgspec.json.encode([o.scene for o in one]) == msgspec.json.encode([o.scene for o in two])
    assert all(np.array_equal(a.picture, b.picture) for a, b in zip(one, two, strict=True))


def test_a_card_under_two_carpets_is_where_it_was(evening: tuple[Stage, list[Observation], list[Observation]]) -> None:
    """It was pushed before; what the cards under the carpets are must be told while they are covered."""
    told = fresh([o.scene for o in evening[1]])
    name = {p.id: p.print for p in told[6].pieces}
    over = {(name[o.over], name[o.under]) for o in told[6].overlaps}
    assert {("carpet_red", "desert_a"), ("carpet_blue", "carpet_red")} <= over
    place = {p.print: np.array(p.outline_mm) for p in told[6].pieces}
    before = {p.print: np.array(p.outline_mm) for p in told[4].pieces}
    for card in before:
        assert np.abs(place[card] - before[card]).max() < 0.6, card


def test_the_picture_that_was_measured_comes_with_it(
    evening: tuple[Stage, list[Observation], list[Observation]],
) -> None:
    for o in evening[1]:
        assert o.picture.shape == (360, 640, 3)
        assert o.scene.size_px == (640, 360)


@pytest.mark.parametrize(("x", "share"), [(-79, 0.36), (-72, 0.27), (-66, 0.2), (-60, 0.13)])
def test_a_card_mostly_hidden_keeps_its_name_and_its_place(deck: Deck, x: float, share: float) -> None:
    """A carpet falls on it so that less is left in view than it would take to find it anew."""
    stage = Stage.of(deck, 6, table="oak")
    laid = cards(stage, "adventure_1_a", "treasure_b", "lamp_b", "desert_a")
    rug = stage.sheet("carpet_red", x, 45, 100)
    scenes = watch(
        Observer(deck), stage.film([*rest(tuple(settle(laid)), 1.0), *rest(tuple(settle([*laid, rug])), 1.0)])
    )
    truth = stage.truth([*laid, rug])["objects"]["desert_a"]
    assert truth["visible_in_frame_fraction"] == pytest.approx(share, abs=0.05)
    before, after = fresh(scenes)[-2:]
    assert {k: v for k, v in ids(after).items() if k != "carpet_red"} == ids(before)
    piece = next(p for p in after.pieces if p.print == "desert_a")
    assert np.abs(np.array(piece.corners_px) - np.array(truth["corners_px"])).max() < 1.0
    name = {p.id: p.print for p in after.pieces}
    assert [(name[o.over], name[o.under]) for o in after.overlaps] == [("carpet_red", "desert_a")]


REACHES = [(20.0, -10.0, -80.0), (26.0, -4.0, -78.0), (40.0, 20.0, -60.0)]
"""Where a hand rests, then after its fingers moved a little, then over another card."""


def test_a_hand_at_rest_is_not_measured_and_what_lies_there_keeps_its_ids(deck: Deck) -> None:
    stage = Stage.of(deck, 4)
    laid = settle(cards(stage, "palace_a", "treasure_b", "lamp_b", "palace_b"))
    e = Evening(stage).hold(0.9).becomes(*laid).hold(1.0)
    spans = []
    for x, y, elbow in REACHES:
        spans.append((len(e.shots) / 10, len(e.shots) / 10 + 1.0))
        e.shots += [Shot(e.stack, (), Reach(x, y, elbow, 30.0))] * 11
    e.hold(1.2)
    observer = Observer(deck)
    scenes: list[Scene] = []
    words = set()
    for frame in e.film():
        seen = observer.look(frame)
        if any(a + 0.85 < frame.t < b for a, b in spans):  # by then the still has been looked at
            words.add(observer.status)
        if seen is not None:
            scenes.append(seen.scene)
    before, after = spans[0][0], spans[-1][1]
    assert [s.t for s in scenes if before < s.t <= after] == []
    assert words == {"hand"}
    assert ids(scenes[-1]) == ids([s for s in scenes if s.t < before][-1])
    assert observer.status == "still"


@pytest.mark.parametrize(("roll_deg", "tilt_deg"), [(1.6, 7.5), (0.3, 0.0)])
def test_a_knock_against_the_camera_is_noticed_and_ids_stay(deck: Deck, roll_deg: float, tilt_deg: float) -> None:
    stage = Stage.of(deck, 5, table="oak")
    laid = tuple(settle(cards(stage)))
    knocked = stage.knocked(roll_deg=roll_deg, tilt_deg=tilt_deg)
    frames = stage.film([*rest(laid, 1.0), *[Shot(laid, camera=1)] * 12], cameras=[knocked])
    before, after = fresh(watch(Observer(deck), frames))[-2:]
    assert after.camera.epoch == before.camera.epoch + 1
    assert ids(after) == ids(before)
    truth = stage.truth(laid, knocked)
    for p in after.pieces:
        assert np.abs(np.array(p.corners_px) - np.array(truth["objects"][p.print]["corners_px"])).max() < 0.8
    name = {p.id: p.print for p in after.pieces}
    for gap in after.gaps:
        want = truth["gaps"][frozenset((name[gap.a], name[gap.b]))]
        assert abs(gap.mm - want) < 4 * gap.sigma_mm


def test_cards_that_are_pushed_are_no_knock_against_the_camera(deck: Deck) -> None:
    stage = Stage.of(deck, 5, table="oak")
    laid = cards(stage)
    shoved = [replace(s, x=s.x + 6, y=s.y + 3) if s.id in ("palace_a", "desert_a") else s for s in laid]
    e = Evening(stage).becomes(*laid).hold(1.0).hand(-60, 40, *shoved).hold(1.0)
    scenes = fresh(watch(Observer(deck), e.film()))
    assert scenes[-1].camera.epoch == scenes[0].camera.epoch == 0
    assert ids(scenes[-1]) == ids(scenes[0])
    moved = {p.print: np.array(p.outline_mm)[0] for p in scenes[-1].pieces}
    was = {p.print: np.array(p.outline_mm)[0] for p in scenes[0].pieces}
    # the table's y runs down, the stage's up
    assert moved["palace_a"] - was["palace_a"] == pytest.approx([6, -3], abs=0.5)
    assert moved["lamp_b"] == pytest.approx(was["lamp_b"], abs=0.5)


def test_an_empty_table_is_a_scene_without_pieces(deck: Deck) -> None:
    stage = Stage.of(deck)
    observer = Observer(deck)
    (scene,) = watch(observer, stage.still([]))
    assert scene.pieces == ()
    assert not scene.camera.solved
    assert observer.status == "learning_camera"
