"""Refereeing recorded footage: every frame is looked at once, as fast as the machine can or at the pace of the game."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from device.evidence import Stills
from device.footage import Footage, open_footage
from device.report import build_report
from device.sitting import find_recording, lay_table, open_sitting
from device.table import Table
from rules.history import Entry


def replay(
    table: Table,
    footage: Footage,
    *,
    pace: Callable[[float], None] | None = None,
    progress: Callable[[float], None] | None = None,
) -> None:
    """Feeds the footage to the table. `pace(t)` may wait until frame time t is due; the rulings do not depend on it.

    No frame is ever left out: a machine that cannot keep up plays slower, and rules the same.
    """
    for frame in footage:
        if pace:
            pace(frame.t)
        table.feed(frame)
        if progress:
            progress(frame.t)
    table.finish()


class RealTime:
    """Waits until a frame's time has come, counted from the first frame."""

    def __init__(self) -> None:
        self._start: float | None = None

    def __call__(self, t: float) -> None:
        now = time.monotonic()
        if self._start is None:
            self._start = now - t
        time.sleep(max(0.0, self._start + t - now))


class NoLog:
    """Numbers entries and keeps none: for footage that is only being measured."""

    def __init__(self) -> None:
        self._last = 0

    def append(self, entry: Entry) -> int:
        self._last += 1
        return self._last


def report_of(path: Path, session: Path | None = None) -> tuple[bytes, str | None]:
    """The report on a recording with nothing kept; and one line if the footage ended early."""
    recording = find_recording(path, session)
    sitting = open_sitting(recording.session)
    with open_footage(recording.clip) as footage:
        table = lay_table(sitting, NoLog(), stills=Stills(None, limit=1), source=recording.name, take_defaults=True)
        replay(table, footage)
        report = build_report(table, footage=recording.name, frames=footage.frames, duration=footage.duration)
        return report, footage.cut_off()
