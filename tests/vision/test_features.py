"""Features are looked for strip by strip, which takes a third of the memory and finds the same."""

from __future__ import annotations

import cv2
import numpy as np

from tests.vision.stage import FULL, Stage
from vision.deck import Deck
from vision.facebank import FaceBank
from vision.features import OVERLAP_PX, STRIP_PX, FeatureFinder, strongest

PLACES = {"palace_a": (-190, 60, 12), "desert_a": (-60, 45, 95), "treasure_b": (150, -55, 203), "lamp_b": (10, -70, 5)}


def rounded(keys: list[cv2.KeyPoint]) -> set[tuple[float, ...]]:
    return {tuple(round(v, 1) for v in (*k.pt, k.size, k.angle)) for k in keys}


def test_strips_find_what_the_whole_picture_gives(deck: Deck) -> None:
    stage = Stage.of(deck, 4, FULL, table="oak")
    luma = stage.still([stage.sheet(name, *place) for name, place in PLACES.items()], 0.1)[0].luma
    finder = FeatureFinder(FaceBank(deck))
    keys, described = finder._strongest(luma, None)
    whole, _ = finder.sift.compute(luma, strongest(finder.sift.detect(luma, None), luma.shape))
    assert described is not None and described.shape == (len(keys), 128)
    assert len(rounded(keys) & rounded(list(whole))) > 0.98 * len(whole)
    assert [k.response for k in keys] == sorted((k.response for k in keys), reverse=True)


def test_a_mask_and_a_narrow_picture(deck: Deck) -> None:
    stage = Stage.of(deck, 4)
    luma = stage.still([stage.sheet("palace_a", -40, 0, 12)], 0.1)[0].luma
    finder = FeatureFinder(FaceBank(deck))
    mask = np.zeros(luma.shape, np.uint8)
    mask[:, : STRIP_PX + OVERLAP_PX // 2] = 255
    keys, _ = finder._strongest(luma, mask)
    assert keys and max(k.pt[0] for k in keys) < STRIP_PX + OVERLAP_PX // 2
    assert finder._strongest(luma, np.zeros(luma.shape, np.uint8)) == ([], None)
    narrow = np.ascontiguousarray(luma[:, :STRIP_PX])
    keys, _ = finder._strongest(narrow, None)
    assert rounded(keys) == rounded(strongest(finder.sift.detect(narrow, None), narrow.shape))
