"""The last minutes, always at hand: a ring of short videos, bounded in bytes, the oldest given up first.

    ring = Ring(folder, limit_mb=300)
    live.taps.append(ring.offer)        # returns at once; encoding happens in the ring's own thread
    ring.clip(t - 5, t + 5, path)       # those seconds as one video, copied and not encoded anew

Each part is H.264 in fragments (one a second), so a power cut costs the last second. A full disk costs recordings,
never the game: the ring gives up its oldest parts, and if that does not help it says so in `warning` and tries again.
"""

from __future__ import annotations

import errno
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import av.error
import cv2
import numpy as np

from vision.frame import Frame, Image

PART_S = 10.0
FRAGMENT_S = 1.0
QUALITY_CRF = 23
PRESET = "ultrafast"
CODING = "cabac=1:deblock=1,0,0:partitions=i4x4,p8x8"
"""What makes ultrafast small again; no half pixels are looked for, so none are kept. A 1280x720 frame of the bundled
footage of Fliegende Teppiche (Fair Play) takes 18.7 (10.0) kB at 38.9 (41.4) dB; veryfast took 15.7 (11.1) kB at 38.4
(41.2) dB, 8 MB more memory and 4 ms more of a core of a desktop."""
MOST_WAITING = 6
"""Frames that wait to be encoded; more are left out of the recording rather than kept in memory."""
AGAIN_S = 10.0
"""After a write that failed."""
LEAVES_MB = 60
"""So much of the disk is left to the evidence pictures and the journal: the video is the first to give way."""
TIME_BASE = Fraction(1, 1000)


@dataclass(frozen=True)
class Part:
    path: Path
    start: float
    """Seconds, as the frames count them."""


