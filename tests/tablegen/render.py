"""The picture that the lens forms: table, shadows, sheets, gleam, in linear light at the frame's own resolution.

Every sheet is drawn by following each sample's ray to its bent surface, `OVER` x `OVER` samples a pixel with the
coverage of the outline computed from its distance, so that edges lie where the truth says to about 0.01 px.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np

from tests.tablegen.camera import Patch, TableCamera, patch_around
from tests.tablegen.cloths import PER_MM
from tests.tablegen.light import Light
from tests.tablegen.sheet import Sheet, support

OVER = 2
PRINT_PER_MM = 4.0
"""Prints are shrunk to this resolution before they are drawn: above any camera's here, below aliasing."""
PAPER = np.array([0.62, 0.72, 0.76], np.float32)
"""The cut edge of a card, linear BGR."""

_LINEAR = ((np.arange(256) / 255.0) ** 2.2).astype(np.float32)


def linear(img: np.ndarray) -> np.ndarray:
    """sRGB uint8 to linear float32 0 ... 1."""
    return cv2.LUT(img, _LINEAR)


def draw_table(
    camera: TableCamera, light: Light, cloth: np.ndarray, gloss: float, turn_deg: float
) -> tuple[np.ndarray, np.ndarray]:
    """The empty table, and the light (h, w, 3) that falls on it."""
    w, h = camera.size
    whole = Patch(0, 0, w, h)
    xy = camera.on_plane(whole.nodes())
    lamp = whole.fill(light.falloff(xy))
    lit = light.ambient.astype(np.float32) + lamp[..., None] * light.key.astype(np.float32)
    a = np.radians(turn_deg)
    tx = (xy[..., 0] * np.cos(a) + xy[..., 1] * np.sin(a)) * PER_MM + cloth.shape[1] / 2
    ty = (xy[..., 0] * np.sin(a) - xy[..., 1] * np.cos(a)) * PER_MM + cloth.shape[0] / 2
    albedo = linear(cv2.remap(cloth, whole.fill(tx), whole.fill(ty), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT))
    canvas = albedo * lit
    if gloss:
        shine = whole.fill(light.gleam(xy, np.zeros_like(xy), camera)) * np.float32(gloss)
        rough = 0.7 + 0.6 * albedo[..., 1:2]
        canvas += shine[..., None] * rough * light.key.astype(np.float32)
    return canvas, lit


def draw_shadow(canvas: np.ndarray, camera: TableCamera, light: Light, sheet: Sheet, below: Sequence[Sheet]) -> None:
    """Darken what the sheet keeps the lamp from, and the crack of ambient shade along its edges. In place."""
    uv = sheet.outline()
    xy = sheet.to_table(uv)
    ground = support(below, xy)
    xyz = np.column_stack([xy, sheet.top(uv)])
    cast = light.throw(xyz, np.minimum(ground, xyz[:, 2]))
    edge = np.column_stack([xy, ground])
    fallen = np.column_stack([cast, ground])
    px, near = camera.project(fallen), camera.project(edge)
    scale = camera.px_per_mm(sheet.x, sheet.y)
    lift = float(np.mean(xyz[:, 2] - ground))
    soft = max(0.35, scale * lift * light.spread_mm / float(np.linalg.norm(light.place)))
    pad = 3 * soft + 8
    patch = patch_around(np.concatenate([px, near]), camera.size, pad)
    if patch is None:
        return
    key = float(light.key.sum() / (light.key + light.ambient).sum())
    for points, blur, strength in ((px, soft, 0.85 * key), (near, 0.7 * scale, 0.35)):
        mask = np.zeros((patch.h, patch.w), np.uint8)
        at = np.round((points - [patch.x0, patch.y0]) * 16).astype(np.int32)
        cv2.fillPoly(mask, [at], 255, cv2.LINE_AA, 4)
        shade = cv2.GaussianBlur(mask, (0, 0), blur).astype(np.float32) * np.float32(strength / 255)
        canvas[patch.window] *= 1 - shade[..., None]


