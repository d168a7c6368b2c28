"""Frames of a game: a list of shots, each with what lies there, what is in the air, and where hands are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import av
import numpy as np

from tests.tablegen.camera import TableCamera
from tests.tablegen.hand import Reach, Skin, draw_hand
from tests.tablegen.render import draw_shadow, draw_sheet
from tests.tablegen.sensor import Sensor, compress, develop, expose, shift
from tests.tablegen.sheet import Sheet
from tests.tablegen.studio import Studio, sensor_of
from vision.frame import ArrayFrame

FPS = 10
BLURS = 3
"""A thing in motion is drawn at so many moments while the shutter is open."""


@dataclass(frozen=True, eq=False)
class Shot:
    """One frame to be."""

    stack: tuple[Sheet, ...]
    """Settled; the same object in every shot of a still."""
    air: tuple[tuple[Sheet, ...], ...] = ()
    """Moving sheets: for each the same sheet at moments of the exposure."""
    hand: Reach | None = None
    skin: int = 0
    camera: int = 0
    light: float = 1.0
    """Brightness of the lamps."""
    jitter: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Film:
    studio: Studio
    cameras: tuple[TableCamera, ...]
    skins: tuple[Skin, ...]
    shots: tuple[Shot, ...]
    seed: int

    def raw(self) -> Iterator[np.ndarray]:
        """(720, 1280, 3) uint8 BGR a shot, before compression. Deterministic."""
        rng = np.random.default_rng([self.seed, 6])
        sensor = self.sensor
        tables = [self.studio.table(c) for c in self.cameras]
        stack: tuple[Sheet, ...] | None = None
        where = -1
        for shot in self.shots:
            if shot.stack is not stack or shot.camera != where:
                stack, where = shot.stack, shot.camera
                base = tables[where][0].copy()
                self.studio.lay(base, tables[where][1], self.cameras[where], stack)
                still = expose(base, sensor)
            light = still
            if shot.air or shot.hand:
                light = expose(self._busy(shot, base, tables[where][1]), sensor)
            light = shift(light, np.array(shot.jitter)) * np.float32(shot.light)
            yield develop(light, sensor, rng)

    def frames(self) -> Iterator[ArrayFrame]:
        """What the camera delivers, compression included."""
        for i, f in enumerate(compress(self.raw(), self.sensor)):
            yield ArrayFrame(i / FPS, f)

    def write(self, path: Path, crf: int = 20) -> None:
        """The clip as H.264."""
        with av.open(str(path), "w") as out:
            stream = out.add_stream("libx264", rate=Fraction(FPS))
            stream.width, stream.height = self.cameras[0].size
            stream.pix_fmt = "yuv420p"
            stream.options = {"crf": str(crf), "preset": "veryfast", "threads": "1"}
            for f in self.raw():
                out.mux(stream.encode(av.VideoFrame.from_ndarray(f, format="bgr24")))
            out.mux(stream.encode())

    @cached_property
    def sensor(self) -> Sensor:
        """Exposed for the fullest table of the film."""
        fullest = max((s.stack for s in self.shots), key=len)
        picture, lit = self.studio.table(self.cameras[0])
        self.studio.lay(picture, lit, self.cameras[0], fullest)
        return sensor_of(self.studio.spec, self.studio.light, picture)

    def _busy(self, shot: Shot, base: np.ndarray, lit: np.ndarray) -> np.ndarray:
        camera, light, studio = self.cameras[shot.camera], self.studio.light, self.studio
        canvas = base.copy()
        for moments in shot.air:
            total = np.zeros_like(canvas)
            for sheet in moments:
                moved = canvas.copy()
                draw_shadow(moved, camera, light, sheet, ())
                draw_sheet(moved, lit, camera, light, studio.press.dress(sheet, studio.deck))
                total += moved
            canvas = total / np.float32(len(moments))
        if shot.hand:
            draw_hand(canvas, lit, camera, light, shot.hand, self.skins[shot.skin])
        return canvas
