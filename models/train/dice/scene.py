"""Whole rendered pictures of dice with their truth: one seed, one scene."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.dice import table
from models.train.dice.faces import Look, Rng, blank, look
from models.train.dice.solid import Array, Die, Light, Pinhole, cast, shadow

COCKED_DEG = 12.0
"""A die tilted more than this against the table leans on something."""


@dataclass(frozen=True)
class Truth:
    """One die of a rendered picture; pixels of that picture.

    centre: of the cube (2,). edge: px. lean (2,): from the cube's centre to the upper face's, in half edges: the upper
    face's normal against the line of sight, as the picture shows it. quarter (2,): cosine and sine of four times the
    turn of the upper face about its normal. value: 0 of a block that is no die.
    """

    centre: Array
    edge: float
    lean: Array
    quarter: Array
    corners: Array
    value: int
    tilt_deg: float
    visible: float
    style: str
    values: tuple[int, ...]
    flat: Array
    """(2,) the lean it would have if it lay flat there."""

    @property
    def cocked(self) -> bool:
        return self.tilt_deg > COCKED_DEG


@dataclass(frozen=True)
class Scene:
    """bgr (h, w, 3) uint8, and its dice (and blank cubes, of value 0)."""

    bgr: NDArray[np.uint8]
    dice: tuple[Truth, ...]
    camera: Pinhole
    edge_mm: float

    def flat_at(self, px: Array) -> Array:
        """(2,) the lean of a die that lies flat on the table where the picture shows `px`."""
        return _flat(self.camera, self.camera.on_table(np.asarray(px)[None], self.edge_mm / 2)[0], self.edge_mm)


def render(
    seed: int, edge_px: float | None = None, size: tuple[int, int] | None = None, count: int | None = None
) -> Scene:
    """A random scene. edge_px: of the dice at the middle of the picture; size: width, height; count: of the dice, fewer
    where there is no room."""
    rng = np.random.default_rng(seed)
    edge_px = float(np.exp(rng.uniform(np.log(14), np.log(52)))) if edge_px is None else edge_px
    side = int(np.clip(8 * edge_px, 140, 300))
    w, h = size or (side, side)
    edge_mm = rng.uniform(12, 20)
    camera = _camera(rng, w, h, edge_px, edge_mm)
    picture = table.table(rng, h, w)
    table.clutter(rng, picture, edge_px)
    light = _light(rng)
    dice = _throw(rng, camera, w, h, edge_mm, picture, count)
    for die in dice:
        shadow(picture, camera, die, light, edge_px)
    dice.sort(key=lambda d: -float(np.linalg.norm(d.centre - camera.place)))
    cover: list[NDArray[np.float32]] = []
    for die in dice:
        drawn = cast(picture, camera, die, light, 2 if edge_px > 20 else 3)
        mask = np.zeros((h, w), np.float32)
        if drawn is not None:
            mask[drawn[0], drawn[1]] = drawn[2]
        cover = [c * (1 - mask) for c in cover]
        cover.append(mask)
    truths = [_truth(camera, d, c, w, h) for d, c in zip(dice, cover, strict=True)]
    return Scene(_develop(rng, picture, edge_px), tuple(t for t in truths if t is not None), camera, edge_mm)


def _flat(camera: Pinhole, centre: Array, edge_mm: float) -> Array:
    """(2,) the lean of a die that lies flat, its middle at `centre` (3,)."""
    middle, top = camera.project(np.array([centre, centre + np.array([0, 0, edge_mm / 2])]))
    depth = float((camera.rotation @ (centre - camera.place))[2])
    return np.asarray((top - middle) / (camera.f * edge_mm / depth / 2), float)


def _camera(rng: Rng, w: int, h: int, edge_px: float, edge_mm: float) -> Pinhole:
    tilt = np.radians(abs(rng.normal(0, 14)) if rng.random() < 0.65 else rng.uniform(0, 45))
    tilt = min(tilt, np.radians(45))
    distance = rng.uniform(180, 1200)
    f = edge_px * distance / edge_mm
    # Whoever takes a picture mostly stands at its lower edge; a camera off the middle may look any way.
    azimuth = rng.normal(0, 0.25) if rng.random() < 0.6 else rng.uniform(0, 2 * np.pi)
    ca, sa, ct, st = np.cos(azimuth), np.sin(azimuth), np.cos(tilt), np.sin(tilt)
    roll = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    # Straight down: x right, y down in the picture is -y of the world, looking along -z.
    down = np.array([[1, 0, 0], [0, -1, 0], [0, 0, -1]], float)
    lean = np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
    rotation = roll @ lean @ down
    place = -rotation.T @ np.array([0, 0, distance])
    return Pinhole(f, ((w - 1) / 2, (h - 1) / 2), rotation, place)


def _light(rng: Rng) -> Light:
    a, e = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(25, 85))
    direction = np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
    ambient = rng.uniform(0.35, 0.9)
    diffuse = (1.05 - ambient * rng.uniform(0.85, 1.0)) / max(np.sin(e), 0.4)
    soft = float(np.exp(rng.uniform(np.log(0.02), np.log(0.6))))
    return Light(direction, ambient, diffuse, soft, float(rng.uniform(0.1, 0.75)))


def _throw(
    rng: Rng, camera: Pinhole, w: int, h: int, edge_mm: float, picture: NDArray[np.float32], count: int | None
) -> list[Die]:
    dice: list[Die] = []
    family: Look | None = look(rng) if rng.random() < 0.5 else None
    drawn = int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.05, 0.1, 0.15, 0.2, 0.25, 0.25]))
    for _ in range(drawn if count is None else count):
        style = blank(rng) if rng.random() < 0.08 else family if family and rng.random() < 0.8 else look(rng)
        edge = edge_mm if family else edge_mm * rng.uniform(0.85, 1.15)
        cocked = rng.random() < 0.2
        for _attempt in range(12):
            if dice and rng.random() < 0.4:
                a = rng.uniform(0, 2 * np.pi)
                near = dice[int(rng.integers(len(dice)))]
                at = near.centre + np.array([np.cos(a), np.sin(a), 0]) * edge * rng.uniform(1.0, 1.5)
            else:
                at = camera.on_table(rng.uniform(0.04, 0.96, (1, 2)) * (w, h))[0]
            die = _posed(rng, style, at, edge, cocked)
            if all(_apart(die, other) for other in dice):
                if cocked:
                    _prop(rng, camera, die, picture)
                dice.append(die)
                break
    return dice


def _posed(rng: Rng, style: Look, at: Array, edge: float, cocked: bool) -> Die:
    top = int(rng.integers(6))
    yaw = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    tilt = np.radians(rng.uniform(13, 38)) if cocked else np.radians(abs(rng.normal(0, 1.0)))
    a = rng.uniform(0, 2 * np.pi) if rng.random() < 0.4 else yaw + np.pi / 2 * rng.integers(4) + rng.normal(0, 0.12)
    k = np.array([np.cos(a), np.sin(a), 0])
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    lean = np.eye(3) + np.sin(tilt) * cross + (1 - np.cos(tilt)) * cross @ cross
    rotation = lean @ turn @ _lay(top)
    lowest = float(np.abs(rotation[2]).sum()) * edge / 2
    centre = np.array([at[0], at[1], lowest])
    return Die(
        look=style,
        centre=centre,
        rotation=rotation,
        edge=edge,
        sphere=float(rng.choice([1.73, rng.uniform(1.25, 1.6)], p=[0.25, 0.75])),
        power=float(np.exp(rng.uniform(np.log(4), np.log(24)))),
        gloss=float(rng.choice([0.0, rng.uniform(0, 0.6)])),
        top=top,
        tilt_deg=float(np.degrees(tilt)),
    )


def _lay(top: int) -> Array:
    """(3, 3) that turns the atlas's face `top` up."""
    axis, sign = top // 2, 1 if top % 2 == 0 else -1
    z = np.zeros(3)
    z[axis] = sign
    x = np.zeros(3)
    x[(axis + 1) % 3] = 1
    return np.stack([x, np.cross(z, x), z])


