"""Decks to lay on the table: the shipped one, and decks drawn at random in a style of their own."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from device import deck_folder
from tests.tablegen.cloths import colour
from vision.deck import Deck, Face

SHIPPED = Path(__file__).parents[2] / "models" / "decks" / "carpets"
PRINTS = {
    "palace": (4, 4, 4), "adventure.1": (2, 1), "adventure.2": (2, 1), "adventure.3": (2, 1), "adventure.4": (2, 1),
    "adventure.5": (2, 1), "bazaar.spice": (3, 2), "bazaar.carpet": (3, 2), "bazaar.camel": (2, 2),
    "treasure": (2, 1), "lamp": (2, 2), "desert": (2, 2),
}  # fmt: skip
"""How many copies there are of each print of a kind."""
RUGS = {"red": 0.0, "blue": 220.0, "green": 130.0, "yellow": 50.0}
PX_PER_MM = 5.0


@lru_cache(maxsize=4)
def load_deck(folder: Path = SHIPPED) -> Deck:
    """The shipped deck, or that of a folder, read once."""
    return deck_folder.load_deck(folder)


def save_deck(deck: Deck, folder: Path) -> None:
    """Write a deck's folder: deck.toml and the pictures."""
    (folder / "faces").mkdir(parents=True, exist_ok=True)
    first = deck.faces[0]
    lines = [
        f'name = "{deck.name}"', "[card]", f"width_mm = {first.width_mm}", f"height_mm = {first.height_mm}",
        f"thickness_mm = {deck.thickness_mm}", f"corner_radius_mm = {deck.corner_radius_mm}",
    ]  # fmt: skip
    for f in deck.faces:
        cv2.imwrite(str(folder / "faces" / f"{f.id}.png"), f.picture)
        if f.kind != "back":
            lines += ["[[face]]", f'id = "{f.id}"', f'kind = "{f.kind}"', f"count = {f.count}", f'title = "{f.title}"']
        else:
            lines += ["[back]"]
        lines += [f'file = "faces/{f.id}.png"', f"width_mm = {f.width_mm}", f"height_mm = {f.height_mm}"]
    (folder / "deck.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def default_deck(seed: int) -> Deck:
    """The shipped deck, where there is one, else one drawn at random."""
    return load_deck() if (SHIPPED / "deck.toml").exists() else make_deck(seed % 4)


@lru_cache(maxsize=8)
def make_deck(seed: int, width_mm: float = 59.0, height_mm: float = 91.0, radius_mm: float = 3.0) -> Deck:
    """A deck with the counts of the game, drawn at random: kinds differ in motif, prints of a kind in detail."""
    rng = np.random.default_rng([seed, 77])
    style = _Style(rng, round(width_mm * PX_PER_MM), round(height_mm * PX_PER_MM))
    faces = []
    for kind, counts in PRINTS.items():
        motif = int(rng.integers(1 << 30))
        for i, count in enumerate(counts):
            name = kind.replace(".", "_") + "_" + "abc"[i]
            faces.append(Face(name, kind, style.card(motif, i, kind), width_mm, height_mm, count, kind))
    for name, hue in RUGS.items():
        faces.append(Face(f"carpet_{name}", f"carpet.{name}", style.rug(hue), width_mm, height_mm, 1, name))
    for n in range(1, 9):
        faces.append(Face(f"djinn_{n}", f"djinn.{n}", style.djinn(n), width_mm, height_mm, 1, str(n)))
    faces.append(Face("back", "back", style.back(), width_mm, height_mm, 1, ""))
    return Deck(f"random {seed}", tuple(faces), 0.32, radius_mm)


@lru_cache(maxsize=8)
def restyle_deck(base: Deck, seed: int) -> Deck:
    """The same deck printed otherwise: hue turned, contrast changed, mirrored, another border."""
    rng = np.random.default_rng([seed, 78])
    turn, flip = rng.uniform(20, 340), bool(rng.random() < 0.5)
    gain, border = rng.uniform(0.75, 1.25), float(rng.choice([0, 2.0, 3.5, 5.0]))
    edge = colour(rng.uniform(0, 360), rng.uniform(0, 0.7), rng.uniform(0.1, 1))
    faces = []
    for f in base.faces:
        img = f.picture
        if not f.kind.startswith("carpet"):
            hsv = cv2.cvtColor(img, cv2.COLOR_BGR2HSV)
            hsv[..., 0] = ((hsv[..., 0].astype(int) + int(turn / 2)) % 180).astype(np.uint8)
            img = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
        if flip and not f.kind.startswith("djinn"):
            img = img[:, ::-1]
        img = np.clip((img.astype(np.float32) - 110) * gain + 110, 0, 255).astype(np.uint8)
        if border:
            b = round(border * img.shape[1] / f.width_mm)
            inner = cv2.resize(img, (img.shape[1] - 2 * b, img.shape[0] - 2 * b), interpolation=cv2.INTER_AREA)
            img = cv2.copyMakeBorder(inner, b, b, b, b, cv2.BORDER_CONSTANT, value=edge.tolist())
        faces.append(replace(f, picture=np.ascontiguousarray(img)))
    return replace(base, name=f"{base.name} {seed}", faces=tuple(faces))


@lru_cache(maxsize=8)
def restyle_tiles(base: Deck, seed: int) -> Deck:
    """The same tiles drawn otherwise, with the same roads and cities: another hue, saturation, contrast, grain."""
    rng = np.random.default_rng([seed, 79])
    turn = rng.uniform(0, 360) if rng.random() < 0.5 else rng.normal(0, 15)
    strength, gain, lift = rng.uniform(0.35, 1.25), rng.uniform(0.75, 1.2), rng.uniform(-25, 30)
    grain, tint = rng.uniform(0, 9), colour(rng.uniform(0, 360), rng.uniform(0, 0.25), 1.0) / 255
    faces = []
    for f in base.faces:
        size = (round(f.width_mm * PX_PER_MM), round(f.height_mm * PX_PER_MM))
        small = cv2.resize(f.picture, size, interpolation=cv2.INTER_AREA)
        hsv = cv2.cvtColor(small, cv2.COLOR_BGR2HSV).astype(np.float32)
        hsv[..., 0] = (hsv[..., 0] + turn / 2) % 180
        hsv[..., 1] = np.clip(hsv[..., 1] * strength, 0, 255)
        img = cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR).astype(np.float32)
        noise_ = cv2.GaussianBlur(rng.standard_normal(img.shape[:2]).astype(np.float32), (0, 0), 3.0)
        img = ((img - 110) * gain + 110 + lift + grain * 8 * noise_[..., None]) * tint
        faces.append(replace(f, picture=np.clip(img, 0, 255).astype(np.uint8)))
    return replace(base, name=f"{base.name} {seed}", faces=tuple(faces))


