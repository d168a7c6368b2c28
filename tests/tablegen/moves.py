"""How things come to the table and leave it: hands that carry, carpets that fly. Each move is a list of shots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tests.tablegen.camera import TableCamera
from tests.tablegen.film import BLURS, FPS, Shot
from tests.tablegen.hand import Reach
from tests.tablegen.sheet import Sheet

SHUTTER = 0.3
"""Share of a frame's time that the shutter is open."""
SIDES = {"S": -90.0, "E": 0.0, "N": 90.0, "W": 180.0}
"""Direction from the middle of the picture to each side, degrees."""
HELD_MM = 35.0

Stack = tuple[Sheet, ...]


@dataclass(frozen=True)
class Stop:
    """Where a hand pauses: from then on the table looks like `stack`, and the hand holds `held`."""

    x: float
    y: float
    stack: Stack
    held: tuple[Sheet, ...] = ()
    wait: int = 1
    """Frames."""


def visit(
    camera: TableCamera, side: str, before: Stack, held: tuple[Sheet, ...], stops: Sequence[Stop],
    rng: np.random.Generator, skin: int,
) -> list[Shot]:  # fmt: skip
    """A hand comes in from a side, goes from stop to stop, and leaves. In the last shot it is out of the picture."""
    elbow = SIDES[side] + rng.normal(0, 12)
    start = outside(camera, side, (stops[0].x, stops[0].y), elbow)
    end = outside(camera, side, (stops[-1].x, stops[-1].y), elbow)
    tips: list[np.ndarray] = []
    states: list[tuple[Stack, tuple[Sheet, ...]]] = []
    at, stack = start, before
    for stop in stops:
        to = np.array([stop.x, stop.y])
        n = max(3, round(float(np.linalg.norm(to - at)) / rng.uniform(75, 130)))
        for t in np.linspace(0, 1, n + 1)[1:]:
            tips.append(at + (to - at) * (t * t * (3 - 2 * t)))
            states.append((stack, held))
        stack, held = stop.stack, stop.held
        tips.extend([to] * stop.wait)
        states.extend([(stack, held)] * stop.wait)
        at = to
    n = max(3, round(float(np.linalg.norm(end - at)) / rng.uniform(90, 150)))
    for t in np.linspace(0, 1, n + 1)[1:]:
        tips.append(at + (end - at) * (t * t * (3 - 2 * t)))
        states.append((stack, held))
    out = []
    for i, (tip, (lying, carried)) in enumerate(zip(tips, states, strict=True)):
        move = (tips[min(i + 1, len(tips) - 1)] - tips[max(i - 1, 0)]) / 2 * SHUTTER
        reach = Reach(float(tip[0]), float(tip[1]), float(elbow), 30.0, (float(move[0]), float(move[1])))
        air = tuple(_carried(s, tip, move, k) for k, s in enumerate(carried))
        out.append(Shot(lying, air, reach, skin))
    return out


def _carried(sheet: Sheet, tip: np.ndarray, move: np.ndarray, k: int) -> tuple[Sheet, ...]:
    """The sheet between the fingers, at moments of the exposure."""
    moments = np.linspace(-0.5, 0.5, BLURS)
    return tuple(
        replace(
            sheet, x=float(tip[0] + m * move[0]), y=float(tip[1] + m * move[1]), plane=(HELD_MM - 8.0 * k, 0.0, 0.0)
        )
        for m in moments
    )


def outside(camera: TableCamera, side: str, toward: tuple[float, float], elbow_deg: float) -> np.ndarray:
    """A point from which a hand, and what it holds, is not seen: out of the picture along its arm."""
    way = np.array([np.cos(np.radians(elbow_deg)), np.sin(np.radians(elbow_deg))])
    at = np.array(toward, float)
    w, h = camera.size
    for _ in range(400):
        at = at + way * 10
        reach = at + np.array([[0, 0], [60, 60], [60, -60], [-60, 60], [-60, -60]])
        px = camera.project(np.column_stack([reach, np.full(5, HELD_MM)]))
        if np.all((px[:, 0] < 0) | (px[:, 0] > w) | (px[:, 1] < 0) | (px[:, 1] > h)):
            return at
    return at


def fly(camera: TableCamera, side: str, before: Stack, carpet: Sheet, rng: np.random.Generator) -> list[Shot]:
    """A carpet flies in from a side and comes to where `carpet` lies; the last shot is just before it rests."""
    start = outside(camera, side, (carpet.x, carpet.y), SIDES[side] + rng.normal(0, 10))
    end = np.array([carpet.x, carpet.y])
    n = int(rng.integers(3, 6))
    spin = rng.uniform(-1, 1) * 120

    def pose(t: float) -> Sheet:
        t = min(max(t, 0.0), 1.0)
        s = 1 - (1 - t) ** 2
        p = start + (end - start) * s
        return replace(carpet, x=float(p[0]), y=float(p[1]), angle=carpet.angle + spin * (1 - s),
                       plane=(3 + 90 * (1 - t) * (t + 0.3), 0.0, 0.0))  # fmt: skip

    moments = np.linspace(-0.5, 0.5, BLURS) * SHUTTER
    return [Shot(before, (tuple(pose((i + 1 + m) / (n + 1)) for m in moments),)) for i in range(n)]


def rest(stack: Stack, seconds: float) -> list[Shot]:
    """Nothing moves."""
    return [Shot(stack)] * max(1, round(seconds * FPS))
