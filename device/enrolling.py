"""`kibitz enroll`: a deck learned from cards under the camera, from footage, photographs or scans.

sources → stills → sides (what they show, each once) → names → one picture of each face → the deck's folder
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from device.card_sizes import CardSize
from device.deck_check import check_game, lacking, look_alikes, other_views
from device.deck_folder import load_deck
from device.enroll_sources import Scan, Stills, read_sources, watch_camera
from device.errors import UserError
from device.face_names import Name, read_names, template, usual_kind
from device.new_deck import NewFace, check_new, write_deck
from device.places import check_place, write_whole
from device.screen.naming import Naming, Shown, make_naming_app
from device.screen.server import serve
from device.tell import print_line
from vision.cutout import Cutout
from vision.frame import Image
from vision.learned import views_in, whole_face
from vision.portrait import portraits
from vision.scene import BACK
from vision.sides import Laid, Side, View, alike_sides, gather, worth

Ask = Callable[[list["Found"], list[Name | None]], list[Name | None]]
"""Asks somebody for the names of sides: what was found, and the names there are already."""

BURNT_SHARE = 0.05
"""Of a face that is burnt out in all its views: two of its 40 blocks then say nothing."""
MANY = 5
"""So many faces with the same shortcoming are told in one line, and have one cause."""
COARSE_PX_PER_MM = 1.0
"""A face seen by fewer pixels has no print left that is finer than 2 mm."""
THUMB_PX, ACROSS = (118, 182), 8


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """How a deck is to be learned."""

    folder: Path
    sources: tuple[Path, ...] = ()
    camera: str | None = None
    """Looked through when there are no sources."""
    sizes: tuple[CardSize, ...]
    thickness_mm: float = 0.3
    title: str = ""
    names: Path | None = None
    scans: bool = False
    game: str = ""
    """Whose kinds the faces must be of; empty: not known."""


@dataclass(frozen=True, eq=False)
class Found:
    """A side, and where it was first seen."""

    side: Side
    where: str


def enroll(wishes: Wishes, stop: threading.Event, ask: Ask) -> Path | None:
    """Makes the deck's folder and returns it; None when only a list of names to fill in was written."""
    check_new(wishes.folder)
    found, known = find_sides(wishes, stop)
    if wishes.names is not None and not wishes.names.exists():
        _write_template(wishes.names, found, known)
        return None
    if wishes.names is not None:
        listed = read_names(wishes.names, len(found))
        names = [a if a is not None else b for a, b in zip(listed, known, strict=True)]
    elif all(known):
        names = known
    else:
        names = ask(found, known)
    return make_deck(wishes, found, names)


def ask_on_screen(port: int, language: str, kinds: Sequence[str], stop: threading.Event) -> Ask:
    """Asks on a page that this machine alone is shown, until somebody there says that it is done."""

    def ask(found: list[Found], known: list[Name | None]) -> list[Name | None]:
        naming = Naming(shown_sides(found), known, kinds)
        with serve(make_naming_app(naming, language=language), port=port) as server:
            print_line(f"{len(found)} sides; name them at {server.url}")
            while not naming.done.wait(0.2):
                if stop.is_set():
                    raise UserError("stopped before the names were given; nothing was made")
        return naming.names

    return ask


def shown_sides(found: Sequence[Found]) -> list[Shown]:
    """What the page shows: each side's best view, and which others look nearly the same."""
    like = alike_sides([one.side for one in found])
    out = []
    for n, one in enumerate(found):
        picture = one.side.views[0].cutout.picture
        done, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 88])
        assert done
        square = picture.shape[0] == picture.shape[1]
        out.append(Shown(one.where, jpeg.tobytes(), one.side.copies, square, tuple(k + 1 for k in like[n])))
    return out


def find_sides(wishes: Wishes, stop: threading.Event) -> tuple[list[Found], list[Name | None]]:
    """What the sources or the camera show, and the names that scans bring along in their files' names."""
    sizes = [size.size_mm for size in wishes.sizes]
    if wishes.sources:
        sources = read_sources(wishes.sources, sizes, scans=wishes.scans)
    else:
        print_line(
            "Lay cards where the camera sees them, away with the hands for a second, then the next; Ctrl-C ends."
        )
        sources = [watch_camera(wishes.camera or "pi", stop, lambda n: print_line(f"picture {n} taken"))]
    laid: list[Laid] = []
    places: dict[int, str] = {}
    for origin, source in enumerate(sources):
        places[origin] = source.path.name if isinstance(source, Scan) else source.name
        laid += _laid_in(source, sizes, origin)
    found = []
    for side in gather(laid):
        at = f", {side.first.t:.1f} s" if side.first.t else ""
        found.append(Found(side, places[side.first.origin] + at))
    if not found:
        raise UserError(
            f"no card of {' or '.join(f'{w:g} x {h:g}' for w, h in sizes)} mm was found; lay them on a plain cloth of"
            " another colour, whole and apart from each other, and check --size"
        )
    stems = {n: s.path.stem for n, s in enumerate(sources) if isinstance(s, Scan)}
    known = [_of_stem(stems[f.side.first.origin]) if f.side.first.origin in stems else None for f in found]
    return found, known


