"""Live cameras: the newest frame wins, and a camera that goes away or hangs is opened anew."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest

from device.cameras import CameraGone, Clock, Live, open_camera
from device.cameras.footage import FootageSource
from device.cameras.pi import PiSource
from device.cameras.usb import UsbSource
from device.errors import UserError
from tests.device.fakes import frame
from tests.device.videos import size_changes, write_video
from vision.frame import Frame
from vision.still import small_luma


class FastClock(Clock):
    """An hour passes at every look."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0

    def __call__(self) -> float:
        self._now += 3600.0
        return self._now


class Scripted:
    """Reads what the script yields; an exception in it is raised."""

    def __init__(self, script: Iterator[Frame | Exception | None]) -> None:
        self._script = script
        self.closed = False

    def read(self) -> Frame | None:
        step = next(self._script)
        if isinstance(step, Exception):
            raise step
        return step

    def close(self) -> None:
        self.closed = True


def opener(*sources: Scripted) -> Callable[[], Scripted]:
    waiting = list(sources)
    return lambda: waiting.pop(0)


def nobody(word: str, why: str) -> None:
    pass


def test_the_newest_frame_wins() -> None:
    taken, produced = threading.Event(), threading.Event()

    def script() -> Iterator[Frame | None]:
        yield frame(0.0)
        taken.wait()
        for n in range(1, 50):
            yield frame(float(n))
        produced.set()
        yield None

    times = []
    for one in Live(opener(Scripted(script()))).frames(nobody):
        times.append(one.t)
        taken.set()
        produced.wait()
    assert times == [0.0, 49.0]


def test_a_camera_that_goes_away_comes_back() -> None:
    heard: list[tuple[str, str]] = []
    away = threading.Event()
    first = Scripted(iter([CameraGone("unplugged")]))

    def back() -> Iterator[Frame | None]:
        away.wait()
        yield frame(7.0)
        yield None

    def tell(word: str, why: str) -> None:
        heard.append((word, why))
        away.set()

    live = Live(opener(first, Scripted(back())), retry_s=0.0)
    assert [f.t for f in live.frames(tell)] == [7.0]
    assert heard == [("away", "unplugged"), ("live", "")]
    assert first.closed


def test_a_camera_that_hangs_is_opened_anew() -> None:
    heard: list[tuple[str, str]] = []
    for_ever = threading.Event()

    def hanging() -> Iterator[Frame]:
        for_ever.wait()
        yield frame(1.0)  # too late: nobody listens to this one any more

    live = Live(opener(Scripted(hanging()), Scripted(iter([frame(8.0), None]))), watchdog_s=0.02)
    assert [f.t for f in live.frames(lambda *said: heard.append(said))] == [8.0]
    for_ever.set()
    assert heard == [("away", "no picture for 0.02 s"), ("live", "")]


def test_stopping_ends_the_frames() -> None:
    for_ever = threading.Event()

    def script() -> Iterator[Frame]:
        yield frame(0.0)
        for_ever.wait()
        yield frame(1.0)

    live = Live(opener(Scripted(script())))
    times = []
    for one in live.frames(nobody):
        times.append(one.t)
        live.stop()
    for_ever.set()
    assert times == [0.0]


def test_a_mistake_is_not_tried_again(tmp_path: Path) -> None:
    path = size_changes(tmp_path / "clip.h264")
    live = Live(lambda: FootageSource(path, FastClock()))
    with pytest.raises(UserError, match="changes from 640x360 to 480x360"):
        list(live.frames(nobody))


def test_footage_as_a_camera_goes_on_from_the_clock(tmp_path: Path) -> None:
    clock = Clock()
    clock.before = 100.0
    source = FootageSource(write_video(tmp_path / "clip.mp4", 2), clock)
    first, second, end = source.read(), source.read(), source.read()
    assert first is not None
    assert second is not None
    assert end is None
    assert 100.0 <= first.t < 200.0
    assert second.t - first.t == pytest.approx(0.1)
    assert second.luma.shape == (360, 640)


