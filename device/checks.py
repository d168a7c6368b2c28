"""One thing the doctor looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Check:
    what: str
    state: Literal["ok", "warn", "fail"]
    found: str
    do: str = ""
    """The one thing to do where it is not ok."""