def _apart(a: Die, b: Die) -> bool:
    """Whether two dice share no space, by the axes of both (the separating axes of their faces)."""
    pa, pb = a.corners, b.corners
    axes = np.concatenate([a.rotation.T, b.rotation.T])
    ia, ib = pa @ axes.T, pb @ axes.T
    return bool(((ia.max(0) <= ib.min(0) + 0.05) | (ib.max(0) <= ia.min(0) + 0.05)).any())


def _prop(rng: Rng, camera: Pinhole, die: Die, picture: NDArray[np.float32]) -> None:
    """A stack of cards under the raised side of a leaning die."""
    if rng.random() < 0.3:
        return
    towards = -die.up[:2] / (np.linalg.norm(die.up[:2]) + 1e-9)
    across = np.array([-towards[1], towards[0]])
    near = die.centre[:2] + towards * die.edge * rng.uniform(0.0, 0.35) + across * rng.normal(0, 0.2) * die.edge
    a = rng.normal(0, 0.2)
    towards = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ towards
    across = np.array([-towards[1], towards[0]])
    long, wide = die.edge * rng.uniform(2, 5), die.edge * rng.uniform(2, 4)
    z = die.edge * np.sin(np.radians(die.tilt_deg)) * 0.5
    corners = [near - across * wide / 2, near + across * wide / 2, near + across * wide / 2 + towards * long]
    corners.append(near - across * wide / 2 + towards * long)
    table.card_at(rng, picture, camera.project(np.array([[*c, z] for c in corners])).astype(np.float32))


