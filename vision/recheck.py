"""Of what lay on the table in the still before: what lies there still, what is covered by now, what was moved."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

from vision.bump import is_bump
from vision.camera import Camera, place
from vision.describe import Describer
from vision.facebank import FaceBank
from vision.finder import Finder
from vision.found import Found, corners_mm, same_place
from vision.scene import BACK
from vision.still_image import Still
from vision.track import Track

BUMP_SHARE = 0.6
"""Share of the pieces that must be gone to ask whether the camera was moved far."""

STAYED_SHARE = 0.5
"""Of the points that could be followed before, or of the agreement, so much must be again; with less a piece is looked
for farther off."""

COVERED = 0.6
"""A piece that can no longer be found but is covered by this share is taken to lie where it lay."""

TURNED_WITHIN = 0.6
"""Shares of its width within which a card that is turned over comes to lie."""

STAYED_MM = 1.0
"""Farther than this a piece was moved: its face is questioned again."""

SURE_EVIDENCE = 10.0
"""Evidence from which a face is not questioned again while it lies there."""

LEAST_KEPT = 0.08
"""Share of its face that a piece must still show to be measured; with less it can only be remembered."""


class Rechecker:
    """Looks again at where pieces lay."""

    def __init__(self, finder: Finder, describer: Describer) -> None:
        self._finder = finder
        self._describer = describer

    def again(self, still: Still, camera: Camera, white: NDArray[np.float32] | None, before: Found) -> Found | None:
        """The same face near the same place, or None. white: the still's white balance, where it is known."""
        # Nearly always it lies where it lay; only if that does not hold is it looked for farther off.
        fitted = self._finder.fit(still, camera, before.pose, before.template, [0])
        if fitted is None or fitted[2].share < STAYED_SHARE * before.followed_share:
            fitted = self._finder.fit(still, camera, before.pose, before.template, [1, 0]) or fitted
        pose, cov, followed, spread = (before.pose, before.cov, None, before.residual_px) if fitted is None else fitted
        shape = self._finder.bank.templates[before.template].shape_id
        namer = self._finder.namers[shape]
        seen = self._finder.look(still, camera, pose, self._finder.bank.sizes[shape])
        own = namer.judge(seen, white, only=[namer.index.index(before.template)])[0]
        if followed is None and own.share < max(LEAST_KEPT, 0.5 * before.match.share):
            return None
        if before.evidence > SURE_EVIDENCE and own.turns == 0 and own.share > 0.7 * before.match.share:
            match, evidence = own, before.evidence
        else:
            named = self._finder.identify(still, camera, pose, shape, white)
            if named is None or named[0].turns or named[0].share < LEAST_KEPT:
                return None
            match, evidence = named
            if self._finder.kind(match) != self._finder.bank.templates[before.template].face.kind:
                return None
            if before.evidence > SURE_EVIDENCE and np.hypot(*(pose - before.pose)[:2]) < STAYED_MM:
                evidence = max(evidence, SURE_EVIDENCE)  # no less sure for being covered where it lies
        sighting = before.sighting if followed is None else followed.sighting
        share = 0.0 if followed is None else followed.share
        agree = namer.agreement(seen, before.template)
        return Found(before.template, pose, cov, sighting, spread, match, evidence, share, agree)

    def hidden(self, lost: list[Track], kept: list[tuple[Track, Found]], new: list[Found]) -> list[Track]:
        """Lost pieces that lie under others by now. One that turned up elsewhere was pushed there.

        Only what came, or already lay on it, can hide a piece: what it lay on itself shows that it was taken up.
        """
        out = []
        came = [shapely.Polygon(corners_mm(self._finder.bank, f)) for f in new]
        stayed = [(t.id, shapely.Polygon(corners_mm(self._finder.bank, f))) for t, f in kept]
        for track in lost:
            if track.found.faceless:
                continue  # what lies there by now is that very tile
            if any(f.template == track.found.template or self._turned_over(track.found, f) for f in new):
                continue
            if any(stayed_blind(self._finder.bank, track.found, f) for f in new):
                out.append(track)
                continue
            own = shapely.Polygon(corners_mm(self._finder.bank, track.found))
            lids = came + [p for other, p in stayed if self._describer.lay_over(other, track.id)]
            covers = [p for p in lids if p.intersects(own)]
            if covers and own.intersection(shapely.union_all(covers)).area > COVERED * own.area:
                out.append(track)
        return out

    def _turned_over(self, before: Found, now: Found) -> bool:
        """Whether a piece may be another one's other side."""
        a, b = self._finder.bank.templates[before.template], self._finder.bank.templates[now.template]
        if a.shape_id != b.shape_id or (a.face.kind == BACK) == (b.face.kind == BACK):
            return False
        return float(np.hypot(*(before.pose[:2] - now.pose[:2]))) < TURNED_WITHIN * min(a.size_mm)


def stayed_blind(bank: FaceBank, before: Found, now: Found) -> bool:
    """Whether a tile that shows nothing is one whose face was seen while it lay there: it is covered by now."""
    return now.faceless and not before.faceless and same_place(bank, before, now.pose, now.template)


def followed_well(kept: list[tuple[Track, Found]]) -> tuple[list[tuple[Track, Found]], list[Track]]:
    """Those that agree with their faces nearly as well as before the camera was moved, and those to look for anew.

    A knock covers nothing. What agrees with less was followed to a wrong place: a card shifted by 13 mm agreed with a
    quarter of itself where it had lain, and stayed there for the rest of the game.
    """
    well = [(t, f) for t, f in kept if f.match.share >= STAYED_SHARE * t.found.match.share]
    ids = {t.id for t, _ in well}
    return well, [t for t, _ in kept if t.id not in ids]


def shifted(camera: Camera | None, kept: list[tuple[Track, Found]]) -> bool:
    """Whether the pieces have shifted together, as they do when the camera was moved a little."""
    if camera is None or not kept:
        return False
    before = [camera.project(place(t.found.pose, f.sighting.local_mm)) for t, f in kept]
    return is_bump(before, [f.sighting.px for _, f in kept])


def all_elsewhere(kept: list[tuple[Track, Found]], lost: list[Track], new: list[Found]) -> bool:
    """Whether most pieces are gone and lie somewhere else now, as when the camera was moved far."""
    if len(lost) < 3 or len(lost) <= BUMP_SHARE * (len(lost) + len(kept)):
        return False
    faces = [f.template for f in new]
    return sum(t.found.template in faces for t in lost) > len(lost) / 2
