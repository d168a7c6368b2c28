"""Spacing of the layout, exact, from the places of the cards (rules 1.3.2, 1.3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rules.carpets.cards import MIN_GAP_MM
from rules.carpets.geometry import distance
from vision.scene import Quad


@dataclass(frozen=True)
class Fault:
    """Cards (by position in the sequence asked about) that lie wrong."""

    kind: Literal["gap", "reach"]
    cards: tuple[int, ...]
    mm: float
    limit: float


def faults_of_new_card(outlines: Sequence[Quad], reach_mm: float) -> list[Fault]:
    """Rules 1.3.2: the last card against all laid before it."""
    new = len(outlines) - 1
    distances = [distance(outlines[new], other) for other in outlines[:-1]]
    faults = [Fault("gap", (i, new), d, MIN_GAP_MM) for i, d in enumerate(distances) if d < MIN_GAP_MM]
    if distances and min(distances) > reach_mm:
        faults.append(Fault("reach", (new,), min(distances), reach_mm))
    return faults


def faults_of_layout(outlines: Sequence[Quad], reach_mm: float) -> list[Fault]:
    """Rules 1.3.3: the finished layout, with any laying order: every gap, and all cards linked within reach."""
    n = len(outlines)
    d = {(i, j): distance(outlines[i], outlines[j]) for i in range(n) for j in range(i + 1, n)}
    faults = [Fault("gap", pair, mm, MIN_GAP_MM) for pair, mm in d.items() if mm < MIN_GAP_MM]
    groups = linked(range(n), [pair for pair, mm in d.items() if mm <= reach_mm])
    main = max(groups, key=len, default=())
    for group in groups:
        if group is not main:
            nearest = min(d[min(i, j), max(i, j)] for i in group for j in range(n) if j not in group)
            faults.append(Fault("reach", tuple(group), nearest, reach_mm))
    return faults


def linked(nodes: Sequence[int], links: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Groups of nodes that hang together, each sorted, in the order of their first nodes."""
    group = {node: node for node in nodes}

    def root(node: int) -> int:
        while group[node] != node:
            group[node] = node = group[group[node]]
        return node

    for a, b in links:
        ra, rb = root(a), root(b)
        group[max(ra, rb)] = min(ra, rb)
    groups: dict[int, list[int]] = {}
    for node in sorted(nodes):
        groups.setdefault(root(node), []).append(node)
    return [tuple(members) for _, members in sorted(groups.items())]
