"""Tiles laid edge to edge: each place beside a known tile is looked at, and the deck's faces are tried there.

A tile of the same green as its neighbour shows no border, and its features are few; but it can lie in one of four
places only, to a millimetre and a few degrees. So the picture is compared there with every face, each way up, and the
best ones are fitted: propose by the neighbours, verify by synthesis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera, box, guess_camera, place
from vision.faceless import AMPLE_TABLE, FOREIGN, LEAST_TABLE, TableColours, lies
from vision.features import Proposal
from vision.finder import MAX_RESIDUAL_PX, TILES_HIGH, Finder
from vision.found import Found, corners_mm
from vision.lattice import beside, between, is_beside
from vision.lone import lone_tiles
from vision.naming import Match
from vision.rectangles import find_rectangles
from vision.scene import BACK
from vision.solve import Sighting, rigid
from vision.still_image import Still

LEAST_IN_VIEW = 0.5
"""Share of a place that must be in the frame, and changed, to be looked at."""

LEAST_SHARE = 0.22
"""Share of a tile's blocks that agree with the best face, not yet fitted, for a place to be worth fitting there."""

ACCEPT_SHARE = 0.35

SURE_POINTS, SURE_PX, SURE_SHARE = 16, 0.5, 0.3
"""A start tile with three cars on it showed 25 points that lie on one rigid square to 0.2 px, and 0.45 of its face."""

SURELY = 0.75
"""Share of a tile that agrees with a face, from which no other one is fitted: eight of ten tiles under no meeple."""

PLAIN_SHARE, PLAIN_RIVAL, PLAIN_HUE = 0.15, 0.45, 0.25
"""A place at which one face agrees with so little is still a tile's when no other kind comes near and the hue fits:
plain cities in a dim room have 0.2 and a third of it, the bare table up to 0.38, but then another has 0.7 of it."""
HERE_SHARE, HERE_RIVAL, HERE_HUE, HERE_EVIDENCE = 0.2, 0.7, 0.27, 5.0
"""Where a tile lies for certain the table is no rival. Of 646 tiles with half to nine tenths of their contrast taken,
noise and blots added, 98 were not named as `ACCEPT_SHARE` and `PLAIN_SHARE` ask; of these 23 are named right so and
none wrong: the nine whose likeliest face is another have a share under 0.14, or 0.23 with a hue of 0.31."""

PLACE_SIGMA_MM, PLACE_SIGMA_DEG = 0.8, 1.5
"""What is known of a tile's place from its neighbours alone."""
SAME_SCORE = 0.9
"""A face that explains the picture nearly as well another way round looks the same so."""

MOST_FACES = 3
"""Faces fitted at one place."""

MANY_TILES = 12
"""From so many on one that is not found yet is no great part of what is taken for the table."""

MOST_OUTLINES = 100
"""Outlines that are looked at whatever is within them: elsewhere than on chequers there are hardly more."""

BEYOND_MM, TILE_THICK_MM = 100.0, 1.9
"""A card so far from all tiles tells of the lens what they cannot; it lies by so much lower than their upper sides."""

OVERLAP_MM = 4.0
"""A fitted tile that comes nearer than this to a whole side's length to a known one lies on it: no tile laid there."""


