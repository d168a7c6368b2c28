"""Runs inside the booted Debian, as root, with its own Python: tries the installed service. Plain lines on stdout."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import struct
import subprocess
import time
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

CONFIG = Path("/etc/kibitz/kibitz.toml")
JOURNAL = Path("/var/lib/kibitz/journal.sqlite")
DROP_IN = Path("/etc/systemd/system/kibitz.service.d/test.conf")
SCREEN_DROP_IN = Path("/etc/systemd/system/kibitz-screen.service.d/test.conf")
HEADLESS = """[Unit]
ConditionPathExistsGlob=
[Service]
Environment=WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1
TTYPath=
TTYReset=no
TTYVHangup=no
TTYVTDisallocate=no
StandardInput=null
UtmpIdentifier=
"""
"""No display, no console: all else is as on a Pi."""
DEMO = "/opt/kibitz/src/models/demo/carpets"
URL = "http://127.0.0.1:8765"
KILLS = 5
RATE = 24
REPLAYED = Path("/srv/replayed")
SESSION = CONFIG.with_name("session.toml")


def sh(*command: str, check: bool = True) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.returncode}: {done.stdout[-400:]} {done.stderr[-400:]}")
    return done.stdout.strip()


def get(path: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(URL + path, timeout=5) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as e:
        return e.code, json.loads(e.read())
    except OSError:
        return 0, {}


def until(what: str, true: Callable[[], Any], seconds: float = 120) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := true():
            return found
        time.sleep(0.3)
    raise AssertionError(
        f"{what}: not within {seconds:g} s; {sh('systemctl', 'status', 'kibitz', '-n', '15', check=False)}"
    )


def configure(source: str, **environment: str) -> None:
    CONFIG.write_text(f'[table]\nname = "Test"\n[camera]\nsource = "{source}"\n')
    DROP_IN.parent.mkdir(exist_ok=True)
    told = "".join(f"Environment={name}={value}\n" for name, value in environment.items())
    DROP_IN.write_text("[Unit]\nStartLimitBurst=100\n[Service]\nWatchdogSec=15\nRestartSec=1\n" + told)
    sh("systemctl", "daemon-reload")
    sh("systemctl", "restart", "kibitz")


def pid() -> int:
    return int(sh("systemctl", "show", "kibitz", "-p", "MainPID", "--value"))


def active() -> bool:
    return sh("systemctl", "is-active", "kibitz", check=False) == "active"


def entries() -> dict[int, list[str]]:
    """Bodies of the entries of every game."""
    if not JOURNAL.exists():
        return {}
    db = sqlite3.connect(f"file:{JOURNAL}?mode=ro", uri=True, timeout=10)
    try:
        out: dict[int, list[str]] = {}
        for session, body in db.execute("SELECT session, body FROM entry ORDER BY session, number"):
            out.setdefault(session, []).append(body)
        return out
    finally:
        db.close()


def came_back(old: int, seconds: float = 120) -> None:
    until("a new process", lambda: pid() not in (0, old) and active() and get("/health")[0], seconds)


# ---- what is tried ---------------------------------------------------------------------------------------------------


def starts_with_the_system() -> str:
    until("the service", active)
    code, health = until("an answer", lambda: get("/health") if get("/health")[0] else None)
    assert code == 503 and health["camera"]["word"] in ("away", "opening"), health
    return (
        f"without a camera it says so: {health['camera']['why']!r}; systemd {sh('systemctl', '--version').split()[1]}"
    )


def is_hardened() -> str:
    said = sh("systemd-analyze", "security", "kibitz", "--no-pager", check=False).splitlines()[-1]
    assert (
        float(said.split()[-3].rstrip(":") if said.split()[-3][0].isdigit() else said.split(": ")[1].split()[0]) <= 2.0
    ), said
    status = Path(f"/proc/{pid()}/status").read_text()
    assert "NoNewPrivs:\t1" in status and "CapEff:\t0000000000000000" in status and "Seccomp:\t2" in status
    uid = next(line.split()[1] for line in status.splitlines() if line.startswith("Uid"))
    assert uid != "0"
    return said.lstrip("→ ")


def plays_footage() -> str:
    configure(f"{DEMO}/clip.mp4")
    until("entries", lambda: sum(map(len, entries().values())) >= 4)
    code, health = get("/health")
    assert code == 200 and health["camera"]["word"] == "live", health
    memory = health["machine"]["memory_bytes"] / 1e6
    return f"{health['camera']['rate']} frames a second, {memory:.0f} MB"


def is_killed_and_resumes() -> str:
    for n in range(KILLS):
        before, old = entries(), pid()
        os.kill(old, signal.SIGKILL)
        came_back(old)
        after = entries()
        assert after.keys() == before.keys(), "the same game goes on"
        for game, bodies in before.items():
            assert after[game][: len(bodies)] == bodies, "nothing acknowledged is lost"
        count = len(after[max(after)])
        until("it goes on", lambda count=count: len(entries()[max(entries())]) > count, 60)
        del n
    return f"{KILLS} times kill -9, every time the same game: {sum(map(len, entries().values()))} entries"


def hangs_and_is_restarted() -> str:
    before, old = entries(), pid()
    os.kill(old, signal.SIGSTOP)
    start = time.monotonic()
    came_back(old)
    assert entries().keys() == before.keys()
    log = sh("journalctl", "-u", "kibitz", "--no-pager", "-n", "60", "-o", "cat")
    assert "Watchdog timeout" in log or "watchdog" in log, log
    return f"stopped (SIGSTOP): the watchdog had it started anew after {time.monotonic() - start:.0f} s"


def writes_structured_logs() -> str:
    lines = sh("journalctl", "-u", "kibitz", "KIBITZ_EVENT=started", "-o", "json", "--no-pager").splitlines()
    told = json.loads(lines[-1])
    assert told["KIBITZ_GAME"] and told["SYSLOG_IDENTIFIER"] == "kibitz"
    return f"{len(lines)} starts in the journal with fields"


def says_what_is_wrong_with_its_config() -> str:
    good = CONFIG.read_text()
    CONFIG.write_text(good + "\n[screen]\nport = 123456\n")
    sh("systemctl", "restart", "kibitz", check=False)
    until("it has failed", lambda: sh("systemctl", "is-failed", "kibitz", check=False) == "failed", 60)
    restarts = sh("systemctl", "show", "kibitz", "-p", "NRestarts", "--value")
    said = sh("journalctl", "-u", "kibitz", "--no-pager", "-n", "20", "-o", "cat")
    line = next(text for text in said.splitlines() if "kibitz.toml, line" in text)
    assert restarts == "0", "it is not tried again and again"
    CONFIG.write_text(good)
    sh("systemctl", "restart", "kibitz")
    until("it runs again", active)
    return line


def plays_from_picamera2() -> str:
    sh("systemctl", "stop", "kibitz")
    before = set(entries())
    SESSION.write_text(
        (REPLAYED / "session.toml").read_text().replace('"Anna"', '"Zoe"')
    )  # another session: a new game
    configure("pi", KIBITZ_VIRTUAL_CAMERA=str(RATE), PYTHONPATH="/srv/pi", LIBCAMERA_LOG_LEVELS="*:FATAL")
    until("pictures", lambda: get("/health")[0] == 200, 300)
    pictures = len(list(Path("/srv/frames").glob("*.jpg")))
    until("the film is over", lambda: get("/health")[1].get("camera", {}).get("frames", 0) >= 4 * pictures, 400)
    time.sleep(2)
    health = get("/health")[1]
    (game,) = set(entries()) - before
    sh("systemctl", "stop", "kibitz")
    live = [text.replace("Zoe", "Anna") for text in rulings(game)]
    home = "/var/lib/kibitz/replayed"
    kibitz = ("env", f"KIBITZ_HOME={home}", "/opt/kibitz/venv/bin/kibitz", "replay", str(REPLAYED))
    sh("runuser", "-u", "kibitz", "--", *kibitz)
    replayed = rulings(1, Path(home) / "journal.sqlite")
    assert len(replayed) >= 4 and live[: len(replayed)] == replayed, f"live {live}; replayed {replayed}"
    camera = health["camera"]
    return (
        f"{len(replayed)} rulings through libcamera and picamera2, word for word those of kibitz replay of the same"
        f" pictures; {camera['frames']} frames, {camera['skipped']} skipped, view {health.get('view')}"
    )


def shows_the_screen_on_a_display() -> str:
    """The kiosk as its unit starts it, on a display that is only a picture in memory, and that picture."""
    configure(f"{DEMO}/clip.mp4")
    SCREEN_DROP_IN.parent.mkdir(exist_ok=True)
    SCREEN_DROP_IN.write_text(HEADLESS)
    sh("systemctl", "daemon-reload")
    sh("systemctl", "start", "kibitz-screen")
    user = sh("id", "-u", "kibitz-screen")
    bus = Path(f"/run/user/{user}")
    until("a display", lambda: next(bus.glob("wayland-?"), None), 60)
    display = next(bus.glob("wayland-?")).name
    until("the page is connected", lambda: connected(8765), 90)
    until("cards on the table", lambda: "won" in json.dumps(get("/state")[1].get("players")), 120)
    picture = Path("/srv/pi/kiosk.png")
    as_user = ("runuser", "-u", "kibitz-screen", "--", "env", f"XDG_RUNTIME_DIR={bus}", f"WAYLAND_DISPLAY={display}")
    picture.write_bytes(subprocess.run([*as_user, "grim", "-"], capture_output=True, check=True).stdout)
    old = int(sh("systemctl", "show", "kibitz-screen", "-p", "MainPID", "--value"))
    os.kill(old, signal.SIGKILL)
    until(
        "another browser",
        lambda: sh("systemctl", "show", "kibitz-screen", "-p", "MainPID", "--value") not in ("0", str(old)), 60,
    )  # fmt: skip
    until("the page is connected again", lambda: connected(8765), 90)
    sh("systemctl", "stop", "kibitz-screen")
    size = struct.unpack(">II", picture.read_bytes()[16:24])
    assert picture.stat().st_size > 100_000, "the picture is all but empty"
    return f"cage and chromium, {size[0]}x{size[1]}; killed with -9 it comes back"


def connected(port: int) -> bool:
    """Whether a page holds a connection to the screen."""
    wanted = f":{port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    browsers = sh("pgrep", "-u", "kibitz-screen", "chromium", check=False)
    return bool(browsers) and any(row[2].endswith(wanted) and row[3] == "01" for row in rows)


def rulings(game: int, journal: Path = JOURNAL) -> list[str]:
    """What was ruled, in words, without what only the players' answers or the time make different."""
    text = sh("env", f"KIBITZ_HOME={journal.parent}", "/opt/kibitz/venv/bin/kibitz", "games", "show", str(game))
    out = []
    for line in text.splitlines():
        words = line.split(None, 2)
        if len(words) == 3 and words[0].isdecimal() and words[2] != "seen" and not words[2].startswith((">", "?")):
            out.append(words[2])
    return out


def main() -> None:
    failed = passed = 0
    for test in (
        starts_with_the_system, is_hardened, plays_footage, is_killed_and_resumes, hangs_and_is_restarted,
        writes_structured_logs, says_what_is_wrong_with_its_config, shows_the_screen_on_a_display,
        plays_from_picamera2,
    ):  # fmt: skip
        name = test.__name__.replace("_", " ")
        try:
            print(f"ok    {name}: {test()}", flush=True)
            passed += 1
        except Exception as e:
            print(f"FAIL  {name}: {type(e).__name__}: {str(e)[:3000]}", flush=True)
            traceback.print_exc()
            failed += 1
    print(f"{passed} passed, {failed} failed", flush=True)


main()
