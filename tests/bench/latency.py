"""From still to screen: from when the frame that completes a still came from the camera to when a page has the ruling.

The shipped recording is played as a camera at its own pace, through the live loop of `kibitz serve`; a page listens on
a WebSocket, on the same machine. A page is told at most ten times a second (`push.GATHER_S`), which is in these
figures; the rest is the look at the still (`stills.py`), storing it, and putting the table into words.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from device.cameras import Clock, Live
from device.cameras.footage import FootageSource
from device.evidence import Stills
from device.footage import open_footage
from device.replay import NoLog
from device.ring import Ring
from device.screen.app import make_app
from device.screen.server import serve
from device.sitting import CLIP, SESSION, find_demo, lay_table, open_sitting
from tests.bench.machine import in_ms, timed
from vision.frame import ArrayFrame, Frame

RING_FRAMES = 150


def bench_latency() -> dict[str, Any]:
    demo = find_demo("carpets")
    table = lay_table(
        open_sitting(demo / SESSION), NoLog(), stills=Stills(None, limit=1), source="", take_defaults=True
    )
    came: dict[float, float] = {}
    due: dict[int, float] = {}
    shown: dict[int, float] = {}
    now = [0.0]
    table.subscribe(lambda event: due.setdefault(event.entry, now[0]) if event.kind == "scene" else None)
    with tempfile.TemporaryDirectory() as place, serve(make_app(table), port=0) as serving:
        page = threading.Thread(target=_page, args=(serving.port, shown), daemon=True)
        page.start()
        ring = Ring(Path(place), limit_mb=20)
        clock = Clock()
        live = Live(lambda: FootageSource(demo / CLIP, clock))
        live.taps += [ring.offer, lambda frame: came.__setitem__(frame.t, time.monotonic())]
        for frame in live.frames(lambda word, why: None):
            now[0] = came[frame.t]
            table.feed(frame)
        time.sleep(1.0)  # for the page to hear the last of it
        ring.close()
    took = np.array([shown[entry] - at for entry, at in due.items() if entry in shown]) * 1e3
    health = live.health()
    return {
        "of": "the shipped recording at its own pace through the live loop, recorded; WebSocket on this machine",
        "p50_ms": round(float(np.percentile(took, 50)), 1),
        "p95_ms": round(float(np.percentile(took, 95)), 1),
        "n": len(took),
        "frames": health.frames,
        "skipped": health.skipped,
    }


def _page(port: int, shown: dict[int, float]) -> None:
    """Notes when each observation arrives. Several that come together are all there with the newest."""
    with suppress(ConnectionClosed), connect(f"ws://127.0.0.1:{port}/live", max_size=None) as socket:
        for message in socket:
            at = time.monotonic()
            entry = json.loads(message).get("table", {}).get("entry", 0)
            for number in range(max(shown, default=0) + 1, entry + 1):
                shown[number] = at


def bench_ring() -> dict[str, Any]:
    """What recording costs a frame of a game."""
    frames: list[Frame] = []
    with open_footage(find_demo("carpets") / CLIP) as footage:
        for frame in footage:
            if 100 <= footage.frames < 100 + RING_FRAMES:
                frames.append(ArrayFrame(frame.t, frame.bgr()))
    with tempfile.TemporaryDirectory() as place:
        ring = Ring(Path(place), limit_mb=100)
        times = []
        for frame in frames:
            ring._write(frame)  # in this thread, to be measured
        ring._finish_part()
        for frame in frames:
            later = ArrayFrame(frame.t + 60, frame.bgr())
            times.append(timed(lambda later=later: ring._write(later))[1])
        ring.close()
        size = ring.size() / (2 * len(frames))
    return {
        "of": "a 1280x720 frame into the ring of the last minutes",
        **in_ms(times),
        "kilobytes": round(size / 1e3, 1),
    }