class _Style:
    """What the cards of one deck share: frame, panel, banner, palette."""

    def __init__(self, rng: np.random.Generator, w: int, h: int) -> None:
        self.rng, self.w, self.h = rng, w, h
        self.hue = rng.uniform(0, 360)
        self.frame = colour(self.hue, rng.uniform(0.1, 0.8), rng.uniform(0.12, 0.95))
        self.line = colour(self.hue + rng.uniform(60, 300), rng.uniform(0.1, 0.7), rng.uniform(0.1, 0.95))
        self.band = rng.uniform(1.5, 6.0) * PX_PER_MM
        self.banner = str(rng.choice(["top", "bottom", "none", "bottom"]))
        self.paper = colour(rng.uniform(20, 60), rng.uniform(0, 0.25), rng.uniform(0.8, 1.0))
        self.painter = str(rng.choice(["shapes", "strokes", "rays"]))
        self.font = int(rng.integers(0, 8))

    def blank(self) -> np.ndarray:
        img = np.empty((self.h, self.w, 3), np.uint8)
        img[:] = self.frame
        b = int(self.band)
        for k in range(0, b, max(3, b // 3)):
            cv2.rectangle(img, (k, k), (self.w - 1 - k, self.h - 1 - k), self.line.tolist(), 1, cv2.LINE_AA)
        return img

    def card(self, motif: int, variant: int, title: str) -> np.ndarray:
        img = self.blank()
        b = int(self.band)
        inner = self.scene(motif, variant, self.w - 2 * b, self.h - 2 * b)
        img[b : self.h - b, b : self.w - b] = inner
        self.write(img, title, motif)
        return img

    def write(self, img: np.ndarray, title: str, motif: int) -> None:
        """A banner with a line of text."""
        if self.banner == "none":
            return
        b, tall = int(self.band), int(7 * PX_PER_MM)
        y = b + 4 if self.banner == "top" else self.h - b - tall - 4
        cv2.rectangle(img, (b + 8, y), (self.w - b - 8, y + tall), self.paper.tolist(), -1)
        cv2.rectangle(img, (b + 8, y), (self.w - b - 8, y + tall), self.line.tolist(), 2, cv2.LINE_AA)
        words = np.random.default_rng(motif)
        text = title.split(".")[-1].title() + " " + "".join(chr(97 + int(words.integers(26))) for _ in range(6))
        scale = 0.9
        (tw, th), _ = cv2.getTextSize(text, self.font, scale, 2)
        scale *= min((self.w - 2 * b - 36) / tw, 1.0)
        x = (self.w - int(tw * scale / 0.9)) // 2
        cv2.putText(img, text, (x, y + tall // 2 + th // 2), self.font, scale, (40, 40, 50), 2, cv2.LINE_AA)

    def scene(self, motif: int, variant: int, w: int, h: int) -> np.ndarray:
        """A sky, a ground and a motif of a few shapes; variants differ in colours and details."""
        form, tint = np.random.default_rng(motif), np.random.default_rng([motif, variant])
        sky = [colour(tint.uniform(0, 360), tint.uniform(0.2, 0.8), v) for v in tint.uniform(0.2, 0.95, 2)]
        t = np.linspace(0, 1, h)[:, None, None]
        img = np.broadcast_to(sky[0] * (1 - t) + sky[1] * t, (h, w, 3)).astype(np.float32).copy()
        cells = form.standard_normal((h // 24 + 2, w // 24 + 2, 3)).astype(np.float32) * 12
        img += cv2.resize(cells, (w, h), interpolation=cv2.INTER_CUBIC)
        if self.painter == "rays":
            c = (int(w * form.uniform(0.3, 0.7)), int(h * form.uniform(0.3, 0.6)))
            n = int(form.integers(8, 22))
            ray = colour(tint.uniform(0, 360), 0.4, 0.9).tolist()
            for k in range(n):
                a0, a1 = 2 * np.pi * k / n, 2 * np.pi * (k + 0.5) / n
                tip = [(c[0] + 900 * np.cos(a), c[1] + 900 * np.sin(a)) for a in (a0, a1)]
                cv2.fillPoly(img, [np.array([c, *tip], np.int32)], ray, cv2.LINE_AA)
        ground = colour(tint.uniform(0, 360), tint.uniform(0.3, 0.7), tint.uniform(0.2, 0.6))
        cv2.ellipse(img, (w // 2, int(h * 1.1)), (int(w * 0.9), int(h * form.uniform(0.25, 0.45))), 0, 0, 360,
                    ground.tolist(), -1, cv2.LINE_AA)  # fmt: skip
        for k in range(int(form.integers(5, 11))):
            col = colour(form.uniform(0, 360) + 40 * variant, form.uniform(0.3, 0.9), form.uniform(0.2, 1.0)).tolist()
            c = np.array([w * form.uniform(0.2, 0.8), h * form.uniform(0.2, 0.8)])
            r = w * form.uniform(0.06, 0.26)
            kind = int(form.integers(5))
            if kind == 0:
                cv2.circle(img, tuple(c.astype(int)), int(r), col, -1, cv2.LINE_AA)
            elif kind == 1:
                box = (tuple(c.tolist()), (r * 2, r * form.uniform(0.4, 2.5)), form.uniform(0, 180))
                cv2.ellipse(img, box, col, -1, cv2.LINE_AA)
            elif kind == 2:
                a = np.sort(form.uniform(0, 2 * np.pi, int(form.integers(3, 8))))
                pts = c + r * 1.3 * np.stack([np.cos(a), np.sin(a)], axis=-1)
                cv2.fillPoly(img, [pts.astype(np.int32)], col, cv2.LINE_AA)
            elif kind == 3:
                d = np.array([r, r * form.uniform(0.5, 2)])
                cv2.rectangle(img, tuple((c - d / 2).astype(int)), tuple((c + d / 2).astype(int)), col, -1)
            else:
                pts = c + r * np.cumsum(form.normal(0, 0.5, (9, 2)), axis=0)
                cv2.polylines(img, [pts.astype(np.int32)], False, col, int(form.integers(2, 12)), cv2.LINE_AA)
            if self.painter == "strokes" and k % 2 == 0:
                pts = c + r * 2 * np.cumsum(form.normal(0, 0.3, (14, 2)), axis=0)
                cv2.polylines(img, [pts.astype(np.int32)], False, (20, 20, 25), 3, cv2.LINE_AA)
        c = (int(w * tint.uniform(0.15, 0.85)), int(h * tint.uniform(0.08, 0.2)))
        cv2.circle(img, c, int(w * tint.uniform(0.04, 0.1)), colour(tint.uniform(20, 60), 0.3, 1).tolist(), -1, 16)
        return np.clip(img, 0, 255).astype(np.uint8)

    def rug(self, hue: float) -> np.ndarray:
        """A rug with fringes: symmetrical, so that it looks the same upside down."""
        form = np.random.default_rng(int(self.hue * 1000))
        w, h = self.w, self.h
        img = np.empty((h, w, 3), np.uint8)
        img[:] = self.paper
        f = int(4 * PX_PER_MM)
        for x in range(0, w, 6):
            img[:f, x : x + 2] = self.paper * 0.7
            img[h - f :, x : x + 2] = self.paper * 0.7
        body, second = colour(hue, 0.8, 0.75), colour(hue + form.uniform(120, 240), 0.6, 0.5)
        cv2.rectangle(img, (8, f), (w - 9, h - 1 - f), body.tolist(), -1)
        m = int(form.uniform(14, 30))
        cv2.rectangle(img, (8 + m // 2, f + m // 2), (w - 9 - m // 2, h - 1 - f - m // 2), second.tolist(), m // 2)
        for k in range(int(form.integers(3, 7))):
            r = (6 - k) * w * 0.055 * form.uniform(0.8, 1.1)
            if r < 3:
                continue
            col = colour(hue + form.choice([0, 30, 180]), form.uniform(0.3, 0.9), form.uniform(0.4, 1)).tolist()
            n = int(form.choice([4, 6, 8, 12]))
            a = 2 * np.pi * np.arange(2 * n) / (2 * n)
            rad = np.where(np.arange(2 * n) % 2, 0.75, 1.0) * r
            pts = np.stack([w / 2 + rad * np.cos(a), h / 2 + 1.3 * rad * np.sin(a)], axis=-1)
            cv2.fillPoly(img, [pts.astype(np.int32)], col, cv2.LINE_AA)
        return img

    def djinn(self, n: int) -> np.ndarray:
        img = self.card(9000 + n + int(self.hue * 100), 0, "djinn")
        for x, y in ((0.2, 0.13), (0.8, 0.87)):
            c = (int(self.w * x), int(self.h * y))
            cv2.circle(img, c, int(self.w * 0.1), self.paper.tolist(), -1, cv2.LINE_AA)
            cv2.putText(img, str(n), (c[0] - 13, c[1] + 15), 0, 1.4, (20, 20, 20), 3, cv2.LINE_AA)
        return img

    def back(self) -> np.ndarray:
        img = self.blank()
        b = int(self.band) + 6
        pitch = int(self.rng.integers(14, 40))
        ink = colour(self.hue + 30, 0.5, 0.8).tolist()
        for k in range(-self.h, self.w + self.h, pitch):
            cv2.line(img, (k, b), (k + self.h, self.h - b), ink, 3, cv2.LINE_AA)
            cv2.line(img, (k, self.h - b), (k + self.h, b), ink, 3, cv2.LINE_AA)
        img[:, :b], img[:, self.w - b :] = self.frame, self.frame
        cv2.circle(img, (self.w // 2, self.h // 2), self.w // 5, self.line.tolist(), -1, cv2.LINE_AA)
        return img
