"""Solid playing pieces: meeples, toy cars, dice, piles. Meshes of flat faces, lit and drawn with a depth buffer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tests.tablegen.camera import TableCamera, patch_around
from tests.tablegen.light import Light

OVER = 3
"""Samples a pixel and direction."""


@dataclass(frozen=True, eq=False)
class Facet:
    """A flat polygon seen from outside anticlockwise."""

    points: np.ndarray
    """(n, 3) mm."""
    paint: np.ndarray
    """(3,) linear BGR."""
    gloss: float = 0.15
    lift: float = 0.0
    """mm by which it is nearer to the eye than it lies: marks on faces."""

    @property
    def normal(self) -> np.ndarray:
        p = self.points
        n = np.sum(np.cross(p - p[0], np.roll(p, -1, axis=0) - p[0]), axis=0)
        return n / max(float(np.linalg.norm(n)), 1e-9)


@dataclass(frozen=True, eq=False)
class Solid:
    """A piece at a place: its facets about the middle of what it stands on, x along its length, z up."""

    id: str
    kind: str
    """`meeple`, `car`, `die`, `pile`."""
    facets: tuple[Facet, ...]
    length: float
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    """mm: what it stands on."""
    angle: float = 0.0
    """degrees counter-clockwise."""
    colour: str = ""
    pose: str = ""
    value: int | None = None

    def at(self, x: float, y: float, angle: float, z: float = 0.0) -> Solid:
        return replace(self, x=x, y=y, z=z, angle=angle)

    def turn(self) -> np.ndarray:
        c, s = np.cos(np.radians(self.angle)), np.sin(np.radians(self.angle))
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])

    def to_table(self, points: np.ndarray) -> np.ndarray:
        """(n, 3) of its own to table mm."""
        return points @ self.turn().T + [self.x, self.y, self.z]

    def footprint(self) -> np.ndarray:
        """(4, 2) mm: front right, front left, rear left, rear right corners of length and width, clockwise as seen."""
        a, b = self.length / 2, self.width / 2
        return self.to_table(np.array([[a, b, 0], [a, -b, 0], [-a, -b, 0], [-a, b, 0.0]]))[:, :2]

    def placed(self) -> list[Facet]:
        return [replace(f, points=self.to_table(f.points)) for f in self.facets]


def prism(
    outline: np.ndarray, low: float, high: float, paint: np.ndarray, gloss: float, axis: int = 2, shrink: float = 1.0
) -> list[Facet]:
    """An outline (n, 2), anticlockwise, drawn out from `low` to `high` along an axis (2: z, 1: y from x and z).

    shrink: the outline's size at `high` relative to that at `low`.
    """

    def lifted(v: np.ndarray, h: float) -> np.ndarray:
        flat = np.column_stack([v, np.full(len(v), h)])
        return flat if axis == 2 else flat[:, [0, 2, 1]] * [1, -1, 1]

    mid = outline.mean(axis=0)
    a, b = lifted(outline, low), lifted((outline - mid) * shrink + mid, high)
    out = [Facet(b, paint, gloss), Facet(a[::-1], paint, gloss)]
    n = len(outline)
    for i in range(n):
        j = (i + 1) % n
        out.append(Facet(np.array([a[i], a[j], b[j], b[i]]), paint, gloss))
    return out


def rounded(points: np.ndarray, rounds: int = 2) -> np.ndarray:
    """A closed outline with its corners cut (Chaikin)."""
    for _ in range(rounds):
        nxt = np.roll(points, -1, axis=0)
        points = np.stack([0.78 * points + 0.22 * nxt, 0.22 * points + 0.78 * nxt], axis=1).reshape(-1, 2)
    return points


def meeple_outline(rng: np.random.Generator, width: float, height: float) -> np.ndarray:
    """(n, 2) mm anticlockwise, x to the right, y up, from the feet: one maker's meeple."""
    j = lambda v, s=0.03: v + rng.normal(0, s)  # noqa: E731
    head, neck, arm, waist, crotch = j(0.2), j(0.13, 0.02), j(0.56), j(0.24), max(j(0.12, 0.06), 0.0)
    shoulder, legs = j(0.72), j(0.45)
    half = [(0.1, 0.0), (legs, 0.0), (waist, 0.38), (0.5, arm - 0.12), (0.5, arm + 0.04), (neck, shoulder),
            (head, 0.84), (head * 0.8, 1.0)]  # fmt: skip
    left = [(-x, y) for x, y in half[::-1]]
    ring = np.array([*half, *left, (0.0, crotch)])
    out = rounded(ring)  # which cuts the ends off: the maker's measure is that of the finished piece
    low, high = out.min(axis=0), out.max(axis=0)
    return (out - [(low[0] + high[0]) / 2, low[1]]) / (high - low) * [width, height]


