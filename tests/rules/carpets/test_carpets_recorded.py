"""The referee over the exact scenes of three recorded tables: every ruling, and no other (tests/data/carpets)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.carpets.referee import CarpetsReferee
from rules.protocol import Output, Question, Ruling
from tests.rules.tables import session
from vision.scene import CameraState, Gap, Overlap, Piece, Scene

DATA = Path(__file__).parents[2] / "data" / "carpets"
NAMES = {1: "Anna", 2: "Ben", 3: "Clara"}


def scenes(table: dict[str, Any]) -> Iterator[Scene]:
    lying: dict[str, Piece] = {}
    for told in table["scenes"]:
        for p in told["pieces"]:
            if not isinstance(p, str):
                name, face, (x1, y1, x2, y2, x3, y3, x4, y4), visible = p
                quad = ((x1, y1), (x2, y2), (x3, y3), (x4, y4))
                lying[name] = Piece(
                    id=name,
                    face=face,
                    confidence=0.98,
                    visible=visible,
                    corners_px=quad,
                    outline_mm=quad,
                    sigma_mm=0.15,
                )
        yield Scene(
            t=told["t"],
            camera=CameraState(solved=True, rms_px=0.2),
            view_mm=tuple(tuple(corner) for corner in told["view"]),  # type: ignore[arg-type]
            pieces=tuple(lying[p if isinstance(p, str) else p[0]] for p in told["pieces"]),
            gaps=tuple(Gap(a=a, b=b, mm=mm, sigma_mm=0.2) for a, b, mm in told["gaps"]),
            overlaps=tuple(
                Overlap(over=o, under=u, area_mm2=area, depth_mm=depth, sigma_mm=0.2, confidence=0.99)
                for o, u, area, depth in told["overlaps"]
            ),
        )


@pytest.mark.parametrize("clip", ["c01", "c02", "c03"])
def test_every_ruling_of_the_truth_and_no_other(clip: str) -> None:
    table = json.loads((DATA / f"{clip}.json").read_text(encoding="utf-8"))
    referee = CarpetsReferee(session())
    said: list[Output] = [output for scene in scenes(table) for output in referee.see(scene)]
    rulings = [o for o in said if isinstance(o, Ruling)]
    truth = table["truth"]
    assert [o for o in said if isinstance(o, Question)] == []
    assert [
        (r.rule.rpartition(".")[2], set(r.pieces), r.measured)
        for r in rulings
        if r.rule in ("carpets.layout.gap", "carpets.layout.reach")
    ] == [
        (v["kind"], set(v["ids"]), pytest.approx(v["measured_mm"], abs=0.1)) for v in truth["layout_violations"]
    ]  # fmt: skip
    assert sum(r.rule == "carpets.layout.cleared" for r in rulings) == len(truth["layout_violations"])
    assert sorted((r.player, r.pieces[0]) for r in rulings if r.rule == "carpets.claim") == sorted(
        (NAMES[c["player"]], c["card"]) for c in truth["claims"]
    )
    assert [(r.player, r.pieces[0], r.data["djinns"]) for r in rulings if r.rule == "carpets.duel"] == [
        (NAMES[d["winner"]], d["card"], {NAMES[int(p)]: n for p, n in d["djinns"].items()}) for d in truth["duels"]
    ]
    assert [r.rule for r in rulings if r.rule.startswith("carpets.illegal")] == []
