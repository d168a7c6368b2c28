"""What a table has around it beside the game: the ring of the last minutes, and a screen with who may do what on it.

    live table (`kibitz play`, `kibitz serve`)   ring, warnings, screen with pairing, clips and reports of plays
    footage (`kibitz replay`, `kibitz demo`)     screen; with pairing where it listens on a network

Whoever is not on this very machine must be paired before changing anything, whichever command serves the screen.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from device.cameras import Live
from device.config import RecordSection, ScreenSection
from device.ring import Ring
from device.screen.access import Access
from device.screen.app import make_app
from device.screen.guard import hosts_for, is_loopback
from device.screen.live_routes import Recorded, live_routes
from device.screen.pairing import Devices, Pairing
from device.screen.server import serve
from device.table import Table
from device.tables import Tables
from device.vitals import Vitals
from vision.camera import Lens

DEVICES = "devices.json"
RING = "ring"


@dataclass(frozen=True, kw_only=True)
class Around:
    """What may hang on a table's screen."""

    vitals: Vitals
    recorded: Recorded | None = None
    next_game: Callable[[], None] | None = None
    """Ends a game that is over, where something begins the next one."""
    tables: Tables | None = None
    """All tables of a broker."""


def keep_last_minutes(
    stack: ExitStack,
    live: Live | None,
    folder: Path,
    settings: RecordSection,
    deck_folder: Path,
    *,
    lens: Lens | None = None,
    passing: bool = False,
) -> Recorded | None:
    """Records what the camera sees into a ring until the stack is left; None without a camera or with no megabytes.

    lens: the camera's, where it was measured; a report of a play carries it. passing: the recording goes when the stack
    is left.
    """
    if live is None or not settings.ring_mb:
        return None
    if passing:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
    ring = Ring(folder, limit_mb=settings.ring_mb)
    stack.callback(ring.close)
    live.taps.append(ring.offer)
    return Recorded(ring=ring, seconds=settings.seconds, deck_folder=deck_folder, lens=lens)


def open_screen(stack: ExitStack, table: Table, settings: ScreenSection, home: Path, around: Around) -> str:
    """Serves the screen until the stack is left; returns its address. `home` holds the list of paired devices."""
    pairing = Pairing(Devices(home / DEVICES))
    routes = live_routes(
        table,
        vitals=around.vitals,
        pairing=pairing,
        host=settings.host,
        port=settings.port,
        metrics=settings.metrics,
        recorded=around.recorded,
        next_game=around.next_game,
        tables=around.tables,
    )
    access = Access(pairing, watch=settings.watch)
    app = make_app(table, hosts=hosts_for(settings.host), routes=routes, access=access)
    return stack.enter_context(serve(app, settings.host, settings.port)).url


def show_footage(stack: ExitStack, table: Table, host: str, port: int, home: Path) -> str:
    """The screen of a recording that is played: as `open_screen`. On this machine alone there is nobody to pair."""
    if is_loopback(host):
        return stack.enter_context(serve(make_app(table, hosts=hosts_for(host)), host, port)).url
    around = Around(vitals=Vitals(table, live=None, ring=None, place=home))
    return open_screen(stack, table, ScreenSection(host=host, port=port), home, around)
