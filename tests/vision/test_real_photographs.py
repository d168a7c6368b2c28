"""Photographs of real cards that nobody of this project made: found, measured, named, and nothing invented.

Each limit leaves a margin over what was measured; the figure stands beside it.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from device.deck_folder import load_deck
from vision.coplanar import CommonPlane, common_plane
from vision.deck import Deck, Face
from vision.rectangles import Rectangle, find_rectangles
from vision.scene import Scene
from vision.seer import Seer
from vision.still import StillPicture

ROOT = Path(__file__).parents[2]
CARDS = ROOT / "tests" / "data" / "real" / "cards"
POKER, BRIDGE = (63.5, 88.9), (57.0, 88.9)
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
PHOTOGRAPHS = ("club1", "club3", "diamond1", "diamond4")
OTHERS = ("club3", "diamond4")
"""Not those the faces are learned from."""

NEAR_PX = 6.0
"""A rectangle whose corners are all this near the truth's is that card."""

SURE = 0.8
"""Confidence above which a wrong name is a lie and not a doubt."""


@dataclass(frozen=True, eq=False)
class Photograph:
    image: NDArray[np.uint8]
    faces: list[str]
    corners: NDArray[np.float64]
    """(13, 4, 2) px."""
    rectangles: list[Rectangle]

    @property
    def quads(self) -> NDArray[np.float64]:
        return np.array([r.corners_px for r in self.rectangles])

    @property
    def size_px(self) -> tuple[int, int]:
        return self.image.shape[1], self.image.shape[0]

    def errors(self, quads: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """(4,) px distance of each corner, of each card that one of the quadrilaterals is."""
        out = {}
        for face, truth in zip(self.faces, self.corners, strict=True):
            for quad in quads:
                for k in range(4):
                    e = np.hypot(*(np.roll(quad, -k, 0) - truth).T)
                    if e.max() < NEAR_PX:
                        out[face] = e
        return out


@functools.cache
def photograph(name: str) -> Photograph:
    truth = json.loads((CARDS / "truth.json").read_text("utf-8"))["photographs"][f"{name}.jpg"]
    image = np.asarray(cv2.imread(str(CARDS / f"{name}.jpg")), np.uint8)
    corners = np.array([c["corners_px"] for c in truth])
    return Photograph(image, [c["face"] for c in truth], corners, find_rectangles(image, POKER[0] / POKER[1]))


@functools.cache
def plane(name: str, size_mm: tuple[float, float] = POKER) -> CommonPlane:
    p = photograph(name)
    found = common_plane(p.quads, p.size_px, size_mm)
    assert found is not None
    return found


def rms(errors: dict[str, NDArray[np.float64]]) -> float:
    return float(np.sqrt(np.mean(np.square(list(errors.values())))))


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_every_card_is_found_to_a_fraction_of_a_pixel(name: str) -> None:
    p = photograph(name)
    errors = p.errors(p.quads)
    assert sorted(errors) == sorted(p.faces)
    assert len(p.rectangles) <= 15  # measured: 13, 13, 13, 14
    assert rms(errors) < 0.12  # measured: 0.05 to 0.07
    assert max(e.max() for e in errors.values()) < 0.5


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_what_is_no_card_is_not_on_the_cards_plane_and_of_their_size(name: str) -> None:
    p, found = photograph(name), plane(name)
    assert len(found.kept) == 13
    assert len(p.errors(p.quads[list(found.kept)])) == 13


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_one_camera_explains_all_cards(name: str) -> None:
    """The cards are not quite flat, and the axis of this camera does not meet the middle of the picture."""
    p, found = photograph(name), plane(name)
    assert found.rms_px < 0.75  # measured: 0.37 to 0.59
    assert found.residual_px.max() < 1.2  # measured: 0.57 to 0.86
    assert rms(p.errors(found.corners_px(POKER))) < 0.75
    assert 35.5 < found.camera.tilt_deg < 38.5  # measured: 36.8 to 37.5


def test_the_camera_that_took_all_photographs_is_found_the_same_from_each() -> None:
    focal = [plane(name).camera.f for name in PHOTOGRAPHS]
    height = [plane(name).camera.height_mm for name in PHOTOGRAPHS]
    assert max(focal) / min(focal) < 1.05  # measured: 1.02
    assert max(height) / min(height) < 1.05


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_they_are_poker_cards_and_no_bridge_cards(name: str) -> None:
    poker, bridge = plane(name, POKER), plane(name, BRIDGE)
    assert len(poker.kept) >= len(bridge.kept)
    assert bridge.rms_px > 1.3 * poker.rms_px  # measured: 1.6 to 2.0 times
    assert len(poker.kept) == 13


def test_a_smaller_card_of_the_same_proportion_is_found_and_told_apart() -> None:
    p = photograph("diamond4")
    image = p.image.copy()
    ace = p.corners[0]
    small = (ace - ace.mean(0)) * 0.7 + [760.0, 640.0]
    m = cv2.getPerspectiveTransform(ace.astype(np.float32), small.astype(np.float32))
    size = p.size_px
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(small).astype(np.int32), 255)
    image[mask > 0] = cv2.warpPerspective(image, m, size, flags=cv2.INTER_AREA)[mask > 0]
    quads = np.array([r.corners_px for r in find_rectangles(image, POKER[0] / POKER[1])])
    is_small = np.hypot(*(quads.mean(1) - small.mean(0)).T) < 5
    assert is_small.sum() >= 1
    found = common_plane(quads, size, POKER)
    assert found is not None
    assert len(found.kept) == 13
    assert not is_small[list(found.kept)].any()


