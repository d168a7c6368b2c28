"""Random boards seen from their pictures alone: tiles found, named, on their cells; cards; what a first look takes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from shapely.geometry import Polygon

from tests.figures.summary import Row
from tests.tablegen import GeneratedBoard, make_board
from vision.scene import BACK, UNKNOWN, Piece, Scene
from vision.seer import Seer
from vision.still import StillPicture

SAME = 0.5
"""Share of their union that a piece and what it is have in common."""
SYMMETRY = {"BA/L": 90, "BA/RRRR": 90, "BA/Cccc+": 90, "BA/RFr": 180, "BA/CFc+": 180, "BA/CFc.1": 180, "BA/CFC.2": 180}
"""Degrees after which a tile is the same again."""


@dataclass
class BoardFigures:
    seed: int
    where: str
    tiles: int = 0
    found: int = 0
    named: int = 0
    wrong: int = 0
    """Named with confidence, but wrong."""
    false: int = 0
    placed: int = 0
    """On the right cell, the right way round."""
    cards: int = 0
    cards_named: int = 0
    cards_wrong: int = 0
    cards_false: int = 0
    solved: bool = False
    corner_px: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def short(self) -> list[str]:
        return self.told

    def line(self) -> str:
        told = self.told if len(self.told) < 6 else [*self.told[:5], f"and {len(self.told) - 5} more"]
        return f"{self.seed}: {self.where}: {'; '.join(told)}"


def judge_first_look(seed: int) -> BoardFigures:
    """The random board of a seed, seen for the first time."""
    board = make_board(seed)
    spec = board.spec
    out = BoardFigures(
        seed, f"{board.game}, {board.deck.name}, {spec.table}, {spec.light}, tilt {spec.tilt_deg:.0f}, k1 {spec.k1:.2f}"
    )
    seer = Seer(board.deck)
    began = time.process_time()
    scene = seer.see(StillPicture(0.0, average(board), board.spec.frames, 1.0))
    out.seconds = time.process_time() - began
    if scene is None:
        out.told.append("taken for a hand")
    judge_scene(out, scene, board.truth, board.game)
    return out


def average(board: GeneratedBoard) -> np.ndarray:
    return np.mean(np.stack(board.frames).astype(np.float32), axis=0).round().astype(np.uint8)


def judge_scene(out: BoardFigures, scene: Scene | None, truth: dict[str, Any], game: str) -> None:
    """Match a scene's flat pieces with a state of truth and count."""
    pieces = () if scene is None else scene.pieces
    out.solved = scene is not None and scene.camera.solved
    tiles = [p for p in pieces if p.kind == "tile"]
    match = matched(tiles, truth["tiles"])
    origin = next((tiles[match[j]] for j, t in enumerate(truth["tiles"]) if t["cell"] == [0, 0] and j in match), None)
    for j, t in enumerate(truth["tiles"]):
        name = f"{t['kind']} at {np.mean(t['corners_px'], axis=0).round().astype(int).tolist()}"
        out.tiles += 1
        if j not in match:
            out.told.append(f"missed {name}")
            continue
        p = tiles[match[j]]
        out.found += 1
        out.named += p.face == t["kind"]
        if p.face != t["kind"]:
            out.wrong += p.face != UNKNOWN
            out.told.append(f"{p.face} ({p.confidence:.2f}) instead of {name}")
            continue
        if game == "carcassonne":
            right = _on_cell(p, t, origin)
            out.placed += right
            if not right:
                out.told.append(f"cell {p.cell} turned {p.rotation} instead of {t['cell']} {t['rotation']} {name}")
        if p.print == t["face"]:
            out.corner_px.append(float(np.sqrt(np.mean((np.subtract(p.corners_px, t["corners_px"]) ** 2).sum(1)))))
    spare = [p for i, p in enumerate(tiles) if i not in match.values()]
    piles = matched(spare, truth["piles"])
    for i, p in enumerate(spare):
        if i not in piles.values() or p.face != BACK:
            out.false += 1
            out.told.append(f"false {p.face} at {np.mean(p.corners_px, axis=0).round().astype(int).tolist()}")
    _judge_cards(out, [p for p in pieces if p.kind == "card"], truth)


