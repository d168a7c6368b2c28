"""The last minutes: bounded, cut out without loss, and never in the way of the game."""

from __future__ import annotations

import errno
import gc
import threading
import weakref
from pathlib import Path

import av.error
import numpy as np
import pytest

from device.evidence import Stills
from device.footage import open_footage
from device.ring import MOST_WAITING, Ring, _Writer
from tests.device.fakes import frame
from tests.device.videos import write_video
from vision.frame import ArrayFrame, Frame

RNG = np.random.default_rng(1)
NOISE = RNG.integers(0, 255, (360, 640, 3), np.uint8)


def noisy(t: float) -> ArrayFrame:
    """Hard to compress: 100 kB and more."""
    return ArrayFrame(t, np.roll(NOISE, int(t * 70), axis=1))


def numbered(t: float) -> ArrayFrame:
    """Its grey says its time."""
    return ArrayFrame(t, np.full((360, 640, 3), round(t * 20), np.uint8))


def fill(ring: Ring, frames: list[ArrayFrame]) -> None:
    for one in frames:
        ring.offer(one)
        ring.wait()


def test_the_oldest_is_given_up_first(tmp_path: Path) -> None:
    ring = Ring(tmp_path, limit_mb=3.0, part_s=1.0)
    fill(ring, [noisy(n / 5) for n in range(60)])
    ring.close()
    parts = ring.parts()
    assert ring.size() <= 3.0e6
    assert len(parts) >= 2
    assert parts[-1].start == pytest.approx(11.0)
    assert [p.start for p in parts] == sorted(p.start for p in parts)


def test_seconds_are_cut_out_of_several_parts(tmp_path: Path) -> None:
    ring = Ring(tmp_path / "ring", limit_mb=50, part_s=2.0)
    fill(ring, [numbered(n / 10) for n in range(100)])
    found = ring.clip(2.5, 6.5, tmp_path / "clip.mp4")
    assert found is not None
    assert 1.5 <= found[0] <= 2.5  # begins with a whole picture
    assert found[1] == pytest.approx(6.5)
    with open_footage(tmp_path / "clip.mp4") as footage:
        seen = [(f.t + found[0], float(f.bgr().mean())) for f in footage]
    assert [t for t, _ in seen] == pytest.approx([found[0] + n / 10 for n in range(len(seen))], abs=0.002)
    assert all(abs(grey / 20 - t) < 0.2 for t, grey in seen), "every picture is at its time"
    ring.close()


@pytest.mark.parametrize("pix_fmt", ["yuv420p", "yuvj420p", "yuv444p"])
def test_colours_are_kept_whether_planes_are_taken_over_or_made(tmp_path: Path, pix_fmt: str) -> None:
    """Video of limited range hands its planes over as they are; other video is converted."""
    with open_footage(write_video(tmp_path / "source.mp4", 8, pix_fmt=pix_fmt)) as footage:
        shown = list(footage)
    assert (shown[0].i420() is not None) == (pix_fmt == "yuv420p")
    ring = Ring(tmp_path / "ring", limit_mb=50)
    for one in shown:
        ring.offer(one)
        ring.wait()
    ring.close()
    with open_footage(ring.parts()[0].path) as footage:
        kept = list(footage)
    assert len(kept) == len(shown)
    for before, after in zip(shown, kept, strict=True):
        assert abs(before.bgr().astype(float) - after.bgr()).mean() < 2.0


def test_there_is_one_encoder_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each holds 15 MB: the next part's must not be made while the last one's is still held."""
    alive: weakref.WeakSet[_Writer] = weakref.WeakSet()
    most = [0]

    class Counted(_Writer):
        def __init__(self, path: Path, first: Frame) -> None:
            gc.collect()
            most[0] = max(most[0], len(alive))
            super().__init__(path, first)
            alive.add(self)

    monkeypatch.setattr("device.ring._Writer", Counted)
    ring = Ring(tmp_path, limit_mb=50, part_s=0.5)
    fill(ring, [numbered(n / 10) for n in range(20)])
    ring.close()
    assert len(ring.parts()) == 4
    assert most == [0]


def test_the_part_that_is_being_written_can_be_seen(tmp_path: Path) -> None:
    ring = Ring(tmp_path / "ring", limit_mb=50, part_s=60.0)
    fill(ring, [numbered(n / 10) for n in range(45)])
    found = ring.clip(1.0, 3.0, tmp_path / "clip.mp4")
    assert found is not None
    assert found[1] == pytest.approx(3.0, abs=1.0)
    assert ring.clip(50.0, 60.0, tmp_path / "none.mp4") is None or not (tmp_path / "none.mp4").exists()
    ring.close()


def test_what_was_kept_before_a_power_cut_is_no_part_of_the_next_sitting(tmp_path: Path) -> None:
    ring = Ring(tmp_path, limit_mb=50)
    fill(ring, [numbered(1.0)])
    ring.close()
    assert len(ring.parts()) == 1
    again = Ring(tmp_path, limit_mb=50)
    assert again.parts() == []
    again.close()


def test_a_full_disk_costs_recordings_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring(tmp_path, limit_mb=50, part_s=0.5)
    fill(ring, [numbered(n / 10) for n in range(20)])
    before = len(ring.parts())

    class Full:
        def __init__(self, *of: object) -> None:
            raise av.error.OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("device.ring._Writer", Full)
        fill(ring, [numbered(2.0), numbered(2.5)])
        assert ring.warning == "disk_full"
        assert len(ring.parts()) < before, "the oldest make room"
    monkeypatch.setattr(ring, "_not_before", 0.0)  # the time until the next try is over
    fill(ring, [numbered(5.0)])
    assert ring.warning == ""
    ring.close()


def test_what_is_left_of_the_disk_is_for_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring(tmp_path, limit_mb=50, part_s=0.5)
    fill(ring, [numbered(n / 10) for n in range(20)])
    monkeypatch.setattr("device.ring.LEAVES_MB", 1e9)
    fill(ring, [numbered(2.5)])
    assert ring.warning == "disk_full"
    assert ring.parts() == []
    stills = Stills(tmp_path / "evidence")
    monkeypatch.setattr("device.evidence.LEAVES_MB", 1e9)
    stills.keep(1, numbered(1.0).bgr())
    assert stills.find(1) is None
    ring.close()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ring = Ring(tmp_path / "file" / "ring", limit_mb=50)
    ring.offer(frame(1.0))
    ring.wait()
    assert ring.warning == "disk_fails"
    assert ring.clip(0, 2, tmp_path / "clip.mp4") is None
    ring.close()


def test_offering_never_waits_and_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    monkeypatch.setattr(Ring, "_write", lambda self, frame: go.wait())
    ring = Ring(tmp_path, limit_mb=50)
    for n in range(100):
        ring.offer(frame(float(n)))
    assert len(ring._waiting) <= MOST_WAITING
    assert ring.left_out >= 90
    go.set()
    ring.close()
