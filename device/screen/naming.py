"""The page on which a new deck's faces are named: each cut-out with its number, where it was seen, and what it is."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route

from device.errors import UserError
from device.face_names import MOST_COPIES, Name, check_names, usual_kind
from device.screen.app import REVALIDATE, STATIC, StaticPages, cannot, refused
from device.screen.guard import LOOPBACK, Guard

NO_STORE = {"cache-control": "no-store"}


@dataclass(frozen=True)
class Shown:
    """A side as the page shows it."""

    where: str
    jpeg: bytes
    copies: int
    square: bool
    like: tuple[int, ...] = ()
    """Numbers of other sides that look nearly the same."""


class Naming:
    """The names as they grow: given on the page, waited for by the command."""

    def __init__(self, sides: Sequence[Shown], names: Sequence[Name | None], kinds: Sequence[str] = ()) -> None:
        self.sides = tuple(sides)
        self.kinds = tuple(kinds)
        self.done = threading.Event()
        self._names = list(names)
        self._lock = threading.Lock()

    @property
    def names(self) -> list[Name | None]:
        with self._lock:
            return list(self._names)

    def give(self, side: int, name: Name | None) -> None:
        """The name of a side (1 is the first); None takes it back. Raises `UserError` where it is none."""
        if not 1 <= side <= len(self.sides):
            raise UserError(f"there is no side {side}")
        if name is not None:
            check_names([name], f"side {side}")
        with self._lock:
            self._names[side - 1] = name

    def finish(self) -> None:
        """Raises `UserError` while the names make no deck."""
        names = [name for name in self.names if name is not None and name.id]
        if not names:
            raise UserError("no side has a name yet")
        check_names(names, "the names")
        self.done.set()


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page says of a side: no id and no `skip` takes its name back."""

    side: int
    id: str = ""
    kind: str = ""
    count: int = 1
    turn: int = 0
    title: str = ""
    skip: bool = False


class Finished(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


def make_naming_app(naming: Naming, *, language: str = "", hosts: Collection[str] = LOOPBACK) -> Starlette:
    """The page, to be called under the names in `hosts`. language: en, fr or de; the browser's own otherwise."""

    async def page(request: Request) -> Response:
        return FileResponse(STATIC / "naming.html", headers=REVALIDATE)

    async def sides(request: Request) -> Response:
        shown = [
            _row(number, side, name)
            for number, (side, name) in enumerate(zip(naming.sides, naming.names, strict=True), 1)
        ]
        body = {"language": language, "kinds": naming.kinds, "most": MOST_COPIES, "sides": shown}
        return Response(msgspec.json.encode(body), media_type="application/json", headers=NO_STORE)

    async def picture(request: Request) -> Response:
        number = request.path_params["number"]
        if not 1 <= number <= len(naming.sides):
            raise HTTPException(404, "there is no such side")
        return Response(naming.sides[number - 1].jpeg, media_type="image/jpeg", headers=NO_STORE)

    async def name(request: Request) -> Response:
        given: Given = _read(await request.body(), Given)
        face = given.id.strip()
        if given.skip:
            said: Name | None = Name(id="")
        elif face:
            said = Name(id=face, kind=given.kind.strip(), count=given.count, turn=given.turn, title=given.title.strip())
        else:
            said = None
        naming.give(given.side, said)
        return Response(status_code=204)

    async def done(request: Request) -> Response:
        _read(await request.body(), Finished)
        await run_in_threadpool(naming.finish)
        return Response(status_code=204)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/sides", sides),
            Route("/side/{number:int}.jpg", picture),
            Route("/name", name, methods=["POST"]),
            Route("/done", done, methods=["POST"]),
            Mount("/static", StaticPages(directory=Path(STATIC))),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers={HTTPException: refused, UserError: cannot},
    )


def _row(number: int, side: Shown, name: Name | None) -> dict[str, Any]:
    """One side for the page."""
    row: dict[str, Any] = {"number": number, "where": side.where, "square": side.square, "like": side.like}
    row |= {"id": "", "kind": "", "count": side.copies, "turn": 0, "title": "", "skip": False}
    if name is not None:
        row |= {"id": name.id, "kind": name.kind, "count": name.count or side.copies}
        row |= {"turn": name.turn, "title": name.title, "skip": not name.id}
    if row["kind"] == usual_kind(row["id"]):
        row["kind"] = ""  # what the id says already
    return row


def _read(body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as e:
        raise HTTPException(400, str(e)) from None
