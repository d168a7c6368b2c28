"""A table on a real mosquitto: retained state, last will, rulings, discovery, passwords; what a stranger may send."""

from __future__ import annotations

import getpass
import json
import queue
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from starlette.applications import Starlette
from starlette.testclient import TestClient

from device.config import Config, MqttSection, TableSection, load_config
from device.errors import UserError
from device.mqtt import Broker, connect, slug
from device.screen.live_routes import live_routes
from device.screen.pairing import Devices, Pairing
from device.tables import MOST_TABLES, Tables
from device.vitals import Vitals
from tests.screen.scripted import make_table, play

MOSQUITTO = shutil.which("mosquitto") or next(
    (str(p) for p in (Path("/usr/sbin/mosquitto"), Path("/usr/local/sbin/mosquitto")) if p.exists()), None
)
PATIENCE_S = 20.0


class Server:
    """A mosquitto of its own, with a password if one is given."""

    def __init__(self, folder: Path, password: str = "") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        lines = [f"listener {self.port} 127.0.0.1", "persistence false", f"allow_anonymous {str(not password).lower()}"]
        lines.append(
            f"user {getpass.getuser()}"
        )  # root's mosquitto would become another user, who may not look in here
        if password:
            assert MOSQUITTO
            tool = str(Path(MOSQUITTO).with_name("mosquitto_passwd"))
            tool = tool if Path(tool).exists() else shutil.which("mosquitto_passwd") or tool
            subprocess.run([tool, "-b", "-c", folder / "passwords", "cafe", password], check=True, capture_output=True)
            (folder / "passwords").chmod(0o644)
            lines.append(f"password_file {folder / 'passwords'}")
        (folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")
        self._folder = folder
        self.start()

    def start(self) -> None:
        assert MOSQUITTO
        self._process = subprocess.Popen(
            [MOSQUITTO, "-c", self._folder / "mosquitto.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(400):
            with socket.socket() as one:
                one.settimeout(1)
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            threading.Event().wait(0.05)
        raise AssertionError("mosquitto did not start")

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


class Listener:
    """Hears everything on a broker."""

    def __init__(self, port: int, username: str = "", password: str = "") -> None:
        self.heard: queue.Queue[tuple[str, str, bool]] = queue.Queue()
        self.client = paho.Client(CallbackAPIVersion.VERSION2)
        if username:
            self.client.username_pw_set(username, password)
        self.client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self.client.on_message = lambda _, __, m: self.heard.put((m.topic, m.payload.decode(), bool(m.retain)))
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def until(self, topic: str, wanted: Any = None) -> Any:
        """The next message on that topic (that holds `wanted`)."""
        while True:
            name, payload, _ = self.heard.get(timeout=PATIENCE_S)
            if name == topic and (wanted is None or wanted in payload):
                return payload if topic.endswith("availability") else json.loads(payload)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


def config(port: int, name: str = "Window table", **more: Any) -> Config:
    return Config(table=TableSection(name=name), mqtt=MqttSection(host="127.0.0.1", port=port, **more))


def quiet(event: str, message: str, *, level: str = "info", **fields: object) -> None:
    pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed: apt install mosquitto")
    server = Server(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def broker(server: Server, tmp_path: Path) -> Iterator[Broker]:
    table = play(make_table(), 5)
    broker = connect(config(server.port), table, Vitals(table, live=None, ring=None, place=tmp_path), quiet)
    yield broker
    broker.close()


def test_how_a_table_stands_is_retained(server: Server, broker: Broker) -> None:
    first = Listener(server.port)
    state = first.until("kibitz/window_table/state")
    assert state["name"] == "Window table"
    assert [p["name"] for p in state["players"]] == ["Anna", "Ben", "Clara"]
    assert first.until("kibitz/window_table/health")["state"] in ("ok", "warn")
    first.close()
    late = Listener(server.port)  # comes when all has been said
    assert late.until("kibitz/window_table/state") == state
    late.close()
    fresh = Listener(server.port)
    assert fresh.until("kibitz/window_table/availability") == "online"
    fresh.close()


def test_rulings_and_questions_are_told_as_they_fall(server: Server, broker: Broker) -> None:
    listener = Listener(server.port)
    listener.until("kibitz/window_table/state")
    play(broker._table, 9, after=5)
    assert listener.until("kibitz/window_table/ruling")["rule"].startswith("carpets.")
    (question,) = listener.until("kibitz/window_table/questions", "options")
    assert question["options"] == ["legal", "illegal"]
    listener.close()


def test_the_last_will_says_that_a_table_is_off(server: Server, broker: Broker) -> None:
    listener = Listener(server.port)
    assert listener.until("kibitz/window_table/availability") == "online"
    sock = broker._client.socket()
    assert sock is not None
    broker._client.reconnect_delay_set(30, 60)
    sock.shutdown(socket.SHUT_RDWR)  # as when the plug is pulled
    assert listener.until("kibitz/window_table/availability", "offline") == "offline"
    listener.close()


def test_a_broker_that_was_away_is_told_everything_again(server: Server, broker: Broker) -> None:
    listener = Listener(server.port)
    listener.until("kibitz/window_table/state")
    listener.close()
    server.stop()
    play(broker._table, 7, after=5)  # the game does not wait
    server.start()  # with nothing retained
    again = Listener(server.port)
    assert again.until("kibitz/window_table/state")["name"] == "Window table"
    again.close()


def test_home_assistant_discovers_the_table(server: Server, broker: Broker) -> None:
    listener = Listener(server.port)
    phase = listener.until("homeassistant/sensor/kibitz_window_table/phase/config")
    assert phase["state_topic"] == "kibitz/window_table/state"
    assert phase["availability_topic"] == "kibitz/window_table/availability"
    assert phase["unique_id"] == "kibitz_window_table_phase"
    score = listener.until("homeassistant/sensor/kibitz_window_table/score_2/config")
    assert score["name"] == "Score Ben"
    assert score["value_template"] == "{{ value_json.players[1].score }}"
    listener.close()


def test_the_page_of_all_tables(server: Server, broker: Broker, tmp_path: Path) -> None:
    other = connect(config(server.port, "Bar", discovery=""), play(make_table(), 3), None, quiet)
    listener = Listener(server.port)
    listener.until("kibitz/bar/state")
    for _ in range(int(PATIENCE_S / 0.05)):
        if {one["id"] for one in broker.tables.all()} == {"bar", "window_table"}:
            break
        threading.Event().wait(0.05)
    vitals = Vitals(broker._table, live=None, ring=None, place=tmp_path)
    pairing = Pairing(Devices(tmp_path / "d.json"))
    routes = live_routes(broker._table, vitals=vitals, pairing=pairing, port=1, host="127.0.0.1", tables=broker.tables)
    client = TestClient(Starlette(routes=routes))
    told = {one["id"]: one for one in client.get("/tables.json").json()}
    assert told["bar"]["online"] and told["bar"]["state"]["name"] == "Bar"
    assert "tables.js" in client.get("/tables").text
    listener.close()
    other.close()


def test_a_password_is_given_and_never_told(tmp_path: Path) -> None:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed: apt install mosquitto")
    server = Server(tmp_path, password="s3cret")
    said: list[str] = []
    (tmp_path / "password").write_text("s3cret\n")

    def log(event: str, message: str, *, level: str = "info", **fields: object) -> None:
        said.append(f"{event} {message} {fields}")

    given = config(server.port, username="cafe", password_file=str(tmp_path / "password"))
    broker = connect(given, play(make_table(), 3), None, log)
    listener = Listener(server.port, "cafe", "s3cret")
    assert listener.until("kibitz/window_table/state")["name"] == "Window table"
    listener.close()
    broker.close()
    (tmp_path / "password").write_text("wrong")
    refused = connect(given, play(make_table(), 3), None, log)
    for _ in range(int(PATIENCE_S / 0.05)):
        if any("refuses" in line for line in said):
            break
        threading.Event().wait(0.05)
    refused.close()
    server.stop()
    assert any("mqtt_refused" in line for line in said)
    assert not any("s3cret" in line or "wrong" in line for line in said)
    assert "s3cret" not in repr(given)


def test_without_a_broker_the_game_goes_on() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        table = play(make_table(), 3)
        broker = connect(config(nobody.getsockname()[1]), table, None, quiet)
        play(table, 9, after=3)
        broker.close()
    assert table.state().lines


def test_what_strangers_send_does_no_harm() -> None:
    tables = Tables()
    for payload in (b"{", b"\xff", b"[]", b"3", b"{}" + b" " * 30_000):
        tables.hear("evil", "state", payload)
    assert tables.all() == []
    for n in range(500):
        tables.hear(f"t{n}", "state", b"{}")
    assert len(tables.all()) <= MOST_TABLES


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"password_file": "/nowhere/x", "username": "cafe"}, "the broker's password cannot be read"),
        ({"tls": True, "ca_file": "/nowhere/ca.pem"}, "/nowhere/ca.pem: cannot be read"),
    ],
)
def test_what_is_wrong_is_said_before_the_game_begins(more: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        connect(config(1, **more), play(make_table(), 1), None, quiet)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("port = 3", "[mqtt] host: is missing"),
        ('host = "b"\ntopic = "a/#"', "line 3: [mqtt] topic: 'a/#' is no topic"),
        ('host = "b"\npassword_file = "x"', "[mqtt] username: is missing beside password_file"),
        ('host = "b"\nca_file = "x"', "[mqtt] tls: is false although ca_file is given"),
        ('host = "b"\npassword = "x"', "[mqtt] password: no such field"),
    ],
)
def test_the_section_is_checked(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "kibitz.toml"
    path.write_text(f"[mqtt]\n{text}\n")
    with pytest.raises(UserError) as error:
        load_config(path)
    assert told in str(error.value)


def test_names_become_topics() -> None:
    assert slug("Fensterplatz Süd!") == "fensterplatz_sud"
    assert slug("麻雀") == "table"
