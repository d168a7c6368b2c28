"""Look-alikes are found before play: doubles under two names, and nothing where faces differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from device.deck_folder import find_deck, load_deck
from vision.confusion import confusions, worse
from vision.deck import Deck

FACES = {f.id: f for f in load_deck(find_deck("carpets")).faces}


def deck(*faces: str) -> Deck:
    return Deck("some", tuple(FACES[f] for f in faces))


def test_a_double_under_another_name_cannot_be_told() -> None:
    double = replace(FACES["treasure_a"], id="double", kind="lamp")
    some = Deck("some", (FACES["treasure_a"], double, FACES["palace_a"]))
    first, second, other = confusions(some, looks=8)
    assert first.unnamed + first.wrong >= 7
    assert second.unnamed + second.wrong >= 7
    assert {face for face, _ in (*first.doubted, *first.taken_for)} == {"double"}
    assert (other.unnamed, other.wrong) == (0, 0)


def test_faces_of_one_kind_may_look_alike() -> None:
    assert FACES["adventure_4_a"].kind == FACES["adventure_4_b"].kind
    assert [c.wrong for c in confusions(deck("adventure_4_a", "adventure_4_b", "palace_a"), looks=8)] == [0, 0, 0]


def test_plainly_different_faces_are_not_confused_and_figures_repeat() -> None:
    some = deck("palace_a", "lamp_a", "djinn_2", "carpet_red", "carpet_blue", "desert_a")
    found = confusions(some, looks=8)
    assert [c.face for c in found] == [f.id for f in some.faces]
    assert sum(c.wrong for c in found) == 0
    assert sum(c.unnamed for c in found) <= 2
    assert found == confusions(some, looks=8)


def test_a_look_is_as_large_as_a_rectified_face() -> None:
    face = FACES["palace_a"]
    seen = worse(face.picture, FACES["lamp_a"].picture, 0.5, (59, 91), np.random.default_rng(1))
    assert (seen.shape, seen.dtype) == ((144, 96, 3), np.dtype(np.uint8))


def test_a_deck_of_one_face_is_confused_with_nothing() -> None:
    assert confusions(deck("palace_a"), looks=4)[0].wrong == 0
