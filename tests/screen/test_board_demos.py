"""The recorded board games that ship with Kibitz, really seen and really ruled, on the screen: as long as they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from device.evidence import Stills
from device.footage import open_footage
from device.replay import NoLog, replay
from device.screen.app import make_app
from device.screen.server import serve
from device.sitting import find_demo, find_recording, lay_table, open_sitting
from tests.screen.conftest import SHOTS
from tests.screen.test_browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("game", ["carcassonne", "fairplay"])
def test_a_recorded_board_game(browser: Browser, game: str) -> None:
    folder = find_demo(game)
    recording = find_recording(folder)
    truth = json.loads((folder / "truth.json").read_text())
    last = truth["states"][-1]
    table = lay_table(open_sitting(recording.session), NoLog(), stills=Stills(None), source=game, take_defaults=True)
    with open_footage(recording.clip) as footage:
        replay(table, footage)
    with serve(make_app(table), port=0) as server, opened(browser, server.url, "television") as page:
        page.wait_for_timeout(500)
        page.screenshot(path=SHOTS / f"demo-{game}.png")
        tiles = page.locator("#top .piece image[href*='deck/']").count()
        scores = [int(score) for score in page.locator("#players .score").all_inner_texts()]
        if game == "carcassonne":
            assert tiles == len(last["tiles"])
            assert scores == last["points"]
        else:
            assert page.locator("#track li:not(.on)").count() == len(last["tiles"])
            assert scores == truth["moves"][-1]["positions"]
            assert page.locator("#top .token-shape.car").count() == len(last["cars"])
