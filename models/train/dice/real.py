"""Crops of dice on real photographs, labelled with what the photographs' truth says lies there.

    python -m models.train.dice.real PHOTOS OUT.npz

PHOTOS: a folder with `truth.json` (see `tests/figures/dice.py`). Places come from the networks there are; a photograph
counts only where they fit the truth: as many dice as lie there, or each where the truth has one. What else they take
for dice is learned as none. Each crop keeps its origin, the photograph's folder, so that any origin can be left out.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.networks import use_networks
from models.train.dice.data import LABELS, STORED_EDGE, STORED_SIDE
from tests.figures.dice import Picture, photographs
from vision.dice.crop import cut
from vision.dice.find import Proposal, propose, solid
from vision.dice.flat import lean_of_most
from vision.dice.read import Reading, read

FALSE_A_PHOTO = 12


def labelled(picture: Picture) -> tuple[list[tuple[Reading, int]], list[Proposal]]:
    """The dice whose value is certain, and proposals where there is none; both empty where nothing is certain. A
    reading's lean is that of a flat die there, NaN where it is not known."""
    proposals = propose(picture.bgr)
    readings = sorted(read(picture.bgr, proposals, 0.3), key=lambda r: -r.die * r.heat)
    order = solid([Proposal(r.centre, r.edge_px, i) for i, r in enumerate(readings)])
    readings = [readings[int(p.heat)] for p in order]
    if all(t.centre for t in picture.dice):
        dice = [(r, t.value) for t in picture.dice if (r := _at(readings, t.centre, t.edge)) is not None]
        whole = len(dice) == len(picture.dice)
    else:
        dice, whole = _by_value([r for r in readings if r.die > 0.7], sorted(t.value for t in picture.dice))
    flats = lean_of_most([r for r, _ in dice], picture.bgr.shape[:2])
    unknown = np.full(2, np.nan)
    dice = [(replace(r, lean=unknown if f is None else f), v) for (r, v), f in zip(dice, flats, strict=True)]
    if not whole or picture.loose:
        return dice, []
    false = [p for p in proposals if all(np.hypot(*np.subtract(p.centre, r.centre)) > 0.9 * r.edge_px for r, _ in dice)]
    return dice, false[:FALSE_A_PHOTO]


def _at(readings: list[Reading], place: tuple[float, float] | None, edge: float) -> Reading | None:
    near = [r for r in readings if np.hypot(*np.subtract(r.centre, place)) < 0.7 * r.edge_px and r.edge_px > 0.5 * edge]
    return near[0] if near else None


def _by_value(readings: list[Reading], values: list[int]) -> tuple[list[tuple[Reading, int]], bool]:
    """The one assignment of values to readings that is by far the likeliest, where there are as many as dice."""
    if len(readings) > len(values):
        sizes = [r.edge_px for r in readings[: len(values)]]
        readings = [r for r in readings if 0.6 * np.median(sizes) < r.edge_px < 1.7 * np.median(sizes)]
    if len(readings) != len(values):
        return [], False
    if len(set(values)) == 1:
        return [(r, values[0]) for r in readings], True
    read_as = sorted(int(r.values.argmax()) + 1 for r in readings)
    return ([(r, int(r.values.argmax()) + 1) for r in readings], True) if read_as == values else ([], False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--networks", type=Path, help="folder of the networks to find dice with, where not the released"
    )
    args = parser.parse_args()
    if args.networks:
        use_networks(args.networks)
    cv2.setNumThreads(1)
    crops: list[NDArray[np.uint8]] = []
    labels: list[list[float]] = []
    origin: list[str] = []
    for picture in photographs(args.photos):
        dice, false = labelled(picture)
        for reading, value in dice:
            crops.append(cut(picture.bgr, reading.centre, reading.edge_px, STORED_SIDE, STORED_EDGE))
            labels.append([value, *[float("nan")] * (LABELS - 3), *reading.lean])
        for p in false:
            crops.append(cut(picture.bgr, p.centre, p.edge_px, STORED_SIDE, STORED_EDGE))
            labels.append([0.0] * (LABELS - 2) + [float("nan")] * 2)
        origin += [picture.origin] * (len(dice) + len(false))
        print(f"{picture.name}: {len(dice)} of {len(picture.dice)} dice, {len(false)} that are none", flush=True)
    np.savez(args.out, crops=np.stack(crops), labels=np.array(labels, np.float32), origin=np.array(origin))


if __name__ == "__main__":
    main()
