"""Serving the screen in a thread of its own, beside the loop that looks at the table."""

from __future__ import annotations

import errno
import socket
import threading
from types import TracebackType

import uvicorn
from starlette.types import ASGIApp

from device.errors import UserError
from device.screen.guard import is_loopback

GRACE_S = 2
"""How long a page may take to finish what it is being sent when the service stops."""


class Serving:
    """A running server. Stops at `stop()` or at the end of a `with`."""

    def __init__(self, server: uvicorn.Server, thread: threading.Thread, url: str, port: int) -> None:
        self._server = server
        self._thread = thread
        self.url = url
        self.port = port

    def stop(self) -> None:
        """Tells every page good-bye and frees the port. May be called twice."""
        self._server.should_exit = True
        self._thread.join()

    def __enter__(self) -> Serving:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()


def serve(app: ASGIApp, host: str = "127.0.0.1", port: int = 8765) -> Serving:
    """Starts serving and returns as soon as pages can connect. Port 0 takes any that is free.

    Raises `UserError` when it cannot listen there.
    """
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        app,
        log_config=None,  # the log belongs to whoever started the service
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=4096,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        timeout_graceful_shutdown=GRACE_S,
        server_header=False,
        proxy_headers=False,
    )
    server = uvicorn.Server(config)
    started = _started(server)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="screen", daemon=True)
    thread.start()
    while not started.wait(0.05):
        if not thread.is_alive():
            raise UserError(f"the screen at {host}:{port} did not start; run `kibitz doctor`")
    shown = "127.0.0.1" if is_loopback(host) and ":" not in host else host
    return Serving(server, thread, f"http://{f'[{shown}]' if ':' in shown else shown}:{port}", port)


def check_port(host: str, port: int) -> None:
    """Raises `UserError` when the screen could not listen there: to say so before anything else is begun."""
    _listen(host, port).close()


def _started(server: uvicorn.Server) -> threading.Event:
    """An event that is set once the server accepts connections."""
    event = threading.Event()
    startup = server.startup

    async def startup_and_tell(sockets: list[socket.socket] | None = None) -> None:
        await startup(sockets)
        event.set()

    server.startup = startup_and_tell  # type: ignore[method-assign]
    return event


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(64)
    except OverflowError:
        listening.close()
        raise UserError(f"port {port}: ports go from 1 to 65535; choose another with --port") from None
    except OSError as e:
        listening.close()
        raise UserError(_cannot_listen(host, port, e)) from None
    return listening


def _cannot_listen(host: str, port: int, e: OSError) -> str:
    if e.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use (is Kibitz running already?): choose another with --port"
    if e.errno == errno.EACCES:
        return f"port {port} on {host} may not be used by this user: choose one above 1023 with --port"
    return f"cannot listen on {host} port {port}: {e.strerror or e}; check --host"
