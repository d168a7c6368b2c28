"""What several commands share: where the journal is, and stopping in good order."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from device.errors import UserError
from rules.session import Language

JournalFile = Annotated[
    Path | None, typer.Option("--journal", help="Journal file; $KIBITZ_HOME or the state folder otherwise.")
]


def known_language(word: str) -> Language:
    """Raises `UserError` for a word that is none of the three."""
    known: dict[str, Language] = {"en": "en", "fr": "fr", "de": "de"}
    if word not in known:
        raise UserError(f"--language {word}: choose one of: en, fr, de")
    return known[word]


def journal_place(path: Path | None) -> Path:
    from device.journal import default_place

    return path or default_place()


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C or a service manager's SIGTERM sets."""
    stop = threading.Event()
    old = {s: signal.signal(s, lambda *_: stop.set()) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for s, handler in old.items():
            signal.signal(s, handler)
