"""Look at what the generator draws.

python -m tests.tablegen SEED OUT.png [plain] [field=value ...]   a still, with its truth over it unless `plain`
python -m tests.tablegen SEED FOLDER [field=value ...]            a game as footage: clip, session, deck, truth
python -m tests.tablegen board SEED OUT.png [plain] [game=fairplay] [at=40] [field=value ...]   a board game's still
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np

from tests.tablegen.board import make_board
from tests.tablegen.game import make_game
from tests.tablegen.spec import TableSpec
from tests.tablegen.still import make_table


def overlay(image: np.ndarray, truth: dict) -> np.ndarray:
    """The outlines of the truth, the face's top edge thicker, names and visible shares."""
    out = image.copy()
    for o in truth["objects"]:
        pts = np.round(np.array(o["corners_px"]) * 16).astype(np.int32)
        cv2.polylines(out, [pts], True, (0, 255, 255), 1, cv2.LINE_AA, 4)
        cv2.line(out, pts[0].tolist(), pts[1].tolist(), (0, 0, 255), 2, cv2.LINE_AA, 4)
        at = np.mean(o["corners_px"], axis=0).astype(int)
        text = f"{o['face'] if o['face_up'] else 'back'} {o['visible_in_frame_fraction']:.2f}"
        cv2.putText(out, text, (int(at[0]) - 45, int(at[1])), 0, 0.4, (255, 255, 255), 1, cv2.LINE_AA)
    for o in truth.get("foreign", []):
        pts = np.round(np.array(o["corners_px"]) * 16).astype(np.int32)
        cv2.polylines(out, [pts], True, (255, 0, 255), 1, cv2.LINE_AA, 4)
    return out


def board(argv: list[str]) -> int:
    """Draw a moment of a board game."""
    given = dict(pair.partition("=")[::2] for pair in argv[2:])
    plain = given.pop("plain", None) is not None
    kinds = TableSpec.__annotations__ | {"at": "int", "tiles": "int"}
    as_told = {"int": int, "float": float}
    still = make_board(int(argv[0]), **{k: as_told.get(kinds.get(k, ""), str)(v) for k, v in given.items()})
    cv2.imwrite(argv[1], still.frame if plain else overlay_board(still.frame, still.truth))
    print(still.game, still.truth["note"], still.spec)
    return 0


def overlay_board(image: np.ndarray, truth: dict) -> np.ndarray:
    """Twice as large: tiles, cards and piles with their top edge red, solid pieces with middle and foot, the die."""
    out = cv2.resize(image, None, fx=2, fy=2)

    def px(points: list) -> np.ndarray:
        return np.round(np.array(points) * 2 + 0.5).astype(int)

    for t in [*truth["tiles"], *truth.get("cards", []), *truth["piles"]]:
        ring = px(t["corners_px"])
        cv2.polylines(out, [ring], True, (0, 255, 255), 1, cv2.LINE_AA)
        cv2.line(out, ring[0].tolist(), ring[1].tolist(), (0, 0, 255), 1, cv2.LINE_AA)
        cv2.putText(out, t["kind"], ring.mean(axis=0).astype(int).tolist(), 0, 0.35, (255, 255, 255), 1, cv2.LINE_AA)
    for m in [*truth.get("meeples", []), *truth.get("supply", []), *truth.get("cars", [])]:
        cv2.circle(out, px(m["centre_px"]).tolist(), 3, (255, 255, 255), -1)
        cv2.circle(out, px(m["foot_px"]).tolist(), 3, (0, 255, 255), -1)
        if "corners_px" in m:
            cv2.polylines(out, [px(m["corners_px"])], True, (255, 255, 0), 1, cv2.LINE_AA)
        words = " ".join([m["colour"], m.get("pose", ""), m.get("feature", "")])
        cv2.putText(out, words, (px(m["centre_px"]) - [20, 26]).tolist(), 0, 0.4, (255, 255, 255), 1, cv2.LINE_AA)
    if truth["die"]:
        cv2.polylines(out, [px(truth["die"]["top_corners_px"])], True, (255, 0, 255), 1, cv2.LINE_AA)
        cv2.putText(out, str(truth["die"]["value"]), px(truth["die"]["centre_px"]).tolist(), 0, 0.7, (0, 0, 255), 2)
    return out


def main(argv: list[str]) -> int:
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    if argv[0] == "board":
        return board(argv[1:])
    given: dict = {}
    plain = False
    for pair in argv[2:]:
        key, _, value = pair.partition("=")
        if key == "plain":
            plain = True
            continue
        kind = TableSpec.__annotations__[key]
        given[key] = tuple(value.split(",")) if kind.startswith("tuple") else {"int": int, "float": float, "str": str,
                                                                                "bool": bool}[kind](value)  # fmt: skip
    if not argv[1].endswith(".png"):
        game = make_game(int(argv[0]), **given)
        game.write_footage(Path(argv[1]))
        print(game.plan)
        return 0
    still = make_table(int(argv[0]), **given)
    cv2.imwrite(argv[1], still.frame if plain else overlay(still.frame, still.truth))
    print(still.spec)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
