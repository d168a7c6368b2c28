"""`kibitz.toml`: how an appliance is set up. Every mistake in it is told with file, line and field.

Documented in docs/ref/config.md. All fields have defaults; an empty file is a table with a Pi's camera.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from device.cameras import Wish
from device.errors import UserError
from device.toml_lines import find_line
from rules.session import Language

DEFAULT_PLACE = Path("/etc/kibitz/kibitz.toml")


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class TableSection(Section, frozen=True, kw_only=True):
    name: str = "Table"
    """What people call it; shown where there are several."""
    session: str = "session.toml"
    """The session file: who plays what. Relative paths start at the config's folder."""
    resume_hours: float = 12.0
    """A game that is not over and was last played within so many hours is gone on with; otherwise a new one begins."""
    language: Language | None = None


class CameraSection(Section, frozen=True, kw_only=True):
    source: str = "pi"
    width: int = 1280
    height: int = 720
    rate: int = 10
    lock: bool = True
    lens: str = ""
    """What `kibitz calibrate` wrote for this camera; relative paths start at the config's folder. Empty: none."""

    def wish(self) -> Wish:
        return Wish(size=(self.width, self.height), rate=self.rate, lock=self.lock)


class ScreenSection(Section, frozen=True, kw_only=True):
    host: str = "127.0.0.1"
    port: int = 8765
    watch: bool = True
    """On a network: whether anybody may watch. Changing anything needs a paired device in any case."""
    metrics: bool = False
    """Prometheus text at /metrics."""


class RecordSection(Section, frozen=True, kw_only=True):
    ring_mb: int = 300
    """Size of the ring of the last minutes; 0 records none."""
    seconds: float = 5.0
    """Before and after a ruling, of its clip."""


class MqttSection(Section, frozen=True, kw_only=True):
    host: str
    port: int = 1883
    username: str = ""
    password_file: str = ""
    """The password stands in a file of its own, so that this one can be shown to anybody."""
    tls: bool = False
    ca_file: str = ""
    topic: str = "kibitz"
    discovery: str = "homeassistant"
    """Home Assistant's discovery prefix; empty for none."""


class Config(Section, frozen=True, kw_only=True):
    table: TableSection = TableSection()
    camera: CameraSection = CameraSection()
    screen: ScreenSection = ScreenSection()
    record: RecordSection = RecordSection()
    mqtt: MqttSection | None = None


def load_config(path: Path) -> Config:
    """The config in that file. Raises `UserError`: `FILE, line N: [table] field: what is wrong; what to do`."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; `make install` writes one, or name another with --config") from None
    except OSError as e:
        raise UserError(f"{path}: cannot be read: {e.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not a text file in UTF-8") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise UserError(f"{path}, {_toml_place(str(e))}") from None
    try:
        config = msgspec.convert(data, Config, strict=True)
    except msgspec.ValidationError as e:
        table, field, what = _read_complaint(str(e))
        raise _mistake(path, text, table, field, what) from None
    for table, field, what in _complaints(config):
        raise _mistake(path, text, table, field, what)
    return config


def check_files(path: Path, config: Config) -> None:
    """Raises `UserError` where a file that the config at `path` names is not there; what is in it is read later."""
    for table, field, name in (("table", "session", config.table.session), ("camera", "lens", config.camera.lens)):
        place = path.parent / name
        if name and not place.exists():
            what = f"{place}: no such file; put it there, or name another"
            raise _mistake(path, path.read_text(encoding="utf-8"), table, field, what)


def _mistake(path: Path, text: str, table: str, field: str, what: str) -> UserError:
    line = find_line(text, table, field)
    where = f", line {line}" if line else ""
    named = " ".join(part for part in (f"[{table}]" if table else "", field) if part)
    return UserError(f"{path}{where}: {named}: {what}")


def _toml_place(error: str) -> str:
    """`Invalid value (at line 3, column 5)` with the place first."""
    match = re.search(r"\(at (?:(line \d+)[^)]*|end of document)\)", error)
    words = error[: match.start()].strip() if match else error
    return f"{(match and match[1]) or 'at its end'}: is not valid TOML: {words[:1].lower()}{words[1:]}"


def _read_complaint(error: str) -> tuple[str, str, str]:
    """Table, field and what is wrong, from msgspec's `Expected `int`, got `str` - at `$.screen.port``."""
    what, _, where = error.partition(" - at `$")
    unknown = re.match(r"Object contains unknown field `(\w+)`", what)
    missing = re.match(r"Object missing required field `(\w+)`", what)
    keys = [k for k in where.rstrip("`").split(".") if k]
    if unknown:
        keys.append(unknown[1])
        known = _known_fields(keys[:-1])
        return _placed(keys, f"no such {'field' if len(keys) > 1 else 'section'}; there are: {', '.join(known)}")
    if missing:
        keys.append(missing[1])
        return _placed(keys, "is missing")
    return _placed(keys, what[:1].lower() + what[1:].replace("`", ""))