def _judge_cards(out: BoardFigures, cards: Sequence[Piece], truth: dict[str, Any]) -> None:
    match = matched(cards, truth.get("cards", []))
    for j, c in enumerate(truth.get("cards", [])):
        face = c["kind"] if c["face_up"] else BACK
        out.cards += 1
        got = cards[match[j]].face if j in match else "nothing"
        out.cards_named += got == face
        out.cards_wrong += got not in (face, "nothing", UNKNOWN)
        if got != face:
            out.told.append(f"{got} instead of {face}")
    spare = [p for i, p in enumerate(cards) if i not in match.values()]
    piles = matched(spare, truth["piles"])
    for i, p in enumerate(spare):
        if i not in piles.values() or p.face != BACK:
            out.cards_false += 1
            out.told.append(f"false {p.face} at {np.mean(p.corners_px, axis=0).round().astype(int).tolist()}")


def _on_cell(p: Piece, t: dict[str, Any], origin: Piece | None) -> bool:
    if origin is None or p.cell is None or origin.cell is None or p.rotation is None or p.lattice != origin.lattice:
        return False
    cell = [p.cell[0] - origin.cell[0], p.cell[1] - origin.cell[1]]
    symmetry = SYMMETRY.get(t["kind"].removeprefix("tile."), 360)
    return cell == t["cell"] and (p.rotation - t["rotation"]) % symmetry == 0


def matched(pieces: Sequence[Piece], truths: Sequence[dict[str, Any]]) -> dict[int, int]:
    """Truth's index to piece's, greedily by the share of their union."""
    mine = [Polygon(p.corners_px).buffer(0) for p in pieces]
    true = [Polygon(t["corners_px"]).buffer(0) for t in truths]
    pairs = sorted(
        (
            (a.intersection(b).area / a.union(b).area, i, j)
            for i, a in enumerate(mine)
            for j, b in enumerate(true)
            if a.intersects(b)
        ),
        reverse=True,
    )
    out: dict[int, int] = {}
    for share, i, j in pairs:
        if share >= SAME and j not in out and i not in out.values():
            out[j] = i
    return out


def rows_of_boards(boards: Sequence[BoardFigures]) -> list[Row]:
    tiles, found = sum(b.tiles for b in boards), sum(b.found for b in boards)
    named, cards = sum(b.named for b in boards), sum(b.cards for b in boards)
    laid = sum(b.named for b in boards if b.where.startswith("carcassonne"))
    corner = np.concatenate([np.array(b.corner_px) for b in boards]) if found else np.zeros(1)
    seconds = [b.seconds for b in boards]
    return [
        Row.share("tiles found", found, tiles, 0.995),
        Row.count("false tiles", sum(b.false for b in boards), tiles),
        Row.share("tiles named right, of those found", named, found, 0.995),
        Row.count("tiles named wrong", sum(b.wrong for b in boards), found),
        Row.share("cell and rotation right, of those named", sum(b.placed for b in boards), laid, 1.0),
        Row.share("cards named right", sum(b.cards_named for b in boards), cards, 0.995),
        Row.count("cards named wrong", sum(b.cards_wrong for b in boards), cards),
        Row.count("false cards", sum(b.cards_false for b in boards), cards),
        Row("corners off, rms px", float(np.sqrt(np.mean(corner**2))), len(corner), "<= 0.8",
            bool(np.sqrt(np.mean(corner**2)) <= 0.8)),
        Row.share("boards without a fault", sum(not b.told for b in boards), len(boards)),
        Row("CPU s of the first look, median", float(np.median(seconds)), len(boards)),
        Row("CPU s of the first look, longest", float(max(seconds)), len(boards)),
    ]  # fmt: skip
