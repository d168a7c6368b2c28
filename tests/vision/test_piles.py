"""What lies on what, what lies there that is no piece, and what lies face down."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from shapely.geometry import Polygon

from tests.figures.boards import average
from tests.tablegen import make_board, make_deck
from tests.tablegen.sheet import Sheet
from tests.tablegen.things import THINGS, make_thing
from tests.vision.stage import Stage, see
from vision.deck import Deck
from vision.scene import BACK, UNKNOWN, Scene
from vision.seer import Seer
from vision.still import StillPicture

BASE = [("palace_a", -140, 50, 12), ("desert_a", 145, 45, 95), ("treasure_b", 140, -55, 203)]
"""Three cards at the sides, so that the camera is solved whatever lies in the middle."""


def base(stage: Stage) -> list[Sheet]:
    return [stage.sheet(*where) for where in BASE]


def pairs(scene: Scene) -> dict[frozenset[str], tuple[str, float, float]]:
    """The two that overlap: who lies on top, how sure, mm²."""
    name = {p.id: p.print for p in scene.pieces}
    return {frozenset((name[o.over], name[o.under])): (name[o.over], o.confidence, o.area_mm2) for o in scene.overlaps}


def check_stacking(stage: Stage, sheets: list[Sheet], scene: Scene) -> None:
    """All overlaps are reported with the right one on top, the right area, and the right share in view."""
    truth = stage.truth(sheets)["objects"]
    found = pairs(scene)
    want = {frozenset((k, q["id"])): (q["on_top"], q["area_mm2"]) for k, o in truth.items() for q in o["overlaps"]}
    assert {k for k, (_, area) in want.items() if area > 25} <= set(found)
    for pair, (over, confidence, area) in found.items():
        top, mm2 = want.get(pair, ("nobody", 0.0))
        assert area == pytest.approx(mm2, abs=0.05 * mm2 + 25)
        if mm2 > 25:
            assert (over, pair) == (top, pair)
            assert confidence > 0.95
    for piece in scene.pieces:
        assert piece.visible == pytest.approx(truth[piece.print]["visible_in_frame_fraction"], abs=0.04)


def on_a_card(s: Stage) -> list[Sheet]:
    return [s.sheet("lamp_b", -50, 20, 30), s.sheet("carpet_red", -15, -10, 100)]


def across_two(s: Stage) -> list[Sheet]:
    return [s.sheet("lamp_b", -60, 10, 5), s.sheet("adventure_1_a", 40, -10, 170), s.sheet("carpet_blue", -10, 0, 85)]


def slid_under(s: Stage) -> list[Sheet]:
    return [s.sheet("carpet_green", -10, -30, 100), s.sheet("lamp_b", -50, 20, 30)]


def carpet_on_carpet(s: Stage) -> list[Sheet]:
    return [s.sheet("lamp_b", -60, 20, 5), s.sheet("carpet_red", -30, 0, 60), s.sheet("carpet_yellow", 15, -15, 110)]


def three_deep(s: Stage) -> list[Sheet]:
    return [
        s.sheet("bazaar_camel_a", -60, 15, 350),
        s.sheet("carpet_green", -15, 0, 75),
        s.sheet("carpet_red", 20, 5, 20),
    ]


def same_faces_crossed(s: Stage) -> list[Sheet]:
    return [s.sheet("palace_b", -30, 20, 20), s.sheet("palace_c", 20, -10, 100)]


@pytest.mark.parametrize(
    ("how", "table", "light"),
    [
        (on_a_card, "felt", "daylight"),
        (across_two, "oak", "side_lamp"),
        (slid_under, "plain_pale", "daylight"),
        (slid_under, "stripes", "evening"),
        (carpet_on_carpet, "felt", "evening"),
        (three_deep, "oak", "daylight"),
        (same_faces_crossed, "plain_dark", "ceiling"),
    ],
)
def test_who_lies_on_top(deck: Deck, how, table: str, light: str) -> None:
    stage = Stage.of(deck, table=table, light=light)
    sheets = base(stage) + how(stage)
    scene = see(deck, stage.still(sheets))
    assert sorted(p.print for p in scene.pieces) == sorted(s.id for s in sheets)
    check_stacking(stage, sheets, scene)


def test_two_that_only_touch_do_not_overlap(deck: Deck) -> None:
    stage = Stage.of(deck)
    sheets = [*base(stage), stage.sheet("lamp_b", -40, 10, 0), stage.sheet("carpet_red", -40 + 59.6, 10, 0)]
    scene = see(deck, stage.still(sheets))
    name = {p.id: p.print for p in scene.pieces}
    for o in scene.overlaps:
        assert {name[o.over], name[o.under]} == {"lamp_b", "carpet_red"}
        assert o.depth_mm < 2 * o.sigma_mm, "that there is an overlap at all must then be doubtful"
    gap = next(g for g in scene.gaps if {name[g.a], name[g.b]} == {"lamp_b", "carpet_red"})
    assert abs(gap.mm - 0.6) < 4 * gap.sigma_mm


@pytest.mark.parametrize("back_on", ["felt", "plain_pale", "flowers"])
def test_a_card_that_lies_face_down_is_a_back(deck: Deck, back_on: str) -> None:
    stage = Stage.of(deck, table=back_on)
    down = [stage.sheet("lamp_b", -40, 30, 70, up=False), stage.sheet("djinn_5", 40, -30, 260, up=False)]
    scene = see(deck, stage.still(base(stage) + down))
    truth = stage.truth(base(stage) + down)["objects"]
    backs = [p for p in scene.pieces if p.face == BACK]
    assert sorted(p.face for p in scene.pieces) == sorted([BACK, BACK, "palace", "desert", "treasure"])
    for sheet in down:
        want = np.array(truth[sheet.id]["corners_px"])
        assert min(np.abs(np.mean(p.corners_px, axis=0) - want.mean(0)).max() for p in backs) < 0.7


@pytest.mark.parametrize("what", THINGS)
@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_no_piece_of_the_deck_has_no_face(deck: Deck, what: str, seed: int) -> None:
    """Another game's card (of this deck's very size or not), a coaster, a phone, a pen."""
    stage = Stage.of(deck, seed + 1, table=("felt", "plain_pale")[seed])
    rng = np.random.default_rng(seed)
    things = [
        replace(make_thing(what, f"foreign{k}", rng), x=x, y=y) for k, (x, y) in enumerate([(-40, 20), (50, -30)])
    ]
    if what == "card":
        other = make_deck(7 + seed).faces[5 * seed + 3]
        things[0] = replace(things[0], width=59.0, height=91.0, picture=other.picture)
    scene = see(deck, stage.still(base(stage) + things))
    named = [p for p in scene.pieces if p.face != UNKNOWN]
    assert sorted(p.print for p in named) == sorted(s.id for s in base(stage))
    shapes = [Polygon(p.corners_px) for p in scene.pieces]
    assert all(a is b or a.intersection(b).area < 1 for a in shapes for b in shapes), "nothing is seen twice"


def test_a_thing_that_lies_on_a_card_does_not_rename_it(deck: Deck) -> None:
    stage = Stage.of(deck)
    rng = np.random.default_rng(5)
    lids = [
        replace(make_thing("coaster", "foreign1", rng), x=-40, y=45),
        replace(make_thing("card", "foreign2", rng), x=60, y=-50),
    ]
    under = [stage.sheet("lamp_b", -60, -5, 10), stage.sheet("adventure_1_a", 60, 10, 10)]
    sheets = base(stage) + under + lids
    scene = see(deck, stage.still(sheets))
    right = {s.id for s in sheets if not s.foreign}
    assert {p.print for p in scene.pieces if p.face != UNKNOWN} <= right
    assert {s.id for s in base(stage)} <= {p.print for p in scene.pieces}


def test_a_back_of_rings_is_one_tile_however_it_may_be_turned() -> None:
    board = make_board(18023)
    scene = Seer(board.deck).see(StillPicture(0.0, average(board), board.spec.frames, 1.0))
    assert scene is not None
    backs = [p for p in scene.pieces if p.kind == "tile" and p.face == BACK]
    # OpenCV 5's features, which differ, do not find this pile on its chequered cloth; two it must not be either.
    assert len(backs) == 1 or (not backs and cv2.__version__.startswith("5"))
    (pile,) = [Polygon(q["corners_px"]) for q in board.truth["piles"] if q["kind"] == "tile_pile"]
    assert all(Polygon(b.corners_px).intersection(pile).area > 0.8 * pile.area for b in backs)
