"""The doctor: each check says ok, or what is wrong and the one thing to do."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from device import doctor_live, machine
from device.cameras import CameraGone, Wish
from device.checks import Check
from device.cli import run
from device.doctor_live import TOLD, ask_service, check_camera, check_machine, check_python_packages, checks_of_service
from device.screen.server import Serving, serve
from tests.appliance.test_getting_in import House
from tests.device.test_cameras import Scripted
from tests.device.videos import write_video
from vision.frame import ArrayFrame

Capture = pytest.CaptureFixture[str]


def states(checks: Iterator[Check]) -> dict[str, tuple[str, str]]:
    return {check.what: (check.state, check.found) for check in checks}


def never_none_to_do(checks: list[Check]) -> bool:
    return all(bool(check.do) == (check.state != "ok") for check in checks)


def test_as_json_for_other_programs(home: Path, capsys: Capture) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = run(["doctor", "--json", "--port", str(port), "--camera", "usb:77"])
    told = json.loads(capsys.readouterr().out)
    assert told["state"] in ("ok", "warn")
    assert code == 0
    by_name = {check["what"]: check for check in told["checks"]}
    assert by_name["onnxruntime runs"]["state"] == "ok"
    assert by_name["camera"]["state"] == "warn"
    assert "no USB camera 77" in by_name["camera"]["found"]
    assert by_name[f"port {port}"]["state"] == "ok"
    assert by_name["clock"]["state"] == "ok"


def test_packages_that_do_not_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(*names: str) -> None:
        monkeypatch.setattr(
            doctor_live, "distributions", lambda: [SimpleNamespace(metadata={"Name": name}) for name in names]
        )

    monkeypatch.setattr(doctor_live, "_onnx", lambda: Check("onnxruntime runs", "ok", "yes"))
    monkeypatch.setattr(doctor_live, "find_spec", lambda name: object())
    monkeypatch.setattr(doctor_live.subprocess, "run", lambda *a, **k: subprocess.CompletedProcess(
        a, 1, "", "Traceback\nValueError: numpy.dtype size changed"))  # fmt: skip
    installed("opencv-python", "opencv-python-headless", "numpy")
    found = list(check_python_packages())
    assert [c.state for c in found] == ["fail", "ok", "fail"]
    assert "overwrite each other" in found[0].found
    assert "numpy.dtype size changed" in found[2].found
    assert "simplejpeg" in found[2].do
    installed("opencv-python")
    assert "Qt" in next(iter(check_python_packages())).found
    assert never_none_to_do(found)


@pytest.mark.parametrize(
    ("bits", "celsius", "power", "heat"),
    [("0", "45000", "ok", "ok"), ("50005", "84000", "fail", "warn"), ("50000", "45000", "warn", "ok"),
     ("4", "81000", "warn", "warn")],
)  # fmt: skip
def test_a_raspberry_pi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bits: str, celsius: str, power: str, heat: str
) -> None:
    monkeypatch.setattr(machine, "SYS", tmp_path)
    zone = tmp_path / "class" / "thermal" / "thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "temp").write_text(celsius)
    firmware = tmp_path / machine.THROTTLED
    firmware.parent.mkdir(parents=True)
    firmware.write_text(bits)
    checks = list(check_machine())
    found = states(iter(checks))
    assert (found["power"][0], found["temperature"][0]) == (power, heat)
    assert never_none_to_do(checks)


def test_a_camera_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_live, "LOOK_S", 0.6)
    checks = list(check_camera(str(write_video(tmp_path / "clip.mp4", 30)), Wish()))
    found = states(iter(checks))
    assert found["camera"] == ("ok", f"{tmp_path}/clip.mp4: 640x360")
    assert found["frame rate"][0] == "ok"
    assert found["light and view"][0] == "ok"


def test_a_camera_that_fails_is_told_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def opens(*script: object) -> None:
        monkeypatch.setattr(doctor_live, "opener", lambda *a: lambda: Scripted(iter(script)))  # type: ignore[arg-type]

    opens(CameraGone("another program has it"))
    assert states(check_camera("usb", Wish()))["camera"] == ("warn", "another program has it")
    opens(ZeroDivisionError("a driver's"))
    assert states(check_camera("usb", Wish()))["camera"] == ("warn", "usb: a driver's")
    opens(ArrayFrame(0.0, np.zeros((360, 640, 3), np.uint8)), None)
    assert states(check_camera("usb", Wish()))["camera"][0] == "fail"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Serving]:
    house = House(tmp_path)
    with serve(house.app, port=0) as serving:
        yield serving


def test_the_service_that_runs_is_asked(running: Serving) -> None:
    report = ask_service(running.port)
    assert report is not None
    found = states(checks_of_service(report, running.port))
    assert found[f"port {running.port}"][0] == "ok"
    assert found["camera"][0] == "warn"


def test_another_program_at_the_port_is_no_service() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        assert ask_service(other.getsockname()[1]) is None


def test_what_the_service_tells_becomes_something_to_do() -> None:
    report = {
        "version": "1", "warnings": ["disk_low", "dark", "coarse"],
        "camera": {"word": "live", "why": "", "rate": 2.0, "frames": 500},
        "light": {"median": 20.0, "noise": 3.0, "sharpness": 0.5}, "view": {"mm_per_px": 1.2},
    }  # fmt: skip
    checks = list(checks_of_service(report, 8765))
    assert [c.what for c in checks if c.state == "warn"] == ["frame rate", "light and view", "light and view"]
    assert never_none_to_do(checks)
    away = {**report, "camera": {"word": "away", "why": "no cable", "rate": 0.0, "frames": 0}}
    assert states(checks_of_service(away, 8765))["camera"] == ("fail", "away: no cable")


def test_every_trouble_has_something_to_do() -> None:
    assert all(what and do.endswith(".") for what, do in TOLD.values())
