"""Find coloured solid pieces, meeples and small cars, on the faces that lie there and beside them.

What lies flat is known: its pictures under the light of the still say what each pixel should show (`token_backdrop`).
Where the still shows one of the session's colours instead (`token_colours`), outlines of the pieces as they are seen
from this camera are laid over it (`token_fit`, `token_shapes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from vision.camera import Array, Camera
from vision.sampling import sample
from vision.scene import Point, Quad, TokenKind
from vision.token_backdrop import Backdrop, FlatPiece, Window, lay_backdrop
from vision.token_colours import WORST, Paint, Tints, paint_likelihood
from vision.token_fit import Placed, fit_colour, foot_of
from vision.token_light import Light, grey_world, light_of
from vision.token_maps import Evidence, Ground, Rgb, is_black, paints_of, weigh
from vision.token_shapes import StampBook, stamps, turned

SAME_PLACE = 0.4
"""Two pieces do not share more of the picture than this part of the smaller."""
ON_TABLE = 0.5
"""Evidence counts less beside the faces, where it is only guessed what should be seen: of two cars of one colour the
one on a road tile is the piece."""
SAME_PIECE_MM = 7.0
"""Half the width of a piece: two of a colour do not stand nearer to each other."""
LEAST_ON_FACE = 0.85
"""Mean evidence a pixel of a piece on a face, where prints of its colour are, and more depends on it: with 0.5, as
beside all, 96 stills of games gave 3 more of 1584 pieces and 8 more false ones."""
VOTES = 3.0
"""Independent words on the colour that a piece's pixels amount to: they share lamp, gloss and white balance."""
NO_COLOUR = -3.0
"""Mean log likelihood a pixel at which a piece may as well be of no colour of the session."""
LEAST_CONFIDENCE = 0.25
"""What is less sure than this is nothing that players should be asked about."""
BLACK_BESIDE = 0.75
"""How sure a black piece beside all faces is at most: a dark print in a shadow is as black."""
WINDSCREEN, REAR = (0.05, 0.22), (0.25, 0.42)
"""Shares of a car's length, ahead of its middle and behind it, where its windows are: 94 % of 347 noses on generated
boards are told by both (black cars by chance), 85 % by the windscreen alone."""
FOOT_SIGMA_MM = 0.6
"""1 sigma of the outline's place."""
HEIGHT_SIGMA = 0.1
"""Pieces of a kind differ in height by so much, which shifts the foot when they lean in the picture."""


@dataclass(frozen=True)
class Token:
    """A coloured solid piece."""

    kind: str
    """`meeple`, `car`."""
    colour: str
    """One of the session's colours: the likeliest."""
    confidence: float
    """0 to 1: how sure kind and colour are."""
    centre_px: Point
    """Its middle, half its height up, in picture pixels."""
    corners_px: Quad
    """The rectangle it stands on: length along the heading, clockwise."""
    foot_mm: Point
    """The middle of what it stands on, in the plane of the faces."""
    foot_sigma_mm: float
    heading_deg: float | None
    """Of a car: the way its long axis points, clockwise from the table's x axis."""
    pose: str
    """Of a meeple: `standing` or `lying`; else empty."""
    pose_confidence: float
    on: int | None
    """Index of the topmost flat piece below its foot; None beside all."""
    odds: tuple[tuple[str, float], ...]
    """Probability of each of the session's colours; what is missing to 1 is none of them."""


def find_tokens(
    still_bgr: NDArray[np.uint8],
    camera: Camera,
    tiles: Sequence[FlatPiece],
    kinds: Sequence[TokenKind],
    light: Light | None = None,
    samples: Mapping[str, Rgb] | None = None,
    solids_px: Sequence[Array] = (),
    book: StampBook | None = None,
    changed: NDArray[np.bool_] | None = None,
) -> list[Token]:
    """All coloured pieces in a still.

    still_bgr: (h, w, 3). tiles: what was found lying flat, the lowest first. light: of the still, where it is known
    already; else it is fitted to the tiles. samples: calibrated sRGB colours by name, in the light of the deck's
    pictures. solids_px: outlines (n, 2) of other solid things (dice, hands), where there are no tokens. book: outlines
    drawn for this camera before (`stamps`); saves a third of the time on later stills. changed: (h, w) True where the
    still differs from an earlier one; groups of pieces that it does not touch are left out, for they stand as they did.
    """
    back = lay_backdrop(still_bgr, camera, list(tiles))
    if book is None or book.camera != camera or book.scale != back.scale:
        book = stamps(camera)
    small = None if changed is None else back.reduced(changed)
    light = light or light_of(back) or grey_world(back)
    return look_for_tokens(back, light, camera, tiles, kinds, book, samples or {}, solids_px, small)[0]


