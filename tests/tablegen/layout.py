"""Where things lie: twelve cards by the rules of laying out, thrown carpets, djinns at the sides. Plain geometry."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from shapely.geometry import Polygon

from tests.tablegen.camera import TableCamera
from tests.tablegen.sheet import Sheet
from vision.deck import Deck, Face

# How a carpet may fall; `contest` is onto a card that a carpet lies on already.
THROWS = ("on", "on", "across", "across", "under", "carpet", "miss", "border")


def new_sheet(deck: Deck, face: Face, name: str, x: float, y: float, angle: float, curl: float = 0.0) -> Sheet:
    return Sheet(
        id=name, face=face, kind=face.kind, width=face.width_mm, height=face.height_mm, x=x, y=y, angle=angle,
        radius=deck.corner_radius_mm, thickness=deck.thickness_mm, curl=curl,
    )  # fmt: skip


def draw_pile(deck: Deck, rng: np.random.Generator, prefix: tuple[str, ...] = ()) -> list[Face]:
    """The shuffled destinations of a deck, each as often as it is in it; or the faces whose kind has a prefix."""
    other = ("carpet", "djinn", "back")
    pile = []
    for f in deck.faces:
        head = f.kind.split(".")[0]
        if (head in prefix) if prefix else (head not in other):
            pile.extend([f] * f.count)
    return [pile[i] for i in rng.permutation(len(pile))]


def field_of(camera: TableCamera, margin_mm: float) -> Polygon:
    """The part of the table in view, less a margin."""
    return Polygon(camera.view()).buffer(-margin_mm)


def bent(sheet: Sheet, rng: np.random.Generator, most: float = 1.0) -> Sheet:
    """The sheet with a random curl: most cards are nearly flat."""
    amount = most * rng.beta(1.2, 3.0) * (1 if rng.random() < 0.75 else -0.6)
    diagonal = math.degrees(math.atan2(sheet.height, sheet.width)) * rng.choice([-1, 1])
    return replace(sheet, curl=float(amount), curl_dir=float(rng.choice([0, 90, diagonal]) + rng.uniform(-15, 15)))


def lay_out(
    deck: Deck, faces: list[Face], field: Polygon, rng: np.random.Generator,
    *, least_mm: float = 10.0, most_mm: float = 59.0, straight: float = 0.4, first: int = 1,
) -> list[Sheet]:  # fmt: skip
    """Lay cards one by one, each no nearer than `least_mm` to any and no farther than `most_mm` from its nearest.

    Fewer come back when no more room is found. `straight`: the share of cards laid roughly square to the table.
    """
    done: list[Sheet] = []
    shapes: list[Polygon] = []
    mid = np.array(field.centroid.coords[0])
    span = np.array(field.bounds[2:]) - np.array(field.bounds[:2])
    for face in faces:
        for _ in range(150):
            angle = float(
                rng.normal(rng.choice([0, 90, 180, 270]), 6) if rng.random() < straight else rng.uniform(0, 360)
            )
            if done:
                near = done[int(rng.integers(len(done)))]
                way = rng.uniform(0, 2 * np.pi)
                far = rng.uniform(60, 130)
                at = np.array([near.x + far * np.cos(way), near.y + far * np.sin(way)])
            else:
                at = mid + rng.uniform(-0.15, 0.15, 2) * span
            sheet = new_sheet(deck, face, f"card{first + len(done):02d}", float(at[0]), float(at[1]), angle % 360)
            shape = sheet.polygon()
            if not field.contains(shape):
                continue
            gaps = [shape.distance(s) for s in shapes]
            if gaps and (min(gaps) < least_mm or min(gaps) > most_mm):
                continue
            done.append(bent(sheet, rng))
            shapes.append(shape)
            break
    return done


def throw(
    stack: list[Sheet], carpet: Sheet, how: str, field: Polygon, rng: np.random.Generator
) -> tuple[list[Sheet], str]:
    """Put a carpet into the stack (lowest first). The way it came to lie is told back: some need what is not there."""
    cards = [s for s in stack if not s.kind.startswith(("carpet", "djinn")) and not s.foreign]
    rugs = [s for s in stack if s.kind.startswith("carpet")]
    taken = [c for c in cards if any(c.polygon().intersects(r.polygon()) for r in rugs)]
    if how == "contest" and not taken:
        how = "on"
    if (how == "carpet" and not rugs) or (how in ("on", "across", "under") and not cards):
        how = "miss"
    lo, hi = np.array(field.bounds[:2]), np.array(field.bounds[2:])
    best = None
    for attempt in range(80):
        angle = float(rng.uniform(0, 360))
        if how in ("on", "under", "contest"):
            among = taken if how == "contest" else cards
            aim = among[int(rng.integers(len(among)))]
            reach = rng.uniform(45, 85) if how == "under" else rng.uniform(10, 85)
            way = rng.uniform(0, 2 * np.pi)
            at = np.array([aim.x + reach * np.cos(way), aim.y + reach * np.sin(way)])
        elif how == "across":
            a, b = (cards[i] for i in rng.choice(len(cards), 2, replace=len(cards) < 2))
            at = np.array([a.x + b.x, a.y + b.y]) / 2 + rng.normal(0, 10, 2)
        elif how == "carpet":
            aim = rugs[int(rng.integers(len(rugs)))]
            at = np.array([aim.x, aim.y]) + rng.normal(0, 35, 2)
        elif how == "border":
            edge = np.array(field.exterior.interpolate(rng.uniform(0, 1), normalized=True).coords[0])
            mid = (lo + hi) / 2
            at = edge + (edge - mid) / np.linalg.norm(edge - mid) * rng.uniform(0, 35)
        else:
            at = rng.uniform(lo, hi)
        sheet = replace(carpet, x=float(at[0]), y=float(at[1]), angle=angle)
        shape = sheet.polygon()
        if how != "border" and not field.contains(shape):
            continue
        over = [s for s in stack if s.polygon().intersection(shape).area > 0]
        index = len(stack)
        if how == "miss" and over and attempt < 60:
            continue
        if how in ("on", "contest") and not any(s in cards for s in over):
            continue
        if how == "across" and sum(s in cards for s in over) < 2 and attempt < 60:
            continue
        if how == "under":
            area = aim.polygon().intersection(shape).area
            if over != [aim] or not 60 < area < 2200:
                continue
            index = stack.index(aim)
        best = [*stack[:index], bent(sheet, rng, 1.5), *stack[index:]]
        break
    if best is None:
        return stack, "nowhere"
    return best, how


def at_side(camera: TableCamera, side: str, rng: np.random.Generator) -> tuple[float, float]:
    """A place near the middle of a side of the picture (`N`, `E`, `S`, `W`), mm."""
    w, h = camera.size
    inset = 58 * camera.px_per_mm(0, 0)
    x = {"W": inset, "E": w - inset}.get(side, w * rng.uniform(0.3, 0.7))
    y = {"N": inset, "S": h - inset}.get(side, h * rng.uniform(0.3, 0.7))
    p = camera.on_plane(np.array([x, y]))
    return float(p[0]), float(p[1])
