"""Devices that may change the game: a short code on the main screen lets a phone in, a token of its own keeps it in.

The code is shown only on the machine itself, is good for one device and for a few minutes, and wrong tries are
counted. Of tokens only hashes are stored; taking one out of the list takes the device's leave away at once.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from device.errors import UserError

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without what looks alike: 0 O, 1 I L."""
CODE_LENGTH = 8
"""31 letters to the power of 8: with ten tries at most, one in 10^11 guesses right."""
CODE_S = 300.0
MOST_TRIES = 10
"""Wrong ones; after that the code is another."""
MOST_DEVICES = 32
MOST_NAME = 40
TOKEN_BYTES = 32


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """One that was let in."""

    id: str
    name: str
    paired: str
    """UTC, ISO 8601."""
    token_sha256: str


class Devices:
    """The list in a file that only its owner may read. Another process (`kibitz devices`) may change it meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._read: tuple[int, tuple[Device, ...]] | None = None

    def all(self) -> tuple[Device, ...]:
        try:
            stamp = self.path.stat().st_mtime_ns
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, msgspec.json.decode(self.path.read_bytes(), type=tuple[Device, ...]))
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError) as e:
            raise UserError(
                f"{self.path}: cannot be read ({e}); take the file away and pair all devices anew"
            ) from None
        return self._read[1]

    def known(self, token: str) -> Device | None:
        """The device that has this token."""
        digest = _digest(token)
        return next((d for d in self.all() if hmac.compare_digest(d.token_sha256, digest)), None)

    def add(self, name: str) -> tuple[Device, str]:
        """A new device and the token that only it gets to know."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        device = Device(
            id=secrets.token_hex(4), name=name, paired=datetime.now(UTC).isoformat(timespec="seconds"),
            token_sha256=_digest(token),
        )  # fmt: skip
        with self._lock:
            self._write((*self.all(), device)[-MOST_DEVICES:])
        return device, token

    def revoke(self, device_id: str) -> bool:
        with self._lock:
            left = tuple(d for d in self.all() if d.id != device_id)
            found = len(left) < len(self.all())
            if found:
                self._write(left)
        return found

    def _write(self, devices: tuple[Device, ...]) -> None:
        part = self.path.with_suffix(".part")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(json.dumps(msgspec.to_builtins(devices), indent=1).encode())
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
        except OSError as e:
            raise UserError(
                f"{self.path}: cannot be written: {e.strerror}; make room, or allow writing there"
            ) from None
        self._read = None


class Pairing:
    """The code of the moment, and who was let in by one."""

    def __init__(self, devices: Devices, now: Callable[[], float] = time.monotonic) -> None:
        self.devices = devices
        self._now = now
        self._lock = threading.Lock()
        self._code = ""
        self._until = 0.0
        self._wrong = 0

    def code(self) -> tuple[str, float]:
        """The code to show and for how many more seconds it is good."""
        with self._lock:
            if self._now() >= self._until - CODE_S / 5:  # nobody is shown one that is about to expire
                self._renew()
            return self._code, self._until - self._now()

    def pair(self, code: str, name: str) -> tuple[Device, str] | None:
        """Lets a device in. None for a wrong or old code, or when none is shown."""
        given = "".join(c for c in code.upper() if c in ALPHABET)
        name = " ".join(name.split())[:MOST_NAME] or "?"
        with self._lock:
            good = bool(self._code) and self._now() < self._until
            if not good or not hmac.compare_digest(given, self._code):
                self._wrong += 1
                if self._wrong >= MOST_TRIES:
                    self._forget()
                return None
            self._forget()
        return self.devices.add(name)

    def _renew(self) -> None:
        self._code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
        self._until = self._now() + CODE_S
        self._wrong = 0

    def _forget(self) -> None:
        self._code, self._until, self._wrong = "", 0.0, 0


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
