"""Coloured pieces on random boards: found, colour, pose, place; and which colour is taken for which in which light.

The flat pieces are told as a finder would find them: where the truth has them, off by a quarter of a millimetre.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from tests.figures.summary import Row
from tests.tablegen import GeneratedBoard, make_board
from tests.tablegen.camera import TableCamera
from vision.camera import Array, Camera
from vision.deck import Deck
from vision.facebank import make_template
from vision.scene import TokenKind
from vision.token_backdrop import FlatPiece
from vision.tokens import Token, find_tokens

NEAR_PX = 12.0
FRAMES = 2
"""A still of footage is averaged from up to eight; these have more noise, and cost half as much to draw."""
SURE = 0.8
"""Below this a piece is asked about."""
IN_VIEW = 0.5
WEATHER = {"daylight": "cold", "side_lamp": "warm", "evening": "warm", "ceiling": "neutral", "glare": "neutral",
           "dim": "dim"}  # fmt: skip
POSE_SIGMA_MM, POSE_SIGMA_DEG = 0.25, 0.15


@dataclass
class TokenFigures:
    seed: int
    where: str
    pieces: int = 0
    found: int = 0
    false: int = 0
    sure: int = 0
    """Found with confidence."""
    wrong: int = 0
    """Of these, in a wrong colour."""
    right: int = 0
    """Of all, in the right colour."""
    supply: int = 0
    """Pieces beside the board."""
    supply_found: int = 0
    noses: int = 0
    noses_right: int = 0
    """Cars whose direction is told to 30 degrees."""
    poses: int = 0
    poses_right: int = 0
    on_right: int = 0
    foot_mm: list[float] = field(default_factory=list)
    foot_z: list[float] = field(default_factory=list)
    taken: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(light, true colour, told colour or `missed` or `unsure`)."""
    told: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def short(self) -> list[str]:
        return self.told

    def line(self) -> str:
        return f"{self.seed}: {self.where}: {'; '.join(self.told)}"


def judge_tokens(seed: int) -> TokenFigures:
    """The random board of a seed."""
    return judge_board(make_board(seed, frames=FRAMES), seed)


def judge_board(board: GeneratedBoard, seed: int) -> TokenFigures:
    spec = board.spec
    out = TokenFigures(seed, f"{board.game}, {board.deck.name}, {spec.table}, {spec.light}, tilt {spec.tilt_deg:.0f}")
    still = np.mean(np.stack(board.frames).astype(np.float32), axis=0).round().astype(np.uint8)
    camera = seen_by(board.camera, 1.9)
    flats = flats_of(board.truth, board.deck, camera, seed)
    die = board.truth["die"]
    solids = [] if die is None else [np.array(die["top_corners_px"])]
    began = time.perf_counter()
    tokens = find_tokens(still, camera, flats, [kind_of(board)], solids_px=[grown(s, 1.25) for s in solids])
    out.seconds = time.perf_counter() - began
    judge_found(out, tokens, pieces_of(board.truth), camera, WEATHER[spec.light])
    return out


def judge_found(
    out: TokenFigures, tokens: Sequence[Token], pieces: list[dict[str, Any]], camera: Camera, light: str
) -> None:
    """Match tokens with the truth's pieces and count."""
    pairs = sorted(
        (float(np.hypot(*np.subtract(t.centre_px, p["centre_px"]))), i, j)
        for i, t in enumerate(tokens)
        for j, p in enumerate(pieces)
    )
    match: dict[int, int] = {}
    for d, i, j in pairs:
        if d <= NEAR_PX and j not in match and i not in match.values():
            match[j] = i
    for j, p in enumerate(pieces):
        name = f"{p['colour']} {p.get('pose', 'car')} at {[round(v) for v in p['centre_px']]}"
        if p.get("visible_fraction", 1.0) < IN_VIEW:
            continue
        out.pieces += 1
        beside = p["id"].startswith("sup")
        out.supply += beside
        out.supply_found += beside and j in match
        if j not in match:
            out.taken[light, p["colour"], "missed"] += 1
            out.told.append(f"missed {name}")
            continue
        t = tokens[match[j]]
        out.found += 1
        out.right += t.colour == p["colour"]
        sure = t.confidence >= SURE
        out.sure += sure
        out.taken[light, p["colour"], t.colour if sure else "unsure"] += 1
        if sure and t.colour != p["colour"]:
            out.wrong += 1
            out.told.append(f"{t.colour} instead of {name}")
        if t.heading_deg is not None:
            out.noses += 1
            out.noses_right += abs((t.heading_deg - nose_deg(p, camera) + 180) % 360 - 180) < 30
        if "pose" in p:
            out.poses += 1
            out.poses_right += t.pose == p["pose"]
            if t.pose != p["pose"]:
                out.told.append(f"{t.pose} {t.pose_confidence:.2f} instead of {name}")
        foot = camera.unproject(np.array([p["foot_px"]]))[0] if "foot_px" in p else None
        if foot is not None:
            off = float(np.hypot(*(foot - t.foot_mm)))
            out.foot_mm.append(off)
            out.foot_z.append(off / t.foot_sigma_mm)
    for i, t in enumerate(tokens):
        if i not in match.values():
            out.false += 1
            out.told.append(
                f"false {t.colour} {t.pose or t.kind} at {[round(v) for v in t.centre_px]} {t.confidence:.2f}"
            )


def nose_deg(car: dict[str, Any], camera: Camera) -> float:
    """The way a car of the truth points, degrees: its first two corners are its front."""
    corners = np.array(car["corners_px"], float)
    nose, middle = camera.unproject(np.array([corners[:2].mean(axis=0), corners.mean(axis=0)]))
    return float(np.degrees(np.arctan2(*(nose - middle)[::-1])))


