"""One random still of a table, with the exact truth of what lies there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from tests.tablegen.camera import TableCamera, place_camera
from tests.tablegen.cloths import TABLES, make_cloth
from tests.tablegen.decks import SHIPPED, load_deck, make_deck
from tests.tablegen.layout import THROWS, at_side, bent, draw_pile, field_of, lay_out, new_sheet, throw
from tests.tablegen.light import LIGHTS, Light, make_light
from tests.tablegen.render import draw_scene
from tests.tablegen.sensor import Sensor, expose, shoot
from tests.tablegen.sheet import Sheet, settle
from tests.tablegen.things import THINGS, make_thing, put_somewhere
from tests.tablegen.truth import foreign_of, state_of
from vision.deck import Deck
from vision.frame import ArrayFrame


@dataclass(frozen=True)
class TableSpec:
    """All that a seed decides and a caller may overrule."""

    table: str
    light: str
    hfov_deg: float
    height_mm: float
    tilt_deg: float
    azimuth_deg: float
    roll_deg: float
    k1: float
    k2: float
    centre_px: tuple[float, float]
    cards: int = 12
    carpets: int = 2
    djinns: int = 0
    face_down: int = 0
    foreign: tuple[str, ...] = ()
    hand: bool = False
    least_gap_mm: float = 10.0
    throws: tuple[str, ...] = ()
    """How each carpet falls; empty: at random."""
    frames: int = 6
    blur_px: float = 0.7
    fringe: float = 0.0
    vignette: float = 0.2
    noise: float = 1.0
    """Times the light's own noise; 0: none."""
    exposure: float = 0.22
    """What the mean of the linear picture is brought to."""
    white: tuple[float, float, float] = (1.0, 1.0, 1.0)
    contrast: float = 0.3
    drift: float = 0.01
    jitter_px: float = 0.3
    codec: str = "h264"
    quality: int = 22
    print_blur_mm: float = 0.15
    print_tone: float = 1.0
    """0: the print is the scan; 1: tone curve and cast as printing makes them."""


def draw_spec(seed: int) -> TableSpec:
    """The random settings of a seed."""
    rng = np.random.default_rng([seed, 1])
    while True:  # a view neither too narrow for twelve cards nor so wide that cards get tiny
        hfov, height = rng.uniform(50, 75), rng.uniform(550, 800)
        if 620 < 2 * height * np.tan(np.radians(hfov) / 2) < 1010:
            break
    codec = str(rng.choice(["h264", "jpeg", "none"], p=[0.6, 0.3, 0.1]))
    light = str(rng.choice(LIGHTS))
    return TableSpec(
        table=str(rng.choice(TABLES)),
        light=light,
        hfov_deg=float(hfov),
        height_mm=float(height),
        tilt_deg=float(rng.uniform(0, 25)),
        azimuth_deg=float(rng.uniform(0, 360)),
        roll_deg=float(rng.normal(0, 2)),
        k1=float(rng.choice([0.0, rng.uniform(-0.35, 0.1)], p=[0.25, 0.75])),
        k2=float(rng.uniform(-0.02, 0.02)),
        centre_px=(float(rng.normal(0, 3)), float(rng.normal(0, 3))),
        cards=int(rng.choice([12, rng.integers(4, 12)], p=[0.8, 0.2])),
        carpets=int(rng.integers(0, 5)),
        djinns=int(rng.choice([0, 2, 3], p=[0.7, 0.2, 0.1])),
        face_down=int(rng.choice([0, 1, 2], p=[0.7, 0.2, 0.1])),
        foreign=tuple(str(x) for x in rng.choice(THINGS, int(rng.choice([0, 1, 2], p=[0.65, 0.25, 0.1])))),
        least_gap_mm=float(rng.choice([10.0, 2.0], p=[0.7, 0.3])),
        blur_px=float(rng.uniform(0.4, 1.2)),
        fringe=float(rng.uniform(-6e-4, 6e-4)),
        vignette=float(rng.uniform(0, 0.4)),
        exposure=float(rng.uniform(0.13, 0.30)),
        white=tuple(float(x) for x in np.exp(rng.normal(0, 0.06, 3))),
        contrast=float(rng.uniform(0, 0.5)),
        drift=float(rng.uniform(0, 0.02)),
        jitter_px=float(rng.choice([0.0, 0.3])),
        codec=codec,
        quality=int(rng.integers(18, 27)) if codec == "h264" else int(rng.integers(70, 95)),
        print_blur_mm=float(rng.uniform(0.05, 0.3)),
    )