def _placed(keys: list[str], what: str) -> tuple[str, str, str]:
    """A section's own name is a table where the file has it as one, else a key of its own."""
    if len(keys) >= 2:
        return keys[0], keys[1], what
    return (keys[0] if keys else ""), "", what


def _known_fields(table: list[str]) -> tuple[str, ...]:
    sections: dict[str, Any] = {
        "table": TableSection, "camera": CameraSection, "screen": ScreenSection, "record": RecordSection,
        "mqtt": MqttSection,
    }  # fmt: skip
    kind: Any = sections.get(table[0], Config) if table else Config
    return tuple(kind.__struct_fields__)


def _complaints(config: Config) -> Iterator[tuple[str, str, str]]:
    table, camera, screen, record = config.table, config.camera, config.screen, config.record
    if not table.name.strip() or len(table.name) > 60 or any(c in table.name for c in "/+#"):
        yield "table", "name", "give a name of 1 to 60 letters without / + #"
    if not 0 <= table.resume_hours <= 24 * 365:
        yield "table", "resume_hours", f"{table.resume_hours:g} is no number of hours from 0 to 8760"
    if not table.session.strip():
        yield "table", "session", "is empty; name the session file"
    if not camera.source.strip():
        yield "camera", "source", "is empty; choose pi, usb, usb:1, /dev/video2, http://…, or the path of footage"
    for name, value, low, high in (
        ("width", camera.width, 320, 4608),
        ("height", camera.height, 240, 2592),
        ("rate", camera.rate, 2, 60),
    ):
        if not low <= value <= high:
            yield "camera", name, f"{value} is not between {low} and {high}"
    if not 1 <= screen.port <= 65535:
        yield "screen", "port", f"{screen.port}: ports go from 1 to 65535"
    if not _is_host(screen.host):
        yield "screen", "host", f"{screen.host!r} is no address of this machine; 127.0.0.1 or 0.0.0.0, for instance"
    if not 0 <= record.ring_mb <= 100_000:
        yield "record", "ring_mb", f"{record.ring_mb} is not between 0 and 100000"
    if not 1 <= record.seconds <= 30:
        yield "record", "seconds", f"{record.seconds:g} is not between 1 and 30"
    if config.mqtt:
        yield from _mqtt_complaints(config.mqtt)


def _mqtt_complaints(mqtt: MqttSection) -> Iterator[tuple[str, str, str]]:
    if not mqtt.host.strip():
        yield "mqtt", "host", "is empty; name the broker"
    if not 1 <= mqtt.port <= 65535:
        yield "mqtt", "port", f"{mqtt.port}: ports go from 1 to 65535"
    for name, topic in (("topic", mqtt.topic), ("discovery", mqtt.discovery)):
        if any(c in topic for c in "+#\0") or topic.startswith("/") or topic.endswith("/"):
            yield "mqtt", name, f"{topic!r} is no topic: no + or #, no slash at either end"
    if not mqtt.topic:
        yield "mqtt", "topic", "is empty"
    if mqtt.password_file and not mqtt.username:
        yield "mqtt", "username", "is missing beside password_file"
    if mqtt.ca_file and not mqtt.tls:
        yield "mqtt", "tls", "is false although ca_file is given; set it to true"


def _is_host(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return bool(re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.\-]*[A-Za-z0-9])?", host))
    return True
