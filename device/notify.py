"""Talking to systemd (sd_notify, man 3 sd_notify): ready, how it goes, still alive, stopping. Silent anywhere else."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping


class Manager:
    """The service manager that started this process, if one did."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        pid = environment.get("WATCHDOG_PID", "")
        usec = environment.get("WATCHDOG_USEC", "")
        ours = not pid or pid == str(os.getpid())
        self._every = int(usec) / 1e6 / 4 if usec.isdecimal() and ours else None
        """Four times as often as must be: one sign that gets lost costs nothing."""
        self._last = float("-inf")
        self._status = ""

    def ready(self) -> None:
        self._send("READY=1")

    def stopping(self) -> None:
        self._send("STOPPING=1")

    def status(self, text: str) -> None:
        """One line for `systemctl status`."""
        if text != self._status:
            self._status = text
            self._send("STATUS=" + text.replace("\n", " "))

    def beat(self) -> None:
        """The loop turns. Called with every frame; told a few times a watchdog's time."""
        now = time.monotonic()
        if self._every is not None and now - self._last >= self._every:
            self._last = now
            self._send("WATCHDOG=1")

    def _send(self, text: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as s:
                s.sendto(text.encode(), address)
        except OSError:
            return  # a manager that does not listen is not worth a game
