"""A deck learned from photographs of real cards and from scans: what is found, named, written, and refused."""

from __future__ import annotations

import functools
import json
import queue
import shutil
import threading
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest

from device import enrolling
from device.card_sizes import read_size
from device.cli import run
from device.deck_folder import find_deck, load_deck
from device.enrolling import Found, Wishes, ask_on_screen, find_sides, shortcomings
from device.errors import UserError
from device.face_names import Name, read_names, template, usual_kind
from vision import learned
from vision.camera import box, place
from vision.cutout import Cutout
from vision.scene import UNKNOWN
from vision.seer import Seer
from vision.sides import Side, View
from vision.still import StillPicture
from vision.unnamed import find_unnamed

CARDS = Path(__file__).parents[1] / "data" / "real" / "cards"
POKER = (63.5, 88.9)
NEAR_PX = 2.0
"""Of 4 x 13 cards the worst corner was off by 1.1 px, in 1280 x 800."""


def truth(photograph: str) -> dict[str, np.ndarray]:
    cards = json.loads((CARDS / "truth.json").read_text("utf-8"))["photographs"][photograph]
    return {card["face"]: np.array(card["corners_px"]) for card in cards}


def card_at(corners: np.ndarray, cards: dict[str, np.ndarray]) -> tuple[str, float]:
    """The card whose corners those are, whichever comes first, and how far off the worst is."""
    off = {
        face: min(float(np.hypot(*(np.roll(corners, -k, 0) - true).T).max()) for k in range(4))
        for face, true in cards.items()
    }
    face = min(off, key=lambda f: off[f])
    return face, off[face]


def test_every_card_of_a_photograph_is_found_without_knowing_a_face() -> None:
    photograph = np.asarray(cv2.imread(str(CARDS / "diamond4.jpg")), np.uint8)
    seen = find_unnamed([photograph], [POKER])
    assert seen is not None
    found = [card_at(seen.camera.project(place(p.pose, box(*POKER))), truth("diamond4.jpg")) for p in seen.pieces]
    assert sorted(face for face, _ in found) == sorted(truth("diamond4.jpg"))
    assert max(off for _, off in found) < NEAR_PX
    assert seen.camera.tilt_deg == pytest.approx(37, abs=2)


def test_a_deck_learned_from_one_photograph_names_the_cards_of_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    once = functools.cache(lambda: find_unnamed([np.asarray(cv2.imread(str(CARDS / "club1.jpg")), np.uint8)], [POKER]))
    monkeypatch.setattr(learned, "find_unnamed", lambda stills, sizes: once())  # the command runs twice
    deck, names = tmp_path / "clubs", tmp_path / "names.txt"
    command = ["enroll", str(deck), str(CARDS / "club1.jpg"), "--size", "poker", "--names", str(names)]
    assert run(command) == 0
    assert not deck.exists()
    assert "13 sides to name" in capsys.readouterr().out
    assert cv2.imread(str(names.with_suffix(".jpg"))) is not None
    lines = [line for line in names.read_text("utf-8").splitlines() if not line.startswith("#")]
    seen = once()
    assert seen is not None
    corners = [seen.camera.project(place(p.pose, box(*POKER))) for p in seen.pieces]
    faces = [card_at(c, truth("club1.jpg"))[0] for c in corners]
    named = [f"{line.split()[0]} card_{face} card.{face}" for line, face in zip(lines, faces, strict=True)]
    names.write_text("\n".join(named), "utf-8")

    assert run(command) == 0
    assert "13 faces, 13 cards" in capsys.readouterr().out
    own = load_deck(deck)
    assert {f.kind for f in own.faces} == {f"card.{face}" for face in truth("club1.jpg")}
    assert own.corner_radius_mm == pytest.approx(3.2)

    photograph = np.asarray(cv2.imread(str(CARDS / "club3.jpg")), np.uint8)
    scene = Seer(own).see(StillPicture(0.0, photograph, 1, 1.0))
    assert scene is not None
    cards = truth("club3.jpg")
    named_right = 0
    for piece in scene.pieces:
        face, off = card_at(np.array(piece.corners_px), cards)
        assert off < 4.0
        assert piece.face in (f"card.{face}", UNKNOWN)
        named_right += piece.face == f"card.{face}"
    assert named_right >= 12  # the five, a pip away from the four and the six, is not always sure

    assert run(command) == 2
    assert "is there already" in capsys.readouterr().err


