"""A deck from its folder: `deck.toml` (names, kinds, counts, millimetres) and the faces' pictures.

name = "Fliegende Teppiche"
[card]                      # the usual size; a face may give its own
width_mm = 59.0
height_mm = 91.0
thickness_mm = 0.32
corner_radius_mm = 3.0
[[face]]
id = "palace_a"
file = "faces/palace_a.jpg"
kind = "palace"
count = 4
#piece = "tile"             # a kind that begins with `tile.` or `road.` is a tile anyway, any other a card
[back]
file = "faces/back.jpg"
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import cv2
import msgspec
import numpy as np
from PIL import Image, ImageOps

from device.errors import UserError
from device.toml_file import read_toml
from vision.deck import Deck, Face, Picture
from vision.scene import BACK, UNKNOWN

DECKS = Path(__file__).parents[1] / "models" / "decks"
"""The decks that ship with Kibitz."""
SMALLEST_PICTURE_PX = 40
"""A face with a shorter side than this cannot be told from another."""
LARGEST_PICTURE_PX = 60_000_000
FINEST_PX_PER_MM = 5.0
"""Scans are kept at this resolution: 58 scanned cards at 254 dpi took 60 MB of a Pi's memory, at this 15."""
PROPORTION_TOLERANCE = 0.12
"""How far a picture's proportion may be from the millimetres': a scan's slack, but not a landscape for a portrait."""

TILES = ("tile.", "road.")
"""How the kinds of tiles begin."""

Millimetres = Annotated[float, msgspec.Meta(gt=0, le=2000)]
Name = Annotated[str, msgspec.Meta(min_length=1)]
Colour = Literal["red", "blue", "green", "yellow", "black", "white"]


class CardSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    width_mm: Millimetres
    height_mm: Millimetres
    thickness_mm: Annotated[float, msgspec.Meta(gt=0, le=100)] = 0.3
    corner_radius_mm: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 0.0


class FaceSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Name
    file: Name
    kind: Name
    count: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 1
    title: str = ""
    width_mm: Millimetres | None = None
    height_mm: Millimetres | None = None
    piece: Literal["card", "tile"] | None = None
    """What bears the face; as a rule its kind tells."""


class BackSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file: Name
    title: str = ""
    width_mm: Millimetres | None = None
    height_mm: Millimetres | None = None


class DieSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A die to print with the deck."""

    face: Name
    """`die.flight`, `die.race`: what the piece is called in a scene."""
    values: Annotated[list[Annotated[int, msgspec.Meta(ge=1, le=6)]], msgspec.Meta(min_length=6, max_length=6)]
    edge_mm: Annotated[float, msgspec.Meta(ge=8, le=40)] = 16.0
    count: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1


class TokenSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A playing piece to print with the deck, in each of the colours."""

    kind: Literal["meeple", "car"]
    colours: Annotated[list[Colour], msgspec.Meta(min_length=1)]
    length_mm: Annotated[float, msgspec.Meta(ge=5, le=60)]
    width_mm: Annotated[float, msgspec.Meta(ge=5, le=60)]
    height_mm: Annotated[float, msgspec.Meta(ge=2, le=60)]
    count: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1
    """Pieces of each colour."""


class DeckSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    card: CardSpec
    name: str = ""
    credit: str = ""
    """Whom the pictures' licence wants named."""
    face: list[FaceSpec] = []
    back: BackSpec | None = None
    tile_back: BackSpec | None = None
    """The reverse of pieces that are not of the card's size."""
    die: list[DieSpec] = []
    token: list[TokenSpec] = []


def find_deck(name: str, beside: Path = Path()) -> Path:
    """The folder of a deck: the one that ships with Kibitz under that name, or the path as seen from `beside`."""
    places = [beside / name]
    if "/" not in name and "\\" not in name:
        places.insert(0, DECKS / name)
    for folder in places:
        if (folder / "deck.toml").is_file():
            return folder
    shipped = ", ".join(sorted(p.parent.name for p in DECKS.glob("*/deck.toml")))
    raise UserError(
        f"deck {name!r}: there is no {beside / name / 'deck.toml'}; give a folder with a deck.toml,"
        f" or one of: {shipped or 'none ships'}"
    )


