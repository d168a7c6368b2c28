"""What lies where, in the words of the footage's truth.json."""

from __future__ import annotations

from typing import Any

import numpy as np
from shapely.geometry import Polygon, box
from shapely.ops import unary_union

from tests.tablegen.camera import TableCamera
from tests.tablegen.sheet import Sheet

LEAST_OVERLAP_MM2 = 0.01


def points_px(camera: TableCamera, sheet: Sheet, uv: np.ndarray) -> np.ndarray:
    """(n, 2) px of points of the sheet's upper side."""
    return camera.project(np.column_stack([sheet.to_table(uv), sheet.top(uv)]))


def shape_px(camera: TableCamera, sheet: Sheet) -> Polygon:
    """The rounded outline as it is seen."""
    return Polygon(points_px(camera, sheet, sheet.outline(arc=12))).buffer(0)


def objects_of(camera: TableCamera, stack: list[Sheet], hidden: list[Polygon] | None = None) -> list[dict[str, Any]]:
    """All pieces of the deck in the stack (lowest first). `hidden`: what else covers the picture, px."""
    w, h = camera.size
    frame = box(-0.5, -0.5, w - 0.5, h - 0.5)
    shapes = [shape_px(camera, s) for s in stack]
    flat = [s.polygon() for s in stack]
    out = []
    for i, s in enumerate(stack):
        if s.foreign or s.face is None:
            continue
        uv = s.corners()
        above = [p for p in shapes[i + 1 :] if p.intersects(shapes[i])]
        free = shapes[i].difference(unary_union([*above, *(hidden or [])]))
        overlaps = []
        for j, o in enumerate(stack):
            if j == i or o.foreign:
                continue
            area = flat[i].intersection(flat[j]).area
            if area > LEAST_OVERLAP_MM2:
                overlaps.append({"id": o.id, "area_mm2": round(area, 2), "on_top": stack[max(i, j)].id})
        out.append(
            {
                "id": s.id,
                "face": s.face.id,
                "kind": s.face.kind,
                "center_mm": [round(s.x, 3), round(s.y, 3)],
                "rotation_deg": round(s.angle % 360, 3),
                "face_up": s.face_up,
                "z": i,
                "corners_mm": s.to_table(uv).round(4).tolist(),
                "corners_height_mm": s.top(uv).round(4).tolist(),
                "corners_px": points_px(camera, s, uv).round(4).tolist(),
                "visible_fraction": round(free.area / shapes[i].area, 4),
                "visible_in_frame_fraction": round(free.intersection(frame).area / shapes[i].area, 4),
                "overlaps": overlaps,
            }
        )
    return out


def gaps_of(stack: list[Sheet]) -> list[dict[str, Any]]:
    """The gaps between all destination cards, as the given truth has them."""
    cards = sorted((s for s in stack if is_destination(s)), key=lambda s: s.id)
    out = []
    round_, sharp = [s.polygon() for s in cards], [s.sharp() for s in cards]
    for j in range(len(cards)):
        for i in range(j):
            out.append(
                {
                    "a": cards[i].id,
                    "b": cards[j].id,
                    "gap_mm": round(round_[i].distance(round_[j]), 4),
                    "gap_sharp_mm": round(sharp[i].distance(sharp[j]), 4),
                }
            )
    return out


def is_destination(s: Sheet) -> bool:
    return not s.foreign and s.face is not None and s.kind.split(".")[0] not in ("carpet", "djinn", "back")


def state_of(
    camera: TableCamera, stack: list[Sheet], t0: float, t1: float, hidden: list[Polygon] | None = None
) -> dict[str, Any]:
    """One settled state."""
    return {"t0": t0, "t1": t1, "objects": objects_of(camera, stack, hidden), "gaps": gaps_of(stack)}


def foreign_of(camera: TableCamera, stack: list[Sheet]) -> list[dict[str, Any]]:
    """Things that are no pieces of the deck."""
    return [
        {"id": s.id, "what": s.foreign, "corners_px": points_px(camera, s, s.corners()).round(3).tolist(),
         "size_mm": [s.width, s.height]}
        for s in stack if s.foreign
    ]  # fmt: skip