@pytest.mark.parametrize("name", ["usb:x", "usb:-1", "webcam", "pi:1"])
def test_a_camera_of_no_known_name(name: str) -> None:
    with pytest.raises(UserError, match=f"camera '{name}': no such camera; choose pi, usb, usb:1"):
        open_camera(name, Clock())


def test_the_pi_camera_wants_picamera2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.cameras.find_spec", lambda name: None)
    with pytest.raises(UserError, match="apt install python3-picamera2"):
        open_camera("pi", Clock())


def test_a_video_as_a_camera_is_checked_at_once(tmp_path: Path) -> None:
    (tmp_path / "clip.mp4").write_bytes(b"")
    with pytest.raises(UserError, match="is empty"):
        open_camera(str(tmp_path), Clock())
    assert open_camera("none", Clock()) is None


class FakeCapture:
    opened = True
    pictures: int = 2

    def __init__(self, number: int) -> None:
        self.left = self.pictures

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return self.opened

    def set(self, key: int, value: float) -> bool:
        return True

    def read(self) -> tuple[bool, object]:
        self.left -= 1
        return (True, np.full((4, 6, 3), 7, np.uint8)) if self.left >= 0 else (False, None)

    def release(self) -> None:
        pass


def test_a_usb_camera_that_is_unplugged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.cameras.usb.cv2.VideoCapture", FakeCapture)
    source = UsbSource(0, Clock())
    assert source.read().bgr().tolist() == np.full((4, 6, 3), 7).tolist()
    assert source.read().t >= 0
    with pytest.raises(CameraGone, match="check its cable"):
        source.read()
    monkeypatch.setattr(FakeCapture, "opened", False)
    with pytest.raises(CameraGone, match="there is no USB camera 3"):
        UsbSource(3, Clock())


class FakeRequest:
    """One request with both its streams; a request that is not given back is one that the camera lacks."""

    given_back = 0

    def __init__(self, streams: dict[str, np.ndarray], metadata: dict[str, object]) -> None:
        self._streams, self._metadata = streams, metadata

    def make_array(self, name: str) -> np.ndarray:
        return self._streams[name]

    def get_metadata(self) -> dict[str, object]:
        return self._metadata

    def release(self) -> None:
        FakeRequest.given_back += 1


class FakePicamera2:
    """picamera2 as far as it is used, with a camera that answers with its own sizes and formats."""

    cameras = 1
    camera_controls: tuple[str, ...] = ()
    configuration: dict[str, object] = {}  # noqa: RUF012
    streams: dict[str, np.ndarray] = {}  # noqa: RUF012
    metadata: dict[str, object] = {"SensorTimestamp": 1}  # noqa: RUF012
    hangs = False

    def __init__(self) -> None:
        self.set: list[dict[str, object]] = []

    @classmethod
    def global_camera_info(cls) -> list[dict[str, str]]:
        return [{"Model": "fake"}] * cls.cameras

    def create_video_configuration(self, **asked: object) -> dict[str, object]:
        assert asked["controls"] == {}  # only what the camera advertises is set
        return {}

    def configure(self, configuration: object) -> None: ...
    def start(self) -> None: ...
    def close(self) -> None: ...

    def camera_configuration(self) -> dict[str, object]:
        return self.configuration

    def capture_request(self, wait: bool) -> FakeRequest:
        assert not wait
        return FakeRequest(self.streams, self.metadata)

    def wait(self, job: FakeRequest, timeout: float) -> FakeRequest:
        if self.hangs:
            raise TimeoutError
        return job

    def set_controls(self, controls: dict[str, object]) -> None:
        assert controls.keys() <= set(self.camera_controls)
        self.set.append(controls)


def fake_picamera2(monkeypatch: pytest.MonkeyPatch, **of: object) -> None:
    for name, value in of.items():
        monkeypatch.setattr(FakePicamera2, name, value)
    module = ModuleType("picamera2")
    module.Picamera2 = FakePicamera2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", module)


