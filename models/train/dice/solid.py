"""A die as a ray caster sees it: a cube cut by a sphere, with edges shaded as if they were rounded.

World: millimetres, z up, the table at z = 0. Camera: x right, y down, z forward.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.dice.faces import Look

Array = NDArray[np.float64]

_OTHER = np.array([[1, 2], [0, 2], [0, 1]])
_MIRRORED = np.array([True, False, False, True, True, False])


@dataclass(frozen=True)
class Pinhole:
    """f: px; centre: of the picture, px; rotation (3, 3) world to camera; place (3,) of the camera, mm."""

    f: float
    centre: tuple[float, float]
    rotation: Array
    place: Array

    def project(self, points: Array) -> Array:
        """World (n, 3) mm to pixels (n, 2)."""
        p = (np.asarray(points, float).reshape(-1, 3) - self.place) @ self.rotation.T
        return p[:, :2] / p[:, 2:] * self.f + self.centre

    def on_table(self, pixels: Array, z: float = 0.0) -> Array:
        """Pixels (n, 2) to world (n, 3) on the plane at height z."""
        px = np.asarray(pixels, float).reshape(-1, 2)
        rays = np.column_stack([(px - self.centre) / self.f, np.ones(len(px))]) @ self.rotation
        return self.place + rays * ((z - self.place[2]) / rays[:, 2])[:, None]


@dataclass(frozen=True)
class Die:
    """centre (3,) mm; rotation (3, 3) die to world; edge mm; sphere: radius of the sphere that cuts the cube, in half
    edges (1.73 leaves the corners sharp); power: the larger, the sharper the edges are shaded; top: index of the
    atlas's face that lies up."""

    look: Look
    centre: Array
    rotation: Array
    edge: float
    sphere: float
    power: float
    gloss: float
    top: int
    tilt_deg: float

    @property
    def corners(self) -> Array:
        """(8, 3) of the cube, mm."""
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        return self.centre + signs * (self.edge / 2) @ self.rotation.T

    @property
    def up(self) -> Array:
        """(3,) unit normal of the upper face."""
        axis, sign = self.top // 2, 1 if self.top % 2 == 0 else -1
        return sign * self.rotation[:, axis]

    def upper_corners(self) -> Array:
        """(4, 3) of the upper face, around it."""
        axis = self.top // 2
        u, v = (self.rotation[:, i] * self.edge / 2 for i in range(3) if i != axis)
        middle = self.centre + self.up * self.edge / 2
        return np.array([middle - u - v, middle + u - v, middle + u + v, middle - u + v])


@dataclass(frozen=True)
class Light:
    """direction (3,) towards the light, unit; ambient and diffuse 0 to 1; softness of shadows in edges."""

    direction: Array
    ambient: float
    diffuse: float
    softness: float
    shadow: float


