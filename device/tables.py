"""How all tables of a broker stand, as far as it has told."""

from __future__ import annotations

import json
import threading
from typing import Any

MOST_TABLES = 100
MOST_BYTES = 20_000


class Tables:
    """Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: dict[str, dict[str, Any]] = {}

    def hear(self, table: str, what: str, payload: bytes) -> None:
        """A message from the broker: anybody may have sent it."""
        if len(payload) > MOST_BYTES:
            return
        try:
            told: Any = payload.decode() if what == "availability" else json.loads(payload)
        except (UnicodeDecodeError, ValueError):
            return
        with self._lock:
            if table not in self._tables and len(self._tables) >= MOST_TABLES:
                return
            one = self._tables.setdefault(table, {"id": table, "online": False})
            if what == "availability":
                one["online"] = told == "online"
            elif what == "state" and isinstance(told, dict):
                one["state"] = told

    def all(self) -> list[dict[str, Any]]:
        with self._lock:
            return [dict(self._tables[name]) for name in sorted(self._tables) if "state" in self._tables[name]]
