"""Light, focus, scale and machine: what is told of them, and when nothing is."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from device import machine
from device.cameras import CameraGone, Live
from device.journal import NotNowError
from device.ring import Ring
from device.screen.app import STATIC
from device.screen.state import looking
from device.sight import light_warnings, measure_light, sharpness, table_warnings
from device.table import Table
from device.vitals import WARNINGS, Vitals, prometheus
from rules.history import Entry
from tests.device.fakes import GAME, SESSION, FakeObserver, FakeReferee, MemoryLog, deck, frame, scene
from tests.device.test_cameras import Scripted, nobody
from tests.screen.test_words import WORDS
from vision.frame import ArrayFrame, Frame, Image
from vision.scene import CameraState

Capture = pytest.CaptureFixture[str]


def card_table(grey: float = 110.0, noise: float = 1.5, blur: float = 0.7, seed: int = 1) -> list[Image]:
    """A dozen pictures of a table with cards of sharp edges."""
    rng = np.random.default_rng(seed)
    picture = np.full((360, 640), grey, np.float32)
    for n in range(8):
        x, y = 30 + n % 4 * 150, 30 + n // 4 * 160
        picture[y : y + 130, x : x + 85] = grey * 1.8
        picture[y + 20 : y + 60, x + 20 : x + 60] = grey * 0.5
    picture = cv2.GaussianBlur(picture, (0, 0), blur)
    return [np.clip(picture + rng.normal(0, noise, picture.shape), 0, 255).astype(np.uint8) for _ in range(12)]


def test_a_well_lit_table_is_nothing_to_speak_of() -> None:
    light = measure_light(card_table())
    assert light_warnings(light) == ()
    assert light.noise == pytest.approx(1.5, abs=0.6)  # a median of whole greys has steps of 1.05


def test_each_fault_of_the_light_is_called_by_its_name() -> None:
    pictures = card_table()
    assert light_warnings(measure_light(card_table(grey=25.0))) == ("dark",)
    assert "noisy" in light_warnings(measure_light(card_table(noise=9.0)))
    assert light_warnings(measure_light(card_table(blur=3.0))) == ("blurred",)
    lamp = [p.copy() for p in pictures]
    for p in lamp:
        p[200:260, 300:420] = 255
    assert light_warnings(measure_light(lamp)) == ("glare",)
    assert "bright" in light_warnings(measure_light(card_table(grey=200.0)))
    mains = [np.clip(p * (1 + 0.05 * np.sin(2.1 * n)), 0, 255).astype(np.uint8) for n, p in enumerate(pictures)]
    assert light_warnings(measure_light(mains)) == ("flicker",)


def test_an_empty_cloth_is_not_blurred() -> None:
    rng = np.random.default_rng(2)
    cloth = [np.clip(rng.normal(100, 2, (360, 640)), 0, 255).astype(np.uint8) for _ in range(12)]
    assert light_warnings(measure_light(cloth)) == ()
    assert sharpness(np.zeros((240, 320), np.uint8)) == 0.0


def test_a_camera_that_hangs_too_high_or_too_low() -> None:
    def seen(mm_per_px: float) -> tuple[str, ...]:
        w, h = 640 * mm_per_px, 360 * mm_per_px
        view = ((0.0, 0.0), (w, 0.0), (w, h), (0.0, h))
        camera = CameraState(solved=True, rms_px=0.2, mm_per_px=mm_per_px)
        return table_warnings(msgspec.structs.replace(scene(1.0), view_mm=view, camera=camera))

    assert seen(1.3) == ("coarse",)
    assert seen(0.8) == ()
    assert seen(0.4) == ("narrow",)
    assert table_warnings(None) == table_warnings(scene(1.0)) == ()


def test_the_machine_says_how_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "SYS", tmp_path)
    assert machine.warnings() == ()
    assert machine.throttled() is None
    zone = tmp_path / "class" / "thermal" / "thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "temp").write_text("84200\n")
    firmware = tmp_path / machine.THROTTLED
    firmware.parent.mkdir(parents=True)
    firmware.write_text("50005\n")
    assert machine.temperature_c() == 84.2
    assert machine.warnings() == ("undervoltage", "throttled", "hot")
    firmware.write_text("50000\n")  # it was so once; it is not now
    assert machine.warnings() == ("hot",)
    assert (machine.memory_bytes() or 0) > 1e6


def table() -> Table:
    return Table(SESSION, deck(), FakeObserver(), FakeReferee, MemoryLog())


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can")
def test_holes_in_the_memory_are_given_back() -> None:
    pieces = [bytes(100_000) for _ in range(600)]
    del pieces[::2], pieces[:-1]  # what is left at the end keeps the heap from shrinking by itself
    before = machine.memory_bytes() or 0
    machine.give_back()
    assert (machine.memory_bytes() or 0) < before - 30_000_000
    assert len(pieces) == 1


def test_what_impairs_the_game_reaches_the_screen_worst_first(tmp_path: Path) -> None:
    def dark() -> Iterator[Frame | None]:
        for n in range(40):
            yield ArrayFrame(n / 10, np.full((360, 640, 3), 12, np.uint8))
        yield None

    shown: list[tuple[str, ...]] = []
    one = table()
    one.subscribe(lambda event: shown.append(looking(one.state()).warnings))
    live = Live(lambda: Scripted(dark()))
    ring = Ring(tmp_path, limit_mb=10)
    vitals = Vitals(one, live=live, ring=ring, place=tmp_path)
    one._set_status(moving=False)
    vitals.ask()
    list(live.frames(nobody))
    ring.warning = "disk_full"
    vitals.look()
    assert vitals.warnings[:1] == ("disk_full",)
    assert "dark" in vitals.warnings
    assert shown[-1] == vitals.warnings
    report = vitals.report()
    assert report["state"] == "warn"
    assert report["camera"]["frames"] == 40
    text = prometheus(report)
    assert 'kibitz_warning{name="disk_full"} 1' in text
    assert 'kibitz_warning{name="hot"} 0' in text
    assert "kibitz_camera_frames_total 40" in text
    ring.warning = ""
    ring.close()


class FullLog(MemoryLog):
    """A log on a disk that is full for a while."""

    full = True

    def append(self, entry: Entry) -> int:
        if self.full:
            raise NotNowError("journal.sqlite: the journal cannot be written (disk is full); make room on the disk")
        return super().append(entry)


def test_what_cannot_be_stored_is_not_ruled_upon_and_counts_later(tmp_path: Path, capsys: Capture) -> None:
    log = FullLog()
    one = Table(SESSION, deck(), FakeObserver(*GAME), FakeReferee, log)
    vitals = Vitals(one, live=None, ring=None, place=tmp_path)
    for tenth in range(25):
        vitals.feed(frame(tenth / 10))
    assert one.status().warnings == ("unstored",)
    vitals.look()
    assert vitals.warnings[0] == "unstored"
    assert one.state().lines == () and one.state().view.players[0].score == 0
    assert capsys.readouterr().err.count("make room on the disk") == 1
    log.full = False
    for tenth in range(25, 45):
        vitals.feed(frame(tenth / 10))
    vitals.look()
    assert "unstored" not in vitals.warnings
    assert len(one.state().lines) == 2, "the two that were seen since"
    vitals.close()


def test_a_camera_that_is_away_is_a_failure(tmp_path: Path) -> None:
    def gone() -> Scripted:
        raise CameraGone("no cable")

    live = Live(gone, retry_s=0.0)
    vitals = Vitals(table(), live=live, ring=None, place=tmp_path)
    list(live.frames(nobody, live.stop))
    report = vitals.report()
    assert report["state"] == "fail"
    assert report["camera"]["why"] == "no cable"


def test_the_page_has_words_for_every_warning() -> None:
    for words in WORDS.values():
        assert {f"notice.warn.{name}" for name in WARNINGS} <= words.keys()
    assert "notice.warn." in (STATIC / "bar.js").read_text()