def look_for_tokens(
    back: Backdrop,
    light: Light,
    camera: Camera,
    tiles: Sequence[FlatPiece],
    kinds: Sequence[TokenKind],
    book: StampBook,
    samples: Mapping[str, Rgb],
    solids_px: Sequence[Array] = (),
    changed: NDArray[np.bool_] | None = None,
    windows: Sequence[Window] = (),
    ground: Ground | None = None,
) -> tuple[list[Token], Ground]:
    """As `find_tokens`, the backdrop laid and the light told; and what later looks at parts of the table can go by.

    changed: (h, w) as the backdrop. windows: parts of it to look at, by what `ground` says of all; else all of it.
    """
    frame = back.owner.shape[0], back.owner.shape[1]
    found: list[Candidate] = []
    for window in windows or [Window(0, 0, frame[1], frame[0])]:
        seen = weigh(back.part(window), light, kinds, samples, solids_px, ground)
        ground = ground or seen.ground
        here = None if changed is None else changed[window.pixels]
        for kind, paint, weight in seen.weights:
            placed = fit_colour(weight, paint.name, kind, book, here, window, frame)
            found += [Candidate(kind, p, seen) for p in placed]
    assert ground is not None
    flats = [shapely.Polygon(t.corners_mm()) for t in tiles]
    out = [_token(c, samples, light, camera, flats) for c in _apart(_counted(found, back, camera), frame)]
    out = [t for t in out if t.confidence >= LEAST_CONFIDENCE]
    return sorted(out, key=lambda t: (t.kind, t.colour, t.foot_mm)), ground


@dataclass(frozen=True, eq=False)
class Candidate:
    """A place where a piece of a kind may stand, and the part of the still that shows it."""

    kind: TokenKind
    placed: Placed
    seen: Evidence

    @property
    def here(self) -> Placed:
        """Where it is in that part."""
        x, y = self.seen.back.at
        return self.placed.moved(-x, -y)


def _counted(found: list[Candidate], back: Backdrop, camera: Camera) -> list[Candidate]:
    """Of each colour no more than there are, those with the most evidence, and none twice."""
    out: list[Candidate] = []
    ordered = sorted(
        found,
        key=lambda c: -c.placed.evidence * (1.0 if back.known[c.placed.pixel(back.known.shape)] else ON_TABLE),
    )
    kept: dict[tuple[str, str], list[Array]] = {}
    for c in ordered:
        if back.known[c.placed.pixel(back.known.shape)] and c.placed.mean < LEAST_ON_FACE:
            continue
        same, foot = kept.setdefault((c.kind.kind, c.placed.colour), []), foot_of(c.placed, camera, back.scale)
        if len(same) < c.kind.count and all(float(np.hypot(*(foot - f))) > SAME_PIECE_MM for f in same):
            same.append(foot)
            out.append(c)
    return out


def _apart(found: list[Candidate], frame: tuple[int, int]) -> list[Candidate]:
    """Where two colours or kinds claim the same pixels, the one with more evidence."""
    taken = np.zeros(frame, bool)
    out = []
    for c in sorted(found, key=lambda c: -c.placed.evidence):
        where, mask = c.placed.seen(frame)
        if (mask & taken[where]).sum() <= SAME_PLACE * mask.sum():
            taken[where] |= mask
            out.append(c)
    return out


