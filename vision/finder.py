"""Find every known piece in one still: propose, fit, name, accept strictly.

The order is that of DESIGN "propose, then verify by synthesis": a proposal gives a rough pose; following the face's own
points gives the exact one; comparing the rectified patch with the whole deck names the face; what does not agree with
one face clearly better than with all others is not taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary, ref

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.agreeing import MIN_POINTS, agreeing
from vision.birdseye import table_view
from vision.camera import Array, Camera, guess_camera, place
from vision.facebank import FaceBank, Float, Template
from vision.features import MIN_VOTES, FeatureFinder, Proposal
from vision.follow import Followed, follow
from vision.found import Found, corners_mm, same_place
from vision.identify import identify
from vision.naming import Look, Match, Namer, look
from vision.nudge import beside
from vision.rectify import rect_to_local, rectify_map
from vision.sampling import sample
from vision.solve import Sighting, solve, solve_pose
from vision.still_image import Still

MOST_SCALES, SAME_SCALE = 3, 0.25
LEAST_SUPPORT = 8
"""Votes beyond the least that a further scale must have to be tried; one whole card has 9 to 90."""
FIRST_POINTS = 8
FIRST_PIECES = 10
FEATURE_SIGMA_PX = 1.0
"""The first camera is solved from the features of so many proposals; sigma of a matched feature."""

ROUGH_MM = 15.0
CLAIM_SCALE = 4
CLAIM_FROM = 0.5
INNER = 0.93
"""Share of a piece within which a claim of another one matters: beside it, claims reach a pixel too far."""

MIN_SHARE = 0.16
"""A face with 60 % covered still agrees on more than this; frames and ornaments shared with foreign cards stay below
the margin instead."""

NUDGE_BELOW = 0.6
"""Share of agreement under which a face may lie beside where it was fitted; in place and in view it has more."""

MAX_RESIDUAL_PX = 1.4
"""The points of a true piece lie on one rigid card. On 60 random tables the worst of 780 pieces has a median residual
of 1.2 px (bent, strong lens, camera just solved), the best of 19 false ones 1.7."""

CARDS_HIGH, TILES_HIGH = (1.1, 12.0), (4.0, 16.0)
"""How many cards or tiles the frame is high, at least and at most. Of tiles there must be room for a game: where one
might have filled the frame, the grain of oak voted for giant ones, and a lone tile was not found."""

MOST_ATTEMPTS = 3


@dataclass(frozen=True, eq=False)
class Patch:
    """Where the picture shows a piece, as drawn once under a camera."""

    camera: Camera
    shape: tuple[int, ...]
    at: tuple[slice, slice]
    mask: NDArray[np.uint8]


class Finder:
    """Everything that knows the deck."""

    def __init__(self, bank: FaceBank) -> None:
        self.bank = bank
        self.features = FeatureFinder(bank)
        self._patches: WeakKeyDictionary[Found, Patch] = WeakKeyDictionary()
        self._looked: tuple[ref[Still], Camera, tuple[float, ...], Look] | None = None
        self.namers = [Namer(bank, k) for k in range(len(bank.sizes))]

    def kind(self, match: Match) -> str:
        return self.template(match.template).face.kind

    def template(self, index: int) -> Template:
        return self.bank.templates[index]

    def look(
        self,
        still: Still,
        camera: Camera,
        pose: Array,
        size_mm: tuple[float, float],
        claimed: NDArray[np.uint8] | None = None,
    ) -> Look:
        """The patch at a pose, prepared for naming. claimed: (h/4, w/4) not 0 where other pieces are seen to lie."""
        at = (*pose.tolist(), *size_mm)
        if claimed is None and self._looked is not None:
            of, by, there, before = self._looked
            if of() is still and by is camera and there == at:
                return before  # a piece is named, and then asked where it agrees
        m = rectify_map(camera, pose, *size_mm)
        patch = np.asarray(sample(still.bgr, m), np.uint8)
        w, h = still.size
        inside = (m[..., 0] >= 0) & (m[..., 0] <= w - 1) & (m[..., 1] >= 0) & (m[..., 1] <= h - 1)
        if claimed is not None:
            small = (m + 0.5) / CLAIM_SCALE - 0.5
            taken = sample(claimed, small, nearest=True)
            inside &= taken == 0
        seen = look(patch, inside)
        if claimed is None:
            self._looked = ref(still), camera, at, seen
        return seen

    def claim(self, camera: Camera, f: Found, mask: NDArray[np.uint8]) -> None:
        """Mark in `mask` (h/4, w/4) where the picture shows this piece."""
        patch = self._patches.get(f)
        if patch is None or patch.camera is not camera or patch.shape != mask.shape:
            patch = self._patches[f] = self._patch(camera, f, mask.shape)
        here = mask[patch.at]
        np.maximum(here, patch.mask, out=here)

    def _patch(self, camera: Camera, f: Found, shape: tuple[int, ...]) -> Patch:
        t = self.template(f.template)
        corners = self.namers[t.shape_id].block_corners()
        local = rect_to_local(corners.reshape(-1, 2), *t.size_mm)
        px = (camera.project(place(f.pose, local)) + 0.5) / CLAIM_SCALE - 0.5
        grid = np.round(px).astype(np.int32).reshape(corners.shape)
        low = np.clip(grid.min((0, 1)), 0, shape[::-1])
        high = np.clip(grid.max((0, 1)) + 1, low, shape[::-1])
        at = (slice(low[1], high[1]), slice(low[0], high[0]))
        part = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        if part.size:
            for r, c in zip(*np.nonzero(f.agree > CLAIM_FROM), strict=True):
                cv2.fillConvexPoly(part, grid[[r, r, r + 1, r + 1], [c, c + 1, c + 1, c]] - low, 255)
        return Patch(camera, shape, at, part)

    def claims(self, still: Still, camera: Camera, found: list[Found]) -> NDArray[np.uint8]:
        """(h/4, w/4) 255 where the picture shows one of the pieces."""
        w, h = still.size
        mask = np.zeros((max(1, h // CLAIM_SCALE), max(1, w // CLAIM_SCALE)), np.uint8)
        for f in found:
            self.claim(camera, f, mask)
        return mask

    def _unclaimed(self, camera: Camera, f: Found, claimed: NDArray[np.uint8]) -> bool:
        """Whether no other piece is seen within a piece, its rim apart. claimed: (h/4, w/4) as `claims` has it."""
        corners = corners_mm(self.bank, f)
        inner = corners.mean(0) + (corners - corners.mean(0)) * INNER
        px = np.round((camera.project(inner) + 0.5) / CLAIM_SCALE - 0.5).astype(np.int32)
        low = np.clip(px.min(0), 0, claimed.shape[::-1])
        high = np.clip(px.max(0) + 1, low, claimed.shape[::-1])
        here = claimed[low[1] : high[1], low[0] : high[0]]
        mask = np.zeros(here.shape, np.uint8)
        if mask.size:
            cv2.fillConvexPoly(mask, px - low.astype(np.int32), 255)
        return not (mask & here).any()

    def rough_pose(self, camera: Camera, proposal: Proposal) -> Array:
        """A proposal's pose on the table."""
        c = np.array(proposal.centre_px)
        d = np.array([np.cos(proposal.angle), np.sin(proposal.angle)]) * 20
        p = camera.unproject(np.stack([c, c + d]))
        v = p[1] - p[0]
        pose = np.array([p[0, 0], p[0, 1], np.arctan2(v[1], v[0])])
        if len(proposal.px) < 3:
            return pose
        # The votes' middle is 5 to 10 mm off on a tilted table, an arch too far; the matches themselves are not.
        matched = Sighting(proposal.local_mm, proposal.px, np.full(len(proposal.px), 1 / FEATURE_SIGMA_PX))
        refined, _, _ = solve_pose(camera, pose, matched)
        return refined if float(np.hypot(*(refined[:2] - pose[:2]))) < ROUGH_MM else pose

    def fit(
        self, still: Still, camera: Camera, pose: Array, template: int, steps: list[int]
    ) -> tuple[Array, Array, Followed, float] | None:
        """Follow and solve, once for each of `steps` (pyramid levels, see `follow`).

        Returns pose, covariance, what was followed, residual px; or None.
        """
        t = self.template(template)
        result = None
        for k, step in enumerate(steps, 1):
            followed = agreeing(camera, follow(still.luma, camera, pose, t, levels=step))
            if len(followed.sighting.px) < MIN_POINTS:
                return None
            # But for the last the pose is only where to follow from.
            pose, cov, residual = solve_pose(camera, pose, followed.sighting, rounds=8 if k == len(steps) else 2)
            spread = float(np.sqrt(np.median((residual**2).sum(1))))
            result = pose, cov, followed, spread
        return result

    def identify(
        self,
        still: Still,
        camera: Camera,
        pose: Array,
        shape_id: int,
        white: NDArray[np.float32] | None,
        claimed: NDArray[np.uint8] | None = None,
    ) -> tuple[Match, float] | None:
        """Best face at a pose, and the evidence for its kind against the nearest rival (log likelihood ratio)."""
        seen = self.look(still, camera, pose, self.bank.sizes[shape_id], claimed)
        return identify(self.bank, self.namers[shape_id], seen, white)

    def examine(
        self,
        still: Still,
        camera: Camera,
        pose: Array,
        template: int,
        white: NDArray[np.float32] | None,
        levels: int = 2,
        claimed: NDArray[np.uint8] | None = None,
        may_nudge: bool = True,
    ) -> Found | None:
        """Fit, name and judge one proposal; None when it is no piece."""
        for attempt in range(MOST_ATTEMPTS):
            fitted = self.fit(still, camera, pose, template, [levels, 0, 0] if levels else [0])
            if fitted is None:
                return None
            pose, cov, followed, spread = fitted
            named = self.identify(still, camera, pose, self.template(template).shape_id, white, claimed)
            if named is None:
                return None
            best, evidence = named
            if best.turns == 0 and best.template == template:
                break
            if attempt == MOST_ATTEMPTS - 1:
                return None
            pose = np.array([pose[0], pose[1], pose[2] + best.turns * np.pi / 2])
            template, levels = best.template, 0
        if best.share < MIN_SHARE or spread > MAX_RESIDUAL_PX:
            return None
        agree = self.agreement(still, camera, pose, template)
        found = Found(template, pose, cov, followed.sighting, spread, best, evidence, followed.share, agree)
        if may_nudge and best.share < NUDGE_BELOW:
            for other_pose in beside(still.bgr, camera, pose, self.template(template)):
                other = self.examine(still, camera, other_pose, template, white, 0, claimed, may_nudge=False)
                if other is not None and other.match.share > found.match.share:
                    found = other
        return found

    def agreement(self, still: Still, camera: Camera, pose: Array, template: int) -> Float:
        """(rows, columns) where the picture shows a face at a pose."""
        t = self.template(template)
        return self.namers[t.shape_id].agreement(self.look(still, camera, pose, t.size_mm), template)

    def propose(
        self, still: Still, camera: Camera | None, mask: NDArray[np.uint8] | None, fine: bool = False
    ) -> list[Proposal]:
        """Where faces may lie, where `mask` is not 0. camera: None while not even the scale is known."""
        h = still.size[1]
        longest = max(max(s) for s in self.bank.sizes)
        scales = (h / CARDS_HIGH[1] / longest, h / CARDS_HIGH[0] / longest)
        tiles = [t.size_mm[0] for t in self.bank.templates if t.face.piece == "tile"]
        if tiles:
            scales = (h / TILES_HIGH[1] / min(tiles), h / TILES_HIGH[0] / min(tiles))
        if camera is not None:
            ppm = 1 / camera.mm_per_px
            scales = (ppm * 0.7, ppm * 1.5)
        return self.features.propose(still.quiet, mask, scales, fine)

    def propose_from_above(self, still: Still, camera: Camera, mask: NDArray[np.uint8]) -> list[Proposal]:
        """Where faces may lie, where `mask` is not 0: with the picture's full resolution, and no tilt or lens in it."""
        view = table_view(still.quiet, mask, camera)
        if view is None:
            return []
        out = []
        for p in self.features.propose(view.image, view.mask, (view.px_per_mm, view.px_per_mm), fine=True):
            middle = view.to_table(np.array([p.centre_px]))
            ahead = middle + 20 * np.array([[np.cos(p.angle), np.sin(p.angle)]])
            centre, nose = camera.project(np.concatenate([middle, ahead]))
            out.append(
                replace(
                    p,
                    centre_px=(float(centre[0]), float(centre[1])),
                    angle=float(np.arctan2(*(nose - centre)[::-1])),
                    px_per_mm=1 / camera.mm_per_px,
                    px=camera.project(view.to_table(p.px)),
                )
            )
        return out

    def check(
        self,
        still: Still,
        camera: Camera,
        proposals: list[Proposal],
        white: NDArray[np.float32] | None,
        known: list[Found],
    ) -> list[Found]:
        """The proposals that are pieces, other than those `known`."""
        candidates: list[Found] = []
        for proposal in proposals:
            pose = self.rough_pose(camera, proposal)
            if any(same_place(self.bank, f, pose, proposal.faces[0]) for f in known + candidates):
                continue
            for face in proposal.faces[:2]:
                piece = self.examine(still, camera, pose, face, white)
                if piece is not None:
                    if not any(same_place(self.bank, f, piece.pose, piece.template) for f in known + candidates):
                        candidates.append(piece)
                    break
        return self.select(still, camera, white, known, candidates)

    def first_cameras(self, size: tuple[int, int], proposals: list[Proposal]) -> list[Camera]:
        """First solutions from the matched features themselves, which need no pose to be right already.

        One for each scale that several proposals share, the best supported first: a chequered cloth may look like
        many backs of one giant deck.
        """
        left = sorted(proposals, key=lambda p: -p.votes)
        out: list[Camera] = []
        while left and len(out) < MOST_SCALES:
            groups = [[q for q in left if abs(np.log(q.px_per_mm / p.px_per_mm)) < SAME_SCALE] for p in left[:12]]
            group = max(groups, key=_support)
            if out and _support(group) < LEAST_SUPPORT:
                break
            camera = guess_camera(*size, float(np.median([q.px_per_mm for q in group])))
            chosen = [q for q in group if len(q.px) >= FIRST_POINTS][:FIRST_PIECES]
            if chosen:
                sightings = [Sighting(q.local_mm, q.px, np.full(len(q.px), 1 / FEATURE_SIGMA_PX)) for q in chosen]
                camera = solve(camera, sightings).camera
            out.append(camera)
            left = [q for q in left if q not in group]
        return out

    def select(
        self,
        still: Still,
        camera: Camera,
        white: NDArray[np.float32] | None,
        known: list[Found],
        candidates: list[Found],
    ) -> list[Found]:
        """Best first, each candidate judged only by what no better piece claims.

        Artwork repeats itself (arches, ornaments): a face fitted one arch too far agrees in part, too, but with pixels
        that the true piece explains better.
        """
        claimed = self.claims(still, camera, known)
        out = []
        for f in sorted(candidates, key=lambda f: -f.match.score):
            if self._unclaimed(camera, f, claimed):  # then it would be judged as it has been: a sixth of a first look
                out.append(f)
                self.claim(camera, f, claimed)
                continue
            shape = self.template(f.template).shape_id
            named = self.identify(still, camera, f.pose, shape, white, claimed)
            if named is None:
                continue
            match, evidence = named
            # What is left may look the same either way up, as carpets do: the turn found from the whole stands.
            if match.share < MIN_SHARE or self.kind(match) != self.template(f.template).face.kind:
                continue
            f = replace(f, match=replace(match, template=f.template, turns=0), evidence=evidence)
            out.append(f)
            self.claim(camera, f, claimed)
        return out


def _support(group: list[Proposal]) -> int:
    return sum(p.votes - MIN_VOTES + 1 for p in group)
