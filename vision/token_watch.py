"""Coloured pieces in still after still: only where the picture changed are they looked for anew.

What a still costs then follows what happened on the table, not how much lies there. What only the whole table can tell,
its own colours and how well faces agree with their pictures, is kept from the last look at all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.background import piece_mask
from vision.camera import Array, Camera
from vision.changes import Mask, grown
from vision.scene import Point, TokenKind
from vision.still import SMALL
from vision.token_backdrop import Backdrop, FlatPiece, Painter, Window, scale_of
from vision.token_faces import HAZE_MM
from vision.token_fit import reach_of
from vision.token_light import grey_world, light_of
from vision.token_maps import Ground
from vision.token_shapes import StampBook, stamps, view_at
from vision.tokens import SAME_PIECE_MM, Token, look_for_tokens

BETTER_OUTLINE_PX, SAME_OUTLINE_PX, LIKE_OUTLINE_PX = 0.05, 0.25, 1.0
"""While the first dozen tiles come, the camera is known better from still to still: the edge of the frame moves by up
to 20 px. Where two models show a piece alike to the first of these (reduced px) nothing new will be found by the other;
to the second, outlines drawn for one are good for the other; to the third, what was found by one stands as it was."""

PIECE_MM = 20.0
"""Length or height of a piece, about."""

LOOKED_AT_PX = 3
"""Small pixels around what changed in which pieces are looked for anew: more than the one within which they no longer
count as standing there, or a supply loses its fourth piece when the third is taken."""

TOUCHING_PX = 6
"""Reduced pixels (mm) within which a piece that stands beside a change is looked at with it: they may be one region."""

NEWS_MM = 3.0
"""A flat piece that was found by so much elsewhere is one laid anew."""

MOST_WINDOWED = 0.5
"""Share of the frame from which one look at all of it costs less."""
RENEWED_AFTER = 0.5
"""Share of the frame that may have changed, still by still, before the table's colours are learned anew."""


class TokenWatch:
    """Finds the pieces of some kinds, and remembers where they stand."""

    def __init__(self, kinds: Sequence[TokenKind]) -> None:
        self.kinds = tuple(kinds)
        self._painter = Painter()
        self._camera: Camera | None = None
        self._looked_by: Camera | None = None
        self._first = False
        self._book: StampBook | None = None
        self._ground: Ground | None = None
        self._since = 0.0
        self._lay: list[FlatPiece] = []
        self._stood: list[Token] = []

    @property
    def unfinished(self) -> bool:
        """Whether all of the table is worth another look: the last one was the first, or by a camera that is known
        better by now."""
        if self._camera is None or self._looked_by is None:
            return False
        return self._first or outlines_differ(self._looked_by, self._camera) > BETTER_OUTLINE_PX

    def see(
        self,
        still_bgr: NDArray[np.uint8],
        camera: Camera,
        tiles: Sequence[FlatPiece],
        solids_px: Sequence[Array],
        touched: Mask,
        everywhere: bool = False,
    ) -> list[Token]:
        """The pieces in the next still. tiles, solids_px: as for `find_tokens`; touched: (h/4, w/4) not 0
        where the picture differs from the one before. everywhere: nobody waits for it: what was found by a camera that
        is known better by now is looked for again."""
        if not self.kinds:
            return []
        changed, windows = None, []
        differ = np.inf if self._camera is None else outlines_differ(self._camera, camera)
        if self._book is None or outlines_differ(self._book.camera, camera) > SAME_OUTLINE_PX:
            self._book = stamps(camera)
        if self._camera is not None and self._camera is not camera:
            self._stood = [seen_by(k, self._camera, camera) for k in self._stood]
        before, self._lay, self._camera = self._lay, list(tiles), camera
        back = self._painter.lay(still_bgr, camera, self._lay, self._book.scale)
        if differ < LIKE_OUTLINE_PX and not (everywhere and self.unfinished):
            looked_at = grown(touched, LOOKED_AT_PX)
            mark_news(looked_at, camera, before, self._lay)
            changed = back.reduced(looked_at > 0)
            windows = self._windows(looked_at, back)
            if not windows:
                return self._stood
            self._since += float(changed.mean())
        if sum(w.area for w in windows) > MOST_WINDOWED * back.owner.size or self._since > RENEWED_AFTER:
            windows = []
        if not windows:
            self._first = self._looked_by is None
            self._ground, self._since, self._looked_by = None, 0.0, camera
        light = light_of(back) or grey_world(back)
        found, self._ground = look_for_tokens(
            back, light, camera, tiles, self.kinds, self._book, {}, solids_px, changed, windows, self._ground
        )
        # Where the picture is what it was stands what stood there, found again or not.
        near = SAME_PIECE_MM / camera.mm_per_px
        stood = [k for k in self._stood if not any_in(touched, np.array(k.corners_px))]
        self._stood = found + [k for k in stood if all(_away(k.centre_px, f.centre_px) > near for f in found)]
        return self._stood

    def _windows(self, looked_at: Mask, back: Backdrop) -> list[Window]:
        """Parts of the frame that show all pieces that a change may concern."""
        _, _, stats, _ = cv2.connectedComponentsWithStats(looked_at)
        seeds = [_reduced(back, x, y, x + w, y + h) for x, y, w, h, _ in stats[1:].tolist()]
        stood = []
        for token in self._stood:
            corners = back.to_small(np.array([*token.corners_px, token.centre_px]))
            (x0, y0), (x1, y1) = np.floor(corners.min(0)).astype(int), np.ceil(corners.max(0)).astype(int) + 1
            stood.append(Window(int(x0), int(y0), int(x1), int(y1)).grown(TOUCHING_PX))
        k = 0
        while k < len(seeds):  # those beside it, those beside these, and so on
            near = [w for w in stood if w.meets(seeds[k])]
            stood = [w for w in stood if w not in near]
            seeds += near
            k += 1
        around = max(reach_of(kind) for kind in self.kinds) + HAZE_MM // 2
        return merged([s.grown(around).within(back.whole) for s in seeds])


