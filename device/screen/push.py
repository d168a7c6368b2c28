"""Telling every connected page what has changed, as soon as it has, and no more often than eyes can follow."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from device.state import Event
from device.table import Table

GATHER_S = 0.1
"""A page is told no more often than this: a replay at full speed makes hundreds of changes a second. After a quiet
moment it is told at once: half the rulings are on the screen in 164 ms; when changes always waited for others, in
262 ms (on a machine with six times the work it can do)."""
BEAT_S = 4.0
"""A page that hears nothing for three beats takes the service to be away."""

Sections = dict[str, bytes]
"""Each section of `Shown`, encoded."""


class Changes:
    """Wakes the connected pages. Listens to the table only while there are any."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._unsubscribe: Callable[[], None] | None = None

    @contextmanager
    def listen(self) -> Iterator[asyncio.Event]:
        """An event that is set after every change; for the caller to clear. It is set at first."""
        event = asyncio.Event()
        event.set()
        one = (asyncio.get_running_loop(), event)
        with self._lock:
            self._waiting.append(one)
            if self._unsubscribe is None:
                self._unsubscribe = self._table.subscribe(self._changed)
        try:
            yield event
        finally:
            with self._lock:
                self._waiting.remove(one)
                if not self._waiting and self._unsubscribe is not None:
                    self._unsubscribe()
                    self._unsubscribe = None

    def _changed(self, event: Event) -> None:
        if event.kind == "picture":
            return  # pages that show the camera fetch its picture at their own pace
        with self._lock:
            waiting = list(self._waiting)
        for loop, flag in waiting:
            with suppress(RuntimeError):  # that server has just stopped, and its page is gone
                loop.call_soon_threadsafe(flag.set)


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a page may say on the socket."""

    language: str


async def push(socket: WebSocket, changes: Changes, language: str, tell: Callable[[str], Sections]) -> None:
    """Sends the sections that changed until the page goes away. The socket is accepted already."""
    wished, loop = [language], asyncio.get_running_loop()
    with changes.listen() as changed:
        reading = asyncio.create_task(_read(socket, wished, changed))
        try:
            sent: Sections = {}
            while not reading.done():
                changed.clear()
                sections = await run_in_threadpool(tell, wished[0])
                news = {name: msgspec.Raw(data) for name, data in sections.items() if sent.get(name) != data}
                # The beat: with no news at all the page still hears how the camera does.
                news.setdefault("looking", msgspec.Raw(sections["looking"]))
                await socket.send_text(msgspec.json.encode(news).decode())
                sent = sections
                told = loop.time()
                await _either(changed, reading)
                if not reading.done():
                    await asyncio.sleep(told + GATHER_S - loop.time())  # at once when that has passed
        except WebSocketDisconnect:
            pass
        finally:
            reading.cancel()


async def _either(changed: asyncio.Event, reading: asyncio.Task[None]) -> None:
    """Until something changes, the page goes away, or a beat has passed."""
    waiting = asyncio.create_task(changed.wait())
    await asyncio.wait({waiting, reading}, timeout=BEAT_S, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


async def _read(socket: WebSocket, wished: list[str], changed: asyncio.Event) -> None:
    """Hears the page's wishes until it goes away. What is no wish is passed over."""
    try:
        while True:
            try:
                wish = msgspec.json.decode(await socket.receive_text(), type=Wish)
            except (msgspec.MsgspecError, KeyError):
                continue
            wished[0] = wish.language
            changed.set()
    except WebSocketDisconnect:
        return
