"""Pairing as people meet it: the code and its picture on the main screen, a device in the list, and out of it again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from device.screen.server import serve
from tests.appliance.test_getting_in import House

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_the_main_screen_shows_a_code_and_takes_devices_out(browser: Browser, tmp_path: Path) -> None:
    house = House(tmp_path)
    house.devices.add("Ana's phone")
    with serve(house.app, port=0) as server:
        page = browser.new_page(viewport={"width": 1180, "height": 820}, locale="en-GB")
        page.set_default_timeout(30_000)
        errors: list[str] = []
        page.on("pageerror", lambda e: errors.append(str(e)))
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.goto(f"{server.url}/")
        page.locator("#ask").wait_for()  # a question is open; that can wait
        page.keyboard.press("Escape")
        page.locator("#pair").click()
        code = page.locator("#pairing .code").inner_text().replace(" ", "")
        assert code == house.pairing.code()[0]
        picture = page.locator("#pairing .qr img")
        assert picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth }") > 100
        page.get_by_role("button", name="Take Ana's phone out").click()
        page.locator("#pairing").get_by_text("None yet").wait_for()
        assert house.devices.all() == ()
        page.keyboard.press("Escape")
        # A code that was scanned stands after the #; it is used at once and taken out of the address.
        page.goto(f"{server.url}/#pair={house.pairing.code()[0]}")
        page.reload()
        page.wait_for_selector("body[data-ready]")
        page.wait_for_function("location.hash === ''")
        assert errors == []
        page.close()
