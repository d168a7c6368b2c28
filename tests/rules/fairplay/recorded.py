"""The recorded race `races/f01.json` as the scenes a camera would measure.

The file is the truth of the project's own footage `f01` (licence: the project's), reduced: outlines and places in
millimetres, y downwards, the same outline written once (`quads`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rules.session import Player, Session
from vision.scene import CameraState, Piece, Quad, Scene

FILE = Path(__file__).parent / "races" / "f01.json"
VIEW: Quad = ((-381.0, -214.0), (381.0, -214.0), (381.0, 214.0), (-381.0, 214.0))


def race() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


def session(told: dict[str, Any]) -> Session:
    people = tuple(Player(**player) for player in told["players"])
    return Session(game="fairplay", deck="deck", player=people)


def scenes(told: dict[str, Any]) -> list[Scene]:
    """One for each still."""
    quads: list[Quad] = [tuple(map(tuple, quad)) for quad in told["quads"]]  # type: ignore[misc]
    found, throws, before = [], 0, None
    for still in told["stills"]:
        value, x, y = still["die"]
        if before not in (None, (x, y)):
            throws += 1
        before = (x, y)
        pieces = [flat(f"tile{quad}", "tile", kind, quads[quad]) for kind, quad in still["tiles"]]
        pieces += [flat(f"{name}.{kind}", "card", kind, quads[quad]) for name, kind, quad in still["cards"]]
        pieces += [
            flat(kind, "tile" if kind == "tile_pile" else "card", "back", quads[quad]) for kind, quad in still["piles"]
        ]
        pieces += [car(colour, x, y, heading) for colour, x, y, heading, _ in still["cars"]]
        pieces.append(die(value, x, y, throws))
        found.append(scene(still["t"], pieces))
    return found


def scene(t: float, pieces: list[Piece]) -> Scene:
    camera = CameraState(solved=True, rms_px=0.2)
    return Scene(t=t, camera=camera, size_px=(1280, 720), view_mm=VIEW, pieces=tuple(pieces))


def flat(name: str, kind: str, face: str, outline: Quad, **more: Any) -> Piece:
    told = {"confidence": 0.99, "visible": 1.0, "sigma_mm": 0.2} | more
    return Piece(id=name, kind=kind, face=face, corners_px=outline, outline_mm=outline, **told)


def car(colour: str, x: float, y: float, heading: float = 0.0, **more: Any) -> Piece:
    told = {"foot_sigma_mm": 0.5, "confidence": 0.99} | more
    return flat(
        f"car_{colour}", "car", f"car.{colour}", around(x, y, 28, 14), foot_mm=(x, y), heading_deg=heading, **told
    )


def die(value: int | None, x: float, y: float, throws: int, **more: Any) -> Piece:
    told = {"pose": "rest", "value": value, "throws": throws} | more
    return flat("die", "die", "die.race", around(x, y, 16, 16), foot_mm=(x, y), **told)


def around(x: float, y: float, width: float, height: float) -> Quad:
    w, h = width / 2, height / 2
    return (x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)
