"""A small set to film on: sheets put where a test wants them, under one camera, with the truth of where they are.

Frames are of 640 x 360 pixels from half the usual height: the same scale as 1280 x 720 from 66 cm, at a quarter of the
cost. `Stage(..., size=FULL)` takes whole frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.tablegen.camera import TableCamera, place_camera
from tests.tablegen.film import Film, Shot
from tests.tablegen.hand import Skin
from tests.tablegen.layout import new_sheet
from tests.tablegen.moves import rest
from tests.tablegen.sheet import Sheet, settle
from tests.tablegen.spec import TableSpec, draw_spec
from tests.tablegen.studio import Studio
from tests.tablegen.truth import objects_of, state_of
from vision.deck import Deck
from vision.frame import ArrayFrame
from vision.observer import Observation, Observer
from vision.scene import Scene

SMALL, FULL = (640, 360), (1280, 720)
PLAIN: dict[str, Any] = {
    "table": "felt", "light": "daylight", "codec": "none", "jitter_px": 0.0, "drift": 0.0, "blur_px": 0.7,
    "fringe": 0.0, "vignette": 0.2, "contrast": 0.2, "exposure": 0.22, "white": (1.0, 1.0, 1.0), "print_blur_mm": 0.15,
    "print_tone": 1.0, "noise": 1.0, "hfov_deg": 62.0, "height_mm": 660.0, "tilt_deg": 6.0, "azimuth_deg": 30.0,
    "roll_deg": 0.0, "k1": 0.0, "k2": 0.0, "centre_px": (0.0, 0.0),
}  # fmt: skip
"""An easy table; a test says what it makes harder."""


@dataclass(frozen=True, eq=False)
class Stage:
    deck: Deck
    spec: TableSpec
    camera: TableCamera
    size: tuple[int, int]
    seed: int

    @classmethod
    def of(cls, deck: Deck, seed: int = 1, size: tuple[int, int] = SMALL, **spec: Any) -> Stage:
        """spec: fields of `TableSpec` that differ from `PLAIN`; lengths as for a whole frame."""
        given = replace(draw_spec(seed), **{**PLAIN, **spec})
        return cls(deck, given, camera_for(given, size), size, seed)

    def knocked(self, **spec: Any) -> TableCamera:
        """The camera after it was moved."""
        return camera_for(replace(self.spec, **spec), self.size)

    def sheet(
        self, face: str, x: float, y: float, angle: float = 0.0, *, name: str = "", curl: float = 0.0, up: bool = True
    ) -> Sheet:
        """A card of the deck: `face` is a face's id, (x, y) mm from the picture's middle, y away from the viewer."""
        found = next(f for f in self.deck.faces if f.id == face)
        return replace(new_sheet(self.deck, found, name or face, x, y, angle, curl), face_up=up)

    def film(
        self, shots: Iterable[Shot], cameras: Sequence[TableCamera] = (), skins: Sequence[Skin] = ()
    ) -> list[ArrayFrame]:
        """The frames of the shots, 10 a second."""
        studio = Studio.of(self.spec, self.seed, self.deck, self.camera)
        skins = skins or (Skin.random(np.random.default_rng(self.seed)),)
        return list(Film(studio, (self.camera, *cameras), tuple(skins), tuple(shots), self.seed).frames())

    def still(self, sheets: Sequence[Sheet], seconds: float = 0.9) -> list[ArrayFrame]:
        """Frames in which these sheets lie there, the lowest first, and nothing moves."""
        return self.film(rest(tuple(settle(list(sheets))), seconds))

    def truth(self, sheets: Sequence[Sheet], camera: TableCamera | None = None) -> dict[str, Any]:
        """`objects` and `gaps` of the table with these sheets, by id."""
        stack = settle(list(sheets))
        state = state_of(camera or self.camera, stack, 0.0, 1.0)
        return {
            "objects": {o["id"]: o for o in objects_of(camera or self.camera, stack)},
            "gaps": {frozenset((g["a"], g["b"])): g["gap_mm"] for g in state["gaps"]},
        }


def camera_for(spec: TableSpec, size: tuple[int, int], look_at: tuple[float, float] = (0.0, 0.0)) -> TableCamera:
    scale = size[0] / FULL[0]
    return place_camera(
        size=size, hfov_deg=spec.hfov_deg, height_mm=spec.height_mm * scale, tilt_deg=spec.tilt_deg,
        azimuth_deg=spec.azimuth_deg, roll_deg=spec.roll_deg, k1=spec.k1, k2=spec.k2, centre_px=spec.centre_px,
        look_at=look_at,
    )  # fmt: skip


def watch(observer: Observer, frames: Iterable[ArrayFrame], t0: float = 0.0, *, finish: bool = False) -> list[Scene]:
    """The scenes that an observer makes of frames. `t0`: added to the frames' times."""
    return [o.scene for o in observe(observer, frames, t0, finish=finish)]


def observe(
    observer: Observer, frames: Iterable[ArrayFrame], t0: float = 0.0, *, finish: bool = False
) -> list[Observation]:
    seen = [observer.look(ArrayFrame(f.t + t0, f.bgr()) if t0 else f) for f in frames]
    return [o for o in [*seen, observer.finish() if finish else None] if o is not None]


def see(deck: Deck, frames: Iterable[ArrayFrame]) -> Scene:
    """The last scene that a fresh observer makes of frames."""
    return watch(Observer(deck), frames, finish=True)[-1]
