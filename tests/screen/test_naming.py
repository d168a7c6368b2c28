"""The page on which faces are named: what it takes, what it refuses, and in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from starlette.testclient import TestClient

from device.face_names import Name
from device.screen.naming import Naming, Shown, make_naming_app
from device.screen.server import serve
from tests.screen.conftest import SHOTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def naming() -> Naming:
    sides = []
    for n, like in enumerate(((), (3,), (2,))):
        picture = np.full((364, 236, 3), 60 + 50 * n, np.uint8)
        cv2.putText(picture, str(n + 1), (60, 200), cv2.FONT_HERSHEY_SIMPLEX, 4, (40, 220, 255), 8)
        sides.append(Shown("c01, 3.7 s", cv2.imencode(".jpg", picture)[1].tobytes(), n + 1, False, like))
    return Naming(sides, [None, Name(id="lamp_a", kind="lamp"), None], kinds=("palace", "lamp", "djinn.1"))


def client(desk: Naming) -> TestClient:
    return TestClient(make_naming_app(desk, language="de"), base_url="http://127.0.0.1")


def test_what_the_page_is_told() -> None:
    told = client(naming()).get("/sides").json()
    assert told["language"] == "de"
    assert told["kinds"] == ["palace", "lamp", "djinn.1"]
    assert [(s["number"], s["id"], s["count"], s["like"]) for s in told["sides"]] == [
        (1, "", 1, []),
        (2, "lamp_a", 2, [3]),
        (3, "", 3, [2]),
    ]


def test_names_are_taken_and_taken_back() -> None:
    desk = naming()
    page = client(desk)
    assert page.post("/name", json={"side": 1, "id": "palace_a", "kind": "palace", "turn": 180}).status_code == 204
    assert page.post("/name", json={"side": 2}).status_code == 204
    assert page.post("/name", json={"side": 3, "skip": True}).status_code == 204
    assert desk.names == [Name(id="palace_a", kind="palace", count=1, turn=180), None, Name(id="")]
    assert not desk.done.is_set()
    assert page.post("/done", json={}).status_code == 204
    assert desk.done.is_set()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"side": 4, "id": "lamp"}, 409),
        ({"side": 1, "id": "../../etc/passwd"}, 409),
        ({"side": 1, "id": "lamp", "kind": "unknown"}, 409),
        ({"side": 1, "id": "lamp", "turn": 17}, 409),
        ({"side": 1, "id": "lamp", "count": 0}, 409),
        ({"side": "one"}, 400),
        ({"side": 1, "more": 2}, 400),
    ],
)
def test_what_is_no_name_is_refused(body: dict[str, object], status: int) -> None:
    desk = naming()
    before = desk.names
    answer = client(desk).post("/name", json=body)
    assert (answer.status_code, desk.names) == (status, before)
    assert answer.json()["error"]


def test_without_a_name_there_is_no_deck() -> None:
    desk = Naming(naming().sides, [None, Name(id=""), None])
    assert client(desk).post("/done", json={}).status_code == 409
    desk.give(1, Name(id="lamp", kind="lamp"))
    desk.give(3, Name(id="lamp", kind="treasure"))
    answer = client(desk).post("/done", json={})
    assert (answer.status_code, "is a lamp once and a treasure" in answer.json()["error"]) == (409, True)
    assert not desk.done.is_set()


def test_pages_of_others_may_neither_see_nor_name() -> None:
    page = client(naming())
    assert page.get("/sides", headers={"host": "evil.example"}).status_code == 421
    assert page.post("/name", json={"side": 1}, headers={"origin": "http://evil.example"}).status_code == 403
    assert page.get("/side/9.jpg").status_code == 404
    assert page.get("/side/1.jpg").headers["content-type"] == "image/jpeg"


@pytest.mark.browser
def test_faces_are_named_in_a_browser(browser: Browser) -> None:
    desk = naming()
    with serve(make_naming_app(desk), port=0) as server:
        context = browser.new_context(viewport={"width": 1180, "height": 820}, locale="fr-FR")
        page = context.new_page()
        page.set_default_timeout(15_000)
        complaints: list[str] = []
        page.on("pageerror", lambda e: complaints.append(str(e)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.goto(server.url)
        page.wait_for_selector("body[data-ready]")
        assert page.locator("#heading").inner_text() == "Comment s'appellent ces faces ?"
        assert "2 sans nom" in page.locator("#left").inner_text()
        first = page.locator("[data-side='1']")
        picture = first.locator("img")
        assert picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth }") == 236
        with page.expect_response("**/name"):
            first.get_by_label("Nom").fill("palace_a")
            first.get_by_label("Nom").press("Tab")
        with page.expect_response("**/name"):
            first.get_by_role("button", name="Tourner").click()
        assert picture.evaluate("image => image.style.rotate") == "180deg"
        third = page.locator("[data-side='3']")
        assert "Ressemble à 2" in third.inner_text()
        with page.expect_response("**/name"):
            third.get_by_role("button", name="Pas une face").click()
        assert page.locator("#left").inner_text() == "Toutes ont un nom"
        page.screenshot(path=SHOTS / "naming.png")
        page.locator("#done").click()
        page.wait_for_selector("body[data-made]")
        assert complaints == []
        context.close()
    assert desk.done.is_set()
    assert desk.names == [
        Name(id="palace_a", count=1, turn=180),
        Name(id="lamp_a", kind="lamp"),
        Name(id=""),
    ]
