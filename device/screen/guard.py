"""Who may talk to the screen: pages that this very server delivered, and programs on this machine.

A browser on the same machine runs pages from anywhere. Such a page can send requests to 127.0.0.1, and by letting its
own name resolve to 127.0.0.1 (DNS rebinding) it could even read the answers. So the `Host` must be a name of ours, and
what changes the game (or opens the socket) must come from a page of that same host: a browser always says so in
`Origin`. A program that is no browser sends no `Origin` and is let in.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
ANY_ADDRESS = "*address"
"""In a set of hosts: every literal address. A page of another site can never carry one of ours, so it is as safe."""

MAX_BODY = 4096
"""Bytes. The largest sensible request, a correction, has fewer than 200."""

HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)

READING = ("GET", "HEAD")
POLICY_VIOLATION = 1008  # RFC 6455, 7.4.1


def hosts_for(address: str) -> frozenset[str]:
    """The names under which a server listening on `address` may be called."""
    if is_loopback(address):
        return LOOPBACK
    name = socket.gethostname().lower()
    return LOOPBACK | {address.lower(), name, f"{name}.local", ANY_ADDRESS}


def is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address.lower() == "localhost"


def host_name(host: str) -> str | None:
    """The name or address of a `Host` header without its port; None when it is none."""
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        port = port.removeprefix(":") if port else "0"
        return name.lower() if bracket and port.isdigit() else None
    name, colon, port = host.partition(":")
    if not name or (colon and not port.isdigit()):
        return None
    return name.lower().removesuffix(".")


def host_allowed(host: str, hosts: Collection[str]) -> bool:
    name = host_name(host)
    if name is None:
        return False
    if name in hosts:
        return True
    if ANY_ADDRESS not in hosts:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def origin_allowed(origin: str | None, host: str) -> bool:
    """Whether a page of that origin was delivered by the host it now talks to."""
    return origin is None or origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


class Guard:
    """Middleware: turns away foreign hosts and origins, bodies that are no JSON or too large; adds security headers."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOOPBACK) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None and scope["method"] not in READING:
            body = await _body(receive)
            if body is None:
                refusal = (413, f"a request here has at most {MAX_BODY} bytes")
            else:
                receive = _given(body, receive)
        if refusal is not None:
            status, words = refusal
            await JSONResponse({"error": words}, status_code=status)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        host = headers.get("host", "")
        if host_allowed(host, self.hosts) and origin_allowed(headers.get("origin"), host):
            await self.app(scope, receive, send)
            return
        await receive()  # the connect message; closing before accepting answers 403
        await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": "foreign page"})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = _headers(scope)
        host = headers.get("host", "")
        if not host_allowed(host, self.hosts):
            return 421, "this server does not answer to that host name"
        if scope["method"] in READING:
            return None
        if not origin_allowed(headers.get("origin"), host):
            return 403, "only a page of this very screen may do that"
        if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
            return 415, "send application/json"
        return None


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


async def _body(receive: Receive) -> bytes | None:
    """The request's body, or None as soon as it grows too large."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":  # the client has gone
            return b"".join(parts)
        parts.append(message.get("body", b""))
        if sum(map(len, parts)) > MAX_BODY:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _given(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out a body already read."""
    pending = [body]

    async def again() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return again
