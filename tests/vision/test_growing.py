"""Regions grown from rough places: where the colours end, whatever the colours are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.growing import grow, learn_looks

N = 30


def rough(edge: float, slack: float) -> np.ndarray:
    """Left and right of an upright edge that is known to within `slack` cells."""
    right = np.clip((np.arange(N) + 0.5 - edge + slack) / (2 * slack), 0, 1)[None, :].repeat(N, 0)
    return np.stack([1 - right, right]).astype(np.float32)


def two_colours(edge: int, left: tuple[int, int, int], right: tuple[int, int, int], noise: float = 12.0) -> np.ndarray:
    """A picture whose colours meet at a cell."""
    picture = np.empty((N * 6, N * 6, 3), np.float32)
    picture[:, : edge * 6], picture[:, edge * 6 :] = left, right
    picture += np.random.default_rng(1).normal(0, noise, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("edge", [10, 13, 17, 20])
@pytest.mark.parametrize(
    "colours", [((40, 160, 60), (80, 140, 200)), ((200, 60, 30), (190, 180, 200)), ((60, 60, 60), (150, 150, 150))]
)
def test_an_edge_is_found_where_the_colours_meet(edge, colours):
    picture, prior = two_colours(edge, *colours), rough(15, 9)
    looks = learn_looks([picture], [prior], [(0, 1)])
    labels = grow(picture, prior, (0, 1), looks)
    assert abs(labels.argmax(axis=1) - edge).max() <= 1


def test_one_colour_everywhere_leaves_the_prior_as_it_is():
    picture, prior = two_colours(10, (90, 120, 90), (90, 120, 90), 0.0), rough(15, 6)
    labels = grow(picture, prior, (0, 1), learn_looks([picture], [prior], [(0, 1)]))
    assert abs(labels.argmax(axis=1) - 15).max() <= 1


def test_looks_are_learned_from_the_whole_deck():
    """A picture in which a material is nowhere sure is grown by what it looks like in others."""
    teacher = two_colours(15, (40, 160, 60), (80, 140, 200))
    picture, vague = two_colours(9, (40, 160, 60), (80, 140, 200)), np.full((2, N, N), 0.5, np.float32)
    looks = learn_looks([teacher, picture], [rough(15, 3), vague], [(0, 1), (0, 1)])
    vague[0, :, 0], vague[1, :, 0] = 0.9, 0.1
    vague[0, :, -1], vague[1, :, -1] = 0.1, 0.9
    assert abs(grow(picture, vague, (0, 1), looks).argmax(axis=1) - 9).max() <= 1


def test_islands_go_to_what_surrounds_them():
    """Houses in the middle of the grass are no town."""
    picture = two_colours(20, (40, 160, 60), (80, 140, 200), 4.0)
    cv2.rectangle(picture, (60, 60), (90, 90), (80, 140, 200), -1)
    prior = rough(15, 12)
    labels = grow(picture, prior, (0, 1), learn_looks([picture], [prior], [(0, 1)]))
    assert not labels[10:15, 10:15].any()


def test_a_label_that_looks_like_nothing_has_its_prior_alone():
    picture, prior = two_colours(20, (40, 160, 60), (80, 140, 200)), rough(15, 4)
    labels = grow(picture, prior, (-1, -1), learn_looks([picture], [prior], [(-1, -1)]))
    assert abs(labels.argmax(axis=1) - 15).max() <= 1