class Board:
    """What tiles are to seeing: the places beside them, and the ruler where there are any."""

    def __init__(self, finder: Finder) -> None:
        self.finder = finder
        templates = finder.bank.templates
        self.laid = {
            k
            for k, t in enumerate(templates)
            if t.face.piece == "tile" and t.face.kind != BACK and t.size_mm[0] == t.size_mm[1]
        }
        """Templates of the tiles that are laid edge to edge, face up."""

        self.only = bool(self.laid) and all(t.face.piece == "tile" for t in templates)
        """Nothing but tiles is in the deck: they lie beside each other, and need not be looked for by outlines as well,
        which took a quarter of a first look at eighty."""

    def rulers(self, found: list[Found]) -> list[Found]:
        """The pieces to learn the camera from. Where tiles are laid, only they: cards lie lower than a tile's upper
        side, and a pile's top much higher."""
        return [f for f in found if f.template in self.laid] if self.laid else found

    def crowded(self, found: list[Found]) -> bool:
        """Whether two tiles lie partly in one place: no camera sees that. By one that was tilted by 50 degrees two
        true proposals fitted at wrong scales, and the rest of the board did not."""
        tiles = [f for f in found if f.template in self.laid]
        return any(
            float(np.hypot(*(a.pose[:2] - b.pose[:2]))) < min(self.finder.template(a.template).size_mm) - OVERLAP_MM
            for i, a in enumerate(tiles)
            for b in tiles[:i]
        )

    def sightings(self, found: list[Found]) -> list[tuple[Array, Sighting]]:
        """Poses and sightings to refine the camera by: the rulers, and before them the cards that lie face up beyond
        all tiles, by a tile's thickness lower.

        A lens learned from a road in the middle of the picture is a guess at its rim: there cards were drawn up to 15 %
        too large, and were not found."""
        rulers = self.rulers(found)
        out = [(f.pose, f.sighting) for f in rulers]
        if not self.laid or not rulers:
            return out
        tiles = np.array([f.pose for f in rulers])
        for f in found:
            face = self.finder.template(f.template).face
            if face.piece == "card" and face.kind != BACK and _nearest(tiles, f.pose) > BEYOND_MM:
                out.insert(0, (f.pose, replace(f.sighting, height_mm=-TILE_THICK_MM)))
        return out

    def ruling(self, proposals: list[Proposal]) -> list[Proposal]:
        """The proposals to begin a camera from: as `rulers`."""
        return [p for p in proposals if p.faces[0] in self.laid] if self.laid else proposals

    def beyond_doubt(self, f: Found) -> bool:
        """Whether a tile that solid pieces cover in part is still sure enough to learn the camera from."""
        sure = len(f.sighting.px) >= SURE_POINTS and f.residual_px < SURE_PX
        return f.template in self.laid and sure and f.match.share > SURE_SHARE

    def vouches(self, f: Found) -> bool:
        """Whether a piece that shows little of itself was taken for its place among the tiles."""
        return f.template in self.laid and f.followed_share == 0.0

    def lone_tiles(self, still: Still, proposals: list[Proposal]) -> Iterator[tuple[Camera, Found]]:
        """Tiles that lie alone, each with the camera that its size tells, when nothing is known of the camera: by the
        few features that a start tile may have, which the grain of a table outvotes, and by its outline."""
        yield from lone_tiles(self.finder, self.laid, still, proposals)
        for shape in sorted({self.finder.template(k).shape_id for k in self.laid}):
            size = self.finder.bank.sizes[shape]
            sides = still.size[1] / TILES_HIGH[1], still.size[1] / TILES_HIGH[0]
            worth, area = _unlike_the_table(still), (0.5 * sides[0] ** 2, 2 * sides[1] ** 2)
            for rectangle in find_rectangles(still.bgr, 1.0, worth=worth, area_px=area):
                corners = rectangle.corners_px
                side = float(np.hypot(*(np.roll(corners, -1, axis=0) - corners).T).mean())
                if not TILES_HIGH[0] < still.size[1] / side < TILES_HIGH[1]:
                    continue
                camera = guess_camera(*still.size, side / size[0])
                found = at_place(self.finder, still, camera, rigid(box(*size), camera.unproject(corners)), shape, None)
                if found is not None and found.template in self.laid:
                    yield camera, found

    def find_faceless(
        self,
        still: Still,
        camera: Camera,
        white: NDArray[np.float32] | None,
        known: list[Found],
        mask: NDArray[np.uint8] | None,
        places: list[Array],
    ) -> list[Found]:
        """Tiles whose faces cannot be told (`vision.faceless`), edge to edge with `known` ones or with each other,
        where `mask` (h, w) is not 0, or at one of the `places`; and those beside them whose faces can."""
        out: list[Found] = []
        for shape in sorted({self.finder.template(k).shape_id for k in self.laid}):
            tiles = [f for f in known if f.template in self.laid and self.finder.template(f.template).shape_id == shape]
            side = self.finder.bank.sizes[shape][0]
            laid = np.array([f.pose for f in tiles]).reshape(-1, 3)
            around = _free([slot for f in tiles for slot in beside(f.pose, side)], laid, side)
            queue = [(pose, None) for pose in _free(places, laid, side)] + [(pose, mask) for pose in around]
            queue = [(p, m) for p, m in queue if in_view(still, camera, p, side, m)]
            if not queue:
                continue
            others = [corners_mm(self.finder.bank, f) for f in known if f.template not in self.laid]
            covered = [camera.project(corners_mm(self.finder.bank, f)) for f in known]
            covered += [camera.project(place(p, box(side, side))) for p in around]
            farther = [] if len(tiles) >= MANY_TILES else [q for p in around for q in beside(p, side)]
            farther = [camera.project(place(q, box(side, side))) for q in farther]
            table = TableColours(still, covered + farther) if len(tiles) < MANY_TILES else None
            if table is None or table.share < AMPLE_TABLE:
                table = TableColours(still, covered)
            tried: list[Array] = []
            while queue and table.share > LEAST_TABLE:
                pose = queue.pop(0)[0]
                if _nearest(laid, pose) < side / 2 or _nearest(np.array(tried).reshape(-1, 3), pose) < side / 6:
                    continue
                tried.append(pose)
                if not is_beside(laid, pose, side) or any(np.hypot(*(c.mean(0) - pose[:2])) < side for c in others):
                    continue
                pose, _ = between(laid, pose, side)
                foreign = table.foreign(camera, pose, side)
                if foreign < FOREIGN:
                    continue
                found = at_place(self.finder, still, camera, pose, shape, white)
                if found is not None and _nearest(laid, found.pose) < side - OVERLAP_MM:
                    found = None
                if found is None:
                    free = [(k + 1) % 4 for k, p in enumerate(beside(pose, side)) if _nearest(laid, p) > side / 3]
                    if not lies(still, camera, pose, side, free, foreign):
                        continue
                    found = certainly_at(self.finder, self.laid, still, camera, pose, shape, white)
                if found is not None:
                    laid = np.vstack([laid, found.pose])
                    out.append(found)
                    fresh = [(p, mask) for p in beside(found.pose, side)]
                    queue += [(p, m) for p, m in fresh if in_view(still, camera, p, side, m)]
        return out

    def find_beside(
        self,
        still: Still,
        camera: Camera,
        white: NDArray[np.float32] | None,
        known: list[Found],
        mask: NDArray[np.uint8] | None,
    ) -> list[Found]:
        """Tiles that lie edge to edge with `known` ones or with each other, where `mask` (h, w) is not 0."""
        queue = [f for f in known if f.template in self.laid]
        laid = np.array([f.pose for f in queue]).reshape(-1, 3)
        tried: list[tuple[Array, int]] = []
        out: list[Found] = []
        while queue:
            tile = queue.pop(0)
            shape = self.finder.template(tile.template).shape_id
            side = self.finder.bank.sizes[shape][0]
            for pose in beside(tile.pose, side):
                if _nearest(laid, pose) < side / 2 or not in_view(still, camera, pose, side, mask):
                    continue
                pose, neighbours = between(laid, pose, side)
                if any(n >= neighbours and np.hypot(*(p[:2] - pose[:2])) < side / 6 for p, n in tried):
                    continue
                tried.append((pose, neighbours))
                found = at_place(self.finder, still, camera, pose, shape, white)
                if found is None or _nearest(laid, found.pose) < side - OVERLAP_MM:
                    continue
                laid = np.vstack([laid, found.pose])
                out.append(found)
                queue.append(found)
        return out


