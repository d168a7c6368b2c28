"""How the appliance does, at one glance: camera, recording, disk, light, machine; and what of it people should know.

    vitals = Vitals(table, live=live, ring=ring, place=journal.path.parent)
    vitals.feed(frame)     # has the table look at it; what cannot be stored is not acted upon, and tried again
    vitals.look()          # every few seconds, in a thread of its own: costs a few ms
    vitals.report()        # for /health, `kibitz doctor` and MQTT

What impairs the game goes to the screen as names (`WARNINGS`), which the page has words for in each language.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections import deque
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from device import machine
from device.cameras import Live
from device.journal import NotNowError
from device.ring import Ring
from device.sight import Light, light_of, light_warnings, sampled, table_warnings
from device.state import Event
from device.table import Table
from vision.frame import Frame, Image

WARNINGS = (
    "unstored", "disk_full", "disk_fails", "disk_low", "undervoltage", "throttled", "hot", "slow", "dark", "bright",
    "glare", "noisy", "flicker", "blurred", "coarse", "narrow",
)  # fmt: skip
"""Worst first."""
EVERY_S = 10.0
GATHER_S = 2.0
SLOW_RATE = 4.0
"""Frames a second; with fewer, a still of half a second between two hands is missed."""
DISK_LOW_MB = 500
LATELY_S = 15.0
"""A table at rest is told anew every ten seconds."""
PICTURES = 12
"""Of one look: a second's worth, so that flicker shows."""


class Vitals:
    def __init__(self, table: Table, *, live: Live | None, ring: Ring | None, place: Path) -> None:
        self._table = table
        self._live = live
        self._ring = ring
        self._place = place
        self._samples: deque[Image] = deque(maxlen=PICTURES)
        self._whole: Image | None = None
        """The picture of the last sample: twelve whole ones would be 11 MB."""
        self._wanted = 0
        self._light: Light | None = None
        self._stop = threading.Event()
        self.warnings: tuple[str, ...] = ()
        self._unstored = False
        self._leave = table.subscribe(self._changed)
        if live is not None:
            live.taps.append(self._hear)

    def _hear(self, frame: Frame) -> None:
        """In the capture thread: keeps something of a few frames when a look is due."""
        if self._wanted > 0:
            self._wanted -= 1
            self._samples.append(sampled(frame.luma))
            self._whole = np.array(frame.luma)

    def feed(self, frame: Frame) -> None:
        """Has the table look at the next frame. Where the journal cannot take what is seen (the disk is full), nothing
        is ruled from it and the screen says so: a table at rest is told anew every few seconds, and then it counts."""
        try:
            self._table.feed(frame)
        except NotNowError as e:
            if not self._unstored:
                self._unstored = True
                print(f"kibitz: {e}", file=sys.stderr, flush=True)
                self._warn(set(self.warnings) | {"unstored"})

    def _changed(self, event: Event) -> None:
        if event.kind in ("scene", "answer", "history"):
            self._unstored = False

    # ---- looking -------------------------------------------------------------------------------------------------

    def watch(self) -> None:
        """Looks every few seconds until `close`."""
        threading.Thread(target=self._watch, name="vitals", daemon=True).start()

    def _watch(self) -> None:
        while not self._stop.wait(EVERY_S if self._light or not self._live else 1.0):
            self.ask()
            if self._stop.wait(GATHER_S):
                return
            self.look()
            machine.give_back()

    def close(self) -> None:
        self._stop.set()
        self._leave()

    def ask(self) -> None:
        """Has the next frames kept, for the look that follows: what is judged is how it is now."""
        self._forget()
        self._wanted = PICTURES

    def _forget(self) -> None:
        self._samples.clear()
        self._whole = None

    def look(self) -> None:
        """Measures what can have changed, and tells the table."""
        samples, whole = list(self._samples), self._whole
        still = not self._table.status().moving
        if whole is not None and len(samples) >= 2 and still and len({s.shape for s in samples}) == 1:
            self._light = light_of(samples, whole)
        self._forget()
        scene = self._table.scene()
        found = set(machine.warnings())
        if self._ring is not None and self._ring.warning:
            found.add(self._ring.warning)
        if self._free_mb() < DISK_LOW_MB:
            found.add("disk_low")
        if self._live is not None:
            health = self._live.health()
            if health.word == "live" and health.frames > 30 and health.rate < SLOW_RATE:
                found.add("slow")
        if self._light is not None:
            found |= set(light_warnings(self._light, cards=self._cards_lie_there()))
        found |= set(table_warnings(scene))
        self._warn(found)

    def _warn(self, found: set[str]) -> None:
        if self._unstored:
            found.add("unstored")
        self.warnings = tuple(name for name in WARNINGS if name in found)
        self._table.warn(self.warnings)

    def _cards_lie_there(self) -> bool:
        """Now: the scene may be the last one of an earlier sitting."""
        scene = self._table.scene()
        lately = scene is not None and self._table.status().t - scene.t < LATELY_S
        return lately and scene is not None and len(scene.pieces) >= 3

    def _free_mb(self) -> int:
        try:
            return shutil.disk_usage(self._place).free // 1_000_000
        except OSError:
            return 0

    # ---- telling -------------------------------------------------------------------------------------------------

    def report(self) -> dict[str, Any]:
        """Plain data, for JSON. `state` is `ok`, `warn` (the game goes on) or `fail` (nothing is seen)."""
        status = self._table.status()
        out: dict[str, Any] = {
            "state": "ok",
            "version": version("kibitz"),
            "warnings": list(self.warnings),
            "table": {"t": round(status.t, 1), "observer": status.observer, "source": status.source},
            "machine": {**machine.figures(), "disk_free_mb": self._free_mb()},
        }
        if self._live is not None:
            health = self._live.health()
            out["camera"] = {
                "word": health.word,
                "why": health.why,
                "frame_age_s": None if health.frame_age_s is None else round(health.frame_age_s, 2),
                "rate": round(health.rate, 1),
                "frames": health.frames,
                "skipped": health.skipped,
                "opened": health.opened,
            }
            if health.word in ("away", "opening"):
                out["state"] = "fail"
        if self._ring is not None:
            out["recording"] = {"bytes": self._ring.size(), "left_out": self._ring.left_out}
        if self._light is not None:
            light = self._light
            out["light"] = {name: round(getattr(light, name), 3) for name in light.__dataclass_fields__}
        scene = self._table.scene()
        if scene is not None and scene.camera.solved:
            out["view"] = {"mm_per_px": round(scene.camera.mm_per_px, 3), "tilt_deg": round(scene.camera.tilt_deg, 1)}
        if out["state"] == "ok" and self.warnings:
            out["state"] = "warn"
        return out


