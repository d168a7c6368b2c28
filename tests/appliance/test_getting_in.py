"""Who may do what: each of these tests tries to get in."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from device.screen.access import MOST_SOCKETS, Access, Bucket, is_here
from device.screen.app import make_app
from device.screen.guard import hosts_for
from device.screen.live_routes import live_routes
from device.screen.pairing import CODE_S, MOST_TRIES, Devices, Pairing
from device.table import Table
from device.vitals import Vitals
from tests.screen import scripted
from tests.screen.scripted import DOUBT, make_table, play

ADDRESS = "192.168.1.5"
HERE = f"http://{ADDRESS}:8765"
SOCKET = f"ws://{ADDRESS}:8765/live"
JSON = {"origin": HERE}
OFFERED = {"pairing": True, "recording": False, "next_game": True}
ANSWER = {"question": DOUBT.id, "choice": "illegal"}


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class House:
    """A screen that listens on the network."""

    def __init__(self, folder: Path, *, watch: bool = True) -> None:
        self.time = Time()
        self.table: Table = play(make_table(), 9)
        self.devices = Devices(folder / "devices.json")
        self.pairing = Pairing(self.devices, self.time)
        self.ended: list[int] = []
        vitals = Vitals(self.table, live=None, ring=None, place=folder)
        routes = live_routes(
            self.table,
            vitals=vitals,
            pairing=self.pairing,
            port=8765,
            host="0.0.0.0",
            next_game=lambda: self.ended.append(1),
            metrics=True,
        )
        self.access = Access(self.pairing, watch=watch, now=self.time)
        self.app = make_app(
            self.table, words=scripted.Words(), hosts=hosts_for("0.0.0.0"), routes=routes, access=self.access
        )

    def client(self, address: str, **more: Any) -> TestClient:
        return TestClient(self.app, base_url=HERE, client=(address, 50000), **more)

    @property
    def main(self) -> TestClient:
        return self.client("127.0.0.1")

    @property
    def phone(self) -> TestClient:
        return self.client("192.168.1.77")

    def paired(self) -> TestClient:
        phone = self.phone
        code = self.main.get("/pairing").json()["code"]
        assert phone.post("/pair", json={"code": code, "name": "Ana's phone"}, headers=JSON).status_code == 200
        return phone


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    yield House(tmp_path)


def test_this_machine_may_do_everything(house: House) -> None:
    assert house.main.get("/me").json() == {"here": True, "paired": True, **OFFERED}
    assert house.main.post("/answer", json=ANSWER, headers=JSON).status_code == 204


def test_a_strange_phone_watches_and_changes_nothing(house: House) -> None:
    phone = house.phone
    assert phone.get("/me").json() == {"here": False, "paired": False, **OFFERED}
    assert phone.get("/").status_code == phone.get("/state").status_code == 200
    with phone.websocket_connect(SOCKET) as socket:
        assert "game" in socket.receive_json()
    for path, body in (
        ("/answer", ANSWER), ("/say", {"choice": "score:Ben", "value": "+5"}), ("/undo", {"entry": 3}), ("/redo", {}),
        ("/correct", {"do": "remove", "entry": 3}), ("/devices/revoke", {"id": "x"}), ("/new-game", {}),
    ):  # fmt: skip
        got = phone.post(path, json=body, headers=JSON)
        assert got.status_code in (401, 403), path
    assert house.table.state().view.questions, "nothing has changed"
    assert house.ended == []


def test_where_watching_is_off_a_strange_phone_sees_nothing_of_the_game(tmp_path: Path) -> None:
    house = House(tmp_path, watch=False)
    phone = house.phone
    assert phone.get("/").status_code == phone.get("/static/main.js").status_code == 200, "the page to pair on"
    for path in ("/state", "/log?before=9", "/picture.jpg", "/deck/palace.jpg", "/evidence/3-0.jpg", "/metrics",
                 "/evidence/question.jpg?id=x", "/clip/3.mp4"):  # fmt: skip
        assert phone.get(path).status_code == 401, path
    with pytest.raises(WebSocketDisconnect), phone.websocket_connect(SOCKET):
        pass
    assert set(phone.get("/health").json()) == {"state", "warnings"}
    assert house.paired().get("/state").status_code == 200


def test_the_code_is_shown_on_the_main_screen_only(house: House) -> None:
    offer = house.main.get("/pairing").json()
    assert len(offer["code"]) == 8
    assert offer["url"].endswith(f"/#pair={offer['code']}"), "after the #, where it is sent to nobody"
    assert offer["qr"].startswith("<svg")
    for path in ("/pairing", "/devices"):
        assert house.phone.get(path).status_code == 403
        assert house.paired().get(path).status_code == 403
        assert house.phone.get(path, headers={"x-forwarded-for": "127.0.0.1"}).status_code == 403


def test_a_proxy_on_this_machine_is_not_this_machine(house: House) -> None:
    for name in ("x-forwarded-for", "forwarded", "x-real-ip", "via"):
        assert house.main.get("/pairing", headers={name: "127.0.0.1"}).status_code == 403
        assert house.main.post("/answer", json=ANSWER, headers={**JSON, name: "1.2.3.4"}).status_code == 401


def test_a_paired_phone_plays_until_it_is_taken_out(house: House) -> None:
    phone = house.paired()
    cookie = phone.cookies.get("kibitz")
    assert cookie
    assert phone.post("/answer", json=ANSWER, headers=JSON).status_code == 204
    (device,) = house.main.get("/devices").json()
    assert device["name"] == "Ana's phone"
    assert "token" not in str(device)
    assert house.main.post("/devices/revoke", json={"id": device["id"]}, headers=JSON).status_code == 204
    assert phone.post("/redo", json={}, headers=JSON).status_code == 401
    assert house.main.post("/devices/revoke", json={"id": device["id"]}, headers=JSON).status_code == 404


def test_the_cookie_is_kept_from_scripts_and_other_sites_and_only_its_hash_is_stored(house: House) -> None:
    code = house.main.get("/pairing").json()["code"]
    set_cookie = house.phone.post("/pair", json={"code": code, "name": "x"}, headers=JSON).headers["set-cookie"].lower()
    assert "httponly" in set_cookie
    assert "samesite=strict" in set_cookie
    token = set_cookie.partition("kibitz=")[2].partition(";")[0]
    kept = house.devices.path.read_text()
    assert token not in kept.lower()
    assert stat.S_IMODE(house.devices.path.stat().st_mode) == 0o600


def test_a_code_is_good_for_one_device_and_a_few_minutes(house: House) -> None:
    code = house.main.get("/pairing").json()["code"]
    phone = house.phone
    assert phone.post("/pair", json={"code": f" {code[:4].lower()}-{code[4:]} "}, headers=JSON).status_code == 200
    assert house.client("192.168.1.78").post("/pair", json={"code": code}, headers=JSON).status_code == 403
    late = house.main.get("/pairing").json()["code"]
    house.time.now += CODE_S + 1
    assert house.client("192.168.1.79").post("/pair", json={"code": late}, headers=JSON).status_code == 403
    assert house.client("192.168.1.79").post("/pair", json={"code": ""}, headers=JSON).status_code == 403


def test_guessing_the_code_ends_it(tmp_path: Path) -> None:
    pairing = Pairing(Devices(tmp_path / "d.json"), Time())
    code, _ = pairing.code()
    for _ in range(MOST_TRIES):
        assert pairing.pair("AAAAAAAA", "guesser") is None
    assert pairing.pair(code, "guesser") is None, "even the right one: a new one is shown by now"
    assert pairing.code()[0] != code
    assert pairing.devices.all() == ()


def test_tries_are_few_for_each_address_and_for_all_together(house: House) -> None:
    house.pairing.code()
    codes = [house.phone.post("/pair", json={"code": "A" * 8}, headers=JSON).status_code for _ in range(8)]
    assert codes == [403] * 5 + [429] * 3
    others = [
        house.client(f"10.0.0.{n}").post("/pair", json={"code": "B" * 8}, headers=JSON).status_code for n in range(40)
    ]
    assert others.count(403) <= 20


def test_a_token_that_is_none(house: House) -> None:
    house.paired()
    for headers in (
        {"cookie": "kibitz=guess"}, {"authorization": "Bearer guess"}, {"authorization": "Bearer "},
        {"cookie": "kibitz="}, {"cookie": "=;;;kibitz; kibitz=,"}, {"authorization": "Basic a2liaXR6Omd1ZXNz"},
    ):  # fmt: skip
        assert house.phone.post("/redo", json={}, headers={**JSON, **headers}).status_code == 401
    token = house.paired().cookies["kibitz"]
    assert house.phone.post(f"/redo?kibitz={token}&token={token}", json={}, headers=JSON).status_code == 401
    program = house.phone.post("/redo", json={}, headers={"authorization": f"Bearer {token}"})
    assert program.status_code == 409, "a program with a token is let in; there is nothing to redo"


def test_a_paired_phone_is_not_steered_by_another_site(house: House) -> None:
    phone = house.paired()
    foreign = {"origin": "http://evil.example"}
    assert phone.post("/answer", json=ANSWER, headers=foreign).status_code == 403
    assert phone.post("/pair", json={"code": "A" * 8}, headers=foreign).status_code == 403
    with pytest.raises(WebSocketDisconnect), phone.websocket_connect(SOCKET, headers=foreign):
        pass
    assert phone.get("/state", headers={"host": "evil.example"}).status_code == 421
    form = phone.post("/answer", content="question=x", headers={**JSON, "content-type": "text/plain"})
    assert form.status_code == 415


def test_requests_are_bounded_in_size_and_number(house: House) -> None:
    phone = house.paired()
    large = phone.post("/pair", content=b"{" + b" " * 100_000, headers={**JSON, "content-type": "application/json"})
    assert large.status_code == 413
    changes = [phone.post("/redo", json={}, headers=JSON).status_code for _ in range(60)]
    assert changes.count(429) >= 25
    assert phone.post("/redo", json={}, headers=JSON).headers["retry-after"] == "5"
    reads = [house.phone.get("/me").status_code for _ in range(400)]
    assert reads.count(429) >= 100
    house.time.now += 60
    assert house.phone.get("/me").status_code == 200
    assert {house.main.get("/me").status_code for _ in range(400)} == {200}, "the main screen is never refused"


def test_sockets_are_bounded(house: House) -> None:
    house.access.sockets = MOST_SOCKETS
    with pytest.raises(WebSocketDisconnect), house.phone.websocket_connect(SOCKET):
        pass


def test_addresses_do_not_fill_the_memory() -> None:
    bucket = Bucket(1.0, 5.0, Time())
    for n in range(5000):
        bucket.take(f"10.0.{n // 256}.{n % 256}")
    assert len(bucket._left) <= 1000


@pytest.mark.parametrize("path", [
    "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/%2e%2e/guard.py", "/static//etc/passwd",
    "/static/..\\app.py", "/..%2f..%2fetc/passwd", "/static/%00", "/deck/..%2f..%2fdevices.jpg", "/devices.json",
    "/clip/..%2f3.mp4", "/clip/-1.mp4", "/evidence/..%2f1-0.jpg",
])  # fmt: skip
def test_no_path_leads_out(house: House, path: str) -> None:
    got = house.paired().get(path)
    assert got.status_code in (400, 404)
    assert b"root:" not in got.content and b"import" not in got.content


def test_here_is_loopback_in_every_spelling() -> None:
    for address, here in (
        ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("::ffff:127.0.0.1", True), ("192.168.0.1", False),
        ("::ffff:10.0.0.1", False), ("", False), ("localhost", False),
    ):  # fmt: skip
        assert is_here({"client": (address, 1), "headers": []}) is here
    assert not is_here({"headers": []})


def test_a_damaged_list_of_devices_lets_nobody_in(house: House) -> None:
    phone = house.paired()
    house.devices.path.write_text("[{")
    assert phone.post("/redo", json={}, headers=JSON).status_code != 204
    assert house.table.state().lines[-1].kind != "redo"


def test_a_new_game_begins_only_after_the_last(house: House) -> None:
    assert house.main.post("/new-game", json={}, headers=JSON).status_code == 409
    assert house.ended == []


def test_health_and_metrics(house: House) -> None:
    report = house.main.get("/health").json()
    assert report["state"] in ("ok", "warn")
    assert "kibitz_up 1" in house.main.get("/metrics").text
