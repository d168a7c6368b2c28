"""Footage: frames as they were recorded, and one clear line for everything that cannot be replayed."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from device.errors import UserError
from device.footage import open_footage
from tests.device.videos import pictures, size_changes, sound_only, truncated, turn_clockwise, write_video
from vision.frame import Image


def read(path: Path) -> list[tuple[float, Image, Image]]:
    with open_footage(path) as footage:
        return [(f.t, f.luma.copy(), f.bgr()) for f in footage]


def test_every_frame_comes_once_with_its_time(tmp_path: Path) -> None:
    path = write_video(tmp_path / "clip.mp4", 12)
    with open_footage(path) as footage:
        times = [f.t for f in footage]
    assert times == pytest.approx([n / 10 for n in range(12)])
    assert (footage.frames, footage.expected_frames, footage.cut_off()) == (12, 12, None)
    assert footage.duration == pytest.approx(1.2)
    assert footage.expected_duration == pytest.approx(1.2)


def test_uneven_times_are_kept_and_start_at_zero(tmp_path: Path) -> None:
    uneven = [500, 533, 640, 641, 900, 1500]
    path = write_video(tmp_path / "clip.mkv", 6, times=uneven, options={"preset": "ultrafast", "bf": "0"})
    assert [t for t, _, _ in read(path)] == pytest.approx([(n - 500) / 1000 for n in uneven])


def test_colour_and_luma_are_those_that_were_recorded(tmp_path: Path) -> None:
    path = write_video(tmp_path / "clip.mp4", 3)
    for (_, luma, bgr), recorded in zip(read(path), pictures(3, 640, 360), strict=True):
        assert luma.shape == (360, 640)
        assert bgr.shape == (360, 640, 3)
        assert luma.dtype == bgr.dtype == np.uint8
        assert np.abs(bgr[50:120, 50:250].astype(int) - recorded[50:120, 50:250]).max() <= 4
        # Limited range: 60 of 255 is coded as 16 + 60 * 219 / 255.
        assert np.abs(luma[50:120, 400:600].astype(float) - (16 + 60 * 219 / 255)).max() <= 2


def test_full_range_is_not_stretched(tmp_path: Path) -> None:
    path = tmp_path / "clip.mkv"
    write_video(path, 2, codec="mjpeg", pix_fmt="yuvj420p", options={"qscale": "2"})
    _, luma, bgr = read(path)[0]
    assert abs(float(luma[50:120, 400:600].mean()) - 60) <= 2
    assert abs(float(bgr[50:120, 400:600].mean()) - 60) <= 2


def test_the_luma_is_the_decoders_own_plane(tmp_path: Path) -> None:
    path = write_video(tmp_path / "clip.mp4", 2)
    with open_footage(path) as footage:
        luma = next(iter(footage)).luma
    assert not luma.flags.owndata


def test_a_width_that_the_decoder_pads(tmp_path: Path) -> None:
    path = write_video(tmp_path / "clip.mp4", 2, width=650, height=366)
    _, luma, bgr = read(path)[0]
    assert luma.shape == (366, 650)
    grey = bgr[200:260, 640:650].mean()
    assert abs(float(luma[200:260, 640:650].mean()) - (16 + grey * 219 / 255)) <= 2


def test_portrait(tmp_path: Path) -> None:
    _, luma, bgr = read(write_video(tmp_path / "clip.mp4", 2, width=360, height=640))[0]
    assert luma.shape == (640, 360)
    assert bgr.shape == (640, 360, 3)


def test_a_noted_rotation_is_applied(tmp_path: Path) -> None:
    path = turn_clockwise(write_video(tmp_path / "clip.mp4", 2))
    _, luma, bgr = read(path)[0]
    assert luma.shape == (640, 360)
    assert bgr.shape == (640, 360, 3)
    # The bright quarter was at the top left; a quarter turn clockwise brings it to the top right.
    bright = float(luma[100, 300])
    assert bright > float(luma[100, 60]) + 30
    assert bright > float(luma[500, 300]) + 30
    assert np.abs(bgr[100, 300].astype(int) - (40, 160, 220)).max() <= 4
    assert luma.flags.c_contiguous


@pytest.mark.parametrize("pix_fmt", ["yuv420p10le", "yuv422p10le"])
def test_ten_bits_become_eight(tmp_path: Path, pix_fmt: str) -> None:
    path = write_video(tmp_path / "clip.mp4", 2, pix_fmt=pix_fmt, options={"preset": "ultrafast", "crf": "6"})
    _, luma, bgr = read(path)[0]
    assert luma.dtype == np.uint8
    assert abs(float(luma[50:120, 400:600].mean()) - (16 + 60 * 219 / 255)) <= 2
    assert np.abs(bgr[50:120, 50:250].astype(int) - (40, 160, 220)).max() <= 6


def test_a_cut_off_file_is_played_as_far_as_it_goes(tmp_path: Path) -> None:
    path = truncated(tmp_path / "clip.mp4")
    with open_footage(path) as footage:
        count = len(list(footage))
    assert 5 < count < 40
    said = footage.cut_off()
    assert said is not None
    assert f"{path}: ends early, after frame {count} of 40" in said
    assert "\n" not in said


def nothing(path: Path) -> Path:
    return path


def empty(path: Path) -> Path:
    path.write_bytes(b"")
    return path


def text(path: Path) -> Path:
    path.write_text("This is not a video, it is a letter.\n" * 200)
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def one_frame(path: Path) -> Path:
    return write_video(path, 1)


def tiny(path: Path) -> Path:
    return write_video(path, 12, 64, 48)


def no_index(path: Path) -> Path:
    whole = write_video(path, 40).read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    return path


def header_only(path: Path) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 640, 360, "yuv420p"
        container.start_encoding()
    return path


def unknown_coding(path: Path) -> Path:
    """As a camera of some maker writes: a coding that ffmpeg has never heard of."""
    path.write_bytes(write_video(path, 10).read_bytes().replace(b"avc1", b"zzz9"))
    return path


BAD = [
    (nothing, "clip.mp4", "no such video; give a folder with clip.mp4 and session.toml"),
    (empty, "clip.mp4", "is empty (0 bytes)"),
    (text, "clip.mp4", "is not a video"),
    (folder, "clip.mp4", "is a folder, not a video"),
    (one_frame, "clip.mp4", "has only one frame"),
    (tiny, "clip.mp4", "64x48 pixels is too small"),
    (size_changes, "clip.h264", "changes from 640x360 to 480x360 pixels at 0.8 s"),
    (sound_only, "clip.mp4", "there is no video in it"),
    (unknown_coding, "clip.mp4", "coded in a way that cannot be read"),
    (no_index, "clip.mp4", "cut off before it was finished"),
    (header_only, "clip.mp4", "there is no video in it"),
]


@pytest.mark.parametrize(("make", "name", "says"), BAD, ids=[make.__name__ for make, _, _ in BAD])
def test_what_cannot_be_replayed_is_said_in_one_line(
    tmp_path: Path, make: object, name: str, says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = make(tmp_path / name)  # type: ignore[operator]
    capfd.readouterr()
    with pytest.raises(UserError) as caught:
        read(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")  # the decoder says nothing of its own
