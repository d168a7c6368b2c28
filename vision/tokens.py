"""Find coloured solid pieces, meeples and small cars, on the faces that lie there and beside them.

What lies flat is known: its pictures under the light of the still say what each pixel should show (`token_backdrop`).
Where the still shows one of the session's colours instead (`token_colours`), outlines of the pieces as they are seen
from this camera are laid over it (`token_fit`, `token_shapes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray

from vision.camera import Array, Camera
from vision.facebank import Float
from vision.sampling import sample
from vision.scene import Point, Quad, TokenKind
from vision.token_backdrop import (
    BURNT,
    OFFSET,
    Backdrop,
    FlatPiece,
    Light,
    lay_backdrop,
    light_of,
    scale_of,
)
from vision.token_colours import WORST, Paint, Tints, linear, paint, paint_likelihood, tints
from vision.token_faces import look_at_faces
from vision.token_fit import CLIP, Placed, fit_colour, foot_of
from vision.token_shapes import StampBook, turned
from vision.token_table import bare_likelihood, suspects, with_shadows

Rgb = tuple[float, float, float]

RIM_PX = 5
RIM_WEIGHT = 0.3
"""What a pixel on the edge of a flat piece may say for a token: its cut edge and its shadow are in no picture."""
SAME_PLACE = 0.4
"""Two pieces do not share more of the picture than this part of the smaller."""
SOMETHING_ELSE, ELSE_ON_FACE = -3.0, -4.5
"""Log likelihood of any pixel where there is neither a piece nor what lies flat: a shadow, a coin, a cut edge. On a
face that is known to look otherwise hardly anything but a piece is likely."""
BLACK = 0.06
"""Linear level under which a paint may be taken for a shadow."""
GLASS = 1.2
"""Windows and wheels of a car are black; this much worse than its paint."""
OTHER_COLOUR = 1.5
"""A pixel speaks against a colour of the session by as much as another one explains it better, less this."""
ON_TABLE = 0.5
"""Evidence counts less beside the faces, where it is only guessed what should be seen: of two cars of one colour the
one on a road tile is the piece."""
VOTES = 3.0
"""Independent words on the colour that a piece's pixels amount to: they share lamp, gloss and white balance."""
NO_COLOUR = -3.0
"""Mean log likelihood a pixel at which a piece may as well be of no colour of the session."""
LEAST_CONFIDENCE = 0.25
"""What is less sure than this is nothing that players should be asked about."""
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
    light = light or light_of(back) or grey_world(back)
    lit = back.lit(light)
    look = tints(linear(lit), light.lift)
    table = back.owner < 0
    faces = look_at_faces(back, lit)
    rim = _rim(back)
    if changed is not None:
        size = (back.owner.shape[1], back.owner.shape[0])
        changed = cv2.resize(changed.astype(np.float32), size, interpolation=cv2.INTER_AREA) > 0
    burnt = np.asarray(back.log.min(axis=2) > np.log(BURNT + OFFSET))
    if book is None or book.camera != camera or book.scale != back.scale:
        book = stamps(camera)
    found: list[tuple[TokenKind, Placed]] = []
    for kind in kinds:
        paints = [paint(c, (samples or {}).get(c)) for c in kind.colours]
        words = [paint_likelihood(look, p, faces.haze) for p in paints]
        things = suspects(words, table, kind.length_mm * kind.width_mm, kind.count)
        bare = np.where(table, bare_likelihood(lit, table, things), faces.likelihood)
        least = np.where(back.known, np.float32(ELSE_ON_FACE), np.float32(SOMETHING_ELSE))
        glass = paint_likelihood(look, paint("black")) - GLASS if kind.kind == "car" else None
        for p, word in zip(paints, words, strict=True):
            black = p.flat and p.level < BLACK
            rival = np.maximum(with_shadows(bare, lit, table) if black else bare, least)
            for other in words:
                if other is not word:
                    np.maximum(rival, other - OTHER_COLOUR, out=rival)
            own_look = word if glass is None else np.maximum(word, glass)
            weight = np.clip(own_look - rival, -CLIP, CLIP)
            weight[rim] = np.minimum(weight[rim], RIM_WEIGHT)
            weight[burnt] = np.minimum(weight[burnt], 0.0)
            for outline in solids_px:
                cv2.fillPoly(weight, [np.round(back.to_small(outline)).astype(np.int32)], -CLIP)
            own = fit_colour(np.asarray(weight, np.float32), p.name, kind, book, changed)
            own.sort(key=lambda q: -q.evidence * (1.0 if back.known[q.pixel(back.known.shape)] else ON_TABLE))
            found += [(kind, q) for q in own[: kind.count]]
    flats = [shapely.Polygon(t.corners_mm()) for t in tiles]
    out = []
    for kind, placed in _apart(found, back.log.shape):
        paints = [paint(c, (samples or {}).get(c)) for c in kind.colours]
        out.append(_token(kind, placed, look, _odds(look, faces.haze, placed, paints), camera, light, book, flats))
    out = [t for t in out if t.confidence >= LEAST_CONFIDENCE]
    return sorted(out, key=lambda t: (t.kind, t.colour, t.foot_mm))


