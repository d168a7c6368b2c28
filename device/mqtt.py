"""A table on a broker (MQTT 3.1.1): how it stands, what is ruled and asked, how it does. Off unless configured.

    <topic>/<table>/availability   `online`, `offline` (last will)            retained
    <topic>/<table>/state          the game as JSON: phase, scores, over      retained
    <topic>/<table>/questions      open questions, in words                   retained
    <topic>/<table>/ruling         each ruling as it falls
    <topic>/<table>/health         as /health                                 retained
    <discovery>/.../config         Home Assistant's discovery                 retained
All with QoS 1. The broker may be away for hours: the game does not wait for it, and what is retained is sent when it is
back. Nothing is taken from the broker but how other tables stand (`Tables`).
"""

from __future__ import annotations

import json
import re
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from device.config import Config, MqttSection
from device.errors import UserError
from device.logs import Log
from device.state import Event
from device.table import Table
from device.tables import Tables
from device.vitals import Vitals
from rules.protocol import Ruling
from rules.text import say

HEALTH_S = 30.0
MOST_WAITING = 200
"""Messages kept while the broker is away: rulings older than these are in the journal."""
LONGEST_WAIT_S = 60


def slug(name: str) -> str:
    """A table's name as a topic's part: `Window table` is `window_table`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_") or "table"


class Broker:
    """The connection of one table. `close` says good-bye."""

    def __init__(self, config: Config, settings: MqttSection, table: Table, vitals: Vitals | None, log: Log) -> None:
        self._config, self._settings, self._table, self._vitals, self._log = config, settings, table, vitals, log
        self.tables = Tables()
        self._id = slug(config.table.name)
        self._base = f"{settings.topic}/{self._id}"
        self._sent: dict[str, str] = {}
        self._changed = threading.Event()
        self._closing = False
        self._client = self._make_client()
        self._leave: Callable[[], None] = table.subscribe(self._hear)
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)

    def start(self) -> None:
        """Connects in the background, now and whenever the broker is back."""
        self._client.connect_async(self._settings.host, self._settings.port, keepalive=30)
        self._client.loop_start()
        self._thread.start()

    def close(self) -> None:
        self._leave()
        self._closing = True
        self._changed.set()
        self._thread.join(timeout=5)
        if self._client.is_connected():
            self._client.publish(f"{self._base}/availability", "offline", qos=1, retain=True).wait_for_publish(2)
        self._client.disconnect()
        self._client.loop_stop()

    def _make_client(self) -> paho.Client:
        settings = self._settings
        client = paho.Client(CallbackAPIVersion.VERSION2, client_id=f"kibitz-{self._id}")
        if settings.username:
            client.username_pw_set(settings.username, _password(settings.password_file))
        if settings.tls:
            try:
                client.tls_set(ca_certs=settings.ca_file or None)
            except OSError as e:
                raise UserError(f"{settings.ca_file}: cannot be read: {e.strerror}; see [mqtt] ca_file") from None
        client.will_set(f"{self._base}/availability", "offline", qos=1, retain=True)
        client.max_queued_messages_set(MOST_WAITING)
        client.reconnect_delay_set(1, LONGEST_WAIT_S)
        client.on_connect = self._connected
        client.on_disconnect = self._gone
        client.on_message = self._message
        return client

    # ---- in paho's thread ----------------------------------------------------------------------------------------

    def _connected(self, client: paho.Client, _: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._log("mqtt_refused", f"the broker refuses: {reason}", level="warning")
            return
        self._log("mqtt_connected", f"connected to {self._settings.host}:{self._settings.port}")
        for what in ("availability", "state"):
            client.subscribe(f"{self._settings.topic}/+/{what}", qos=1)
        client.publish(f"{self._base}/availability", "online", qos=1, retain=True)
        self._sent.clear()  # the broker may be another, with nothing retained
        self._changed.set()

    def _gone(self, client: paho.Client, _: Any, flags: Any, reason: Any, properties: Any) -> None:
        if not self._closing:
            self._log("mqtt_away", f"the broker is away: {reason}", level="warning")

    def _message(self, client: paho.Client, _: Any, message: paho.MQTTMessage) -> None:
        parts = message.topic.removeprefix(self._settings.topic + "/").split("/")
        if len(parts) == 2:
            self.tables.hear(parts[0], parts[1], bytes(message.payload))

    # ---- in the table's threads and our own ----------------------------------------------------------------------

    def _hear(self, event: Event) -> None:
        """In the thread that changed the table: returns at once."""
        if isinstance(event.output, Ruling):
            ruling = event.output
            told = {
                "t": round(ruling.t, 1), "rule": ruling.rule, "player": ruling.player,
                "text": say(ruling.message, self._table.session.language), "entry": event.entry,
            }  # fmt: skip
            self._client.publish(f"{self._base}/ruling", json.dumps(told), qos=1)
        if event.kind != "picture":
            self._changed.set()

    def _run(self) -> None:
        while not self._closing:
            self._changed.wait(HEALTH_S)
            self._changed.clear()
            if not self._closing and self._client.is_connected():
                for topic, payload in self._all().items():
                    if self._sent.get(topic) != payload:
                        self._sent[topic] = payload
                        self._client.publish(topic, payload, qos=1, retain=True)

    def _all(self) -> dict[str, str]:
        """Everything that is retained, by topic."""
        state, language = self._table.state(), self._table.session.language
        view = state.view
        game = {
            "name": self._config.table.name, "game": view.game, "phase": say(view.phase, language),
            "round": view.round, "rounds": view.rounds, "over": view.over, "winners": list(view.winners),
            "players": [
                {"name": p.name, "colour": p.colour, "score": p.score, "active": p.active} for p in view.players
            ],
            "questions": len(view.questions), "camera": state.status.camera,
        }  # fmt: skip
        asked = [{"id": q.id, "text": say(q.message, language), "options": list(q.options)} for q in view.questions]
        out = {f"{self._base}/state": json.dumps(game), f"{self._base}/questions": json.dumps(asked)}
        if self._vitals is not None:
            report = self._vitals.report()
            out[f"{self._base}/health"] = json.dumps({"state": report["state"], "warnings": report["warnings"]})
        if self._settings.discovery:
            out |= self._discovery([p.name for p in view.players])
        return out

    def _discovery(self, players: list[str]) -> dict[str, str]:
        """Home Assistant's MQTT discovery: one device a table, with a sensor for the phase and one for each score."""
        node = f"kibitz_{self._id}"
        device = {"identifiers": [node], "name": f"Kibitz {self._config.table.name}", "manufacturer": "Kibitz"}
        common = {"availability_topic": f"{self._base}/availability", "device": device}
        state = f"{self._base}/state"
        sensors: dict[str, tuple[str, dict[str, Any]]] = {
            "phase": ("sensor", {"name": "Game", "state_topic": state, "value_template": "{{ value_json.phase }}",
                                 "icon": "mdi:cards"}),
            "question": ("binary_sensor", {"name": "Question", "state_topic": state,
                                           "value_template": "{{ 'ON' if value_json.questions else 'OFF' }}"}),
            "problem": ("binary_sensor", {"name": "Problem", "device_class": "problem",
                                          "state_topic": f"{self._base}/health",
                                          "value_template": "{{ 'OFF' if value_json.state == 'ok' else 'ON' }}"}),
        }  # fmt: skip
        for number, name in enumerate(players):
            template = f"{{{{ value_json.players[{number}].score }}}}"
            sensor = {"name": f"Score {name}", "state_topic": state, "value_template": template,
                      "state_class": "measurement", "icon": "mdi:counter"}  # fmt: skip
            sensors[f"score_{number + 1}"] = ("sensor", sensor)
        return {
            f"{self._settings.discovery}/{kind}/{node}/{key}/config": json.dumps(
                {**common, **told, "unique_id": f"{node}_{key}", "object_id": f"{node}_{key}"}
            )
            for key, (kind, told) in sensors.items()
        }


def connect(config: Config, table: Table, vitals: Vitals | None, log: Log) -> Broker:
    """Begins telling the broker. Raises `UserError` for what can be known to be wrong before it is reached."""
    assert config.mqtt is not None
    broker = Broker(config, config.mqtt, table, vitals, log)
    broker.start()
    return broker


def _password(file: str) -> str | None:
    if not file:
        return None
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as e:
        raise UserError(
            f"{file}: the broker's password cannot be read from it ({e}); see [mqtt] password_file"
        ) from None
