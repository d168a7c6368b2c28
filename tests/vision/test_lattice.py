"""Cells and quarter turns of tiles laid with the slop of a hand."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.camera import Array
from vision.lattice import GAP_MM, Lattices, beside, lay_out, turned

SIDE = 45.0
Cell = tuple[int, int]


def laid(
    cells: list[Cell], rng: np.random.Generator, start: tuple[float, float, float], turns: NDArray[np.int64]
) -> Array:
    """Poses of tiles laid one by one, each against one that lies there, with gaps of 0 to 1 mm, 2 degrees of slop."""
    poses = {cells[0]: np.array(start, float)}
    for cell in cells[1:]:
        step = next(s for s in ((1, 0), (0, 1), (-1, 0), (0, -1)) if (cell[0] - s[0], cell[1] - s[1]) in poses)
        x, y, angle = poses[cell[0] - step[0], cell[1] - step[1]]
        along, across = SIDE + rng.uniform(0, 1), rng.uniform(-0.5, 0.5)
        d = np.array(step) * along + np.array([-step[1], step[0]]) * across
        c, s = np.cos(angle), np.sin(angle)
        poses[cell] = np.array([x + c * d[0] - s * d[1], y + s * d[0] + c * d[1], angle])
    slop = np.radians(rng.uniform(-2, 2, len(cells)))
    return np.array([poses[c] for c in cells]) + np.column_stack([np.zeros((len(cells), 2)), slop + turns * np.pi / 2])


@pytest.mark.parametrize("seed", range(20))
def test_long_rows_do_not_drift(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = [(x, 0) for x in range(14)] + [(13, y) for y in range(1, 8)] + [(x, 7) for x in range(12, -1, -1)]
    turns = rng.integers(0, 4, len(cells))
    start = (30.0, -80.0, np.radians(rng.uniform(-40, 40)))
    places = lay_out(laid(cells, rng, start, turns), SIDE)
    assert [p.cell for p in places] == cells
    assert [p.rotation for p in places] == [int(t) * 90 for t in turns]
    assert {p.lattice for p in places} == {0}


def test_a_full_board_laid_in_any_order_keeps_its_cells() -> None:
    rng = np.random.default_rng(4)
    cells = [(0, 0)]
    while len(cells) < 72:
        x, y = cells[rng.integers(len(cells))]
        step = ((1, 0), (0, 1), (-1, 0), (0, -1))[rng.integers(4)]
        if (x + step[0], y + step[1]) not in cells:
            cells.append((x + step[0], y + step[1]))
    # Where rows meet again the gaps of either way differ: tiles on one table cannot overlap, so they are laid on a
    # common grid, each with its own slop.
    poses = np.array([[x * 45.6, y * 45.6, 0.0] for x, y in cells])
    poses += np.column_stack([rng.uniform(-0.5, 0.5, (72, 2)), np.radians(rng.uniform(-2, 2, 72))])
    assert [p.cell for p in lay_out(poses, SIDE)] == cells


def test_tiles_that_do_not_touch_are_other_lattices() -> None:
    poses = np.array([[0, 0, 0], [200, 0, 0], [245.3, 0.4, 0.01], [0, 51, 0], [200, 45.2, np.radians(20)]])
    places = lay_out(poses, SIDE)
    assert [p.lattice for p in places] == [1, 0, 0, 2, 3]
    assert [p.cell for p in places] == [(0, 0), (0, 0), (1, 0), (0, 0), (0, 0)]


def test_one_tile_is_a_lattice_and_none_is_none() -> None:
    assert lay_out(np.zeros((0, 3)), SIDE) == []
    (place,) = lay_out(np.array([[3.0, 4.0, np.radians(91)]]), SIDE)
    assert (place.lattice, place.cell, place.rotation) == (0, (0, 0), 90)


def test_the_places_beside_a_tile_are_where_its_neighbours_lie() -> None:
    angle = np.radians(10)
    for pose in beside(np.array([5.0, 6.0, angle]), SIDE):
        assert np.hypot(*(pose[:2] - (5.0, 6.0))) == pytest.approx(SIDE + GAP_MM)
        assert pose[2] == angle
        assert len({p.lattice for p in lay_out(np.array([[5.0, 6.0, angle], pose]), SIDE)}) == 1


def test_cells_stay_while_the_tiles_lie() -> None:
    lattices = Lattices()
    pitch = SIDE + 0.5
    first = lattices.lay_out(["p1", "p2"], np.array([[0, 0, 0], [pitch, 0, 0]]), SIDE)
    assert [p.cell for p in first] == [(0, 0), (1, 0)]
    # A tile is laid to the left, and it is listed first now.
    after = lattices.lay_out(["p0", "p1", "p2"], np.array([[-pitch, 0, 0], [0, 0, 0], [pitch, 0, 0]]), SIDE)
    assert [p.cell for p in after] == [(-1, 0), (0, 0), (1, 0)]
    # The first tile is taken away; the others count on.
    left = lattices.lay_out(["p0", "p2"], np.array([[pitch, pitch, 0], [pitch, 0, 0]]), SIDE)
    assert [p.cell for p in left] == [(1, 1), (1, 0)]


def test_a_board_that_lies_askew_does_not_turn_over_between_stills() -> None:
    lattices = Lattices()
    rotations = []
    for degrees in (44.5, 45.5, 44.8, 45.2):
        a = np.radians(degrees)
        pitch = 45.5 * np.array([np.cos(a), np.sin(a)])
        places = lattices.lay_out(["p1", "p2"], np.array([[0, 0, a], [*pitch, a]]), SIDE)
        rotations.append([(p.cell, p.rotation) for p in places])
    assert all(r == rotations[0] for r in rotations)


def test_cells_turn_clockwise() -> None:
    assert [turned((2, 1), k) for k in range(5)] == [(2, 1), (-1, 2), (-2, -1), (1, -2), (2, 1)]
