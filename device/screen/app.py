"""The screen as a web application: what can be asked of it, at a glance in `make_app`."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket

from device.errors import UserError
from device.ledger import RefusedError
from device.screen.access import Access
from device.screen.feature_map import feature_picture
from device.screen.guard import LOOPBACK, Guard
from device.screen.pictures import DeckPictures
from device.screen.push import Changes, Sections, push
from device.screen.shown import Shown
from device.screen.state import LANGUAGES, Teller, Words, looking, undoable
from device.table import Table
from rules import text
from rules.session import Language

STATIC = Path(__file__).parent / "static"
REVALIDATE = {"cache-control": "no-cache"}
FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable"}


def make_app(
    table: Table,
    *,
    words: Words = text,
    hosts: Collection[str] = LOOPBACK,
    routes: Sequence[BaseRoute] = (),
    access: Access | None = None,
) -> Starlette:
    """The screen of a table, to be called under the names in `hosts` (see `guard.hosts_for`).

    `routes` are what an appliance adds (`live_routes`), `access` is who may use all of this; without it, everybody who
    is let through by the guard.
    """
    screen = Screen(table, words)
    return Starlette(
        routes=[
            *routes,
            Route("/", screen.page),
            Route("/state", screen.state),
            Route("/log", screen.log),
            Route("/picture.jpg", screen.picture),
            Route("/deck/{name:path}.jpg", screen.face),
            Route("/features/{name:path}.png", screen.features),
            Route("/evidence/question.jpg", screen.asked),
            Route("/evidence/{entry:int}-{index:int}.jpg", screen.evidence),
            Route("/answer", screen.answer, methods=["POST"]),
            Route("/say", screen.say, methods=["POST"]),
            Route("/me", screen.me),
            Route("/undo", screen.undo, methods=["POST"]),
            Route("/redo", screen.redo, methods=["POST"]),
            Route("/correct", screen.correct, methods=["POST"]),
            WebSocketRoute("/live", screen.live),
            Mount("/static", StaticPages(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, hosts=hosts), *([Middleware(access.wrap)] if access else [])],
        exception_handlers={HTTPException: refused, UserError: cannot},
    )


class Answered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An open question's id, and the word of one of its options."""

    question: str
    choice: str


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer nobody asked for, as the game's referee understands it: `score:Anna` and `+1`."""

    choice: str
    value: str = ""


class Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The entry that the page says it takes back: two people pressing at once take back one thing, not two."""

    entry: int


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="choice"):
    """Another choice for an answer given earlier."""

    entry: int
    choice: str


class Face(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="face"):
    """Another face for a piece of an earlier observation."""

    entry: int
    piece: str
    face: str


class Remove(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="remove"):
    """Takes an earlier observation or answer out."""

    entry: int


class Screen:
    """The requests of one table's screen."""

    def __init__(self, table: Table, words: Words) -> None:
        self._table = table
        self._changes = Changes(table)
        self._pictures = DeckPictures(table.deck)
        self._build = _build()
        self._tellers = {
            language: Teller(words, language, table.deck, self._pictures, self._build) for language in LANGUAGES
        }
        self._told: dict[Language, tuple[int, Shown, Sections]] = {}
        self._lock = threading.Lock()

    # ---- what there is to see ------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers=REVALIDATE)

    async def state(self, request: Request) -> Response:
        shown, _ = await run_in_threadpool(self._tell, self._language(request.query_params.get("language")))
        return Response(
            msgspec.json.encode(shown), media_type="application/json", headers={"cache-control": "no-store"}
        )

    async def log(self, request: Request) -> Response:
        teller = self._tellers[self._language(request.query_params.get("language"))]
        before = request.query_params.get("before", "")
        if not before.isdecimal() or len(before) > 9:
            raise HTTPException(400, "say before which entry: /log?before=12")
        rows = await run_in_threadpool(lambda: teller.log(self._table.state(), int(before)))
        return Response(msgspec.json.encode(rows), media_type="application/json", headers={"cache-control": "no-store"})

    async def picture(self, request: Request) -> Response:
        return _jpeg(request, self._table.picture(), "no camera picture yet")

    async def face(self, request: Request) -> Response:
        name = request.path_params["name"]
        jpeg = await run_in_threadpool(self._pictures.jpeg, name)
        for_good = request.query_params.get("v") == self._pictures.version
        return _jpeg(request, jpeg, "this deck has no such face", FOR_GOOD if for_good else REVALIDATE)

    async def features(self, request: Request) -> Response:
        name = request.path_params["name"]
        png = await run_in_threadpool(feature_picture, self._table.session.tiles, name)
        if png is None:
            raise HTTPException(404, "this deck has no such tile")
        return Response(png, media_type="image/png", headers=REVALIDATE)

    async def evidence(self, request: Request) -> Response:
        entry, index = request.path_params["entry"], request.path_params["index"]
        jpeg = await run_in_threadpool(self._table.evidence, entry, index)
        return _jpeg(request, jpeg, "no picture was kept of that")

    async def asked(self, request: Request) -> Response:
        jpeg = await run_in_threadpool(self._table.asked, request.query_params.get("id", ""))
        return _jpeg(request, jpeg, "no picture was kept of that")

    async def me(self, request: Request) -> Response:
        """What this page may do; `live_routes` know more."""
        return JSONResponse({"here": True, "paired": True, "pairing": False, "recording": False, "next_game": False})

    async def live(self, socket: WebSocket) -> None:
        wished = socket.query_params.get("language", "")
        await socket.accept()
        await push(socket, self._changes, wished, lambda language: self._tell(self._known(language))[1])

    # ---- what players do -----------------------------------------------------------------------------------------

    async def answer(self, request: Request) -> Response:
        body = await _body(request, Answered)
        return await _done(lambda: self._table.answer(body.question, body.choice))

    async def say(self, request: Request) -> Response:
        body = await _body(request, Said)
        return await _done(lambda: self._table.say(body.choice, body.value))

    async def undo(self, request: Request) -> Response:
        body = await _body(request, Undo)

        def undo() -> None:
            line = undoable(self._table.state().lines)
            if line is None or line.entry != body.entry:
                raise RefusedError("something else happened meanwhile; look again at what would be taken back")
            self._table.undo()

        return await _done(undo)

    async def redo(self, request: Request) -> Response:
        await _body(request, Nothing)
        return await _done(self._table.redo)

    async def correct(self, request: Request) -> Response:
        match await _body(request, Choice | Face | Remove):
            case Choice(entry, choice):
                return await _done(lambda: self._table.correct(entry, choice))
            case Face(entry, piece, face):
                return await _done(lambda: self._table.correct_face(entry, piece, face))
            case Remove(entry):
                return await _done(lambda: self._table.remove(entry))
        raise AssertionError("a body is one of the three")

    # ---- in which words ------------------------------------------------------------------------------------------

    def _known(self, language: str) -> Language:
        return next((known for known in LANGUAGES if known == language), self._table.session.language)

    def _language(self, wished: str | None) -> Language:
        if wished is not None and wished not in LANGUAGES:
            raise HTTPException(400, f"the screen speaks {', '.join(LANGUAGES)}")
        return self._known(wished or "")

    def _tell(self, language: Language) -> tuple[Shown, Sections]:
        """Everything, and its encoded sections; put into words once for all pages of a language."""
        state = self._table.state()
        with self._lock:
            version, shown, sections = self._told.get(language, (-1, None, None))
        if shown is None or sections is None or version != state.version:
            shown = self._tellers[language].tell(state)
            sections = {name: msgspec.json.encode(getattr(shown, name)) for name in Shown.__struct_fields__}
            with self._lock:
                self._told[language] = (state.version, shown, sections)
        now = looking(state)  # its clock runs on without a change of version
        return msgspec.structs.replace(shown, looking=now), {**sections, "looking": msgspec.json.encode(now)}


class StaticPages(StaticFiles):
    """Files of the page itself: a browser keeps them but asks each time whether they are still the same."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(REVALIDATE)
        return response


def refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, status_code=error.status_code, headers=error.headers)


def cannot(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, status_code=409)


async def _body(request: Request, kind: Any) -> Any:
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except msgspec.MsgspecError as e:
        raise HTTPException(400, str(e)) from None


async def _done(act: Callable[[], None]) -> Response:
    """Does it in another thread: it is kept on disk before it counts, and that may take a moment."""
    await run_in_threadpool(act)
    return Response(status_code=204)


def _jpeg(request: Request, jpeg: bytes | None, missing: str, headers: dict[str, str] = REVALIDATE) -> Response:
    if jpeg is None:
        raise HTTPException(404, missing)
    tag = f'"{hashlib.blake2s(jpeg, digest_size=8).hexdigest()}"'
    headers = {**headers, "etag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(jpeg, media_type="image/jpeg", headers=headers)


def _build() -> str:
    digest = hashlib.blake2s(digest_size=6)
    for path in sorted(STATIC.iterdir()):
        digest.update(path.read_bytes())
    return digest.hexdigest()
