"""What lies on a board, in the words of the truth.json of k01 and f01."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.tablegen.board_play import Position
from tests.tablegen.camera import TableCamera
from tests.tablegen.sheet import Sheet
from tests.tablegen.solids import Solid
from tests.tablegen.truth import points_px

CAR_MM = 28.0


def state_of_board(
    camera: TableCamera, position: Position, tiles: Sequence[Sheet], cards: Sequence[Sheet], solids: Sequence[Solid],
    piles: Sequence[Sheet], die_sort: str, seen: dict[str, float], colours: Sequence[str], time: tuple[float, float],
) -> dict[str, Any]:  # fmt: skip
    """One settled state. `seen`: the share of each solid in the frame that no other one hides."""
    state: dict[str, Any] = {"t0": time[0], "t1": time[1], "note": position.note, "turn": position.turn}
    carcassonne = position.game == "carcassonne"
    state["tiles"] = [_tile(camera, s, t, carcassonne) for s, t in zip(tiles, position.tiles, strict=True)]
    by_id = {s.id: s for s in solids}
    if carcassonne:
        state["points"] = list(position.points)
        state["meeples"] = [
            _meeple(camera, by_id[f.id], seen)
            | {"player": f.player, "cell": list(f.cell), "feature": f.feature, "location": f.location}
            for f in position.figures
        ]
        state["supply"] = [_meeple(camera, s, seen) for s in solids if s.id.startswith("sup_")]
    else:
        state["player"] = position.player
        state["cars"] = [
            _car(camera, by_id[f"car_{colours[f.player - 1]}"], seen) | {"player": f.player, "tile_index": f.index}
            for f in position.figures
        ]
        owner = {c.id: c for c in position.cards}
        state["cards"] = [_card(camera, s, owner[s.id].face_up, owner[s.id].owner) for s in cards]
    state["piles"] = [
        {"id": s.id, "kind": s.id, **_corners(camera, s), "height_mm": round(s.plane[0], 2)} for s in piles
    ]
    die = next((s for s in solids if s.kind == "die"), None)
    state["die"] = None if die is None else _die(camera, die, die_sort)
    return state


def _corners(camera: TableCamera, s: Sheet) -> dict[str, Any]:
    uv = s.corners()
    return {"corners_mm": s.to_table(uv).round(3).tolist(), "corners_px": points_px(camera, s, uv).round(3).tolist()}


def _tile(camera: TableCamera, s: Sheet, tile: Any, carcassonne: bool) -> dict[str, Any]:
    assert s.face is not None
    out = {"id": s.id, "face": s.face.id, "kind": s.face.kind, "cell": list(tile.cell),
           "turned_deg": round(s.angle % 360, 3), **_corners(camera, s)}  # fmt: skip
    more = {"rotation": tile.rotation} if carcassonne else {
        "index": tile.index, "entry": tile.entry, "exit": tile.exit, "cell": [tile.cell[0], -tile.cell[1]]}  # fmt: skip
    return out | more


def _point(camera: TableCamera, s: Solid, up: float) -> list[float]:
    return [round(float(v), 3) for v in camera.project(np.array([s.x, s.y, s.z + up]))]


def _meeple(camera: TableCamera, s: Solid, seen: dict[str, float]) -> dict[str, Any]:
    return {"id": s.id, "colour": s.colour, "pose": s.pose, "lying": s.pose == "lying",
            "position_mm": [round(s.x, 3), round(s.y, 3)], "centre_px": _point(camera, s, s.height / 2),
            "foot_px": _point(camera, s, 0.0), "visible_fraction": round(float(seen.get(s.id, 0)), 3)}  # fmt: skip


def _car(camera: TableCamera, s: Solid, seen: dict[str, float]) -> dict[str, Any]:
    foot = np.column_stack([s.footprint(), np.full(4, s.z)])
    return {"id": s.id, "colour": s.colour, "position_mm": [round(s.x, 3), round(s.y, 3)],
            "centre_px": _point(camera, s, s.height / 2), "foot_px": _point(camera, s, 0.0),
            "heading_deg": round(s.angle % 360, 2), "corners_px": camera.project(foot).round(3).tolist(),
            "visible_fraction": round(float(seen.get(s.id, 0)), 3)}  # fmt: skip


def _card(camera: TableCamera, s: Sheet, face_up: bool, owner: int) -> dict[str, Any]:
    assert s.face is not None
    return {"id": s.id, "face": s.face.id, "kind": s.face.kind, "face_up": face_up, "owner": owner,
            **_corners(camera, s)}  # fmt: skip


def _die(camera: TableCamera, s: Solid, sort: str) -> dict[str, Any]:
    top = np.column_stack([s.footprint(), np.full(4, s.z + s.height)])
    px = camera.project(top)
    return {"id": s.id, "sort": sort, "style": "pips", "value": s.value, "top_value": s.value, "cocked": False,
            "tilt_deg": 0.0, "edge_mm": round(s.length, 3), "centre_px": _point(camera, s, s.height / 2),
            "top_centre_px": _point(camera, s, s.height), "top_corners_px": px.round(3).tolist(),
            "edge_px": round(float(np.linalg.norm(px - np.roll(px, 1, axis=0), axis=1).mean()), 2),
            "centre_mm": [round(s.x, 3), round(s.y, 3), round(s.z + s.height / 2, 3)]}  # fmt: skip
