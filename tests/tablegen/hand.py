"""A hand with its forearm, reaching in from a side of the table: tapered capsules, skin and a sleeve."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from shapely.geometry import Polygon
from shapely.ops import unary_union

from tests.tablegen.camera import TableCamera
from tests.tablegen.cloths import colour
from tests.tablegen.light import Light

HALF = 2
"""Hands are drawn at half the frame's resolution: they have no exact edges to measure."""

_LIMBS = (
    # from (along the arm, across), to, radius there and there, mm; the tip of thumb and forefinger is the origin
    (2, 0, 62, -18, 7.5, 10), (62, -18, 95, -14, 10, 14),
    (4, 2, 45, 30, 8.5, 11), (45, 30, 105, 14, 11, 18),
    (22, -30, 70, -34, 7.5, 10), (34, -46, 78, -44, 7, 9.5), (48, -58, 86, -50, 6, 8.5),
    (88, -26, 120, -8, 30, 32), (120, -6, 190, 0, 30, 27), (190, 0, 700, 0, 27, 46),
    (700, 0, 2000, 0, 46, 60),
)  # fmt: skip
_SLEEVE = ((255, 0, 700, 0, 40, 58), (700, 0, 2000, 0, 58, 70))
"""An arm ends at no elbow: whatever reaches in, reaches in over the table's edge."""


NEAREST_MM = 150.0
"""No part of an arm is drawn nearer to the lens."""


@dataclass(frozen=True)
class Reach:
    """Where a hand is: its finger tips, mm, the way from there to the elbow (degrees, y up), its height."""

    x: float
    y: float
    elbow_deg: float
    height: float
    blur_mm: tuple[float, float] = (0.0, 0.0)
    """How far it moves while the shutter is open."""


@dataclass(frozen=True, eq=False)
class Skin:
    skin: np.ndarray
    """Linear BGR."""
    sleeve: np.ndarray
    bare: bool
    left: bool

    @classmethod
    def random(cls, rng: np.random.Generator) -> Skin:
        tone = colour(rng.uniform(10, 26), rng.uniform(0.3, 0.6), rng.uniform(0.35, 0.9)) / 255
        sleeve = colour(rng.uniform(0, 360), rng.uniform(0, 0.7), rng.uniform(0.05, 0.8)) / 255
        return cls(tone**2.2, sleeve**2.2, bool(rng.random() < 0.3), bool(rng.random() < 0.3))


def draw_hand(
    canvas: np.ndarray, lit: np.ndarray, camera: TableCamera, light: Light, reach: Reach, skin: Skin
) -> list[Polygon]:
    """Draw it and its shadow over the canvas, in place. Comes back with what it covers, px."""
    h, w = canvas.shape[0] // HALF, canvas.shape[1] // HALF
    scale = camera.px_per_mm(reach.x, reach.y) * camera.C[2] / (camera.C[2] - reach.height) / HALF
    limbs = np.array(_LIMBS, float)
    body = _place(limbs, reach, skin)
    ends = np.concatenate([body[0], body[1]])
    xyz = _in_front(camera, np.column_stack([ends, np.full(len(ends), reach.height)]))
    fallen = np.column_stack([light.throw(xyz, np.zeros(len(xyz))), np.zeros(len(xyz))])
    n = len(limbs)
    shade = camera.project(fallen) / HALF
    d = _distance(shade[:n], shade[n:], limbs[:, 4:] * scale, w, h)
    soft = max(1.0, scale * reach.height * light.spread_mm / float(np.linalg.norm(light.place)))
    dark = cv2.GaussianBlur(np.clip(0.5 - d, 0, 1), (0, 0), soft)
    key = float(light.key.sum() / (light.key + light.ambient).sum())
    canvas *= 1 - np.float32(0.85 * key) * cv2.resize(dark, (w * HALF, h * HALF))[..., None]

    px = camera.project(xyz) / HALF
    d = _distance(px[:n], px[n:], limbs[:, 4:] * scale, w, h)
    deep = np.clip(-d / (14 * scale), 0, 1)
    rgb = (0.55 + 0.45 * np.sqrt(deep))[..., None] * skin.skin.astype(np.float32)
    alpha = np.clip(0.5 - d, 0, 1)
    if not skin.bare:
        cuff = np.array(_SLEEVE, float)
        ends = np.concatenate(_place(cuff, reach, skin))
        ends = camera.project(_in_front(camera, np.column_stack([ends, np.full(len(ends), reach.height)]))) / HALF
        s = _distance(ends[: len(cuff)], ends[len(cuff) :], cuff[:, 4:] * scale, w, h)
        on = np.clip(0.5 - s, 0, 1)[..., None]
        folds = 0.65 + 0.35 * np.sqrt(np.clip(-s / (30 * scale), 0, 1))[..., None]
        rgb = rgb * (1 - on) + on * folds * skin.sleeve.astype(np.float32)
        alpha = np.maximum(alpha, on[..., 0])
    layer = np.dstack([rgb * alpha[..., None], alpha])
    moved = np.array([reach.blur_mm[0], -reach.blur_mm[1]]) * scale
    layer = _smear(layer, moved)
    layer = cv2.resize(layer, (w * HALF, h * HALF))
    canvas *= 1 - layer[..., 3:]
    canvas += layer[..., :3] * lit
    return _outlines(layer[..., 3])