STARTED = time.time()


def prometheus(report: dict[str, Any]) -> str:
    """The report's figures as Prometheus text (exposition format 0.0.4)."""
    camera, machine_, light = report.get("camera", {}), report["machine"], report.get("light", {})
    gauges = {
        "kibitz_up": 1,
        "kibitz_ok": int(report["state"] != "fail"),
        "kibitz_start_time_seconds": round(STARTED, 3),
        "kibitz_camera_frame_age_seconds": camera.get("frame_age_s"),
        "kibitz_camera_rate_hertz": camera.get("rate"),
        "kibitz_camera_frames_total": camera.get("frames"),
        "kibitz_camera_skipped_total": camera.get("skipped"),
        "kibitz_camera_opened_total": camera.get("opened"),
        "kibitz_recording_bytes": report.get("recording", {}).get("bytes"),
        "kibitz_disk_free_megabytes": machine_.get("disk_free_mb"),
        "kibitz_temperature_celsius": machine_.get("temperature_c"),
        "kibitz_memory_bytes": machine_.get("memory_bytes"),
        "kibitz_open_files": machine_.get("open_files"),
        "kibitz_light_sharpness": light.get("sharpness"),
        "kibitz_light_noise": light.get("noise"),
    }
    lines = []
    for name, value in gauges.items():
        if value is not None:
            lines += [f"# TYPE {name} {'counter' if name.endswith('_total') else 'gauge'}", f"{name} {value}"]
    lines.append("# TYPE kibitz_warning gauge")
    lines += [f'kibitz_warning{{name="{name}"}} {int(name in report["warnings"])}' for name in WARNINGS]
    return "\n".join(lines) + "\n"
