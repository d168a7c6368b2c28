"""`report.json`: what was seen and ruled, for tools outside the project. The same game gives the same bytes, always.

The format is described in `docs/ref`; it is a contract. Only what counts is reported: undone entries are not. Numbers
are rounded to what they are good for, and nothing in it comes from the clock or from this machine.
"""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from device.places import check_place, write_whole
from device.table import Table
from rules.protocol import Answer, BoardReferee, Question, Referee, Ruling
from rules.session import Language
from rules.text import say
from vision.scene import Piece, Point, Scene


def build_report(table: Table, *, footage: str, frames: int, duration: float) -> bytes:
    """The report as JSON, UTF-8. `footage` is its name, `duration` in seconds."""
    session, referee = table.session, table.referee
    scenes: list[dict[str, Any]] = []
    rulings: list[dict[str, Any]] = []
    questions: list[Question] = []
    answers: dict[str, Answer] = {}
    for _, given, outputs in table.outcomes():
        if isinstance(given, Scene):
            scenes.append(_scene(given, referee))
        elif given.question is not None:
            answers[given.question] = given
        for output in outputs:
            if isinstance(output, Ruling):
                rulings.append(_ruling(output, session.language))
            else:
                questions.append(output)
    report = {
        "kibitz": version("kibitz"),
        "game": session.game,
        "footage": footage,
        "frames": frames,
        "duration": _round(duration, 3),
        "scenes": scenes,
        "rulings": rulings,
        "questions": [_question(q, answers.get(q.id)) for q in questions],
        "scores": referee.scores(),
    }
    return msgspec.json.encode(report) + b"\n"


def check_writable(path: Path) -> None:
    """Raises `UserError` when a report cannot be written there: before an hour of footage is replayed, not after."""
    check_place(path, "the report", "--report", lambda file: bool(re.match(rb'\s*{\s*"kibitz"', file.read(64))))


def write_report(path: Path, report: bytes) -> None:
    """Writes the whole report or none of it."""
    write_whole(path, report, "the report", "--report")


def _scene(scene: Scene, referee: Referee | BoardReferee) -> dict[str, Any]:
    notes = referee.notes(scene) if hasattr(referee, "notes") else {}
    return {
        "t": _round(scene.t, 3),
        "camera": {"rms_px": _round(scene.camera.rms_px, 3)},
        "pieces": [_piece(p, referee) | notes.get(p.id, {}) for p in scene.pieces],
        "gaps": [{"a": g.a, "b": g.b, "mm": _round(g.mm, 3), "sigma_mm": _round(g.sigma_mm, 3)} for g in scene.gaps],
        "overlaps": [
            {
                "over": o.over,
                "under": o.under,
                "area_mm2": _round(o.area_mm2, 1),
                "confidence": _round(o.confidence, 3),
            }
            for o in scene.overlaps
        ],
    }


def _piece(piece: Piece, referee: Referee) -> dict[str, Any]:
    out: dict[str, Any] = {
        "id": piece.id,
        "kind": referee.role(piece.face) if piece.kind == "card" else piece.kind,
        "face": piece.face,
        "confidence": _round(piece.confidence, 3),
        "visible": _round(piece.visible, 3),
        "corners_px": [_point(p) for p in piece.corners_px],
        "outline_mm": [_point(p) for p in piece.outline_mm],
        "sigma_mm": _round(piece.sigma_mm, 3),
    }
    if piece.kind == "die":
        out["value"] = piece.value
    if piece.cell is not None:
        out |= {"cell": piece.cell, "rotation": piece.rotation}
    if piece.centre_px is not None:
        out["centre_px"] = _point(piece.centre_px)
    if piece.pose:
        out["pose"] = piece.pose
    return out


def _ruling(ruling: Ruling, language: Language) -> dict[str, Any]:
    out: dict[str, Any] = {
        "t": _round(ruling.t, 3),
        "rule": ruling.rule,
        "pieces": list(ruling.pieces),
        "player": ruling.player,
        "measured": _maybe(ruling.measured),
        "sigma": _maybe(ruling.sigma),
        "limit": _maybe(ruling.limit),
        "unit": ruling.unit,
        "text": say(ruling.message, language),
    }
    if ruling.reason:
        out["reason"] = ruling.reason
    if ruling.inferred:
        out["inferred"] = True
    return out | {key: value for key, value in ruling.data.items() if key not in out}


def _question(question: Question, answer: Answer | None) -> dict[str, Any]:
    return {
        "t": _round(question.t, 3),
        "rule": question.rule,
        "pieces": list(question.pieces),
        "options": list(question.options),
        "answered": answer.choice if answer else None,
        "by": answer.by if answer else None,
    }


def _round(number: float, digits: int) -> float:
    return round(number, digits) + 0.0  # + 0.0: never -0.0


def _maybe(number: float | None) -> float | None:
    return None if number is None else _round(number, 3)


def _point(point: Point) -> tuple[float, float]:
    return _round(point[0], 3), _round(point[1], 3)