def test_scans_are_named_by_their_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = find_deck("carpets")
    scans = tmp_path / "scans"
    scans.mkdir()
    for name in ("palace_a", "adventure_1_b", "carpet_red", "back"):
        shutil.copy(shipped / "faces" / f"{name}.jpg", scans)
    on_its_side = cv2.rotate(cv2.imread(str(shipped / "faces" / "lamp_a.jpg")), cv2.ROTATE_90_CLOCKWISE)
    cv2.imwrite(str(scans / "lamp_a.png"), on_its_side)
    command = ["enroll", str(tmp_path / "mine"), str(scans), "--size", "carpets", "--title", "My own"]
    assert run([*command, "--game", "fairplay"]) == 2
    assert "knows no kind 'adventure.1', 'carpet.red', 'lamp', 'palace'" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()
    assert run([*command, "--game", "carpets"]) == 0
    told = capsys.readouterr().out
    assert "5 faces, 4 cards" in told
    assert "120 times: 0 named wrongly" in told
    assert "no face yet of: adventure.2," in told
    assert "few cards of: palace 1 of 12, adventure.1 1 of 3, lamp 1 of 4" in told
    mine, original = load_deck(tmp_path / "mine"), {f.id: f for f in load_deck(shipped).faces}
    assert {(f.id, f.kind) for f in mine.faces} == {
        ("palace_a", "palace"), ("adventure_1_b", "adventure.1"), ("carpet_red", "carpet.red"), ("back", "back"),
        ("lamp_a", "lamp"),
    }  # fmt: skip
    assert mine.name == "My own"
    assert (mine.faces[0].width_mm, mine.faces[0].height_mm, mine.corner_radius_mm) == (59, 91, 3)
    for face in mine.faces:
        same = cv2.resize(original[face.id].picture, face.picture.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert np.abs(same.astype(float) - face.picture).mean() < 6


def test_names_are_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("# mine\n1 palace_a palace 4 turn=180 Palace of the Sultan\n-\n4. back\n", "utf-8")
    assert read_names(path, 4) == [
        Name(id="palace_a", kind="palace", count=4, turn=180, title="Palace of the Sultan"),
        Name(id=""),
        None,
        Name(id="back"),
    ]
    first = read_names(path, 4)[:2]
    path.write_text(template([("here", 2), ("there", 1)], first), "utf-8")
    assert read_names(path, 2) == first


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1 palace\n1 lamp\n", "line 2: side 1 has a name already"),
        ("3 palace\n", "line 1: names side 3, but 2 were found"),
        ("1 ../palace\n", "is no id"),
        ("1 palace unknown\n", "is no kind"),
        ("1 palace palace 0\n", "0 copies"),
        ("1 palace turn=45\n", "turned by 0, 90, 180 or 270"),
        ("1 lamp lamp\n2 lamp treasure\n", "is a lamp once and a treasure another time"),
    ],
)
def test_a_list_that_is_wrong_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "names.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(UserError, match=complaint):
        read_names(path, 2)


def test_what_a_face_is_called_tells_its_kind() -> None:
    assert usual_kind("adventure_1_a") == "adventure.1"
    assert usual_kind("bazaar_spice_b") == "bazaar.spice"
    assert usual_kind("djinn_8") == "djinn.8"
    assert usual_kind("back") == "back"


