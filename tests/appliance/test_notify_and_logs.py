"""What systemd is told, and what its journal gets."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.logs import JournalLog, PlainLog, system_log
from device.notify import Manager


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        path = str(tmp_path / "s")
        s.bind(path)
        s.setblocking(False)
        yield s, path


def heard(s: socket.socket) -> list[bytes]:
    out = []
    while True:
        try:
            out.append(s.recv(65536))
        except BlockingIOError:
            return out


def test_ready_status_and_watchdog(listening: tuple[socket.socket, str]) -> None:
    s, path = listening
    manager = Manager({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "60000000"})
    manager.ready()
    manager.status("camera live")
    manager.status("camera live")
    for _ in range(100):
        manager.beat()
    manager.stopping()
    assert heard(s) == [b"READY=1", b"STATUS=camera live", b"WATCHDOG=1", b"STOPPING=1"]


def test_a_watchdog_of_another_process_is_not_fed(listening: tuple[socket.socket, str]) -> None:
    s, path = listening
    Manager({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": str(os.getpid() + 1)}).beat()
    Manager({"NOTIFY_SOCKET": path}).beat()
    assert heard(s) == []


def test_without_a_manager_nothing_happens(tmp_path: Path) -> None:
    for environment in ({}, {"NOTIFY_SOCKET": str(tmp_path / "gone")}, {"NOTIFY_SOCKET": "@nobody-listens"}):
        manager = Manager(environment)
        manager.ready()
        manager.beat()


def test_the_journal_gets_fields(listening: tuple[socket.socket, str]) -> None:
    s, path = listening
    JournalLog(path)("ruling", "Anna takes\nthe lamp", level="notice", rule="carpets.claim", game=3, player=None)
    (data,) = heard(s)
    length = len(b"Anna takes\nthe lamp").to_bytes(8, "little")
    assert data.startswith(b"MESSAGE\n" + length + b"Anna takes\nthe lamp\nPRIORITY=5\n")
    assert data.endswith(b"KIBITZ_EVENT=ruling\nKIBITZ_RULE=carpets.claim\nKIBITZ_GAME=3\n")


def test_without_a_journal_it_is_a_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    JournalLog(str(tmp_path / "none"))("camera_away", "the camera is away:\nno cable", level="warning")
    PlainLog()("started", "game 1")
    out, err = capsys.readouterr()
    assert (out, err) == ("game 1\n", "kibitz: the camera is away: no cable\n")
    assert isinstance(system_log({}), PlainLog)
    assert isinstance(system_log({"JOURNAL_STREAM": "8:1"}), JournalLog)
