"""Live pictures: USB cameras, the Raspberry Pi's own, one on the network, and footage played as if it were live.

Every camera is a `Source`, which blocks for its next frame; `Live` reads it in a thread and hands on the newest frame.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from device.cameras.footage import FootageSource, check_footage
from device.cameras.live import Health, Live
from device.cameras.network import NetworkSource
from device.cameras.pi import PiSource
from device.cameras.settle import Settled
from device.cameras.source import CameraGone, Clock, Source, Wish
from device.cameras.usb import UsbSource
from device.errors import UserError

__all__ = ["CameraGone", "Clock", "Health", "Live", "Source", "Wish", "open_camera", "opener"]


def open_camera(name: str, clock: Clock, wish: Wish | None = None) -> Live | None:
    """The camera of that name, None for `none`. It is opened when frames are asked for.

    Raises `UserError` for a name that is none, or footage that cannot be read.
    """
    return None if name == "none" else Live(opener(name, clock, wish or Wish()))


def opener(name: str, clock: Clock, wish: Wish) -> Callable[[], Source]:
    """What opens the camera of that name: `pi`, `usb`, `usb:1`, `/dev/video2`, an address of MJPEG, or footage."""

    def settled(source: PiSource | UsbSource) -> Source:
        return Settled(source, source) if wish.lock else source

    kind, _, rest = name.partition(":")
    if name == "pi":
        if find_spec("picamera2") is None:
            raise UserError(
                "camera pi: picamera2 is not installed; on a Raspberry Pi, apt install python3-picamera2; elsewhere,"
                " connect a USB camera and add --camera usb"
            )
        return lambda: settled(PiSource(clock, wish))
    if kind == "usb" and (not rest or rest.isdecimal()):
        number = int(rest or 0)
        return lambda: settled(UsbSource(number, clock, wish))
    if name.startswith("/dev/"):
        return lambda: settled(UsbSource(name, clock, wish))
    if kind in ("http", "https") and rest.startswith("//"):
        return lambda: NetworkSource(name, clock)
    path = Path(name)
    if path.exists():
        check_footage(path)  # says now what is wrong with it
        return lambda: FootageSource(path, clock)
    raise UserError(
        f"camera {name!r}: no such camera; choose pi, usb, usb:1, /dev/video2, http://…, or the path of footage"
    )