def _truth(camera: Pinhole, die: Die, cover: NDArray[np.float32], w: int, h: int) -> Truth | None:
    centre = camera.project(die.centre)[0]
    depth = float((camera.rotation @ (die.centre - camera.place))[2])
    edge = camera.f * die.edge / depth
    corners = camera.project(die.upper_corners())
    lean = (camera.project(die.centre + die.up * die.edge / 2)[0] - centre) / (edge / 2)
    # The face's own axes, seen by a camera that is turned to face it: the turn that is left is about the normal.
    u = camera.rotation @ (die.upper_corners()[1] - die.upper_corners()[0]) / die.edge
    phase = 4 * turn_in_face(u, lean)
    full = cv2.contourArea(cv2.convexHull(camera.project(die.corners).astype(np.float32)))
    visible = float(cover.sum()) / max(full, 1.0)
    if not (0 <= centre[0] < w and 0 <= centre[1] < h):
        return None
    return Truth(
        centre=centre,
        edge=edge,
        lean=lean,
        quarter=np.array([np.cos(phase), np.sin(phase)]),
        corners=corners,
        value=die.look.values[die.top],
        tilt_deg=die.tilt_deg,
        visible=visible,
        style=die.look.style,
        values=die.look.values,
        flat=_flat(camera, die.centre, die.edge),
    )


def turn_in_face(u: Array, lean: Array) -> float:
    """Angle of an edge direction `u` (3,) of the upper face, in the frame that the shortest turn brings from the line
    of sight to the face's normal (lean_x, lean_y, -sqrt(1 - lean^2)); camera axes."""
    n = facing(lean)
    e1, e2 = face_axes(n)
    return float(np.arctan2(u @ e2, u @ e1))


def facing(lean: Array) -> Array:
    """(3,) unit normal, towards the camera, of a face whose lean the picture shows."""
    length = float(np.hypot(*lean))
    lean = lean / length * 0.98 if length > 0.98 else lean
    return np.array([lean[0], lean[1], -np.sqrt(1 - lean @ lean)])


def face_axes(n: Array) -> tuple[Array, Array]:
    """Picture x and y carried along by the shortest turn that brings (0, 0, -1) to `n`."""
    x, y, z = n
    k = 1 / (1 - z)
    return np.array([1 - x * x * k, -x * y * k, x]), np.array([-x * y * k, 1 - y * y * k, y])


def _develop(rng: Rng, picture: NDArray[np.float32], edge_px: float) -> NDArray[np.uint8]:
    """What a lens, a sensor and a file make of it."""
    h, w = picture.shape[:2]
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    a = rng.uniform(0, 2 * np.pi)
    slope = ((xs / w - 0.5) * np.cos(a) + (ys / h - 0.5) * np.sin(a)) * rng.uniform(0, 1.0)
    picture = picture * (1 + slope[..., None])
    if rng.random() < 0.3:
        # Somebody's shadow over part of the table, or a lamp's glare.
        mask = np.zeros((h, w), np.float32)
        points = rng.uniform(-0.3, 1.3, (5, 2)) * (w, h)
        cv2.fillConvexPoly(mask, cv2.convexHull(points.astype(np.float32)).astype(np.int32), 1.0)
        mask = cv2.GaussianBlur(mask, (0, 0), float(np.exp(rng.uniform(0, np.log(w / 6)))))[..., None]
        picture = (
            picture * (1 - mask * rng.uniform(0.2, 0.65))
            if rng.random() < 0.8
            else picture + mask * rng.uniform(0, 0.3)
        )
    if rng.random() < 0.1:
        spot = np.exp(-((xs - rng.uniform(0, w)) ** 2 + (ys - rng.uniform(0, h)) ** 2) / (2 * rng.uniform(8, 60) ** 2))
        picture = picture + spot[..., None] * rng.uniform(0.2, 0.8)
    warm = rng.normal(0, 0.13)
    tint = np.array([1 + warm, 1 + rng.normal(0, 0.03), 1 - warm])
    gain = float(np.exp(rng.normal(-0.05, 0.28)))
    picture = (picture * tint * gain).clip(0, 1.15)
    sigma = edge_px * abs(rng.normal(0, 0.035))
    if sigma > 0.25:
        picture = cv2.GaussianBlur(picture, (0, 0), sigma)
    if rng.random() < 0.08:
        n = int(max(3, edge_px * rng.uniform(0.08, 0.2)))
        kernel = np.zeros((n, n), np.float32)
        cv2.line(kernel, (0, int(rng.integers(n))), (n - 1, int(rng.integers(n))), 1.0)
        picture = cv2.filter2D(picture, -1, kernel / kernel.sum())
    picture = picture.clip(0, 1) ** float(np.exp(rng.normal(0, 0.15)))
    noise = abs(rng.normal(0, 0.018))
    grain = rng.standard_normal((h, w, 3), dtype=np.float32)
    if rng.random() < 0.5:
        grain = cv2.GaussianBlur(grain, (0, 0), 0.7) * 2
    picture = picture + grain * noise
    if rng.random() < 0.25:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = picture + (picture - soft) * rng.uniform(0.3, 1.2)
    out = (picture.clip(0, 1) * 255).astype(np.uint8)[..., ::-1]
    if rng.random() < 0.7:
        _, coded = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 96))])
        out = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    return np.ascontiguousarray(out)