def _odds(c: Candidate, paints: list[Paint]) -> list[tuple[str, float]]:
    """Probability of each colour, the likeliest first."""
    look, haze = c.seen.look, c.seen.haze
    where, mask = c.here.seen(haze.shape, shrink=1)
    if mask.sum() < 12:
        where, mask = c.here.seen(haze.shape)
    own = Tints(look.level[where][mask], look.chroma[where][mask], look.hue[where][mask], look.noise)
    words = np.array(
        [float(paint_likelihood(own, p, haze[where][mask]).mean()) if mask.any() else -WORST for p in paints]
        + [NO_COLOUR]
    )
    odds = np.exp(VOTES * (words - words.max()))
    odds /= odds.sum()
    return sorted(zip((p.name for p in paints), (float(v) for v in odds[:-1]), strict=True), key=lambda o: -o[1])


def _heading(c: Candidate, foot: Array, camera: Camera) -> float:
    """Radians: the way a car's nose points. Its cabin is behind the middle: of the two windows across, the windscreen
    is a little ahead of it and the rear window near the tail.
    """
    shape, angle = c.placed.stamp.shape, c.placed.stamp.angle
    share = np.linspace(-0.45, 0.45, 37)
    across = np.linspace(-0.28, 0.28, 7) * shape.width_mm
    grid = np.stack(np.meshgrid(share * shape.length_mm, across), axis=-1).reshape(-1, 2)
    px = camera.project(foot + turned(grid, angle), 0.8 * shape.height_mm)
    at = (c.seen.back.to_small(px) - c.seen.back.at).reshape(len(across), len(share), 2)
    level = np.median(sample(c.seen.look.level, at), axis=0)
    dark = np.clip(0.9 - level / (np.median(level) + 1e-6), 0.0, None)
    off = np.abs(share)
    windscreen, rear = (off > WINDSCREEN[0]) & (off < WINDSCREEN[1]), (off > REAR[0]) & (off < REAR[1])
    forward = float((dark * np.sign(share) * (windscreen.astype(float) - rear)).sum())
    return float(angle + np.pi) if forward < 0 else angle


def _token(
    c: Candidate, samples: Mapping[str, Rgb], light: Light, camera: Camera, flats: list[shapely.Polygon]
) -> Token:
    kind, placed = c.kind, c.placed
    paints = paints_of(kind, samples)
    odds = _odds(c, paints)
    shape = placed.stamp.shape
    foot = foot_of(placed, camera, c.seen.back.scale)
    car = kind.kind == "car"
    angle = _heading(c, foot, camera) if car else placed.stamp.angle
    half = np.array([shape.length_mm, shape.width_mm]) / 2
    box = turned(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half, angle)
    corners = camera.project(foot + box)
    centre = camera.project(foot.reshape(1, 2), shape.height_mm / 2)[0]
    lean = float(np.hypot(*(foot - camera.foot_mm))) / max(camera.height_mm, 1.0) * shape.height_mm / 2
    at = shapely.Point(*foot)
    on = next((k for k in range(len(flats) - 1, -1, -1) if flats[k].contains(at)), None)
    lead = placed.lead
    beside = not c.seen.back.known[c.here.pixel(c.seen.back.known.shape)]
    most = BLACK_BESIDE if beside and any(p.name == odds[0][0] and is_black(p) for p in paints) else 1.0
    sure = float(1 / (1 + np.exp(-12.0 * lead))) if shape.pose else 1.0
    return Token(
        kind=kind.kind,
        colour=odds[0][0],
        confidence=min(odds[0][1] * min(1.0, placed.mean / 1.8) * light.trust, most),
        centre_px=_point(centre),
        corners_px=(_point(corners[0]), _point(corners[1]), _point(corners[2]), _point(corners[3])),
        foot_mm=_point(foot),
        foot_sigma_mm=float(np.hypot(FOOT_SIGMA_MM, HEIGHT_SIGMA * lean)),
        heading_deg=float(np.degrees(angle) % 360) if car else None,
        pose=shape.pose,
        pose_confidence=sure,
        on=on,
        odds=tuple(odds),
    )


def _point(p: Array) -> Point:
    return float(p[0]), float(p[1])


__all__ = ["FlatPiece", "Light", "StampBook", "Token", "find_tokens", "stamps"]