def load_deck(folder: Path) -> Deck:
    """The deck in that folder with every face's picture. Raises `UserError`, which names the file and the field."""
    path = folder / "deck.toml"
    spec = read_toml(path, DeckSpec)
    card = spec.card
    if not spec.face:
        raise UserError(f"{path}: has no faces; add a [[face]] table for each picture")
    if card.corner_radius_mm > min(card.width_mm, card.height_mm) / 2:
        raise UserError(f"{path}: card, corner_radius_mm: is more than half the card's shorter side")
    specs = list(spec.face)
    if spec.back:
        same = (f for f in spec.face if (f.width_mm or card.width_mm, f.height_mm or card.height_mm) == _size(card))
        specs.append(_back(spec.back, "back", next(same, None)))
    if spec.tile_back:
        other = (f for f in spec.face if (f.width_mm or card.width_mm, f.height_mm or card.height_mm) != _size(card))
        specs.append(_back(spec.tile_back, "tile_back", next(other, None)))
    seen: set[str] = set()
    for face in specs:
        if face.id in seen:
            raise UserError(f"{path}: two faces have the id {face.id!r}; give each picture its own")
        seen.add(face.id)
    return Deck(
        name=spec.name or folder.name,
        faces=tuple(_face(folder, path, face, card) for face in specs),
        thickness_mm=card.thickness_mm,
        corner_radius_mm=card.corner_radius_mm,
        notes={"credit": spec.credit} if spec.credit else {},
    )


def check_kinds(deck: Deck, role: Callable[[str], str], path: Path, game: str) -> None:
    """Raises `UserError` for a face whose kind the game does not know; `role` is the referee's."""
    for face in deck.faces:
        if face.kind == UNKNOWN or role(face.kind) == UNKNOWN:
            raise UserError(
                f"{path / 'deck.toml'}: face {face.id}: the game {game} knows no kind {face.kind!r}; correct or take it"
                " out"
            )


def _size(card: CardSpec) -> tuple[float, float]:
    return card.width_mm, card.height_mm


def _back(spec: BackSpec, name: str, like: FaceSpec | None) -> FaceSpec:
    width = spec.width_mm or (like.width_mm if like else None)
    height = spec.height_mm or (like.height_mm if like else None)
    piece = _piece(like) if like else None
    return FaceSpec(id=name, file=spec.file, kind=BACK, title=spec.title, width_mm=width, height_mm=height, piece=piece)


def _piece(spec: FaceSpec) -> Literal["card", "tile"]:
    return spec.piece or ("tile" if spec.kind.startswith(TILES) else "card")


def _face(folder: Path, path: Path, spec: FaceSpec, card: CardSpec) -> Face:
    width, height = spec.width_mm or card.width_mm, spec.height_mm or card.height_mm
    picture = _picture(folder / spec.file, f"{path}: face {spec.id}, file")
    rows, columns = picture.shape[:2]
    if abs((columns / rows) / (width / height) - 1) > PROPORTION_TOLERANCE:
        raise UserError(
            f"{path}: face {spec.id}: the picture {spec.file} is {columns}x{rows} pixels, which does not have the"
            f" proportion of {width:g} x {height:g} mm; crop or turn it, or correct width_mm and height_mm"
        )
    return Face(
        id=spec.id,
        kind=spec.kind,
        picture=_reduced(picture, width, height),
        width_mm=width,
        height_mm=height,
        count=spec.count,
        title=spec.title,
        piece=_piece(spec),
    )


def _reduced(picture: Picture, width_mm: float, height_mm: float) -> Picture:
    """With no more pixels than seeing and the screen have use for."""
    size = round(width_mm * FINEST_PX_PER_MM), round(height_mm * FINEST_PX_PER_MM)
    if picture.shape[1] <= size[0] or picture.shape[0] <= size[1]:
        return picture
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _picture(path: Path, where: str) -> Picture:
    try:
        with Image.open(path) as image:
            if image.width * image.height > LARGEST_PICTURE_PX:
                raise UserError(f"{where}: {path} is {image.width}x{image.height} pixels; make it smaller")
            # Decoding the whole of it is what finds a broken picture; the header of a cut-off one is intact.
            rgb = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    except FileNotFoundError:
        raise UserError(f"{where}: there is no picture {path}; put it there, or correct the name") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as e:
        reason = e.strerror.lower() if isinstance(e, OSError) and e.strerror else "it is broken or of an unknown format"
        raise UserError(f"{where}: the picture {path} cannot be read: {reason}; save it anew as JPEG or PNG") from None
    if min(rgb.shape[:2]) < SMALLEST_PICTURE_PX:
        raise UserError(f"{where}: {path} is too small: {SMALLEST_PICTURE_PX} pixels a side are the least")
    return np.ascontiguousarray(rgb[..., ::-1])
