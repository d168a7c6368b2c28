"""What lies under the cards: felt, wood, laminate, cloth. Random sRGB textures on a plane, `PER_MM` texels a mm."""

from __future__ import annotations

import colorsys

import cv2
import numpy as np

PER_MM = 2.0
SIZE = (1280, 1792)
"""Rows, columns: 640 x 896 mm; beyond that the texture is mirrored."""
TABLES = ("felt", "oak", "laminate", "grey_cloth", "checks", "stripes", "flowers", "plain_pale", "plain_dark")


def make_cloth(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """(rows, columns, 3) uint8 BGR and the gloss of the surface (0 dull ... 1 mirror-like)."""
    try:
        draw, gloss = _KINDS[kind]
    except KeyError:
        raise ValueError(f"no such table: {kind!r}; there are {', '.join(TABLES)}") from None
    img = draw(rng)
    return np.clip(img, 0, 255).astype(np.uint8), gloss


def colour(h: float, s: float, v: float) -> np.ndarray:
    """BGR 0 ... 255 from hue in degrees, saturation and value 0 ... 1."""
    r, g, b = colorsys.hsv_to_rgb((h % 360) / 360, s, v)
    return np.array([b, g, r]) * 255


def noise(rng: np.random.Generator, mm: float, aspect: float = 1.0, shape: tuple[int, int] = SIZE) -> np.ndarray:
    """float32 of unit spread with features of about `mm` (times `aspect` along x)."""
    cy, cx = max(mm * PER_MM, 1.0), max(mm * PER_MM * aspect, 1.0)
    small = rng.standard_normal((int(shape[0] / cy) + 4, int(shape[1] / cx) + 4), dtype=np.float32)
    if cy > 1 or cx > 1:
        small = cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)
        small /= max(float(small[::7, ::7].std()), 1e-6)
    return small[: shape[0], : shape[1]]


def _paint(base: np.ndarray, *layers: tuple[np.ndarray, float]) -> np.ndarray:
    """The base colour, made lighter and darker by layers of noise with their strengths."""
    gain = np.ones(SIZE, np.float32)
    for n, strength in layers:
        gain += strength * n
    return gain[..., None] * base.astype(np.float32)


def _felt(rng: np.random.Generator) -> np.ndarray:
    hue = rng.choice([150, 160, 210, 350, 5, 280, 30])
    base = colour(hue + rng.uniform(-8, 8), rng.uniform(0.5, 0.85), rng.uniform(0.25, 0.5))
    return _paint(base, (noise(rng, 1.2), 0.10), (noise(rng, 0.5), 0.10), (noise(rng, 30), 0.03))


def _oak(rng: np.random.Generator) -> np.ndarray:
    dark = rng.uniform(0.25, 0.65)
    base = colour(rng.uniform(22, 34), rng.uniform(0.35, 0.6), dark)
    rows = np.arange(SIZE[0])[:, None] / PER_MM
    width = rng.uniform(70, 150)
    shift = rng.uniform(0, width)
    plank = np.floor((rows + shift) / width).astype(int)
    edge = np.abs(((rows + shift) / width) % 1 - 0.5) * -width + width / 2  # mm to the nearest seam
    tone = rng.normal(0, 0.09, plank.max() + 1)[plank]
    swirl = noise(rng, 25, 9)
    jump = rng.uniform(0, 9, plank.max() + 1)[plank]
    ring = np.sin((rows / rng.uniform(1.5, 4) + jump * 20 + 3.5 * swirl).astype(np.float32))
    img = _paint(
        base, (noise(rng, 0.6, 25), 0.05), (noise(rng, 3, 20), 0.05), (ring, rng.uniform(0.02, 0.09)),
        (np.broadcast_to(tone, SIZE).astype(np.float32), 1.0),
    )  # fmt: skip
    seam = np.exp(-((edge / rng.uniform(0.5, 1.2)) ** 2)) * rng.uniform(0.3, 0.8)
    img *= (1 - seam[..., None]).astype(np.float32)
    return np.rot90(img)[: SIZE[0], : SIZE[0]] if rng.random() < 0.3 else img


def _laminate(rng: np.random.Generator) -> np.ndarray:
    base = colour(rng.uniform(20, 60), rng.uniform(0, 0.06), rng.uniform(0.86, 0.97))
    return _paint(base, (noise(rng, 60), 0.012), (noise(rng, 4), 0.006), (noise(rng, 0.7), 0.006))


def _grey_cloth(rng: np.random.Generator) -> np.ndarray:
    base = colour(rng.uniform(0, 360), rng.uniform(0, 0.12), rng.uniform(0.35, 0.7))
    y, x = np.mgrid[: SIZE[0], : SIZE[1]].astype(np.float32) / PER_MM
    pitch = rng.uniform(1.1, 2.2)
    wob = noise(rng, 15) * 0.3
    weave = np.sin(2 * np.pi * (x + wob) / pitch) * np.sin(2 * np.pi * (y - wob) / pitch)
    return _paint(
        base, (weave, rng.uniform(0.04, 0.12)), (noise(rng, 0.6, 6), 0.06), (noise(rng, 0.6), 0.05),
        (noise(rng, 90, 1), rng.uniform(0.02, 0.06)),
    )  # fmt: skip


