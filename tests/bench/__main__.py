"""`python -m tests.bench`: one JSON object on standard output. Eight minutes, five for the memory of whole games."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from tests.bench.boards import bench_boards
from tests.bench.clips import bench_live, bench_replay
from tests.bench.dice import bench_dice
from tests.bench.engines import bench_engines
from tests.bench.keeping import bench_keeping, bench_peaks
from tests.bench.latency import bench_latency, bench_ring
from tests.bench.machine import machine, one_core
from tests.bench.stills import bench_stills


def main() -> int:
    figures: dict[str, Any] = {"machine": machine()}
    figures["live"] = _say(
        "the live loop", bench_live
    )  # before this process binds itself, and all it starts, to one core
    figures["live_peak_mb"] = {
        **_say("the memory of the board games", bench_peaks), "carpets": figures["live"]["peak_memory_mb"]
    }  # fmt: skip
    figures["still_to_screen"] = _say("from still to screen", bench_latency)
    figures["one_core"] = one_core()
    figures["ring_frame"] = bench_ring()
    figures |= _say("stills", bench_stills)
    figures |= _say("boards", bench_boards)
    figures |= _say("dice", bench_dice)
    figures["replay"] = _say("replay", bench_replay)
    figures |= _say("journal and fold", bench_keeping)
    figures["engines"] = _say("whole games of the engines", bench_engines)
    print(json.dumps(figures, indent=1))
    return 0


def _say(what: str, bench: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    print(f"measuring {what} ...", file=sys.stderr, flush=True)
    return bench()


if __name__ == "__main__":
    raise SystemExit(main())
