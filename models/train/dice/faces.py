"""What is on the six faces of a rendered die: pips or numerals in any colour on a body of any colour.

An atlas is (6, S, S, 3) float32 RGB 0 to 1: faces +x, -x, +y, -y, +z, -z, each as seen from outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Array = NDArray[np.float32]
Rng = np.random.Generator

SIZE = 64
"""Pixels along a face of the atlas: twice what the reader sees of a die."""
_HERSHEY = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
)
SORTS = {"die.six": (1, 2, 3, 4, 5, 6), "die.flight": (1, 1, 2, 2, 3, 3), "die.race": (1, 1, 1, 2, 2, 3)}


@dataclass(frozen=True)
class Look:
    """One die's faces. values: of the six faces in the atlas's order. style: `pips` or `numerals`."""

    values: tuple[int, ...]
    style: str
    body: Array
    mark: Array
    atlas: Array


def look(rng: Rng) -> Look:
    """A die as some maker might have made it."""
    body, mark = _colours(rng)
    style = "pips" if rng.random() < 0.66 else "numerals"
    sort = str(rng.choice(["die.six"] * 6 + ["die.flight", "die.race"]))
    values = _arranged(rng, SORTS[sort])
    pips = _PipStyle.drawn(rng)
    numerals = _NumeralStyle.drawn(rng)
    speckle = rng.random() < 0.15
    ghost = 0.45 * rng.random() if rng.random() < 0.12 else 0.0
    masks = []
    for value in values:
        mask = pips.mask(rng, value) if style == "pips" else numerals.mask(rng, value)
        masks.append(np.rot90(mask, int(rng.integers(4))))
    faces = []
    for i, value in enumerate(values):
        ground = np.broadcast_to(body, (SIZE, SIZE, 3)).astype(np.float32)
        if speckle:
            noise = cv2.GaussianBlur(
                rng.standard_normal((SIZE, SIZE)).astype(np.float32), (0, 0), 0.5 + 5 * rng.random()
            )
            ground = ground * (1 + 0.18 * (noise / (noise.std() + 1e-6))[..., None]).clip(0.3, 1.7)
        if ghost:
            # A clear body shows, faintly and dark, what is on its far side.
            far = cv2.GaussianBlur(masks[i ^ 1][:, ::-1].copy(), (0, 0), 2.0)
            far = cv2.warpAffine(far, np.float32([[0.8, 0, 0.1 * SIZE], [0, 0.8, 0.1 * SIZE]]), (SIZE, SIZE))
            ground = ground * (1 - ghost * far[..., None]) + 0.5 * ghost * far[..., None] * mark
        ink = np.array([0.75, 0.08, 0.08], np.float32) if value == 1 and pips.red_one and body.min() > 0.6 else mark
        cover = masks[i][..., None]
        face = ground * (1 - cover) + ink * cover
        if style == "pips" and pips.drilled:
            # The wall of a drilled pip towards the light is dark, the other bright.
            relief = np.roll(masks[i], 2, 0) - np.roll(masks[i], -2, 0)
            face = face + pips.drilled * relief[..., None] * cover
        faces.append(face.clip(0, 1))
    return Look(values, style, body, mark, np.stack(faces).astype(np.float32))


def blank(rng: Rng) -> Look:
    """A cube with nothing on it, or with something that is no number: a block, a letter, a stripe."""
    body, mark = _colours(rng)
    faces = []
    sort = int(rng.integers(4))
    for _ in range(6):
        face = np.broadcast_to(body, (SIZE, SIZE, 3)).astype(np.float32).copy()
        if sort == 1:
            text = str(rng.choice(list("ABEHKMNPRSTVWXYZ?+%")))
            cover = np.rot90(_NumeralStyle.drawn(rng).mask(rng, text), int(rng.integers(4)))[..., None]
            face = face * (1 - cover) + mark * cover
        elif sort == 2:
            at, w = int(rng.integers(8, SIZE - 20)), int(rng.integers(4, 16))
            face[:, at : at + w] = mark
        faces.append(face)
    return Look((0,) * 6, "blank", body, mark, np.stack(faces).astype(np.float32))


def pip_places(value: int, reach: float, narrow: float = 1.0) -> list[tuple[float, float]]:
    """Centres of a face's pips, the face being -1 to 1; `reach` is how far out the outer ones lie. narrow: how far out
    the two rows of a six lie, in that; narrow rows are longer ones."""
    a, b = reach, reach * narrow
    c = a * (1 + 0.35 * (1 - narrow) / 0.5)
    return {
        1: [(0.0, 0.0)],
        2: [(-a, -a), (a, a)],
        3: [(-a, -a), (0.0, 0.0), (a, a)],
        4: [(-a, -a), (a, a), (-a, a), (a, -a)],
        5: [(-a, -a), (a, a), (-a, a), (a, -a), (0.0, 0.0)],
        6: [(-b, -c), (b, c), (-b, c), (b, -c), (-b, 0.0), (b, 0.0)],
    }[value]


@dataclass(frozen=True)
class _PipStyle:
    radius: float
    reach: float
    square: bool
    narrow: float
    one: float
    red_one: bool
    drilled: float

    @staticmethod
    def drawn(rng: Rng) -> _PipStyle:
        return _PipStyle(
            radius=float(rng.uniform(0.14, 0.27)),
            reach=float(rng.uniform(0.42, 0.64)),
            square=bool(rng.random() < 0.06),
            narrow=float(rng.uniform(0.55, 1.0)),
            one=float(rng.choice([1.0, 1.0, 1.0, 1.3, 1.7])),
            red_one=bool(rng.random() < 0.08),
            drilled=float(rng.uniform(0.1, 0.5)) if rng.random() < 0.4 else 0.0,
        )

    def mask(self, rng: Rng, value: int) -> Array:
        mask = np.zeros((SIZE, SIZE), np.uint8)
        radius = self.radius * (self.one if value == 1 else 1.0)
        # Six large pips must not run into each other.
        radius = min(radius, 0.48 * self.reach) if value == 6 else radius
        for x, y in pip_places(value, self.reach, self.narrow):
            cx, cy = (np.array([x, y]) + rng.normal(0, 0.008, 2) + 1) / 2 * SIZE * 16
            r = radius / 2 * SIZE * 16
            if self.square:
                corners = np.array([[cx - r, cy - r], [cx + r, cy - r], [cx + r, cy + r], [cx - r, cy + r]])
                cv2.fillConvexPoly(mask, corners.astype(np.int32), 255, cv2.LINE_AA, 4)
            else:
                cv2.circle(mask, (int(cx), int(cy)), int(r), 255, -1, cv2.LINE_AA, 4)
        return mask.astype(np.float32) / 255


@dataclass(frozen=True)
class _NumeralStyle:
    font: str | int
    height: float
    weight: int
    slant: float
    marked: bool

    @staticmethod
    def drawn(rng: Rng) -> _NumeralStyle:
        fonts: list[str | int] = [*_HERSHEY, *_fonts()]
        return _NumeralStyle(
            font=fonts[int(rng.integers(len(fonts)))],
            height=float(rng.uniform(0.42, 0.74)),
            weight=int(rng.integers(2, 6)),
            slant=float(rng.normal(0, 0.08)),
            marked=bool(rng.random() < 0.4),
        )

    def mask(self, rng: Rng, value: int | str) -> Array:
        text = str(value)
        big = 160
        if isinstance(self.font, str):
            canvas = Image.new("L", (big, big), 0)
            font = ImageFont.truetype(self.font, 110) if self.font else ImageFont.load_default(110)
            ImageDraw.Draw(canvas).text(
                (big // 2, big // 2), text, 255, font=font, anchor="mm", stroke_width=self.weight // 2
            )
            glyph = np.asarray(canvas)
        else:
            glyph = np.zeros((big, big), np.uint8)
            cv2.putText(glyph, text, (40, 120), self.font, 3.4, 255, self.weight * 3, cv2.LINE_AA)
        ys, xs = np.nonzero(glyph > 60)
        if not len(xs):
            return np.zeros((SIZE, SIZE), np.float32)
        cx, cy, tall = (xs.min() + xs.max()) / 2, (ys.min() + ys.max()) / 2, ys.max() - ys.min() + 1
        s = self.height * SIZE / tall
        if s * (xs.max() - xs.min()) > 0.8 * SIZE:
            s = 0.8 * SIZE / (xs.max() - xs.min())
        m = np.array([[s, s * self.slant, 0], [0, s, 0]])
        m[:, 2] = SIZE / 2 - m[:, :2] @ (cx, cy)
        mask = cv2.warpAffine(glyph, m, (SIZE, SIZE), flags=cv2.INTER_AREA).astype(np.float32) / 255
        if self.marked and text == "6":
            y = int(min(SIZE - 5, SIZE / 2 + self.height * SIZE / 2 + 3))
            cv2.line(mask, (SIZE // 2 - 9, y), (SIZE // 2 + 9, y), 1.0, 3)
        return mask


@cache
def _fonts() -> tuple[str, ...]:
    """Pillow's own font, and those that come with Matplotlib where it is installed (the training has it)."""
    try:
        import matplotlib
    except ImportError:
        return ("",)
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    names = [f"DejaVu{a}{b}.ttf" for a in ("Sans", "Serif", "SansMono") for b in ("", "-Bold")]
    names += ["STIXGeneral.ttf", "STIXGeneralBol.ttf", "STIXGeneralItalic.ttf", "cmr10.ttf", "cmss10.ttf", "cmb10.ttf"]
    return ("", *(str(folder / n) for n in names if (folder / n).exists()))


