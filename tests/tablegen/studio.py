"""A table under its lamp, before its camera: paints stacks of sheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np

from tests.tablegen.camera import TableCamera
from tests.tablegen.cloths import make_cloth
from tests.tablegen.light import Light, make_light
from tests.tablegen.render import ById, draw_shadow, draw_sheet, draw_table
from tests.tablegen.sensor import Sensor
from tests.tablegen.sheet import Sheet
from tests.tablegen.spec import TableSpec
from vision.deck import Deck


@dataclass(frozen=True, eq=False)
class Studio:
    spec: TableSpec
    deck: Deck
    light: Light
    cloth: np.ndarray
    gloss: float
    turn_deg: float
    press: Press

    @classmethod
    def of(cls, spec: TableSpec, seed: int, deck: Deck, camera: TableCamera) -> Studio:
        rng = np.random.default_rng([seed, 4])
        light = make_light(spec.light, rng, camera)
        cloth, gloss = _cloth(spec.table, seed)
        turn = float(rng.normal(0, 3) + rng.choice([0, 90]))
        return cls(spec, deck, light, cloth, gloss, turn, Press.random(spec, rng))

    def table(self, camera: TableCamera) -> tuple[np.ndarray, np.ndarray]:
        """The empty table and the light that falls on it, both (h, w, 3) float32, linear."""
        return draw_table(camera, self.light, self.cloth, self.gloss, self.turn_deg)

    def lay(self, canvas: np.ndarray, lit: np.ndarray, camera: TableCamera, stack: Sequence[Sheet]) -> None:
        """Draw settled sheets, the lowest first, over the canvas, in place."""
        for i, sheet in enumerate(stack):
            draw_shadow(canvas, camera, self.light, sheet, stack[:i])
            draw_sheet(canvas, lit, camera, self.light, self.press.dress(sheet, self.deck))


@lru_cache(maxsize=4)
def _cloth(kind: str, seed: int) -> tuple[np.ndarray, float]:
    return make_cloth(kind, np.random.default_rng([seed, 5]))


@dataclass(frozen=True)
class Press:
    """How prints differ from the scans."""

    gamma: float
    low: float
    cast: tuple[float, float, float]
    blur_mm: float
    gloss: float

    @classmethod
    def random(cls, spec: TableSpec, rng: np.random.Generator) -> Press:
        k = spec.print_tone
        return cls(
            float(np.exp(rng.normal(0, 0.15) * k)), float(rng.uniform(0, 14) * k),
            tuple(float(x) for x in np.exp(rng.normal(0, 0.05, 3) * k)), spec.print_blur_mm,
            float(rng.uniform(0.1, 0.6)),
        )  # fmt: skip

    def dress(self, sheet: Sheet, deck: Deck) -> Sheet:
        """The sheet with what is printed on its upper side."""
        if sheet.foreign or sheet.face is None:
            return sheet
        face = sheet.face
        if not sheet.face_up:
            face = next(f for f in deck.faces if f.kind == "back")
        return replace(sheet, picture=_printed(ById(face.picture), self), gloss=self.gloss)


@lru_cache(maxsize=128)
def _printed(key: ById, press: Press) -> np.ndarray:
    img = key.array
    x = np.arange(256) / 255
    ramp = press.low + (255 - press.low) * x**press.gamma
    lut = np.stack([np.clip(ramp * c, 0, 255) for c in press.cast], axis=-1).astype(np.uint8)
    out = cv2.LUT(img, lut[None])
    sigma = press.blur_mm * img.shape[1] / 59.0
    return cv2.GaussianBlur(out, (0, 0), sigma) if sigma > 0.2 else out


def sensor_of(spec: TableSpec, light: Light, picture: np.ndarray) -> Sensor:
    """The camera's settings for this picture: exposure by its mean (but few blown out), noise by the light."""
    some = picture[::4, ::4].max(axis=-1)
    mean, bright = float(np.mean(np.minimum(some, 3 * np.median(some)))), float(np.percentile(some, 97))
    quiet = spec.noise <= 0
    return Sensor(
        blur_px=spec.blur_px, fringe=spec.fringe, vignette=spec.vignette, gain=min(spec.exposure / mean, 1.15 / bright),
        white=spec.white,
        well=1e12 if quiet else light.well / spec.noise**2, read=light.read, contrast=spec.contrast, drift=spec.drift,
        jitter_px=spec.jitter_px, codec=spec.codec, quality=spec.quality,
    )  # fmt: skip
