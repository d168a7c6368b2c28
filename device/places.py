"""Where a file may be written: what lies there is looked at before, and is whole or replaced, never half of either."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from device.errors import UserError


def check_place(path: Path, what: str, option: str, ours: Callable[[BinaryIO], bool]) -> None:
    """Raises `UserError` when `what` (`the report`) cannot be written there, or would take the place of another file.

    `ours(file)` says whether what lies there is an earlier one of the same sort, which may be replaced. A session, a
    clip, a picture or a journal would be lost for ever; `option` is how to name another place.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        if path.exists() and not path.is_file():
            return  # a pipe or a device: whoever names one knows why
        if path.is_file() and path.stat().st_size:
            with path.open("rb") as file:
                if not ours(file):
                    raise UserError(f"{path}: is another file and would be lost; choose another place with {option}")
        with tempfile.NamedTemporaryFile(dir=path.parent):
            pass
    except OSError as e:
        raise _unwritable(path, what, option, e) from None


def write_whole(path: Path, data: bytes, what: str, option: str) -> None:
    """Writes all of it or nothing. Raises `UserError`, and leaves what was there, when it cannot."""
    part = path.with_name(path.name + ".part")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        try:
            part.write_bytes(data)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
    except OSError as e:
        raise _unwritable(path, what, option, e) from None


def _unwritable(path: Path, what: str, option: str, error: OSError) -> UserError:
    why = (error.strerror or str(error)).lower()
    return UserError(f"{path}: {what} cannot be written there: {why}; choose another place with {option}")
