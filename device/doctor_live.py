"""The doctor's look at the live side: the running service if there is one, otherwise the camera itself."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from device import machine
from device.cameras import CameraGone, Clock, Wish, opener
from device.checks import Check
from device.errors import UserError
from device.sight import Light, light_warnings, measure_light
from vision.frame import Image

LOOK_S = 4.0
"""So long the camera is watched: exposure needs a second or two."""
PICTURES = 12
SLOW_RATE = 4.0
BUILT = datetime(2025, 1, 1, tzinfo=UTC)
"""A clock before this has never been set: a Pi without network begins wherever it was switched off."""

TOLD = {
    "dark": ("it is too dark", "Switch a lamp on over the table."),
    "bright": ("the picture is washed out", "Turn the lamp away or dim it."),
    "glare": ("a lamp is mirrored in the table", "Move the lamp a little, or the camera."),
    "noisy": ("the picture is noisy", "More light helps."),
    "flicker": ("the light flickers", "Use another lamp, or daylight."),
    "blurred": ("the picture is blurred", "Focus the camera on the table, or clean its lens."),
    "coarse": ("too few pixels a millimetre for the 1 cm rule", "Hang the camera lower, or give it more pixels."),
    "narrow": ("too little of the table is in view", "Hang the camera higher."),
}
"""What is wrong, and the one thing to do."""


def check_python_packages() -> Iterator[Check]:
    """Packages that do not go together."""
    names = {str(d.metadata["Name"]).lower() for d in distributions()}
    opencvs = sorted(n for n in names if n.startswith("opencv-"))
    if len(opencvs) > 1:
        do = f"pip uninstall {' '.join(opencvs)}, then pip install opencv-python-headless."
        yield Check("OpenCV", "fail", f"{' and '.join(opencvs)} overwrite each other", do)
    elif opencvs and "headless" not in opencvs[0]:
        yield Check("OpenCV", "warn", f"{opencvs[0]} brings Qt, which clashes with camera previews",
                    "Install opencv-python-headless in its place.")  # fmt: skip
    yield _onnx()
    if find_spec("picamera2") is not None:
        yield _picamera2()


def _onnx() -> Check:
    """Loads and runs it in a process of its own: an illegal instruction ends the process, not the doctor."""
    code = "import onnxruntime as o; assert 'CPUExecutionProvider' in o.get_available_providers()"
    return _try_import("onnxruntime runs", code, "Install onnxruntime 1.22 or newer.")


def _picamera2() -> Check:
    do = "Install simplejpeg 1.9 or newer into Kibitz's environment (the system's is built for numpy 1)."
    return _try_import("picamera2", "import simplejpeg, picamera2; print('loads')", do)


def _try_import(what: str, code: str, do: str) -> Check:
    import sys

    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return Check(what, "fail", "does not answer", do)
    if done.returncode == 0:
        return Check(what, "ok", done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "yes")
    said = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return Check(what, "fail", said, do)


def check_machine() -> Iterator[Check]:
    """Temperature, power, clock, and the service."""
    celsius, bits = machine.temperature_c(), machine.throttled()
    if celsius is not None:
        hot = celsius >= machine.HOT_C
        yield Check("temperature", "warn" if hot else "ok", f"{celsius:.0f} °C", "Give it air or a fan." if hot else "")
    if bits is not None:
        now = machine.warnings()
        if "undervoltage" in now:
            yield Check("power", "fail", "undervoltage", "Use the power supply that came with the Raspberry Pi.")
        elif "throttled" in now:
            yield Check("power", "warn", "slowed down", "Give it air or a fan.")
        elif bits & (machine.UNDERVOLTAGE << 16):
            yield Check("power", "warn", "undervoltage since it was switched on", "Use its own power supply.")
        else:
            yield Check("power", "ok", "enough")
    yield _clock()
    if (service := _service()) is not None:
        yield service


def _clock() -> Check:
    now = datetime.now(UTC)
    if now < BUILT:
        return Check("clock", "warn", f"{now:%Y-%m-%d %H:%M} UTC cannot be", "Connect the network once, or set it.")
    return Check("clock", "ok", f"{now:%Y-%m-%d %H:%M} UTC")


def _service() -> Check | None:
    """Of an installed appliance; None where there is none."""
    if shutil.which("systemctl") is None or not Path("/etc/systemd/system/kibitz.service").exists():
        return None
    try:
        done = subprocess.run(
            ["systemctl", "is-active", "kibitz"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return Check("service", "warn", "systemd does not answer")
    state = done.stdout.strip() or "unknown"
    if state == "active":
        return Check("service", "ok", "runs")
    return Check("service", "fail", state, "See why: journalctl -u kibitz -n 20; then: systemctl restart kibitz.")


# ---- the service that runs, or the camera -------------------------------------------------------------------------


def ask_service(port: int) -> dict[str, Any] | None:
    """The report of the Kibitz that runs on this machine, if one does."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3)
    try:
        connection.request("GET", "/health")
        report = json.loads(connection.getresponse().read(100_000))
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    return report if isinstance(report, dict) and "warnings" in report else None


