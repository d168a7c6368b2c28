"""Which faces of a deck would be taken for others: measured before anybody plays, on looks made worse on purpose.

Each face is looked at as a table shows it (dimmer, blurred, noisy, a little askew, in foreign light, partly under
another face) and named with the very deck, as in play. What is named wrongly would be ruled on; what is not named is
asked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import cv2
import numpy as np

from vision.deck import Deck
from vision.facebank import FaceBank, Float, rect_size
from vision.frame import Image
from vision.identify import UNKNOWN_BELOW, confidence, identify
from vision.naming import Look, Namer, look

LOOKS = 24
VISIBLE = (1.0, 1.0, 0.7, 0.5)
"""Shares of a face that show, in turn: half of a look is of a whole card, and under 40 % nobody must name one."""
BLUR_PX, NOISE_GREY, SHIFT_PX, LEAN_DEG = (0.2, 0.9), (2.0, 7.0), 0.6, 0.6
GAIN, GRADIENT, WHITE = (0.5, 1.1), 0.2, 0.1
"""Of light: as on the table generator's tables, where the right face's blocks agree as much as here."""


@dataclass(frozen=True)
class Confusion:
    """What became of the looks of one face."""

    face: str
    """Its id."""
    looks: int
    taken_for: tuple[tuple[str, int], ...]
    """Ids of faces of other kinds that it was surely taken for, and how often; most often first."""
    doubted: tuple[tuple[str, int], ...]
    """The same of those that it could not be told from: then it is not named at all."""

    @property
    def wrong(self) -> int:
        return sum(times for _, times in self.taken_for)

    @property
    def unnamed(self) -> int:
        return sum(times for _, times in self.doubted)


def confusions(deck: Deck, looks: int = LOOKS, seed: int = 1) -> list[Confusion]:
    """One of each face, in the deck's order. The same deck gives the same figures."""
    bank = FaceBank(deck)
    namers = [Namer(bank, shape) for shape in range(len(bank.sizes))]
    out = []
    for n, template in enumerate(bank.templates):
        rng = np.random.default_rng([seed, n])
        others = [k for k in bank.by_size[template.shape_id] if k != n]
        wrong, doubted = Counter[str](), Counter[str]()
        for turn in range(looks):
            over = bank.templates[int(rng.choice(others))].face.picture if others else None
            visible = VISIBLE[turn % len(VISIBLE)]
            seen = look(worse(template.face.picture, over, visible, template.size_mm, rng))
            namer = namers[template.shape_id]
            named = identify(bank, namer, seen, None)
            if named is None or confidence(named[1]) < UNKNOWN_BELOW:
                doubted[_nearest_other(bank, namer, seen, template.face.kind)] += 1
                continue
            taken = bank.templates[named[0].template].face
            if taken.kind != template.face.kind:
                wrong[taken.id] += 1
        out.append(Confusion(template.face.id, looks, tuple(wrong.most_common()), tuple(doubted.most_common())))
    return out


def _nearest_other(bank: FaceBank, namer: Namer, seen: Look, kind: str) -> str:
    """The face of another kind that comes nearest; empty where none does."""
    faces = (bank.templates[match.template].face for match in namer.judge(seen, None))
    return next((face.id for face in faces if face.kind != kind), "")


def worse(
    picture: Image, over: Image | None, visible: float, size_mm: tuple[float, float], rng: np.random.Generator
) -> Image:
    """A face (h, w, 3) as a table shows it, rectified to the face bank's resolution; under `over` but for `visible`."""
    w, h = rect_size(*size_mm)
    out = np.asarray(cv2.resize(picture, (w, h), interpolation=cv2.INTER_AREA), np.float32)
    if over is not None and visible < 1:
        out = _under(out, cv2.resize(over, (w, h), interpolation=cv2.INTER_AREA), visible, rng)
    lean, scale = rng.uniform(-LEAN_DEG, LEAN_DEG), 1 + rng.uniform(-0.006, 0.006)
    m = np.array(cv2.getRotationMatrix2D(((w - 1) / 2, (h - 1) / 2), float(lean), float(scale)), np.float64)
    m[:, 2] += rng.uniform(-SHIFT_PX, SHIFT_PX, 2)
    moved = cv2.warpAffine(out, m, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    soft = cv2.GaussianBlur(moved, (0, 0), float(rng.uniform(*BLUR_PX)))
    along = rng.uniform(0, 2 * np.pi)
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, w), np.linspace(-0.5, 0.5, h))
    light = rng.uniform(*GAIN) * (1 + GRADIENT * (np.cos(along) * x + np.sin(along) * y))
    lit = soft * light[..., None] * np.exp(rng.normal(0, WHITE, 3))
    noise = rng.normal(0, rng.uniform(*NOISE_GREY) / 2, lit.shape)  # a still is the average of several frames
    return np.asarray(np.clip(lit + noise, 0, 255), np.uint8)


def _under(face: Float, over: cv2.typing.MatLike, visible: float, rng: np.random.Generator) -> Float:
    """Another face laid over one side of a face, its edge at any angle."""
    h, w = face.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    x, y = np.meshgrid(np.arange(w) - w / 2, np.arange(h) - h / 2)
    across = np.cos(angle) * x + np.sin(angle) * y
    turned = cv2.warpAffine(
        over,
        cv2.getRotationMatrix2D((w / 2, h / 2), float(np.degrees(angle)), 1.0),
        (w, h),
        borderMode=cv2.BORDER_REFLECT,
    )
    covered = across > np.quantile(across, visible)
    return np.asarray(np.where(covered[..., None], turned, face), np.float32)