def cast(
    image: NDArray[np.float32], camera: Pinhole, die: Die, light: Light, oversample: int = 2
) -> tuple[slice, slice, Array] | None:
    """Draw a die over an (h, w, 3) float RGB image. Returns rows, columns and the coverage there; None when outside."""
    px = camera.project(die.corners)
    h, w = image.shape[:2]
    x0, y0 = np.floor(px.min(0)).astype(int) - 1
    x1, y1 = np.ceil(px.max(0)).astype(int) + 2
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, w), min(y1, h)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return None
    s = oversample
    ys, xs = np.mgrid[y0 * s : y1 * s, x0 * s : x1 * s].astype(np.float32)
    u = ((xs.ravel() + 0.5) / s - 0.5 - camera.centre[0]) / camera.f
    v = ((ys.ravel() + 0.5) / s - 0.5 - camera.centre[1]) / camera.f
    # One row a coordinate, (3, n): NumPy reduces along the first axis ten times as fast as along a last one of three.
    rays = camera.rotation.T.astype(np.float32) @ np.stack([u, v, np.ones_like(u)])
    half = die.edge / 2
    turn = die.rotation.T.astype(np.float32)
    o = ((camera.place - die.centre) @ die.rotation / half).astype(np.float32)[:, None]
    d = turn @ rays / np.float32(half)
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (-1 - o) / d, (1 - o) / d
    near, far = np.minimum(a, b).max(0), np.maximum(a, b).min(0)
    dd, od, oo = (d * d).sum(0), (d * o).sum(0), float((o * o).sum()) - die.sphere**2
    root = od * od - dd * oo
    sq = np.sqrt(np.maximum(root, 0))
    near, far = np.maximum(near, (-od - sq) / dd), np.minimum(far, (-od + sq) / dd)
    hit = (near < far) & (root > 0)
    p = o + d[:, hit] * near[hit]
    size = np.abs(p)
    axis = size.argmax(0)
    each = np.arange(p.shape[1])
    face = axis * 2 + (p[axis, each] < 0)
    pu, pv = p[_OTHER[axis, 0], each], p[_OTHER[axis, 1], each]
    # Seen from outside, one of each pair of opposite faces runs the other way round.
    pu = np.where(_MIRRORED[face], -pu, pu)
    scale = die.look.atlas.shape[1]
    col, row = (((q + 1) / 2 * scale).astype(int).clip(0, scale - 1) for q in (pu, pv))
    albedo = die.look.atlas[face, row, col].T
    n = np.sign(p) * size ** np.float32(die.power)
    n = turn.T @ (n / (np.sqrt((n * n).sum(0)) + 1e-9))
    towards = light.direction.astype(np.float32)
    mid = towards[:, None] - rays[:, hit] / np.sqrt((rays[:, hit] ** 2).sum(0))
    mid /= np.sqrt((mid * mid).sum(0))
    lit = light.ambient * (0.75 + 0.25 * n[2]) + light.diffuse * np.maximum(towards @ n, 0)
    shine = die.gloss * np.maximum((n * mid).sum(0), 0) ** 40
    colour = np.zeros((len(u), 3), np.float32)
    colour[hit] = (albedo * lit + shine).T
    shape = ((y1 - y0) * s, (x1 - x0) * s)
    small = (x1 - x0, y1 - y0)
    layer = cv2.resize(colour.reshape(*shape, 3).astype(np.float32), small, interpolation=cv2.INTER_AREA)
    cover = cv2.resize(hit.reshape(shape).astype(np.float32), small, interpolation=cv2.INTER_AREA)
    rows, cols = slice(y0, y1), slice(x0, x1)
    image[rows, cols] = image[rows, cols] * (1 - cover[..., None]) + layer
    return rows, cols, cover


def shadow(image: NDArray[np.float32], camera: Pinhole, die: Die, light: Light, edge_px: float) -> None:
    """Darken the table where a die keeps the light away, and where it stands."""
    corners = die.corners
    towards = light.direction
    thrown = corners - towards * (corners[:, 2:] / max(towards[2], 0.2))
    if edge_px < 1:
        return
    for points, soft, depth in ((thrown, light.softness, light.shadow), (_foot(corners), 0.12, 0.35)):
        mask = np.zeros(image.shape[:2], np.uint8)
        hull = cv2.convexHull(camera.project(points).astype(np.float32)).reshape(-1, 2)
        cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        x, y, w, h = cv2.boundingRect(hull)
        pad = int(3 * soft * edge_px) + 3
        rows, cols = slice(max(y - pad, 0), max(y + h + pad, 0)), slice(max(x - pad, 0), max(x + w + pad, 0))
        if image[rows, cols].size == 0:
            continue
        part = cv2.GaussianBlur(mask[rows, cols].astype(np.float32) / 255, (0, 0), max(soft * edge_px, 0.4))
        image[rows, cols] *= 1 - depth * part[..., None]


def _foot(corners: Array) -> Array:
    low = corners[corners[:, 2].argsort()[:4]].copy()
    low[:, 2] = 0
    return low
