"""How well dice are found and read on photographs, rendered pictures and random throws.

    python -m tests.figures.dice --photos FOLDER --scenes FOLDER --throws 9000000:9000600 --out FOLDER

`--photos`: folders of photographs beside a `truth.json` that names each (`origin/name.jpg`) with the `values` that lie
there, and `dice` with centres where they are known. `--scenes`: pictures beside a `truth.json` with `dice` (`sort`,
`top_value`, `centre_px`, `cocked`, `tilt_deg`, `readable`). `--throws`: seeds of the project's own renderer, which the
networks must not have been trained on.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import binomtest

from models.networks import use_networks
from models.train.dice.scene import Scene
from tests.figures.dice_inputs import forty, screens
from vision.camera import Camera
from vision.dice import SIX, Die, find_dice, find_on_table
from vision.scene import DieKind

KINDS = {
    "die.six": SIX,
    "die.flight": DieKind(face="die.flight", values=(1, 1, 2, 2, 3, 3)),
    "die.race": DieKind(face="die.race", values=(1, 1, 1, 2, 2, 3)),
}
CONFIDENT = 0.0
Finder = Callable[..., list[Die]]


@dataclass(frozen=True)
class Lies:
    """value 0: may be found or not, and read as anything (burnt out, half covered)."""

    value: int
    centre: tuple[float, float] | None = None
    edge: float = 30.0
    cocked: bool = False
    tilt_deg: float = 0.0
    values: tuple[int, ...] = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True)
class Picture:
    origin: str
    name: str
    bgr: np.ndarray
    dice: tuple[Lies, ...]
    loose: bool = False
    """More dice than the truth tells may lie there."""
    camera: Camera | None = None
    """Where it is known."""


@dataclass
class Tally:
    pictures: int = 0
    whole: int = 0
    dice: int = 0
    found: int = 0
    right: int = 0
    wrong: int = 0
    unknown: int = 0
    extra: int = 0
    cocked: Counter = field(default_factory=Counter)
    confusion: Counter = field(default_factory=Counter)
    misses: list = field(default_factory=list)


def share(k: int, n: int) -> str:
    """k of n with its 95 % interval (Wilson)."""
    if not n:
        return "-"
    ci = binomtest(k, n).proportion_ci(method="wilson")
    return f"{k}/{n} = {100 * k / n:.2f} % ({100 * ci.low:.2f} to {100 * ci.high:.2f})"


def judge(tally: Tally, picture: Picture, found: list[Die]) -> None:
    """Compare what was found on a picture with what lies there."""
    must = [t for t in picture.dice if t.value]
    tally.pictures += 1
    tally.dice += len(must)
    before = (tally.wrong, tally.extra, tally.found, tally.unknown)
    if all(t.centre is not None for t in picture.dice):
        pairs, extra = _by_place(picture, found)
    else:
        pairs, extra = _by_value(must, found)
    tally.extra += 0 if picture.loose else extra
    for t, d in pairs:
        if not t.value or d is None:
            continue
        tally.found += 1
        tally.confusion[t.value, d.value] += 1
        tally.right += d.value == t.value
        tally.unknown += d.value is None
        tally.wrong += d.value is not None and d.value != t.value
        tally.cocked[t.cocked, d.pose] += 1
    lost = len(must) - (tally.found - before[2])
    ok = (tally.wrong, tally.extra, tally.unknown) == (before[0], before[1], before[3]) and not lost
    tally.whole += ok
    if not ok:
        tally.misses.append((picture, found))


def _by_place(picture: Picture, found: list[Die]) -> tuple[list[tuple[Lies, Die | None]], int]:
    far = np.array(
        [
            [np.hypot(t.centre[0] - d.centre_px[0], t.centre[1] - d.centre_px[1]) / t.edge for d in found]
            for t in picture.dice
        ]
    ).reshape(len(picture.dice), len(found))
    rows, cols = linear_sum_assignment(np.minimum(far, 9))
    of = {int(r): int(c) for r, c in zip(rows, cols, strict=True) if far[r, c] < 0.75}
    pairs = [(t, found[of[i]] if i in of else None) for i, t in enumerate(picture.dice)]
    return pairs, len(found) - len(of)


def _by_value(must: list[Lies], found: list[Die]) -> tuple[list[tuple[Lies, Die | None]], int]:
    """Without places: equal values belong together, then doubts take what is left, then wrong values."""
    left, pairs = list(must), []
    rest = sorted(found, key=lambda d: d.value is None)
    others = []
    for d in rest:
        same = next((t for t in left if t.value == d.value), None)
        if same is None:
            others.append(d)
            continue
        left.remove(same)
        pairs.append((same, d))
    for d in sorted(others, key=lambda d: d.value is not None):
        if left:
            pairs.append((left.pop(0), d))
    return pairs + [(t, None) for t in left], max(0, len(found) - len(must))


def photographs(folder: Path) -> Iterator[Picture]:
    for name, t in json.loads((folder / "truth.json").read_text()).items():
        bgr = cv2.imread(str(folder / name))
        places = t.get("dice")
        if places:
            # The labels are boxes around the pips of the upper face, not around the die.
            usual = max(25.0, float(np.median([max(d["box"]) for d in places])) * 1.6)
            dice = tuple(Lies(d["value"], tuple(d["centre"]), usual) for d in places)
        else:
            dice = tuple(Lies(v) for v in t["values"])
        yield Picture(name.split("/")[0], name, bgr, dice, loose="note" in t)


def scenes(folder: Path) -> Iterator[Picture]:
    for name, t in json.loads((folder / "truth.json").read_text()).items():
        bgr = cv2.imread(str(folder / name))
        dice = tuple(
            Lies(
                d["top_value"] if d.get("readable", True) else 0,
                tuple(d["centre_px"]),
                d["edge_px"],
                bool(d["cocked"]),
                d["tilt_deg"],
                KINDS[d["sort"]].values,
            )
            for d in t["dice"]
        )
        yield Picture("scenes", name, bgr, dice, False, _solved(t))


def throws(first: int, last: int) -> Iterator[Picture]:
    """Random throws of the project's own renderer, on a picture of 640x480."""
    from models.train.dice.scene import render

    for seed in range(first, last):
        rng = np.random.default_rng(seed + 77)
        scene = render(seed, edge_px=float(np.exp(rng.uniform(np.log(14), np.log(48)))), size=(480, 360))
        yield Picture("throws", str(seed), scene.bgr, _lies(scene), True, camera_of(scene))