def _unlike_the_table(still: Still) -> Callable[[Array], bool]:
    """Which outlines (4, 2) px to look at: the first ones all, later ones only where the picture has rare colours. On a
    chequered cloth with a single tile on it 1600 were measured, in 18 s."""
    table, count = TableColours(still, []), 0

    def worth(quad: Array) -> bool:
        nonlocal count
        count += 1
        return count <= MOST_OUTLINES or table.foreign_within(quad) > FOREIGN

    return worth


def _free(places: list[Array], laid: Array, side: float) -> list[Array]:
    """The places where none of the tiles (n, 3) lies, each once: four tiles around a hole all name it."""
    if not places:
        return []
    free = np.array(places)
    if len(laid):
        free = free[np.hypot(*(free[:, None, :2] - laid[None, :, :2]).transpose(2, 0, 1)).min(1) > side / 2]
    out: list[Array] = []
    for pose in free:
        if _nearest(np.array(out).reshape(-1, 3), pose) > side / 6:
            out.append(pose)
    return out


def _nearest(points: Array, pose: Array) -> float:
    """Distance of the nearest of points (n, 2 or more) mm."""
    return float(np.hypot(*(points[:, :2] - pose[:2]).T).min()) if len(points) else np.inf


def in_view(still: Still, camera: Camera, pose: Array, side: float, mask: NDArray[np.uint8] | None) -> bool:
    """Whether enough of a place lies in the frame, where the mask is not 0."""
    steps = np.linspace(-0.4, 0.4, 5) * side
    grid = np.column_stack([a.ravel() for a in np.meshgrid(steps, steps)])
    px = np.round(camera.project(place(pose, grid))).astype(int)
    w, h = still.size
    ok = (px[:, 0] >= 0) & (px[:, 1] >= 0) & (px[:, 0] < w) & (px[:, 1] < h)
    if mask is not None:
        ok[ok] = mask[px[ok, 1], px[ok, 0]] > 0
    return float(ok.mean()) > LEAST_IN_VIEW


