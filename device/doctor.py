"""`kibitz doctor`: what a game needs on this machine, and what to do where it is missing."""

from __future__ import annotations

import json
import shutil
import socket
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from device.cameras import Wish
from device.checks import Check
from device.deck_folder import DECKS, load_deck
from device.doctor_live import ask_service, check_camera, check_machine, check_python_packages, checks_of_service
from device.errors import UserError
from device.journal import Journal
from vision.scene import BACK

DISK_LOW_MB = 500
"""A long game with its evidence pictures takes 150 MB."""


def check_all(journal: Path, port: int, camera: str | None = None) -> Iterator[Check]:
    """Every check in turn. `camera` is opened and watched, unless a Kibitz that runs here says how it does."""
    yield Check("Python", "ok", ".".join(map(str, sys.version_info[:3])))
    yield _package("opencv-python-headless", (4, 14), "4.10 to 4.13 place printed corners half a pixel off")
    yield _package("av", (16,), "needed to read footage")
    yield _package("onnxruntime", (1, 22), "1.21 crashes on a Raspberry Pi 4")
    yield from check_python_packages()
    yield _disk(journal)
    yield _journal(journal)
    yield from _decks()
    yield from check_machine()
    report = ask_service(port)
    if report is not None:
        yield from checks_of_service(report, port)
        return
    found = _camera()
    name = camera or (found.found.partition(":")[0] if found.state == "ok" else "")
    if name:
        yield from check_camera(name, Wish())
    else:
        yield found
    yield _port(port)


def tell_checks(checks: Iterator[Check], *, as_json: bool = False) -> int:
    """Prints them as they come, or all as JSON; returns the exit code: 1 when something a game needs is missing."""
    done: list[Check] = []
    for check in checks:
        done.append(check)
        if not as_json:
            print(
                f"{check.state:5} {check.what}: {check.found}" + (f"\n      {check.do}" if check.do else ""), flush=True
            )
    states = [check.state for check in done]
    worst = next((state for state in ("fail", "warn") if state in states), "ok")
    if as_json:
        print(json.dumps({"state": worst, "checks": [asdict(check) for check in done]}, indent=1))
    return int(worst == "fail")


def _package(name: str, least: tuple[int, ...], why: str) -> Check:
    wanted = ".".join(map(str, least))
    try:
        found = version(name)
    except PackageNotFoundError:
        return Check(name, "fail", "not installed", f"Install {name} {wanted} or newer ({why}).")
    numbers = tuple(int(part) for part in found.split(".")[: len(least)] if part.isdecimal())
    if numbers >= least:
        return Check(name, "ok", found)
    return Check(name, "fail", found, f"Install {wanted} or newer: {why}.")


def _disk(journal: Path) -> Check:
    place = next(p for p in (journal.parent, *journal.parent.parents) if p.exists())
    free = shutil.disk_usage(place).free // 1_000_000
    if free >= DISK_LOW_MB:
        return Check("disk", "ok", f"{free} MB free for the journal")
    return Check("disk", "fail" if free < DISK_LOW_MB // 10 else "warn", f"{free} MB free at {place}", "Make room.")


def _journal(path: Path) -> Check:
    try:
        with Journal(path) as journal:
            return Check("journal", "ok", f"{path}, {len(journal.games())} games")
    except UserError as e:
        return Check("journal", "fail", str(e))


def _decks() -> Iterator[Check]:
    folders = sorted(p for p in DECKS.iterdir() if p.is_dir()) if DECKS.is_dir() else []
    if not folders:
        yield Check("decks", "fail", f"none in {DECKS}", "Install Kibitz anew.")
    for folder in folders:
        try:
            faces = [face for face in load_deck(folder).faces if face.kind != BACK]
            pieces = sum(face.count for face in faces)
            yield Check(f"deck {folder.name}", "ok", f"{pieces} pieces of {len(faces)} faces")
        except UserError as e:
            yield Check(f"deck {folder.name}", "fail", str(e), "Install Kibitz anew.")


def _camera() -> Check:
    if find_spec("picamera2") is not None:
        from picamera2 import Picamera2

        if found := Picamera2.global_camera_info():
            return Check("camera", "ok", f"pi: {found[0].get('Model', 'a camera')}")
    if usb := sorted(Path("/dev").glob("video*")):
        return Check("camera", "ok", f"usb: {', '.join(p.name for p in usb)}")
    return Check(
        "camera",
        "warn",
        "none",
        "Connect a USB camera and play with --camera usb (a Raspberry Pi's own: apt install python3-picamera2);"
        " replay needs none.",
    )


def _port(port: int) -> Check:
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as e:
            return Check(
                f"port {port}", "warn", f"{getattr(e, 'strerror', None) or e}", "Kibitz may be running; or use --port."
            )
    return Check(f"port {port}", "ok", "free for the screen")
