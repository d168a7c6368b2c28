"""Pictures that nobody should take, for `tests.figures.dice --odd`: forty dice at once, and dice on a screen."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from models.train.dice.scene import Scene, render
from vision.frame import Image

Placed = tuple[Image, list[tuple[float, float]]]


def forty(seed: int) -> Scene:
    """Forty dice of a size on one table, 1280x720, touching and leaning as they come."""
    return render(seed, edge_px=36.0, size=(1280, 720), count=40)


def on_a_screen(bgr: Image, seed: int) -> tuple[Image, np.ndarray]:
    """A photograph of a monitor that shows `bgr`: its red, green and blue stripes, sampled anew by a camera that stands
    askew (moire), its glow and a lamp in it. Returns it and the homography from the shown picture's pixels."""
    rng = np.random.default_rng(seed)
    h, w = bgr.shape[:2]
    cell = 6
    wide = cv2.resize(bgr, (w * cell, h * cell), interpolation=cv2.INTER_NEAREST).astype(np.float32)
    mask = np.full((cell, cell, 3), 0.08, np.float32)
    for channel, x in ((2, 0), (1, 2), (0, 4)):
        mask[: cell - 1, x : x + 2, channel] = 2.6
    wide *= np.tile(mask, (h, w, 1))
    out_w, out_h = 1280, 960
    across = rng.uniform(0.72, 0.95) * out_w
    high = across * h / w
    x0, y0 = (out_w - across) / 2, (out_h - high) / 2
    flat = np.array([[x0, y0], [x0 + across, y0], [x0 + across, y0 + high], [x0, y0 + high]])
    seen = (flat + rng.normal(0, 0.02 * out_w, (4, 2))).astype(np.float32)
    shown = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    m = cv2.getPerspectiveTransform(shown, seen)
    shrink = np.array([[1 / cell, 0, 0.5 / cell - 0.5], [0, 1 / cell, 0.5 / cell - 0.5], [0, 0, 1]])
    # The lens blurs a little, so that some of the moire is left.
    wide = cv2.GaussianBlur(wide, (0, 0), rng.uniform(1.5, 3.0))
    out = cv2.warpPerspective(wide, m @ shrink, (out_w, out_h), flags=cv2.INTER_LINEAR)
    inside = cv2.warpPerspective(np.ones((h, w), np.float32), m, (out_w, out_h))[..., None]
    frame = np.float32(rng.uniform(8, 40))
    out = out * inside + frame * (1 - inside)
    ys, xs = np.mgrid[0:out_h, 0:out_w].astype(np.float32)
    lamp = np.exp(-((xs - rng.uniform(0, out_w)) ** 2 + (ys - rng.uniform(0, out_h)) ** 2) / (2 * 90.0**2))
    out = out + 60 * lamp[..., None] * rng.uniform(0, 1) + rng.normal(0, 3, out.shape)
    _, coded = cv2.imencode(".jpg", out.clip(0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85])
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8), m


def screens(first: int, last: int) -> Iterator[tuple[int, Image, Scene, np.ndarray]]:
    """Screens that show a rendered table."""
    for seed in range(first, last):
        scene = render(seed, edge_px=30.0, size=(480, 360))
        picture, m = on_a_screen(scene.bgr, seed)
        yield seed, picture, scene, m
