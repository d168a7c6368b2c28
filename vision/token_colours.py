"""How likely a pixel is of a piece of each colour, and how likely it is of what lies or stands below.

Colours are compared in linear light after the light of the still is taken out (Finlayson's coefficient rule, a gain a
channel). A painted surface under one lamp then shows `a * paint + h`: shading makes it darker, gloss adds white. What
both leave alone is the hue, the angle in the plane across grey; it tells red from blue from green from yellow. Black,
grey and white have none and are told by how much light they send back.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.facebank import Float
from vision.token_backdrop import Backdrop, Light

PAINT: dict[str, tuple[int, int, int]] = {
    "red": (185, 25, 35), "blue": (25, 65, 165), "green": (25, 120, 55), "yellow": (235, 185, 35),
    "black": (32, 32, 34), "white": (232, 228, 218), "pink": (225, 110, 155), "grey": (128, 128, 130),
    "orange": (230, 110, 25), "purple": (105, 50, 130),
}  # fmt: skip
"""sRGB of the usual lacquers of playing pieces; a calibrated sample takes their place."""

HUE_SPREAD_DEG = 12.0
"""Lacquers of one name differ by so much in HSV's hue (1 sigma), and white balances; in linear light that is 6 degrees
of red but 16 of yellow."""
FLAT_SPREAD = 0.22
"""Saturation that a colourless piece may show: wrong white balance, and light from its neighbours."""
GLOSS = 0.15
"""Linear light that a glossy piece adds of its own to the lamp's mirror image, 1 sigma."""
WORST = 6.0
"""A log likelihood never falls lower: one odd pixel is a speck, not a proof."""
HAZES = (0.0, 0.02, 0.05, 0.11)
"""Mirrored lamp that may lie over a glossy face, in linear light."""
HAZE_MM = 27
"""It changes slowly: over this square all pixels have the same."""
SHADE_SPREAD = 0.4
DEEPEST_SHADE = -0.9
"""Shadows darken by half a stop typically, and by no more than this (log of coded values)."""
LEAST_SIGMA, MOST_SIGMA = 0.07, 0.2
"""Log units by which a face may differ from its picture, pixel by pixel, in the best and in the noisiest still."""


def linear(log_bgr: Float) -> Float:
    """Log colour as `facebank.log_colour` has it to linear light, 0 to 1, (..., 3) BGR."""
    return np.asarray((np.maximum(np.exp(log_bgr) - 12.0, 0.5) / 255.0) ** 2.2, np.float32)


@dataclass(frozen=True, eq=False)
class Tints:
    """Linear colours (...,) taken apart."""

    level: Float
    """Mean of blue, green and red."""
    chroma: Float
    """Distance from grey."""
    hue: Float
    """Radians, 0 to 2 pi, in the plane across grey."""


def tints(x: Float) -> Tints:
    """Take linear colours (..., 3) BGR apart."""
    b, g, r = x[..., 0], x[..., 1], x[..., 2]
    u, v = (2 * r - g - b) / 3, (g - b) / np.float32(np.sqrt(3))
    chroma, hue = cv2.cartToPolar(np.atleast_2d(u), np.atleast_2d(v))
    return Tints(_float((r + g + b) / 3), _float(chroma).reshape(u.shape), _float(hue).reshape(u.shape))


def _float(a: NDArray[np.generic]) -> Float:
    return np.asarray(a, np.float32)


@dataclass(frozen=True)
class Paint:
    """A colour as it is looked for."""

    name: str
    hue: float
    """Radians; of no meaning when `flat`."""
    saturation: float
    """Distance from grey over the mean."""
    level: float
    """Mean of the linear colour."""
    flat: bool
    """Whether it is black, grey or white."""
    spread: float
    """1 sigma of the hue, radians."""


def paint(name: str, sample: tuple[float, float, float] | None = None) -> Paint:
    """The paint of a colour's name, or of a calibrated sRGB sample. Raises ValueError for a name that is not known."""
    if sample is None and name not in PAINT:
        raise ValueError(f"no piece can be {name!r}; colours are {', '.join(PAINT)}")
    h, s, v = colorsys.rgb_to_hsv(*(np.clip(sample if sample is not None else PAINT[name], 1, 255) / 255))
    turn = HUE_SPREAD_DEG / 360 / (1.0 if sample is None else 2.0)
    near = [colorsys.hsv_to_rgb((h + d) % 1, s, v)[::-1] for d in (0.0, turn, -turn)]
    t = tints(np.asarray(near, np.float32) ** np.float32(2.2))
    apart = np.abs((t.hue[1:] - t.hue[0] + np.pi) % (2 * np.pi) - np.pi)
    saturation = float(t.chroma[0] / t.level[0])
    return Paint(name, float(t.hue[0]), saturation, float(t.level[0]), saturation < 0.25, float(apart.mean()))


