"""A short recorded game of Fliegende Teppiche: laid out, thrown, disputed, claimed; frames and the whole truth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rules.session import Session
from tests.tablegen.decks import default_deck, save_deck
from tests.tablegen.director import Director, GameSpec, draw_plan
from tests.tablegen.film import Film
from tests.tablegen.spec import TableSpec, draw_spec
from vision.deck import Deck
from vision.frame import ArrayFrame


@dataclass(frozen=True, eq=False)
class GeneratedGame:
    seed: int
    spec: TableSpec
    plan: GameSpec
    deck: Deck
    film: Film
    truth: dict[str, Any]
    """As the footage's truth.json; with `cameras` where the camera was bumped: (since when, camera)."""
    session: Session

    def frames(self) -> Iterator[ArrayFrame]:
        """What the camera delivers, 10 frames a second."""
        return self.film.frames()

    def write_clip(self, path: Path, crf: int = 20) -> None:
        self.film.write(path, crf)

    def write_footage(self, folder: Path) -> None:
        """A folder as replay reads it: clip.mp4, session.toml, truth.json, and the deck beside them in `deck`."""
        folder.mkdir(parents=True, exist_ok=True)
        save_deck(self.deck, folder / "deck")
        self.write_clip(folder / "clip.mp4")
        (folder / "truth.json").write_text(json.dumps(self.truth), encoding="utf-8")
        (folder / "session.toml").write_text(session_toml(self.session, "deck"), encoding="utf-8")


def session_toml(session: Session, deck: str) -> str:
    lines = ['game = "carpets"', f'deck = "{deck}"', f"dealer = {session.dealer}"]
    for p in session.player:
        lines += ["", "[[player]]", f"number = {p.number}", f'name = "{p.name}"', f'carpet = "{p.carpet}"',
                  f'side = "{p.side}"']  # fmt: skip
    return "\n".join(lines) + "\n"


def make_game(seed: int, deck: Deck | None = None, plan: GameSpec | None = None, **overrides: Any) -> GeneratedGame:
    """The game of a seed. `overrides` are fields of `TableSpec`, `plan` overrules what happens."""
    plan = plan or draw_plan(seed)
    deck = deck or default_deck(seed)
    spec = replace(draw_spec(seed), **overrides)
    narrow = 2 * spec.height_mm * np.tan(np.radians(spec.hfov_deg) / 2) < 720
    if narrow and not overrides.keys() & {"height_mm", "hfov_deg"}:  # djinns need room at the sides
        spec = replace(spec, height_mm=float(380 / np.tan(np.radians(spec.hfov_deg) / 2)))
    film, truth, session = Director(seed, spec, plan, deck).play()
    return GeneratedGame(seed, spec, plan, deck, film, truth, session)
