"""What finding and reading five dice costs, 1280 x 720."""

from __future__ import annotations

from typing import Any

from models.train.dice.scene import render
from tests.bench.machine import in_ms, timed
from vision.dice import find_dice
from vision.frame import Image

GOAL_MS = 25.0
EDGE_PX = 34.0
"""A 16 mm die half a metre below a camera of usual width."""
PICTURES = 6
TIMES = 5


def bench_dice() -> dict[str, Any]:
    blind, known = [], []
    for picture in pictures(PICTURES):
        find_dice(picture)  # loads the networks
        for _ in range(TIMES):
            blind.append(timed(lambda p=picture: find_dice(p))[1])
            known.append(timed(lambda p=picture: find_dice(p, mm_per_px=16 / EDGE_PX))[1])
    return {
        "dice": {
            "of": f"a still of 1280x720 with five dice, {PICTURES} random tables: found and read",
            "scale_known": in_ms(known, GOAL_MS),
            "scale_unknown": in_ms(blind),
        }
    }


def pictures(count: int) -> list[Image]:
    """Random tables on which five dice lie."""
    found: list[Image] = []
    seed = 7_000_000
    while len(found) < count:
        scene = render(seed, edge_px=EDGE_PX, size=(1280, 720))
        seed += 1
        if sum(d.value > 0 and d.visible > 0.8 for d in scene.dice) == 5:
            found.append(scene.bgr)
    return found
