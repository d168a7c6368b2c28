"""The dice of one picture: found, read, and told apart from what leans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.camera import Camera
from vision.dice.find import MISSIZED, Proposal, propose, solid
from vision.dice.flat import lean_of_most
from vision.dice.read import Reading, read, read_again
from vision.dice.shape import Array, angle_deg, leans_of_table, scales_of_table, upper_face
from vision.dice.value import SURE, SURE_COUNTED, value_of
from vision.frame import Image
from vision.scene import DieKind, Point, Quad

SIX = DieKind(face="die.six")
"""The die that is meant where nothing is said."""

LEAST_DIE = 0.6
"""What is less likely than this to be a die is not reported."""
LEAST_DIE_UNREAD = 0.95
"""Nor is what cannot be read, unless it is more likely than this to be one: of what is no die, most shows no value.
From 0.9 to 0.95 false ones fall from 20 to 6 on photographs and rendered pictures, and 2 dice of 735 are lost."""
NEARLY_READ = 0.9
"""Or its value is more likely than this: then it is asked."""
COCKED_DEG, COCKED_LOOKS = 12.0, 0.2
"""A die whose upper face is read to lean more than this against a flat one, and looks cocked with this probability, is.
With the camera known, of 140 rendered dice that lean by 13 to 38 degrees 100 are called so, of 626 flat ones 12 (by the
lean alone 110 and 27); of dice on photographs, all of them flat, 1 of 268."""
COCKED_BY_LOOKS = 0.95
"""Where nothing tells how a flat one leans: 5 of 100 cocked and 6 of 391 flat ones look it so much, 41 and 73 look it
by 0.7: a lone die on a photograph is nearly never called cocked."""
CERTAIN = 0.97
"""What is read surely and is a die with this probability tells how large the dice are."""
ONE_SIZE = 1.6
"""Dice that lie together differ in size by less: 12 and 20 mm is 1.67, and hardly anybody mixes these."""
PERSPECTIVE = 1.6
"""How much larger or smaller than at the middle of the picture a die may look: a tilt of 40 degrees, a lens of 70."""
BORDER = 0.55
"""Of its edge: a die whose middle is nearer to the picture's border is cut by it, and not read."""


@dataclass(frozen=True)
class Die:
    """A die that a picture shows. Pixels are the picture's, centres at integers.

    centre_px: of its body. corners_px: of its upper face, clockwise. value: what that shows, None when in doubt. face:
    its kind (`die.six`). pose: `rest` or `cocked`. confidence: 0 to 1, of the value (of there being a die, where there
    is no value). edge_px: length of an edge seen squarely. tilt_deg: against the table, None when the table's slope is
    not known.
    """

    centre_px: Point
    corners_px: Quad
    value: int | None
    face: str
    pose: str
    confidence: float
    edge_px: float
    tilt_deg: float | None = None


def find_dice(
    bgr: Image,
    kinds: tuple[DieKind, ...] = (SIX,),
    mm_per_px: float | Callable[[Array], Array] | None = None,
    ignore: NDArray[np.uint8] | NDArray[np.bool_] | None = None,
    leans_at: Callable[[Array], Array] | None = None,
) -> list[Die]:
    """Every die that lies wholly in the picture, left to right.

    bgr: (h, w, 3) uint8. kinds: the dice that may lie there; only what is on one of them is read. mm_per_px: scale at
    the middle of the picture, or exactly, (n,) at points (n, 2), where it is known: only dice of the kinds' sizes are
    then found. ignore: (h, w), not 0 where nothing is to be found (a hand, a pile). leans_at: how dice that lie flat at
    points of the picture lean (`shape.leans_of_table`), where the camera is known; without it the dice are compared
    with each other.

    >>> find_dice(np.full((240, 320, 3), 128, np.uint8))
    []
    """
    if not kinds:
        return []
    h, w = bgr.shape[:2]
    proposals = propose(bgr, _edges_px(kinds, mm_per_px, bgr))
    if ignore is not None:
        proposals = [p for p in proposals if not ignore[_inside(p.centre[1], h), _inside(p.centre[0], w)]]
    readings = [r for r in read(bgr, proposals, LEAST_DIE, leans_at) if _whole(r, h, w)]
    readings = _of_kinds_size(readings, kinds, mm_per_px)
    readings = [r for r in readings if r.die > LEAST_DIE_UNREAD or r.sure > SURE_COUNTED]
    # Of one size first: on a coarse cloth hundreds of knots look like small dice, and two dice of 518 on photographs
    # had to give way to the knots they lay on. Then again, since those that went had a say in the size.
    readings = _of_one_size(_apart(_of_one_size(readings)))
    if leans_at is not None:
        flat: list[Array | None] = [r.flat for r in readings]
    else:
        flat = lean_of_most(readings, (h, w))
        if any(f is not None for f in flat):
            # Together they tell which way is up: now each can be read for what it shows upwards.
            readings = read_again(bgr, [Proposal(r.centre, r.edge_px, r.heat) for r in readings], flat)
    dice = [(r, _die(bgr, r, kinds, f)) for r, f in zip(readings, flat, strict=True)]
    kept = [d for r, d in dice if d.value is not None or r.die > LEAST_DIE_UNREAD or r.sure > NEARLY_READ]
    return sorted(kept, key=lambda d: d.centre_px)