class Ring:
    """Records what it is offered. `warning` is empty, `disk_full` or `disk_fails`."""

    def __init__(self, folder: Path, *, limit_mb: float, part_s: float = PART_S) -> None:
        self.folder = folder
        self._limit = int(limit_mb * 1e6)
        self._part_s = part_s
        self._waiting: deque[Frame] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._busy = False
        self._writer: _Writer | None = None
        self._not_before = 0.0
        self.warning = ""
        self.left_out = 0
        """Frames that there was no time to record."""
        self._thread = threading.Thread(target=self._run, name="ring", daemon=True)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.glob("*.mp4"):  # of a sitting before: its clock was another
                old.unlink()
        except OSError as e:
            self._failed(e)
        self._thread.start()

    def offer(self, frame: Frame) -> None:
        """Takes a frame, without waiting for anything. Safe from any thread."""
        with self._changed:
            if len(self._waiting) >= MOST_WAITING:
                self._waiting.popleft()
                self.left_out += 1
            self._waiting.append(frame)
            self._changed.notify_all()

    def parts(self) -> list[Part]:
        """Oldest first; the last one may still be being written."""
        found = sorted(self.folder.glob("*.mp4"))
        return [Part(path, int(path.stem) / 1000) for path in found if path.stem.isdecimal()]

    def size(self) -> int:
        """Bytes on the disk."""
        return sum(_size(p.path) for p in self.parts())

    def wait(self) -> None:
        """Until all that was offered has been written or left out."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting and not self._busy)

    def clip(self, start: float, end: float, to: Path) -> tuple[float, float] | None:
        """Writes the seconds from `start` to `end`, from the second before on where they begin with no whole picture.

        Returns when the clip really begins and ends, or None if nothing was recorded of that time.
        """
        parts = self.parts()
        wanted = [
            p for n, p in enumerate(parts)
            if p.start <= end and (n + 1 == len(parts) or parts[n + 1].start > start)
        ]  # fmt: skip
        copy = _Copy(start, end, to)
        try:
            for part in wanted:
                copy.add(part)
        finally:
            found = copy.close()
        return (copy.began, copy.ended) if found else None

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    # ---- the ring's thread ---------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    break
                frame = self._waiting.popleft()
                self._busy = True
            if time.monotonic() >= self._not_before:
                try:
                    self._write(frame)
                except (OSError, av.error.FFmpegError) as e:
                    self._failed(e)
        self._finish_part()

    def _write(self, frame: Frame) -> None:
        if self._writer is not None and not self._writer.takes(frame, self._part_s):
            self._finish_part()
        if self._writer is None:
            self._make_room()
            self._writer = _Writer(self.folder / f"{max(0, round(frame.t * 1000)):012d}.mp4", frame)
        self._writer.write(frame)
        self.warning = ""

    def _finish_part(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _make_room(self) -> None:
        parts = self.parts()
        sizes = [_size(p.path) for p in parts]
        typical = max(sizes[-6:], default=0)
        while parts and (sum(sizes) + typical > self._limit or self._free() < LEAVES_MB * 1e6):
            parts.pop(0).path.unlink(missing_ok=True)
            sizes.pop(0)
        if self._free() < LEAVES_MB * 1e6:
            raise OSError(errno.ENOSPC, "what is left of the disk is for the journal")

    def _free(self) -> int:
        return shutil.disk_usage(self.folder).free

    def _failed(self, error: OSError | av.error.FFmpegError) -> None:
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        self.warning = "disk_full" if full else "disk_fails"
        self._not_before = time.monotonic() + AGAIN_S
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.give_up()
        if full:
            for part in self.parts()[: max(1, len(self.parts()) // 4)]:
                part.path.unlink(missing_ok=True)


class _Writer:
    """One part being written."""

    def __init__(self, path: Path, first: Frame) -> None:
        self._path = path
        self.start = first.t
        self._last = -1
        height, width = first.luma.shape
        self._size = (width // 2 * 2, height // 2 * 2)
        self._container = av.open(
            str(path),
            "w",
            format="mp4",
            options={"movflags": "frag_keyframe+empty_moov+default_base_moof", "flush_packets": "1"},
        )
        options = {"preset": PRESET, "tune": "zerolatency", "crf": str(QUALITY_CRF), "threads": "1", "g": "300"}
        options["x264-params"] = CODING
        self._stream = self._container.add_stream("libx264", rate=30, options=options)
        self._stream.width, self._stream.height, self._stream.pix_fmt = *self._size, "yuv420p"
        self._stream.codec_context.time_base = TIME_BASE
        self._key_at = 0.0

    def takes(self, frame: Frame, part_s: float) -> bool:
        """Whether that frame belongs into this part, too."""
        height, width = frame.luma.shape
        return (width // 2 * 2, height // 2 * 2) == self._size and 0 <= frame.t - self.start < part_s

    def write(self, frame: Frame) -> None:
        pts = round((frame.t - self.start) / TIME_BASE)
        if pts <= self._last:
            return
        self._last = pts
        width, height = self._size
        picture = av.VideoFrame.from_ndarray(_planes(frame, width, height), format="yuv420p")
        picture.pts, picture.time_base = pts, TIME_BASE
        if frame.t >= self._key_at:
            picture.pict_type = av.video.frame.PictureType.I
            self._key_at = frame.t + FRAGMENT_S
        self._container.mux(self._stream.encode(picture))

    def close(self) -> None:
        self._container.mux(self._stream.encode())
        self._container.close()

    def give_up(self) -> None:
        try:
            self._container.close()
        except (OSError, av.error.FFmpegError, ValueError):
            return


class _Copy:
    """Packets gathered from parts into one video."""

    def __init__(self, start: float, end: float, to: Path) -> None:
        self._start, self._end, self._to = start, end, to
        self._out: av.container.OutputContainer | None = None
        self._stream: av.VideoStream | None = None
        self._last = -1
        self.began = self.ended = 0.0

    def add(self, part: Part) -> None:
        """A part's packets from the last key frame before the start on; as many as there are of one that is cut off."""
        try:
            with av.open(str(part.path)) as container:
                packets: list[tuple[float, Any]] = []
                try:
                    for packet in container.demux(container.streams.video[0]):
                        if packet.pts is not None and packet.size:
                            packets.append((part.start + float(packet.pts * packet.time_base), packet))
                except (OSError, av.error.FFmpegError):
                    pass  # the part is still being written; its whole fragments have been read
                if not any(t >= self._start for t, _ in packets):
                    return
                begin = max((i for i, (t, p) in enumerate(packets) if p.is_keyframe and t <= self._start), default=0)
                for t, packet in packets[begin:]:
                    if t <= self._end:
                        self._put(t, packet)
        except (av.error.FFmpegError, IndexError, FileNotFoundError):
            return  # no picture in it yet, or given up meanwhile

    def _put(self, t: float, packet: Any) -> None:
        if self._out is None or self._stream is None:
            self._out = av.open(str(self._to), "w", format="mp4", options={"movflags": "faststart"})
            self._stream = self._out.add_stream_from_template(packet.stream)
            self._stream.time_base = TIME_BASE
            self.began = t
        pts = round((t - self.began) / TIME_BASE)
        if pts <= self._last:
            return
        packet.time_base = TIME_BASE
        packet.pts = packet.dts = self._last = pts
        packet.duration = 0
        packet.stream = self._stream
        self._out.mux(packet)
        self.ended = t

    def close(self) -> bool:
        """Whether there is anything in it."""
        if self._out is None:
            return False
        self._out.close()
        return True


def _planes(frame: Frame, width: int, height: int) -> Image:
    """(height * 3 / 2, width) uint8: the planes of YUV 4:2:0, as the camera delivers them where it does so."""
    own: Callable[[], Image | None] | None = getattr(frame, "i420", None)
    planes = own() if own else None
    if planes is None or planes.shape != (height * 3 // 2, width):
        planes = np.asarray(cv2.cvtColor(frame.bgr()[:height, :width], cv2.COLOR_BGR2YUV_I420), np.uint8)
    return planes


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
