"""The light of a still: how much brighter it is than the deck's pictures, told by the faces that lie there.

A gain a channel with its slope over the table, the contrast of the tone curve, and the haze of a mirrored lamp over
each face.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array
from vision.facebank import Float
from vision.token_backdrop import BURNT, LIFT, OFFSET, SLACK_PX, Backdrop

LIGHT_ROUNDS, SAMPLES = 8, 3000
MOST_HAZE, HAZE_ROUNDS, LEAST_SAMPLES = 0.2, 12, 30
"""Linear light that a mirrored lamp adds; more would burn the face out. It is told by so many samples of a face."""
PIVOT = 100.0
"""Coded value about which the contrast is raised: it stays where it is."""
GAMMAS, GAMMA_HELD = (0.8, 1.9), 0.001
"""Contrast of a camera's tone curve and of print against the scans; how much weight a pixel gives to 1."""
NEUTRAL = 0.5
"""Share of a picture's colour that is not grey (1 - least / greatest channel) at which it says half as much."""
CAST = 0.35
"""How far lamps are from white (log), 1 sigma."""
FIRST_OUTLIER, OUTLIER = 0.9, 0.25
"""Log units from the light of the rest at which a pixel no longer speaks for the light: a third of the median meeple's
distance from grass."""


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

    def over(self, back: Backdrop) -> Float:
        """(h, w, 3) at every pixel of a backdrop."""
        (h, w), (x0, y0), (rows, columns) = back.log.shape[:2], back.at, back.whole
        x = np.clip((np.arange(x0, x0 + w, dtype=np.float32) - (columns - 1) / 2) / (columns / 2), *self.reach[:2])
        y = np.clip((np.arange(y0, y0 + h, dtype=np.float32) - (rows - 1) / 2) / (columns / 2), *self.reach[2:])
        c = self.coef
        return np.asarray(c[:, 0] + x[None, :, None] * c[:, 1] + y[:, None, None] * c[:, 2], np.float32)


def lit(back: Backdrop, light: Light) -> Float:
    """(h, w, 3) log colour of a still in the light of the deck's pictures."""
    bare = np.log(np.maximum(np.exp(back.log) - np.float32(OFFSET), 0.5) / np.float32(PIVOT))
    shown = np.exp((bare - light.over(back)) / np.float32(light.gamma)) * np.float32(PIVOT)
    return np.asarray(np.log(shown + np.float32(OFFSET)))


def grey_world(back: Backdrop) -> Light:
    """Where no face tells the light: the bare table taken for grey of middling brightness."""
    middle = np.median(back.log[::4, ::4].reshape(-1, 3), axis=0)
    coef = np.zeros((3, 3), np.float32)
    coef[:, 0] = np.log(np.maximum(np.exp(middle) - 12, 4.0) / 130.0)
    return Light(coef, 0.15, known=False, trust=0.75)


def light_of(back: Backdrop) -> Light | None:
    """The light of a still, all of it, from the known faces lying there; None when there are none.

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
    raw = np.maximum(np.exp(back.log[y, x]) - OFFSET, 3.0)
    shown = np.maximum(np.exp(_middle(back.expected, y, x)) - OFFSET, 3.0)
    seen = _without_haze(raw, shown, back.owner[y, x])
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


def _middle(expected: Float, y: NDArray[np.intp], x: NDArray[np.intp]) -> Float:
    """(n, 3) between the least and the most that is expected about each of some pixels, all of them well inside."""
    reach = SLACK_PX // 2
    around = [expected[y + v, x + u] for v in range(-reach, reach + 1) for u in range(-reach, reach + 1)]
    low, high = around[0], around[0]
    for a in around[1:]:
        low, high = np.minimum(low, a), np.maximum(high, a)
    return np.asarray((low + high) / 2)


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
    groups, which, count = np.unique(owner, return_inverse=True, return_counts=True)
    order = np.argsort(which, kind="stable")
    # All pieces at once, a row each, the shorter rows filled up with samples that weigh nothing.
    column = np.arange(len(order)) - np.repeat(np.cumsum(count) - count, count)
    enough = count[which[order]] >= LEAST_SAMPLES
    at = which[order][enough], column[enough]
    rows = (len(groups), int(count.max()))
    obs, ink, real = np.zeros((*rows, 3)), np.zeros((*rows, 3)), np.zeros((*rows, 1))
    obs[at], ink[at], real[at] = out[order[enough]], ((shown / 255) ** 2.2)[order[enough]], 1.0
    # Gains of blue, green, red and the haze by turns, from relative errors, robustly.
    usual = real / (ink + 0.03) ** 2
    weight, haze = usual, np.zeros((len(groups), 1, 1))
    gain = np.ones((len(groups), 1, 3))
    middle = np.stack([(3 * count - 1) // 2, (3 * count) // 2], axis=1)
    for _ in range(HAZE_ROUNDS):
        lifted = ink + haze
        gain = (weight * lifted * obs).sum(1, keepdims=True) / ((weight * lifted**2).sum(1, keepdims=True) + 1e-9)
        more = (weight * gain * (obs - gain * ink)).sum((1, 2), keepdims=True)
        haze = np.clip(more / ((weight * gain**2).sum((1, 2), keepdims=True) + 1e-9), 0.0, MOST_HAZE)
        r = np.abs((obs / np.maximum(gain, 1e-6) - ink - haze) / (ink + 0.03))
        ranked = np.sort(np.where(real > 0, r, np.inf).reshape(len(groups), -1), axis=1)
        scale = 3 * np.take_along_axis(ranked, middle, axis=1).mean(1) + 1e-6
        weight = usual * np.clip(1 - (r / scale[:, None, None]) ** 2, 0, None) ** 2
    out[order[enough]] = np.maximum(obs - gain * haze, 0.2 * obs)[at]
    return np.asarray(255 * out ** (1 / 2.2))
