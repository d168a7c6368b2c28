"""Replaying the recorded game that ships, against merely decoding it; and what the live loop takes of the machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import av

from device import footage
from device.replay import report_of
from device.session_file import SESSION
from device.sitting import CLIP, find_demo
from tests.bench.machine import Took, timed

RATIO_GOAL = 3.0
MEMORY_GOAL_MB = 300.0


def decode(clip: Path, *, to_bgr: bool) -> int:
    frames = 0
    with av.open(str(clip)) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = 1
        for frame in container.decode(stream):
            frames += 1
            if to_bgr:
                frame.to_ndarray(format="bgr24")
    return frames


def bench_replay() -> dict[str, Any]:
    folder = find_demo("carpets")
    footage.DECODER_THREADS = 1
    before = timed(lambda: decode(folder / CLIP, to_bgr=False))
    _, replayed = timed(lambda: report_of(folder))
    after = timed(lambda: decode(folder / CLIP, to_bgr=False))
    frames, colour = timed(lambda: decode(folder / CLIP, to_bgr=True))
    decoded = Took(*((getattr(before[1], k) + getattr(after[1], k)) / 2 for k in ("wall", "cpu")))
    return {
        "of": "the shipped game, 1280x720 H.264: decode, see, rule and report against a PyAV loop that decodes every "
        "frame and does nothing with it (mean of one before and one after); one decoder thread each",
        "frames": frames,
        "decode_s": round(decoded.wall, 3),
        "decode_to_bgr_s": round(colour.wall, 3),
        "replay_s": round(replayed.wall, 3),
        "ratio": round(replayed.wall / decoded.wall, 3),
        "cpu_ratio": round(replayed.cpu / decoded.cpu, 3),
        "goal": RATIO_GOAL,
    }


def bench_live() -> dict[str, Any]:
    """`kibitz play` with the shipped video as its camera, at the pace of the game, the screen served meanwhile."""
    return {**live("carpets"), "without_recording": live("carpets", "--ring-mb", "0")}


def live(game: str, *options: str) -> dict[str, Any]:
    """The whole shipped game, played live."""
    folder = find_demo(game)
    with tempfile.TemporaryDirectory() as place:
        child = subprocess.Popen(
            [sys.executable, "-m", "device", "play", "--session", str(folder / SESSION), "--camera", str(folder / CLIP),
             "--journal", str(Path(place) / "j.sqlite"), "--port", str(free_port()), *options],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"kibitz play ended with {child.returncode}")
    with av.open(str(folder / CLIP)) as container:
        stream = container.streams.video[0]
        seconds = float(stream.duration * stream.time_base)
    kilo = 1 if sys.platform == "darwin" else 1024
    return {
        "of": f"kibitz play with the shipped video of {game} as its camera, journal and screen served, nobody looking; "
        + ("nothing recorded" if options else "the last minutes recorded"),
        "peak_memory_mb": round(used.ru_maxrss * kilo / 1e6, 1),
        "goal_mb": MEMORY_GOAL_MB,
        "of_one_core": round((used.ru_utime + used.ru_stime) / seconds, 3),
    }


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port
