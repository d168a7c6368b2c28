"""`kill -9` at random moments of the live loop: `python -m tests.bench.kills --times 100` prints one JSON object.

`kibitz serve` referees the shipped recording while somebody agrees points on the screen. What the screen acknowledged
(204), and every entry that another process has read from the journal, must be there after the next start, in order, and
it must be the same game.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from device.sitting import CLIP, SESSION, find_demo
from tests.bench.clips import free_port

START_S = 90.0


class LostError(AssertionError):
    """Something that was acknowledged is not there any more."""


class Evening:
    """A service that is killed and started again."""

    def __init__(self, place: Path, seed: int) -> None:
        self.place, self.dice, self.port = place, random.Random(seed), free_port()
        demo = find_demo("carpets")
        config = f'[table]\nsession = "{demo / SESSION}"\n[camera]\nsource = "{demo / CLIP}"\n'
        (place / "kibitz.toml").write_text(config + f"[screen]\nport = {self.port}\n[record]\nring_mb = 20\n")
        self.acknowledged: list[int] = []
        """Numbers said at the screen, in order."""
        self.seen: list[tuple[int, int, str]] = []
        """Rows of the journal as another process read them."""
        self.at_start = self.while_saying = 0

    def round(self) -> None:
        """Start, play a random while, kill."""
        environment = {**os.environ, "KIBITZ_HOME": str(self.place)}
        child = subprocess.Popen(
            [sys.executable, "-m", "device", "serve", "--config", str(self.place / "kibitz.toml")],
            env=environment, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            if self.dice.random() < 0.15:  # while it is still reading decks, journal and camera
                time.sleep(self.dice.uniform(0.0, 3.0))
                self.at_start += 1
                return
            self._wait(child)
            end = time.monotonic() + self.dice.uniform(0.0, 2.5)
            while time.monotonic() < end:
                self._say()
                self.while_saying += 1
            self.seen = self.check()
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()

    def check(self) -> list[tuple[int, int, str]]:
        """Everything acknowledged is there; returns what is there."""
        database = self.place / "journal.sqlite"
        if not database.exists():
            return []
        db = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=20)
        try:
            if db.execute("PRAGMA quick_check").fetchone()[0] != "ok":
                raise LostError("the journal is damaged")
            rows = db.execute("SELECT session, number, body FROM entry ORDER BY session, number").fetchall()
        finally:
            db.close()
        if rows[: len(self.seen)] != self.seen:
            raise LostError("entries that were there have changed or gone")
        if {session for session, _, _ in rows} - {1}:
            raise LostError("another game was begun")
        said = [int(json.loads(body)["answer"]["value"]) for _, _, body in rows if '"score:Anna"' in body]
        if not is_subsequence(self.acknowledged, said):
            raise LostError(f"acknowledged {self.acknowledged[-5:]}, kept {said[-5:]}")
        return rows

    def _wait(self, child: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if child.poll() is not None:
                raise LostError(f"the service ended with {child.returncode}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/me", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        raise LostError(f"no answer within {START_S:g} s")

    def _say(self) -> None:
        number = (self.acknowledged[-1] if self.acknowledged else 0) + 1
        body = json.dumps({"choice": "score:Anna", "value": f"+{number}"}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/say", data=body, method="POST")
        request.add_header("content-type", "application/json")
        with urllib.request.urlopen(request, timeout=30) as reply:
            if reply.status == 204:
                self.acknowledged.append(number)


def is_subsequence(wanted: list[int], found: list[int]) -> bool:
    left = iter(found)
    return all(any(number == other for other in left) for number in wanted)


def kills(times: int, seed: int = 1) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        evening = Evening(Path(place), seed)
        for n in range(times):
            evening.round()
            rows = evening.check()
            print(
                f"killed {n + 1} times, {len(rows)} entries, {len(evening.acknowledged)} acknowledged", file=sys.stderr
            )
    return {
        "of": "kibitz serve on the shipped recording, killed with -9 at random moments, and started again",
        "times": times,
        "while_starting": evening.at_start,
        "acknowledged": len(evening.acknowledged),
        "entries": len(rows),
        "lost": 0,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(json.dumps(kills(given.times, given.seed), indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
