"""The table from above: who is drawn over whom, and where a distance is drawn."""

from __future__ import annotations

import pytest

from device.screen.top import bottom_to_top, nearest, shortest_line
from tests.screen.scripted import piece
from vision.scene import Overlap


def over(top: str, bottom: str, confidence: float = 0.99) -> Overlap:
    return Overlap(over=top, under=bottom, area_mm2=100, depth_mm=5, sigma_mm=0.2, confidence=confidence)


def order(pieces: str, *overlaps: Overlap) -> str:
    return "".join(p.id for p in bottom_to_top([piece(name, "palace", 0, 0) for name in pieces], overlaps))


def test_pieces_that_do_not_touch_keep_their_order() -> None:
    assert order("cab") == "cab"


def test_what_lies_on_top_is_drawn_last() -> None:
    assert order("abc", over("a", "b"), over("a", "c")) == "bca"
    assert order("abcd", over("a", "b"), over("b", "c"), over("c", "d")) == "dcba"


def test_a_carpet_slid_under_a_card_is_drawn_below_it() -> None:
    assert order("dec", over("d", "c"), over("c", "e")) == "ecd"


def test_in_a_ring_the_least_sure_pair_gives_way() -> None:
    ring = over("a", "b"), over("b", "c"), over("c", "a", confidence=0.6)
    assert order("abc", *ring) == "cba"


def test_overlaps_with_pieces_that_have_gone_are_passed_over() -> None:
    assert order("ab", over("a", "x"), over("x", "b")) == "ab"


def test_the_line_runs_between_the_nearest_points() -> None:
    start, end = shortest_line(piece("a", "palace", 0, 0), piece("b", "palace", 69, 20), 3.0)
    assert (start[0], end[0]) == pytest.approx((29.5, 39.5))
    assert start[1] == pytest.approx(end[1])


def test_the_line_ends_at_rounded_corners() -> None:
    start, end = shortest_line(piece("a", "palace", 0, 0), piece("b", "palace", 69, 101), 3.0)
    # From corner to corner: each is rounded off by r (sqrt 2 - 1) along the diagonal.
    assert start == pytest.approx((29.5 - 0.8787, 45.5 - 0.8787), abs=0.02)
    assert end == pytest.approx((39.5 + 0.8787, 55.5 + 0.8787), abs=0.02)


def test_the_nearest_is_not_the_piece_itself() -> None:
    a, b, c = piece("a", "palace", 0, 0), piece("b", "palace", 300, 0), piece("c", "palace", 0, 200)
    assert nearest(a, (a, b, c), 3.0) is c
    assert nearest(a, (a,), 3.0) is None
