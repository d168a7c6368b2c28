"""Look at what the generator draws.

python -m tests.tablegen SEED OUT.png [plain] [field=value ...]   a still, with its truth over it unless `plain`
python -m tests.tablegen SEED FOLDER [field=value ...]            a game as footage: clip, session, deck, truth
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np

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


def main(argv: list[str]) -> int:
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    given = {}
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