def test_doubles_are_pointed_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faces = find_deck("carpets") / "faces"
    for name, scan in (("palace_a", "palace_a"), ("lamp_a", "palace_a"), ("desert_a", "desert_a")):
        shutil.copy(faces / f"{scan}.jpg", tmp_path / f"{name}.jpg")
    scans = [str(tmp_path / f"{name}.jpg") for name in ("palace_a", "lamp_a", "desert_a")]
    assert run(["enroll", str(tmp_path / "deck"), *scans, "--size", "carpets"]) == 0
    told = capsys.readouterr().out
    assert "palace_a: cannot be told from lamp_a" in told
    assert "desert_a:" not in told


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "--size is missing"),
        (["--size", "big"], "give width x height in mm"),
        (["--size", "5x9"], "a side of 5 mm"),
        (["--size", "poker", "--radius", "40"], "half the card's shorter side"),
        (["--size", "poker", "--size", "63.5x88.9"], "are the same size"),
        (["--size", "poker", "--thickness", "0"], "--thickness 0"),
        (["--size", "30x90", "--scans"], "do not have the proportion"),
        (["--size", "30x90"], "no card of 30 x 90 mm was found"),
        (["--size", "poker", "--game", "chess"], "there is no such game"),
        (["nowhere.jpg", "--size", "poker"], "nowhere.jpg: no such picture, video or folder; give scans"),
    ],
)
def test_bad_input_is_one_line_and_makes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    plain = tmp_path / "cloth.png"
    cv2.imwrite(str(plain), np.full((480, 640, 3), 90, np.uint8))
    assert run(["enroll", str(tmp_path / "deck"), str(plain), *arguments]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1
    assert not (tmp_path / "deck").exists()


def test_nothing_is_written_over_or_into_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deck").mkdir()
    for name, complaint in (("deck", "is there already"), ("no/where", "there is no folder")):
        assert run(["enroll", str(tmp_path / name), str(CARDS), "--size", "poker"]) == 2
        assert complaint in capsys.readouterr().err
    assert list((tmp_path / "deck").iterdir()) == []


def test_sizes_go_by_millimetres_or_by_name() -> None:
    assert read_size("59x91").size_mm == (59, 91)
    assert read_size(" 63,5 × 88.9 mm").size_mm == POKER
    assert (read_size("carpets").size_mm, read_size("carpets").corner_radius_mm) == ((59, 91), 3)


def test_the_same_card_twice_is_one_side_with_two_copies(tmp_path: Path) -> None:
    """Two of one face and one of another, on a plain cloth, straight from above."""
    faces = {f.id: f.picture for f in load_deck(find_deck("carpets")).faces}
    photograph = np.full((720, 1280, 3), (205, 210, 200), np.uint8)
    for face, x, y in (("palace_a", 200, 120), ("treasure_a", 560, 180), ("palace_a", 880, 300)):
        photograph[y : y + 273, x : x + 177] = cv2.resize(faces[face], (177, 273), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(tmp_path / "table.png"), cv2.GaussianBlur(photograph, (0, 0), 0.8))
    wishes = Wishes(folder=tmp_path / "deck", sources=(tmp_path / "table.png",), sizes=(read_size("carpets"),))
    found, names = find_sides(wishes, threading.Event())
    assert [one.side.copies for one in found] == [2, 1]
    assert names == [None, None]
    assert all(isinstance(one, Found) and one.where == "table.png" for one in found)


def test_what_a_picture_lacks_is_said_in_one_line_each() -> None:
    def face(burnt: float, px_per_mm: float = 1.6) -> Cutout:
        clear = np.ones((100, 60), np.bool_)
        clear[: round(100 * burnt)] = False
        return Cutout(np.zeros((100, 60, 3), np.uint8), clear, px_per_mm)

    assert shortcomings({"lamp": face(0.0), "desert": face(0.04)}) == []
    (glare, coarse) = shortcomings({"lamp": face(0.2), "desert": face(0, 0.8)})
    assert "by a reflection: lamp (20 %); lay them elsewhere" in glare
    assert "desert (0.80); bring the camera nearer" in coarse
    (bright,) = shortcomings({f"face_{n}": face(0.1) for n in range(8)})
    assert "less light" in bright
    assert "face_7 (10 %)" in bright


def shipped_card(face: str) -> np.ndarray:
    picture = next(f.picture for f in load_deck(find_deck("carpets")).faces if f.id == face)
    return np.asarray(cv2.resize(picture, (118, 182), interpolation=cv2.INTER_AREA), np.uint8)


def test_cards_under_the_camera_are_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = np.full((480, 640, 3), (205, 210, 200), np.uint8)
    for face, x in (("palace_a", 60), ("desert_a", 260), ("lamp_a", 460)):
        table[140:322, x : x + 118] = shipped_card(face)
    (tmp_path / "live").mkdir()
    for n in range(9):
        cv2.imwrite(str(tmp_path / "live" / f"{n}.png"), cv2.GaussianBlur(table, (0, 0), 0.8))
    names = tmp_path / "names.txt"
    command = ["enroll", str(tmp_path / "deck"), "--camera", str(tmp_path / "live"), "--size", "carpets"]
    assert run([*command, "--names", str(names)]) == 0
    told = capsys.readouterr().out
    assert "picture 1 taken" in told
    assert "3 sides to name" in told
    names.write_text("1 palace_a\n2 desert_a\n3 lamp_a\n", "utf-8")
    assert run([*command, "--names", str(names)]) == 0
    assert "3 faces, 3 cards" in capsys.readouterr().out
    assert [f.kind for f in load_deck(tmp_path / "deck").faces] == ["palace", "desert", "lamp"]


def found_side() -> Found:
    cutout = Cutout(np.full((364, 236, 3), 90, np.uint8), np.ones((364, 236), np.bool_), 1.6)
    view = View(cutout, 0, 0.0)
    return Found(Side(0, (view,), 1, view), "here")


def test_the_command_waits_for_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(enrolling, "print_line", lines.put)
    names: list[Name | None] = []
    ask = ask_on_screen(0, "en", ("lamp",), threading.Event())
    asking = threading.Thread(target=lambda: names.extend(ask([found_side()], [None])))
    asking.start()
    url = lines.get(timeout=30).rpartition(" ")[2]
    for path, body in (("name", {"side": 1, "id": "lamp_a", "turn": 180}), ("done", {})):
        request = urllib.request.Request(
            f"{url}/{path}", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 204
    asking.join(30)
    assert names == [Name(id="lamp_a", count=1, turn=180)]


def test_stopping_before_the_names_are_given_makes_nothing() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(UserError, match="nothing was made"):
        ask_on_screen(0, "", (), stop)([found_side()], [None])
