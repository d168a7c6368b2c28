"""The system's log: fields beside the words where systemd's journal listens, one plain line elsewhere.

journalctl -u kibitz KIBITZ_EVENT=ruling -o verbose
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Callable, Mapping
from typing import Protocol

SOCKET = "/run/systemd/journal/socket"
PRIORITIES = {"error": 3, "warning": 4, "notice": 5, "info": 6}


class Log(Protocol):
    def __call__(self, event: str, message: str, *, level: str = "info", **fields: object) -> None: ...


class PlainLog:
    """One line a message: what went wrong to standard error, all else to standard output."""

    def __init__(self, out: Callable[[str], None] | None = None) -> None:
        self._out = out

    def __call__(self, event: str, message: str, *, level: str = "info", **fields: object) -> None:
        text = " ".join(message.split())
        if self._out is not None:
            self._out(text)
        elif level in ("error", "warning"):
            print(f"kibitz: {text}", file=sys.stderr, flush=True)
        else:
            print(text, flush=True)


class JournalLog:
    """systemd's native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL): one datagram of fields a message."""

    def __init__(self, address: str = SOCKET) -> None:
        self._address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._fallback = PlainLog()

    def __call__(self, event: str, message: str, *, level: str = "info", **fields: object) -> None:
        named = {
            "MESSAGE": message,
            "PRIORITY": PRIORITIES[level],
            "SYSLOG_IDENTIFIER": "kibitz",
            "KIBITZ_EVENT": event,
            **{f"KIBITZ_{name.upper()}": value for name, value in fields.items() if value is not None},
        }
        try:
            self._socket.sendto(b"".join(_field(k, str(v)) for k, v in named.items()), self._address)
        except OSError:
            self._fallback(event, message, level=level, **fields)


def _field(name: str, value: str) -> bytes:
    data = value.encode()
    if b"\n" not in data:
        return name.encode() + b"=" + data + b"\n"
    return name.encode() + b"\n" + struct.pack("<Q", len(data)) + data + b"\n"


def system_log(environment: Mapping[str, str] = os.environ) -> Log:
    """The journal where standard error goes there anyway, which systemd says in the environment."""
    if environment.get("JOURNAL_STREAM"):
        return JournalLog()
    return PlainLog()
