"""Reading a TOML file into a typed value, with errors that name file, line and field."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import msgspec.inspect

from device.errors import UserError

T = TypeVar("T")


def read_toml(path: Path, kind: type[T]) -> T:
    """The file's content as `kind`. Raises `UserError` when it is missing, no TOML, or does not fit."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors begin a file with a byte order mark
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UserError(f"{path}: is a folder; give a file") from None
    except OSError as e:
        raise UserError(f"{path}: cannot be read: {e.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not a text file in UTF-8") from None
    except tomllib.TOMLDecodeError as e:
        raise UserError(f"{path}: is not valid TOML: {e}") from None
    try:
        # Not strict about int for float only: `width_mm = 59` is fine, `width_mm = "59"` is not.
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as e:
        raise UserError(f"{path}: {_explain(str(e), data, kind)}") from None


def _explain(error: str, data: dict[str, Any], kind: type) -> str:
    """Puts msgspec's `Expected ... - at `$.face[3].width_mm`` the other way round, names the table's own id, and lists
    what may be chosen where only some words may be."""
    text, _, where = error.partition(" - at `$")
    text = text.replace("Object missing", "missing").replace("Object contains unknown field", "unknown field")
    text = text[:1].lower() + text[1:]
    where = where.rstrip("`").lstrip(".")
    if text.startswith("invalid enum value"):
        text += f"; choose one of: {', '.join(map(str, _words(kind, where)))}"
    if not where:
        return text
    match = re.match(r"(\w+)\[(\d+)\]\.?(.*)", where)
    if match:
        table, index, rest = match[1], int(match[2]), match[3]
        item = data.get(table, [])[index]
        name = next((item[k] for k in ("id", "name") if isinstance(item, dict) and item.get(k)), None)
        where = f"[[{table}]] number {index + 1}" + (f" ({name})" if name else "") + (f", {rest}" if rest else "")
    return f"{where}: {text}"


def _words(kind: type, where: str) -> Iterable[object]:
    """What `player[2].side` may be, in a struct of this kind."""
    found: msgspec.inspect.Type = msgspec.inspect.type_info(kind)
    for name in re.findall(r"\w+", where):
        if name.isdecimal():
            if isinstance(found, msgspec.inspect.VarTupleType | msgspec.inspect.ListType):
                found = found.item_type
        elif isinstance(found, msgspec.inspect.StructType):
            found = next(field.type for field in found.fields if field.encode_name == name)
    return found.values if isinstance(found, msgspec.inspect.LiteralType) else ()