def draw_sheet(canvas: np.ndarray, lit: np.ndarray, camera: TableCamera, light: Light, sheet: Sheet) -> None:
    """Draw one sheet over what is there. In place."""
    uv = sheet.outline()
    xy = sheet.to_table(uv)
    top = camera.project(np.column_stack([xy, sheet.top(uv)]))
    low = camera.project(np.column_stack([xy, sheet.bottom(uv)]))
    patch = patch_around(np.concatenate([top, low]), camera.size)
    if patch is None:
        return
    ray = camera.rays(patch.nodes())
    scale = camera.px_per_mm(sheet.x, sheet.y) * OVER

    def trace(lift: float) -> np.ndarray:
        z = np.full(ray.shape[:2], sheet.plane[0] + lift)
        for _ in range(4):  # contracts by slope times the ray's lean: 1e-6 mm after four
            p = camera.C[:2] + ray[..., :2] * ((z - camera.C[2]) / ray[..., 2])[..., None]
            local = sheet.to_local(p)
            z = sheet.bottom(local) + lift
        return local

    def cover(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        qx = np.abs(u) - np.float32(sheet.width / 2 - sheet.radius)
        qy = np.abs(v) - np.float32(sheet.height / 2 - sheet.radius)
        out = np.sqrt(np.maximum(qx, 0) ** 2 + np.maximum(qy, 0) ** 2)
        d = out + np.minimum(np.maximum(qx, qy), 0) - np.float32(sheet.radius)
        return np.clip(0.5 - d * np.float32(scale), 0, 1)

    local = trace(sheet.thickness)
    u, v = patch.fill(local[..., 0], OVER), patch.fill(local[..., 1], OVER)
    alpha = cover(u, v)
    base = trace(0.0)
    side = cover(patch.fill(base[..., 0], OVER), patch.fill(base[..., 1], OVER))
    picture = print_of(sheet)
    ph, pw = picture.shape[:2]
    colour = cv2.remap(
        picture, (u / np.float32(sheet.width) + np.float32(0.5)) * pw - np.float32(0.5),
        (v / np.float32(sheet.height) + np.float32(0.5)) * ph - np.float32(0.5),
        cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    cut = PAPER * 0.55 if not sheet.foreign or sheet.foreign == "card" else np.float32([0.02, 0.02, 0.02])
    rgb = colour * alpha[..., None] + (np.maximum(side - alpha, 0))[..., None] * cut
    full = np.maximum(alpha, side)
    small = (patch.w, patch.h)
    rgb = cv2.resize(rgb, small, interpolation=cv2.INTER_AREA)
    full = cv2.resize(full, small, interpolation=cv2.INTER_AREA)[..., None]
    place = sheet.to_table(local)
    slope = sheet.slope(local)
    key = light.key.astype(np.float32)
    tilt = patch.fill(light.facing(place, slope) - 1)[..., None]
    base_light = lit[patch.window]
    gleam = patch.fill(light.gleam(place, slope, camera))[..., None] * np.float32(sheet.gloss)
    amb = light.ambient.astype(np.float32)
    shining = rgb * (base_light + (base_light - amb) * tilt) + full * gleam * key
    canvas[patch.window] = canvas[patch.window] * (1 - full) + shining


def print_of(sheet: Sheet) -> np.ndarray:
    """What is printed on the upper side, linear float32, `PRINT_PER_MM`."""
    picture = sheet.picture if sheet.picture is not None else sheet.face.picture if sheet.face else None
    if picture is None:
        raise ValueError(f"{sheet.id} has nothing printed on it")
    return _shrunk(ById(picture), sheet.width, sheet.height)


class ById:
    """Arrays by identity, kept alive by the cache that uses them as keys."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __hash__(self) -> int:
        return id(self.array)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ById) and other.array is self.array


@lru_cache(maxsize=128)
def _shrunk(key: ById, width: float, height: float) -> np.ndarray:
    size = (round(width * PRINT_PER_MM), round(height * PRINT_PER_MM))
    if key.array.shape[1] <= size[0]:
        return linear(key.array)
    return linear(cv2.resize(key.array, size, interpolation=cv2.INTER_AREA))
