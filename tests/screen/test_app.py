"""Every route of the screen, used rightly and wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import pytest
from starlette.testclient import TestClient

from device.screen.app import STATIC, make_app
from device.screen.guard import HEADERS, MAX_BODY, hosts_for
from device.table import Table
from tests.screen import scripted
from tests.screen.scripted import DOUBT, MemoryLog, make_table, play

HERE = "http://127.0.0.1:8765"
SOCKET = "ws://127.0.0.1:8765"
ORIGIN = {"origin": HERE}


@pytest.fixture
def table() -> Table:
    return play(make_table(), 9)


@pytest.fixture
def client(table: Table) -> Iterator[TestClient]:
    with TestClient(make_app(table, words=scripted.Words()), base_url=HERE) as client:
        yield client


def size(jpeg: bytes) -> tuple[int, int]:
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return picture.shape[1], picture.shape[0]


# ---- what there is to see --------------------------------------------------------------------------------------------


def test_the_page_and_all_it_links_to(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200 and "<title>Kibitz</title>" in page.text
    for path in STATIC.iterdir():
        got = client.get(f"/static/{path.name}")
        assert got.status_code == 200 and got.headers["cache-control"] == "no-cache"
    assert "http://" not in page.text and "https://" not in page.text, "nothing comes from another host"


def test_the_page_may_load_only_from_here(client: TestClient) -> None:
    headers = client.get("/").headers
    for name, value in HEADERS:
        assert headers[name.decode()] == value.decode()
    assert "default-src 'self'" in headers["content-security-policy"]


def test_the_state_in_every_language(client: TestClient) -> None:
    assert client.get("/state").json()["game"]["language"] == "en", "that of the session"
    for language, text in (("en", "Are Sindbad"), ("fr", "Sindbad et le Roc"), ("de", "Liegen Sindbad")):
        state = client.get(f"/state?language={language}").json()
        assert state["questions"][0]["text"].startswith(text)
        assert state["game"]["language"] == language


def test_an_unknown_language_is_refused(client: TestClient) -> None:
    got = client.get("/state?language=nl")
    assert got.status_code == 400 and "en, fr, de" in got.json()["error"]


def test_older_rows(client: TestClient) -> None:
    rows = client.get("/log?before=4").json()["rows"]
    assert [row["entry"] for row in rows] == [3]


@pytest.mark.parametrize("query", ["", "?before=", "?before=-1", "?before=x", "?before=99999999999", "?before=²"])
def test_older_rows_than_nothing(client: TestClient, query: str) -> None:
    assert client.get(f"/log{query}").status_code == 400


def test_a_face_is_small_and_kept_for_good(client: TestClient) -> None:
    version = client.get("/state").json()["deck"]["version"]
    got = client.get(f"/deck/palace_b.jpg?v={version}")
    assert got.headers["content-type"] == "image/jpeg" and "immutable" in got.headers["cache-control"]
    assert size(got.content) == (236, 364) and len(got.content) < 40_000
    assert client.get("/deck/palace.jpg").headers["cache-control"] == "no-cache", "without version it may change"
    again = client.get("/deck/palace_b.jpg", headers={"if-none-match": got.headers["etag"]})
    assert again.status_code == 304 and again.content == b""


@pytest.mark.parametrize("name", ["harem", "..%2F..%2Fdeck", "palace_b.png", "%00"])
def test_a_face_that_the_deck_has_not(client: TestClient, name: str) -> None:
    assert client.get(f"/deck/{name}.jpg").status_code == 404


def test_the_camera_picture(client: TestClient) -> None:
    got = client.get("/picture.jpg")
    assert size(got.content) == scripted.SIZE
    assert client.get("/picture.jpg", headers={"if-none-match": got.headers["etag"]}).status_code == 304


def test_no_camera_picture_yet() -> None:
    got = TestClient(make_app(make_table(), words=scripted.Words()), base_url=HERE).get("/picture.jpg")
    assert got.status_code == 404 and got.json() == {"error": "no camera picture yet"}


def test_evidence_is_cut_out_around_the_pieces(client: TestClient) -> None:
    width, height = size(client.get("/evidence/3-0.jpg").content)
    assert width < 640 and height < 480
    width, _ = size(client.get(f"/evidence/question.jpg?id={DOUBT.id}").content)
    assert width < 640


@pytest.mark.parametrize("path", ["3-1", "99-0", "0-0", "3", "-1-0", "a-b", "9999999999999999999999-0", "question"])
def test_evidence_of_nothing(client: TestClient, path: str) -> None:
    assert client.get(f"/evidence/{path}.jpg").status_code == 404


# ---- what players do -------------------------------------------------------------------------------------------------


def test_answering(client: TestClient, table: Table) -> None:
    assert client.post("/answer", json={"question": DOUBT.id, "choice": "illegal"}).status_code == 204
    assert table.state().view.questions == ()
    again = client.post("/answer", json={"question": DOUBT.id, "choice": "legal"})
    assert again.status_code == 409 and "not open" in again.json()["error"]


def test_answering_what_is_no_option(client: TestClient, table: Table) -> None:
    got = client.post("/answer", json={"question": DOUBT.id, "choice": "perhaps"})
    assert got.status_code == 409 and "legal, illegal" in got.json()["error"]
    assert table.state().view.questions


def test_saying_what_nobody_asked(client: TestClient, table: Table) -> None:
    assert client.post("/say", json={"choice": "score:Ben", "value": "+5"}).status_code == 204
    assert [p.score for p in table.state().view.players] == [0, 5, 0]


def test_undo_and_redo(client: TestClient, table: Table) -> None:
    client.post("/answer", json={"question": DOUBT.id, "choice": "legal"})
    assert client.post("/undo", json={"entry": 6}).status_code == 204
    assert table.state().view.questions
    assert client.post("/redo", json={}).status_code == 204
    assert not table.state().view.questions
    assert client.post("/redo", json={}).status_code == 409


def test_two_screens_undo_one_thing_once(client: TestClient, table: Table) -> None:
    client.post("/answer", json={"question": DOUBT.id, "choice": "legal"})
    assert [client.post("/undo", json={"entry": 6}).status_code for _ in range(2)] == [204, 409]
    assert len(table.state().lines) == 7


def test_corrections(client: TestClient, table: Table) -> None:
    client.post("/answer", json={"question": DOUBT.id, "choice": "legal"})
    assert client.post("/correct", json={"do": "choice", "entry": 6, "choice": "illegal"}).status_code == 204
    assert table.state().lines[6].answer.choice == "illegal"  # type: ignore[union-attr]
    assert client.post("/correct", json={"do": "face", "entry": 5, "piece": "p1", "face": "desert"}).status_code == 204
    scene = table.state().scene
    assert scene is not None and scene.piece("p1").face == "desert"  # type: ignore[union-attr]
    assert client.post("/correct", json={"do": "remove", "entry": 6}).status_code == 204
    assert not table.state().lines[5].live


@pytest.mark.parametrize(
    "body",
    [
        {"do": "remove", "entry": 77},
        {"do": "remove", "entry": -1},
        {"do": "choice", "entry": 3, "choice": "legal"},
        {"do": "face", "entry": 5, "piece": "p77", "face": "desert"},
        {"do": "face", "entry": 5, "piece": "p1", "face": "harem"},
    ],
)
def test_corrections_of_what_is_not_there(client: TestClient, table: Table, body: dict[str, Any]) -> None:
    before = table.state().lines
    got = client.post("/correct", json=body)
    assert got.status_code == 409 and got.json()["error"]
    assert table.state().lines == before


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/answer", b""),
        ("/answer", b"{"),
        ("/answer", b"[]"),
        ("/answer", b'{"question": 3, "choice": "legal"}'),
        ("/answer", b'{"question": "q"}'),
        ("/answer", b'{"question": "q", "choice": "legal", "by": "default"}'),
        ("/answer", b'{"question": "\xff", "choice": "legal"}'),
        ("/say", b'{"value": "+5"}'),
        ("/say", b'{"choice": "score:Ben", "value": 5}'),
        ("/undo", b"{}"),
        ("/undo", b'{"entry": "6"}'),
        ("/undo", b'{"entry": 1e999}'),
        ("/redo", b'{"entry": 1}'),
        ("/correct", b'{"entry": 1}'),
        ("/correct", b'{"do": "burn", "entry": 1}'),
        ("/correct", b'{"do": "remove", "entry": 1, "face": "palace"}'),
        ("/correct", b"[" * 3000),
    ],
)
def test_bodies_that_are_not_understood(client: TestClient, table: Table, path: str, body: bytes) -> None:
    before = table.state().version
    got = client.post(path, content=body, headers={"content-type": "application/json"})
    assert got.status_code == 400 and got.json()["error"]
    assert table.state().version == before


def test_a_body_that_is_too_large(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    full = b'{"question": "q", "choice": "' + b"x" * MAX_BODY + b'"}'
    assert client.post("/answer", content=full, headers=headers).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(1000):
            yield b" " * 1000

    assert client.post("/answer", content=endless(), headers=headers).status_code == 413


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "POST"])
@pytest.mark.parametrize(
    "path", ["/", "/state", "/picture.jpg", "/deck/palace.jpg", "/evidence/3-0.jpg", "/static/main.js"]
)
def test_methods_that_do_not_fit(client: TestClient, method: str, path: str) -> None:
    assert client.request(method, path, json={}).status_code == 405


@pytest.mark.parametrize("path", ["/answer", "/say", "/undo", "/redo", "/correct"])
def test_nothing_is_done_by_reading(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 405


@pytest.mark.parametrize(
    "path", ["/nothing", "/static/nothing.js", "/static/../app.py", "/static/%2e%2e/app.py", "/live"]
)
def test_paths_that_are_not_there(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


# ---- who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://localhost:8765", ""]
)
def test_a_foreign_page_can_do_nothing(client: TestClient, table: Table, origin: str) -> None:
    got = client.post("/answer", json={"question": DOUBT.id, "choice": "legal"}, headers={"origin": origin})
    assert got.status_code == 403
    assert table.state().view.questions


def test_our_own_page_can(client: TestClient) -> None:
    got = client.post("/answer", json={"question": DOUBT.id, "choice": "legal"}, headers=ORIGIN)
    assert got.status_code == 204


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_of_another_page_can_do_nothing(client: TestClient, table: Table, kind: str) -> None:
    body = f'{{"question": "{DOUBT.id}", "choice": "legal"}}'
    assert client.post("/answer", content=body, headers={"content-type": kind}).status_code == 415
    assert table.state().view.questions


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8765", 200),
        ("localhost:8765", 200),
        ("LOCALHOST", 200),
        ("[::1]:8765", 200),
        ("rebound.example:8765", 421),
        ("127.0.0.1.rebound.example", 421),
        ("localhost@rebound.example", 421),
        ("192.168.1.20:8765", 421),
        ("[::1", 421),
        ("127.0.0.1:8765:1", 421),
        ("", 421),
    ],
)
def test_names_the_server_answers_to(client: TestClient, host: str, status: int) -> None:
    assert client.get("/state", headers={"host": host}).status_code == status


def test_in_the_home_network_addresses_are_answered_to_but_no_foreign_names(table: Table) -> None:
    app = make_app(table, words=scripted.Words(), hosts=hosts_for("0.0.0.0"))
    client = TestClient(app, base_url="http://192.168.1.20:8765")
    assert client.get("/state").status_code == 200
    assert client.get("/state", headers={"host": "rebound.example"}).status_code == 421
    assert hosts_for("127.0.0.1") == hosts_for("localhost") == hosts_for("::1")


# ---- pushed ----------------------------------------------------------------------------------------------------------


def test_a_page_is_told_everything_and_then_only_what_changes(client: TestClient, table: Table) -> None:
    with client.websocket_connect(f"{SOCKET}/live?language=de", headers=ORIGIN) as socket:
        first = socket.receive_json()
        assert first.keys() == client.get("/state").json().keys()
        assert first["questions"][0]["text"].startswith("Liegen Sindbad")
        table.answer(DOUBT.id, "legal")
        second = socket.receive_json()
        assert second.keys() == {"looking", "questions", "log", "undo"}
        assert second["questions"] == []
        assert second["log"]["rows"][0]["text"] == "Die Auslage gilt."


def test_a_page_can_change_its_language(client: TestClient) -> None:
    with client.websocket_connect(f"{SOCKET}/live", headers=ORIGIN) as socket:
        assert socket.receive_json()["game"]["language"] == "en"
        for nonsense in ("{", "[]", '{"language": 3}', '{"language": "fr", "and": 1}'):
            socket.send_text(nonsense)
        socket.send_text('{"language": "fr"}')
        news = socket.receive_json()
        while "game" not in news:  # a beat may come in between
            news = socket.receive_json()
        assert news["game"]["language"] == "fr"
        assert news["questions"][0]["text"].startswith("Sindbad et le Roc")


def test_a_camera_that_goes_away_is_told(client: TestClient, table: Table) -> None:
    with client.websocket_connect(f"{SOCKET}/live", headers=ORIGIN) as socket:
        socket.receive_json()
        table.camera("away")
        news = socket.receive_json()
        assert news == {"looking": news["looking"]} and news["looking"]["camera"] == "away"


def test_the_table_is_listened_to_only_while_somebody_looks(client: TestClient, table: Table) -> None:
    with client.websocket_connect(f"{SOCKET}/live", headers=ORIGIN) as socket:
        socket.receive_json()
        assert len(table._listeners) == 1
        with client.websocket_connect(f"{SOCKET}/live", headers=ORIGIN) as other:
            other.receive_json()
            assert len(table._listeners) == 1
    client.get("/state")
    assert not table._listeners


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"host": "rebound.example", "origin": "http://rebound.example"},
    ],
)
def test_a_foreign_page_hears_nothing(client: TestClient, headers: dict[str, str]) -> None:
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"{SOCKET}/live", headers=headers):
        pass


def test_what_cannot_be_kept_is_refused(table: Table) -> None:
    from device.errors import UserError

    class FullDisk(MemoryLog):
        def append(self, entry: Any) -> int:
            raise UserError("the journal cannot be written: the disk is full; free some space")

    table._ledger._log = FullDisk()
    client = TestClient(make_app(table, words=scripted.Words()), base_url=HERE)
    got = client.post("/answer", json={"question": DOUBT.id, "choice": "legal"})
    assert got.status_code == 409 and "disk is full" in got.json()["error"]
    assert table.state().view.questions, "what was not kept did not happen"
