"""Recordings played as if they were live: a video, a folder with one, or a folder of pictures."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator, Iterator
from pathlib import Path

import cv2
import numpy as np

from device.cameras.source import Clock
from device.errors import UserError
from device.footage import VideoFrame, open_footage
from vision.frame import ArrayFrame, Frame

CLIP = "clip.mp4"
PICTURES = {".jpg", ".jpeg", ".png"}
PICTURES_A_SECOND = 10


class FootageSource:
    """A recording at its own pace, once; or, with `paced` off, as fast as it can be read."""

    def __init__(self, path: Path, clock: Clock, *, paced: bool = True) -> None:
        self._closed = threading.Event()
        self._paced = paced
        self._frames = _frames(path)
        self._clock = clock
        self._start = clock()

    def read(self) -> Frame | None:
        frame = next(self._frames, None)
        if frame is None:
            return None
        if self._paced:
            self._closed.wait(max(0.0, self._start + frame.t - self._clock()))
        return frame.at(self._start + frame.t)

    def close(self) -> None:
        self._closed.set()
        self._frames.close()  # closes the video, too


class PictureFrame(ArrayFrame):
    def at(self, t: float) -> PictureFrame:
        return PictureFrame(t, self.bgr())


def check_footage(path: Path) -> None:
    """Raises `UserError` that says what is wrong with a recording before it is played."""
    if path.is_dir() and not (path / CLIP).exists():
        if not _pictures(path):
            raise UserError(f"{path}: there is neither {CLIP} nor a picture (jpg, png) in this folder")
        return
    open_footage(path / CLIP if path.is_dir() else path).close()


def _frames(path: Path) -> Generator[VideoFrame | PictureFrame, None, None]:
    if path.is_dir() and not (path / CLIP).exists():
        yield from _from_pictures(path)
        return
    # At a camera's pace one thread is enough, and takes 3 MB less.
    with open_footage(path / CLIP if path.is_dir() else path, threads=1) as footage:
        yield from footage


def _from_pictures(folder: Path) -> Iterator[PictureFrame]:
    for number, path in enumerate(_pictures(folder)):
        picture = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
        if picture is None:
            raise UserError(f"{path}: is no picture that can be read; take it out of the folder")
        yield PictureFrame(number / PICTURES_A_SECOND, picture.astype(np.uint8, copy=False))


def _pictures(folder: Path) -> list[Path]:
    """In the order of the numbers in their names: 2.jpg comes before 10.jpg."""
    found = [p for p in folder.iterdir() if p.suffix.lower() in PICTURES]
    return sorted(found, key=lambda p: [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", p.name)])
