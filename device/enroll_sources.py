"""Where cards to learn are looked at: footage, photographs, scans, the camera; as rows of stills of one camera each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from device.cameras import Clock, open_camera
from device.cameras.footage import CLIP, PICTURES
from device.errors import UserError
from device.footage import open_footage
from device.photograph import load_photograph
from device.playing import Watch, stopped_by
from vision.frame import Image
from vision.still import StillFinder, StillPicture

MOST_STILLS = 80
"""Of one recording: two hundred megabytes at 1280x720. Of more, every other one is let go."""
LONGEST_PX = 2560
"""A photograph's longer side: more shows nothing of a card that the new deck would keep."""
SCAN_TOLERANCE = 0.02
"""How far the proportion of a scan may be from the card's: a millimetre. A photograph of 3:2 is 3 % from a card of 59 x
91 mm."""
WHOLE_TOLERANCE = 0.12


@dataclass(eq=False)
class Stills:
    """What one camera saw from one place."""

    name: str
    pictures: list[Image] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    step: int = 1
    _seen: int = 0

    def take(self, still: StillPicture | None) -> bool:
        """Keeps a still that is a new one, as long as there is room: then only every second, fourth and so on."""
        if still is None or still.again:
            return False
        self._seen += 1
        if (self._seen - 1) % self.step:
            return False
        self.pictures.append(still.bgr)
        self.times.append(still.t)
        if len(self.pictures) > MOST_STILLS:
            del self.pictures[1::2], self.times[1::2]
            self.step *= 2
        return True


@dataclass(frozen=True, eq=False)
class Scan:
    """A picture of nothing but one face."""

    path: Path
    size: int
    """Index of its size."""
    picture: Image


def read_sources(paths: Sequence[Path], sizes: Sequence[tuple[float, float]], *, scans: bool) -> list[Stills | Scan]:
    """Footage, folders and pictures in their order. scans: every picture is a whole face, whatever it looks like."""
    out: list[Stills | Scan] = []
    for path in paths:
        if not path.exists():
            raise UserError(f"{path}: no such picture, video or folder; give scans or photographs of cards, or a video")
        if path.is_dir() and not (path / CLIP).is_file():
            pictures = sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURES)
            if not pictures:
                raise UserError(f"{path}: there is neither {CLIP} nor a picture (jpg, png) in this folder")
            out += [_picture(p, sizes, scans) for p in pictures]
        elif path.suffix.lower() in PICTURES:
            out.append(_picture(path, sizes, scans))
        else:
            out.append(_footage(path / CLIP if path.is_dir() else path))
    return out


def watch_camera(camera: str, stop: threading.Event, taken: Callable[[int], None]) -> Stills:
    """Stills of the live table until `stop`; `taken` is told how many there are by now."""
    live = open_camera(camera, Clock())
    if live is None:
        raise UserError("--camera none sees no cards; name a camera")
    stills, finder = Stills(f"camera {camera}"), StillFinder()
    with stopped_by(live, stop):
        for frame in live.frames(Watch(camera)):
            if stills.take(finder.feed(frame)):
                taken(len(stills.pictures))
    stills.take(finder.finish())
    return stills


def _footage(clip: Path) -> Stills:
    stills, finder = Stills(clip.parent.name if clip.name == CLIP else clip.name), StillFinder()
    with open_footage(clip) as footage:
        for frame in footage:
            stills.take(finder.feed(frame))
        stills.take(finder.finish())
        if cut := footage.cut_off():
            raise UserError(cut)
    if not stills.pictures:
        raise UserError(f"{clip}: nothing lies still in it; hold the hands away for a second after each card")
    return stills


def _picture(path: Path, sizes: Sequence[tuple[float, float]], scans: bool) -> Stills | Scan:
    picture = load_photograph(path)
    shape = _whole(picture, sizes, WHOLE_TOLERANCE if scans else SCAN_TOLERANCE)
    if shape is not None:
        return Scan(path, shape, picture)
    if scans:
        h, w = picture.shape[:2]
        raise UserError(
            f"{path}: {w}x{h} pixels do not have the proportion of a card of that size; crop it to the face"
        )
    zoom = LONGEST_PX / max(picture.shape[:2])
    if zoom < 1:
        picture = np.asarray(cv2.resize(picture, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA), np.uint8)
    return Stills(path.name, [picture], [0.0])


def _whole(picture: Image, sizes: Sequence[tuple[float, float]], tolerance: float) -> int | None:
    """The size whose proportion the picture has, upright or on its side."""
    h, w = picture.shape[:2]
    off = [min(abs(np.log(w / h * b / a)), abs(np.log(h / w * b / a))) for a, b in sizes]
    best = int(np.argmin(off))
    return best if off[best] < tolerance else None