def camera_of(scene: Scene) -> Camera:
    """What a game would have solved from its cards."""
    h, w = scene.bgr.shape[:2]
    pinhole = scene.camera
    middle = pinhole.on_table(np.array([pinhole.centre]))[0]
    return _camera(pinhole.f, -pinhole.rotation[:, 2], float(np.linalg.norm(middle - pinhole.place)), (w, h))


def _camera(
    f: float, down: np.ndarray, distance: float, size: tuple[int, int], bend: tuple[float, float] = (0.0, 0.0)
) -> Camera:
    """down (3,): into the table, camera axes. distance: to the table along the optical axis, mm."""
    tilt_x, tilt_y = float(np.arcsin(-down[1])), float(np.arctan2(down[0], down[2]))
    return Camera(f, *bend, tilt_x, tilt_y, distance, *size)


def odd(first: int, last: int) -> Iterator[Picture]:
    """Forty dice at once, and dice on a screen that is photographed, one of each a seed."""
    for seed in range(first, last):
        scene = forty(seed)
        yield Picture("forty", str(seed), scene.bgr, _lies(scene), True)
    for seed, bgr, scene, m in screens(first, last):
        dice = []
        for t in _lies(scene):
            ends = np.array([[t.centre, (t.centre[0] + t.edge, t.centre[1])]])
            at, beside = cv2.perspectiveTransform(ends, m)[0]
            dice.append(replace(t, centre=(float(at[0]), float(at[1])), edge=float(np.hypot(*(beside - at)))))
        yield Picture("screen", str(seed), bgr, tuple(dice), True)


def _lies(scene: Scene) -> tuple[Lies, ...]:
    return tuple(
        Lies(
            d.value if d.visible > 0.8 and d.edge >= 14 and _inside(d, scene.bgr) else 0,
            (float(d.centre[0]), float(d.centre[1])),
            d.edge,
            d.cocked,
            d.tilt_deg,
            d.values,
        )
        for d in scene.dice
    )


def _solved(t: dict) -> Camera:
    """From the homography of the table's millimetres."""
    k = np.array(t["K"])
    m = np.linalg.inv(k) @ np.array(t["H_table_to_px"])
    m /= np.linalg.norm(m[:, 0])
    down = np.cross(m[:, 0], m[:, 1])
    down = down if down[2] > 0 else -down
    width, height = t["size"]
    return _camera(float(k[0, 0]), down, float(down @ m[:, 2] / down[2]), (width, height), tuple(t["dist"][:2]))


def _inside(d, bgr) -> bool:  # type: ignore[no-untyped-def]
    h, w = bgr.shape[:2]
    return bool(0.9 * d.edge < d.centre[0] < w - 0.9 * d.edge and 0.9 * d.edge < d.centre[1] < h - 0.9 * d.edge)


