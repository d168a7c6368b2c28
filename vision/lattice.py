"""The lattice that tiles laid edge to edge form: cells, quarter turns, and which tiles are joined at all.

People lay tiles with gaps of up to a millimetre and a few degrees of slop, and a dozen in a row may bend like a train
on a curve. A grid fitted to all of them drifts; counting from neighbour to neighbour does not: each tile's cell is its
neighbour's plus one step, whichever way the row has bent by then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.camera import Array, place

GAP_MM = 0.5
"""The gap between tiles laid edge to edge, as a first guess: between 0 and 1 mm."""

APART_MM = 3.5
"""Two tiles are joined when the middle of one is within this of where it would lie edge to edge with the other: 1 mm of
gap, 1 mm of sideways slop, and what 2 degrees make at the edge of a tile of 60 mm (1 mm)."""

ASKEW = np.radians(8.0)
"""... and when they are parallel within this, quarter turns apart: twice the slop of either, and as much again."""

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


@dataclass(frozen=True)
class Place:
    """Where a tile lies on its lattice."""

    lattice: int
    """0 for the largest group of joined tiles, then by size."""
    cell: tuple[int, int]
    rotation: int
    """Clockwise in degrees: 0, 90, 180 or 270."""


def beside(pose: Array, side_mm: float, gap_mm: float = GAP_MM) -> list[Array]:
    """The four poses edge to edge with a tile at `pose` (x mm, y mm, rad), turned as it is."""
    step = side_mm + gap_mm
    middles = place(pose, np.array(STEPS, float) * step)
    return [np.array([x, y, pose[2]]) for x, y in middles]


def is_beside(poses: Array, place_at: Array, side_mm: float) -> bool:
    """Whether one of the tiles (n, 3) has a place as one of its four."""
    near = poses[np.hypot(*(poses[:, :2] - place_at[:2]).T) < side_mm + 2 * APART_MM]
    slots = [np.array(beside(pose, side_mm))[:, :2] for pose in near]
    return any(float(np.hypot(*(s - place_at[:2]).T).min()) < APART_MM for s in slots)


def between(poses: Array, place_at: Array, side_mm: float) -> tuple[Array, int]:
    """Where all tiles (n, 3) around a place say that it is, and how many they are; at least one must lie beside it."""
    away = np.hypot(*(poses[:, :2] - place_at[:2]).T)
    said = []
    for pose in poses[away < side_mm + 2 * APART_MM]:
        slot = min(beside(pose, side_mm), key=lambda p: float(np.hypot(*(p[:2] - place_at[:2]))))
        askew = (slot[2] - place_at[2] + np.pi / 4) % (np.pi / 2) - np.pi / 4
        if np.hypot(*(slot[:2] - place_at[:2])) < 2 * APART_MM and abs(askew) < ASKEW:
            said.append(np.array([slot[0], slot[1], place_at[2] + askew]))
    return np.asarray(np.mean(said, axis=0), np.float64), len(said)


def lay_out(poses: Array, side_mm: float) -> list[Place]:
    """Cells and rotations of square tiles of one size.

    poses: (n, 3) x mm, y mm, angle rad clockwise. Every tile gets a place; one that is joined to no other is a lattice
    of its own. Cells count from the group's first tile, [0, 0], with x to the right and y down in the picture.
    """
    n = len(poses)
    joined = _joined(poses, side_mm)
    groups: list[dict[int, tuple[tuple[int, int], float]]] = []
    seen: set[int] = set()
    for first in range(n):
        if first in seen:
            continue
        # The angle of a group's axes: a tile's own angle less its quarter turns, so that x points right.
        level = poses[first, 2] - _quarters(poses[first, 2]) * np.pi / 2
        group = {first: ((0, 0), float(level))}
        queue = [first]
        while queue:
            a = queue.pop(0)
            cell, axis = group[a]
            for b in joined[a]:
                if b in group:
                    continue
                step = _step(poses[a], poses[b], axis)
                turn = poses[b, 2] - axis
                group[b] = (
                    (cell[0] + step[0], cell[1] + step[1]),
                    float(axis + turn - _quarters(turn) * np.pi / 2),
                )
                queue.append(b)
        seen |= set(group)
        groups.append(group)
    groups.sort(key=lambda g: (-len(g), min(g)))
    out: list[Place | None] = [None] * n
    for number, group in enumerate(groups):
        for k, (cell, axis) in group.items():
            out[k] = Place(number, cell, _quarters(poses[k, 2] - axis) % 4 * 90)
    return [p for p in out if p is not None]


def _quarters(angle: float) -> int:
    return round(float(angle) / (np.pi / 2))


def _step(a: Array, b: Array, axis: float) -> tuple[int, int]:
    """Which way b lies from a, along a's own axes."""
    d = b[:2] - a[:2]
    x, y = np.cos(axis) * d[0] + np.sin(axis) * d[1], -np.sin(axis) * d[0] + np.cos(axis) * d[1]
    return (int(np.sign(x)), 0) if abs(x) > abs(y) else (0, int(np.sign(y)))