def mark_news(mask: Mask, camera: Camera, before: Sequence[FlatPiece], now: Sequence[FlatPiece]) -> None:
    """Mark in a mask (h/4, w/4) the flat pieces of one still that another does not have: what is seen there means
    something else, though the picture may be what it was."""
    for some, others in ((before, now), (now, before)):
        alike: dict[int, list[Array]] = {}
        for f in others:
            alike.setdefault(id(f.log_bgr), []).append(f.pose)
        for f in some:
            if not any(np.hypot(*(p - f.pose)[:2]) < NEWS_MM for p in alike.get(id(f.log_bgr), [])):
                np.maximum(mask, piece_mask(mask.shape, [camera.project(f.corners_mm())], 0), out=mask)


def merged(windows: list[Window]) -> list[Window]:
    """Two that together are no larger than they are apart become one.

    >>> merged([Window(0, 0, 10, 10), Window(5, 0, 15, 10), Window(40, 0, 50, 10)])
    [Window(x0=0, y0=0, x1=15, y1=10), Window(x0=40, y0=0, x1=50, y1=10)]
    """
    out: list[Window] = []
    left = list(windows)
    while left:
        window = left.pop(0)
        other = next((w for w in out if w.joined(window).area <= w.area + window.area), None)
        if other is None:
            out.append(window)
        else:
            out.remove(other)
            left.insert(0, other.joined(window))
    return out


def _reduced(back: Backdrop, x0: int, y0: int, x1: int, y1: int) -> Window:
    """Small pixels to reduced ones."""
    f = SMALL / back.scale
    return Window(int(x0 * f), int(y0 * f), int(np.ceil(x1 * f)), int(np.ceil(y1 * f)))


def seen_by(token: Token, before: Camera, now: Camera) -> Token:
    """Where a piece stands, as another camera has it that shows it at the same place of the picture."""
    foot = now.unproject(before.project(np.array([token.foot_mm])))[0]
    return replace(token, foot_mm=(float(foot[0]), float(foot[1])))


def outlines_differ(a: Camera, b: Camera) -> float:
    """By how many reduced pixels, at most, two cameras over one table draw the outline of a piece differently."""
    if a is b:
        return 0.0
    scale, size = scale_of(b), np.array([b.width, b.height])
    out = 0.0
    for place in np.stack(np.meshgrid((0.02, 0.5, 0.98), (0.02, 0.5, 0.98)), axis=-1).reshape(-1, 2):
        v, w = (view_at(camera, place * size / scale, scale, 0.0) for camera in (a, b))
        out = max(out, float(np.abs(v.j - w.j).max()), float(np.abs(v.up - w.up).max()))
    return out * PIECE_MM


def any_in(touched: Mask, outline_px: Array) -> bool:
    """Whether a mask (h/4, w/4) is not 0 somewhere within an outline (n, 2) of the picture."""
    return bool(touched[piece_mask(touched.shape, [outline_px], 1) > 0].any())


def _away(a: Point, b: Point) -> float:
    return float(np.hypot(*np.subtract(a, b)))