def seen_by(camera: TableCamera, lift_mm: float) -> Camera:
    """The generator's camera as seeing has it, its table the plane `lift_mm` up; the table's axes may be turned."""
    n = -camera.R[:, 2]
    w, h = camera.size
    axis = camera.K[:2, 2] - [(w - 1) / 2, (h - 1) / 2]
    tilt_x, tilt_y = float(-np.arcsin(n[1])), float(np.arctan2(n[0], n[2]))
    distance = float((camera.C[2] - lift_mm) / n[2])
    return Camera(float(camera.K[0, 0]), camera.k1, camera.k2, tilt_x, tilt_y, distance, w, h, *map(float, axis))


def flats_of(truth: dict[str, Any], deck: Deck, camera: Camera, seed: int) -> list[FlatPiece]:
    """Tiles, cards and the tops of piles."""
    rng = np.random.default_rng([seed, 50])
    faces = {f.id: f for f in deck.faces}
    out = []
    for o in [*truth["tiles"], *truth.get("cards", []), *truth["piles"]]:
        p = camera.unproject(np.array(o["corners_px"], float))
        along = p[1] - p[0] + p[2] - p[3]
        pose = np.array([*p.mean(axis=0), np.arctan2(along[1], along[0])])
        pose += rng.normal(0, 1, 3) * [POSE_SIGMA_MM, POSE_SIGMA_MM, np.radians(POSE_SIGMA_DEG)]
        size = (float(np.linalg.norm(p[1] - p[0])), float(np.linalg.norm(p[3] - p[0])))
        face = faces.get(o.get("face", ""))
        out.append(FlatPiece(pose, size, None if face is None else make_template(face, 0).log_bgr))
    return out


def kind_of(board: GeneratedBoard) -> TokenKind:
    if board.game == "carcassonne":
        return TokenKind(kind="meeple", colours=board.colours, length_mm=16, width_mm=10, height_mm=16, count=8)
    return TokenKind(kind="car", colours=board.colours, length_mm=28, width_mm=14, height_mm=11)


def pieces_of(truth: dict[str, Any]) -> list[dict[str, Any]]:
    return [*truth.get("meeples", []), *truth.get("supply", []), *truth.get("cars", [])]


def grown(outline: Array, by: float) -> Array:
    mid = outline.mean(axis=0)
    return np.asarray(mid + (outline - mid) * by)


def rows_of_tokens(boards: Sequence[TokenFigures]) -> list[Row]:
    n = sum(b.pieces for b in boards)
    found, sure = sum(b.found for b in boards), sum(b.sure for b in boards)
    beside, beside_found = sum(b.supply for b in boards), sum(b.supply_found for b in boards)
    poses = sum(b.poses for b in boards)
    feet = np.concatenate([np.array(b.foot_mm) for b in boards]) if found else np.zeros(1)
    z = np.concatenate([np.array(b.foot_z) for b in boards]) if found else np.zeros(1)
    return [
        Row.share("pieces found", found, n, 0.995),
        Row.share("found, on the board", found - beside_found, n - beside, 0.995),
        Row.share("found, in supplies", beside_found, beside, 0.995),
        Row.count("false pieces", sum(b.false for b in boards), n),
        Row.share("colour right, of those found", sum(b.right for b in boards), found, 0.995),
        Row.count("colour wrong with confidence", sum(b.wrong for b in boards), sure),
        Row.share("sure of the colour, of those found", sure, found, 0.98),
        Row.share("pose right", sum(b.poses_right for b in boards), poses, 0.98),
        Row.share("noses right", sum(b.noses_right for b in boards), sum(b.noses for b in boards), 0.98),
        Row("foot off, median mm", float(np.median(feet)), len(feet)),
        Row("foot off, p95 mm", float(np.percentile(feet, 95)), len(feet), "<= 2", bool(np.percentile(feet, 95) <= 2)),
        Row("foot off / sigma, rms (1.4 is honest)", float(np.sqrt(np.mean(z**2))), len(z)),
        Row("ms a still, median", 1e3 * float(np.median([b.seconds for b in boards])), len(boards)),
    ]


def confusion(boards: Sequence[TokenFigures]) -> str:
    """True colour against told colour, for each sort of light."""
    taken: Counter[tuple[str, str, str]] = sum((b.taken for b in boards), Counter())
    told = [*sorted({k[2] for k in taken} - {"missed", "unsure"}), "unsure", "missed"]
    lines = []
    for light in ("cold", "neutral", "warm", "dim"):
        rows = sorted({k[1] for k in taken if k[0] == light})
        if rows:
            lines += ["", f"{light:8s} " + " ".join(f"{c:>7s}" for c in told)]
            lines += [f"{c:8s} " + " ".join(f"{taken[light, c, g]:7d}" for g in told) for c in rows]
    return "\n".join(lines)


def picture(board: GeneratedBoard, tokens: Sequence[Token]) -> np.ndarray:
    """What was found, drawn over the frame, twice as large."""
    out = cv2.resize(board.frame, None, fx=2, fy=2)
    for t in tokens:
        ring = np.round(np.array(t.corners_px) * 2 + 0.5).astype(int)
        cv2.polylines(out, [ring], True, (0, 255, 255), 1, cv2.LINE_AA)
        at = (np.array(t.centre_px) * 2 - [30, 34]).astype(int)
        words = f"{t.colour} {t.pose[:1]} {t.confidence:.2f}"
        cv2.putText(out, words, at.tolist(), 0, 0.4, (255, 255, 255), 1, cv2.LINE_AA)
    return out