def _joined(poses: Array, side_mm: float) -> list[list[int]]:
    """For each tile those that it lies edge to edge with, the best fitting first."""
    out: list[list[int]] = []
    for k, pose in enumerate(poses):
        d = poses[:, :2] - pose[:2]
        c, s = np.cos(pose[2]), np.sin(pose[2])
        x, y = np.abs(c * d[:, 0] + s * d[:, 1]), np.abs(-s * d[:, 0] + c * d[:, 1])
        off = np.hypot(np.maximum(x, y) - side_mm - GAP_MM, np.minimum(x, y))
        turn = poses[:, 2] - pose[2]
        askew = np.abs((turn + np.pi / 4) % (np.pi / 2) - np.pi / 4)
        near = np.flatnonzero((off < APART_MM) & (askew < ASKEW) & (np.arange(len(poses)) != k))
        out.append([int(j) for j in near[np.argsort(off[near], kind="stable")]])
    return out


class Lattices:
    """Lays tiles out still after still, so that a tile keeps its cell as long as it lies there."""

    def __init__(self) -> None:
        self._before: dict[str, Place] = {}

    def lay_out(self, ids: list[str], poses: Array, side_mm: float) -> list[Place]:
        """As the function `lay_out`; ids: (n,) which tiles they are."""
        fresh = lay_out(poses, side_mm) if len(ids) else []
        out: list[Place | None] = [None] * len(ids)
        for number in {p.lattice for p in fresh}:
            members = [k for k, p in enumerate(fresh) if p.lattice == number]
            turns, shift = self._motion([(ids[k], fresh[k]) for k in members])
            for k in members:
                p = fresh[k]
                x, y = turned(p.cell, turns)
                out[k] = Place(number, (x + shift[0], y + shift[1]), (p.rotation + 90 * turns) % 360)
        places = [p for p in out if p is not None]
        self._before = dict(zip(ids, places, strict=True))
        return places

    def _motion(self, group: list[tuple[str, Place]]) -> tuple[int, tuple[int, int]]:
        """Quarter turns and shift that give most tiles of a group the place they had."""
        votes: dict[tuple[int, tuple[int, int]], int] = {}
        for name, p in group:
            before = self._before.get(name)
            if before is not None:
                turns = (before.rotation - p.rotation) // 90 % 4
                x, y = turned(p.cell, turns)
                motion = turns, (before.cell[0] - x, before.cell[1] - y)
                # Groups that were one before keep the larger part's count; of the others any will do.
                votes[motion] = votes.get(motion, 0) + 1
        return max(votes, key=lambda m: (votes[m], m)) if votes else (0, (0, 0))


def turned(cell: tuple[int, int], turns: int) -> tuple[int, int]:
    """A cell after so many quarter turns clockwise (x right, y down) about [0, 0].

    >>> turned((1, 0), 1)
    (0, 1)
    """
    x, y = cell
    for _ in range(turns % 4):
        x, y = -y, x
    return x, y
