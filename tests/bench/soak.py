"""The live loop for hours: `python -m tests.bench.soak --frames 200000` prints one JSON object.

The shipped recording is played over and over at full speed, three times to a game, one game after another, as on an
appliance that stays on. Capture thread, table, referee, journal, ring, vitals and screen are those of `kibitz serve`.
The source hands over its next frame when the table has taken the last, so that every frame counted was looked at.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2

from device import machine
from device.cameras import Clock, Live
from device.cameras.footage import FootageSource
from device.config import ScreenSection
from device.furnish import Around, open_screen
from device.journal import Journal
from device.notify import Manager
from device.ring import Ring
from device.screen.live_routes import Recorded
from device.sitting import CLIP, SESSION, Sitting, find_demo, lay_journaled_table, open_sitting
from device.vitals import Vitals
from tests.bench.clips import free_port
from vision.frame import Frame

WARM_UP = 0.1
"""Share of the frames after which memory is taken to have found its level."""
PASSES = 3
GROWTH_GOAL_MB = 10.0


class InStep:
    """Footage in a loop whose next frame is read when the last has been taken."""

    def __init__(self, path: Path, clock: Clock, taken: threading.Semaphore) -> None:
        self._open = lambda: FootageSource(path, clock, paced=False)
        self._source = self._open()
        self._left = PASSES - 1
        self._t = 0.0
        self._taken = taken

    def read(self) -> Frame | None:
        self._taken.acquire()
        frame = self._source.read()
        if frame is None and self._left:
            self._source.close()
            self._left -= 1
            self._source = self._open()
            frame = self._source.read()
        self._t += 0.1
        return None if frame is None else frame.at(self._t)  # type: ignore[attr-defined]

    def close(self) -> None:
        self._source.close()


def smaller(clip: Path, to: Path, width: int) -> Path:
    """The clip at another size."""
    with av.open(str(clip)) as source, av.open(str(to), "w") as out:
        video = source.streams.video[0]
        stream = out.add_stream("libx264", rate=10, options={"crf": "20", "preset": "veryfast"})
        height = round(video.height * width / video.width / 2) * 2
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number, frame in enumerate(source.decode(video)):
            picture = frame.reformat(width, height, "yuv420p")
            picture.pts, picture.time_base = number, Fraction(1, 10)
            out.mux(stream.encode(picture))
        out.mux(stream.encode())
    return to


def one_game(place: Path, clip: Path, sitting: Sitting, left: int) -> int:
    """Plays one game; returns the frames that were looked at."""
    frames = 0
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(place / "journal.sqlite"))
        table = lay_journaled_table(sitting, journal, source="soak", take_defaults=True)
        taken = threading.Semaphore(1)
        clock = Clock()
        live = Live(lambda: InStep(clip, clock, taken), watchdog_s=60.0)
        ring = Ring(place / "ring", limit_mb=20)
        stack.callback(ring.close)
        live.taps.append(ring.offer)
        vitals = Vitals(table, live=live, ring=ring, place=place)
        around = Around(vitals=vitals, recorded=Recorded(ring=ring, seconds=5.0, deck_folder=sitting.deck_folder))
        url = open_screen(stack, table, ScreenSection(port=free_port()), place, around)
        manager = Manager({})
        for frame in live.frames(lambda word, why: table.camera(word), manager.beat):
            table.feed(frame)
            taken.release()
            frames += 1
            if frames % 300 == 0:
                vitals.look()
                for path in ("/state", "/picture.jpg", "/health"):
                    ask(url + path)
            if frames >= left:
                live.stop()
        table.finish()
    return frames


def ask(url: str) -> None:
    try:
        with urllib.request.urlopen(url, timeout=20) as reply:
            reply.read()
    except urllib.error.HTTPError as e:
        e.read()


def soak(frames: int, width: int) -> dict[str, Any]:
    cv2.setNumThreads(1)
    folder = find_demo("carpets")
    sitting = open_sitting(folder / SESSION)
    done, games, start = 0, 0, time.monotonic()
    levels: list[tuple[int, int, int]] = []
    with tempfile.TemporaryDirectory() as place:
        clip = folder / CLIP if width >= 1280 else smaller(folder / CLIP, Path(place) / "clip.mp4", width)
        while done < frames:
            done += one_game(Path(place), clip, sitting, frames - done)
            games += 1
            gc.collect()
            levels.append((done, machine.memory_bytes() or 0, machine.open_files() or 0))
            print(f"{done} frames, {levels[-1][1] / 1e6:.1f} MB, {levels[-1][2]} files", file=sys.stderr, flush=True)
    after = [level for level in levels if level[0] >= WARM_UP * frames] or levels
    took = time.monotonic() - start
    fifth = max(1, len(after) // 5)
    first = sum(m for _, m, _ in after[:fifth]) / fifth
    last = sum(m for _, m, _ in after[-fifth:]) / fifth
    return {
        "of": f"the live loop on the shipped recording, {width} pixels wide, three times to a game",
        "frames": done,
        "games": games,
        "seconds": round(took, 1),
        "frames_a_second": round(done / took, 1),
        "memory_mb": {
            "after_warm_up": round(after[0][1] / 1e6, 1),
            "at_the_end": round(after[-1][1] / 1e6, 1),
            "most": round(max(m for _, m, _ in after) / 1e6, 1),
            "growth_of_fifths": round((last - first) / 1e6, 1),
            "goal": GROWTH_GOAL_MB,
        },
        "open_files": {"least": min(f for _, _, f in after), "most": max(f for _, _, f in after)},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--width", type=int, default=640, help="of the footage, pixels")
    given = parser.parse_args()
    print(json.dumps(soak(given.frames, given.width), indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
