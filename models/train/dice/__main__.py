"""Make both networks from seeds: data, finder, reader, and their ONNX files.

    python -m models.train.dice build/dice

writes `dice_finder.onnx` and `dice_reader.onnx` to `build/dice/models`; `--ship` to `models/`, too. Steps that are done
already (their file is there) are not done again. `--only reader` starts from the finder that ships. `--photos FOLDER`
learns from photographs in the end (see `real`), but for the folders named by `--without`: so each origin can be held
out in turn. `--small` takes a few scenes and steps: it shows in minutes that every step runs, and makes networks that
see nothing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = "models.train.dice"


@dataclass(frozen=True)
class Stage:
    """One run of `train`. start: the stage before; shards: files of data learned from, 250 scenes each."""

    out: str
    start: str
    shards: int
    steps: int
    rate: float
    seed: int


FINDER_SEEDS = (0, 3250)
FINDER = (Stage("finder1", "", 13, 900, 3e-3, 1), Stage("finder2", "finder1", 13, 2200, 2e-3, 2))
READER_SEEDS = (100_000, 109_000)
READER = (
    Stage("reader1", "", 5, 1300, 3e-3, 1),
    Stage("reader2", "reader1", 24, 10000, 2e-3, 3),
    Stage("reader3", "reader2", 36, 4500, 1.5e-3, 5),
    Stage("reader4", "reader3", 36, 4500, 1.5e-3, 7),
)
LAST = Stage("reader5", "reader4", 36, 400, 1e-3, 4)
"""With photographs."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--only", choices=["finder", "reader"])
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--ship", action="store_true", help="replace the networks in models/")
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    make = Make(args.folder.resolve() / ("small" if args.small else ""), args.small)
    if args.only != "reader":
        make.finder()
    if args.only != "finder":
        make.reader()
        if args.photos:
            make.with_photos(args.photos.resolve(), args.without)
    if args.ship and not args.small:
        ship(make.models, ROOT / "models")


class Make:
    """The steps in `folder`; networks that are made are used by the steps that follow."""

    def __init__(self, folder: Path, small: bool) -> None:
        self.folder, self.small = folder, small
        self.models = folder / "models"
        self.models.mkdir(parents=True, exist_ok=True)

    def finder(self) -> None:
        data = self.data("finder", FINDER_SEEDS)
        for stage in FINDER:
            self.train("detector", data, stage)
        self.export("finder", FINDER[-1].out)

    def reader(self) -> None:
        # The finder's mistakes are what the reader is to refuse.
        data = self.data("reader", READER_SEEDS, "--mined")
        for stage in READER:
            self.train("reader", data, stage)
        self.export("reader", READER[-1].out)

    def with_photos(self, photos: Path, without: list[str]) -> None:
        real = self.folder / "real.npz"
        if not real.exists():
            self.run("real", photos, real, "--networks", self.models)
        name = "_".join([LAST.out, *(f"without_{o}" for o in without)])
        left_out = ["--without", *without] if without else []
        self.train("reader", self.folder / "reader", LAST, "--real", real, *left_out, out=name)
        self.export("reader", name)

    def data(self, name: str, seeds: tuple[int, int], *more: object) -> Path:
        first, last = seeds if not self.small else (seeds[0], seeds[0] + 300)
        self.run("data", self.folder / name, "--seeds", f"{first}:{last}", "--networks", self.models, *more)
        return self.folder / name

    def train(self, net: str, data: Path, stage: Stage, *more: object, out: str = "") -> None:
        weights = self.folder / f"{out or stage.out}.pt"
        if weights.exists():
            return
        begin = ["--start", self.folder / f"{stage.start}.pt"] if stage.start else []
        part = weights.with_suffix(".part")
        steps = stage.steps if not self.small else 20
        options = ["--steps", steps, "--rate", stage.rate, "--seed", stage.seed, "--shards", stage.shards]
        self.run("train", net, data, "--out", part, *options, *begin, *more)
        part.rename(weights)

    def export(self, net: str, weights: str) -> None:
        self.run("export", net, self.folder / f"{weights}.pt", "--folder", self.models)

    def run(self, step: str, *arguments: object) -> None:
        command = [sys.executable, "-m", f"{PACKAGE}.{step}", *map(str, arguments)]
        print("+", *command[2:], flush=True)
        subprocess.run(command, check=True, cwd=ROOT)


def ship(made: Path, released: Path) -> None:
    """Copy networks with their records."""
    records = json.loads((released / "networks.json").read_text())
    for name, record in json.loads((made / "networks.json").read_text()).items():
        shutil.copy(made / f"{name}.onnx", released)
        records[name] = record
    (released / "networks.json").write_text(json.dumps(records, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
