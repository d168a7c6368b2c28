"""What lies at a proposed place: whether it is a die, what its upper face shows, and how it leans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.dice import nets
from vision.dice.crop import cut
from vision.dice.find import Proposal
from vision.frame import Image

Array = NDArray[np.float64]

TURNS = (0, 1)
"""Quarter turns in which each die is read; the readings are averaged, and must agree to be sure of."""
BATCH = 32
SIZE_OFF = 0.12
PLACE_OFF = 0.1
"""A crop that misses the die's edge (as a logarithm) or its centre (in edges) by more is cut anew."""


@dataclass(frozen=True)
class Reading:
    """centre px; edge_px; die: probability that one lies there; values (6,): probability of each upper face; lean (2,)
    and turn of the upper face (`shape`); cocked: probability by its looks alone; agree: whether all turns read alike;
    heat: the proposal's."""

    centre: tuple[float, float]
    edge_px: float
    die: float
    values: Array
    lean: Array
    turn: float
    cocked: float
    agree: bool
    heat: float


def read(bgr: Image, proposals: list[Proposal], least_die: float = 0.5) -> list[Reading]:
    """Read the proposals' upper faces; those that are less likely than `least_die` to be dice at all are left out."""
    readings: list[Reading] = []
    for start in range(0, len(proposals), BATCH):
        some = proposals[start : start + BATCH]
        first = nets.read(_crops(bgr, some, 0))
        # A first look tells dice from the rest and centres them; only dice are read in earnest.
        kept = [(_moved(p, row), row) for p, row in zip(some, first, strict=True) if _sigmoid(row[6]) > least_die / 2]
        again = [p for p, _ in kept]
        answers = [nets.read(_crops(bgr, again, turn)) for turn in TURNS]
        for i, p in enumerate(again):
            reading = _reading(p, [a[i] for a in answers])
            if reading.die > least_die:
                readings.append(reading)
    return readings


def _crops(bgr: Image, proposals: list[Proposal], turn: int) -> NDArray[np.uint8]:
    side, edge = nets.READER_SIDE_PX, nets.READER_EDGE_PX
    crops = [cut(bgr, p.centre, p.edge_px, side, edge, turn) for p in proposals]
    return np.stack(crops) if crops else np.zeros((0, side, side, 3), np.uint8)


def _moved(p: Proposal, row: NDArray[np.float32]) -> Proposal:
    """The proposal where the reader saw the die to be."""
    edge = p.edge_px * float(np.exp(np.clip(row[12], -0.4, 0.4)))
    dx, dy = (float(np.clip(v, -0.4, 0.4)) * edge for v in row[14:16])
    return Proposal((p.centre[0] + dx, p.centre[1] + dy), edge, p.heat)


def _reading(p: Proposal, rows: list[NDArray[np.float32]]) -> Reading:
    values = np.mean([_softmax(row[:6]) for row in rows], axis=0)
    leans, quarters, offs = [], [], []
    for turn, row in zip(TURNS, rows, strict=True):
        # np.rot90 turns the crop counter-clockwise: back is clockwise, (x, y) to (-y, x) each time.
        lean, off = row[8:10].astype(float), row[14:16].astype(float)
        for _ in range(turn):
            lean, off = np.array([-lean[1], lean[0]]), np.array([-off[1], off[0]])
        leans.append(lean)
        offs.append(off)
        # Four times a quarter turn is a whole one.
        quarters.append(row[10:12].astype(float))
    off = np.clip(np.mean(offs, axis=0), -0.3, 0.3)
    edge = p.edge_px * float(np.exp(np.clip(np.mean([row[12] for row in rows]), -0.3, 0.3)))
    quarter = np.mean(quarters, axis=0)
    return Reading(
        centre=(p.centre[0] + float(off[0]) * edge, p.centre[1] + float(off[1]) * edge),
        edge_px=edge,
        die=float(np.mean([_sigmoid(row[6]) for row in rows])),
        values=np.asarray(values, float),
        lean=np.asarray(np.mean(leans, axis=0), float),
        turn=float(np.arctan2(quarter[1], quarter[0]) / 4),
        cocked=float(np.mean([_sigmoid(row[7]) for row in rows])),
        agree=len({int(row[:6].argmax()) for row in rows}) == 1,
        heat=p.heat,
    )


def _softmax(x: NDArray[np.float32]) -> Array:
    e = np.exp(x.astype(float) - float(x.max()))
    return np.asarray(e / e.sum(), float)


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-float(x))))
