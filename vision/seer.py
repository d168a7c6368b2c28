"""One still after another into scenes: recheck what lay there, look for what is new, solve, stack, measure."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from vision.background import Background, piece_mask
from vision.board import Board
from vision.calibration import Calibration
from vision.camera import Camera, Lens, differ
from vision.changes import Mask, area_mm2, change, difference, enlarge, grown
from vision.deck import Deck
from vision.describe import Describer, empty_scene
from vision.facebank import FaceBank
from vision.features import Proposal
from vision.finder import Finder
from vision.found import LEAST_OF_DOUBLE, LEAST_OF_VISIBLE, Found, agrees_enough, corners_mm, doubled
from vision.outlines import camera_from_outlines, check_outlines
from vision.recheck import SURE_EVIDENCE, Rechecker, all_elsewhere, followed_well, shifted, stayed_blind
from vision.scene import Scene, Things
from vision.solids import Solids
from vision.solve import solve_pose
from vision.stack import stack
from vision.still import StillPicture
from vision.still_image import Still
from vision.track import Track, Tracker

NOTHING_ELSE = Things()
"""A table with flat pieces alone."""

TYPICAL_VIEW_MM = 800.0
"""Width of the table in view, as long as nothing tells the scale."""

PROMISING_POINTS, PROMISING_PIECES = 6, 3
LAID_TABLE = 3
"""From so many pieces on, a first look is one at a table already laid: it is worth the second it costs to search it all
by outlines, too, and once more by a camera that is known better, when nobody waits for it (of 395 pieces on 30 tables
four were missed, then three, for as much time again)."""
MATURE_SAMPLES = 6
FEATURES, FINE_FEATURES, OUTLINES = range(3)
MOST_ROUNDS = 8
BEGIN_WITH = 8
"""Proposals looked at together to begin with: one piece beyond doubt is enough, and all are looked at afterwards."""
FIRST_SHARE = 0.5
"""The first pieces, from which even the scale is learned, must be beyond doubt."""
SAME_VIEW_PX, SAME_VIEW_MM = 3.0, 45.0
"""By so much, at most, two cameras draw so much of a table differently for a tile to be found by either or by none: on
ten boards seen again by a camera that draws it up to 3.6 px otherwise none was, in six of 17 cases with 3.8 px and more
one to fifteen were."""
LEAST_LEFT_MM2 = 1500.0
"""A quarter of a card."""


class Seer:
    """Holds what is known of the table between stills."""

    def __init__(self, deck: Deck, things: Things = NOTHING_ELSE, lens: Lens | None = None) -> None:
        self.deck = deck
        self.bank = FaceBank(deck)
        self.finder = Finder(self.bank)
        self.board = Board(self.finder)
        self.calibration = Calibration(lens)
        self.background = Background()
        self.tracker = Tracker(self.bank)
        self.describer = Describer(self.bank, deck.corner_radius_mm)
        self.rechecker = Rechecker(self.finder, self.describer)
        self.solids = Solids(things, self.bank)
        self.white: NDArray[np.float32] | None = None
        self.hand = False
        self._last: NDArray[np.float32] | None = None
        self._as_before: set[str] = set()
        self._look_again = False

    @property
    def unfinished(self) -> bool:
        """Whether the still is worth another look as soon as nothing moves for a while: the first one always is."""
        return self._look_again or self.solids.unfinished

    def see(self, picture: StillPicture) -> Scene | None:
        """The scene of one still, or None while a hand is in view."""
        still = Still(picture.bgr)
        before = self.calibration.copy()
        kept, lost = self._recheck(still, picture.again and self._look_again)
        bumped = shifted(self.calibration.camera, kept)
        if bumped:
            self.calibration.bumped()
            self.background.forget()
            kept, doubtful = followed_well(kept)
            lost += doubtful
        first = self._last is None or bumped
        again = self._look_again and picture.again and len(kept) >= LAID_TABLE
        if first:
            mask = None
        elif again:
            mask = self._unexplained(still, [f for _, f in kept], everywhere=True)
        else:
            mask = self._changed(still, [f for _, f in kept])
        self._look_again = first or (self._look_again and not picture.again)
        new: list[Found] = []
        if first or (mask is not None and mask.any()):
            kept, new = self._search(still, mask, kept, everywhere=first or again)
        if not bumped and all_elsewhere(kept, [t for t in lost if not t.found.faceless], new):
            self.calibration = before.copy()
            self.calibration.bumped()
            self.background.forget()
            kept, new = self._search(still, None, [], everywhere=True)
        camera = self.calibration.camera
        if camera is None:
            strange = self.background.strange(still.small, [])
            self.hand = self.background.hand(strange, TYPICAL_VIEW_MM / still.size[0])
            if self.hand:
                return None
            self.background.learn(still.small, [], strange)
            self._last = still.small
            return empty_scene(picture.t, still)
        found = [f for _, f in kept] + new
        strange = self.background.strange(still.small, [camera.project(corners_mm(self.bank, f)) for f in found])
        self.hand = self.background.hand(strange, camera.mm_per_px)
        if self.hand:
            # A card that is held over the table looks larger: the camera must not be learned from it.
            self.calibration = before
            return None
        new = self._plausible(still, camera, [f for _, f in kept], new)
        again_at = [t.found.pose for t in lost if t.found.template in self.board.laid]
        if self.board.laid and (first or again_at or mask is None or mask.any()):
            new += self.board.find_faceless(still, camera, self.white, [f for _, f in kept] + new, mask, again_at)
            self._look_again |= not picture.again and any(f.faceless for f in new)
        hidden = self.rechecker.hidden(lost, kept, new)
        new = [f for f in new if not any(stayed_blind(self.bank, t.found, f) for t in hidden)]
        self.tracker.update([(t, f, False) for t, f in kept] + [(t, t.found, True) for t in hidden], new, picture.t)
        for track in self.tracker.live:
            if track.id not in self._as_before:
                track.model = self.calibration.samples
        self._learn_white(still, camera)
        scene = self.describer.scene(picture.t, still, self.calibration, self.tracker.live)
        scene = self._with_solids(scene, still, camera, picture.again)
        outlines = [camera.project(corners_mm(self.bank, t.found)) for t in self.tracker.live]
        self.background.learn(still.small, outlines, strange)
        self._last = still.small
        return scene

    def _with_solids(self, scene: Scene, still: Still, camera: Camera, nobody_waits: bool) -> Scene:
        """The scene with the dice and tokens that stand on its flat pieces and beside them."""
        under = {t.id: sum(o.over == t.id for o in scene.overlaps) for t in self.tracker.live}
        seen = [t for t in self.tracker.live if not t.hidden and not t.found.faceless]
        lying = sorted(seen, key=lambda t: under[t.id])
        found = [t.found for t in lying]
        claims = self.finder.claims(still, camera, found)
        solid = self.solids.see(still, camera, found, scene.t, claims, nobody_waits)
        return msgspec.structs.replace(scene, pieces=scene.pieces + solid) if solid else scene

    # ---- what is new ----

    def _search(
        self, still: Still, mask: Mask | None, kept: list[tuple[Track, Found]], everywhere: bool
    ) -> tuple[list[tuple[Track, Found]], list[Found]]:
        """New pieces where `mask` is not 0, and the kept ones again, both under the camera as it is solved with them.

        While the camera is young each round sees it better and so finds pieces that did not fit before.
        """
        calibration = self.calibration
        new: list[Found] = []
        if mask is not None and not everywhere and calibration.started and self.board.laid:
            # What happens on a board is mostly a tile laid beside others, or a figure moved: that takes no search.
            kept, new = self._laid_beside(still, mask, kept)
            mask = self._unexplained(still, [f for _, f in kept] + new, everywhere)
            if mask is None:
                return kept, new
        proposals = self.finder.propose(still, calibration.camera, mask)
        if calibration.camera is None:
            new = self._begin(still, proposals)
            if calibration.camera is None:
                return kept, new
            if new and not self.board.only:
                proposals = self.finder.propose(still, calibration.camera, mask)
        left: Mask | None = None
        checked_by: Camera | None = None
        beside_by: Camera | None = None
        stage, last = FEATURES, OUTLINES
        if self.board.only:
            # Nothing but a pile's back was found on 27 tables by a finer look at all of it, which took half the time:
            # it is done when nobody waits.
            last = FEATURES if everywhere and self._look_again else FINE_FEATURES
        for _ in range(MOST_ROUNDS):
            camera = calibration.camera
            assert camera is not None
            known = [f for _, f in kept] + new
            if self.board.only and checked_by is not None and differ(checked_by, camera) * SAME_VIEW_MM < SAME_VIEW_PX:
                # What was no tile to that camera is none to this one.
                fresh = []
                beside_by = camera
            elif stage == OUTLINES:
                assert left is not None
                fresh = check_outlines(self.finder, still, camera, left, self.white, known)
            else:
                fresh = self.finder.check(still, camera, proposals, self.white, known)
                checked_by = camera
            if not calibration.started:
                fresh = [f for f in fresh if self._sure(f)]
            new += fresh
            if camera is not beside_by or self.board.rulers(fresh):
                beside = self.board.find_beside(still, camera, self.white, [f for _, f in kept] + new, mask)
                fresh, beside_by = fresh + beside, camera
                new += beside
            moved = calibration.refine(self.board.sightings([f for _, f in kept] + new))
            if moved:
                kept = [(t, _refit(calibration.camera, f)) for t, f in kept]
                new = [_refit(calibration.camera, f) for f in new]
            elif stage < last and (
                len(known) + len(fresh) >= LAID_TABLE or (not everywhere and (calibration.started or stage == FEATURES))
            ):
                # What is left may be small, dark or mostly covered: once more with all that the picture has, and then
                # by outlines alone, for faces of few features.
                stage += 1
                left = self._unexplained(still, [f for _, f in kept] + new, everywhere)
                if left is None:
                    break
                checked_by = None
                if stage == FINE_FEATURES:
                    proposals = self.finder.propose_from_above(still, camera, left)
            else:
                break
        if not calibration.started:
            new = self._begin_otherwise(still, proposals)
        return kept, new

    def _begin(self, still: Still, proposals: list[Proposal]) -> list[Found]:
        """Starts with a first camera; what was found on the way to it."""
        rulers = self.board.ruling(proposals)
        for first in self.finder.first_cameras(still.size, rulers):
            self.calibration.start(first)
            for k in range(0, len(rulers), BEGIN_WITH):
                found = self.finder.check(still, first, rulers[k : k + BEGIN_WITH], self.white, [])
                sure = [f for f in self.board.rulers(found) if self._sure(f)]
                if sure and not self.board.crowded(sure):
                    return []
        return self._begin_otherwise(still, proposals)

    def _begin_otherwise(self, still: Still, proposals: list[Proposal]) -> list[Found]:
        """Where the features of no few pieces agree on a camera: by outlines, or by a single tile."""
        self.calibration.camera = None  # what was guessed from chance resemblances is worth nothing
        ways = (self._begin_by_outlines, self._begin_by_a_tile)
        for begin in reversed(ways) if self.board.only else ways:
            found = begin(still, proposals)
            if found:
                return found
        return []

    def _laid_beside(
        self, still: Still, mask: Mask, kept: list[tuple[Track, Found]]
    ) -> tuple[list[tuple[Track, Found]], list[Found]]:
        """Tiles laid beside the kept ones, where `mask` is not 0, and the kept ones again."""
        camera = self.calibration.camera
        assert camera is not None
        new = self.board.find_beside(still, camera, self.white, [f for _, f in kept], mask)
        if new and self.calibration.refine(self.board.sightings([f for _, f in kept] + new)):
            kept = [(t, _refit(self.calibration.camera, f)) for t, f in kept]
            new = [_refit(self.calibration.camera, f) for f in new]
        return kept, new

    def _sure(self, f: Found) -> bool:
        """Whether a piece is beyond doubt, to begin with."""
        return f.match.share > FIRST_SHARE or self.board.beyond_doubt(f)

    def _begin_by_a_tile(self, still: Still, proposals: list[Proposal]) -> list[Found]:
        """Where nothing tells the camera but a single tile, as at the beginning of a game."""
        for camera, tile in self.board.lone_tiles(still, proposals):
            self.calibration.start(camera)
            if self._sure(tile) and self.calibration.refine([(tile.pose, tile.sighting)]):
                return self._spread(still, [_refit(self.calibration.camera, tile)])
        self.calibration.camera = None
        return []

    def _spread(self, still: Still, found: list[Found]) -> list[Found]:
        """Those found and all that lie beside them, each round seen by a better camera."""
        for _ in range(MOST_ROUNDS):
            camera = self.calibration.camera
            assert camera is not None
            more = self.board.find_beside(still, camera, self.white, found, None)
            found = found + more
            if not more or not self.calibration.refine([(f.pose, f.sighting) for f in found]):
                break
            found = [_refit(self.calibration.camera, f) for f in found]
        return found

    def _begin_by_outlines(self, still: Still, proposals: list[Proposal]) -> list[Found]:
        """Where features promise pieces but mislead the first camera (playing cards: pips are all alike): by outlines.

        Thirteen real cards seen 37 degrees askew: 104 of 104 named in eight photographs, against 103 and, in one
        recompressed photograph, 2 of 13 without.
        """
        if len([p for p in proposals if len(p.px) >= PROMISING_POINTS]) < PROMISING_PIECES:
            return []
        camera = camera_from_outlines(self.bank, still)
        if camera is None:
            return []
        self.calibration.start(camera)
        found = [f for f in self.finder.check(still, camera, proposals, self.white, []) if f.match.share > FIRST_SHARE]
        if self.calibration.refine([(f.pose, f.sighting) for f in found]):
            return [_refit(self.calibration.camera, f) for f in found]
        self.calibration.camera = None
        return []

    def _plausible(self, still: Still, camera: Camera, kept: list[Found], new: list[Found]) -> list[Found]:
        """Without those that agree with too little of what should be in view of them, or are another one again."""
        twice = [any(g is not f and doubled(f, g, self.bank) for g in kept + new) for f in new]
        if not any(twice) and all(f.match.share >= LEAST_OF_VISIBLE or self.board.vouches(f) for f in new):
            return new
        _, visible = stack(still, camera, self.bank, kept + new, self.deck.corner_radius_mm)
        seen = [
            (f, v) for f, v, t in zip(new, visible[len(kept) :], twice, strict=True) if not t or v > LEAST_OF_DOUBLE
        ]
        return [f for f, v in seen if agrees_enough(f, v) or self.board.vouches(f)]

    def _unexplained(self, still: Still, found: list[Found], everywhere: bool) -> Mask | None:
        """(h, w) 255 around what changed (or everywhere) and is no piece; None when no card could hide there."""
        camera = self.calibration.camera
        assert camera is not None
        claims = self.finder.claims(still, camera, found)
        last = None if everywhere else self._last
        core = change(still.small, last, self.background) if last is not None else np.full(claims.shape, 255, np.uint8)
        core[grown(claims, 4) > 0] = 0
        if area_mm2(camera, core) < LEAST_LEFT_MM2:
            return None
        mask = grown(core)
        mask[claims > 0] = 0
        return enlarge(mask, still.size)

    # ---- what lay there before ----

    def _recheck(self, still: Still, nobody_waits: bool) -> tuple[list[tuple[Track, Found]], list[Track]]:
        camera = self.calibration.camera
        kept: list[tuple[Track, Found]] = []
        lost: list[Track] = []
        self._as_before = set()
        touched = grown(difference(still.small, self._last), 1)
        for track in self.tracker.live:
            untouched = camera is not None and not track.hidden and self._untouched(touched, camera, track)
            if track.found.faceless and (nobody_waits or not untouched):
                lost.append(track)  # it is looked at anew: its face may show by now
                continue
            if untouched:
                kept.append((track, track.found))
                self._as_before.add(track.id)
                continue
            found = None if camera is None else self.rechecker.again(still, camera, self.white, track.found)
            if found is None:
                lost.append(track)
            else:
                kept.append((track, found))
        return kept, lost

    def _untouched(self, touched: Mask, camera: Camera, track: Track) -> bool:
        """Whether the picture of a piece and its surroundings is what it was: then so is all that was measured of it.

        What was followed under a camera model that was still young is followed again.
        """
        if track.model < min(self.calibration.samples, MATURE_SAMPLES):
            return False
        outline = camera.project(corners_mm(self.bank, track.found))
        return not touched[piece_mask(touched.shape, [outline], 0) > 0].any()

    def _changed(self, still: Still, kept: list[Found]) -> Mask:
        """(h, w) 255 around what changed and no kept piece explains."""
        mask = change(still.small, self._last, self.background)
        camera = self.calibration.camera
        if camera is not None:
            claims = self.finder.claims(still, camera, kept)
            mask[claims > 0] = 0
            mask = grown(mask)
            mask[claims > 0] = 0
        else:
            mask = grown(mask)
        return enlarge(mask, still.size)

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


def _refit(camera: Camera | None, f: Found) -> Found:
    assert camera is not None
    pose, cov, _ = solve_pose(camera, f.pose, f.sighting)
    return replace(f, pose=pose, cov=cov)
