"""After a restart the pieces keep their ids."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from device.carry_on import CarryOn
from tests.device.fakes import FakeObserver, deck, frame, scene
from vision.deck import Deck
from vision.scene import Gap, Overlap, Piece, Scene


def lying(name: str, face: str, x: float, y: float = 0.0) -> Piece:
    corners = ((x, y), (x + 59, y), (x + 59, y + 91), (x, y + 91))
    return Piece(id=name, face=face, confidence=1.0, visible=1.0, corners_px=corners, outline_mm=corners, sigma_mm=0.2)


def four_palaces() -> Deck:
    """Four palaces, one lamp, one desert, a back."""
    one = deck()
    return replace(one, faces=(replace(one.faces[0], count=4), *one.faces[1:]))


def seen(before: list[Scene], *after: Scene) -> list[Scene]:
    observer = CarryOn(FakeObserver(*after), four_palaces(), before)
    found = [observer.look(frame(s.t)) for s in after]
    return [o.scene for o in found if o is not None]


def ids(one: Scene) -> list[str]:
    return [p.id for p in one.pieces]


BEFORE = scene(5.0, lying("p4", "palace", 0), lying("p2", "palace", 100), lying("p7", "lamp", 200))


def test_the_same_face_at_the_same_place_is_the_same_piece() -> None:
    (after,) = seen(
        [BEFORE], scene(9.0, lying("p1", "palace", 102, 3), lying("p2", "palace", 1), lying("p3", "lamp", 200))
    )
    assert ids(after) == ["p2", "p4", "p7"]


def test_a_face_of_which_there_is_one_is_known_wherever_it_lies() -> None:
    gone = scene(4.0, lying("p9", "desert", 300))
    (after,) = seen([gone, BEFORE], scene(9.0, lying("p1", "lamp", 500), lying("p2", "desert", 600)))
    assert ids(after) == ["p7", "p9"]


def test_what_was_not_there_gets_an_id_that_nothing_had() -> None:
    gone = scene(4.0, lying("p12", "palace", 300))
    first, second = seen(
        [gone, BEFORE],
        scene(9.0, lying("p1", "palace", 0), lying("p2", "palace", 300)),
        scene(10.0, lying("p1", "palace", 0), lying("p2", "palace", 300), lying("p3", "palace", 400)),
    )
    # A palace is where another lay before it was taken away: nobody can know that it is the same.
    assert ids(first) == ["p4", "p13"]
    assert ids(second) == ["p4", "p13", "p14"]


def test_another_face_at_the_same_place_is_another_piece() -> None:
    (after,) = seen([BEFORE], scene(9.0, lying("p1", "desert", 0)))
    assert ids(after) == ["p8"]


@pytest.mark.parametrize(("old", "new"), [("unknown", "palace"), ("palace", "unknown")])
def test_a_face_that_could_not_be_read_is_told_by_its_place(old: str, new: str) -> None:
    (after,) = seen([scene(5.0, lying("p4", old, 0))], scene(9.0, lying("p1", new, 2)))
    assert ids(after) == ["p4"]


def test_the_nearest_pairs_are_made_all_together() -> None:
    before = scene(5.0, lying("p4", "palace", 0), lying("p5", "palace", 20))
    (after,) = seen([before], scene(9.0, lying("p1", "palace", 14), lying("p2", "palace", 24)))
    assert ids(after) == ["p4", "p5"]


def test_a_piece_keeps_its_id_when_it_is_moved_later() -> None:
    first, second = seen([BEFORE], scene(9.0, lying("p1", "palace", 0)), scene(10.0, lying("p1", "palace", 700)))
    assert ids(first) == ids(second) == ["p4"]


def test_gaps_and_overlaps_are_renamed_too() -> None:
    after = msgspec.structs.replace(
        scene(9.0, lying("p1", "palace", 0), lying("p2", "lamp", 200)),
        gaps=(Gap(a="p1", b="p2", mm=141.0, sigma_mm=0.2),),
        overlaps=(Overlap(over="p2", under="p1", area_mm2=1, depth_mm=1, sigma_mm=1, confidence=1),),
    )
    (renamed,) = seen([BEFORE], after)
    assert (renamed.gaps[0].a, renamed.gaps[0].b) == ("p4", "p7")
    assert (renamed.overlaps[0].over, renamed.overlaps[0].under) == ("p7", "p4")


def test_a_game_of_which_nothing_was_seen_yet() -> None:
    observer = CarryOn(FakeObserver(BEFORE), four_palaces(), [])
    found = observer.look(frame(5.0))
    assert found is not None
    assert ids(found.scene) == ["p1", "p2", "p3"]
    assert found.picture.dtype == np.uint8
    assert (observer.moving, observer.status) == (False, "still")
    assert observer.finish() is None
