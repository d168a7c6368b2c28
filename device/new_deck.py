"""A new deck's folder: `deck.toml` and one picture of each face, all of it or nothing, and never over another one."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

from device.card_sizes import CardSize
from device.errors import UserError
from vision.frame import Image
from vision.scene import BACK

AS_JPEG = [cv2.IMWRITE_JPEG_QUALITY, 95, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444]


@dataclass(frozen=True, eq=False)
class NewFace:
    """A face as it is to be kept."""

    id: str
    kind: str
    count: int
    title: str
    size: int
    """Index of its size."""
    picture: Image


def check_new(folder: Path) -> None:
    """Raises `UserError` when there is something already, or nothing can be made there."""
    if folder.exists():
        raise UserError(f"{folder}: is there already and is not written over; give the deck another name")
    if not folder.resolve().parent.is_dir():
        raise UserError(f"{folder}: there is no folder {folder.resolve().parent} to make it in")
    try:
        with tempfile.TemporaryDirectory(dir=folder.resolve().parent):
            pass
    except OSError as e:
        raise UserError(f"{folder}: cannot be made: {(e.strerror or str(e)).lower()}") from None


def write_deck(
    folder: Path, name: str, sizes: Sequence[CardSize], thickness_mm: float, faces: Sequence[NewFace]
) -> None:
    """Makes the folder."""
    check_new(folder)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.resolve().parent))
    try:
        (part / "faces").mkdir()
        for face in faces:
            done, data = cv2.imencode(".jpg", face.picture, AS_JPEG)
            assert done
            (part / "faces" / f"{face.id}.jpg").write_bytes(data.tobytes())
        (part / "deck.toml").write_text(_toml(name, sizes, thickness_mm, faces), encoding="utf-8")
        part.chmod(0o755)
        part.rename(folder)
    except OSError as e:
        raise UserError(f"{folder}: cannot be written: {(e.strerror or str(e)).lower()}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _toml(name: str, sizes: Sequence[CardSize], thickness_mm: float, faces: Sequence[NewFace]) -> str:
    usual = sizes[0]
    lines = [f"name = {_text(name)}", "", "[card]", *_size(usual)]
    lines += [f"thickness_mm = {thickness_mm:g}", f"corner_radius_mm = {usual.corner_radius_mm:g}"]
    for face in faces:
        if face.kind == BACK:
            continue
        lines += ["", "[[face]]", f"id = {_text(face.id)}", f"file = {_text(f'faces/{face.id}.jpg')}"]
        lines += [f"kind = {_text(face.kind)}", f"count = {face.count}"]
        lines += [f"title = {_text(face.title)}"] if face.title else []
        lines += _size(sizes[face.size]) if face.size else []
    for face in faces:
        if face.kind == BACK:
            lines += ["", "[tile_back]" if face.size else "[back]", f"file = {_text(f'faces/{face.id}.jpg')}"]
            lines += _size(sizes[face.size]) if face.size else []
    return "\n".join(lines) + "\n"


def _size(size: CardSize) -> list[str]:
    return [f"width_mm = {size.width_mm:g}", f"height_mm = {size.height_mm:g}"]


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