def _bands(t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Index of the colour of a repeated random sequence of stripes along `t` mm."""
    widths = rng.uniform(6, 34, rng.integers(2, 6))
    stops = np.cumsum(widths)
    return np.searchsorted(stops, t % stops[-1], side="right").clip(0, len(widths) - 1)


def _palette(rng: np.random.Generator, n: int) -> np.ndarray:
    hue = rng.uniform(0, 360)
    cols = [
        colour(hue + rng.choice([0, 25, 180, 120]), rng.uniform(0.2, 0.9), rng.uniform(0.2, 0.85)) for _ in range(n)
    ]
    cols[0] = colour(hue, rng.uniform(0, 0.15), rng.uniform(0.8, 0.95))
    cols[1 % n] = colour(hue, rng.uniform(0.5, 0.9), rng.uniform(0.15, 0.6))
    return np.array(cols, np.float32)


def _threads(img: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The weave and folds that make a print a cloth."""
    img = cv2.GaussianBlur(img, (0, 0), 0.8)
    gain = 1 + 0.05 * noise(rng, 0.5, 3) + 0.05 * noise(rng, 0.5) + 0.03 * noise(rng, 70)
    return img * gain[..., None]


def _stripes(rng: np.random.Generator) -> np.ndarray:
    pal = _palette(rng, 6)
    rows = pal[_bands(np.arange(SIZE[0]) / PER_MM, rng)]
    return _threads(np.repeat(rows[:, None], SIZE[1], axis=1), rng)


def _checks(rng: np.random.Generator) -> np.ndarray:
    if rng.random() < 0.5:  # gingham: one colour, two ways
        pal, pitch = _palette(rng, 2), rng.uniform(12, 60)
        a = (np.arange(SIZE[0]) / PER_MM // pitch % 2)[:, None]
        b = (np.arange(SIZE[1]) / PER_MM // pitch % 2)[None]
        mix = ((a + b) / 2)[..., None].astype(np.float32)
        return _threads(pal[0] * (1 - mix) + pal[1] * mix, rng)
    pal, pal2 = _palette(rng, 6), _palette(rng, 6)
    a = pal[_bands(np.arange(SIZE[0]) / PER_MM, rng)][:, None]
    b = pal2[_bands(np.arange(SIZE[1]) / PER_MM, rng)][None]
    return _threads((a + b) / 2, rng)


def _flowers(rng: np.random.Generator) -> np.ndarray:
    pal = _palette(rng, 6)
    img = np.empty((*SIZE, 3), np.float32)
    img[:] = pal[rng.integers(0, 2)]
    tile = rng.uniform(25, 70) * PER_MM
    petals, size = int(rng.integers(4, 9)), tile * rng.uniform(0.12, 0.24)
    for j in range(int(SIZE[0] / tile) + 2):
        for i in range(int(SIZE[1] / tile) + 2):
            c = np.array([(i + 0.5 * (j % 2)) * tile, j * tile]) + rng.normal(0, tile * 0.05, 2)
            turn, col = rng.uniform(0, 6.3), pal[2 + (i + j) % 3].tolist()
            for k in range(petals):
                a = turn + 2 * np.pi * k / petals
                p = c + size * np.array([np.cos(a), np.sin(a)])
                box = ((float(p[0]), float(p[1])), (size * 1.5, size * 0.8), float(np.degrees(a)))
                cv2.ellipse(img, box, col, -1, cv2.LINE_AA)
            cv2.circle(img, (int(c[0]), int(c[1])), int(size * 0.45), pal[5].tolist(), -1, cv2.LINE_AA)
            leaf = c + tile * 0.5 * np.array([np.cos(turn), np.sin(turn)])
            cv2.ellipse(img, (leaf.tolist(), (size * 1.4, size * 0.5), turn * 60), colour(120, 0.6, 0.4).tolist(), -1)
    return _threads(img, rng)


def _plain(rng: np.random.Generator, lo: float, hi: float) -> np.ndarray:
    base = colour(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(lo, hi))
    return _paint(base, (noise(rng, 0.6), 0.02), (noise(rng, 8), 0.012), (noise(rng, 80), 0.02))


_KINDS = {
    "felt": (_felt, 0.0),
    "oak": (_oak, 0.35),
    "laminate": (_laminate, 0.5),
    "grey_cloth": (_grey_cloth, 0.0),
    "checks": (_checks, 0.0),
    "stripes": (_stripes, 0.0),
    "flowers": (_flowers, 0.05),
    "plain_pale": (lambda rng: _plain(rng, 0.7, 0.95), 0.2),
    "plain_dark": (lambda rng: _plain(rng, 0.08, 0.3), 0.2),
}
