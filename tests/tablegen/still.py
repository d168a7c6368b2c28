"""One random still of a table, with the exact truth of what lies there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.tablegen.camera import TableCamera
from tests.tablegen.decks import default_deck
from tests.tablegen.hand import Reach, Skin, draw_hand
from tests.tablegen.layout import THROWS, at_side, bent, draw_pile, field_of, lay_out, new_sheet, throw
from tests.tablegen.sensor import expose, shoot
from tests.tablegen.sheet import Sheet, settle
from tests.tablegen.spec import TableSpec, camera_of, draw_spec
from tests.tablegen.studio import Studio, sensor_of
from tests.tablegen.things import make_thing, put_somewhere
from tests.tablegen.truth import foreign_of, state_of
from vision.deck import Deck
from vision.frame import ArrayFrame


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
        """The truth as that of a clip of two seconds in which nothing moves: what a scorer of clips takes."""
        names = ("state", "camera", "foreign", "hand")
        state = {k: v for k, v in self.truth.items() if k not in names} | {"t0": 0.0, "t1": 2.0}
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
        deck = default_deck(seed)
    rng = np.random.default_rng([seed, 2])
    camera = camera_of(spec)
    stack = settle(random_stack(spec, deck, camera, rng))
    studio = Studio.of(spec, seed, deck, camera)
    picture, lit = studio.table(camera)
    studio.lay(picture, lit, camera, stack)
    sensor = sensor_of(spec, studio.light, picture)
    hidden = draw_hand(picture, lit, camera, studio.light, *random_hand(camera, rng)) if spec.hand else []
    light = expose(picture, sensor)
    frames = shoot(light, sensor, spec.frames, np.random.default_rng([seed, 3]))
    truth = {
        **state_of(camera, stack, 0.0, spec.frames / 10.0, hidden),
        "camera": camera.as_truth(spec.jitter_px),
        "foreign": foreign_of(camera, stack),
        "hand": spec.hand,
    }
    return GeneratedStill(seed, spec, deck, camera, tuple(stack), tuple(frames), light, truth)


def random_hand(camera: TableCamera, rng: np.random.Generator) -> tuple[Reach, Skin]:
    """A hand that reaches somewhere into the picture."""
    w, h = camera.size
    at = camera.on_plane(np.array([rng.uniform(0.15, 0.85) * w, rng.uniform(0.15, 0.85) * h]))
    return Reach(float(at[0]), float(at[1]), float(rng.uniform(0, 360)), float(rng.uniform(15, 60))), Skin.random(rng)


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
