"""What the networks learn from: rendered scenes, and crops of the dice in them.

    python -m models.train.dice.data OUT --seeds 0:3000
    python -m models.train.dice.data OUT --seeds 3000:12000 --mined   (once there is a finder)

writes OUT/<first seed>.npz, 250 scenes each. A crop's label is one row:
value (0: no die here), lean x, lean y, quarter cos, quarter sin, cocked, numerals (0 or 1), off x, off y, log scale,
flat x, flat y
where the three before the last say how far the true centre (in edges) and edge are from those the crop was cut with
(training fills them in), and the last two how a die that lies flat there leans. `--mined` adds what the finder proposes
and is no die: what the reader is there to refuse.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.networks import use_networks
from models.train.dice.faces import Rng
from models.train.dice.scene import Scene, Truth, render
from vision.dice.crop import cut
from vision.dice.find import propose

STORED_SIDE, STORED_EDGE = 80, 22.0
SCENE_EDGE = 28.0
SHARD = 250
LABELS = 12
VISIBLE = 0.7
"""A die of which less is seen is not learned from."""


def crops(rng: Rng, scene: Scene, edge_px: float) -> tuple[list[NDArray[np.uint8]], list[list[float]]]:
    """The dice of a scene, and places where there is none."""
    pictures, labels = [], []
    for die in scene.dice:
        h, w = scene.bgr.shape[:2]
        inside = (
            0.5 * die.edge < die.centre[0] < w - 0.5 * die.edge and 0.5 * die.edge < die.centre[1] < h - 0.5 * die.edge
        )
        if die.visible < VISIBLE or die.edge < 11 or not inside:
            continue
        pictures.append(_cut(scene, die.centre, die.edge))
        labels.append(label(die))
        if die.value and rng.random() < 0.12:
            # Half a die away or twice as large: not where a die is.
            if rng.random() < 0.5:
                a = rng.uniform(0, 2 * np.pi)
                at = die.centre + np.array([np.cos(a), np.sin(a)]) * die.edge * rng.uniform(0.6, 1.0)
                scale = 1.0
            else:
                at, scale = die.centre, float(rng.choice([rng.uniform(0.3, 0.55), rng.uniform(1.8, 3)]))
            if all(np.hypot(*(at - o.centre)) > 0.4 * o.edge or o is die for o in scene.dice):
                pictures.append(_cut(scene, at, die.edge * scale))
                labels.append(none_at(scene, at))
    h, w = scene.bgr.shape[:2]
    for _ in range(2):
        at = rng.uniform(0.05, 0.95, 2) * (w, h)
        if all(np.hypot(*(at - d.centre)) > 0.7 * d.edge for d in scene.dice):
            pictures.append(_cut(scene, at, edge_px * float(np.exp(rng.normal(0, 0.3)))))
            labels.append(none_at(scene, at))
    return pictures, labels


def mined(rng: Rng, scene: Scene) -> tuple[list[NDArray[np.uint8]], list[list[float]]]:
    """Where the finder sees a die and there is none."""
    false = [
        p
        for p in propose(scene.bgr)
        if all(np.hypot(*(np.array(p.centre) - d.centre)) > 0.6 * max(d.edge, p.edge_px) for d in scene.dice)
    ]
    kept = [false[i] for i in rng.permutation(len(false))[:5]]
    at = [np.array(p.centre) for p in kept]
    return [_cut(scene, a, p.edge_px) for a, p in zip(at, kept, strict=True)], [none_at(scene, a) for a in at]


def label(die: Truth) -> list[float]:
    if not die.value:
        return [0.0] * (LABELS - 2) + [*die.flat]
    numerals = float(die.style == "numerals")
    return [die.value, *die.lean, *die.quarter, float(die.cocked), numerals, 0.0, 0.0, 0.0, *die.flat]


def none_at(scene: Scene, at: NDArray[np.float64]) -> list[float]:
    """The label of a place where there is no die."""
    return [0.0] * (LABELS - 2) + [*scene.flat_at(at)]


def _cut(scene: Scene, at: NDArray[np.float64], edge: float) -> NDArray[np.uint8]:
    return cut(scene.bgr, (float(at[0]), float(at[1])), edge, STORED_SIDE, STORED_EDGE)


def shard(first: int, count: int, with_mined: bool) -> dict[str, NDArray[np.generic]]:
    pictures, labels, scenes, shapes, boxes = [], [], [], [], []
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed + 1_000_000_007)
        scene = render(seed)
        usual = float(np.median([d.edge for d in scene.dice])) if scene.dice else 25.0
        p, lab = crops(rng, scene, usual)
        pictures += p
        labels += lab
        if with_mined:
            false, none = mined(rng, scene)
            pictures += false
            labels += none
        scale = min(1.0, SCENE_EDGE / usual)
        small = cv2.resize(scene.bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        fx, fy = small.shape[1] / scene.bgr.shape[1], small.shape[0] / scene.bgr.shape[0]
        for d in scene.dice:
            x, y = (d.centre + 0.5) * (fx, fy) - 0.5
            boxes.append([len(scenes), x, y, d.edge * fx, d.value, d.visible])
        scenes.append(small.reshape(-1))
        shapes.append(small.shape[:2])
    return {
        "crops": np.stack(pictures),
        "labels": np.array(labels, np.float32),
        "scenes": np.concatenate(scenes),
        "shapes": np.array(shapes, np.int32),
        "dice": np.array(boxes, np.float32).reshape(-1, 6),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="0:8000")
    parser.add_argument("--mined", action="store_true")
    parser.add_argument(
        "--networks", type=Path, help="folder of the networks to find dice with, where not the released"
    )
    args = parser.parse_args()
    if args.networks:
        use_networks(args.networks)
    cv2.setNumThreads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    first, last = (int(x) for x in args.seeds.split(":"))
    for start in range(first, last, SHARD):
        path = args.out / f"{start:07d}.npz"
        if not path.exists():
            part = path.with_suffix(".part.npz")
            np.savez(part, **shard(start, min(SHARD, last - start), args.mined))  # type: ignore[arg-type]
            part.rename(path)
            print(path, flush=True)


if __name__ == "__main__":
    main()
