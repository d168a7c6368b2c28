"""What a still would show without solid pieces on it: the faces that lie there under the light of the still.

Everything is done on a reduced picture of about a pixel to the millimetre: a meeple is then 16 pixels long, and a whole
still takes a sixteenth of the work. A reduced position is `(px + 0.5) / scale - 0.5`.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera, box, place
from vision.facebank import Float, log_colour

PX_PER_MM = 1.0
"""Resolution worked at."""
SLACK_PX = 3
"""Side of the window within which an expected picture may be displaced: a pose is off by half a millimetre at worst."""
OFFSET = 12.0
"""Added to coded values before their log is taken: `facebank.log_colour`."""
LIGHT_ROUNDS, SAMPLES = 8, 3000
MOST_HAZE, HAZE_ROUNDS = 0.2, 12
"""Linear light that a mirrored lamp adds; more would burn the face out."""
BURNT = 242.0
"""Coded value from which a channel says no more how bright it is."""
PIVOT = 100.0
"""Coded value about which the contrast is raised: it stays where it is."""
GAMMAS, GAMMA_HELD = (0.8, 1.9), 0.001
"""Contrast of a camera's tone curve and of print against the scans; how much weight a pixel gives to 1."""
NEUTRAL = 0.5
"""Share of a picture's colour that is not grey (1 - least / greatest channel) at which it says half as much."""
LIFT, CAST = 6.0, 0.35
"""Coded values by which prints are lighter than scans in the dark, and how far lamps are from white (log), 1 sigma."""
FIRST_OUTLIER, OUTLIER = 0.9, 0.25
"""Log units from the light of the rest at which a pixel no longer speaks for the light: a third of the median meeple's
distance from grass."""


@dataclass(frozen=True, eq=False)
class FlatPiece:
    """A piece that was found lying flat, and what is printed on it."""

    pose: Array
    """(3,) x mm, y mm, angle rad on the table, of its middle."""
    size_mm: tuple[float, float]
    log_bgr: Float | None
    """(h, w, 3) log colour of its upright face (`Template.log_bgr`); None when the face is not known."""

    def corners_mm(self) -> Array:
        """(4, 2) clockwise from the face's top left."""
        return place(self.pose, box(*self.size_mm))


@dataclass(frozen=True, eq=False)
class Light:
    """How much brighter a still is than the deck's pictures, log of coded values, and how that changes over the frame.

    `coef` (3, 3): for blue, green and red the value at the frame's middle and its slope over half the frame's width
    in x and in y. `sigma`: what remains of pixel differences, log units. `known`: False where no face told it.
    """

    coef: Float
    sigma: float
    known: bool = True
    trust: float = 1.0
    """0 to 1: less where the faces that tell it are burnt out."""
    reach: tuple[float, float, float, float] = (-1.0, 1.0, -1.0, 1.0)
    """Least and most x and y, in half widths from the middle, where faces told it: it is not taken to go on beyond."""
    gamma: float = 1.0
    """Contrast of the still against the pictures: power of coded values about `PIVOT`."""

    @property
    def lift(self) -> float:
        """How much the darkest channel had to be raised, at least 1: its noise is raised with it."""
        return float(np.clip(np.exp(-self.coef[:, 0].min()), 1.0, 4.0))

    def over(self, shape: tuple[int, int]) -> Float:
        """(h, w, 3) at every pixel of a reduced picture."""
        h, w = shape
        x = np.clip((np.arange(w, dtype=np.float32) - (w - 1) / 2) / (w / 2), *self.reach[:2])
        y = np.clip((np.arange(h, dtype=np.float32) - (h - 1) / 2) / (w / 2), *self.reach[2:])
        c = self.coef
        return np.asarray(c[:, 0] + x[None, :, None] * c[:, 1] + y[:, None, None] * c[:, 2], np.float32)


