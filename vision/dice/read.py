"""What lies at a proposed place: whether it is a die, what its upper face shows, and how it leans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.dice import nets
from vision.dice.crop import cut
from vision.dice.find import Proposal
from vision.frame import Image
from vision.scene import Point

Array = NDArray[np.float64]

BATCH = 32


@dataclass(frozen=True)
class View:
    """How a crop differs from the plain one: turned by so many radians, larger by a factor."""

    turn: float = 0.0
    zoom: float = 1.0


PLAIN = View()
VIEWS = (PLAIN, View(0.25, 1.05))
"""In these each die is read, and the readings averaged."""
MORE_VIEWS = (View(-0.25, 0.95), View(0.12, 0.92), View(-0.12, 1.08))
"""In these, too, where the first leave a doubt."""
FIRST_LOOK = 0.1
"""What looks less like a die than this where it was proposed is not looked at again: one that the crop misses by a
quarter may look no more like one. At 0.3 one more of 518 dice on photographs was lost."""
DOUBT = 0.97
"""A die read less surely than this is looked at from all views."""
NO_DIE = 0.4
"""Nor is what looks less like a die than this in both of the first."""
CENTRED = 0.05
"""Of an edge, and as a logarithm of it: a crop that misses by less is not cut anew, its first reading is a view."""
LEAST = 1e-6


@dataclass(frozen=True)
class Reading:
    """centre px; edge_px; die: probability that one lies there; values (6,): probability of each upper face; lean (2,)
    and turn of the upper face (`shape`); cocked: probability of that; heat: the
    proposal's; flat: the lean of a flat die there, where it was told.

    `values` are the views' geometric means: where these differ they sum up to less than 1."""

    centre: Point
    edge_px: float
    die: float
    values: Array
    lean: Array
    turn: float
    cocked: float
    heat: float
    flat: Array | None

    @property
    def sure(self) -> float:
        """Probability of the likeliest value."""
        return float(self.values.max())


def read(
    bgr: Image, proposals: Sequence[Proposal], least_die: float = 0.5, flats_at: Callable[[Array], Array] | None = None
) -> list[Reading]:
    """Read the proposals' upper faces; those that are less likely than `least_die` to be dice at all are left out.

    flats_at: the leans (n, 2) of dice that lie flat at points (n, 2) of the picture, where they are known.
    """
    readings: list[Reading] = []
    for start in range(0, len(proposals), BATCH):
        some = proposals[start : start + BATCH]
        flats = [None] * len(some) if flats_at is None else [*flats_at(np.array([p.centre for p in some], float))]
        first = _answers(bgr, some, flats, PLAIN)
        # A first look tells dice from the rest and centres them; only dice are read in earnest.
        kept = [i for i, row in enumerate(first) if _sigmoid(row[6]) > FIRST_LOOK]
        centred = {i for i in kept if _miss(first[i]) < CENTRED}
        again = [some[i] if i in centred else _moved(some[i], first[i]) for i in kept]
        begun = [first[i] if i in centred else None for i in kept]
        readings += read_again(bgr, again, [flats[i] for i in kept], begun)
    return [r for r in readings if r.die > least_die]


def read_again(
    bgr: Image,
    places: Sequence[Proposal],
    flats: Sequence[Array | None],
    begun: Sequence[Array | None] | None = None,
) -> list[Reading]:
    """Read what is known to be a die, or nearly; flats: the lean of a flat die at each place; begun: the answer of the
    plain view, where it was asked already."""
    rows = [[] if a is None else [a] for a in begun or [None] * len(places)]
    new = [i for i, mine in enumerate(rows) if not mine]
    plain = _answers(bgr, [places[i] for i in new], [flats[i] for i in new], PLAIN)
    for i, a in zip(new, plain, strict=True):
        rows[i].append(a)
    for view in VIEWS[1:]:
        for mine, a in zip(rows, _answers(bgr, places, flats, view), strict=True):
            mine.append(a)
    doubtful = [i for i, mine in enumerate(rows) if _doubtful(mine)]
    for view in MORE_VIEWS:
        some = _answers(bgr, [places[i] for i in doubtful], [flats[i] for i in doubtful], view)
        for i, a in zip(doubtful, some, strict=True):
            rows[i].append(a)
    return [_reading(p, mine, f) for p, mine, f in zip(places, rows, flats, strict=True)]