def paint_likelihood(t: Tints, p: Paint) -> Float:
    """Log likelihood (...,) that colours without the light's tint are of a paint; 0 is best, `-WORST` the least."""
    m, c = t.level, t.chroma
    # Three grey levels of noise and of chroma smeared by compression.
    noise = np.float32(0.026) * np.maximum(m, np.float32(0.004)) ** np.float32(0.545)
    s = c / (m + np.float32(0.01))
    if p.flat:
        spread2: Float = np.float32(FLAT_SPREAD**2) + (noise / (m + np.float32(0.01))) ** 2
        tone = np.log((m + np.float32(0.02)) / np.float32(p.level + 0.02))
        # Its sides lie in shade, and its gloss may mirror the lamp.
        off = np.where(tone < 0, tone / (0.9 if p.level > 0.3 else 0.6), tone / (0.4 if p.level > 0.06 else 0.7))
        cost: Float = np.asarray(s**2 / spread2 + off**2, np.float32)
    else:
        apart = np.abs(t.hue - np.float32(p.hue))
        turn = np.minimum(apart, np.float32(2 * np.pi) - apart)
        spread2 = np.float32(p.spread**2) + np.asarray(noise / np.maximum(c, np.float32(1e-4)), np.float32) ** 2
        gloss = np.clip(m - c / np.float32(0.8 * p.saturation), 0, None) / GLOSS
        pale = np.clip(0.15 * p.saturation - s, 0, None) / 0.08
        # A wide angle of noise is no evidence for the hue: it counts like any of them.
        cost = turn**2 / spread2 + pale**2 + gloss**2 + np.log(spread2 / p.spread**2)
    return np.asarray(np.maximum(-0.5 * cost, -WORST), np.float32)


def backdrop_likelihood(back: Backdrop, light: Light) -> Float:
    """Log likelihood (h, w) that a pixel shows just what lies flat there, shaded or with a lamp mirrored in it."""
    lit = back.lit(light)
    out = bare_likelihood(lit, back.owner < 0)
    where = np.nonzero(back.known)
    if len(where[0]):
        y0, y1, x0, x1 = where[0].min(), where[0].max() + 1, where[1].min(), where[1].max() + 1
        window = np.s_[y0:y1, x0:x1]
        known = back.known[window]
        face = _face_likelihood(lit[window], back.low[window], back.high[window], known)
        out[window][known] = face[known]
    out[(back.owner >= 0) & ~back.known] = 0.0  # whatever it shows, it is that piece's own picture
    return out


def _face_likelihood(lit: Float, low: Float, high: Float, known: NDArray[np.bool_]) -> Float:
    side = (HAZE_MM, HAZE_MM)
    share = cv2.blur(known.astype(np.float32), side) + np.float32(1e-6)
    rests, shades, around = [], [], []
    for haze in HAZES:
        lo, hi = (low, high) if haze == 0 else (_hazed(low, haze), _hazed(high, haze))
        e = lit - np.clip(lit, lo, hi)
        shade = np.clip(np.median(e, axis=2), DEEPEST_SHADE, 0.1)
        rest = np.abs(e - shade[..., None]).max(2)
        rests.append(rest)
        shades.append(shade)
        around.append(cv2.blur(np.minimum(rest, 0.3) * known, side) / share + haze * np.float32(0.2))
    best = np.argmin(np.stack(around), axis=0)[None]
    rest = np.take_along_axis(np.stack(rests), best, axis=0)[0]
    shade = np.take_along_axis(np.stack(shades), best, axis=0)[0]
    sigma = min(max(2.0 * float(np.median(rest[known])), LEAST_SIGMA), MOST_SIGMA)
    cost = np.minimum((rest / sigma) ** 2 + (shade / SHADE_SPREAD) ** 2, 2 * WORST)
    return np.asarray(-0.5 * cost, np.float32)


def _hazed(log_bgr: Float, haze: float) -> Float:
    ok = np.clip(log_bgr, 0, 6)
    return np.asarray(np.log(255 * (linear(ok) + haze) ** (1 / 2.2) + 12), np.float32)


TONE_BIN, TINT_BIN = 0.12, 0.06
RARE = 0.04
"""Share of the bare table's pixels, its rarest, that may be pieces: two supplies cover 1.5 %."""


def bare_likelihood(lit: Float, bare: NDArray[np.bool_]) -> Float:
    """Log likelihood (h, w) that a pixel is of the bare table, which shows mostly itself: how common its colour is."""
    tone = lit.mean(2)
    bins = [np.clip((tone - 2.2) / TONE_BIN, 0, 31), np.clip((lit[..., 2] - lit[..., 1]) / TINT_BIN + 16, 0, 31),
            np.clip((lit[..., 0] - lit[..., 1]) / TINT_BIN + 16, 0, 31)]  # fmt: skip
    k = (np.round(bins[0]).astype(np.int32) * 32 + np.round(bins[1]).astype(np.int32)) * 32 + np.round(bins[2]).astype(
        np.int32
    )
    cloth = cv2.erode(bare.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    if cloth.sum() < 500:
        return np.zeros(tone.shape, np.float32)
    count = np.bincount(k[cloth], minlength=32**3).astype(np.float32).reshape(32, 32, 32)
    for axis in range(3):
        count = _smooth(count, axis)
    shaded = count.copy()  # a shadow on it is still the table
    for step in range(1, 8):
        cost = np.exp(-0.5 * (step * TONE_BIN / SHADE_SPREAD) ** 2)
        shaded[:-step] = np.maximum(shaded[:-step], count[step:] * np.float32(cost))
    density = shaded.reshape(-1)[k]
    usual = max(float(np.quantile(count.reshape(-1)[k[cloth]], RARE)), 1e-3)
    return np.asarray(np.clip(np.log((density + 1e-3) / usual), -WORST, 0), np.float32)


def _smooth(count: Float, axis: int) -> Float:
    a = np.moveaxis(count, axis, 0)
    p = np.pad(a, ((1, 1), (0, 0), (0, 0)), mode="edge")
    return np.moveaxis(np.asarray(0.25 * p[:-2] + 0.5 * p[1:-1] + 0.25 * p[2:], np.float32), 0, axis)
