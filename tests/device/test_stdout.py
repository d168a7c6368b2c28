"""Output that nobody takes: one line where the disk is full, silence where the reader has gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "device"]
FULL = Path("/dev/full")


def environment(unbuffered: str) -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": unbuffered}


@pytest.mark.skipif(not FULL.exists(), reason="/dev/full is Linux's")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["games"], ["--help"]], ids=["text", "help"])
def test_a_full_disk_is_said_in_one_line(home: Path, arguments: list[str], unbuffered: str) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment(unbuffered),
        )
    assert done.returncode == 2
    assert done.stderr == "kibitz: standard output cannot be written: No space left on device; send it elsewhere\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["games"], ["--help"]], ids=["text", "help"])
def test_a_reader_that_has_gone_is_no_error(home: Path, arguments: list[str], unbuffered: str) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, *arguments],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=environment(unbuffered),
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")
