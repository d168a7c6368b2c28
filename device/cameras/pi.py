"""The Raspberry Pi's camera. picamera2 comes with the system (apt) and is imported only when it is opened.

One request is fanned out: the main stream is what is measured and recorded, the small one (lores), which costs
nothing, is what motion is looked for in. Cameras may answer with other sizes and formats than were asked for: both are
read back, and pictures are converted by what they really are.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from device.cameras.source import CameraGone, Clock, Wish
from vision.frame import Image
from vision.still import SMALL

WAIT_S = 2.0
"""For one frame. After a front-end time-out libcamera delivers no more, and says nothing."""
YUV_TO_BGR = {"YUV420": cv2.COLOR_YUV2BGR_I420, "NV12": cv2.COLOR_YUV2BGR_NV12, "NV21": cv2.COLOR_YUV2BGR_NV21}
CHANNELS = {
    "RGB888": None,  # libcamera's names count from the other end: this is B, G, R in memory
    "XRGB8888": cv2.COLOR_BGRA2BGR,
    "BGR888": cv2.COLOR_RGB2BGR,
    "XBGR8888": cv2.COLOR_RGBA2BGR,
}


class PlanarFrame:
    """A YUV 4:2:0 buffer: luma is its upper part, not copied; colour is made when asked for."""

    def __init__(
        self, t: float, buffer: Image, width: int, height: int, to_bgr: int, small: Image | None = None
    ) -> None:
        self.t = t
        self._buffer = buffer
        self._width, self._height = width, height
        self._to_bgr = to_bgr
        self.small = small
        """(h / 4, w / 4) uint8 luma where the camera delivers one of its own, else None."""

    @property
    def luma(self) -> Image:
        return self._buffer[: self._height, : self._width]

    def bgr(self) -> Image:
        bgr = cv2.cvtColor(self._buffer, self._to_bgr)[: self._height, : self._width]
        return np.ascontiguousarray(bgr, np.uint8)

    def i420(self) -> Image | None:
        """The buffer as it is, where it holds the three planes without a gap: to be recorded without conversion."""
        whole = self._buffer.shape == (self._height * 3 // 2, self._width)
        return self._buffer if whole and self._to_bgr == cv2.COLOR_YUV2BGR_I420 else None


class PackedFrame:
    """A buffer of three or four interleaved bytes a pixel."""

    def __init__(self, t: float, bgr: Image, small: Image | None = None) -> None:
        self.t = t
        self._bgr = bgr
        self.small = small
        self._luma: Image | None = None

    @property
    def luma(self) -> Image:
        if self._luma is None:
            self._luma = cv2.cvtColor(self._bgr, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)
        return self._luma

    def bgr(self) -> Image:
        return self._bgr


class PiSource:
    """The first camera that libcamera knows."""

    def __init__(self, clock: Clock, wish: Wish | None = None) -> None:
        from picamera2 import Picamera2

        wish = wish or Wish()
        if not Picamera2.global_camera_info():
            raise CameraGone("no camera is connected; check the ribbon cable")
        self._clock = clock
        self._camera: Any = None
        try:
            self._camera = Picamera2()
            self._start(wish)
        except (RuntimeError, IndexError) as e:
            self.close()
            raise CameraGone(f"the camera did not start ({e}); does another program use it?") from None
        given = self._camera.camera_configuration()
        self._size, self._format = tuple(given["main"]["size"]), str(given["main"]["format"])
        lores = given.get("lores")
        small = (self._size[0] // SMALL, self._size[1] // SMALL)
        self._small = small if lores and tuple(lores["size"]) == small and lores["format"] in YUV_TO_BGR else None

    def _start(self, wish: Wish) -> None:
        rate = {"FrameRate": wish.rate} if "FrameDurationLimits" in self._camera.camera_controls else {}
        wanted = {
            "main": {"size": wish.size, "format": "YUV420"},
            "lores": {"size": (wish.size[0] // SMALL, wish.size[1] // SMALL), "format": "YUV420"},
            "controls": rate,
            "display": None,
        }
        try:
            self._camera.configure(self._camera.create_video_configuration(**wanted))
        except (RuntimeError, ValueError):  # no second stream here (USB cameras through libcamera)
            del wanted["lores"]
            self._camera.configure(self._camera.create_video_configuration(**wanted))
        self._camera.start()

    def read(self) -> PlanarFrame | PackedFrame:
        try:
            request = self._camera.wait(self._camera.capture_request(wait=False), timeout=WAIT_S)
        except TimeoutError:
            raise CameraGone(f"the camera delivered nothing for {WAIT_S:g} s") from None
        except RuntimeError as e:
            raise CameraGone(f"the camera stopped ({e})") from None
        t = self._clock()
        try:
            buffer = np.asarray(request.make_array("main"), np.uint8)
            small = None
            if self._small is not None:
                width, height = self._small
                small = np.asarray(request.make_array("lores"), np.uint8)[:height, :width]
            self._found = request.get_metadata()
        finally:
            request.release()
        width, height = self._size
        if self._format in YUV_TO_BGR:
            return PlanarFrame(t, buffer, width, height, YUV_TO_BGR[self._format], small)
        if self._format not in CHANNELS:
            raise CameraGone(f"the camera delivers {self._format}, which Kibitz cannot read")
        code, packed = CHANNELS[self._format], buffer[:height, :width]
        bgr = packed[..., :3] if code is None else cv2.cvtColor(packed, code)
        return PackedFrame(t, np.ascontiguousarray(bgr, np.uint8), small)

    def close(self) -> None:
        if self._camera is not None:
            self._camera.close()

    # ---- knobs: only what the camera advertises is set -----------------------------------------------------------

    _found: dict[str, Any] = {}  # noqa: RUF012 - replaced, never changed
    """The newest frame's metadata; everything in it is optional."""

    def automatic(self) -> None:
        self._set({"AeEnable": True, "AwbEnable": True, "AfMode": 2})  # 2: continuous

    def hold(self) -> tuple[str, ...]:
        found, held = self._found, []
        exposure: dict[str, Any] = {k: found[k] for k in ("ExposureTime", "AnalogueGain") if k in found}
        if len(exposure) == 2 and self._set({"AeEnable": False, **exposure}, all_of=True):
            held.append("exposure")
        if "ColourGains" in found and self._set({"AwbEnable": False, "ColourGains": found["ColourGains"]}, all_of=True):
            held.append("white balance")
        if "LensPosition" in found and self._set({"AfMode": 0, "LensPosition": found["LensPosition"]}, all_of=True):
            held.append("focus")
        return tuple(held)

    def _set(self, controls: dict[str, Any], *, all_of: bool = False) -> bool:
        offered = {k: v for k, v in controls.items() if k in self._camera.camera_controls}
        if not offered or (all_of and len(offered) < len(controls)):
            return False
        self._camera.set_controls(offered)
        return True
