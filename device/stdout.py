"""Standard output that takes nothing more: a full disk, or a reader that has gone (`kibitz games | head -1`)."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


class OutputLostError(Exception):
    """Standard output cannot be written. `why` is empty when whoever read it has read enough."""

    def __init__(self, error: OSError) -> None:
        self.why = "" if isinstance(error, BrokenPipeError) else error.strerror or str(error)
        super().__init__(self.why)


class Output(io.TextIOWrapper):
    """A text stream that says with `OutputLostError`, at every write from then on, that it can be written no more."""

    _lost: OutputLostError | None = None

    def write(self, text: str) -> int:
        if self._lost is not None:
            raise self._lost
        try:
            return super().write(text)
        except OSError as e:
            raise self._lose(e) from None

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as e:
            raise self._lose(e) from None

    def _lose(self, error: OSError) -> OutputLostError:
        # What is still in the buffer goes nowhere, or Python would stumble over it when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        self._lost = OutputLostError(error)
        return self._lost


def guarded(stream: TextIO) -> TextIO:
    """The same stream, telling a failure to write from every other error."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    return Output(
        stream.buffer,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def finish() -> None:
    """Raises `OutputLostError` when not everything that was printed could be written."""
    if sys.stdout is not None:  # it is None when it was closed before the start
        sys.stdout.flush()
        sys.stdout.write("")