def make_meeple(
    name: str, colour: str, paint: np.ndarray, pose: str, style: np.random.Generator, gloss: float
) -> Solid:
    """A meeple that stands or lies. `style` must give the same for all of one set."""
    width, height, thick = style.uniform(15, 17), style.uniform(15.2, 17), style.uniform(8.5, 10.5)
    outline = meeple_outline(style, width, height)
    if pose == "standing":
        facets = prism(outline, -thick / 2, thick / 2, paint, gloss, axis=1)
        return Solid(name, "meeple", tuple(facets), width, thick, height, colour=colour, pose=pose)
    facets = prism(outline - [0, height / 2], 0.0, thick, paint, gloss)
    return Solid(name, "meeple", tuple(facets), width, height, thick, colour=colour, pose=pose)


def make_car(name: str, colour: str, paint: np.ndarray, style: np.random.Generator, gloss: float) -> Solid:
    """A small car, its nose towards x."""
    length, width, height = style.uniform(26.5, 29.5), style.uniform(13, 15), style.uniform(10, 12.5)
    back, front = style.uniform(-0.42, -0.3), style.uniform(0.1, 0.22)
    deck = style.uniform(0.5, 0.62)
    glass, rubber = np.array([0.05, 0.045, 0.04]), np.array([0.02, 0.02, 0.02])
    body = rounded(np.array([(-0.5, 0.14), (0.5, 0.14), (0.5, deck - 0.1), (0.4, deck), (-0.5, deck)]), 1)
    facets = prism(body * [length, height], -0.5 * width, 0.5 * width, paint, gloss, axis=1)
    roof = style.uniform(0.06, 0.12)
    w = 0.42 * width
    base = np.array([[back * length, -w], [front * length, -w], [front * length, w], [back * length, w]])
    top = np.array([[(back + roof) * length, -0.85 * w], [(front - 1.3 * roof) * length, -0.85 * w],
                    [(front - 1.3 * roof) * length, 0.85 * w], [(back + roof) * length, 0.85 * w]])  # fmt: skip
    a = np.column_stack([base, np.full(4, deck * height)])
    b = np.column_stack([top, np.full(4, height)])
    facets.append(Facet(b, paint, gloss))
    for i in range(4):
        k = (i + 1) % 4
        quad = np.array([a[i], a[k], b[k], b[i]])
        mid = quad.mean(axis=0)
        facets.append(Facet(quad, paint, gloss))
        facets.append(Facet((quad - mid) * [0.8, 0.8, 0.75] + mid, glass, 0.8, 0.05))
    for x in (-0.3, 0.3):
        for y in (-0.5, 0.5):
            wheel = np.array([[-0.11, -0.04], [0.11, -0.04], [0.11, 0.04], [-0.11, 0.04]]) * [length, width]
            facets += prism(wheel + np.array([x * length, y * width]), 0.0, 0.34 * height, rubber, 0.1)
    lamp = np.array([0.75, 0.8, 0.85])
    for y in (-0.35, 0.35):
        box = np.array([[0.49, -0.07], [0.52, -0.07], [0.52, 0.07], [0.49, 0.07]]) * [length, width]
        facets += prism(box + np.array([0, y * width]), 0.25 * height, 0.42 * height, lamp, 0.6)
    return Solid(name, "car", tuple(facets), length, width, height, colour=colour)


PIPS = {
    1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)], 6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}  # fmt: skip