@dataclass(frozen=True, eq=False)
class Backdrop:
    """A still's reduced log colour with what is expected there."""

    scale: float
    log: Float
    """(h, w, 3) the still."""
    low: Float
    """(h, w, 3) least and most that the faces can show there, as in the deck's pictures."""
    high: Float
    owner: NDArray[np.int16]
    """(h, w) index of the flat piece seen there, -1 the bare table."""
    known: NDArray[np.bool_]
    """(h, w) whether what should be seen there is known."""

    def lit(self, light: Light) -> Float:
        """(h, w, 3) log colour of the still in the light of the deck's pictures."""
        bare = np.log(np.maximum(np.exp(self.log) - np.float32(OFFSET), 0.5) / np.float32(PIVOT))
        shown = np.exp((bare - light.over(self.log.shape[:2])) / np.float32(light.gamma)) * np.float32(PIVOT)
        return np.asarray(np.log(shown + np.float32(OFFSET)))

    def to_small(self, px: Array) -> Array:
        return (px + 0.5) / self.scale - 0.5

    def to_full(self, small: Array) -> Array:
        return (small + 0.5) * self.scale - 0.5


def scale_of(camera: Camera) -> float:
    """Picture pixels to one of the reduced picture."""
    return max(1.0, 1 / (camera.mm_per_px * PX_PER_MM))


def lay_backdrop(still_bgr: NDArray[np.uint8], camera: Camera, tiles: list[FlatPiece]) -> Backdrop:
    """Reduce a still (h, w, 3) BGR and draw what the flat pieces, the lowest first, should look like in it."""
    scale = scale_of(camera)
    h, w = still_bgr.shape[:2]
    size = (max(8, round(w / scale)), max(8, round(h / scale)))
    small = cv2.resize(still_bgr, size, interpolation=cv2.INTER_AREA)
    expected = np.zeros((size[1], size[0], 3), np.float32)
    owner = np.full((size[1], size[0]), -1, np.int16)
    known = np.zeros((size[1], size[0]), np.uint8)
    for k, tile in enumerate(tiles):
        corners = (camera.project(tile.corners_mm()) + 0.5) / scale - 0.5
        if np.isfinite(corners).all():
            _draw(expected, owner, known, corners, k, tile.log_bgr)
    near = np.ones((SLACK_PX, SLACK_PX), np.uint8)
    return Backdrop(
        scale,
        log_colour(small),
        # What is not known must not widen what is expected beside it.
        np.asarray(cv2.erode(np.where(known[..., None] > 0, expected, np.float32(99)), near), np.float32),
        np.asarray(cv2.dilate(np.where(known[..., None] > 0, expected, np.float32(-99)), near), np.float32),
        owner,
        known > 0,
    )


