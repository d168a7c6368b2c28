"""Recording footage for later replay: H.264 in fragments, so that a power cut costs the last second and no more."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import av.error

from device.errors import UserError
from vision.frame import Frame

FRAGMENT_FRAMES = 10
"""Frames between key frames; each fragment of the file starts with one. A second at 10 frames a second."""
QUALITY_CRF = 18
"""x264's rate factor: the corners of a card move by less than 0.05 px against a lossless recording."""
TIME_BASE = Fraction(1, 1000)


class Recorder:
    """Writes frames with their own times. The file is complete after `close()` and playable before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.frames = 0
        self._last = -1
        self._stream: av.VideoStream | None = None
        if path.exists():
            raise UserError(f"{path}: is already there; record into another folder")
        self._made = None if path.parent.exists() else path.parent
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._container = av.open(
                str(path),
                "w",
                format="mp4",
                options={"movflags": "frag_keyframe+empty_moov+default_base_moof", "flush_packets": "1"},
            )
        except (OSError, av.error.FFmpegError) as e:
            raise UserError(f"{path}: cannot be written: {e.strerror}; record into another folder") from None

    def write(self, frame: Frame) -> None:
        """Adds a frame. One that is not later than the one before is left out."""
        bgr = frame.bgr()
        # H.264 in 4:2:0 wants even sides.
        bgr = bgr[: bgr.shape[0] // 2 * 2, : bgr.shape[1] // 2 * 2]
        pts = round(frame.t / TIME_BASE)
        if pts <= self._last:
            return
        self._last = pts
        picture = av.VideoFrame.from_ndarray(bgr, format="bgr24")
        picture.pts, picture.time_base = pts, TIME_BASE
        try:
            if self._stream is None:
                self._stream = self._open_stream(bgr.shape[1], bgr.shape[0])
            self._container.mux(self._stream.encode(picture))
        except (OSError, av.error.FFmpegError) as e:
            raise self._full(e) from None
        self.frames += 1

    def _open_stream(self, width: int, height: int) -> av.VideoStream:
        # zerolatency: the encoder keeps no frames back, so what has been seen is on its way to the disk.
        options = {
            "preset": "veryfast",
            "tune": "zerolatency",
            "crf": str(QUALITY_CRF),
            "g": str(FRAGMENT_FRAMES),
        }
        stream = self._container.add_stream("libx264", rate=30, options=options)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.time_base = TIME_BASE
        return stream

    def _full(self, error: OSError | av.error.FFmpegError) -> UserError:
        return UserError(f"{self.path}: cannot be written any further: {error.strerror}; make room on the disk")

    def close(self) -> None:
        """Finishes the file; one without a picture is taken away again, and so is a folder that was made for it."""
        try:
            if self._stream is not None:
                self._container.mux(self._stream.encode())
            self._container.close()
        except (OSError, av.error.FFmpegError) as e:
            raise self._full(e) from None
        if not self.frames:
            self.path.unlink(missing_ok=True)
            if self._made:
                self._made.rmdir()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
