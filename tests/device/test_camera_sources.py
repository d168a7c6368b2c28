"""Cameras on the network, folders as cameras, and what each may be called."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.cameras import CameraGone, Clock, Wish, open_camera, opener
from device.cameras.footage import FootageSource
from device.cameras.network import NetworkSource, without_password
from device.cameras.usb import UsbSource
from device.errors import UserError
from tests.device.videos import write_video

BOUNDARY = b"--next\r\nContent-Type: image/jpeg\r\n\r\n"


def jpeg(grey: int) -> bytes:
    done, data = cv2.imencode(".jpg", np.full((240, 320, 3), grey, np.uint8))
    assert done
    return data.tobytes()


class Stream(BaseHTTPRequestHandler):
    """A camera that sends what the test put there and then hangs up."""

    sends: bytes = b""
    wants = ""

    def do_GET(self) -> None:
        if (
            self.wants
            and self.headers.get("authorization") != "Basic " + base64.b64encode(self.wants.encode()).decode()
        ):
            self.send_response(401)
            self.send_header("www-authenticate", 'Basic realm="camera"')
            self.end_headers()
            return
        self.send_response(200 if self.path.startswith("/video") else 404)
        self.send_header("content-type", "multipart/x-mixed-replace; boundary=next")
        self.end_headers()
        self.wfile.write(self.sends)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def camera(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setattr(Stream, "sends", b"")
    monkeypatch.setattr(Stream, "wants", "")
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_network_camera_hands_over_its_newest_picture(camera: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stream, "sends", b"".join(BOUNDARY + jpeg(g) + b"\r\n" for g in (40, 90, 200)))
    source = NetworkSource(f"http://{camera}/video", Clock())
    last = source.read()
    assert last.bgr().shape == (240, 320, 3)
    greys = [last.bgr()[5, 5, 0]]
    with pytest.raises(CameraGone, match="the stream has ended"):
        while True:
            greys.append(source.read().bgr()[5, 5, 0])
    assert greys[-1] == 200
    source.close()


def test_a_damaged_picture_is_passed_over(camera: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stream, "sends", BOUNDARY + b"\xff\xd8 nonsense \xff\xd9")
    with pytest.raises(CameraGone, match="the stream has ended"):
        NetworkSource(f"http://{camera}/video", Clock()).read()


def test_a_stream_without_pictures_does_not_fill_the_memory(camera: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.cameras.network.MOST_BYTES", 200_000)
    monkeypatch.setattr(Stream, "sends", b"x" * 2_000_000)
    source = NetworkSource(f"http://{camera}/video", Clock())
    with pytest.raises(CameraGone, match="sends no JPEG pictures"):
        source.read()
    source.close()


def test_a_network_camera_that_is_not_there(camera: str) -> None:
    with pytest.raises(CameraGone, match="Not Found"):
        NetworkSource(f"http://{camera}/nothing", Clock())
    with pytest.raises(CameraGone, match="Connection refused"):
        NetworkSource("http://127.0.0.1:1/video", Clock())


def test_a_password_opens_the_stream_and_is_never_told(camera: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stream, "wants", "me:secret")
    monkeypatch.setattr(Stream, "sends", BOUNDARY + jpeg(70))
    assert NetworkSource(f"http://me:secret@{camera}/video?key=secret", Clock()).read().bgr()[0, 0, 0] == 70
    with pytest.raises(CameraGone) as gone:
        NetworkSource(f"http://me:secret@{camera}/nothing?key=secret", Clock())
    assert "secret" not in str(gone.value)
    assert without_password("https://me:secret@cam.local:81/video?key=secret") == "https://cam.local:81/video"


def test_a_folder_of_pictures_is_a_camera(tmp_path: Path) -> None:
    for number in (10, 9, 2):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    source = FootageSource(tmp_path, Clock(), paced=False)
    frames = [f for f in iter(source.read, None) if f is not None]
    assert [round(f.bgr().mean()) for f in frames] == [2, 9, 10]
    assert frames[1].t - frames[0].t == pytest.approx(0.1)
    source.close()


def test_a_folder_with_a_clip_is_a_camera(tmp_path: Path) -> None:
    write_video(tmp_path / "clip.mp4", 3)
    source = opener(str(tmp_path), Clock(), Wish())()
    assert source.read() is not None
    source.close()


def test_what_is_wrong_with_a_folder_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"neither clip\.mp4 nor a picture"):
        open_camera(str(tmp_path), Clock())
    (tmp_path / "1.jpg").write_bytes(b"no picture")
    source = FootageSource(tmp_path, Clock())
    with pytest.raises(UserError, match=r"1\.jpg: is no picture that can be read"):
        source.read()


class GreyCapture:
    """A monochrome USB camera that has automatic exposure and nothing else."""

    def __init__(self, device: object) -> None:
        self.device = device
        self.values = {cv2.CAP_PROP_EXPOSURE: 156.0}

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def get(self, key: int) -> float:
        return self.values.get(key, -1.0)

    def set(self, key: int, value: float) -> bool:
        if key in (cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_AUTOFOCUS):
            return False
        self.values[key] = value
        return True

    def read(self) -> tuple[bool, np.ndarray]:
        return True, np.full((4, 6), 7, np.uint8)

    def release(self) -> None: ...


def test_a_grey_usb_camera_by_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.cameras.usb.cv2.VideoCapture", GreyCapture)
    source = UsbSource("/dev/v4l/by-id/usb-cam", Clock())
    assert source.read().bgr().shape == (4, 6, 3)
    source.automatic()
    assert source.hold() == ("exposure",)
    assert source._capture.values[cv2.CAP_PROP_EXPOSURE] == 156.0
    assert source._capture.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
    assert open_camera("/dev/video7", Clock()) is not None
    assert open_camera("http://127.0.0.1/video", Clock()) is not None
