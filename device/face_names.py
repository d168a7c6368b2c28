"""What the faces of a new deck are called: a list to write, line by line in the order in which the sides were found.

# number  id  kind  count  turn=180  title
1  palace_a      palace       4  Palast des Sultans
2  adventure_1_a adventure.1  2  turn=180 Vogel Roch
3  -                               # no face of the deck
4  palace_a                        # the same face again, in other light
5  back          back
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from device.errors import UserError
from vision.scene import BACK, UNKNOWN

SKIP = "-"
ID = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
MOST_COPIES = 10_000
TURNS = (0, 90, 180, 270)


class Name(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one side is called. Sides of one id are views of one face."""

    id: str
    """Empty: the side is no face of the deck."""
    kind: str = ""
    count: int | None = None
    turn: int = 0
    """Degrees clockwise by which it must be turned to be upright."""
    title: str = ""

    @property
    def of_kind(self) -> str:
        return self.kind or usual_kind(self.id)


def usual_kind(face: str) -> str:
    """What a face of that id usually stands for: `adventure_1_a` is a picture of `adventure.1`."""
    parts = face.split("_")
    if len(parts) > 1 and re.fullmatch(r"[a-z]", parts[-1]):
        parts.pop()
    return ".".join(part for part in parts if part)


def read_names(path: Path, sides: int) -> list[Name | None]:
    """The name of each of so many sides; None for one that the list does not speak of."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"{path}: no such list of names") from None
    except (OSError, UnicodeDecodeError) as e:
        why = "is not a text file in UTF-8" if isinstance(e, UnicodeDecodeError) else f"cannot be read: {e.strerror}"
        raise UserError(f"{path}: {why}") from None
    names: list[Name | None] = [None] * sides
    next_one = 1
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"{path}, line {number}"
        if words[0].rstrip(".").isdecimal():
            next_one = int(words.pop(0).rstrip("."))
        if not 1 <= next_one <= sides:
            raise UserError(
                f"{where}: names side {next_one}, but {sides} were found; compare with the overview picture"
            )
        if words:
            if names[next_one - 1] is not None:
                raise UserError(f"{where}: side {next_one} has a name already; give each line its own number")
            names[next_one - 1] = _name(words, where)
        next_one += 1
    check_names([n for n in names if n is not None], str(path))
    return names


def check_names(names: Sequence[Name], where: str) -> None:
    """Raises `UserError` where a name is no name, or two views of one face are said to be of different kinds."""
    kinds: dict[str, str] = {}
    for name in names:
        if not name.id:
            continue
        if not ID.fullmatch(name.id):
            raise UserError(f"{where}: {name.id!r} is no id: letters, digits, _ and . only, and no digit first")
        if name.of_kind == UNKNOWN or any(c.isspace() for c in name.kind):
            raise UserError(f"{where}: {name.id}: {name.kind!r} is no kind")
        if name.turn not in TURNS:
            raise UserError(f"{where}: {name.id}: turn={name.turn}; a side is turned by 0, 90, 180 or 270")
        if name.count is not None and not 1 <= name.count <= MOST_COPIES:
            raise UserError(f"{where}: {name.id}: {name.count} copies; give a count from 1 to {MOST_COPIES}")
        if name.kind and kinds.setdefault(name.id, name.kind) != name.kind:
            raise UserError(f"{where}: {name.id}: is a {kinds[name.id]} once and a {name.kind} another time")


def template(sides: Sequence[tuple[str, int]], names: Sequence[Name | None] = ()) -> str:
    """A list to fill in. sides: where each was first seen, and how many copies lay there at once."""
    lines = ["# number  id  kind  count  turn=180  title        (- for what is no face)"]
    for number, (seen, copies) in enumerate(sides, 1):
        name = names[number - 1] if number <= len(names) else None
        lines.append(f"{number:3d}  {_line(name, copies)}  # {seen}")
    return "\n".join(lines) + "\n"


def _line(name: Name | None, copies: int) -> str:
    if name is None:
        return ""
    if not name.id:
        return SKIP
    turn = f" turn={name.turn}" if name.turn else ""
    return f"{name.id} {name.of_kind} {name.count or copies}{turn} {name.title}".rstrip()


def _name(words: list[str], where: str) -> Name:
    first, *rest = words
    if first == SKIP:
        return Name(id="")
    turn, count, kind = 0, None, ""
    left = []
    for word in rest:
        if word.startswith("turn="):
            if not word[5:].isdecimal():
                raise UserError(f"{where}: {word}: a side is turned by 0, 90, 180 or 270")
            turn = int(word[5:])
        else:
            left.append(word)
    if left and not left[0].isdecimal():
        kind = left.pop(0)
    if left and left[0].isdecimal() and len(left[0]) < 9:
        count = int(left.pop(0))
    name = Name(id=first, kind=kind, count=count, turn=turn, title=" ".join(left))
    check_names([name], where)
    return name


def is_back(name: Name) -> bool:
    return name.of_kind == BACK