@dataclass(frozen=True, eq=False)
class GeneratedStill:
    """A still: frames of 1280 x 720 BGR uint8, and one state of truth with its camera."""

    seed: int
    spec: TableSpec
    deck: Deck
    camera: TableCamera
    stack: tuple[Sheet, ...]
    """From the lowest to the topmost."""
    frames: tuple[np.ndarray, ...]
    light: np.ndarray
    """(h, w, 3) float32: what fell on the sensor, before noise; linear."""
    truth: dict[str, Any]
    """A state of truth.json (`t0`, `t1`, `objects`, `gaps`), with `camera`, `foreign`, `hand`."""

    @property
    def frame(self) -> np.ndarray:
        return self.frames[0]

    def as_frames(self, t0: float = 0.0, fps: float = 10.0) -> list[ArrayFrame]:
        return [ArrayFrame(t0 + i / fps, f) for i, f in enumerate(self.frames)]

    def clip_truth(self) -> dict[str, Any]:
        """The truth as that of a whole clip of this one still."""
        names = ("state", "camera", "foreign", "hand")
        state = {k: v for k, v in self.truth.items() if k not in names}
        empty: dict[str, Any] = {
            k: [] for k in ("layout_violations", "landings", "duels", "claims", "events", "players")
        }
        return {"fps": 10, "size": list(self.camera.size), "camera": self.truth["camera"], "states": [state], **empty}


def make_table(seed: int, deck: Deck | None = None, **overrides: Any) -> GeneratedStill:
    """The still of a seed. `overrides` are fields of `TableSpec`: `make_table(3, light="dim", tilt_deg=25, carpets=4)`.

    Without a deck: the shipped one, where there is one, else one drawn at random.
    """
    spec = replace(draw_spec(seed), **overrides)
    if deck is None:
        deck = load_deck() if (SHIPPED / "deck.toml").exists() else make_deck(seed % 4)
    rng = np.random.default_rng([seed, 2])
    camera = camera_of(spec)
    stack = settle(random_stack(spec, deck, camera, rng))
    scene = draw_spec_scene(spec, seed, deck, camera, stack)
    sensor = sensor_of(spec, scene.light, scene.picture)
    light = expose(scene.picture, sensor)
    frames = shoot(light, sensor, spec.frames, np.random.default_rng([seed, 3]))
    truth = {
        **state_of(camera, stack, 0.0, spec.frames / 10.0),
        "camera": camera.as_truth(spec.jitter_px),
        "foreign": foreign_of(camera, stack),
        "hand": spec.hand,
    }
    return GeneratedStill(seed, spec, deck, camera, tuple(stack), tuple(frames), light, truth)


def camera_of(spec: TableSpec) -> TableCamera:
    return place_camera(
        hfov_deg=spec.hfov_deg, height_mm=spec.height_mm, tilt_deg=spec.tilt_deg, azimuth_deg=spec.azimuth_deg,
        roll_deg=spec.roll_deg, k1=spec.k1, k2=spec.k2, centre_px=spec.centre_px,
    )  # fmt: skip


def random_stack(spec: TableSpec, deck: Deck, camera: TableCamera, rng: np.random.Generator) -> list[Sheet]:
    """Everything that lies there, from the lowest to the topmost, not yet settled."""
    faces = draw_pile(deck, rng)
    field = field_of(camera, 12.0)
    inner = field.buffer(-45) if spec.djinns else field
    stack = lay_out(deck, faces[: spec.cards], inner, rng, least_mm=spec.least_gap_mm)
    for i in rng.permutation(len(stack))[: spec.face_down]:
        stack[i] = replace(stack[i], face_up=False)
    rugs = draw_pile(deck, rng, ("carpet",))
    for k, face in enumerate(rugs[: spec.carpets]):
        how = spec.throws[k % len(spec.throws)] if spec.throws else str(rng.choice(THROWS))
        stack, _ = throw(stack, new_sheet(deck, face, face.id, 0, 0, 0), how, field, rng)
    spirits = draw_pile(deck, rng, ("djinn",))
    for face, side in zip(spirits[: spec.djinns], rng.permutation(["N", "E", "S", "W"]), strict=False):
        x, y = at_side(camera, str(side), rng)
        sheet = bent(new_sheet(deck, face, face.id, x, y, float(rng.uniform(0, 360))), rng)
        if all(sheet.polygon().distance(s.polygon()) > 4 for s in stack):
            stack.append(sheet)
    for k, what in enumerate(spec.foreign):
        thing = put_somewhere(make_thing(what, f"foreign{k + 1}", rng), stack, field, rng, 0.25 * (rng.random() < 0.3))
        if thing is not None:
            stack.append(thing)
    return stack


@dataclass(frozen=True, eq=False)
class Lit:
    picture: np.ndarray
    light: Light


def draw_spec_scene(spec: TableSpec, seed: int, deck: Deck, camera: TableCamera, stack: list[Sheet]) -> Lit:
    """The linear picture of the stack on the seed's table under the seed's light."""
    rng = np.random.default_rng([seed, 4])
    light = make_light(spec.light, rng, camera)
    cloth, gloss = _cloth(spec.table, seed)
    turn = float(rng.normal(0, 3) + rng.choice([0, 90]))
    press = Press.random(spec, rng)
    printed = [press.dress(s, deck) for s in stack]
    return Lit(draw_scene(camera, light, cloth, gloss, turn, printed), light)


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
        return replace(sheet, picture=_printed(_ById(face.picture), self), gloss=self.gloss)


class _ById:
    """An array as a key of a cache: by identity."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __hash__(self) -> int:
        return id(self.array)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.array is self.array


@lru_cache(maxsize=128)
def _printed(key: _ById, press: Press) -> np.ndarray:
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
