"""A camera on the network that serves MJPEG over HTTP (`multipart/x-mixed-replace`): phones, ESP32-CAM, IP cameras."""

from __future__ import annotations

import http.client
import socket
from typing import BinaryIO
from urllib.error import URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import HTTPBasicAuthHandler, HTTPPasswordMgrWithDefaultRealm, OpenerDirector, build_opener

import cv2
import numpy as np

from device.cameras.source import CameraGone, Clock
from vision.frame import ArrayFrame

TIMEOUT_S = 2.0
MOST_BYTES = 8_000_000
"""A picture that is larger is none: a JPEG of 12 megapixels has some 5 MB."""
START, END = b"\xff\xd8", b"\xff\xd9"
CHUNK = 65536


def without_password(url: str) -> str:
    """The address as it may be shown and written into a log."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


class NetworkSource:
    """The stream at an address. Pictures that have piled up meanwhile are skipped: the newest is handed over."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._name = without_password(url)
        self._clock = clock
        self._rest = b""
        try:
            self._stream: BinaryIO = _opener(url).open(_bare(url), timeout=TIMEOUT_S)
        except (URLError, OSError, http.client.HTTPException, ValueError) as e:
            raise CameraGone(f"{self._name}: {_why(e)}") from None

    def read(self) -> ArrayFrame:
        while True:
            data = self._newest()
            picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
            if picture is not None:  # one that is damaged is passed over
                return ArrayFrame(self._clock(), picture.astype(np.uint8, copy=False))

    def close(self) -> None:
        self._stream.close()

    def _newest(self) -> bytes:
        """The last whole JPEG of what has arrived. In JPEG data FF D9 occurs nowhere but at the end."""
        while True:
            end = self._rest.rfind(END)
            start = self._rest.rfind(START, 0, end) if end > 0 else -1
            if start >= 0:
                data, self._rest = self._rest[start : end + 2], self._rest[end + 2 :]
                return data
            if len(self._rest) > MOST_BYTES:
                raise CameraGone(f"{self._name}: sends no JPEG pictures")
            try:
                got = self._stream.read1(CHUNK)  # type: ignore[attr-defined]
            except (OSError, http.client.HTTPException) as e:
                raise CameraGone(f"{self._name}: {_why(e)}") from None
            if not got:
                raise CameraGone(f"{self._name}: the stream has ended")
            self._rest += got


def _opener(url: str) -> OpenerDirector:
    parts = urlsplit(url)
    passwords = HTTPPasswordMgrWithDefaultRealm()
    if parts.username:
        passwords.add_password(None, _bare(url), parts.username, parts.password or "")
    return build_opener(HTTPBasicAuthHandler(passwords))


def _bare(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, ""))


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    if isinstance(reason, TimeoutError | socket.timeout):
        return "does not answer"
    return str(getattr(reason, "strerror", None) or reason)
