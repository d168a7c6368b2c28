"""Stills are found: what is no motion is not taken for it, what is motion is noticed, however small."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import cv2
import numpy as np
import pytest

from vision.frame import ArrayFrame
from vision.still import AGAIN_LATER_S, AGAIN_S, AGAIN_TIMES, StillFinder, StillPicture

SIZE = (1280, 720)
FPS = 10
Image = np.ndarray


@pytest.fixture(scope="module")
def cloth() -> Image:
    """(720, 1280, 3) float: a table with a coarse pattern of high contrast and a few bright cards on it."""
    rng = np.random.default_rng(1)
    rough = cv2.resize(rng.uniform(40, 120, (18, 32, 3)).astype(np.float32), SIZE, interpolation=cv2.INTER_CUBIC)
    yy, xx = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    pattern = 25 * np.sign(np.sin(xx / 9.0) * np.sin(yy / 11.0))
    out = (rough + pattern[..., None]).clip(0, 255).astype(np.uint8)
    for x, y in ((200, 150), (500, 400), (900, 200), (1000, 500)):
        cv2.rectangle(out, (x, y), (x + 95, y + 146), (225, 230, 215), -1)
        cv2.putText(out, "card", (x + 10, y + 80), 0, 1, (30, 40, 120), 3, cv2.LINE_AA)
    return cv2.GaussianBlur(out.astype(np.float32), (0, 0), 0.8)


GRAIN = np.random.default_rng(0).normal(0, 1, (SIZE[1] + 97, SIZE[0], 3)).astype(np.float32)


def shot(scene: Image, rng: np.random.Generator, noise: float = 2.0) -> Image:
    """A frame of the scene, as noisy as a camera in daylight (2 grey levels) unless said otherwise."""
    row, (h, w) = int(rng.integers(97)), scene.shape[:2]
    return (
        cv2.scaleAdd(np.ascontiguousarray(GRAIN[row : row + h, :w]), noise, scene).clip(0, 255).round().astype(np.uint8)
    )


def feed(finder: StillFinder, images: Iterable[Image], t0: float = 0.0, fps: float = FPS) -> list[StillPicture]:
    seen = [finder.feed(ArrayFrame(t0 + k / fps, image)) for k, image in enumerate(images)]
    return [s for s in seen if s is not None]


def with_hand(scene: Image, k: int) -> Image:
    out = scene.copy()
    cv2.ellipse(out, (100 + 60 * k, 700), (90, 220), 20, 0, 360, (120, 150, 200), -1)
    return out


def jittered(scene: Image, rng: np.random.Generator, px: float) -> Image:
    dx, dy = rng.uniform(-px, px, 2)
    return cv2.warpAffine(scene, np.array([[1, 0, dx], [0, 1, dy]]), SIZE, borderMode=cv2.BORDER_REFLECT)


@pytest.mark.parametrize("noise", [1.0, 8.0])
def test_noise_is_no_motion_and_the_average_has_less_of_it(cloth: Image, noise: float) -> None:
    rng = np.random.default_rng(2)
    (still,) = feed(StillFinder(), (shot(cloth, rng, noise) for _ in range(10)))
    flat = still.bgr[300:380, 620:700].astype(float) - cloth[300:380, 620:700]
    assert still.frames >= 6
    assert flat.std() < 0.5 * noise + 0.4  # 0.4: rounding to whole grey levels
    assert abs(flat.mean()) < 0.3


def test_light_that_changes_slowly_is_no_motion(cloth: Image) -> None:
    """A cloud: a quarter darker within two seconds, and the camera's exposure follows."""
    rng = np.random.default_rng(3)
    for way in (1, -1):
        finder = StillFinder()
        seen = feed(finder, (shot(cloth * np.float32(1 + way * 0.012 * k), rng) for k in range(20)))
        assert len(seen) >= 1
        assert not finder.moving


def test_flicker_of_lamps_is_no_motion(cloth: Image) -> None:
    rng = np.random.default_rng(4)
    finder = StillFinder()
    assert feed(finder, (shot(cloth * np.float32(rng.uniform(0.97, 1.03)), rng) for _ in range(10)))
    assert not finder.moving


def test_a_camera_that_trembles_by_a_third_of_a_pixel_is_no_motion(cloth: Image) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        assert len(feed(StillFinder(), (shot(jittered(cloth, rng, 0.3), rng) for _ in range(10)))) == 1


def sliding_die(scene: Image, k: int) -> Image:
    out = scene.copy()
    cv2.rectangle(out, (600 + 5 * k, 300), (626 + 5 * k, 326), (235, 235, 235), -1)
    return out


def finger(scene: Image, k: int) -> Image:
    out = scene.copy()
    cv2.ellipse(out, (640, 745 - 6 * k), (14, 60), 0, 0, 360, (130, 150, 205), -1)
    return out


