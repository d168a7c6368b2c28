"""The generator of random tables tells the truth about what it draws."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tablegen import make_table


@pytest.fixture(scope="module")
def still():
    return make_table(2)


def test_the_same_seed_draws_the_same_still(still):
    again = make_table(2)
    assert again.truth == still.truth
    for a, b in zip(still.frames, again.frames, strict=True):
        assert np.array_equal(a, b)


def test_another_seed_draws_another_still(still):
    assert make_table(3, frames=1).truth["objects"] != still.truth["objects"]


def test_corners_in_mm_project_onto_corners_in_pixels(still):
    camera = still.camera
    for o in still.truth["objects"]:
        xyz = np.column_stack([o["corners_mm"], o["corners_height_mm"]])
        assert np.allclose(camera.project(xyz), o["corners_px"], atol=2e-3)


def test_rays_are_the_inverse_of_projection(still):
    rng = np.random.default_rng(0)
    px = rng.uniform(0, [1279, 719], (200, 2))
    xy = still.camera.on_plane(px, 1.5)
    assert np.allclose(still.camera.project(np.column_stack([xy, np.full(200, 1.5)])), px, atol=1e-6)