def make_die(name: str, values: Sequence[int], up: int, body: np.ndarray, pip: np.ndarray, edge: float) -> Solid:
    """A cube with pips: `values` its six faces, the `up`-th one on top."""
    h = edge / 2
    order = [values[up], *(v for i, v in enumerate(values) if i != up)]
    axes = [np.array(v, float) for v in ((0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, -1))]
    facets = []
    ring = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    for value, n in zip(order, axes, strict=True):
        u = np.array([0.0, 1, 0]) if abs(n[2]) > 0.5 else np.array([0.0, 0, 1])
        u, v = u, np.cross(n, u)
        mid = n * h + [0, 0, h]
        corners = np.array([mid + h * (a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        facets.append(Facet(corners, body, 0.3))
        for a, b in PIPS[value]:
            at = mid + 0.52 * h * (a * u + b * v)
            circle = at + 0.17 * h * (np.cos(ring)[:, None] * u + np.sin(ring)[:, None] * v)
            facets.append(Facet(circle, pip, 0.1, 0.1))
    return Solid(name, "die", tuple(facets), edge, edge, edge, pose="rest", value=values[up])


def make_pile(name: str, width: float, length: float, height: float) -> Solid:
    """The sides of a pile of cards or tiles, in layers; what lies on top of it is a sheet."""
    facets = []
    box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [width / 2, length / 2]
    layers = max(2, int(height / 2))
    for i in range(layers):
        tone = np.array([0.5, 0.58, 0.62]) * (0.75 + 0.25 * (i % 2))
        facets += prism(box, height * i / layers, height * (i + 1) / layers, tone, 0.05)
    return Solid(name, "pile", tuple(facets), width, length, height)


def draw_solid(canvas: np.ndarray, camera: TableCamera, light: Light, solid: Solid) -> np.ndarray | None:
    """Draw one over what is there, in place; (h, w) bool: where it is seen, None when it is out of the frame."""
    facets = solid.placed()
    every = np.concatenate([f.points for f in facets])
    patch = patch_around(camera.project(every), camera.size)
    if patch is None:
        return None
    h, w = patch.h * OVER, patch.w * OVER
    x = patch.x0 + (np.arange(w) + 0.5) / OVER - 0.5
    y = patch.y0 + (np.arange(h) + 0.5) / OVER - 0.5
    rays = camera.rays(np.stack(np.meshgrid(x, y), axis=-1))
    depth = np.full((h, w), np.inf)
    rgb = np.zeros((h, w, 3), np.float32)
    for f in facets:
        n = f.normal
        if (camera.C - f.points[0]) @ n <= 0:
            continue
        px = ((camera.project(f.points) - [patch.x0, patch.y0] + 0.5) * OVER - 0.5) * 16
        mask = np.zeros((h, w), np.uint8)
        cv2.fillPoly(mask, [np.round(px).astype(np.int32)], 1, cv2.LINE_8, 4)
        t = ((f.points[0] - camera.C) @ n) / np.where(np.abs(rays @ n) < 1e-6, 1e-6, rays @ n) - f.lift
        ahead = (mask > 0) & (t < depth)
        depth[ahead] = t[ahead]
        rgb[ahead] = _shade(f, n, camera, light)
    seen = np.isfinite(depth)
    cover = cv2.resize(seen.astype(np.float32), (patch.w, patch.h), interpolation=cv2.INTER_AREA)[..., None]
    rgb = cv2.resize(rgb, (patch.w, patch.h), interpolation=cv2.INTER_AREA)
    canvas[patch.window] = canvas[patch.window] * (1 - cover) + rgb
    out = np.zeros(canvas.shape[:2], bool)
    out[patch.window] = cover[..., 0] > 0.5
    return out


def _shade(f: Facet, n: np.ndarray, camera: TableCamera, light: Light) -> np.ndarray:
    """(3,) linear: what a facet sends to the camera."""
    mid = f.points.mean(axis=0)
    to_lamp, to_eye = light.place - mid, camera.C - mid
    level = to_lamp[2] / np.linalg.norm(to_lamp)
    facing = max(float(n @ to_lamp) / float(np.linalg.norm(to_lamp)), 0.0)
    key = light.key * float(light.falloff(mid[None, :2])[0]) * min(facing / max(level, 0.15), 3.0)
    sky = light.ambient * (0.6 + 0.4 * n[2])  # what looks sideways sees half the table instead of the sky
    half = to_lamp / np.linalg.norm(to_lamp) + to_eye / np.linalg.norm(to_eye)
    cos = float(half @ n) / float(np.linalg.norm(half))
    shine = light.shine * max(cos, 0.0) ** min(light.sharpness, 60.0) * f.gloss * (facing > 0)
    return (f.paint * (sky + key) + shine * light.key).astype(np.float32)


def draw_solid_shadow(canvas: np.ndarray, camera: TableCamera, light: Light, solid: Solid) -> None:
    """Darken what a solid keeps the lamp from, and the shade about its foot. In place."""
    facets = solid.placed()
    thrown = []
    for f in facets:
        if f.lift == 0:
            xy = light.throw(f.points, np.full(len(f.points), solid.z))
            thrown.append(camera.project(np.column_stack([xy, np.full(len(xy), solid.z)])))
    foot = [camera.project(np.column_stack([f.points[:, :2], np.full(len(f.points), solid.z)])) for f in facets]
    scale = camera.px_per_mm(solid.x, solid.y)
    soft = max(0.6, scale * 0.5 * solid.height * light.spread_mm / float(np.linalg.norm(light.place)))
    patch = patch_around(np.concatenate([*thrown, *foot]), camera.size, 3 * soft + 8)
    if patch is None:
        return
    key = float(light.key.sum() / (light.key + light.ambient).sum())
    for outlines, blur, strength in ((thrown, soft, 0.9 * key), (foot, 2.2 * scale, 0.55 * (1 - key) + 0.1)):
        mask = np.zeros((patch.h, patch.w), np.uint8)
        for p in outlines:
            cv2.fillPoly(mask, [np.round((p - [patch.x0, patch.y0]) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        shade = cv2.GaussianBlur(mask, (0, 0), blur).astype(np.float32) * np.float32(strength / 255)
        canvas[patch.window] *= 1 - shade[..., None]
