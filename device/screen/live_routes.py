"""What the screen can be asked beyond the game: health, pairing, the seconds around a ruling, a play to report."""

from __future__ import annotations

import io
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import segno
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from device.reported import write_play
from device.ring import Ring
from device.screen.access import COOKIE
from device.screen.guard import is_loopback
from device.screen.pairing import Pairing
from device.table import Table
from device.tables import Tables
from device.vitals import Vitals, prometheus
from vision.camera import Lens

A_YEAR_S = 365 * 24 * 3600
NO_STORE = {"cache-control": "no-store"}


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: str
    name: str = ""


class Revoke(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The last minutes on disk, and what a report of a play needs beside them."""

    ring: Ring
    seconds: float
    """Before and after a ruling, of its clip."""
    deck_folder: Path
    lens: Lens | None = None
    """The camera's, where it was measured."""


def live_routes(
    table: Table,
    *,
    vitals: Vitals,
    pairing: Pairing,
    port: int,
    host: str,
    metrics: bool = False,
    recorded: Recorded | None = None,
    next_game: Callable[[], None] | None = None,
    tables: Tables | None = None,
) -> list[BaseRoute]:
    """`next_game` ends the game's process, after which a service begins the next; None where nothing would."""

    async def health(request: Request) -> Response:
        report = await run_in_threadpool(vitals.report)
        if not request.state._state.get("paired", True):
            report = {name: report[name] for name in ("state", "warnings")}
        return JSONResponse(report, 503 if report["state"] == "fail" else 200, NO_STORE)

    async def metric(request: Request) -> Response:
        text = await run_in_threadpool(lambda: prometheus(vitals.report()))
        return PlainTextResponse(text, headers=NO_STORE, media_type="text/plain; version=0.0.4")

    async def me(request: Request) -> Response:
        """What this page may do."""
        state: dict[str, Any] = request.state._state
        offered = {"pairing": True, "recording": recorded is not None, "next_game": next_game is not None}
        return JSONResponse({name: state.get(name, True) for name in ("here", "paired")} | offered, headers=NO_STORE)

    async def code(request: Request) -> Response:
        """The code, and where a phone finds this screen. After the # nothing is ever sent to anybody."""
        word, seconds = pairing.code()
        url = f"http://{_address(host)}:{port}/#pair={word}"
        qr = io.BytesIO()
        segno.make(url, error="m").save(qr, kind="svg", scale=4, border=2, dark="#000", light="#fff", xmldecl=False)
        return JSONResponse(
            {
                "code": word,
                "seconds": round(seconds),
                "url": url,
                "qr": qr.getvalue().decode(),
                "reachable": not is_loopback(host),
            },
            headers=NO_STORE,
        )

    async def pair(request: Request) -> Response:
        wished = await _body(request, Pair)
        let_in = await run_in_threadpool(pairing.pair, wished.code, wished.name)
        if let_in is None:
            raise HTTPException(403, "that is not the code on the main screen")
        device, token = let_in
        response = JSONResponse({"id": device.id, "name": device.name}, headers=NO_STORE)
        response.set_cookie(COOKIE, token, max_age=A_YEAR_S, httponly=True, samesite="strict", path="/")
        return response

    async def devices(request: Request) -> Response:
        found = [{"id": d.id, "name": d.name, "paired": d.paired} for d in pairing.devices.all()]
        return JSONResponse(found, headers=NO_STORE)

    async def revoke(request: Request) -> Response:
        wished = await _body(request, Revoke)
        if not await run_in_threadpool(pairing.devices.revoke, wished.id):
            raise HTTPException(404, "there is no such device")
        return Response(status_code=204)

    async def new_game(request: Request) -> Response:
        """The game that is over makes room: its process ends, and the service manager begins the next."""
        await _body(request, Nothing)
        if next_game is None:
            raise HTTPException(409, "start the next game as you started this one")
        if not table.referee.view().over:
            raise HTTPException(409, "this game is not over")
        next_game()
        return Response(status_code=204)

    async def clip(request: Request) -> Response:
        if recorded is None:
            raise HTTPException(404, "nothing is being recorded")
        data = await run_in_threadpool(_clip, table, recorded, int(request.path_params["entry"]))
        if data is None:
            raise HTTPException(404, "the recording of that has been given up")
        return Response(data, media_type="video/mp4", headers={"cache-control": "private, max-age=3600"})

    async def play(request: Request) -> Response:
        """The last minute as one file: clip, journal slice, session without names (`device.reported`)."""
        if recorded is None:
            raise HTTPException(404, "nothing is being recorded")
        wished = request.query_params.get("seconds", "60")
        if not wished.isdecimal() or not 5 <= int(wished) <= 600:
            raise HTTPException(400, "seconds: from 5 to 600")
        data = await run_in_threadpool(
            lambda: write_play(table, recorded.ring, recorded.deck_folder, lens=recorded.lens, seconds=float(wished))
        )
        name = f"kibitz-{table.session.game}-{round(table.status().t)}s.zip"
        headers = {**NO_STORE, "content-disposition": f'attachment; filename="{name}"'}
        return Response(data, media_type="application/zip", headers=headers)

    async def tables_page(request: Request) -> Response:
        return FileResponse(Path(__file__).parent / "static" / "tables.html", headers={"cache-control": "no-cache"})

    async def tables_told(request: Request) -> Response:
        return JSONResponse(tables.all() if tables is not None else [], headers=NO_STORE)

    routes: list[BaseRoute] = [
        Route("/play.zip", play),
        Route("/health", health),
        Route("/me", me),
        Route("/pairing", code),
        Route("/pair", pair, methods=["POST"]),
        Route("/devices", devices),
        Route("/devices/revoke", revoke, methods=["POST"]),
        Route("/new-game", new_game, methods=["POST"]),
        Route("/clip/{entry:int}.mp4", clip),
    ]
    if tables is not None:
        routes += [Route("/tables", tables_page), Route("/tables.json", tables_told)]
    return [*routes, Route("/metrics", metric)] if metrics else routes


def _clip(table: Table, recorded: Recorded, entry: int) -> bytes | None:
    """The seconds around what entry `entry` was made from."""
    line = next((line for line in table.state().lines if line.entry == entry), None)
    if line is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.mp4"
        if recorded.ring.clip(line.t - recorded.seconds, line.t + recorded.seconds, path) is None:
            return None
        return path.read_bytes()


def _address(host: str) -> str:
    """Under what a phone reaches this machine: the address it listens on, or that of the way out of here."""
    if host not in ("0.0.0.0", "::"):
        return f"[{host}]" if ":" in host else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))  # TEST-NET: a datagram socket sends nothing by this, it only looks for a route
            return str(s.getsockname()[0])
        except OSError:
            return f"{socket.gethostname()}.local"


async def _body(request: Request, kind: Any) -> Any:
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except msgspec.MsgspecError as e:
        raise HTTPException(400, str(e)) from None
