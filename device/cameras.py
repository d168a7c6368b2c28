"""Live pictures: USB cameras, the Raspberry Pi's own, and footage played as if it were live.

Every camera is a `Source`, which blocks for its next frame. `Live` reads it in a thread and hands on the newest frame:
a table that takes long over one still misses frames, not time. A source that goes away, or hangs, is opened anew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from device.errors import UserError
from device.footage import open_footage
from vision.frame import ArrayFrame, Frame, Image

WATCHDOG_S = 5.0
"""A camera that delivers nothing for this long hangs (libcamera does after a front-end time-out)."""
RETRY_S = 1.0
SIZE = (1280, 720)
RATE = 10


class Clock:
    """Seconds since it was made, plus those of an earlier sitting that is gone on with."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self.before = 0.0

    def __call__(self) -> float:
        return time.monotonic() - self._since + self.before


class CameraGone(Exception):  # noqa: N818 - it is a state of affairs that passes
    """The camera does not deliver now; one line that says why."""


class Source(Protocol):
    """One opened camera."""

    def read(self) -> Frame | None:
        """The next frame, when there is one; None at the end of footage. Raises `CameraGone`."""
        ...

    def close(self) -> None: ...


class Live:
    """Newest frame wins. `frames` ends with the source or at `stop()`."""

    def __init__(
        self, open_source: Callable[[], Source], *, retry_s: float = RETRY_S, watchdog_s: float = WATCHDOG_S
    ) -> None:
        self._open = open_source
        self._retry_s = retry_s
        self._watchdog_s = watchdog_s
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._gone = ""
        self._ended = False
        self._error: UserError | None = None
        self._stopped = threading.Event()
        self._reader = 0

    def frames(self, tell: Callable[[str, str], None]) -> Iterator[Frame]:
        """Frames as they come. `tell(word, why)` hears `live` and `away` when the camera comes and goes."""
        self._start()
        word = ""
        while not self._stopped.is_set():
            with self._changed:
                self._changed.wait_for(
                    lambda: self._newest is not None or self._gone or self._ended or self._stopped.is_set(),
                    self._watchdog_s,
                )
                frame, gone, ended = self._newest, self._gone, self._ended
                self._newest, self._gone = None, ""
            if self._stopped.is_set():
                return
            if frame is None and ended:
                if self._error:
                    raise self._error
                return
            if frame is None:
                if word != "away":
                    tell("away", gone or f"no picture for {self._watchdog_s:g} s")
                word = "away"
                if not gone:
                    self._start()  # the old reader hangs in a driver; it is left to itself
                continue
            if word != "live":
                tell("live", "")
            word = "live"
            yield frame

    def stop(self) -> None:
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()

    def _start(self) -> None:
        self._reader += 1
        threading.Thread(target=self._read, args=(self._reader,), name="camera", daemon=True).start()

    def _read(self, me: int) -> None:
        while self._reader == me and not self._stopped.is_set():
            source: Source | None = None
            try:
                source = self._open()
                while self._reader == me and not self._stopped.is_set():
                    frame = source.read()
                    if self._reader != me:
                        return
                    self._put(frame)
                    if frame is None:
                        return
            except UserError as e:  # it will not get better by trying again
                self._error = e
                self._put(None)
                return
            except CameraGone as e:
                with self._changed:
                    self._gone = str(e)
                    self._changed.notify_all()
                self._stopped.wait(self._retry_s)
            finally:
                if source is not None:
                    source.close()

    def _put(self, frame: Frame | None) -> None:
        with self._changed:
            if frame is None:
                self._ended = True
            else:
                self._newest = frame
            self._changed.notify_all()


