"""What finding and reading five dice costs, 1280 x 720."""

from __future__ import annotations

from typing import Any

from models.train.dice.scene import Scene, render
from tests.bench.machine import in_ms, timed
from tests.figures.dice import camera_of
from vision.dice import SIX, find_dice, find_on_table

GOAL_MS = 25.0
EDGE_PX = 34.0
"""A 16 mm die half a metre below a camera of usual width."""
PICTURES = 6
TIMES = 5


def bench_dice() -> dict[str, Any]:
    blind, known = [], []
    for scene in tables(PICTURES):
        picture, camera = scene.bgr, camera_of(scene)
        find_dice(picture)  # loads the networks
        for _ in range(TIMES):
            blind.append(timed(lambda p=picture: find_dice(p))[1])
            known.append(timed(lambda p=picture, c=camera: find_on_table(p, (SIX,), c))[1])
    return {
        "dice": {
            "of": f"a still of 1280x720 with five dice, {PICTURES} random tables: found and read",
            "camera_known": in_ms(known, GOAL_MS),
            "camera_unknown": in_ms(blind),
        }
    }


def tables(count: int) -> list[Scene]:
    """Random tables on which five dice lie."""
    found: list[Scene] = []
    seed = 7_000_000
    while len(found) < count:
        scene = render(seed, edge_px=EDGE_PX, size=(1280, 720))
        seed += 1
        if sum(d.value > 0 and d.visible > 0.8 for d in scene.dice) == 5:
            found.append(scene)
    return found