def _arranged(rng: Rng, values: tuple[int, ...]) -> tuple[int, ...]:
    """Opposite faces hold the first and last, second and fifth, and so on; any of the three pairs on any axis."""
    pairs = [(values[0], values[5]), (values[1], values[4]), (values[2], values[3])]
    order = rng.permutation(3)
    flat = [pairs[i] if rng.random() < 0.5 else pairs[i][::-1] for i in order]
    return tuple(v for pair in flat for v in pair)


def _colours(rng: Rng) -> tuple[Array, Array]:
    """Body and mark, RGB, far enough apart that a person reads them."""
    for _ in range(50):
        body, mark = _body(rng), _mark(rng)
        weights = np.array([0.3, 0.59, 0.11])
        apart = abs(float(weights @ body) - float(weights @ mark))
        if apart > 0.33 or (apart > 0.22 and np.abs(body - mark).max() > 0.5):
            break
    return body.astype(np.float32), mark.astype(np.float32)


def _body(rng: Rng) -> Array:
    kind = rng.random()
    if kind < 0.3:
        return np.array([0.93, 0.93, 0.92]) * rng.uniform(0.88, 1.05)
    if kind < 0.45:
        return np.array([0.93, 0.87, 0.72]) * rng.uniform(0.8, 1.05) + rng.normal(0, 0.02, 3)
    if kind < 0.57:
        return np.full(3, rng.uniform(0.02, 0.14))
    if kind < 0.65:
        return np.array([0.72, 0.52, 0.32]) * rng.uniform(0.6, 1.2)
    if kind < 0.77:
        return np.array([rng.uniform(0.5, 0.9), rng.uniform(0.02, 0.15), rng.uniform(0.02, 0.15)])
    hsv = np.uint8([[[rng.integers(180), rng.integers(90, 256), rng.integers(50, 250)]]])
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0] / 255.0


def _mark(rng: Rng) -> Array:
    kind = rng.random()
    if kind < 0.45:
        return np.full(3, rng.uniform(0.01, 0.15))
    if kind < 0.8:
        return np.full(3, rng.uniform(0.8, 0.98))
    if kind < 0.88:
        return np.array([0.85, 0.7, 0.25])
    hsv = np.uint8([[[rng.integers(180), rng.integers(120, 256), rng.integers(60, 250)]]])
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0] / 255.0
