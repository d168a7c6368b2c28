"""Sides: the faces that stills show, each once, before anybody has named them.

A piece that lies there from still to still is one view of its side, averaged; views that are surely of one face are one
side. Which sides are one face although light or camera differ, their names will tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vision.alike import compare, prepare
from vision.camera import Array
from vision.cutout import Cutout, cut, merge, sharpness
from vision.frame import Image
from vision.naming import Look
from vision.unnamed import Seen

LAY_MM, LAY_DEG = 1.5, 2.0
"""A piece that is found again as near as that has not been touched."""
MOST_AVERAGED = 5


@dataclass(frozen=True, eq=False)
class View:
    """A piece that lay somewhere for a while."""

    cutout: Cutout
    origin: int
    """Which camera in which place it was seen by: what is of one origin is of one light."""
    t: float
    """When it was first seen, in its origin's own time."""


@dataclass(frozen=True, eq=False)
class Laid:
    """A view, the index of its size, and the stills of its origin in which it lay there."""

    shape: int
    view: View
    stills: frozenset[int]


@dataclass(frozen=True, eq=False)
class Side:
    """Views that are surely of one face, all turned alike, the best first."""

    size: int
    """Index of its physical size."""
    views: tuple[View, ...]
    copies: int
    """How many lay there at once, at most."""
    first: View
    """The one that was seen first."""


@dataclass(eq=False)
class _Lying:
    shape: int
    pose: Array
    first: int
    last: int
    cutouts: list[Cutout]
    seen: Look
    stills: set[int] = field(default_factory=set)


def views_of(
    stills: Sequence[Image], times: Sequence[float], seen: Seen, sizes: Sequence[tuple[float, float]], origin: int
) -> list[Laid]:
    """Every piece that lay there, in the order in which they came."""
    lying: list[_Lying] = []
    for piece in seen.pieces:
        size = sizes[piece.shape]
        pose = _upright(piece.pose, size)
        cutout = cut(stills[piece.still], seen.camera, pose, size)
        now = prepare(cutout)
        again = next((one for one in lying if _lies_yet(one, piece.shape, piece.still, pose, now)), None)
        if again is None:
            lying.append(_Lying(piece.shape, pose, piece.still, piece.still, [cutout], now, {piece.still}))
            continue
        again.last = piece.still
        again.stills.add(piece.still)
        if len(again.cutouts) < MOST_AVERAGED:
            again.cutouts.append(cutout)
    return [Laid(one.shape, View(merge(one.cutouts), origin, times[one.first]), frozenset(one.stills)) for one in lying]


def gather(laid: Sequence[Laid]) -> list[Side]:
    """The sides of all that lay anywhere, in the order of their first views."""
    groups: list[tuple[Look, list[Laid]]] = []
    for one in laid:
        now = prepare(one.view.cutout)
        for first, members in groups:
            if members[0].shape != one.shape or members[0].view.origin != one.view.origin:
                continue
            difference = compare(first, now)
            if difference.same:
                turned = replace(one.view, cutout=one.view.cutout.turned(difference.turns))
                members.append(replace(one, view=turned))
                break
        else:
            groups.append((now, [one]))
    return [
        Side(
            members[0].shape,
            tuple(sorted((m.view for m in members), key=worth, reverse=True)),
            _at_once([m.stills for m in members]),
            members[0].view,
        )
        for _, members in groups
    ]


def alike_sides(sides: Sequence[Side]) -> list[tuple[int, ...]]:
    """For each side the others (by index) that look nearly the same and have no plainly other hue."""
    looks = [prepare(side.views[0].cutout) for side in sides]
    out: list[list[int]] = [[] for _ in sides]
    for b in range(len(sides)):
        for a in range(b):
            if sides[a].size == sides[b].size and compare(looks[a], looks[b]).alike:
                out[a].append(b)
                out[b].append(a)
    return [tuple(one) for one in out]


def worth(view: View) -> tuple[float, float]:
    """What makes one view better than another of the same face: nothing burnt out, then sharpness."""
    return round(float(view.cutout.clear.mean()), 2), sharpness(view.cutout)


def _lies_yet(one: _Lying, shape: int, still: int, pose: Array, now: Look) -> bool:
    if one.shape != shape or one.last != still - 1:
        return False
    turn = abs((one.pose[2] - pose[2] + np.pi / 4) % (np.pi / 2) - np.pi / 4)
    if float(np.hypot(*(one.pose[:2] - pose[:2]))) > LAY_MM or turn > np.radians(LAY_DEG):
        return False
    return compare(one.seen, now).same


def _upright(pose: Array, size: tuple[float, float]) -> Array:
    """The same outline with its upper edge as far up in the picture as it can be."""
    step = np.pi / 2 if size[0] == size[1] else np.pi
    return np.array([pose[0], pose[1], (pose[2] + step / 2) % step - step / 2])


def _at_once(stills: list[frozenset[int]]) -> int:
    return max(sum(still in one for one in stills) for still in set().union(*stills)) if stills else 0