def _in_front(camera: TableCamera, xyz: np.ndarray) -> np.ndarray:
    """Limbs, first all their beginnings and then all their ends, cut off before they pass beside or behind the lens."""
    n = len(xyz) // 2
    a, b = xyz[:n], xyz[n:].copy()
    deep_a, deep_b = (((p - camera.C) @ camera.R.T)[:, 2] for p in (a, b))
    far = deep_b < NEAREST_MM
    share = np.clip((deep_a - NEAREST_MM) / np.maximum(deep_a - deep_b, 1e-6), 0.02, 1)[:, None]
    b[far] = (a + (b - a) * share)[far]
    return np.concatenate([a, b])


def _place(limbs: np.ndarray, reach: Reach, skin: Skin) -> tuple[np.ndarray, np.ndarray]:
    a = np.radians(reach.elbow_deg)
    along = np.array([np.cos(a), np.sin(a)])
    across = np.array([-np.sin(a), np.cos(a)]) * (-1 if skin.left else 1)
    at = np.array([reach.x, reach.y])
    return tuple(at + limbs[:, i : i + 1] * along + limbs[:, i + 1 : i + 2] * across for i in (0, 2))  # type: ignore


def _distance(a: np.ndarray, b: np.ndarray, r: np.ndarray, w: int, h: int) -> np.ndarray:
    """(h, w) px to the union of tapered capsules, negative inside."""
    out = np.full((h, w), 1e3, np.float32)
    for p, q, (r0, r1) in zip(a, b, r, strict=True):
        m = max(r0, r1) + 40  # beyond that the distance does not matter
        lo = np.floor(np.minimum(p, q) - m).astype(int)
        hi = np.ceil(np.maximum(p, q) + m).astype(int)
        x0, y0, x1, y1 = max(lo[0], 0), max(lo[1], 0), min(hi[0], w), min(hi[1], h)
        if x0 >= x1 or y0 >= y1:
            continue
        x = np.arange(x0, x1, dtype=np.float32)[None] - np.float32(p[0])
        y = np.arange(y0, y1, dtype=np.float32)[:, None] - np.float32(p[1])
        dx, dy = (q - p).astype(np.float32)
        t = np.clip((x * dx + y * dy) / max(dx * dx + dy * dy, 1e-6), 0, 1)
        d = np.sqrt((x - t * dx) ** 2 + (y - t * dy) ** 2) - (r0 + t * (r1 - r0))
        part = out[y0:y1, x0:x1]
        np.minimum(part, d, out=part)
    return out


def _smear(layer: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Motion blur along a vector, px."""
    n = int(np.ceil(np.abs(by).max()))
    if n < 1:
        return layer
    n = min(n, 40)
    size = n | 1
    kernel = np.zeros((size, size), np.float32)
    mid = size // 2
    tip = by / max(np.abs(by).max(), 1e-9) * mid
    cv2.line(
        kernel, tuple(np.round(mid - tip).astype(int).tolist()), tuple(np.round(mid + tip).astype(int).tolist()), 1
    )
    return cv2.filter2D(layer, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)


def _outlines(alpha: np.ndarray) -> list[Polygon]:
    found, _ = cv2.findContours((alpha > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    shapes = [Polygon(c.reshape(-1, 2)).buffer(0) for c in found if len(c) > 2]
    return [unary_union(shapes)] if shapes else []