def make_deck(wishes: Wishes, found: Sequence[Found], names: Sequence[Name | None]) -> Path:
    """Writes the deck and says what it lacks."""
    views: dict[str, list[View]] = {}
    first: dict[str, tuple[Name, Found]] = {}
    copies: dict[str, int] = {}
    for one, name in zip(found, names, strict=True):
        if name is None or not name.id:
            continue
        if name.id in first and first[name.id][1].side.size != one.side.size:
            raise UserError(f"{name.id}: is the name of two sides of different sizes; give each its own")
        first.setdefault(name.id, (name, one))
        views.setdefault(name.id, []).extend(_turned(view, name.turn) for view in one.side.views)
        copies[name.id] = max(copies.get(name.id, 1), name.count or one.side.copies)
    if not any(name.of_kind != BACK for name, _ in first.values()):
        raise UserError(f"{wishes.folder}: no face has a name yet; there is nothing to make a deck of")
    _one_back(first)
    if wishes.game:
        check_game(wishes.game, [name.of_kind for name, _ in first.values()])
    pictures = portraits(views)
    faces = [
        NewFace(face, name.of_kind, copies[face], name.title, one.side.size, pictures[face].picture)
        for face, (name, one) in first.items()
    ]
    write_deck(wishes.folder, wishes.title or wishes.folder.name, wishes.sizes, wishes.thickness_mm, faces)
    deck = load_deck(wishes.folder)  # what is read is what will be played with
    cards = sum(face.count for face in faces if face.kind != BACK)
    print_line(f"{wishes.folder}: {len(faces)} faces, {cards} cards")
    nameless = [str(n) for n, name in enumerate(names, 1) if name is None]
    if nameless:
        print_line(f"left out, since nobody named them: {', '.join(nameless)}")
    for line in shortcomings(pictures):
        print_line(line)
    used = {face: max(all_views, key=worth) for face, all_views in views.items()}
    lacks = lacking(wishes.game, deck) if wishes.game else []
    for line in [*other_views(deck, views, used), *look_alikes(deck), *lacks]:
        print_line(line)
    return wishes.folder


def shortcomings(pictures: Mapping[str, Cutout]) -> list[str]:
    """What the faces' pictures lack, for a person."""
    burnt = {face: 1 - float(p.clear.mean()) for face, p in pictures.items()}
    bright = [f"{face} ({100 * share:.0f} %)" for face, share in burnt.items() if share > BURNT_SHARE]
    coarse = [f"{face} ({p.px_per_mm:.2f})" for face, p in pictures.items() if p.px_per_mm < COARSE_PX_PER_MM]
    out = []
    if len(bright) > MANY:
        out.append(f"burnt out in part: {', '.join(bright)}; less light, or a darker exposure, and enroll anew")
    elif bright:
        out.append(f"burnt out in part by a reflection: {', '.join(bright)}; lay them elsewhere and enroll anew")
    if coarse:
        out.append(f"seen at less than a pixel to the millimetre: {', '.join(coarse)}; bring the camera nearer")
    return out


def overview(found: Sequence[Found]) -> Image:
    """All sides with their numbers."""
    cells = []
    for number, one in enumerate(found, 1):
        picture = one.side.views[0].cutout.picture
        zoom = min(THUMB_PX[0] / picture.shape[1], THUMB_PX[1] / picture.shape[0])
        small = cv2.resize(picture, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
        cell = np.full((THUMB_PX[1] + 26, THUMB_PX[0] + 8, 3), 255, np.uint8)
        cell[22 : 22 + small.shape[0], 4 : 4 + small.shape[1]] = small
        cv2.putText(cell, str(number), (4, 17), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1, cv2.LINE_AA)
        cells.append(cell)
    while len(cells) % ACROSS:
        cells.append(np.full_like(cells[0], 255))
    return np.asarray(np.vstack([np.hstack(cells[k : k + ACROSS]) for k in range(0, len(cells), ACROSS)]), np.uint8)


def _laid_in(source: Stills | Scan, sizes: Sequence[tuple[float, float]], origin: int) -> list[Laid]:
    if isinstance(source, Scan):
        return [whole_face(source.picture, source.size, sizes, origin)]
    laid = views_in(source.pictures, source.times, sizes, origin) if source.pictures else []
    print_line(f"{source.name}: {len(source.pictures)} stills, {len(laid)} cards laid")
    return laid


def _of_stem(stem: str) -> Name:
    """What a scan's file is called is what its face is called."""
    face = "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else "_" for c in stem)
    face = face if face[:1].isalpha() else f"face_{face}"
    return Name(id=face, kind=usual_kind(face))


def _turned(view: View, degrees: int) -> View:
    return View(view.cutout.turned(-degrees // 90 % 4), view.origin, view.t)


def _one_back(first: dict[str, tuple[Name, Found]]) -> None:
    backs: dict[int, str] = {}
    for face, (name, one) in first.items():
        if name.of_kind == BACK and backs.setdefault(one.side.size, face) != face:
            raise UserError(f"{backs[one.side.size]} and {face}: are both the back; cards of one size have one")


def _write_template(path: Path, found: Sequence[Found], known: Sequence[Name | None]) -> None:
    picture = path.with_suffix(".jpg")
    check_place(picture, "the overview", "--names", lambda file: False)
    done, data = cv2.imencode(".jpg", overview(found), [cv2.IMWRITE_JPEG_QUALITY, 90])
    assert done
    write_whole(picture, data.tobytes(), "the overview", "--names")
    text = template([(f.where, f.side.copies) for f in found], known)
    write_whole(path, text.encode(), "the list of names", "--names")
    print_line(
        f"{path}: a list of {len(found)} sides to name; {picture} shows them. Fill it in, and run this once more."
    )
