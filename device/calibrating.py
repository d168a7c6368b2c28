"""`kibitz calibrate`: the lens, from pictures of the printed sheet. Optional; the pieces themselves are the ruler."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from device.calibrate_text import say, tell, verdict
from device.cameras import Clock, open_camera
from device.cameras.footage import CLIP, PICTURES
from device.errors import UserError
from device.footage import open_footage
from device.lens_file import check_lens_place, write_lens
from device.photograph import load_photograph
from device.playing import Watch, stopped_by
from device.tell import print_line
from rules.session import Language
from vision.charuco import BIAS_PX, BoardView, corner_bias, find_board
from vision.frame import Frame, Image
from vision.lens import LensFit, fit_lens

EVERY_S = 0.4
"""How often a video is looked at: a sheet in a hand moves on meanwhile."""
MOST_VIEWS = 24
MOVED_SHARE = 0.03
"""Of the picture's width: a sheet seen again nearer to where it was says nothing new."""


@dataclass(frozen=True, kw_only=True)
class Wishes:
    sources: tuple[Path, ...] = ()
    camera: str = "pi"
    square_mm: float
    out: Path
    language: Language = "en"


def calibrate(wishes: Wishes, stop: threading.Event) -> bool:
    """Says how well the lens is known, and writes it unless that is of no use; whether it was written."""
    check_lens_place(wishes.out)
    for source in wishes.sources:
        if not source.exists():
            raise UserError(f"{source}: no such video, picture or folder; give photographs of the sheet, or a video")
    bias = corner_bias()
    off = float(np.abs(bias).max()) > BIAS_PX
    word = "bias" if off else "unbiased"
    print_line(say(word, wishes.language, version=cv2.__version__, x=bias[0], y=bias[1]))
    fit = look(wishes, stop, bias if off else None)
    for line in tell(fit, wishes.language):
        print_line(line)
    if "bad" in verdict(fit):
        return False
    write_lens(wishes.out, fit.lens)
    print_line(str(wishes.out))
    return True


def look(wishes: Wishes, stop: threading.Event, bias_px: np.ndarray | None) -> LensFit:
    """The lens from all pictures in which the sheet shows."""
    views: list[BoardView] = []
    size: tuple[int, int] | None = None
    pictures = _pictures(wishes.sources) if wishes.sources else _live(wishes, stop)
    looked = 0
    for name, luma in pictures:
        looked += 1
        seen = luma.shape[1], luma.shape[0]
        if size is not None and seen != size:
            raise UserError(
                f"{name}: {seen[0]}x{seen[1]} pixels, but {size[0]}x{size[1]} before; a lens is measured at one size"
            )
        size = seen
        view = find_board(luma, wishes.square_mm, bias_px)
        if view is None or not _is_new(view, views, MOVED_SHARE * size[0]):
            continue
        views.append(view)
        if not wishes.sources:
            print_line(say("taken", wishes.language, n=len(views)))
        if len(views) == MOST_VIEWS:
            break
    if size is None or not views:
        raise UserError(
            f"the calibration sheet is in none of {looked} pictures; print it with `kibitz print sheet`, and show it"
            " whole, sharp and without a reflection"
        )
    return fit_lens(views, size)


def _pictures(paths: Sequence[Path]) -> Iterator[tuple[str, Image]]:
    for path in paths:
        if path.is_dir() and not (path / CLIP).is_file():
            found = sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURES)
            if not found:
                raise UserError(f"{path}: there is neither {CLIP} nor a picture (jpg, png) in this folder")
            yield from _pictures(found)
        elif path.suffix.lower() in PICTURES:
            yield str(path), np.asarray(cv2.cvtColor(load_photograph(path), cv2.COLOR_BGR2GRAY), np.uint8)
        else:
            with open_footage(path / CLIP if path.is_dir() else path) as footage:
                for frame in _now_and_then(footage):
                    yield str(path), np.ascontiguousarray(frame.luma)


def _live(wishes: Wishes, stop: threading.Event) -> Iterator[tuple[str, Image]]:
    live = open_camera(wishes.camera, Clock())
    if live is None:
        raise UserError("--camera none sees no sheet; name a camera")
    print_line(say("show", wishes.language))
    with stopped_by(live, stop):
        for frame in _now_and_then(live.frames(Watch(wishes.camera))):
            yield f"camera {wishes.camera}", np.ascontiguousarray(frame.luma)


def _now_and_then(frames: Iterable[Frame]) -> Iterator[Frame]:
    last: float | None = None
    for frame in frames:
        if last is None or frame.t - last >= EVERY_S:
            last = frame.t
            yield frame


def _is_new(view: BoardView, views: Sequence[BoardView], moved_px: float) -> bool:
    """Whether the sheet has moved on since each of the others."""
    for other in views:
        common = (view.board_mm[:, None] == other.board_mm[None]).all(-1)
        a, b = np.nonzero(common)
        if len(a) > 0 and float(np.hypot(*(view.px[a] - other.px[b]).T).mean()) < moved_px:
            return False
    return True