def test_two_cards_vouch_for_no_camera() -> None:
    p = photograph("club1")
    assert common_plane(p.corners[:2], p.size_px, POKER) is None


# ---- names ----


@functools.cache
def learned_deck() -> Deck:
    """The faces cut out of the two photographs in which the cards lie in order."""
    faces = []
    for name in ("club1", "diamond1"):
        p, found = photograph(name), plane(name)
        cut = []
        for k, first in zip(found.kept, found.first_corner, strict=True):
            quad = np.roll(p.quads[k], -first, 0)
            cut.append(quad if quad[0, 1] < quad[2, 1] else np.roll(quad, -2, 0))  # they lie upright
        middles = np.array([q.mean(0) for q in cut])
        # Three rows: at 290, 430 and 590 px.
        order = np.lexsort((middles[:, 0], np.digitize(middles[:, 1], [350, 510])))
        w, h = 4 * 64, 4 * 89
        edge = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]], np.float32)
        for rank, i in zip(RANKS, order, strict=True):
            m = cv2.getPerspectiveTransform(cut[i].astype(np.float32), edge)
            face = f"{name[:-1]}.{rank}"
            picture = np.asarray(cv2.warpPerspective(p.image, m, (w, h), flags=cv2.INTER_CUBIC), np.uint8)
            faces.append(Face(face, face, picture, *POKER))
    return Deck("learned", tuple(faces), corner_radius_mm=3.5)


def named(p: Photograph, scene: Scene | None) -> tuple[int, int]:
    """How many pieces have the right name, and how many surely a wrong one (or are no card at all)."""
    right = wrong = 0
    for piece in scene.pieces if scene is not None else ():
        off = np.hypot(*(p.corners.mean(1) - np.mean(piece.corners_px, axis=0)).T)
        if piece.face == p.faces[int(off.argmin())] and off.min() < 10:
            right += 1
        elif piece.face != "unknown" and piece.confidence > SURE:
            wrong += 1
    return right, wrong


def test_faces_learned_from_one_photograph_name_the_cards_of_another() -> None:
    p = photograph("club3")
    right, wrong = named(p, Seer(learned_deck()).see(StillPicture(0.0, p.image, 1, 1.0)))
    assert wrong == 0
    assert right >= 11  # measured: 13


@pytest.mark.parametrize("name", OTHERS)
def test_a_camera_solved_from_bare_rectangles_lets_every_card_be_named(name: str) -> None:
    """Pips look alike: on `diamond4` matched pips alone lead to a camera that looks straight down, and to two names."""
    p = photograph(name)
    seer = Seer(learned_deck())
    seer.calibration.start(plane(name).camera)
    assert named(p, seer.see(StillPicture(0.0, p.image, 1, 1.0))) == (13, 0)


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_no_card_of_another_game_is_seen_in_them(name: str) -> None:
    p = photograph(name)
    seer = Seer(load_deck(ROOT / "models" / "decks" / "carpets"))
    scene = seer.see(StillPicture(0.0, p.image, 1, 1.0))
    assert scene is not None
    assert scene.pieces == ()
    assert not scene.camera.solved