class FootageSource:
    """A recording played at its own pace, once."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._footage = open_footage(path)
        self._frames = iter(self._footage)
        self._clock = clock
        self._start = clock()
        self._closed = threading.Event()

    def read(self) -> Frame | None:
        frame = next(self._frames, None)
        if frame is None:
            return None
        self._closed.wait(max(0.0, self._start + frame.t - self._clock()))
        return frame.at(self._start + frame.t)

    def close(self) -> None:
        self._closed.set()
        self._footage.close()


class UsbSource:
    """A USB camera through V4L2, by number."""

    def __init__(self, number: int, clock: Clock) -> None:
        self._clock = clock
        self._capture = cv2.VideoCapture(number)
        if not self._capture.isOpened():
            raise CameraGone(f"there is no USB camera {number}, or another program has it")
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw YUYV at 720p is 5 frames a second
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, SIZE[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, SIZE[1])
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)

    def read(self) -> Frame:
        got, picture = self._capture.read()
        if not got:
            raise CameraGone("the USB camera stopped delivering; check its cable")
        return ArrayFrame(self._clock(), np.asarray(picture, np.uint8))

    def close(self) -> None:
        self._capture.release()


class PlanarFrame:
    """A YUV 4:2:0 buffer: luma is its upper part, not copied; colour is made when asked for."""

    def __init__(self, t: float, buffer: Image, width: int, height: int, to_bgr: int) -> None:
        self.t = t
        self._buffer = buffer
        self._width, self._height = width, height
        self._to_bgr = to_bgr

    @property
    def luma(self) -> Image:
        return self._buffer[: self._height, : self._width]

    def bgr(self) -> Image:
        bgr = cv2.cvtColor(self._buffer, self._to_bgr)[: self._height, : self._width]
        return np.ascontiguousarray(bgr, np.uint8)


YUV_TO_BGR = {"YUV420": cv2.COLOR_YUV2BGR_I420, "NV12": cv2.COLOR_YUV2BGR_NV12, "NV21": cv2.COLOR_YUV2BGR_NV21}


class PiSource:
    """The Raspberry Pi's camera. picamera2 comes with the system (apt) and is imported only here."""

    def __init__(self, clock: Clock) -> None:
        from picamera2 import Picamera2

        if not Picamera2.global_camera_info():
            raise CameraGone("no camera is connected; check the ribbon cable")
        self._clock = clock
        try:
            self._camera: Any = Picamera2()
            rate = {"FrameRate": RATE} if "FrameDurationLimits" in self._camera.camera_controls else {}
            self._camera.configure(
                self._camera.create_video_configuration(main={"size": SIZE, "format": "YUV420"}, controls=rate)
            )
            self._camera.start()
        except (RuntimeError, IndexError) as e:
            raise CameraGone(f"the camera did not start ({e})") from None
        # Cameras may answer with another size and format than was asked for.
        given = self._camera.camera_configuration()["main"]
        self._size, self._format = given["size"], given["format"]

    def read(self) -> Frame:
        try:
            buffer = np.asarray(self._camera.capture_array("main"), np.uint8)
        except RuntimeError as e:
            raise CameraGone(f"the camera stopped ({e})") from None
        t = self._clock()
        width, height = self._size
        if self._format in YUV_TO_BGR:
            return PlanarFrame(t, buffer, width, height, YUV_TO_BGR[self._format])
        return ArrayFrame(t, np.ascontiguousarray(buffer[:height, :width, :3]))

    def close(self) -> None:
        self._camera.close()


def open_camera(name: str, clock: Clock) -> Live | None:
    """The camera of that name: `pi`, `usb` or `usb:1`, a video, or `none`. It is opened when frames are asked for.

    Raises `UserError` for a name that is none, or a video that cannot be read.
    """
    kind, _, rest = name.partition(":")
    if name == "none":
        return None
    if name == "pi":
        if find_spec("picamera2") is None:
            raise UserError("picamera2 is not installed; on a Raspberry Pi: apt install python3-picamera2")
        return Live(lambda: PiSource(clock))
    if kind == "usb" and (not rest or rest.isdecimal()):
        number = int(rest or 0)
        return Live(lambda: UsbSource(number, clock))
    if Path(name).exists():
        clip = Path(name) / "clip.mp4" if Path(name).is_dir() else Path(name)
        open_footage(clip).close()  # says now what is wrong with it
        return Live(lambda: FootageSource(clip, clock))
    raise UserError(f"camera {name!r}: no such camera; choose pi, usb, usb:1, or the path of a video")
