"""`kibitz read-dice`: what it prints, what it writes, and what it says of photographs that are none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from device.cli import run
from device.errors import UserError
from device.photograph import load_photograph

PHOTOS = Path(__file__).parents[1] / "data" / "real" / "dice"
FOUR = PHOTOS / "kamil" / "52.jpg"
"""Two red and two black dice on paper: four fours."""


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    return Path(shutil.copy(FOUR, tmp_path / "four.jpg"))


def test_prints_the_values_and_draws_them(photo, tmp_path, capsys) -> None:
    out = tmp_path / "drawn"
    assert run(["read-dice", str(photo), "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{photo}: 4 4 4 4  ({out / 'four.dice.jpg'})\n"
    drawn = cv2.imread(str(out / "four.dice.jpg"))
    assert drawn.shape == cv2.imread(str(photo)).shape
    assert photo.read_bytes() == FOUR.read_bytes()


def test_json_is_one_list_and_writes_nothing_unless_told(photo, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert run(["read-dice", str(photo), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["photo"] == str(photo)
    assert [d["value"] for d in told["dice"]] == [4, 4, 4, 4]
    assert all(set(d) == {"value", "state", "centre", "confidence"} for d in told["dice"])
    assert all(d["state"] == "rest" and 0.5 < d["confidence"] <= 1 for d in told["dice"])
    assert sorted(tmp_path.iterdir()) == before


def test_pictures_go_to_the_working_folder_and_never_over_a_photograph(photo, tmp_path, capsys, monkeypatch) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    twin = Path(shutil.copy(photo, folder / "four.jpg"))
    # A photograph that bears the name which the annotated picture of the other would get.
    trap = Path(shutil.copy(photo, tmp_path / "four.dice.jpg"))
    monkeypatch.chdir(tmp_path)
    assert run(["read-dice", str(photo), str(twin), str(trap)]) == 0
    assert capsys.readouterr().out.count("4 4 4 4") == 3
    assert {p.read_bytes() for p in (photo, twin, trap)} == {FOUR.read_bytes()}
    made = {p.name for p in tmp_path.glob("*.jpg")} - {photo.name, trap.name}
    assert made == {"four-2.dice.jpg", "four-3.dice.jpg", "four.dice.dice.jpg"}


def as_grey(bgr: np.ndarray) -> Image.Image:
    return Image.fromarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY))


def as_grey_16(bgr: np.ndarray) -> Image.Image:
    return Image.fromarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY).astype(np.uint16) * 257)


def with_alpha(bgr: np.ndarray) -> Image.Image:
    return Image.fromarray(np.dstack([bgr[..., ::-1], np.full(bgr.shape[:2], 255, np.uint8)]))


def in_palette(bgr: np.ndarray) -> Image.Image:
    return Image.fromarray(bgr[..., ::-1]).quantize(200)


@pytest.mark.parametrize("form", [as_grey, as_grey_16, with_alpha, in_palette])
def test_pictures_of_every_form_are_read(form, tmp_path, capsys) -> None:
    path = tmp_path / "form.png"
    form(cv2.imread(str(FOUR))).save(path)
    assert run(["read-dice", str(path), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    values = [d["value"] for d in told["dice"]]
    assert len(values) == 4
    assert set(values) <= {4, None}


def test_a_photograph_is_turned_as_its_exif_says(tmp_path) -> None:
    picture = Image.fromarray(cv2.imread(str(FOUR))[..., ::-1])
    exif = Image.Exif()
    exif[0x0112] = 6  # to be shown a quarter turn clockwise
    picture.save(tmp_path / "turned.jpg", exif=exif, quality=95)
    upright = load_photograph(tmp_path / "turned.jpg")
    assert upright.shape == (picture.size[0], picture.size[1], 3)
    clockwise = np.rot90(cv2.imread(str(FOUR)), -1)
    assert np.abs(upright.astype(int) - clockwise).mean() < 4


def test_a_large_and_a_tiny_photograph(tmp_path, capsys) -> None:
    bgr = cv2.imread(str(FOUR))
    large = cv2.resize(bgr, (3882, 5184), interpolation=cv2.INTER_CUBIC)
    cv2.imwrite(str(tmp_path / "large.jpg"), large)
    cv2.imwrite(str(tmp_path / "tiny.png"), cv2.resize(bgr, (100, 80), interpolation=cv2.INTER_AREA))
    assert run(["read-dice", str(tmp_path / "large.jpg"), str(tmp_path / "tiny.png"), "--json"]) == 0
    large_told, tiny_told = json.loads(capsys.readouterr().out)
    assert [d["value"] for d in large_told["dice"]] == [4, 4, 4, 4]
    assert {d["value"] for d in tiny_told["dice"]} <= {4, None}


def test_no_dice(tmp_path, capsys) -> None:
    cv2.imwrite(str(tmp_path / "bare.png"), np.full((300, 400, 3), 90, np.uint8))
    assert run(["read-dice", str(tmp_path / "bare.png"), "--out", str(tmp_path / "o")]) == 0
    assert "bare.png: no dice" in capsys.readouterr().out


def damaged(path: Path) -> Path:
    path.write_bytes(FOUR.read_bytes()[:9000])
    return path


def empty(path: Path) -> Path:
    path.write_bytes(b"")
    return path


def words(path: Path) -> Path:
    path.write_text("no picture")
    return path


def missing(path: Path) -> Path:
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def speck(path: Path) -> Path:
    cv2.imwrite(str(path), np.zeros((8, 8, 3), np.uint8))
    return path


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (damaged, "is damaged"),
        (empty, "is no picture"),
        (words, "is no picture"),
        (missing, "there is no such file"),
        (folder, "is a folder"),
        (speck, "is too small"),
    ],
)
def test_what_is_no_photograph_is_said_in_one_line_after_the_others_were_read(
    make, said, photo, tmp_path, capsys
) -> None:
    bad = make(tmp_path / "bad.jpg")
    assert run(["read-dice", str(bad), str(photo), "--json"]) == 2
    told = capsys.readouterr()
    assert [t["photo"] for t in json.loads(told.out)] == [str(photo)]
    assert told.err.count("\n") == 1
    assert f"bad.jpg: {said}" in told.err


def test_out_that_is_a_file(photo, tmp_path, capsys) -> None:
    assert run(["read-dice", str(photo), "--out", str(photo)]) == 2
    assert "is no folder" in capsys.readouterr().err
    assert photo.read_bytes() == FOUR.read_bytes()


def test_a_picture_of_more_pixels_than_memory_takes(tmp_path) -> None:
    path = tmp_path / "vast.png"
    Image.new("1", (20_000, 12_000)).save(path)
    with pytest.raises(UserError, match="is too large"):
        load_photograph(path)
