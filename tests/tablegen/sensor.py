"""From linear light to what a camera delivers: lens blur, colour fringes, vignette, noise, tone curve, compression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import av
import cv2
import numpy as np


@dataclass(frozen=True)
class Sensor:
    blur_px: float
    fringe: float
    """Relative magnification of red against blue: 5e-4 is 0.2 px at the frame's side."""
    vignette: float
    """Loss of light in the corners, 0 ... 1."""
    gain: float
    white: tuple[float, float, float]
    """Errors of the white balance, BGR."""
    well: float
    read: float
    contrast: float
    """0: plain gamma; 1: a strong S curve."""
    drift: float
    """Relative change of exposure from frame to frame."""
    jitter_px: float
    codec: str
    """`none`, `jpeg`, `h264`."""
    quality: int
    """JPEG quality or H.264 CRF."""


def expose(light: np.ndarray, sensor: Sensor) -> np.ndarray:
    """Linear light (h, w, 3) float32 as it falls on the sensor: blurred, fringed, vignetted, scaled."""
    h, w = light.shape[:2]
    img = cv2.GaussianBlur(light, (0, 0), sensor.blur_px)
    if sensor.fringe:
        planes = []
        for i, m in ((0, 1 - sensor.fringe), (1, 1.0), (2, 1 + sensor.fringe)):
            M = np.array([[m, 0, (1 - m) * (w - 1) / 2], [0, m, (1 - m) * (h - 1) / 2]])
            p = np.ascontiguousarray(img[..., i])
            planes.append(p if m == 1.0 else cv2.warpAffine(p, M, (w, h), flags=1, borderMode=cv2.BORDER_REPLICATE))
        img = cv2.merge(planes)
    y, x = np.ogrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    fall = (1 - sensor.vignette * (x**2 + y**2) / 2).astype(np.float32)
    return img * (fall[..., None] * (sensor.gain * np.array(sensor.white, np.float32)))


def shoot(light: np.ndarray, sensor: Sensor, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """`count` frames (h, w, 3) uint8 of the same still; their jitter has mean 0."""
    jitter = rng.uniform(-1, 1, (count, 2))
    jitter = (jitter - jitter.mean(axis=0)) * sensor.jitter_px
    drift = 1 + sensor.drift * np.sin(rng.uniform(0, 6.3) + 0.4 * np.arange(count))
    raw = (develop(shift(light, jitter[i]) * np.float32(drift[i]), sensor, rng) for i in range(count))
    return list(compress(raw, sensor))


def shift(img: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Move a picture by a fraction of a pixel (x, y)."""
    if not np.any(by):
        return img
    M = np.array([[1, 0, by[0]], [0, 1, by[1]]])
    return cv2.warpAffine(img, M, img.shape[1::-1], flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


_STEPS = 16384


@lru_cache(maxsize=8)
def _curve(contrast: float) -> np.ndarray:
    """Tone curve: sRGB-like gamma with a soft shoulder, then an S of the given strength; uint8."""
    x = np.linspace(0, 1.5, _STEPS)
    x = np.where(x < 0.8, x, 0.8 + 0.2 * (1 - np.exp(-(x - 0.8) / 0.2)))
    g = np.where(x < 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 1e-9) ** (1 / 2.4) - 0.055)
    s = g * g * (3 - 2 * g)
    return np.round(255 * ((1 - contrast) * g + contrast * s)).astype(np.uint8)


def develop(light: np.ndarray, sensor: Sensor, rng: np.random.Generator) -> np.ndarray:
    """One noisy 8-bit frame."""
    img = np.maximum(light, 0)
    h, w = img.shape[:2]
    pool = _pool(h + SPARE, w + SPARE)
    y, x = rng.integers(SPARE, size=2)
    noise = pool[y : y + h, x : x + w] if rng.random() < 0.5 else pool[y : y + h, x : x + w][::-1, ::-1]
    spread = np.sqrt(img * np.float32(1 / sensor.well) + np.float32((sensor.read / sensor.well) ** 2))
    img += noise * spread
    img *= np.float32((_STEPS - 1) / 1.5)
    np.clip(img, 0, _STEPS - 1, out=img)
    return _curve(sensor.contrast)[img.astype(np.uint16)]


SPARE = 257
"""Every frame gets another piece of one field of noise, shifted by up to so many pixels, perhaps turned around."""


@lru_cache(maxsize=2)
def _pool(h: int, w: int) -> np.ndarray:
    """Noise of unit spread, a little blurred, as demosaicing leaves it."""
    n = np.random.default_rng(5).standard_normal((h, w, 3), dtype=np.float32)
    n = cv2.GaussianBlur(n, (3, 3), 0.6)
    return n / n.std()


def compress(frames: Iterable[np.ndarray], sensor: Sensor) -> Iterator[np.ndarray]:
    """What is left after the camera's compression."""
    if sensor.codec == "none":
        yield from frames
    elif sensor.codec == "jpeg":
        for f in frames:
            data = cv2.imencode(".jpg", f, [cv2.IMWRITE_JPEG_QUALITY, sensor.quality])[1]
            yield cv2.imdecode(data, cv2.IMREAD_COLOR)
    else:
        yield from _h264(frames, sensor.quality)


def _h264(frames: Iterable[np.ndarray], crf: int) -> Iterator[np.ndarray]:
    coder = av.CodecContext.create("libx264", "w")
    coder.pix_fmt, coder.time_base, coder.framerate = "yuv420p", Fraction(1, 10), Fraction(10)
    coder.options = {"crf": str(crf), "preset": "veryfast", "threads": "1", "tune": "zerolatency"}
    reader = av.CodecContext.create("h264", "r")
    reader.thread_count = 1
    for i, f in enumerate(frames):
        if i == 0:
            coder.height, coder.width = f.shape[:2]
        picture = av.VideoFrame.from_ndarray(f, format="bgr24")
        picture.pts = i
        for packet in coder.encode(picture):
            for p in reader.decode(packet):
                yield p.to_ndarray(format="bgr24")
    for packet in [*coder.encode(None), None]:
        for p in reader.decode(packet):
            yield p.to_ndarray(format="bgr24")
