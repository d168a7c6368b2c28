"""`kibitz read-dice`: the dice on photographs, their values, and a picture that shows what was read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np

from device.errors import UserError
from device.photograph import load_photograph
from device.tell import print_line
from models.networks import DamagedNetworkError
from vision.dice import Die, find_dice
from vision.frame import Image

SUFFIX = ".dice.jpg"
REST, DOUBT, COCKED = (60, 200, 60), (40, 40, 230), (220, 60, 220)
"""BGR: a value, no value, a die that leans on something."""


def read_dice(photos: list[Path], out: Path | None, *, as_json: bool) -> None:
    """Reads each photograph and prints its values; those that can be read come first, then what is wrong with others.

    out: folder for the annotated pictures (`a.dice.jpg` of `a.jpg`); the working folder where none is given, and none
    are written if `as_json`, too. Raises `UserError` after all are done.
    """
    folder = Path() if out is None else out
    write = out is not None or not as_json
    if write:
        _make(folder)
    told: list[dict[str, Any]] = []
    wrong: list[str] = []
    names = _names(photos, folder) if write else {}
    for photo in photos:
        try:
            bgr = load_photograph(photo)
        except UserError as e:
            wrong.append(str(e))
            continue
        try:
            dice = find_dice(bgr)
        except DamagedNetworkError as e:
            raise UserError(str(e)) from None
        told.append({"photo": str(photo), "dice": [_told(d) for d in dice]})
        drawn = ""
        if write:
            _write(names[photo], annotated(bgr, dice))
            drawn = f"  ({names[photo]})"
        if not as_json:
            print_line(f"{photo}: {in_words(dice)}{drawn}")
    if as_json:
        print_line(msgspec.json.encode(told).decode())
    if wrong:
        raise UserError("; ".join(wrong))


def in_words(dice: list[Die]) -> str:
    """The values in order, then what could not be read.

    >>> in_words([])
    'no dice'
    """
    if not dice:
        return "no dice"
    words = [str(v) for v in sorted(d.value for d in dice if d.value is not None and d.pose == "rest")]
    cocked = sum(d.pose == "cocked" for d in dice)
    unknown = sum(d.value is None and d.pose == "rest" for d in dice)
    if cocked:
        words.append(f"{cocked} cocked")
    if unknown:
        words.append(f"{unknown} unknown")
    return " ".join(words)


def annotated(bgr: Image, dice: list[Die]) -> Image:
    """A copy of the picture with each upper face outlined and its value beside it."""
    out = bgr.copy()
    h, w = out.shape[:2]
    thick = max(1, round(max(h, w) / 900))
    for die in dice:
        colour = COCKED if die.pose == "cocked" else DOUBT if die.value is None else REST
        outline = np.round(np.array(die.corners_px) * 16).astype(np.int32)
        cv2.polylines(out, [outline], True, colour, thick, cv2.LINE_AA, 4)
        text = "?" if die.value is None else str(die.value)
        size = max(0.4, min(die.edge_px / 45, max(h, w) / 500))
        (tw, th), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick + 1)
        x = min(max(round(die.centre_px[0] + die.edge_px * 0.75), 0), max(w - tw, 0))
        y = min(max(round(die.centre_px[1] - die.edge_px * 0.4), th), h - 1)
        for ink, more in (((0, 0, 0), 2), (colour, 0)):
            cv2.putText(out, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, ink, thick + 1 + more, cv2.LINE_AA)
    return out


def _told(die: Die) -> dict[str, Any]:
    return {
        "value": die.value,
        "state": die.pose,
        "centre": [round(v, 1) for v in die.centre_px],
        "confidence": round(die.confidence, 3),
    }


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"--out {folder}: is no folder; give one for the annotated pictures") from None
    except OSError as e:
        raise UserError(f"--out {folder}: cannot be made ({e.strerror}); give another folder") from None


def _names(photos: list[Path], folder: Path) -> dict[Path, Path]:
    """Where each photograph's annotated picture goes: never over a photograph, nor over another's picture."""
    taken = {p.resolve() for p in photos}
    names: dict[Path, Path] = {}
    for photo in photos:
        if photo in names:
            continue
        number = 1
        while (name := folder / f"{photo.stem}{'' if number == 1 else f'-{number}'}{SUFFIX}").resolve() in taken:
            number += 1
        taken.add(name.resolve())
        names[photo] = name
    return names


def _write(path: Path, picture: Image) -> None:
    _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])
    try:
        path.write_bytes(coded.tobytes())
    except OSError as e:
        raise UserError(f"{path}: cannot be written ({e.strerror}); give another folder with --out") from None