def run(
    pictures: Iterable[Picture], find: Finder = find_dice, by_sort: bool = False, known: bool = False
) -> dict[str, Tally]:
    """Tallies by origin. by_sort: each picture's dice are told to the reader by their kinds. known: where the camera is
    known, once more with that."""
    tallies: dict[str, Tally] = {}
    for picture in pictures:
        kinds = (SIX,)
        if by_sort:
            sorts = {t.values for t in picture.dice}
            kinds = tuple(k for k in KINDS.values() if k.values in sorts) or (SIX,)
        judge(tallies.setdefault(picture.origin, Tally()), picture, find(picture.bgr, kinds))
        if known and picture.camera is not None:
            told = tallies.setdefault(f"{picture.origin}, camera known", Tally())
            judge(told, picture, find_on_table(picture.bgr, kinds, picture.camera))
    return tallies


def table(tallies: dict[str, Tally]) -> str:
    lines = []
    for origin, t in tallies.items():
        lines.append(f"{origin}: {t.pictures} pictures, every die right on {share(t.whole, t.pictures)}")
        lines.append(f"  found {share(t.found, t.dice)}; not dice {t.extra}")
        lines.append(f"  misread {share(t.wrong, t.dice)}")
        lines.append(f"  unknown {share(t.unknown, t.dice)}")
        lines.append(
            "  pose " + ", ".join(f"{'cocked' if k[0] else 'rest'} as {k[1]}: {v}" for k, v in sorted(t.cocked.items()))
        )
        lines.append(
            "  confusion " + ", ".join(f"{k[0]} as {k[1]}: {v}" for k, v in sorted(t.confusion.items(), key=str))
        )
    return "\n".join(lines)


def draw(picture: Picture, found: list[Die]) -> np.ndarray:
    """The picture with what was found (green, cocked magenta, unknown red), and where dice truly lie (a white dot)."""
    out = picture.bgr.copy()
    for d in found:
        colour = (0, 0, 255) if d.value is None else (255, 0, 255) if d.pose == "cocked" else (0, 255, 0)
        cv2.polylines(out, [np.round(np.array(d.corners_px)).astype(np.int32)], True, colour, 1, cv2.LINE_AA)
        text = f"{d.value or '?'} {d.confidence:.2f}"
        at = (int(d.centre_px[0] + d.edge_px * 0.6), int(d.centre_px[1] - d.edge_px * 0.6))
        cv2.putText(out, text, at, 0, max(0.4, d.edge_px / 70), colour, 1, cv2.LINE_AA)
    for t in picture.dice:
        if t.centre:
            cv2.circle(out, (int(t.centre[0]), int(t.centre[1])), 2, (255, 255, 255), -1)
            cv2.putText(out, str(t.value), (int(t.centre[0] - t.edge), int(t.centre[1])), 0, 0.5, (255, 255, 0), 1)
    return out


def sheet(misses: list, path: Path, wide: int = 460, columns: int = 4) -> None:
    """All pictures with a miss, side by side."""
    cells = []
    for picture, found in misses[:60]:
        im = draw(picture, found)
        im = cv2.resize(im, (wide, wide * im.shape[0] // im.shape[1]))
        tall = wide * 3 // 4
        im = cv2.resize(im, None, fx=min(1, tall / im.shape[0]), fy=min(1, tall / im.shape[0]))
        im = cv2.copyMakeBorder(im, 0, tall - im.shape[0], 0, wide - im.shape[1], cv2.BORDER_CONSTANT)
        cv2.putText(im, picture.name, (3, 12), 0, 0.45, (0, 0, 255), 1)
        cells.append(im)
    while len(cells) % columns:
        cells.append(np.zeros_like(cells[0]))
    if cells:
        cv2.imwrite(str(path), np.vstack([np.hstack(cells[i : i + columns]) for i in range(0, len(cells), columns)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--scenes", type=Path)
    parser.add_argument("--throws")
    parser.add_argument("--known", action="store_true", help="once more as in a game, where the camera is known")
    parser.add_argument("--origins", nargs="*", help="of the photographs only these")
    parser.add_argument("--networks", type=Path, help="folder of networks to be measured instead of the released ones")
    parser.add_argument("--out", type=Path, help="contact sheets of the misses go there")
    parser.add_argument("--odd", help="seeds of forty dice at once, and of dice on a screen")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    tallies: dict[str, Tally] = {}
    if args.networks:
        use_networks(args.networks)
    if args.photos:
        tallies |= run(p for p in photographs(args.photos) if not args.origins or p.origin in args.origins)
    if args.scenes:
        tallies |= run(scenes(args.scenes), by_sort=True, known=args.known)
    if args.throws:
        first, last = (int(x) for x in args.throws.split(":"))
        tallies |= run(throws(first, last), by_sort=True, known=args.known)
    if args.odd:
        first, last = (int(x) for x in args.odd.split(":"))
        tallies |= run(odd(first, last), by_sort=True)
    print(table(tallies))
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        for origin, t in tallies.items():
            sheet(t.misses, args.out / f"misses_{origin.replace(', ', '_').replace(' ', '_')}.png")


if __name__ == "__main__":
    main()
