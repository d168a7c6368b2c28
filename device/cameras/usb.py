"""USB cameras, through V4L2 and OpenCV."""

from __future__ import annotations

import cv2
import numpy as np

from device.cameras.source import CameraGone, Clock, Wish
from vision.frame import ArrayFrame

AUTOMATIC, MANUAL = 3.0, 1.0
"""V4L2_EXPOSURE_APERTURE_PRIORITY and V4L2_EXPOSURE_MANUAL, which OpenCV hands through."""


class UsbSource:
    """A USB camera by number, or by the path of its device (`/dev/v4l/by-id/…`, which stays when another is added)."""

    def __init__(self, device: int | str, clock: Clock, wish: Wish | None = None) -> None:
        wish = wish or Wish()
        self._clock = clock
        self._capture = cv2.VideoCapture(device)
        if not self._capture.isOpened():
            raise CameraGone(f"there is no USB camera {device}, or another program has it")
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw YUYV at 720p is 5 frames a second
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, wish.size[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, wish.size[1])
        self._capture.set(cv2.CAP_PROP_FPS, wish.rate)
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)

    def read(self) -> ArrayFrame:
        got, picture = self._capture.read()
        if not got or picture is None:
            raise CameraGone("the USB camera stopped delivering; check its cable")
        if picture.ndim == 2 or picture.shape[2] == 1:  # a monochrome camera
            picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
        return ArrayFrame(self._clock(), np.asarray(picture, np.uint8))

    def close(self) -> None:
        self._capture.release()

    # ---- knobs: `set` answers False for what the camera does not have --------------------------------------------

    def automatic(self) -> None:
        self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, AUTOMATIC)
        self._capture.set(cv2.CAP_PROP_AUTO_WB, 1)
        self._capture.set(cv2.CAP_PROP_AUTOFOCUS, 1)

    def hold(self) -> tuple[str, ...]:
        held = []
        exposure = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        if self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL):
            self._capture.set(cv2.CAP_PROP_EXPOSURE, exposure)
            held.append("exposure")
        if self._capture.set(cv2.CAP_PROP_AUTO_WB, 0):
            held.append("white balance")
        if self._capture.set(cv2.CAP_PROP_AUTOFOCUS, 0):
            held.append("focus")
        return tuple(held)
