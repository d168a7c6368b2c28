"""Faces are named: either way up, half covered, under glare, in decks that look alike; and not at all when in doubt.

Stills here are pasted together flat, straight from above at a known scale, so that naming alone is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.tablegen import load_deck, make_deck, restyle_deck
from vision.camera import Camera, guess_camera
from vision.deck import Deck, Face
from vision.facebank import FaceBank
from vision.finder import Finder
from vision.identify import UNKNOWN_BELOW
from vision.still_image import Still

W, H, PX_PER_MM = 200, 200, 1.6
SIZE = round(W * PX_PER_MM), round(H * PX_PER_MM)
Image = np.ndarray
Change = Callable[[Image, np.random.Generator], Image]


def camera() -> Camera:
    return guess_camera(*SIZE, PX_PER_MM)


def paste(face: Face, angle_deg: float, rng: np.random.Generator, change: Change | None = None) -> Still:
    """A face in the middle of a speckled table, as printed, lit, blurred and noisy as usual."""
    h, w = face.picture.shape[:2]
    # 4 px to the printed pixel and back, so that nothing aliases.
    scale = face.width_mm * PX_PER_MM / w
    small = cv2.resize(face.picture, (round(w * scale * 2), round(h * scale * 2)), interpolation=cv2.INTER_AREA)
    printed = small.astype(np.float32) * np.array([0.92, 0.97, 1.03], np.float32) * 0.85 + 12
    if change:
        printed = change(printed, rng)
    hh, ww = printed.shape[:2]
    c, s = np.cos(np.radians(angle_deg)) / 2, np.sin(np.radians(angle_deg)) / 2
    m = np.array([[c, -s, 0], [s, c, 0]])
    m[:, 2] = (np.array(SIZE) - 1) / 2 - m[:, :2] @ [(ww - 1) / 2, (hh - 1) / 2]
    table = cv2.GaussianBlur(rng.normal(90, 40, (SIZE[1], SIZE[0], 3)).astype(np.float32), (0, 0), 1.2)
    there = cv2.warpAffine(printed, m, SIZE, flags=cv2.INTER_LINEAR)
    mask = cv2.warpAffine(np.ones((hh, ww), np.float32), m, SIZE)[..., None]
    picture = cv2.GaussianBlur(there * mask + table * (1 - mask), (0, 0), 0.8)
    return Still(np.clip(picture + rng.normal(0, 2, picture.shape), 0, 255).round().astype(np.uint8))


def name(finder: Finder, still: Still, face: Face, angle_deg: float) -> tuple[str, int, float]:
    """Kind, quarter turns and evidence at the very place where the face lies."""
    bank = finder.bank
    shape = next(t.shape_id for t in bank.templates if t.face is face)
    named = finder.identify(still, camera(), np.array([0.0, 0, np.radians(angle_deg)]), shape, None)
    assert named is not None
    match, evidence = named
    return finder.kind(match), match.turns, evidence


def confident(evidence: float) -> bool:
    """As `vision.describe` has it: less is called unknown."""
    return 1 / (1 + np.exp(-evidence / 2)) >= UNKNOWN_BELOW


DECKS: Sequence[tuple[str, Callable[[], Deck]]] = (
    ("shipped", load_deck),
    ("random", lambda: make_deck(2)),
    ("restyled", lambda: restyle_deck(load_deck(), 5)),
)


@pytest.fixture(scope="module", params=[make for _, make in DECKS], ids=[name for name, _ in DECKS])
def finder(request: pytest.FixtureRequest) -> Finder:
    return Finder(FaceBank(request.param()))


@pytest.mark.parametrize("turned", [False, True])
def test_every_face_is_named_either_way_up(finder: Finder, turned: bool) -> None:
    rng = np.random.default_rng(1)
    wrong = []
    for face in finder.bank.deck.faces:
        angle = float(rng.uniform(0, 360))
        kind, turns, evidence = name(finder, paste(face, angle, rng), face, angle + 180 * turned)
        upright = turns == (2 if turned else 0) or face.kind.startswith(("carpet", "back"))
        if kind != face.kind or not upright or not confident(evidence):
            wrong.append((face.id, kind, turns, round(evidence, 1)))
    assert wrong == []


def covered(share: float) -> Change:
    """That share is hidden by something with a pattern of its own, from one side or from a corner."""

    def cover(printed: Image, rng: np.random.Generator) -> Image:
        h, w = printed.shape[:2]
        out = printed.copy()
        lid = cv2.resize(rng.uniform(20, 235, (h // 6, w // 6, 3)).astype(np.float32), (w, h))
        side = int(rng.integers(4))
        k = round(share * (h if side < 2 else w))
        part = [np.s_[:k], np.s_[h - k :], np.s_[:, :k], np.s_[:, w - k :]][side]
        out[part] = lid[part]
        return out

    return cover


def glare(printed: Image, rng: np.random.Generator) -> Image:
    """A lamp mirrored in the print: burnt out in the middle, washed out around it."""
    h, w = printed.shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    cy, cx = rng.uniform(0.25, 0.75) * h, rng.uniform(0.25, 0.75) * w
    spot = 420 * np.exp(-(((x - cx) / (0.3 * w)) ** 2 + ((y - cy) / (0.22 * h)) ** 2))
    return np.clip(printed + spot[..., None].astype(np.float32), 0, 255)


@pytest.mark.parametrize(
    ("change", "least"), [(covered(0.4), 0.97), (covered(0.6), 0.85), (glare, 0.94)], ids=["40%", "60%", "glare"]
)
def test_covered_or_under_glare_it_is_named_right_or_not_at_all(finder: Finder, change: Change, least: float) -> None:
    rng = np.random.default_rng(2)
    faces = finder.bank.deck.faces
    right, wrong = 0, []
    for face in faces:
        angle = float(rng.uniform(0, 360))
        kind, turns, evidence = name(finder, paste(face, angle, rng, change), face, angle)
        sure = confident(evidence)
        right += kind == face.kind and sure
        if sure and (kind != face.kind or (turns and not face.kind.startswith(("carpet", "back")))):
            wrong.append((face.id, kind, turns, round(evidence, 1)))
    assert wrong == []
    # Under the glare two djinns of the restyled deck, alike but for one figure, are sure by 0.60 and 0.51: not named.
    assert right / len(faces) >= least


def look_alikes() -> Deck:
    """Five kinds that share their picture but for a hue, a sign in a corner, or the sign's own shape."""
    base = next(f for f in load_deck().faces if f.id == "desert_a")
    scale = base.picture.shape[1] / base.width_mm

    def signed(colour: tuple[int, int, int], points: int) -> Image:
        out = base.picture.copy()
        centre, r = np.array([13.0, 13.0]) * scale, 6.0 * scale
        a = 2 * np.pi * np.arange(2 * points) / (2 * points)
        rad = np.where(np.arange(2 * points) % 2, 0.45, 1.0) * r
        star = centre + np.stack([rad * np.cos(a), rad * np.sin(a)], axis=-1)
        cv2.circle(out, np.round(centre).astype(int).tolist(), round(1.25 * r), (245, 245, 245), -1, cv2.LINE_AA)
        cv2.fillPoly(out, [np.round(star).astype(np.int32)], colour, cv2.LINE_AA)
        return out

    hsv = cv2.cvtColor(base.picture, cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0].astype(int) + 60) % 180
    pictures = {
        "plain": base.picture,
        "blue": cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR),
        "star.5": signed((30, 30, 200), 5),
        "star.3": signed((30, 30, 200), 3),
        "star.green": signed((40, 160, 40), 5),
    }
    faces = tuple(replace(base, id=k, kind=k, picture=np.ascontiguousarray(p)) for k, p in pictures.items())
    return Deck("look-alikes", faces, corner_radius_mm=3.0)


def test_faces_that_look_alike_are_told_apart_or_called_unknown() -> None:
    finder = Finder(FaceBank(look_alikes()))
    rng = np.random.default_rng(3)
    right, wrong, n = 0, [], 0
    for face in finder.bank.deck.faces:
        for _ in range(6):
            angle, n = float(rng.uniform(0, 360)), n + 1
            kind, _, evidence = name(finder, paste(face, angle, rng), face, angle)
            right += kind == face.kind and confident(evidence)
            if kind != face.kind and confident(evidence):
                wrong.append((face.kind, kind, round(evidence, 1)))
    assert wrong == []
    assert right / n > 0.8