def at_place(
    finder: Finder, still: Still, camera: Camera, pose: Array, shape: int, white: NDArray[np.float32] | None
) -> Found | None:
    """The tile that lies at a place known to a millimetre or two, any way up; None when there is none."""
    size = finder.bank.sizes[shape]
    matches = finder.namers[shape].judge(finder.look(still, camera, pose, size), white)
    best: Found | None = None
    for m in matches[:MOST_FACES]:
        if m.share < LEAST_SHARE:
            break
        found = _fitted(finder, still, camera, _turned(pose, m), m.template, white)
        if found is not None and (best is None or found.match.score > best.match.score):
            best = found
        if best is not None and best.match.share > SURELY and best.evidence > 0:
            break
    if best is not None and best.match.share >= ACCEPT_SHARE:
        return best
    other = next((m.share for m in matches if finder.kind(m) != finder.kind(matches[0])), 0.0) if matches else 1.0
    if not matches or matches[0].share < PLAIN_SHARE or other > PLAIN_RIVAL * matches[0].share:
        return None
    return _unfitted(finder, still, camera, pose, matches[0], white) if matches[0].hue < PLAIN_HUE else None


def certainly_at(
    finder: Finder,
    laid: set[int],
    still: Still,
    camera: Camera,
    pose: Array,
    shape: int,
    white: NDArray[np.float32] | None,
) -> Found | None:
    """The tile at a place where one lies beyond doubt: named by less than it takes elsewhere, else faceless. None when
    it looks like a back. laid: the templates of tiles that lie face up."""
    matches = finder.namers[shape].judge(finder.look(still, camera, pose, finder.bank.sizes[shape]), white)
    if not matches or matches[0].template not in laid:
        return None
    fits = [_fitted(finder, still, camera, _turned(pose, m), m.template, white) for m in matches[:MOST_FACES]]
    best = max((f for f in fits if f is not None), key=lambda f: f.match.score, default=None)
    if best is not None and _will_do(best) and best.template in laid:
        return best
    unfitted = _unfitted(finder, still, camera, pose, matches[0], white)
    other = next((m.share for m in matches if finder.kind(m) != finder.kind(matches[0])), 0.0)
    if _will_do(unfitted) and other < HERE_RIVAL * matches[0].share:
        return unfitted
    return replace(unfitted, pose=pose, evidence=0.0, agree=np.zeros_like(unfitted.agree), faceless=True)


def _will_do(f: Found) -> bool:
    return f.match.share >= HERE_SHARE and f.match.hue < HERE_HUE and f.evidence >= HERE_EVIDENCE


def _turned(pose: Array, m: Match) -> Array:
    return np.array([pose[0], pose[1], pose[2] + m.turns * np.pi / 2])


def _fitted(
    finder: Finder, still: Still, camera: Camera, pose: Array, template: int, white: NDArray[np.float32] | None
) -> Found | None:
    """One face at a place. Its evidence is 0 when another one explains the picture as well: a tile it is, but which one
    cannot be told, as when a figure stands on the only shield that two faces differ by."""
    fitted = finder.fit(still, camera, pose, template, [1, 0])
    if fitted is None or fitted[3] > MAX_RESIDUAL_PX:
        return None
    pose, cov, followed, spread = fitted
    own, evidence = _judged(finder, still, camera, pose, template, white)
    agree = finder.agreement(still, camera, pose, template)
    return Found(template, pose, cov, followed.sighting, spread, own, evidence, followed.share, agree)


def _judged(
    finder: Finder, still: Still, camera: Camera, pose: Array, template: int, white: NDArray[np.float32] | None
) -> tuple[Match, float]:
    """How well a face explains the picture, and the evidence for its kind."""
    t = finder.template(template)
    namer = finder.namers[t.shape_id]
    matches = namer.judge(finder.look(still, camera, pose, t.size_mm), white, [namer.index.index(template)])
    own = next(m for m in matches if m.turns == 0)
    named = finder.identify(still, camera, pose, t.shape_id, white)
    if named is None or finder.kind(named[0]) != t.face.kind:
        return own, 0.0
    return own, named[1] if named[0].turns == 0 or own.score > SAME_SCORE * named[0].score else 0.0


def _unfitted(
    finder: Finder, still: Still, camera: Camera, pose: Array, m: Match, white: NDArray[np.float32] | None
) -> Found:
    """A face with too little on it to be followed, a city from edge to edge in a dim room, where its neighbours say."""
    pose = _turned(pose, m)
    corners = box(*finder.template(m.template).size_mm)
    px = camera.project(place(pose, corners))
    seen = Sighting(corners, px, np.full(4, camera.mm_per_px / PLACE_SIGMA_MM))
    _, evidence = _judged(finder, still, camera, pose, m.template, white)
    cov = np.diag([PLACE_SIGMA_MM**2, PLACE_SIGMA_MM**2, np.radians(PLACE_SIGMA_DEG) ** 2])
    agree = finder.agreement(still, camera, pose, m.template)
    return Found(m.template, pose, cov, seen, 0.0, replace(m, turns=0), evidence, 0.0, agree)
