"""The units, the scripts and the example config that `make install` puts in place."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

from device.config import load_config
from device.session_file import load_session

SYSTEMD = Path(__file__).parents[2] / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
HARDENING = 20
"""`systemd-analyze security` in tenths: 2.0, of 10 for a service that may do everything."""


def unit(name: str) -> configparser.ConfigParser:
    read = configparser.ConfigParser(interpolation=None, strict=False)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(SYSTEMD / name)
    return read


def test_the_examples_are_good() -> None:
    config = load_config(SYSTEMD / "kibitz.toml")
    assert config.screen.host == "127.0.0.1"
    assert len(load_session(SYSTEMD / config.table.session).player) == 3


@pytest.mark.parametrize("script", ["install", "uninstall", "kiosk", "kibitz"])
def test_scripts_are_sound_shell(script: str) -> None:
    path = SYSTEMD / script
    assert path.stat().st_mode & 0o111
    assert subprocess.run(["sh", "-n", path], check=False).returncode == 0


def test_the_service_is_watched_and_starts_again() -> None:
    service = unit("kibitz.service")["Service"]
    assert service["Type"] == "notify"
    assert int(service["WatchdogSec"]) <= 60
    assert service["Restart"] == "always"
    assert service["RestartPreventExitStatus"] == "2", "a mistake in the config is told once"
    assert service["User"] == "kibitz"
    assert "serve --config /etc/kibitz/kibitz.toml" in service["ExecStart"]


def test_memory_is_held_back_in_one_place() -> None:
    """`device.machine.hold_little` does it for every command that plays live; the unit need not."""
    assert "MALLOC" not in unit("kibitz.service")["Service"]["Environment"]
    assert "MALLOC" not in (SYSTEMD / "kibitz.service").read_text()


def test_the_kiosk_can_make_its_display() -> None:
    """cage makes its socket in /run/user, which ProtectHome= hides and ProtectSystem=strict makes read-only."""
    screen = unit("kibitz-screen.service")["Service"]
    assert "ProtectHome" not in screen
    assert screen["ReadWritePaths"] == "/run/user"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("path", UNITS, ids=lambda p: p.name)
def test_units_are_verified_without_a_word(path: Path, tmp_path: Path) -> None:
    there = tmp_path / path.name  # its programs are not installed here: any other will do
    text = path.read_text().replace("/opt/kibitz/venv/bin/kibitz", "/bin/true").replace("/usr/bin/cage", "/bin/true")
    there.write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(there)], capture_output=True, text=True, check=False
    )
    # A misspelt key alone still exits 0, so any word is one too many.
    said = [line for line in (done.stdout + done.stderr).splitlines() if there.name in line]
    assert said == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_the_service_is_hardened() -> None:
    command = ["systemd-analyze", "security", "--offline=yes", f"--threshold={HARDENING}", SYSTEMD / "kibitz.service"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-400:]
