"""Pieces are where they are: corners to a third of a pixel, gaps within their sigma, on every kind of table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.tablegen.sheet import Sheet
from tests.vision.stage import FULL, Stage, see, watch
from vision.camera import place
from vision.deck import Deck
from vision.follow import follow
from vision.found import corners_mm
from vision.observer import Observer
from vision.scene import Piece, Scene
from vision.seer import Seer
from vision.solve import solve_pose
from vision.still import StillPicture
from vision.still_image import Still

PLACES = [
    (-130, 50, 12),
    (-45, 48, 95),
    (50, 50, 203),
    (140, 45, 288),
    (-110, -52, 170),
    (10, -50, 265),
    (115, -55, 20),
]
FACES = ["palace_a", "desert_a", "lamp_b", "bazaar_camel_a", "adventure_1_a", "treasure_b", "adventure_4_b"]


def laid(stage: Stage, n: int = 7, curl: float = 0.0) -> list[Sheet]:
    rng = np.random.default_rng(stage.seed)
    return [
        replace(stage.sheet(face, *at), curl=curl * rng.uniform(-0.5, 1), curl_dir=float(rng.uniform(0, 180)))
        for face, at in zip(FACES[:n], PLACES, strict=False)
    ]


def errors_px(stage: Stage, sheets: list[Sheet], scene: Scene) -> np.ndarray:
    """(n, 4) px: distance of every corner from the truth; fails when a piece is missing, doubled or wrongly named."""
    truth = stage.truth(sheets)["objects"]
    seen = {p.print: p for p in scene.pieces}
    assert sorted(p.print for p in scene.pieces) == sorted(truth)
    return np.array([np.hypot(*(np.array(seen[k].corners_px) - np.array(o["corners_px"])).T) for k, o in truth.items()])


@pytest.mark.parametrize(
    ("table", "light", "more"),
    [
        ("felt", "daylight", {}),
        ("oak", "side_lamp", {"k1": -0.3, "tilt_deg": 12.0, "codec": "h264", "quality": 22}),
        ("plain_pale", "evening", {"tilt_deg": 20.0, "azimuth_deg": 200.0}),
        ("flowers", "daylight", {"k1": 0.08}),
        ("grey_cloth", "dim", {"tilt_deg": 3.0}),
    ],
)
def test_corners_on_every_kind_of_table(deck: Deck, table: str, light: str, more: dict) -> None:
    stage = Stage.of(deck, table=table, light=light, **more)
    sheets = laid(stage)
    error = errors_px(stage, sheets, see(deck, stage.still(sheets)))
    assert np.sqrt(np.mean(error**2)) < 0.3
    assert error.max() < 0.8


@pytest.fixture(scope="module")
def easy(deck: Deck) -> tuple[Stage, list[Sheet], Seer, Still]:
    stage = Stage.of(deck)
    sheets = laid(stage, 5)
    image = np.mean([f.bgr() for f in stage.still(sheets, 0.5)], axis=0).round().astype(np.uint8)
    seer = Seer(deck)
    assert seer.see(StillPicture(0.0, image, 5, 1.0)) is not None
    return stage, sheets, seer, Still(image)


@pytest.mark.parametrize("seed", range(5))
def test_a_rough_pose_is_pulled_in(easy: tuple[Stage, list[Sheet], Seer, Still], seed: int) -> None:
    """Four millimetres and four degrees off, as a proposal may be."""
    stage, sheets, seer, still = easy
    truth = stage.truth(sheets)["objects"]
    camera = seer.calibration.camera
    assert camera is not None
    rng = np.random.default_rng(seed)
    for track in seer.tracker.live:
        rough = track.found.pose + rng.uniform(-1, 1, 3) * [4, 4, np.radians(4)]
        found = seer.finder.examine(still, camera, rough, track.found.template, None)
        assert found is not None
        want = truth[seer.bank.templates[found.template].face.id]["corners_px"]
        error = np.hypot(*(camera.project(corners_mm(seer.bank, found)) - np.array(want)).T)
        assert np.sqrt(np.mean(error**2)) < 0.3
        assert np.sqrt(np.diag(found.cov))[:2].max() < 0.1


def test_what_is_followed_lies_where_the_face_has_it(easy: tuple[Stage, list[Sheet], Seer, Still]) -> None:
    _, _, seer, still = easy
    camera = seer.calibration.camera
    assert camera is not None
    for track in seer.tracker.live:
        pose, template = track.found.pose, seer.bank.templates[track.found.template]
        shifted = pose + np.array([1.5, -1.0, np.radians(1)])
        followed = follow(still.luma, camera, shifted, template)
        assert followed.share > 0.7
        error = np.hypot(*(followed.sighting.px - camera.project(place(pose, followed.sighting.local_mm))).T)
        assert np.median(error) < 0.25
        again, _, _ = solve_pose(camera, shifted, followed.sighting)
        assert again[:2] == pytest.approx(pose[:2], abs=0.15)


def test_a_fit_says_no_where_the_face_does_not_lie(easy: tuple[Stage, list[Sheet], Seer, Still]) -> None:
    _, _, seer, still = easy
    camera = seer.calibration.camera
    assert camera is not None
    lying = {t.found.template for t in seer.tracker.live}
    other = next(i for i in range(len(seer.bank.templates)) if i not in lying)
    for track in seer.tracker.live:
        found = seer.finder.examine(still, camera, track.found.pose, other, None)
        assert found is None or found.template == track.found.template
    bare = camera.unproject(np.array([[600.0, 180.0]]))[0]
    assert seer.finder.examine(still, camera, np.array([*bare, 0.3]), other, None) is None


def test_corners_begin_at_the_faces_own_top_left_and_run_clockwise(
    easy: tuple[Stage, list[Sheet], Seer, Still],
) -> None:
    _, _, seer, _ = easy
    for track in seer.tracker.live:
        a, b, c, d = corners_mm(seer.bank, track.found)
        assert np.hypot(*(b - a)) == pytest.approx(59)
        assert np.hypot(*(d - a)) == pytest.approx(91)
        assert np.cross([*(b - a), 0], [*(d - a), 0])[2] > 0
        assert place(track.found.pose, np.zeros((1, 2)))[0] == pytest.approx((a + c) / 2)


GAP_TABLES = [
    ("felt", {"tilt_deg": 5.0}),
    ("oak", {"tilt_deg": 15.0, "k1": -0.25}),
    ("plain_dark", {"tilt_deg": 22.0, "k1": -0.1, "light": "evening"}),
]


@pytest.fixture(scope="module")
def measured_gaps(deck: Deck) -> list[tuple[float, float]]:
    """(error, sigma) mm of every gap on tables with cards that are bent by up to a millimetre."""
    out = []
    for seed, (table, more) in enumerate(GAP_TABLES, 1):
        stage = Stage.of(deck, seed, size=FULL, table=table, **more)
        places = [(2 * x, 2 * y, a) for x, y, a in PLACES] + [(-160, 20, 40), (60, 5, 100), (190, 0, 0)]
        faces = [*FACES, "palace_b", "bazaar_spice_a", "adventure_2_a"]
        rng = np.random.default_rng(seed)
        sheets = [
            replace(stage.sheet(f, *at), curl=float(rng.uniform(-0.5, 1)), curl_dir=float(rng.uniform(0, 180)))
            for f, at in zip(faces, places, strict=True)
        ]
        scene = see(deck, stage.still(sheets, 0.7))
        name = {p.id: p.print for p in scene.pieces}
        truth = stage.truth(sheets)["gaps"]
        for gap in scene.gaps:
            want = truth[frozenset((name[gap.a], name[gap.b]))]
            if want < 80:
                out.append((gap.mm - want, gap.sigma_mm))
    return out


def test_gaps_are_right_within_four_sigma(measured_gaps: list[tuple[float, float]]) -> None:
    error, sigma = np.array(measured_gaps).T
    assert len(error) >= 30
    assert np.abs(error / sigma).max() < 4
    assert np.percentile(np.abs(error), 95) < 0.7


def test_sigmas_are_not_timid(measured_gaps: list[tuple[float, float]]) -> None:
    """With a sigma of a millimetre every gap from 8 to 12 mm would be asked about."""
    error, sigma = np.array(measured_gaps).T
    assert np.sqrt(np.mean((error / sigma) ** 2)) < 1.5
    assert np.median(sigma) < 0.5


def test_a_camera_that_saw_too_few_cards_does_not_vouch(deck: Deck) -> None:
    stage = Stage.of(deck)
    sheets = laid(stage, 4)
    observer = Observer(deck)
    solved = []
    for n in range(5):
        scenes = watch(observer, stage.still(sheets[:n], 1.0), t0=10.0 * n)
        solved.append(scenes[-1].camera.solved)
        assert len(scenes[-1].pieces) == n
    assert solved == [False, False, False, True, True]


def test_millimetres_of_few_cards_carry_a_larger_sigma(deck: Deck) -> None:
    stage = Stage.of(deck, tilt_deg=15.0)
    observer = Observer(deck)

    def between(scene: Scene) -> tuple[Piece, float]:
        names = {p.id: p.print for p in scene.pieces}
        gap = next(g for g in scene.gaps if {names[g.a], names[g.b]} == {"palace_a", "desert_a"})
        return scene.pieces[0], gap.sigma_mm

    two = watch(observer, stage.still(laid(stage, 2)))[-1]
    seven = watch(observer, stage.still(laid(stage, 7)), t0=5.0)[-1]
    assert between(two)[1] > between(seven)[1]
