"""What every camera is to the rest: a `Source` that blocks for its next frame, and how one is wished for."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from vision.frame import Frame


class Clock:
    """Seconds since it was made, plus those of an earlier sitting that is gone on with."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self.before = 0.0

    def __call__(self) -> float:
        return time.monotonic() - self._since + self.before


class CameraGone(Exception):  # noqa: N818 - it is a state of affairs that passes
    """The camera does not deliver now; one line that says why."""


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is asked of a camera. What it really delivers is read back from it."""

    size: tuple[int, int] = (1280, 720)
    """Width and height, pixels."""
    rate: int = 10
    """Frames a second."""
    lock: bool = True
    """Whether exposure, white balance and focus are held once they have settled."""


class Source(Protocol):
    """One opened camera."""

    def read(self) -> Frame | None:
        """The next frame, when there is one; None at the end of footage. Raises `CameraGone`."""
        ...

    def close(self) -> None: ...


class Knobs(Protocol):
    """A camera's automatic exposure, white balance and focus; what it does not have is left alone."""

    def automatic(self) -> None:
        """All of them find their own values."""
        ...

    def hold(self) -> tuple[str, ...]:
        """Keeps the values found. Returns the names of what is held: `exposure`, `white balance`, `focus`."""
        ...
