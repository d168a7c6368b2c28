"""How likely a pixel is of a piece of each colour.

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
GLOSS = 0.09
"""Linear light that a piece may add as gloss to its own colour, 1 sigma."""
SHINIER = 2.5
"""Where a lamp is mirrored in the faces below, a lacquered piece may mirror it so much more brightly."""
SHADED = 0.35
"""Share of its usual brightness that a piece's sides show in their own shade; the shadows of pieces are darker yet, and
seem to be of a dark yellow or green. Of 437 generated pieces 19 of 20 are brighter by day, in lamplight or dim."""
HAZE_TINT = 0.12
"""The lamp's mirror image is not quite of the colour of the light: of its strength, what it may shift the hue."""
WORST = 6.0
"""A log likelihood never falls lower: one odd pixel is a speck, not a proof."""


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
    noise: float = 1.0
    """How much a grey level of the still counts here: more than 1 where a channel had to be lifted."""


def tints(x: Float, noise: float = 1.0) -> Tints:
    """Take linear colours (..., 3) BGR apart."""
    b, g, r = x[..., 0], x[..., 1], x[..., 2]
    u, v = (2 * r - g - b) / 3, (g - b) / np.float32(np.sqrt(3))
    chroma, hue = cv2.cartToPolar(np.atleast_2d(u), np.atleast_2d(v))
    return Tints(_float((r + g + b) / 3), _float(chroma).reshape(u.shape), _float(hue).reshape(u.shape), noise)


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


def paint_likelihood(t: Tints, p: Paint, mirrored: Float | float = 0.0) -> Float:
    """Log likelihood (...,) that colours without the light's tint are of a paint; 0 is best, `-WORST` the least.

    mirrored: (...,) linear light that a lamp's mirror image adds to what lies there (`FaceLook.haze`).
    """
    m, c = t.level, t.chroma
    # Three grey levels of noise and of chroma smeared by compression; more of it must not make shadows black pieces.
    noise = np.float32(0.026 if p.flat else 0.026 * t.noise) * np.maximum(m, np.float32(0.004)) ** np.float32(0.545)
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
        haze = np.clip(m - c / np.float32(0.8 * p.saturation), 0, None)
        spread2 += (HAZE_TINT * haze / np.maximum(c, np.float32(1e-4))) ** 2
        gloss = np.clip(haze - SHINIER * mirrored, 0, None) / GLOSS
        dark = np.clip(np.log(np.float32(SHADED * p.level) / np.maximum(m, np.float32(1e-4))), 0, None) / 0.5
        pale = np.clip(0.15 * p.saturation - s, 0, None) / 0.08
        # A wide angle of noise is no evidence for the hue: it counts like any of them.
        cost = turn**2 / spread2 + pale**2 + dark**2 + gloss**2 + np.log(spread2 / p.spread**2)
    return np.asarray(np.maximum(-0.5 * cost, -WORST), np.float32)
