"""The averaged stills that rulings were made from, kept so that each ruling can show what it saw.

Whole stills are kept rather than crops: after a correction another ruling may fall upon an earlier observation, and it
wants its evidence too. One JPEG an observation, the oldest given up beyond a limit.
"""

from __future__ import annotations

import shutil
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from vision.deck import Picture
from vision.scene import Quad

LIMIT_IN_FOLDER = 600
"""Stills kept of one game on disk: more than the observations of a long game, some 120 MB at 1280x720."""
LIMIT_IN_MEMORY = 40
LEAVES_MB = 30
"""So much of the disk is left to the journal, which can do without pictures."""
MARGIN = 0.25
"""Share of the pieces' extent that a crop shows around them."""
MARGIN_ALONE = 1.0
"""The same around a piece on its own: what was ruled of it depends on its neighbours."""
SMALLEST_CROP_PX = 160


class Stills:
    """Stills by entry number, in a folder or, with None, in memory."""

    def __init__(self, folder: Path | None, limit: int | None = None) -> None:
        self._folder = folder
        self._limit = limit or (LIMIT_IN_FOLDER if folder else LIMIT_IN_MEMORY)
        self._memory: OrderedDict[int, bytes] = OrderedDict()
        self._last: Picture | None = None

    def keep(self, entry: int, picture: Picture) -> None:
        """Keeps the still that entry was measured from; one that was just kept is not kept twice.

        A full disk loses evidence, never the game.
        """
        if picture is self._last:
            return
        self._last = picture
        done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 85])
        if not done:
            return
        if self._folder is None:
            self._memory[entry] = data.tobytes()
            while len(self._memory) > self._limit:
                self._memory.popitem(last=False)
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if shutil.disk_usage(self._folder).free < LEAVES_MB * 1e6:
                return
            self._path(entry).write_bytes(data.tobytes())
            kept = sorted(self._folder.glob("*.jpg"))
            for path in kept[: -self._limit]:
                path.unlink()
        except OSError:
            return

    def find(self, entry: int) -> Picture | None:
        """(h, w, 3) uint8 BGR, or None when it was not kept."""
        data = self._memory.get(entry)
        if data is None and self._folder is not None:
            try:
                data = self._path(entry).read_bytes()
            except OSError:
                return None
        if data is None:
            return None
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        return None if picture is None else picture.astype(np.uint8, copy=False)

    def _path(self, entry: int) -> Path:
        assert self._folder is not None
        return self._folder / f"{entry:05d}.jpg"


def prune(folders: Path, keep: int) -> None:
    """Gives up the evidence of all games but the last `keep`; `folders` holds one folder a game, named in order."""
    for folder in sorted(p for p in folders.glob("*") if p.is_dir())[:-keep]:
        shutil.rmtree(folder, ignore_errors=True)


def crop(still: Picture, outlines: Sequence[Quad]) -> bytes | None:
    """JPEG of the part of the still around those pieces' corners (pixels), which are outlined; all of it for none."""
    height, width = still.shape[:2]
    box = (0, 0, width, height)
    picture = still
    if outlines:
        points = np.array(outlines, np.float64)
        low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
        margin = MARGIN if len(outlines) > 1 else MARGIN_ALONE
        half = np.maximum((high - low) * (0.5 + margin), SMALLEST_CROP_PX / 2)
        middle = (low + high) / 2
        x0, y0 = np.maximum(np.floor(middle - half), 0).astype(int)
        x1, y1 = np.minimum(np.ceil(middle + half), (width, height)).astype(int)
        if x0 < x1 and y0 < y1:
            box = (int(x0), int(y0), int(x1), int(y1))
        picture = still.copy()
        cv2.polylines(picture, list(np.rint(points).astype(np.int32)), True, (0, 255, 255), 1, cv2.LINE_AA)
    done, data = cv2.imencode(".jpg", picture[box[1] : box[3], box[0] : box[2]], [cv2.IMWRITE_JPEG_QUALITY, 85])
    return data.tobytes() if done else None
