"""Figures of the machine itself: temperature, undervoltage, memory, open files. None where the system does not say."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

HOT_C = 80.0
"""A Raspberry Pi slows itself down from 80 °C on."""
SYS = Path("/sys")
PROC = Path("/proc/self")
THROTTLED = "devices/platform/soc/soc:firmware/get_throttled"
"""A Raspberry Pi's own report, bits as `vcgencmd get_throttled` prints them."""
UNDERVOLTAGE, CAPPED, THROTTLING = 0x1, 0x2, 0x4
"""Of the low half, which is what is the case now; the high half is what has been since the start."""

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
"""glibc, malloc.h."""


def temperature_c() -> float | None:
    """Of the processor."""
    values = []
    for zone in sorted((SYS / "class" / "thermal").glob("thermal_zone*")):
        text = _read(zone / "temp")
        if text and text.lstrip("-").isdecimal():
            values.append(int(text) / 1000)
    return max(values, default=None)


def throttled() -> int | None:
    """The bits of a Raspberry Pi; None on other machines."""
    text = _read(SYS / THROTTLED)
    if not text:
        return None
    try:
        return int(text, 16)
    except ValueError:
        return None


def warnings() -> tuple[str, ...]:
    """Of `undervoltage`, `throttled`, `hot`."""
    bits, celsius = throttled() or 0, temperature_c()
    found = []
    if bits & UNDERVOLTAGE:
        found.append("undervoltage")
    if bits & (CAPPED | THROTTLING):
        found.append("throttled")
    if celsius is not None and celsius >= HOT_C:
        found.append("hot")
    return tuple(found)


def figures() -> dict[str, float | int | None]:
    return {
        "temperature_c": temperature_c(),
        "throttled": throttled(),
        "memory_bytes": memory_bytes(),
        "open_files": open_files(),
        "load": round(os.getloadavg()[0], 2),
    }


def memory_bytes() -> int | None:
    """Resident memory of this process."""
    fields = _read(PROC / "statm").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else None


def hold_little() -> None:
    """Keeps few free pictures within this process (glibc): two arenas for all threads, and what is larger than half a
    megabyte goes back to the system at once: the shipped game of Fair Play takes 13 MB less at its peak than with two
    megabytes, Carcassonne 4. To be called before threads are begun.
    """
    adjust = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if adjust is not None:
        for parameter, value in ((M_ARENA_MAX, 2), (M_MMAP_THRESHOLD, 500_000), (M_TRIM_THRESHOLD, 500_000)):
            adjust(parameter, value)


def give_back() -> None:
    """Gives the memory that is free within this process back to the system, where the C library can (glibc).

    Pictures come and go in all sizes, and their holes stay with the process: at the shipped game of Carcassonne 359 MB
    without this and 257 MB with it every ten seconds, at Fliegende Teppiche 303 and 219. Takes 2 to 13 ms.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def open_files() -> int | None:
    try:
        return len(list((PROC / "fd").iterdir()))
    except OSError:
        return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
