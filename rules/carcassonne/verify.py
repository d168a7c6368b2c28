"""Replay a folder of recorded games and compare every step: `python -m rules.carcassonne.verify FOLDER`.

Exit code 0 when all games agree, 1 when one does not, 2 when there is nothing to compare.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from rules.carcassonne.compare import Comparison, compare
from rules.carcassonne.recording import Recording


class _BadFileError(Exception):
    """One line for a person: which file, what is wrong."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m rules.carcassonne.verify", description="Compare recorded games.")
    parser.add_argument("folder", type=Path, help="folder of recordings, *.json or *.json.gz")
    folder: Path = parser.parse_args(arguments).folder
    try:
        return _verify(folder)
    except _BadFileError as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever reads has seen enough; what is left to print goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _verify(folder: Path) -> int:
    total: Counter[str] = Counter()
    parted = 0
    files = _recordings(folder)
    for path in files:
        compared = _compare(path)
        total += compared.agreed
        if compared.disagreement is None:
            print(f"{path.name}: agrees, {compared.agreed.total()} comparisons")
        else:
            parted += 1
            print(f"{path.name}: {compared.disagreement if parted == 1 else _short(compared)}")
    print()
    for what, count in total.items():
        print(f"{count:>7} x {what}")
    print(f"{len(files) - parted} of {len(files)} games agree")
    return 1 if parted else 0


def _short(compared: Comparison) -> str:
    return str(compared.disagreement).partition("\n")[0]


def _recordings(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise _BadFileError(f"{folder}: there is no such folder; name the folder that holds the recordings")
    files = sorted(path for path in folder.iterdir() if path.name.endswith((".json", ".json.gz")))
    if not files:
        raise _BadFileError(f"{folder}: no recordings in it; they are named *.json or *.json.gz")
    return files


def _compare(path: Path) -> Comparison:
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        return compare(msgspec.json.decode(data, type=Recording))
    except (OSError, EOFError, zlib.error) as error:
        raise _BadFileError(f"{path}: cannot be read: {error}") from None
    except ValueError as error:
        raise _BadFileError(f"{path}: is no recording of a game: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
