"""Recorded footage as frames: every frame once, in order, with the recording's own times.

    with open_footage(Path("c01/clip.mp4")) as footage:
        for frame in footage:
            frame.t, frame.luma, frame.bgr()

`luma` is the video's own Y plane, not copied; black and white lie at 16 and 235 where the video is of limited range,
as nearly all are. `bgr()` is full range. Frames are as the camera meant them to be seen: a rotation noted in the file
is applied, more than 8 bits become 8.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import av
import av.error
import numpy as np

from device.errors import UserError
from vision.frame import Image

SMALLEST_PX = (320, 240)
"""Longer and shorter side of the least picture in which a card is more than a blur."""
DECODER_THREADS = 2
FULL_RANGE = 2
"""FFmpeg's AVCOL_RANGE_JPEG."""
LUMA_FIRST = {"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "nv12", "gray"}
"""Pixel formats of 8 bits whose first plane is the luma."""


class VideoFrame:
    """One decoded frame. `luma` and `bgr()` stay valid as long as the frame is held."""

    def __init__(self, frame: av.VideoFrame, t: float, turns: int) -> None:
        self._frame = frame
        self._t = t
        self._turns = turns
        self._luma: Image | None = None
        self._bgr: Image | None = None
        self._converting = threading.Lock()

    @property
    def t(self) -> float:
        return self._t

    def at(self, t: float) -> VideoFrame:
        """The same picture at another time."""
        return VideoFrame(self._frame, t, self._turns)

    @property
    def luma(self) -> Image:
        if self._luma is None:
            plane = self._frame.planes[0]
            rows = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
            self._luma = _turned(rows[: self._frame.height, : self._frame.width], self._turns)
        return self._luma

    def i420(self) -> Image | None:
        """(h * 3 / 2, w) uint8 planes of YUV 4:2:0 in limited range, where the video has them so and upright."""
        frame = self._frame
        as_wanted = frame.format.name == "yuv420p" and frame.color_range != FULL_RANGE
        if self._turns or not as_wanted or frame.width % 2 or frame.height % 2:
            return None
        with self._converting:
            return frame.to_ndarray().astype(np.uint8, copy=False)

    def bgr(self) -> Image:
        """Made once, by whoever asks first: two threads that convert the same frame block each other for ever (PyAV
        keeps one converter a frame), and a live frame is asked for by the referee and by the recorder."""
        with self._converting:
            if self._bgr is None:
                found = self._frame.to_ndarray(format="bgr24").astype(np.uint8, copy=False)
                self._bgr = _turned(found, self._turns)
            return self._bgr


class Footage:
    """A video that is open for reading; iterate once. `ends_early` says afterwards why it stopped before its end."""

    def __init__(self, path: Path, container: av.container.InputContainer, stream: av.VideoStream) -> None:
        self.path = path
        self._container = container
        self._stream = stream
        self.expected_frames = stream.frames or None
        """As the file's header has it; None when it does not say."""
        self.expected_duration = _duration(container, stream)
        """Seconds, as the header has it; for progress bars only."""
        self.frames = 0
        """Frames handed out so far."""
        self.duration = 0.0
        """Seconds from the first frame's beginning to the end of the last one handed out."""
        self.ends_early: str | None = None

    def __iter__(self) -> Iterator[VideoFrame]:
        start: float | None = None
        size: tuple[int, int] | None = None
        step = float(1 / self._stream.average_rate) if self._stream.average_rate else 0.1
        for frame in self._decoded():
            turns = _quarter_turns(frame)
            t = float(frame.pts * frame.time_base) if frame.pts is not None and frame.time_base else None
            if t is None:
                t = (start or 0.0) + self.duration
            start = t if start is None else start
            t -= start
            seen = (frame.height, frame.width) if turns % 2 else (frame.width, frame.height)
            if size is None:
                size = seen
                self._check_size(size)
            elif seen != size:
                raise UserError(
                    f"{self.path}: the picture changes from {size[0]}x{size[1]} to {seen[0]}x{seen[1]} pixels at"
                    f" {t:.1f} s; cut the video there and replay the parts one by one"
                )
            length = float(frame.duration * frame.time_base) if frame.duration and frame.time_base else step
            self.frames += 1
            self.duration = t + length
            if frame.format.name not in LUMA_FIRST:
                frame = frame.reformat(format="yuv420p")
            yield VideoFrame(frame, t, turns)
        self._check_end()

    def _decoded(self) -> Iterator[av.VideoFrame]:
        """Frames until the end or until the first that cannot be decoded."""
        try:
            yield from self._container.decode(self._stream)
        except (av.error.FFmpegError, ValueError) as e:
            if self.frames == 0:
                raise UserError(
                    f"{self.path}: no picture in it can be decoded ({_reason(e)}); the file is damaged"
                ) from None
            self.ends_early = _reason(e)

    def _check_size(self, size: tuple[int, int]) -> None:
        if max(size) < SMALLEST_PX[0] or min(size) < SMALLEST_PX[1]:
            raise UserError(
                f"{self.path}: a picture of {size[0]}x{size[1]} pixels is too small to measure anything in;"
                f" {SMALLEST_PX[0]}x{SMALLEST_PX[1]} is the least, 1280x720 is right"
            )

    def _check_end(self) -> None:
        if self.frames == 0:
            raise UserError(f"{self.path}: there is no picture in it; record it anew")
        if self.frames == 1 and self.ends_early is None and (self.expected_frames or 1) == 1:
            raise UserError(f"{self.path}: has only one frame; footage of a game is a video of it being played")
        missing = (self.expected_frames or 0) - self.frames
        # A header's count may be off by a frame or two that the encoder dropped; a cut-off file lacks more.
        if missing > 2 and self.ends_early is None:
            self.ends_early = "the rest is missing"

    def cut_off(self) -> str | None:
        """One line for a person when the footage stopped before its end, else None."""
        if self.ends_early is None:
            return None
        of = f" of {self.expected_frames}" if self.expected_frames else ""
        return (
            f"{self.path}: ends early, after frame {self.frames}{of} ({self.duration:.1f} s): {self.ends_early};"
            " what was there has been replayed; copy or record the file anew for the rest"
        )

    def close(self) -> None:
        self._container.close()

    def __enter__(self) -> Footage:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def open_footage(path: Path, threads: int | None = None) -> Footage:
    """Opens a video file. Raises `UserError` when there is none or it cannot be read.

    threads: of the decoder, each with frames of its own; `DECODER_THREADS` otherwise.
    """
    if path.is_dir():
        raise UserError(f"{path}: is a folder, not a video")
    try:
        size = path.stat().st_size
    except OSError:
        raise UserError(
            f"{path}: no such video; give a folder with clip.mp4 and session.toml, or a video file"
        ) from None
    if size == 0:
        raise UserError(f"{path}: is empty (0 bytes); record or copy it anew")
    try:
        container = av.open(str(path))
    except (av.error.FFmpegError, OSError, ValueError) as e:
        if isinstance(e, PermissionError):
            raise UserError(f"{path}: may not be read; allow it with chmod") from None
        raise UserError(
            f"{path}: is not a video, or a recording that was cut off before it was finished ({_reason(e)});"
            " choose another file, or copy or record it anew"
        ) from None
    if not container.streams.video:
        container.close()
        raise UserError(f"{path}: there is no video in it; choose another file")
    stream = container.streams.video[0]
    if stream.codec_context is None:
        container.close()
        raise UserError(f"{path}: its video is coded in a way that cannot be read; record it as H.264, or convert it")
    stream.thread_type = "AUTO"
    stream.codec_context.thread_count = threads or DECODER_THREADS
    return Footage(path, container, stream)


def _duration(container: av.container.InputContainer, stream: av.VideoStream) -> float | None:
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    return container.duration / av.time_base if container.duration else None


def _quarter_turns(frame: av.VideoFrame) -> int:
    """Quarter turns anticlockwise that make the picture upright; ffmpeg's `rotation` counts degrees anticlockwise."""
    return round(frame.rotation / 90) % 4


def _turned(image: Image, turns: int) -> Image:
    return np.ascontiguousarray(np.rot90(image, turns)) if turns else image


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]
