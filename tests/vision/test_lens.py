"""A lens that was measured: two cards then tell the table as well as many do without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.vision.stage import Stage, watch
from vision.calibration import Calibration, lens_sigma
from vision.camera import Camera, Lens, guess_camera
from vision.deck import Deck
from vision.observer import Observer
from vision.solve import PRIOR_SIGMA

LENS = Lens(width=1280, height=720, f=700, k1=-0.3, k2=0.06, axis_x=8, axis_y=-4, sigma=(0.002, 0.03, 0.001, 0.4, 2.0))


def test_a_lens_is_for_pictures_of_its_proportion() -> None:
    assert LENS.fits(1920, 1080)
    assert not LENS.fits(1280, 960)
    camera = replace(guess_camera(640, 360, 1.5), tilt_x=0.1)
    known = LENS.before(camera)
    assert (known.f, known.axis_x, known.k1, known.tilt_x) == (350, 4, -0.3, 0.1)
    assert known.mm_per_px == pytest.approx(camera.mm_per_px)


def test_a_lens_is_believed_as_far_as_it_is_known_and_no_farther() -> None:
    sigma = lens_sigma(LENS, 0.5)
    assert sigma[[0, 1, 2]] == pytest.approx([0.005, 0.03, 0.005])
    assert sigma[[6, 7]] == pytest.approx([0.7, 1.0])
    assert (sigma[[3, 4, 5]] == PRIOR_SIGMA[[3, 4, 5]]).all()
    vague = replace(LENS, sigma=(9.0, 9.0, 9.0, 99.0, 99.0))
    assert (lens_sigma(vague, 1.0) == PRIOR_SIGMA).all()


def test_a_camera_begins_with_its_lens_unless_that_is_of_another_camera() -> None:
    for size, focal in (((1280, 720), 700.0), ((1280, 960), 900.0)):
        calibration = Calibration(LENS)
        calibration.start(Camera(900, 0.1, 0, 0.05, 0, 600, *size))
        assert calibration.camera is not None
        assert calibration.camera.f == focal


def test_two_cards_under_a_wide_lens_are_measured_better_when_it_is_known(deck: Deck) -> None:
    stage = Stage.of(deck, seed=3, k1=-0.25, k2=0.05, hfov_deg=85.0, height_mm=520.0, tilt_deg=12.0)
    sheets = [stage.sheet("palace_a", -140, -60, 20), stage.sheet("lamp_a", -50, -40, -50)]
    frames = stage.still(sheets)
    (true,) = stage.truth(sheets)["gaps"].values()
    w, h = stage.size
    camera = stage.camera.as_truth(0.0)
    f, middle = camera["K"][0][0], (camera["K"][0][2], camera["K"][1][2])
    lens = Lens(
        width=w, height=h, f=f, k1=-0.25, k2=0.05, axis_x=middle[0] - (w - 1) / 2, axis_y=middle[1] - (h - 1) / 2
    )
    off = []
    for known in (None, lens):
        scene = watch(Observer(deck, lens=known), frames, finish=True)[-1]
        assert len(scene.pieces) == 2
        off.append(abs(scene.gaps[0].mm - true))
        assert off[-1] < 3 * scene.gaps[0].sigma_mm
    assert off[1] < 0.12 < off[0]  # 0.05 mm and 0.19