def checks_of_service(report: dict[str, Any], port: int) -> Iterator[Check]:
    """What the running service says of its camera, light and table."""
    yield Check(f"port {port}", "ok", f"Kibitz {report.get('version', '')} answers there")
    camera = report.get("camera")
    if camera is None:
        yield Check("camera", "warn", "none is used", "Name one in kibitz.toml.")
        return
    if camera["word"] != "live":
        yield Check(
            "camera", "fail", f"{camera['word']}: {camera['why']}", "Check its cable, and that nothing else uses it."
        )
    else:
        yield _rate(float(camera["rate"]), int(camera["frames"]))
    light = report.get("light")
    if light is not None:
        view = report.get("view", {})
        found = f"median {light['median']:.0f}, noise {light['noise']:.1f}, sharpness {light['sharpness']:.2f}"
        yield from _told([w for w in report["warnings"] if w in TOLD], found + _view(view))


def check_camera(name: str, wish: Wish) -> Iterator[Check]:
    """Opens the camera and watches for a few seconds."""
    try:
        pictures, rate = _watch(name, wish)
    except UserError as e:
        yield Check("camera", "warn", str(e), "Replay needs none.")
        return
    except CameraGone as e:
        yield Check("camera", "warn", str(e), "Connect it, or end the program that uses it; replay needs none.")
        return
    if len(pictures) < 2:
        yield Check("camera", "fail", f"{name}: delivered {len(pictures)} pictures", "Check its cable; try another.")
        return
    height, width = pictures[-1].shape
    yield Check("camera", "ok", f"{name}: {width}x{height}")
    yield _rate(rate, 0)
    light: Light = measure_light(pictures)
    found = f"median {light.median:.0f}, noise {light.noise:.1f}, flicker {light.flicker:.1f}"
    yield from _told(light_warnings(light, cards=False), found)
    if light.sharpness:
        blurred = "blurred" in light_warnings(light)
        yield Check("focus", "warn" if blurred else "ok", f"sharpness {light.sharpness:.2f}",
                    "Lay some cards and look again; then focus the camera." if blurred else "")  # fmt: skip


def _watch(name: str, wish: Wish) -> tuple[list[Image], float]:
    """The last luma pictures of a few seconds, and frames a second. Never longer than some seconds more."""
    open_source = opener(name, Clock(), wish)
    pictures: list[Image] = []
    times: list[float] = []
    errors: list[Exception] = []
    done = threading.Event()

    def watch() -> None:
        try:
            source = open_source()
            try:
                end = time.monotonic() + LOOK_S
                while time.monotonic() < end and (frame := source.read()) is not None:
                    times.append(time.monotonic())
                    pictures.append(np.array(frame.luma))
                    del pictures[:-PICTURES]
            finally:
                source.close()
        except Exception as e:  # whatever a driver throws is told
            errors.append(e)
        finally:
            done.set()

    threading.Thread(target=watch, name="doctor", daemon=True).start()
    if not done.wait(LOOK_S + 15.0):
        raise CameraGone(f"{name}: hangs")
    if errors and not pictures:
        error = errors[0]
        raise error if isinstance(error, UserError | CameraGone) else CameraGone(f"{name}: {error}")
    span = times[-1] - times[0] if len(times) > 1 else 0.0
    return pictures, (len(times) - 1) / span if span else 0.0


def _rate(rate: float, frames: int) -> Check:
    if rate >= SLOW_RATE or 0 < frames < 30:
        return Check("frame rate", "ok", f"{rate:.1f} a second")
    return Check("frame rate", "warn", f"{rate:.1f} a second", "Use another USB port or cable, or more light.")


def _told(names: Any, found: str) -> Iterator[Check]:
    for name in names:
        wrong, do = TOLD[name]
        yield Check("light and view", "warn", f"{wrong} ({found})", do)
    if not names:
        yield Check("light and view", "ok", found)


def _view(view: dict[str, Any]) -> str:
    return f", {view['mm_per_px']:.2f} mm a pixel" if view else ""