def _answers(
    bgr: Image, places: Sequence[Proposal], flats: Sequence[Array | None], view: View
) -> list[NDArray[np.float64]]:
    """The network's answers, (16,) each, turned and scaled back to the picture's axes and the proposal's edge."""
    side, edge = nets.READER_SIDE_PX, nets.READER_EDGE_PX
    turns = [view.turn + (0.0 if f is None else _upright(f)) for f in flats]
    hints = np.array([(0, 0) if f is None else (1, np.hypot(f[0], f[1])) for f in flats], np.float32).reshape(-1, 2)
    crops = [cut(bgr, p.centre, p.edge_px, side, edge * view.zoom, t) for p, t in zip(places, turns, strict=True)]
    out = nets.read(np.stack(crops), hints).astype(float) if crops else np.zeros((0, 16))
    return [_back(row, t, view.zoom) for row, t in zip(out, turns, strict=True)]


def _upright(flat: Array) -> float:
    """The turn that brings a lean to point up in the picture."""
    return float(-np.pi / 2 - np.arctan2(flat[1], flat[0]))


def _back(row: Array, turn: float, zoom: float) -> Array:
    row = row.copy()
    c, s = np.cos(-turn), np.sin(-turn)
    for i in (8, 14):
        x, y = row[i : i + 2]
        row[i : i + 2] = c * x - s * y, s * x + c * y
    c, s = np.cos(-4 * turn), np.sin(-4 * turn)
    x, y = row[10:12]
    row[10:12] = c * x - s * y, s * x + c * y
    row[12] -= np.log(zoom)
    return row


def _moved(p: Proposal, row: Array) -> Proposal:
    """The proposal where the reader saw the die to be."""
    edge = p.edge_px * float(np.exp(np.clip(row[12], -0.4, 0.4)))
    dx, dy = (float(np.clip(v, -0.4, 0.4)) * edge for v in row[14:16])
    return Proposal((p.centre[0] + dx, p.centre[1] + dy), edge, p.heat)


def _miss(row: Array) -> float:
    """How far the reader saw the die from where the crop was cut: edges, or as a logarithm of the edge."""
    return float(max(abs(row[12]), np.hypot(row[14], row[15])))


def _doubtful(rows: list[Array]) -> bool:
    return float(_values(rows).max()) < DOUBT and any(_sigmoid(r[6]) > NO_DIE for r in rows)


def _values(rows: list[Array]) -> Array:
    return np.asarray(np.exp(np.mean([np.log(_softmax(r[:6]) + LEAST) for r in rows], axis=0)), float)


def _reading(p: Proposal, rows: list[Array], flat: Array | None) -> Reading:
    row = np.mean(rows, axis=0)
    off = np.clip(row[14:16], -0.3, 0.3)
    edge = p.edge_px * float(np.exp(np.clip(row[12], -0.3, 0.3)))
    return Reading(
        centre=(p.centre[0] + float(off[0]) * edge, p.centre[1] + float(off[1]) * edge),
        edge_px=edge,
        die=float(np.mean([_sigmoid(r[6]) for r in rows])),
        values=_values(rows),
        lean=np.asarray(row[8:10], float),
        # Four times a quarter turn is a whole one.
        turn=float(np.arctan2(row[11], row[10]) / 4),
        cocked=float(np.mean([_sigmoid(r[7]) for r in rows])),
        heat=p.heat,
        flat=flat,
    )


def _softmax(x: Array) -> Array:
    e = np.exp(x - float(x.max()))
    return np.asarray(e / e.sum(), float)


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-float(x))))
