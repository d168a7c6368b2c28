"""Make both networks from seeds: data, finder, reader, and their ONNX files in `models/`.

    python -m models.train.dice build/dice --photos FOLDER [--without ORIGIN]

Steps that are done already (their file is there) are not done again. With `--without` an origin's photographs are not
learned from, and the reader goes to `build/dice` instead of `models/`: that is how each origin is held out.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path


def run(*arguments: object) -> None:
    print("+", *arguments, flush=True)
    subprocess.run([sys.executable, "-m", *map(str, arguments)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--without", nargs="*", default=[])
    args = parser.parse_args()
    here, data, real = args.folder, args.folder / "data", args.folder / "real.npz"
    package = "models.train.dice"
    run(f"{package}.data", data, "--seeds", "0:3250")
    for out, start, steps, rate in FINDER:
        if not (here / out).exists():
            begin = ["--start", here / start] if start else []
            run(f"{package}.train", "detector", data, "--out", here / out, "--steps", steps, "--rate", rate, *begin)
    run(f"{package}.export", "finder", here / FINDER[-1][0])
    run(f"{package}.data", data, "--seeds", "3250:5000", "--mined")
    run(f"{package}.data", data, "--seeds", "40000:41000", "--mined")
    for out, start, steps, rate, seed in READER:
        if not (here / out).exists():
            begin = ["--start", here / start] if start else []
            run(
                f"{package}.train",
                "reader",
                data,
                "--out",
                here / out,
                "--steps",
                steps,
                "--rate",
                rate,
                "--seed",
                seed,
                *begin,
            )
    run(f"{package}.export", "reader", here / READER[-1][0])
    if not real.exists():
        run(f"{package}.real", args.photos, real)
    name = "_".join(["reader", *(f"without_{o}" for o in args.without)])
    last = here / f"{name}.pt"
    out_of = ["--without", *args.without] if args.without else []
    run(
        f"{package}.train",
        "reader",
        data,
        "--start",
        here / READER[-1][0],
        "--out",
        last,
        *LAST,
        "--real",
        real,
        *out_of,
    )
    run(f"{package}.export", "reader", last, *(["--folder", here] if args.without else []))


FINDER = (("finder1.pt", "", 900, 3e-3), ("finder2.pt", "finder1.pt", 700, 2e-3))
READER = (
    ("reader1.pt", "", 1300, 3e-3, 1),
    ("reader2.pt", "reader1.pt", 3400, 2.5e-3, 2),
    ("reader3.pt", "reader2.pt", 1700, 2e-3, 3),
)
LAST = ("--steps", 350, "--rate", 1e-3, "--seed", 4)


if __name__ == "__main__":
    main()
