"""One still after another into scenes: recheck what lay there, look for what is new, solve, stack, measure."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray

from vision.background import Background, piece_mask
from vision.calibration import Calibration
from vision.camera import Array, Camera
from vision.deck import Deck
from vision.facebank import FaceBank
from vision.finder import Finder, Found, Still, corners_mm, same_place
from vision.measure import is_flat, measure, point_sigma
from vision.scene import UNKNOWN, CameraState, Gap, Overlap, Piece, Quad, Scene
from vision.solve import solve_pose
from vision.stack import Stacked, stack
from vision.still import SMALL, StillPicture
from vision.track import Track, Tracker

CHANGED = 0.10
"""Change in log colour from the last still that makes a place worth searching (noise of an averaged still: 0.02)."""
CHANGED_GROW = 8
"""Small pixels by which changed places grow (20 mm): features need their surroundings."""

BUMP_PX = 1.2
"""A camera moved when the pieces shift together by more than this (0.75 mm at 1.6 px/mm)."""
BUMP_SHARE = 0.6

STAYED_SHARE = 0.5
TYPICAL_VIEW_MM = 800.0
"""Width of the table in view, as long as nothing tells the scale."""

MATURE_SAMPLES = 6
MOST_ROUNDS = 5
FIRST_SHARE = 0.5
"""The first pieces, from which even the scale is learned, must be beyond doubt."""
LEAST_LEFT_MM2 = 1500.0
"""A quarter of a card."""

COVERED = 0.75
"""A piece that can no longer be found but is covered by this share is taken to lie where it lay."""

SURE_EVIDENCE = 10.0
"""Evidence from which a face is not questioned again while it lies there."""

LEAST_KEPT = 0.08
"""Share of its face that a piece must still show to be measured; with less it can only be remembered."""

SHARE_BEYOND_DOUBT = 0.28
LEAST_OF_VISIBLE = 0.38
"""Share of a face that agrees, as part of what should be in view. On 60 random tables the worst of 780 true pieces has
0.49, the best of 19 false ones that nothing covers 0.26."""

UNKNOWN_BELOW = 0.5


class Seer:
    """Holds what is known of the table between stills."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.bank = FaceBank(deck)
        self.finder = Finder(self.bank)
        self.calibration = Calibration()
        self.background = Background()
        self.tracker = Tracker(self.bank)
        self.white: NDArray[np.float32] | None = None
        self.hand = False
        self._last: NDArray[np.float32] | None = None
        self._order: dict[tuple[str, str], float] = {}
        self._as_before: set[str] = set()

    def see(self, picture: StillPicture) -> Scene | None:
        """The scene of one still, or None while a hand is in view."""
        still = Still(picture.bgr)
        kept, lost = self._recheck(still)
        bumped = self._bumped(kept, lost)
        if bumped:
            self.calibration.bumped()
            self.background.forget()
        mask = None if bumped or self._last is None else self._changed(still, [f for _, f in kept])
        new: list[Found] = []
        if mask is None or mask.any():
            kept, new = self._search(still, mask, kept)
        if not bumped and len(lost) >= 3 and len(lost) > BUMP_SHARE * (len(lost) + len(kept)):
            # Everything is elsewhere: either the camera was moved far, or the table was cleared.
            faces = [f.template for f in new]
            if sum(t.found.template in faces for t in lost) > len(lost) / 2:
                self.calibration.bumped()
                self.background.forget()
                kept, new = self._search(still, None, kept)
        camera = self.calibration.camera
        if camera is None:
            strange = self.background.strange(still.small, [])
            self.hand = self.background.hand(strange, TYPICAL_VIEW_MM / still.size[0])
            if self.hand:
                return None
            self.background.learn(still.small, [], strange)
            self._last = still.small
            return self._empty(picture, still)
        found = [f for _, f in kept] + new
        strange = self.background.strange(still.small, [camera.project(corners_mm(self.bank, f)) for f in found])
        self.hand = self.background.hand(strange, camera.mm_per_px)
        if self.hand:
            return None
        new = self._plausible(still, camera, [f for _, f in kept], new)
        hidden = self._hidden(lost, [f for _, f in kept], new)
        self.tracker.update([(t, f, False) for t, f in kept] + [(t, t.found, True) for t in hidden], new, picture.t)
        for track in self.tracker.live:
            if track.id not in self._as_before:
                track.model = self.calibration.samples
        self._learn_white(still, camera)
        scene = self._scene(picture, still, camera)
        outlines = [camera.project(corners_mm(self.bank, t.found)) for t in self.tracker.live]
        self.background.learn(still.small, outlines, strange)
        self._last = still.small
        return scene

    # ---- what is new ----

    def _search(
        self, still: Still, mask: NDArray[np.uint8] | None, kept: list[tuple[Track, Found]]
    ) -> tuple[list[tuple[Track, Found]], list[Found]]:
        """New pieces where `mask` is not 0, and the kept ones again, both under the camera as it is solved with them.

        While the camera is young each round sees it better and so finds pieces that did not fit before.
        """
        calibration = self.calibration
        new: list[Found] = []
        proposals = self.finder.propose(still, calibration.camera, mask)
        if calibration.camera is None:
            if not proposals:
                return kept, new
            calibration.start(self.finder.first_camera(still.size, proposals))
        fine = False
        for _ in range(MOST_ROUNDS):
            camera = calibration.camera
            assert camera is not None
            fresh = self.finder.check(still, camera, proposals, self.white, [f for _, f in kept] + new)
            if not calibration.started:
                fresh = [f for f in fresh if f.match.share > FIRST_SHARE]
            new += fresh
            moved = calibration.refine([(f.pose, f.sighting) for _, f in kept] + [(f.pose, f.sighting) for f in new])
            if moved:
                camera = calibration.camera
                kept = [(t, _refit(camera, f)) for t, f in kept]
                new = [_refit(camera, f) for f in new]
            elif not fine and (calibration.started or mask is not None):
                # What is left may be small, dark or mostly covered: once more with all the picture has.
                fine = True
                left = self._unexplained(still, camera, [f for _, f in kept] + new, first=mask is None)
                if left is None:
                    break
                proposals = self.finder.propose(still, camera, left, fine=True)
            else:
                break
        if not calibration.started:
            calibration.camera = None  # what was guessed from chance resemblances is worth nothing
        return kept, new

    def _plausible(self, still: Still, camera: Camera, kept: list[Found], new: list[Found]) -> list[Found]:
        """Without those that agree with too little of what should be in view of them."""
        if all(f.match.share >= SHARE_BEYOND_DOUBT for f in new):
            return new
        _, visible = stack(still, camera, self.bank, kept + new, self.deck.corner_radius_mm)
        return [
            f
            for f, v in zip(new, visible[len(kept) :], strict=True)
            if f.match.share >= SHARE_BEYOND_DOUBT or f.match.share >= LEAST_OF_VISIBLE * v
        ]

    def _unexplained(self, still: Still, camera: Camera, found: list[Found], first: bool) -> NDArray[np.uint8] | None:
        """(h, w) 255 around what changed and is no piece; None when no card could hide there."""
        claims = self.finder.claims(still, camera, found)
        core = np.full(claims.shape, 255, np.uint8) if first else self._change(still)
        core[cv2.dilate(claims, np.ones((9, 9), np.uint8)) > 0] = 0
        if float(np.count_nonzero(core)) * (camera.mm_per_px * SMALL) ** 2 < LEAST_LEFT_MM2:
            return None
        mask = _grow(core)
        mask[claims > 0] = 0
        return np.asarray(cv2.resize(mask, still.size, interpolation=cv2.INTER_NEAREST), np.uint8)

    # ---- what lay there before ----

    def _recheck(self, still: Still) -> tuple[list[tuple[Track, Found]], list[Track]]:
        camera = self.calibration.camera
        kept: list[tuple[Track, Found]] = []
        lost: list[Track] = []
        self._as_before = set()
        difference = cv2.dilate(self._difference(still), np.ones((3, 3), np.uint8))
        for track in self.tracker.live:
            if camera is not None and not track.hidden and self._untouched(difference, camera, track):
                kept.append((track, track.found))
                self._as_before.add(track.id)
                continue
            found = None if camera is None else self._again(still, camera, track.found)
            if found is None:
                lost.append(track)
            else:
                kept.append((track, found))
        return kept, lost

    def _untouched(self, difference: NDArray[np.uint8], camera: Camera, track: Track) -> bool:
        """Whether the picture of a piece and its surroundings is what it was: then so is all that was measured of it.

        What was followed under a camera model that was still young is followed again.
        """
        if track.model < min(self.calibration.samples, MATURE_SAMPLES):
            return False
        outline = camera.project(corners_mm(self.bank, track.found))
        return not difference[piece_mask(difference.shape, [outline], 0) > 0].any()

    def _again(self, still: Still, camera: Camera, before: Found) -> Found | None:
        """The same face near the same place, or None."""
        # Nearly always it lies where it lay; only if that does not hold is it looked for farther off.
        fitted = self.finder.fit(still, camera, before.pose, before.template, [0])
        if fitted is None or fitted[2].share < STAYED_SHARE * before.followed_share:
            fitted = self.finder.fit(still, camera, before.pose, before.template, [1, 0]) or fitted
        pose, cov, followed, spread = (before.pose, before.cov, None, before.residual_px) if fitted is None else fitted
        shape = self.bank.templates[before.template].shape_id
        namer = self.finder.namers[shape]
        seen = self.finder.look(still, camera, pose, self.bank.sizes[shape])
        own = namer.judge(seen, self.white, only=[namer.index.index(before.template)])[0]
        if followed is None and own.share < max(LEAST_KEPT, 0.5 * before.match.share):
            return None
        if before.evidence > SURE_EVIDENCE and own.turns == 0 and own.share > 0.7 * before.match.share:
            match, evidence = own, before.evidence
        else:
            named = self.finder.identify(still, camera, pose, shape, self.white)
            if named is None or named[0].turns or named[0].share < LEAST_KEPT:
                return None
            match, evidence = named
            if self.finder.kind(match) != self.bank.templates[before.template].face.kind:
                return None
        sighting = before.sighting if followed is None else followed.sighting
        share = 0.0 if followed is None else followed.share
        agree = namer.agreement(seen, before.template)
        return Found(before.template, pose, cov, sighting, spread, match, evidence, share, agree)

    def _bumped(self, kept: list[tuple[Track, Found]], lost: list[Track]) -> bool:
        camera = self.calibration.camera
        if camera is None or len(kept) < 3:
            return False
        before = camera.project(np.array([t.found.pose[:2] for t, _ in kept]))
        after = camera.project(np.array([f.pose[:2] for _, f in kept]))
        shift = after - before
        common = np.median(shift, axis=0)
        moved = np.hypot(*shift.T) > BUMP_PX
        together = np.hypot(*(shift - common).T) < 0.5 * max(float(np.hypot(*common)), BUMP_PX)
        return float((moved & together).mean()) > BUMP_SHARE

    def _hidden(self, lost: list[Track], kept: list[Found], new: list[Found]) -> list[Track]:
        """Lost pieces that lie under others by now. One that turned up elsewhere was pushed there."""
        out = []
        polygons = [shapely.Polygon(corners_mm(self.bank, f)) for f in kept + new]
        for track in lost:
            if any(f.template == track.found.template for f in new):
                continue
            own = shapely.Polygon(corners_mm(self.bank, track.found))
            covers = [p for p in polygons if p.intersects(own)]
            if covers and own.intersection(shapely.union_all(covers)).area > COVERED * own.area:
                out.append(track)
        return out

    def _difference(self, still: Still) -> NDArray[np.uint8]:
        """(h/4, w/4) 255 where something differs from the last still."""
        now = still.small
        if self._last is None or self._last.shape != now.shape:
            return np.full(now.shape[:2], 255, np.uint8)
        d = now - self._last
        d = np.abs(d - np.median(d[::4, ::4].reshape(-1, 3), axis=0)).max(2)
        mask = (d > CHANGED).astype(np.uint8) * 255
        return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)

    def _change(self, still: Still) -> NDArray[np.uint8]:
        """(h/4, w/4) 255 where something differs from the last still, other than by showing the bare table again."""
        mask = self._difference(still)
        mask[self.background.bare(still.small, CHANGED)] = 0
        return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)

    def _changed(self, still: Still, kept: list[Found]) -> NDArray[np.uint8]:
        """(h, w) 255 around what changed and no kept piece explains."""
        mask = self._change(still)
        camera = self.calibration.camera
        if camera is not None:
            claims = self.finder.claims(still, camera, kept)
            mask[claims > 0] = 0
            mask = _grow(mask)
            mask[claims > 0] = 0
        else:
            mask = _grow(mask)
        return np.asarray(cv2.resize(mask, still.size, interpolation=cv2.INTER_NEAREST), np.uint8)

    def _learn_white(self, still: Still, camera: Camera) -> None:
        """White balance of the still from the faces that structure alone names."""
        words = []
        for track in self.tracker.live:
            f = track.found
            if track.hidden or f.match.share < 0.5 or f.evidence < SURE_EVIDENCE:
                continue
            t = self.bank.templates[f.template]
            seen = self.finder.look(still, camera, f.pose, t.size_mm)
            words.append(self.finder.namers[t.shape_id].offset(seen, f.match))
            if len(words) == 8:
                break
        if len(words) >= 2:
            self.white = np.median(np.array(words), axis=0).astype(np.float32)

    # ---- the scene ----

    def _scene(self, picture: StillPicture, still: Still, camera: Camera) -> Scene:
        tracks = sorted(self.tracker.live, key=lambda t: int(t.id[1:]))
        found = [t.found for t in tracks]
        radius = self.deck.corner_radius_mm
        stacked, visible = stack(still, camera, self.bank, found, radius)
        stacked = self._remember_order(tracks, stacked)
        measured = measure(self.bank, camera, self.calibration.cov, found, radius)
        by_pair = {(m.a, m.b): m for m in measured}
        overlaps = []
        for s in stacked:
            m = by_pair[(min(s.over, s.under), max(s.over, s.under))]
            overlaps.append(
                Overlap(
                    over=tracks[s.over].id,
                    under=tracks[s.under].id,
                    area_mm2=s.area_mm2,
                    depth_mm=m.depth_mm,
                    sigma_mm=m.sigma_mm,
                    confidence=s.confidence,
                )
            )
        return Scene(
            t=picture.t,
            camera=self._camera_state(camera),
            size_px=still.size,
            view_mm=_quad(camera.unproject(_frame_corners(still))),
            pieces=tuple(self._piece(t, v, camera) for t, v in zip(tracks, visible, strict=True)),
            gaps=tuple(Gap(a=tracks[m.a].id, b=tracks[m.b].id, mm=m.gap_mm, sigma_mm=m.sigma_mm) for m in measured),
            overlaps=tuple(overlaps),
        )

    def _remember_order(self, tracks: list[Track], stacked: list[Stacked]) -> list[Stacked]:
        """An overlap that is out of sight keeps the order it was last seen to have."""
        out = []
        order: dict[tuple[str, str], float] = {}
        for s in stacked:
            over, under = tracks[s.over].id, tracks[s.under].id
            best = max((self._order.get((over, under), 0.0), 1), (self._order.get((under, over), 0.0), -1))
            if s.confidence < best[0]:
                if best[1] < 0:
                    s = Stacked(s.under, s.over, s.area_mm2, best[0])
                else:
                    s = Stacked(s.over, s.under, s.area_mm2, best[0])
            if tracks[s.over].hidden and not tracks[s.under].hidden:
                s = Stacked(s.under, s.over, s.area_mm2, COVERED)
            # It fades, so that a new look at the pictures can overrule it.
            order[(tracks[s.over].id, tracks[s.under].id)] = 0.98 * s.confidence
            out.append(s)
        self._order = order
        return out

    def _piece(self, track: Track, visible: float, camera: Camera) -> Piece:
        f = track.found
        face = self.bank.templates[f.template].face
        confidence = confidence_of(f)
        outline = corners_mm(self.bank, f)
        sigma = max(point_sigma(camera, f, c, (c - f.pose[:2]) / np.hypot(*(c - f.pose[:2]))) for c in outline)
        return Piece(
            id=track.id,
            kind="card",
            face=face.kind if confidence >= UNKNOWN_BELOW else UNKNOWN,
            print=face.id if confidence >= UNKNOWN_BELOW else "",
            confidence=confidence,
            visible=visible,
            corners_px=_quad(camera.project(outline)),
            outline_mm=_quad(outline),
            sigma_mm=sigma,
            flat=is_flat(f),
        )

    def _camera_state(self, camera: Camera) -> CameraState:
        return CameraState(
            solved=self.calibration.solved,
            rms_px=self.calibration.rms_px,
            sigma_mm_per_100mm=100 * float(np.sqrt(max(self.calibration.cov[5, 5], 0.0))),
            mm_per_px=camera.mm_per_px,
            tilt_deg=camera.tilt_deg,
            epoch=self.calibration.epoch,
        )

    def _empty(self, picture: StillPicture, still: Still) -> Scene:
        return Scene(t=picture.t, camera=CameraState(solved=False, rms_px=0.0), size_px=still.size)


def _grow(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    k = 2 * CHANGED_GROW + 1
    return np.asarray(cv2.dilate(mask, np.ones((k, k), np.uint8)), np.uint8)


def confidence_of(f: Found) -> float:
    """0 to 1 from the evidence against the nearest rival; halved, since blocks that err together count too often."""
    return float(1 / (1 + np.exp(-f.evidence / 2)))


def _refit(camera: Camera, f: Found) -> Found:
    pose, cov, _ = solve_pose(camera, f.pose, f.sighting)
    return replace(f, pose=pose, cov=cov)


def _quad(points: Array) -> Quad:
    (a, b, c, d) = [(float(x), float(y)) for x, y in points]
    return a, b, c, d


def _frame_corners(still: Still) -> Array:
    w, h = still.size
    return np.array([[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]], float)


__all__ = ["SMALL", "Seer", "confidence_of"]
