"""Who may do what: this machine everything; paired devices play; anybody else on the network watches, if that is on.

    request from            may
    this machine            all, pairing other devices included (the main screen hangs on it)
    a paired device         watch and change the game
    anybody else            watch, where the config allows it; try a pairing code
Each address may ask only so often. The guard (Host, Origin, sizes) comes before this.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from device.errors import UserError
from device.screen.pairing import Pairing

COOKIE = "kibitz"
OPEN = ("/", "/pair", "/static/", "/health")
"""What a device must reach to be paired at all; /health tells no more than how it goes to those who may not watch."""
MAIN_ONLY = ("/pairing", "/devices", "/devices/revoke", "/new-game")
PAIRED_ONLY = ("/play.zip",)
READING = ("GET", "HEAD")

CHANGES_A_SECOND, CHANGES_AT_ONCE = 5.0, 30.0
READS_A_SECOND, READS_AT_ONCE = 40.0, 250.0
"""A page asks for about 90 things when it is opened, and for the camera picture a few times a second."""
TRIES_A_SECOND, TRIES_AT_ONCE = 1 / 12, 5.0
MOST_ADDRESSES = 1000
MOST_SOCKETS = 64
"""Pages that are open at the same time."""


class Bucket:
    """So many tokens at once, and so many a second after that; one for each address."""

    def __init__(self, a_second: float, at_once: float, now: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once = a_second, at_once
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        now = self._now()
        left, since = self._left.pop(address, (self._at_once, now))
        left = min(self._at_once, left + (now - since) * self._a_second)
        allowed = left >= 1
        self._left[address] = (left - 1 if allowed else left, now)
        while len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return allowed


class Access:
    """Middleware; `Access(pairing)(app)` wraps."""

    def __init__(self, pairing: Pairing, *, watch: bool = True, now: Callable[[], float] = time.monotonic) -> None:
        self.pairing = pairing
        self.watch = watch
        self.reads = Bucket(READS_A_SECOND, READS_AT_ONCE, now)
        self.changes = Bucket(CHANGES_A_SECOND, CHANGES_AT_ONCE, now)
        self.tries = Bucket(TRIES_A_SECOND, TRIES_AT_ONCE, now)
        self.all_tries = Bucket(4 * TRIES_A_SECOND, 4 * TRIES_AT_ONCE, now)
        self.sockets = 0

    def wrap(self, app: ASGIApp) -> ASGIApp:
        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                refusal = self.refusal(scope)
                if refusal is not None:
                    status, words = refusal
                    headers = {"retry-after": "5"} if status == 429 else {}
                    await JSONResponse({"error": words}, status, headers)(scope, receive, send)
                    return
                await app(scope, receive, send)
            elif scope["type"] == "websocket":
                await self._socket(app, scope, receive, send)
            else:
                await app(scope, receive, send)

        return guarded

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and words for a request that is turned away, or None."""
        address, path = client(scope), scope["path"]
        here, reading = is_here(scope), scope["method"] in READING
        paired = here or self.paired(scope)
        scope.setdefault("state", {}).update(here=here, paired=paired)
        if path == "/pair" and not reading:
            allowed = self.tries.take(address) and self.all_tries.take("")
            return None if allowed else (429, "too many tries; wait a minute")
        if path in MAIN_ONLY and not here:
            return 403, "only on the main screen"
        if not here and not (self.reads if reading else self.changes).take(address):
            return 429, "too many requests"
        if not reading and not paired:
            return 401, "pair this device first: the code is on the main screen"
        if path in PAIRED_ONLY and not paired:
            return 401, "pair this device first: the code is on the main screen"
        if reading and not paired and not self.watch and not (path in OPEN or path.startswith("/static/")):
            return 401, "pair this device first: the code is on the main screen"
        return None

    async def _socket(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        allowed = is_here(scope) or self.paired(scope) or self.watch
        if not allowed or self.sockets >= MOST_SOCKETS or not self.reads.take(client(scope)):
            await receive()  # the connect message; closing before accepting answers 403
            await send({"type": "websocket.close", "code": 1008, "reason": "not allowed"})
            return
        self.sockets += 1
        try:
            await app(scope, receive, send)
        finally:
            self.sockets -= 1

    def paired(self, scope: Scope) -> bool:
        token = token_of(scope)
        try:
            return bool(token) and self.pairing.devices.known(token) is not None
        except UserError:  # a damaged list lets nobody in; `kibitz devices` says what is wrong with it
            return False


def client(scope: Scope) -> str:
    found = scope.get("client")
    return str(found[0]) if found else ""


def is_here(scope: Scope) -> bool:
    """Whether the request comes from this very machine, without anything that says it was handed on."""
    if any(name in (b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via") for name, _ in scope["headers"]):
        return False  # a proxy on this machine hands on the whole world
    try:
        address = ipaddress.ip_address(client(scope))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def token_of(scope: Scope) -> str:
    """From the cookie, or `Authorization: Bearer` of a program; never from the address."""
    for name, value in scope["headers"]:
        if name == b"authorization" and value[:7].lower() == b"bearer ":
            return str(value[7:].decode("latin-1")).strip()
        if name == b"cookie":
            try:
                found = SimpleCookie(value.decode("latin-1")).get(COOKIE)
            except CookieError:
                continue
            if found is not None:
                return str(found.value)
    return ""
