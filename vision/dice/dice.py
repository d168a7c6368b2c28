"""The dice of one picture: found, read, and told apart from what leans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.camera import Camera
from vision.dice.find import Proposal, propose, solid
from vision.dice.read import Reading, read
from vision.dice.shape import Array, angle_deg, lean_of_table, scale_of_table, upper_face
from vision.frame import Image
from vision.scene import DieKind, Point, Quad

SIX = DieKind(face="die.six")
"""The die that is meant where nothing is said."""

SURE = 0.90
"""A value less likely than this is unknown."""
LEAST_DIE = 0.6
"""What is less likely than this to be a die is not reported."""
LEAST_DIE_UNREAD = 0.9
"""Nor is what cannot be read, unless it is more likely than this to be one: of what is no die, most shows no value."""
COCKED_DEG = 18.0
"""A die that is read to lean more than this is cocked. The rules' 12 degrees are within what the reading
errs: of 53 rendered dice that lie flat 14 are read to lean more than 12 degrees, 6 more than 18."""
COCKED_BY_LOOKS = 0.7
MOST_AGREE = 3
"""Where the camera is not known, so many dice, and 60 % of all, must lean alike to say how a flat one does."""
USUAL_FOCAL = 0.9
"""Focal length over the longer side of a picture whose camera is not known: phones 0.75 to 0.9, webcams 0.9 to 1.1."""
CERTAIN = 0.97
ONE_SIZE = 1.6
"""Dice that lie together differ in size by less: 12 and 20 mm is 1.67, and hardly anybody mixes these."""
MISSIZED = 1.25
"""By how much an edge may be misread: 5 to 95 % of them lie within a quarter."""
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
    mm_per_px: float | Callable[[Point], float] | None = None,
    ignore: NDArray[np.uint8] | NDArray[np.bool_] | None = None,
    lean_at: Callable[[Point], Array] | None = None,
) -> list[Die]:
    """Every die that lies wholly in the picture, left to right.

    bgr: (h, w, 3) uint8. kinds: the dice that may lie there; only what is on one of them is read. mm_per_px: scale at
    the middle of the picture, or exactly at any point, where it is known: only dice of the kinds' sizes are then found.
    ignore: (h, w), not 0 where nothing is to be found (a hand, a pile). lean_at: how a die that lies flat at a point of
    the picture leans (`shape.lean_of_table`), where the camera is known; without it the dice are compared with each
    other.

    >>> find_dice(np.full((240, 320, 3), 128, np.uint8))
    []
    """
    if not kinds:
        return []
    h, w = bgr.shape[:2]
    proposals = propose(bgr, _edges_px(kinds, mm_per_px, bgr))
    if ignore is not None:
        proposals = [p for p in proposals if not ignore[_inside(p.centre[1], h), _inside(p.centre[0], w)]]
    readings = [r for r in read(bgr, proposals, LEAST_DIE) if _whole(r, h, w) and _fits(r, kinds, mm_per_px)]
    readings = [r for r in _apart(readings) if r.die > LEAST_DIE_UNREAD or _named(r, kinds)[1] is not None]
    readings = _of_one_size(readings)
    flat = _flat(readings, (h, w), lean_at)
    dice = [_die(r, kinds, f) for r, f in zip(readings, flat, strict=True)]
    return sorted(dice, key=lambda d: d.centre_px)


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
        lambda px: scale_of_table(camera, px, middle / 2),
        ignore,
        lambda px: lean_of_table(camera, px, middle / 2),
    )


def _edges_px(
    kinds: tuple[DieKind, ...], mm_per_px: float | Callable[[Point], float] | None, bgr: Image
) -> tuple[float, float] | None:
    """Shortest and longest edge anywhere in the picture."""
    if mm_per_px is None or mm_per_px == 0:
        return None
    low, high = min(k.edge_mm[0] for k in kinds), max(k.edge_mm[1] for k in kinds)
    if not callable(mm_per_px):
        return low / mm_per_px / PERSPECTIVE, high / mm_per_px * PERSPECTIVE
    h, w = bgr.shape[:2]
    scales = [mm_per_px((float(x), float(y))) for x in (0, w / 2, w - 1) for y in (0, h / 2, h - 1)]
    return low / max(scales) / MISSIZED, high / min(scales) * MISSIZED


def _fits(r: Reading, kinds: tuple[DieKind, ...], mm_per_px: float | Callable[[Point], float] | None) -> bool:
    """Whether a kind is as large as what was read."""
    if mm_per_px is None or mm_per_px == 0:
        return True
    scale, slack = (mm_per_px(r.centre), MISSIZED) if callable(mm_per_px) else (mm_per_px, PERSPECTIVE)
    edge = r.edge_px * scale
    return any(k.edge_mm[0] / slack <= edge <= k.edge_mm[1] * slack for k in kinds)


def _of_one_size(readings: list[Reading]) -> list[Reading]:
    """Without what is much smaller or larger than the dice that were read with certainty: keys, pips, boxes."""
    sure = [r.edge_px for r in readings if r.die > CERTAIN and r.values.max() > SURE and r.agree]
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


def _flat(
    readings: list[Reading], size: tuple[int, int], lean_at: Callable[[Point], Array] | None
) -> list[Array | None]:
    """For each die the lean it would have if it lay flat, where that can be told."""
    if lean_at is not None:
        return [np.asarray(lean_at(r.centre), float) for r in readings]
    if len(readings) < MOST_AGREE:
        return [None] * len(readings)
    # A die right of the middle shows its left side the less, its upper face farther right.
    h, w = size
    outwards = [(np.array(r.centre) - ((w - 1) / 2, (h - 1) / 2)) / (USUAL_FOCAL * max(h, w)) for r in readings]
    leans = [r.lean - o for r, o in zip(readings, outwards, strict=True)]
    near = [[b for b in leans if angle_deg(a, b) < COCKED_DEG] for a in leans]
    most = max(near, key=len)
    if len(most) < max(MOST_AGREE, 0.6 * len(leans)):
        return [None] * len(readings)
    table = np.median(np.array(most), axis=0)
    return [table + o for o in outwards]


def _die(r: Reading, kinds: tuple[DieKind, ...], flat: Array | None) -> Die:
    tilt = None if flat is None else angle_deg(r.lean, flat)
    cocked = r.cocked > COCKED_BY_LOOKS if tilt is None else tilt > COCKED_DEG
    kind, value, sure = _named(r, kinds)
    return Die(
        centre_px=r.centre,
        corners_px=upper_face(r.centre, r.edge_px, r.lean, r.turn),
        value=value,
        face=kind.face,
        pose="cocked" if cocked else "rest",
        confidence=round(sure * r.die if value is not None else r.die, 4),
        edge_px=r.edge_px,
        tilt_deg=tilt,
    )


def _named(r: Reading, kinds: tuple[DieKind, ...]) -> tuple[DieKind, int | None, float]:
    """The kind, the value or None, and how sure that is. What no kind has on it is not read as something else."""
    best = int(r.values.argmax()) + 1
    sure = float(r.values[best - 1])
    having = [k for k in kinds if best in k.values]
    kind = having[0] if having else kinds[0]
    if not having or sure < SURE or not r.agree:
        return kind, None, sure
    return kind, best, sure
