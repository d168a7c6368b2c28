"""Maps of evidence: how much each pixel speaks for a piece of each colour, against all else that may be there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array
from vision.facebank import Float
from vision.scene import TokenKind
from vision.token_backdrop import BURNT, OFFSET, Backdrop
from vision.token_colours import Paint, Tints, linear, paint, paint_likelihood, tints
from vision.token_faces import look_at_faces
from vision.token_light import Light, lit
from vision.token_table import TableColours, darkest_shadow, learn_table, suspects

Rgb = tuple[float, float, float]

CLIP = 3.0
"""No pixel speaks louder."""
RIM_PX = 5
RIM_WEIGHT = 0.3
"""What a pixel on the edge of a flat piece may say for a token: its cut edge and its shadow are in no picture."""
SOMETHING_ELSE, ELSE_ON_FACE = -3.0, -4.5
"""Log likelihood of any pixel where there is neither a piece nor what lies flat: a shadow, a coin, a cut edge. On a
face that is known to look otherwise hardly anything but a piece is likely."""
BLACK = 0.06
"""Linear level under which a paint may be taken for a shadow."""
SURELY_ONE = 1.0
"""Evidence from which a pixel is taken to be a piece's, where its shadow is looked for."""
GLASS = 1.2
"""Windows and wheels of a car are black; this much worse than its paint."""
OTHER_COLOUR = 1.5
"""A pixel speaks against a colour of the session by as much as another one explains it better, less this."""


@dataclass(frozen=True, eq=False)
class Ground:
    """What only a look at a whole still can tell; looks at parts of later ones go by it."""

    sigma: float
    """`FaceLook.sigma`."""
    tables: tuple[TableColours, ...]
    """The table's colours, for each kind of piece."""
    darkest: tuple[float | None, ...]
    """`darkest_shadow`, for each kind of piece."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a still, or a part of it, says of pieces."""

    back: Backdrop
    look: Tints
    haze: Float
    """(h, w) `FaceLook.haze`."""
    weights: tuple[tuple[TokenKind, Paint, Float], ...]
    """For each kind and colour the log likelihood ratio (h, w) of a piece of it to what else may be there."""
    ground: Ground


def is_black(p: Paint) -> bool:
    """Whether a paint may be taken for a shadow."""
    return p.flat and p.level < BLACK


def paints_of(kind: TokenKind, samples: Mapping[str, Rgb]) -> list[Paint]:
    """The colours that pieces of a kind may have. samples: calibrated sRGB colours by name."""
    return [paint(c, samples.get(c)) for c in kind.colours]


def weigh(
    back: Backdrop,
    light: Light,
    kinds: Sequence[TokenKind],
    samples: Mapping[str, Rgb],
    solids_px: Sequence[Array] = (),
    ground: Ground | None = None,
) -> Evidence:
    """The evidence of a still, or of a part of it where `ground` is known. solids_px: as for `find_tokens`."""
    shown = lit(back, light)
    look = tints(linear(shown), light.lift)
    table = back.owner < 0
    faces = look_at_faces(back, shown, None if ground is None else ground.sigma)
    rim, burnt = _rim(back), np.asarray(back.log.min(axis=2) > np.log(BURNT + OFFSET))
    least = np.where(back.known, np.float32(ELSE_ON_FACE), np.float32(SOMETHING_ELSE))
    tables: list[TableColours] = []
    darkest: list[float | None] = []
    weights: list[tuple[TokenKind, Paint, Float]] = []
    for k, kind in enumerate(kinds):
        paints = paints_of(kind, samples)
        words = [paint_likelihood(look, p, faces.haze) for p in paints]
        if ground is None:
            pieces = suspects(words, table, kind.length_mm * kind.width_mm, kind.count)
            tables.append(learn_table(shown, table, pieces))
        own_table = tables[k] if ground is None else ground.tables[k]
        bare = np.where(table, own_table.likelihood(shown), faces.likelihood)
        black = paint_likelihood(look, paint("black"))
        glass = black - GLASS if kind.kind == "car" else None
        maps: dict[str, Float] = {}
        # The black ones last: the shadows of the others tell how dark they must be.
        for p, word in sorted(zip(paints, words, strict=True), key=lambda a: is_black(a[0])):
            rival = np.maximum(bare, least)
            if is_black(p):
                if ground is None:
                    pieces = np.logical_or.reduce([table & False, *(m > SURELY_ONE for m in maps.values())])
                    darkest.append(darkest_shadow(shown, black, pieces, table, own_table.tone))
                depth = darkest[-1] if ground is None else ground.darkest[k]
                rival = np.maximum(own_table.with_shadows(bare, shown, table, depth), least)
            for other in words:
                if other is not word:
                    np.maximum(rival, other - np.float32(OTHER_COLOUR), out=rival)
            weight = np.clip((word if glass is None else np.maximum(word, glass)) - rival, -CLIP, CLIP)
            weight[rim] = np.minimum(weight[rim], np.float32(RIM_WEIGHT))
            weight[burnt] = np.minimum(weight[burnt], np.float32(0.0))
            for outline in solids_px:
                cv2.fillPoly(weight, [np.round(back.to_small(outline) - back.at).astype(np.int32)], -CLIP)
            maps[p.name] = np.asarray(weight, np.float32)
        if ground is None and len(darkest) <= k:
            darkest.append(None)
        weights += [(kind, p, maps[p.name]) for p in paints]
    return Evidence(
        back, look, faces.haze, tuple(weights), ground or Ground(faces.sigma, tuple(tables), tuple(darkest))
    )


def _rim(back: Backdrop) -> NDArray[np.bool_]:
    """(h, w) True about the edges of the area that flat pieces cover."""
    laid = (back.owner >= 0).astype(np.uint8)
    k = np.ones((RIM_PX, RIM_PX), np.uint8)
    return np.asarray((cv2.dilate(laid, k) > 0) & (cv2.erode(laid, np.ones((3, 3), np.uint8)) == 0))
