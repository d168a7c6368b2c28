"""Small videos of every sort that a person may hand over."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from vision.frame import Image


def pictures(count: int, width: int, height: int) -> Iterator[Image]:
    """Grey, with a bright top left quarter (so that a turn shows) and a bar that moves with the frame's number."""
    for number in range(count):
        picture = np.full((height, width, 3), 60, np.uint8)
        picture[: height // 2, : width // 2] = (40, 160, 220)  # BGR
        x = (number * 8) % max(width - 16, 1)
        picture[height * 3 // 4 :, x : x + 16] = 200
        yield picture


def write_video(
    path: Path,
    count: int = 12,
    width: int = 640,
    height: int = 360,
    *,
    pix_fmt: str = "yuv420p",
    codec: str = "libx264",
    fps: int = 10,
    options: dict[str, str] | None = None,
    times: list[int] | None = None,
    faststart: bool = False,
) -> Path:
    """H.264 (or another codec); `times` are presentation times in 1/1000 s, for footage of uneven pace."""
    flags = {"movflags": "faststart"} if faststart else {}
    with av.open(str(path), "w", options=flags) as container:
        stream = container.add_stream(codec, rate=fps, options=options or {"preset": "ultrafast", "crf": "10"})
        stream.width, stream.height, stream.pix_fmt = width, height, pix_fmt
        if times:
            stream.codec_context.time_base = Fraction(1, 1000)
        for number, picture in enumerate(pictures(count, width, height)):
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            if times:
                frame.pts, frame.time_base = times[number], Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def turn_clockwise(path: Path) -> Path:
    """Notes in the mp4's track header that the picture is to be shown a quarter turn clockwise, as a phone does."""
    data = bytearray(path.read_bytes())
    box = data.index(b"tkhd") + 4
    matrix = box + 40 if data[box] == 0 else box + 52
    one, unit = 0x10000, 0x40000000
    values = (0, one, 0, -one, 0, 0, 0, 0, unit)
    data[matrix : matrix + 36] = b"".join((v & 0xFFFFFFFF).to_bytes(4, "big") for v in values)
    path.write_bytes(bytes(data))
    return path


def sound_only(path: Path) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=8000)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate, frame.pts = 8000, 0
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def size_changes(path: Path) -> Path:
    """Two raw H.264 streams of different size, one after the other."""
    parts = [write_video(path.with_name(f"{w}.h264"), 8, w, h) for w, h in ((640, 360), (480, 360))]
    path.write_bytes(b"".join(p.read_bytes() for p in parts))
    return path


def truncated(path: Path, share: float = 0.6) -> Path:
    """Playable from its beginning, with the rest cut off."""
    whole = write_video(path, 40, faststart=True, options={"preset": "ultrafast", "crf": "1", "g": "1"}).read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    return path