def _draw(
    expected: Float, owner: NDArray[np.int16], known: NDArray[np.uint8], corners: Array, k: int, face: Float | None
) -> None:
    """Draw one piece into the maps, in place. corners: (4, 2) reduced px."""
    h, w = owner.shape
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int) - 1, 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 2, [w, h])
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    local = (corners - [x0, y0]).astype(np.float32)
    inside = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(inside, np.round(local * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    here = inside > 0
    owner[y0:y1, x0:x1][here] = k
    known[y0:y1, x0:x1][here] = face is not None
    if face is None:
        return
    rows, columns = face.shape[:2]
    source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) - np.float32(0.5)
    m = cv2.getPerspectiveTransform(source, local)
    # The face is sharper than the reduced picture when the camera is far up.
    shrink = float(np.linalg.norm(local[1] - local[0])) / columns
    blurred = cv2.GaussianBlur(face, (0, 0), 0.5 / shrink) if shrink < 0.8 else face
    drawn = cv2.warpPerspective(blurred, m, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    expected[y0:y1, x0:x1][here] = drawn[here]


def light_of(back: Backdrop) -> Light | None:
    """The light of a still from all known faces lying there; None when there are none.

    Robust least squares (Tukey's weights from the median on) of one plane a channel; with few pixels a constant.
    """
    inner = cv2.erode(back.known.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    step = max(1, int(np.sqrt(inner.sum() / SAMPLES)))
    pick = np.zeros_like(inner)
    pick[::step, ::step] = inner[::step, ::step]
    y, x = np.nonzero(pick)
    if len(x) < 150:
        return None
    h, w = inner.shape
    middle = (back.low[y, x] + back.high[y, x]) / 2
    seen, shown = (np.maximum(np.exp(v) - OFFSET, 3.0) for v in (back.log[y, x], middle))
    raw, seen = seen, _without_haze(seen, shown, back.owner[y, x])
    d, ink = np.log(seen / PIVOT), np.log(shown / PIVOT)
    bright = np.minimum(seen, shown)
    # A grey level more or less changes the log of dark ones much, and prints err in their strong colours most.
    neutral = 1 / (1 + ((1 - shown.min(1) / shown.max(1)) / NEUTRAL) ** 2)
    sure = (bright / (bright + 30.0)) ** 2 * neutral[:, None] * (raw < BURNT)
    a = np.column_stack([np.ones(len(x)), (x - (w - 1) / 2) / (w / 2), (y - (h - 1) / 2) / (w / 2)])
    fit, gamma = np.zeros((3, 3)), 1.0
    for c in range(3):
        valid = raw[:, c] < BURNT
        fit[c, 0] = np.median((d - ink)[valid, c] if valid.sum() > 50 else (d - ink)[:, c])
    slopes = np.diag([0.0, 1.0, 1.0]) * len(x) * 0.02  # a slope is believed only from tiles that lie apart
    for n in range(LIGHT_ROUNDS):
        reach = max(OUTLIER, FIRST_OUTLIER * 0.6**n)
        r = d - gamma * ink - a @ fit.T
        weight = sure * (np.clip(1 - (np.abs(r).max(1) / reach) ** 2, 0, None) ** 2)[:, None]
        for c in range(3):
            aw = a * weight[:, c : c + 1]
            normal = aw.T @ a + slopes * weight[:, c].mean() + 1e-6 * np.eye(3)
            fit[c] = np.linalg.solve(normal, aw.T @ (d - gamma * ink)[:, c])
        centred = ink - (weight * ink).sum(0) / (weight.sum(0) + 1e-9)
        top = (weight * centred * (d - a @ fit.T)).sum() + len(x) * GAMMA_HELD
        gamma = float(np.clip(top / ((weight * centred * ink).sum() + len(x) * GAMMA_HELD), *GAMMAS))
    r = np.abs(d - gamma * ink - a @ fit.T).max(1)
    fit[:, 0] = _tempered(fit[:, 0], (weight * shown).sum(0) / (weight.sum(0) + 1e-9))
    told = (float(a[:, 1].min()), float(a[:, 1].max()), float(a[:, 2].min()), float(a[:, 2].max()))
    trust = float(np.clip(2 * (raw < BURNT).mean(axis=0).min(), 0.3, 1.0))
    return Light(fit.astype(np.float32), float(np.median(r)) / 0.95, True, trust, told, gamma)


def _tempered(gain: Array, level: Array) -> Array:
    """Log gains (3,) drawn together where a channel was told by dark print only. level: (3,) coded values behind."""
    sigma = LIFT / np.maximum(level, 1.0)
    trust = CAST**2 / (CAST**2 + sigma**2)
    common = float((gain * trust).sum() / trust.sum())
    return np.asarray(common + (gain - common) * trust)


def _without_haze(seen: Array, shown: Array, owner: NDArray[np.int16]) -> Array:
    """Coded values (n, 3) less the mirrored light that lies over each piece: what its darkest parts send too much.

    A glossy face shows `gain * (paint + haze)` in linear light, with a gain a channel and one haze: where a lamp is
    mirrored in green tiles they would else tell of a purple light (of k01's 31 stills, in 12 a meeple was missed).
    """
    out = (seen / 255) ** 2.2
    paint = (shown / 255) ** 2.2
    for k in np.unique(owner):
        own = owner == k
        if own.sum() < 30:
            continue
        obs, ink = out[own], paint[own]
        # Gains of blue, green, red and the haze by turns, from relative errors, robustly.
        weight = 1 / (ink + 0.03) ** 2
        haze = 0.0
        for _ in range(HAZE_ROUNDS):
            lifted = ink + haze
            gain = (weight * lifted * obs).sum(0) / ((weight * lifted**2).sum(0) + 1e-9)
            haze = float((weight * gain * (obs - gain * ink)).sum() / ((weight * gain**2).sum() + 1e-9))
            haze = min(max(haze, 0.0), MOST_HAZE)
            r = (obs / np.maximum(gain, 1e-6) - ink - haze) / (ink + 0.03)
            scale = 3 * float(np.median(np.abs(r))) + 1e-6
            weight = np.clip(1 - (r / scale) ** 2, 0, None) ** 2 / (ink + 0.03) ** 2
        out[own] = np.maximum(obs - gain * haze, 0.2 * obs)
    return np.asarray(255 * out ** (1 / 2.2))