def card_turns(scene: Image, k: int) -> Image:
    out = scene.copy()
    box = cv2.boxPoints(((700, 300), (95, 146), 4.0 * k))
    cv2.fillPoly(out, [np.round(box).astype(np.int32)], (200, 215, 225))
    return out


@pytest.mark.parametrize("what", [sliding_die, finger, card_turns])
def test_a_small_thing_that_moves_is_motion(cloth: Image, what: Callable[[Image, int], Image]) -> None:
    """A die of 16 mm, a finger tip that comes in, a card that is turned by four degrees a frame."""
    rng = np.random.default_rng(5)
    finder = StillFinder()
    assert feed(finder, (shot(what(cloth, k), rng) for k in range(2, 14))) == []
    assert finder.moving
    assert finder.finish() is None


def test_slow_motion_is_noticed_against_the_stills_first_frame(cloth: Image) -> None:
    """A card that creeps by less than a pixel a frame looks still from frame to frame."""
    rng = np.random.default_rng(6)

    def creeping(k: int) -> Image:
        out = cloth.copy()
        x = 700 + 0.8 * k
        box = np.array([[x, 300], [x + 95, 300], [x + 95, 446], [x, 446]])
        cv2.fillPoly(out, [np.round(box * 16).astype(np.int32)], (20, 20, 30), cv2.LINE_AA, 4)
        return out

    seen = feed(StillFinder(), (shot(creeping(k), rng) for k in range(40)))
    assert len([s for s in seen if not s.again]) != 1, "one still that never ends would mean that nothing was noticed"


@pytest.mark.parametrize("frames", [5, 6, 7])
def test_a_still_of_half_a_second_between_two_hands_is_caught(cloth: Image, frames: int) -> None:
    rng = np.random.default_rng(7)
    laid = cloth.copy()
    cv2.rectangle(laid, (640, 80), (735, 226), (230, 220, 210), -1)
    images = [with_hand(cloth, k) for k in range(4)]
    images += [laid] * frames
    images += [with_hand(laid, k) for k in range(4)]
    (still,) = feed(StillFinder(), (shot(i, rng) for i in images))
    assert 0.4 <= still.t <= 0.1 * (3 + frames) + 1e-9
    # Neither the hand before nor the first shadow of the hand after is in it.
    error = np.abs(cv2.GaussianBlur(still.bgr.astype(np.float32) - laid, (0, 0), 4))
    assert error.max() < 5


def test_two_frames_between_two_hands_are_no_still(cloth: Image) -> None:
    rng = np.random.default_rng(8)
    images = [with_hand(cloth, 0), with_hand(cloth, 2), cloth, cloth, with_hand(cloth, 1), with_hand(cloth, 3)]
    assert feed(StillFinder(), (shot(i, rng) for i in images)) == []


@pytest.mark.parametrize("fps", [5, 10, 15])
def test_a_still_is_measured_once_and_told_again_while_it_lasts(cloth: Image, fps: int) -> None:
    rng = np.random.default_rng(9)
    few = [shot(cloth, rng) for _ in range(5)]
    seconds = 1 + AGAIN_TIMES * AGAIN_S + 2 * AGAIN_LATER_S + 1
    first, *later = feed(StillFinder(), (few[k % 5] for k in range(int(seconds * fps))), fps=fps)
    assert not first.again
    assert first.t < 1.0
    assert all(s.again and s.bgr is first.bgr for s in later)
    waits = np.diff([s.t for s in [first, *later]])
    assert waits[:AGAIN_TIMES] == pytest.approx([AGAIN_S] * AGAIN_TIMES, abs=1.01 / fps)
    assert waits[AGAIN_TIMES:] == pytest.approx([AGAIN_LATER_S] * 2, abs=1.01 / fps)


def test_the_end_of_the_footage_ends_the_still(cloth: Image) -> None:
    rng = np.random.default_rng(10)
    finder = StillFinder()
    assert feed(finder, (shot(cloth, rng) for _ in range(4))) == []
    still = finder.finish()
    assert still is not None
    assert (still.t, still.again) == (pytest.approx(0.3), False)
    finder = StillFinder()
    assert len(feed(finder, (shot(cloth, rng) for _ in range(12)))) == 1
    last = finder.finish()
    assert last is not None
    assert (last.t, last.again) == (pytest.approx(1.1), True)
    assert StillFinder().finish() is None


def test_a_picture_of_another_size_begins_anew(cloth: Image) -> None:
    rng = np.random.default_rng(11)
    finder = StillFinder()
    feed(finder, (shot(cloth, rng) for _ in range(4)))
    half = cv2.resize(cloth, (640, 360), interpolation=cv2.INTER_AREA)
    (still,) = feed(finder, (shot(half, rng) for _ in range(10)), t0=1.0)
    assert still.bgr.shape == (360, 640, 3)
