"""Two tiles that differ in one place: what says which it is, and what says that nothing does."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.tablegen import load_deck
from tests.tablegen.board import DECKS
from vision.facebank import FaceBank
from vision.finder import Finder
from vision.identify import UNKNOWN_BELOW, confidence, identify
from vision.naming import Namer, look
from vision.rectify import rect_size
from vision.telltale import lead

CROSSING, JUNCTION = "tile.BA/RRRR", "tile.BA/RRR"


@pytest.fixture(scope="module")
def namer() -> Namer:
    return Finder(FaceBank(load_deck(DECKS / "carcassonne"))).namers[0]


@pytest.fixture(scope="module")
def bank() -> FaceBank:
    return FaceBank(load_deck(DECKS / "carcassonne"))


def picture(bank: FaceBank, kind: str) -> np.ndarray:
    face = next(t.face for t in bank.templates if t.face.kind == kind)
    small = cv2.resize(face.picture, rect_size(face.width_mm, face.height_mm), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), np.uint8)


def first(namer: Namer, kind: str) -> int:
    return namer.kinds.index(kind)


def test_the_face_that_lies_there_leads_where_the_two_differ(bank: FaceBank, namer: Namer) -> None:
    seen = look(picture(bank, CROSSING))
    a, b = first(namer, CROSSING), first(namer, JUNCTION)
    assert lead(namer, seen, a, b) > 0.3
    assert lead(namer, seen, b, a) == pytest.approx(-lead(namer, seen, a, b))


@pytest.mark.parametrize("kind", [CROSSING, JUNCTION])
def test_a_face_in_full_view_is_named_beyond_doubt(bank: FaceBank, namer: Namer, kind: str) -> None:
    named = identify(bank, namer, look(picture(bank, kind)), None)
    assert named is not None
    assert namer.kinds[namer.index.index(named[0].template)] == kind
    assert confidence(named[1]) > 0.99


def test_nobody_leads_where_what_tells_them_apart_is_covered(bank: FaceBank, namer: Namer) -> None:
    a, b = first(namer, CROSSING), first(namer, JUNCTION)
    differ = cv2.blur((namer.coarse[a] - namer.coarse[b]) ** 2, (5, 5))
    seen = picture(bank, CROSSING)
    seen[cv2.resize(differ, seen.shape[1::-1]) > 0.05 * differ.max()] = (15, 15, 15)
    assert abs(lead(namer, look(seen), a, b)) < 0.2
    named = identify(bank, namer, look(seen), None)
    assert named is not None
    said = namer.kinds[namer.index.index(named[0].template)]
    assert said == CROSSING or confidence(named[1]) < UNKNOWN_BELOW
