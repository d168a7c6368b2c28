"""The table from above, as far as drawing it takes thought: who lies on whom, and where a distance was measured."""

from __future__ import annotations

from collections.abc import Sequence

from shapely import Polygon
from shapely.ops import nearest_points

from vision.scene import Overlap, Piece, Point


def bottom_to_top(pieces: Sequence[Piece], overlaps: Sequence[Overlap]) -> tuple[Piece, ...]:
    """The pieces in an order in which drawing one after the other shows what lies on top.

    Pieces that do not touch keep their order. Three cards can lie on each other in a ring, which no such order shows:
    there the pair seen least surely gives way.
    """
    beneath: dict[str, dict[str, float]] = {p.id: {} for p in pieces}  # over: {under: confidence}
    for o in overlaps:
        if o.over in beneath and o.under in beneath and o.over != o.under:
            beneath[o.over][o.under] = o.confidence
    waiting = list(pieces)
    order: list[Piece] = []
    while waiting:
        # The first one with nothing left beneath it; in a ring, the one whose hold on the others is least sure.
        chosen = min(waiting, key=lambda p: max(beneath[p.id].values(), default=0.0))
        waiting.remove(chosen)
        order.append(chosen)
        for under in beneath.values():
            under.pop(chosen.id, None)
    return tuple(order)


def shortest_line(a: Piece, b: Piece, corner_radius_mm: float) -> tuple[Point, Point]:
    """Where two pieces come nearest, in table millimetres: a point on each physical outline (rounded corners)."""
    one, other = nearest_points(_outline(a, corner_radius_mm), _outline(b, corner_radius_mm))
    return (one.x, one.y), (other.x, other.y)


def nearest(piece: Piece, others: Sequence[Piece], corner_radius_mm: float) -> Piece | None:
    """Of the others, the one nearest to a piece."""
    outline = _outline(piece, corner_radius_mm)
    rest = [o for o in others if o.id != piece.id]
    return min(rest, key=lambda o: outline.distance(_outline(o, corner_radius_mm)), default=None)


def _outline(piece: Piece, corner_radius_mm: float) -> Polygon:
    sharp = Polygon(piece.outline_mm)
    inner = sharp.buffer(-corner_radius_mm)
    return sharp if inner.is_empty else inner.buffer(corner_radius_mm)
