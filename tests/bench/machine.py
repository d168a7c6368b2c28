"""Which machine it was, and how times are taken."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import av
import cv2
import numpy as np

T = TypeVar("T")


def machine() -> dict[str, Any]:
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "opencv": cv2.__version__,
        "numpy": np.__version__,
        "pyav": av.__version__,
        "load_before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith(("model name", "Model"))]
    return names[0] if names else platform.processor() or "unknown"


def one_core() -> bool:
    """Binds this process to one processor, where that can be done, and OpenCV to one thread."""
    cv2.setNumThreads(1)
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return True


@dataclass(frozen=True)
class Took:
    """Seconds by the clock, and of the processor: on a machine that does other things, too, only the latter is ours."""

    wall: float
    cpu: float


def timed(work: Callable[[], T]) -> tuple[T, Took]:
    wall, cpu = time.perf_counter(), time.process_time()
    out = work()
    return out, Took(time.perf_counter() - wall, time.process_time() - cpu)


def in_ms(times: Sequence[Took], goal: float | None = None) -> dict[str, Any]:
    """Median and 95th percentile, ms."""
    wall, cpu = (np.array([getattr(t, name) for t in times]) * 1e3 for name in ("wall", "cpu"))
    out = {
        "median_ms": _round(np.median(wall)),
        "p95_ms": _round(np.percentile(wall, 95)),
        "cpu_median_ms": _round(np.median(cpu)),
        "cpu_p95_ms": _round(np.percentile(cpu, 95)),
        "n": len(times),
    }
    return out if goal is None else out | {"goal_ms": goal}


def _round(x: Any) -> float:
    return round(float(x), 3)
