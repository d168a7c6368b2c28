"""The board games on the screen, in a real browser: flight, points, broken edge, road and die."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from device.screen.app import make_app
from device.screen.server import serve
from device.table import Table
from rules.protocol import View
from tests.rules.carcassonne.board_tables import BoardTable
from tests.screen import boards
from tests.screen.conftest import SHOTS
from tests.screen.test_board import flies, scored
from tests.screen.test_browser import SIZES, expect_text, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


def drives(view: View) -> bool:
    return view.board["die"]["left"] > 0 and len(view.board["track"]) > 9 and any(view.board["before"].values())


def rolls(view: View) -> bool:
    flight = view.board.get("flight")
    return flight is not None and flight["die"] is None


def misplaced(table: BoardTable) -> None:
    """A city laid against the field beside the start tile's end of the board."""
    east = max((tile for tile in table.tiles.values() if tile.cell), key=lambda tile: tile.cell)  # type: ignore[arg-type, return-value]
    assert east.cell is not None
    table.lay("BA/Cccc+", (east.cell[0] + 1, east.cell[1]))


def serving(table: Table):  # type: ignore[no-untyped-def]
    return serve(make_app(table), port=0)


def pictures_are_there(page: Page) -> bool:
    """Every tile's picture has been fetched: names with a slash in them, too."""
    names = page.locator("#top .piece image").evaluate_all("all => all.map((one) => one.href.baseVal)")
    return bool(names) and all(page.evaluate("async (url) => (await fetch(url)).ok", name) for name in names[:5])


def test_a_flight(browser: Browser) -> None:
    table = boards.carcassonne(flies)
    with serving(table) as server, opened(browser, server.url, "television", reduced_motion="reduce") as page:
        expect_text(page, "#phase", "lands")
        view = table.state().view
        assert page.locator("#top .piece").count() == len(view.board["tiles"])
        scene = table.state().scene
        assert scene is not None
        meeples = [p for p in scene.pieces if p.kind == "meeple"]  # those in the supply are drawn, too
        assert page.locator("#top .token-shape.meeple").count() == len(meeples)
        assert page.locator("#top .spot.option").count() == len(view.board["flight"]["options"])
        assert page.locator("#top .label.option").all_text_contents() == ["City", "City"]
        assert page.locator("#die .pip").count() == view.board["flight"]["die"]
        assert page.locator("#top .goal").count() == 1
        assert pictures_are_there(page)
        supply = [str(view.board["supply"][p.name]) for p in view.players]
        assert [s.split()[-1] for s in page.locator("#players .holds .unseen").all_text_contents()] == supply
        page.screenshot(path=SHOTS / "flight-television.png")
        page.get_by_role("button", name="Deutsch").click()
        expect_text(page, "#top .label.option", "Stadt")


def test_points_and_who_takes_a_meeple_back(browser: Browser) -> None:
    table = boards.carcassonne(scored)
    with serving(table) as server, opened(browser, server.url, "tablet", reduced_motion="reduce") as page:
        view = table.state().view
        page.locator("#top .lit").first.wait_for()
        assert page.locator("#top .lit").count() == len(view.board["lit"][0]["cells"])
        (line,) = view.board["lit"]
        expect_text(page, "#top .label.claimed", f"{line['player']}: {line['feature']} +{line['points']}")
        assert page.locator("#top .spot.return").count() == len(view.board["to_return"])
        expect_text(page, "#marks", "takes this meeple back")
        page.screenshot(path=SHOTS / "points-tablet.png")


def test_a_tile_that_does_not_fit(browser: Browser) -> None:
    table = boards.carcassonne(lambda view: len(view.board.get("tiles", ())) > 8, misplaced)
    with serving(table) as server, opened(browser, server.url, "tablet", reduced_motion="reduce") as page:
        expect_text(page, "#marks .violation", "does not fit here")
        assert page.locator("#top .piece.violation").count() == 2
        assert page.locator("#top .broken:not(.under)").count() == 1
        page.screenshot(path=SHOTS / "broken-edge-tablet.png")


