"""The lens from the calibration sheet: known cameras draw pictures of it, and are found again from those."""

from __future__ import annotations

import tomllib
from pathlib import Path

import cv2
import numpy as np
import pytest

from device import calibrating
from device.calibrate_text import LOW_COVERAGE, WORDS, verdict
from device.cli import run
from device.errors import UserError
from device.lens_file import read_lens, write_lens
from device.sitting import find_demo
from vision import charuco
from vision.camera import Camera, Lens
from vision.charuco import COLUMNS, ROWS, SQUARE_MM, corner_bias, find_board, make_board
from vision.lens import LensFit

SIZE = (960, 540)
F, K1, K2, AXIS = 640.0, -0.22, 0.04, (9.0, -6.0)
LEANS = ((0, 0), (25, 10), (-28, 5), (5, 30), (-10, -26), (18, -18), (-20, 20))
PLACES = ((0, 0), (-190, -70), (190, 70), (190, -90), (-190, 90), (-90, 20), (100, -20))


def picture(
    lean: tuple[float, float], place: tuple[float, float], camera_px: float = F, turn: float = 0.4
) -> np.ndarray:
    """The sheet, (h, w) uint8, seen 520 mm away by a camera with a known lens."""
    w, h = SIZE
    tilt = np.radians(lean)
    camera = Camera(camera_px, K1, K2, float(tilt[0]), float(tilt[1]), 520.0, w, h, *AXIS)
    x, y = np.meshgrid(np.arange(w, dtype=float), np.arange(h, dtype=float))
    table = camera.unproject(np.column_stack([x.ravel(), y.ravel()])) - place
    c, s = np.cos(turn), np.sin(turn)
    board = table @ np.array([[c, -s], [s, c]]) + np.array([COLUMNS, ROWS]) * SQUARE_MM / 2
    scale = 6
    flat = make_board().generateImage((round(COLUMNS * SQUARE_MM * scale), round(ROWS * SQUARE_MM * scale)))
    soft = cv2.GaussianBlur(np.asarray(flat, np.uint8), (0, 0), 0.35 * scale)
    at = (board * scale - 0.5).astype(np.float32).reshape(h, w, 2)
    out = cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=150)
    noise = np.random.default_rng(1).normal(0, 1.5, out.shape)
    return np.clip(out * 0.8 + 20 + noise, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sheets")
    for n, (lean, place) in enumerate(zip(LEANS, PLACES, strict=True)):
        cv2.imwrite(str(folder / f"{n}.png"), picture(lean, place))
    return folder


def test_the_installed_opencv_places_corners_where_they_are() -> None:
    assert np.abs(corner_bias()).max() < 0.03


def test_a_half_pixel_of_bias_is_found_said_and_taken_out(
    photographs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As OpenCV 4.10 to 4.13 have it: 4.12 was measured to be off by (0.497, 0.498) px."""
    detector = cv2.aruco.CharucoDetector

    class Off:
        def __init__(self, board: cv2.aruco.CharucoBoard) -> None:
            self._own = detector(board)

        def detectBoard(self, image: np.ndarray) -> tuple:  # noqa: N802
            corners, *rest = self._own.detectBoard(image)
            return (None if corners is None else corners + np.float32(0.5), *rest)

    assert run(["calibrate", str(photographs), "--out", str(tmp_path / "own.toml")]) == 0
    own = read_lens(tmp_path / "own.toml")
    monkeypatch.setattr(charuco.cv2.aruco, "CharucoDetector", Off)
    assert corner_bias() == pytest.approx([0.5, 0.5], abs=0.03)
    assert run(["calibrate", str(photographs), "--out", str(tmp_path / "lens.toml")]) == 0
    assert "(+0.50, +0.50) px off; that is taken out" in capsys.readouterr().out
    lens = read_lens(tmp_path / "lens.toml")
    assert (lens.axis_x, lens.axis_y, lens.f) == pytest.approx((own.axis_x, own.axis_y, own.f), abs=0.05)


def test_the_lens_is_found_again(photographs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "lens.toml"
    assert run(["calibrate", str(photographs), "--out", str(out), "--language", "de"]) == 0
    told = capsys.readouterr().out
    assert "7 Bilder" in told
    assert WORDS["de"]["good"] in told
    lens = read_lens(out)
    assert (lens.width, lens.height) == SIZE
    assert lens.f == pytest.approx(F, rel=0.005)
    assert lens.k1 == pytest.approx(K1, abs=0.01)
    assert (lens.axis_x, lens.axis_y) == pytest.approx(AXIS, abs=1.0)
    assert abs(lens.f / F - 1) < 4 * lens.sigma[0]
    assert run(["calibrate", str(photographs), "--out", str(out)]) == 0  # its own earlier one may be replaced


def test_one_flat_sheet_is_no_good_lens_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    photograph = tmp_path / "one.png"
    cv2.imwrite(str(photograph), picture((0, 0), (0, 0)))
    assert run(["calibrate", str(photograph), "--out", str(tmp_path / "lens.toml"), "--language", "fr"]) == 0
    told = capsys.readouterr().out
    for word in ("tilt", "few"):
        assert WORDS["fr"][word].format(least=5) in told
    assert WORDS["fr"]["good"] not in told


def test_sheets_that_no_lens_explains_are_not_written(
    photographs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bent = cv2.imread(str(photographs / "2.png"), cv2.IMREAD_GRAYSCALE)
    h, w = bent.shape
    x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    waves = cv2.remap(bent, x, y + 6 * np.sin(x / 30).astype(np.float32), cv2.INTER_LINEAR)
    cv2.imwrite(str(tmp_path / "bent.png"), waves)
    assert run(["calibrate", str(tmp_path / "bent.png"), "--out", str(tmp_path / "lens.toml")]) == 1
    assert WORDS["en"]["bad"] in capsys.readouterr().out
    assert not (tmp_path / "lens.toml").exists()


def test_every_verdict_is_said_in_every_language() -> None:
    lens = Lens(width=1280, height=720, f=1000, k1=0, k2=0, axis_x=0, axis_y=0, sigma=(0.001, 0.1, 0.1, 1, 1))
    fit = LensFit(lens, 0.2, 0.3, 0.8, 9, 0.6, 3.0)
    assert verdict(fit) == ("good",)
    loose = LensFit(lens, 0.2, 0.3, LOW_COVERAGE / 2, 2, 1.6, 3.0)
    assert verdict(loose) == ("few", "coverage", "coarse")
    assert verdict(LensFit(lens, 1.2, 2.3, 0.8, 9, 0.6, 3.0)) == ("bad",)
    for language in ("fr", "de"):
        assert WORDS[language].keys() == WORDS["en"].keys()


def test_bad_input_is_one_line(
    photographs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrating, "corner_bias", lambda: np.zeros(2))
    plain, small, empty = tmp_path / "plain.png", tmp_path / "small.png", tmp_path / "empty"
    cv2.imwrite(str(plain), np.full((540, 960), 90, np.uint8))
    cv2.imwrite(str(small), np.full((480, 640), 90, np.uint8))
    empty.mkdir()
    notes = tmp_path / "notes.toml"
    notes.write_text("mine = 1\n", "utf-8")
    for arguments, complaint in (
        ([plain], "is in none of 1 pictures"),
        ([plain, small], "640x480 pixels, but 960x540 before"),
        ([empty], "neither clip.mp4 nor a picture"),
        ([tmp_path / "no.mp4"], "no such video, picture or folder; give photographs of the sheet"),
        ([plain, "--square", "2"], "5 to 100 mm"),
        ([plain, "--language", "it"], "choose one of: en, fr, de"),
        ([photographs, "--out", notes], "is another file and would be lost"),
    ):
        assert run(["calibrate", *map(str, arguments)]) == 2
        error = capsys.readouterr().err
        assert complaint in error
        assert error.count("\n") == 1
    assert notes.read_text("utf-8") == "mine = 1\n"


def test_a_lens_is_checked_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "lens.toml"
    write_lens(path, Lens(width=1280, height=720, f=1000, k1=-0.2, k2=0.01, axis_x=3, axis_y=4))
    good = path.read_text("utf-8")
    assert tomllib.loads(good)["lens"]["f"] == 1000
    assert read_lens(path).k1 == -0.2
    for old, new, complaint in (
        ("f = 1000", "f = 100", "no focal length"),
        ("axis_x = 3", "axis_x = 600", "too far from the picture's middle"),
        ("k1 = -0.200000", 'k1 = "much"', "k1"),
        ("width = 1280", "width = 0", "width"),
        ("[lens]", "[lense]", "lense"),
    ):
        path.write_text(good.replace(old, new), "utf-8")
        with pytest.raises(UserError, match=complaint):
            read_lens(path)


def test_a_sheet_that_is_partly_covered_is_read_by_what_shows() -> None:
    seen = picture((10, 5), (0, 0))
    seen[:, :430] = 120
    view = find_board(seen)
    assert view is not None
    assert 8 <= len(view.px) < 40


def test_a_wrong_lens_is_told_before_the_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "lens.toml"
    broken.write_text("[lens]\nwidth = 1280\n", "utf-8")
    demo = find_demo("carpets")
    for arguments in (
        ["replay", str(demo), "--journal", str(tmp_path / "j.sqlite"), "--lens", str(broken)],
        [
            "play",
            "--session",
            str(demo),
            "--camera",
            "none",
            "--journal",
            str(tmp_path / "j.sqlite"),
            "--lens",
            str(broken),
        ],
        ["config", "--config", str(tmp_path / "kibitz.toml")],
    ):
        (tmp_path / "kibitz.toml").write_text(
            f'[table]\nsession = "{demo / "session.toml"}"\n[camera]\nlens = "lens.toml"\n', "utf-8"
        )
        assert run(arguments) == 2
        error = capsys.readouterr().err
        assert "lens.toml: " in error
        assert "missing required field" in error
        assert error.count("\n") == 1
    broken.unlink()
    assert run(["config", "--config", str(tmp_path / "kibitz.toml")]) == 2
    assert "lens.toml: no such file" in capsys.readouterr().err