def stamps(camera: Camera) -> StampBook:
    """An empty book of outlines for stills of this camera, to be kept while the camera stands still."""
    return StampBook(camera, scale_of(camera))


def grey_world(back: Backdrop) -> Light:
    """Where no face tells the light: the bare table taken for grey of middling brightness."""
    middle = np.median(back.log[::4, ::4].reshape(-1, 3), axis=0)
    coef = np.zeros((3, 3), np.float32)
    coef[:, 0] = np.log(np.maximum(np.exp(middle) - 12, 4.0) / 130.0)
    return Light(coef, 0.15, known=False, trust=0.75)


def _rim(back: Backdrop) -> NDArray[np.bool_]:
    """(h, w) True about the edges of the area that flat pieces cover."""
    laid = (back.owner >= 0).astype(np.uint8)
    k = np.ones((RIM_PX, RIM_PX), np.uint8)
    return np.asarray((cv2.dilate(laid, k) > 0) & (cv2.erode(laid, np.ones((3, 3), np.uint8)) == 0))


def _apart(found: list[tuple[TokenKind, Placed]], shape: tuple[int, ...]) -> list[tuple[TokenKind, Placed]]:
    """Where two colours or kinds claim the same pixels, the one with more evidence."""
    taken = np.zeros(shape[:2], bool)
    out = []
    for kind, p in sorted(found, key=lambda f: -f[1].evidence):
        mask = p.pixels(shape)
        if (mask & taken).sum() <= SAME_PLACE * mask.sum():
            taken |= mask
            out.append((kind, p))
    return out


def _odds(look: Tints, haze: Float, placed: Placed, paints: list[Paint]) -> list[tuple[str, float]]:
    """Probability of each colour, the likeliest first."""
    mask = placed.pixels(look.level.shape, shrink=1)
    if mask.sum() < 12:
        mask = placed.pixels(look.level.shape)
    own = Tints(look.level[mask], look.chroma[mask], look.hue[mask], look.noise)
    words = np.array(
        [float(paint_likelihood(own, p, haze[mask]).mean()) if mask.any() else -WORST for p in paints] + [NO_COLOUR]
    )
    odds = np.exp(VOTES * (words - words.max()))
    odds /= odds.sum()
    return sorted(zip((p.name for p in paints), (float(v) for v in odds[:-1]), strict=True), key=lambda o: -o[1])


def _heading(look: Tints, placed: Placed, foot: Array, camera: Camera, scale: float) -> float:
    """Radians: the way a car's nose points: its windscreen is the darkest band about the middle, and a little ahead."""
    shape, angle = placed.stamp.shape, placed.stamp.angle
    along = np.linspace(-0.25, 0.25, 21) * shape.length_mm
    across = np.linspace(-0.28, 0.28, 7) * shape.width_mm
    grid = np.stack(np.meshgrid(along, across), axis=-1).reshape(-1, 2)
    px = camera.project(foot + turned(grid, angle), 0.8 * shape.height_mm)
    at = ((px + 0.5) / scale - 0.5).reshape(len(across), len(along), 2)
    level = np.median(sample(look.level, at), axis=0)
    dark = np.clip(0.9 - level / (np.median(level) + 1e-6), 0.0, None)
    return float(angle + np.pi) if float((dark * along).sum()) < 0 else angle


def _token(
    kind: TokenKind,
    placed: Placed,
    look: Tints,
    odds: list[tuple[str, float]],
    camera: Camera,
    light: Light,
    book: StampBook,
    flats: list[shapely.Polygon],
) -> Token:
    shape = placed.stamp.shape
    foot = foot_of(placed, book)
    car = kind.kind == "car"
    angle = _heading(look, placed, foot, camera, book.scale) if car else placed.stamp.angle
    half = np.array([shape.length_mm, shape.width_mm]) / 2
    box = turned(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half, angle)
    corners = camera.project(foot + box)
    centre = camera.project(foot.reshape(1, 2), shape.height_mm / 2)[0]
    lean = float(np.hypot(*(foot - camera.foot_mm))) / max(camera.height_mm, 1.0) * shape.height_mm / 2
    at = shapely.Point(*foot)
    on = next((k for k in range(len(flats) - 1, -1, -1) if flats[k].contains(at)), None)
    lead = placed.lead
    sure = float(1 / (1 + np.exp(-12.0 * lead))) if shape.pose else 1.0
    return Token(
        kind=kind.kind,
        colour=odds[0][0],
        confidence=odds[0][1] * min(1.0, placed.mean / 1.8) * light.trust,
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


__all__ = ["FlatPiece", "Light", "StampBook", "Token", "find_tokens", "grey_world", "stamps"]