def main_stream(form: str) -> dict[str, object]:
    return {"main": {"size": (64, 48), "format": form}}


@pytest.mark.parametrize("form", ["YUV420", "NV12"])
def test_the_pi_camera_reads_back_what_it_was_given(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    picture = np.full((48, 64, 3), (40, 160, 220), np.uint8)
    yuv = cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420)
    if form == "NV12":
        u, v = yuv[48:].reshape(2, -1)
        yuv[48:] = np.stack([u, v], axis=1).reshape(24, 64)
    padded = np.zeros((72, 64), np.uint8)
    padded[:] = yuv
    fake_picamera2(monkeypatch, configuration=main_stream(form), streams={"main": padded})
    before = FakeRequest.given_back
    one = PiSource(Clock()).read()
    assert FakeRequest.given_back == before + 1
    assert one.small is None
    assert one.luma.shape == (48, 64)
    assert np.shares_memory(one.luma, padded)
    assert one.bgr().shape == (48, 64, 3)
    assert np.abs(one.bgr().astype(int) - picture).max() <= 3
    assert (one.i420() is not None) == (form == "YUV420"), "these planes can be recorded as they are"


@pytest.mark.parametrize(("form", "stored"), [("RGB888", (40, 160, 220)), ("BGR888", (220, 160, 40)),
                                              ("XRGB8888", (40, 160, 220, 255))])  # fmt: skip
def test_packed_pictures_come_out_blue_green_red(
    monkeypatch: pytest.MonkeyPatch, form: str, stored: tuple[int, ...]
) -> None:
    buffer = np.zeros((48, 80, len(stored)), np.uint8)  # rows are longer than the picture
    buffer[:, :64] = stored
    fake_picamera2(monkeypatch, configuration=main_stream(form), streams={"main": buffer})
    one = PiSource(Clock()).read()
    assert one.bgr().shape == (48, 64, 3)
    assert one.bgr()[5, 5].tolist() == [40, 160, 220]
    assert one.luma.shape == (48, 64)


def test_motion_is_looked_for_in_the_small_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = {"main": np.full((72, 64), 90, np.uint8), "lores": np.full((18, 32), 77, np.uint8)}
    configuration = {**main_stream("NV12"), "lores": {"size": (16, 12), "format": "YUV420"}}
    fake_picamera2(monkeypatch, configuration=configuration, streams=streams)
    one = PiSource(Clock()).read()
    assert one.small is not None
    assert one.small.shape == (12, 16)
    assert small_luma(one).tolist() == np.full((12, 16), 77.0).tolist()
    other = {**main_stream("NV12"), "lores": {"size": (64, 48), "format": "NV12"}}  # it has only one size
    fake_picamera2(monkeypatch, configuration=other)
    assert PiSource(Clock()).read().small is None


def test_a_pi_camera_that_hangs_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_picamera2(monkeypatch, configuration=main_stream("NV12"), hangs=True)
    with pytest.raises(CameraGone, match="delivered nothing for 2 s"):
        PiSource(Clock()).read()


def test_only_what_the_pi_camera_advertises_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = {"ExposureTime": 9000, "AnalogueGain": 2.0, "ColourGains": (1.5, 1.8), "LensPosition": 1.2}
    streams = {"main": np.zeros((72, 64), np.uint8)}
    fake_picamera2(monkeypatch, configuration=main_stream("NV12"), streams=streams, metadata=metadata)
    source = PiSource(Clock())
    source.read()
    assert source.hold() == ()
    fake_picamera2(
        monkeypatch, camera_controls=("AeEnable", "ExposureTime", "AnalogueGain", "AwbEnable", "ColourGains")
    )
    assert source.hold() == ("exposure", "white balance")
    assert source._camera.set[0] == {"AeEnable": False, "ExposureTime": 9000, "AnalogueGain": 2.0}


def test_a_pi_without_a_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_picamera2(monkeypatch, cameras=0)
    with pytest.raises(CameraGone, match="check the ribbon cable"):
        PiSource(Clock())