@pytest.mark.parametrize("size", SIZES)
def test_a_race_on_every_size(browser: Browser, size: str) -> None:
    table = boards.fairplay(drives)
    with serving(table) as server, opened(browser, server.url, size, reduced_motion="reduce") as page:
        view = table.state().view
        assert page.locator("#track li:not(.on)").count() == len(view.board["track"])
        assert page.locator("#track .swatch").count() == len(view.players)
        assert page.locator("#top .token-shape.car").count() == len(view.players)
        assert page.locator("#top .label.index").count() == len(view.board["track"])
        assert page.locator("#die").inner_text().strip().endswith(f"Steps left: {view.board['die']['left']}")
        assert page.locator("#players .holds .card").count() == sum(map(len, view.board["before"].values()))
        expect_text(page, "#players", f"Tile {view.players[0].score}")
        page.screenshot(path=SHOTS / f"race-{size}.png")
        width, height = SIZES[size]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if size != "phone":
            assert page.evaluate("document.documentElement.scrollHeight") <= height, "nobody scrolls a television"


def test_what_was_read_wrong_is_put_right(browser: Browser) -> None:
    table = boards.carcassonne(rolls)
    with serving(table) as server, opened(browser, server.url, "tablet", reduced_motion="reduce") as page:
        page.locator("#top .token:has(.cube)").click()
        expect_text(page, "#piece", "What does it show?")
        page.locator("#piece").get_by_role("button", name="3", exact=True).click()
        page.locator("#piece").wait_for(state="hidden")
        expect_text(page, "#log", "flies 3 tiles")

        page.locator("#top .token:has(.c-red)").first.dispatch_event("click")  # the die may lie over it
        expect_text(page, "#piece", "Whose is it?")
        assert [b.strip() for b in page.locator("#piece .options button").all_inner_texts()] == ["Ben"]
        page.screenshot(path=SHOTS / "whose-tablet.png")
        page.keyboard.press("Escape")

        page.locator("#top .piece").nth(1).dispatch_event("click")
        expect_text(page, "#piece", "which tile is it?")
        widths = "all => Promise.all(all.map(async (one) => (await one.decode(), one.naturalWidth)))"
        assert min(page.locator("#piece .feature-map img").evaluate_all(widths)) > 100
        page.wait_for_timeout(300)
        page.screenshot(path=SHOTS / "tiles-tablet.png")


def test_where_a_car_stands_and_whose_turn_it_is(browser: Browser) -> None:
    table = boards.fairplay(drives)
    with serving(table) as server, opened(browser, server.url, "tablet", reduced_motion="reduce") as page:
        view = table.state().view
        page.locator("#top .token:has(.car)").first.click()
        expect_text(page, "#piece", "On which tile does")
        assert page.locator("#piece .options button").count() == len(view.board["track"])
        page.locator("#piece").get_by_role("button", name="0: Start").click()
        page.locator("#piece").wait_for(state="hidden")
        expect_text(page, "#log", "Corrected")
        assert 0 in table.state().view.board["cars"].values()

        page.get_by_role("button", name="Tell Kibitz").click()
        expect_text(page, "#telling", "Whose turn is it?")
        other = next(p.name for p in table.state().view.players if not p.active)
        page.locator("#telling").get_by_role("button", name=other, exact=True).click()
        page.locator("#telling").wait_for(state="hidden")
        page.locator(".player.active h3").get_by_text(other).wait_for()


def laid(view: View) -> bool:
    return len(view.board["track"]) > 5


@pytest.mark.parametrize("size", ["television", "tablet", "tablet-upright"])
def test_six_at_the_table_have_room(browser: Browser, size: str) -> None:
    table = boards.fairplay(laid, 5, sides=False)
    with serving(table) as server, opened(browser, server.url, size, reduced_motion="reduce") as page:
        assert page.locator("#players .player").count() == 6
        outside = """all => all.filter((one) => {
          const [part, whole] = [one, one.closest('.player')].map((o) => o.getBoundingClientRect());
          return part.right > whole.right + 1 || part.bottom > whole.bottom + 1;
        }).map((one) => one.textContent)"""
        assert page.locator("#players :is(h3, .who, .score, .holds)").evaluate_all(outside) == []
        boxes = [seat.bounding_box() for seat in page.locator("#seats .seat").all()]
        for one, other in itertools.combinations(boxes, 2):
            assert one and other
            apart = abs(one["x"] - other["x"]) > one["width"] - 1 or abs(one["y"] - other["y"]) > one["height"] - 1
            assert apart, "two who share a side have a tab each"
        log = page.locator(".log").bounding_box()
        assert log and log["height"] > 200
        page.screenshot(path=SHOTS / f"six-{size}.png")