def find_on_table(
    bgr: Image,
    kinds: tuple[DieKind, ...],
    camera: Camera,
    ignore: NDArray[np.uint8] | NDArray[np.bool_] | None = None,
) -> list[Die]:
    """`find_dice` where the camera is known: it says how large a die is at each place, and how a flat one leans."""
    middle = float(np.mean([v for k in kinds for v in k.edge_mm])) if kinds else 0.0
    return find_dice(
        bgr,
        kinds,
        lambda px: scales_of_table(camera, px, middle / 2),
        ignore,
        lambda px: leans_of_table(camera, px, middle / 2),
    )


def _edges_px(
    kinds: tuple[DieKind, ...], mm_per_px: float | Callable[[Array], Array] | None, bgr: Image
) -> tuple[float, float] | None:
    """Shortest and longest edge anywhere in the picture."""
    if mm_per_px is None or mm_per_px == 0:
        return None
    low, high = min(k.edge_mm[0] for k in kinds), max(k.edge_mm[1] for k in kinds)
    if not callable(mm_per_px):
        return low / mm_per_px / PERSPECTIVE, high / mm_per_px * PERSPECTIVE
    h, w = bgr.shape[:2]
    scales = mm_per_px(np.array([(x, y) for x in (0, w - 1) for y in (0, h - 1)], float))
    return low / float(scales.max()), high / float(scales.min())


def _of_kinds_size(
    readings: list[Reading], kinds: tuple[DieKind, ...], mm_per_px: float | Callable[[Array], Array] | None
) -> list[Reading]:
    """Without what is larger or smaller than every kind."""
    if mm_per_px is None or mm_per_px == 0 or not readings:
        return readings
    if callable(mm_per_px):
        scales, slack = mm_per_px(np.array([r.centre for r in readings], float)), MISSIZED
    else:
        scales, slack = np.full(len(readings), mm_per_px), PERSPECTIVE
    edges = [r.edge_px * float(s) for r, s in zip(readings, scales, strict=True)]
    sizes = [(k.edge_mm[0] / slack, k.edge_mm[1] * slack) for k in kinds]
    return [r for r, e in zip(readings, edges, strict=True) if any(low <= e <= high for low, high in sizes)]


def _of_one_size(readings: list[Reading]) -> list[Reading]:
    """Without what is much smaller or larger than the dice that were read with certainty: keys, pips, boxes."""
    sure = [r.edge_px for r in readings if r.die > CERTAIN and r.sure > SURE]
    if not sure:
        return readings
    low, high = min(sure) / ONE_SIZE, max(sure) * ONE_SIZE
    return [r for r in readings if low <= r.edge_px <= high]


def _inside(v: float, size: int) -> int:
    return min(max(round(v), 0), size - 1)


def _whole(r: Reading, h: int, w: int) -> bool:
    x, y = r.centre
    margin = BORDER * r.edge_px
    return margin <= x <= w - 1 - margin and margin <= y <= h - 1 - margin


def _apart(readings: list[Reading]) -> list[Reading]:
    """Without those that turned out to be the same die."""
    ordered = sorted(readings, key=lambda r: -r.die * r.heat)
    kept = solid([Proposal(r.centre, r.edge_px, i) for i, r in enumerate(ordered)])
    return [ordered[int(p.heat)] for p in kept]


def _die(bgr: Image, r: Reading, kinds: tuple[DieKind, ...], flat: Array | None) -> Die:
    tilt = None if flat is None else angle_deg(r.lean, flat)
    leans = r.cocked > COCKED_BY_LOOKS if tilt is None else tilt > COCKED_DEG and r.cocked > COCKED_LOOKS
    kind, value, sure = value_of(bgr, r, kinds)
    return Die(
        centre_px=r.centre,
        corners_px=upper_face(r.centre, r.edge_px, r.lean, r.turn),
        value=value,
        face=kind.face,
        pose="cocked" if leans else "rest",
        confidence=round(sure * r.die if value is not None else r.die, 4),
        edge_px=r.edge_px,
        tilt_deg=tilt,
    )
