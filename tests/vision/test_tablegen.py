"""The generator of random tables tells the truth about what it draws."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely.geometry import Polygon, box

from device.deck_folder import load_deck
from device.session_file import load_session
from tests.tablegen import GameSpec, make_deck, make_game, make_table
from tests.tablegen.camera import place_camera
from tests.tablegen.decks import PRINTS
from tests.tablegen.director import DJINNS
from tests.tablegen.light import Light
from tests.tablegen.render import draw_sheet
from tests.tablegen.sheet import Sheet, settle, support
from tests.tablegen.spec import camera_of, draw_spec
from tests.tablegen.still import random_stack
from tests.tablegen.truth import shape_px

EVEN = Light("even", np.ones(3), np.zeros(3), np.array([0, 0, 2000.0]), 1, 0, 1, 1e9, 0)
"""The same light everywhere, no shadow, no gleam."""


@pytest.fixture(scope="module")
def deck():
    return make_deck(1)


@pytest.fixture(scope="module")
def still(deck):
    return make_table(2, deck)


def draw_alone(camera, sheets, colours):
    """(720, 1280) float: plain sheets of the given brightness on a black table, nothing else."""
    canvas = np.zeros((720, 1280, 3), np.float32)
    for sheet, c in zip(sheets, colours, strict=True):
        plain = replace(sheet, gloss=0.0, thickness=0.0, plane=(sheet.plane[0] + sheet.thickness, *sheet.plane[1:]),
                        picture=np.full((20, 20, 3), c, np.uint8))  # fmt: skip
        draw_sheet(canvas, np.ones_like(canvas), camera, EVEN, plain)
    return canvas[..., 1].astype(float)


def test_the_same_seed_draws_the_same_still(still, deck):
    again = make_table(2, deck)
    assert again.truth == still.truth
    for a, b in zip(still.frames, again.frames, strict=True):
        assert np.array_equal(a, b)


def test_another_seed_draws_another_still(still, deck):
    assert make_table(3, deck, frames=1).truth["objects"] != still.truth["objects"]


def test_overrides_overrule_the_seed(deck):
    still = make_table(5, deck, light="dim", table="felt", tilt_deg=20.0, frames=1, carpets=0, cards=5, foreign=())
    assert still.spec.light == "dim"
    assert len(still.frames) == 1
    kinds = [o["kind"] for o in still.truth["objects"]]
    assert sum(not k.startswith(("carpet", "djinn")) for k in kinds) == 5
    assert not any(k.startswith("carpet") for k in kinds)
    axis = still.camera.R[2]
    assert np.degrees(np.arccos(-axis[2])) == pytest.approx(20.0)


def test_unknown_words_are_refused_with_those_that_are_known(deck):
    with pytest.raises(ValueError, match=r"no such table: 'marble'; there are felt, "):
        make_table(1, deck, table="marble")


def test_corners_in_mm_project_onto_corners_in_pixels(still):
    for o in still.truth["objects"]:
        xyz = np.column_stack([o["corners_mm"], o["corners_height_mm"]])
        assert np.allclose(still.camera.project(xyz), o["corners_px"], atol=2e-3)


def test_the_camera_of_the_truth_projects_as_the_generator_does(still):
    cv2 = pytest.importorskip("cv2")
    c = still.truth["camera"]
    R, K = np.array(c["R"]), np.array(c["K"])
    t = -R @ np.array(c["C_mm"])
    for o in still.truth["objects"]:
        xyz = np.column_stack([o["corners_mm"], o["corners_height_mm"]])
        px, _ = cv2.projectPoints(xyz, cv2.Rodrigues(R)[0], t, K, np.array(c["dist"]))
        assert np.allclose(px.reshape(-1, 2), o["corners_px"], atol=2e-3)


@pytest.mark.parametrize("k1", [-0.35, -0.1, 0.0, 0.1])
def test_rays_are_the_inverse_of_projection(k1):
    camera = place_camera(hfov_deg=75, tilt_deg=25, azimuth_deg=40, k1=k1, centre_px=(3, -2))
    px = np.random.default_rng(0).uniform(0, [1279, 719], (300, 2))
    xy = camera.on_plane(px, 1.5)
    assert np.allclose(camera.project(np.column_stack([xy, np.full(300, 1.5)])), px, atol=1e-6)


def test_corners_run_clockwise_from_the_top_left_of_the_face(still):
    for o in still.truth["objects"]:
        p = np.array(o["corners_px"])
        assert Polygon(p).exterior.is_ccw  # y down: what is counter-clockwise in numbers is clockwise to the eye
        sides = np.linalg.norm(np.roll(o["corners_mm"], -1, axis=0) - o["corners_mm"], axis=1)
        assert np.allclose(sides, [59, 91, 59, 91], atol=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_edges_are_drawn_where_the_truth_says(seed, deck):
    """The sum of a pixel row's coverage and its centre give both edges of a card in that row."""
    spec = draw_spec(seed)
    camera = camera_of(spec)
    stack = settle(random_stack(spec, deck, camera, np.random.default_rng(seed)))
    whole = box(0, 0, 1279, 719)
    card = next(s for s in stack if whole.contains(shape_px(camera, s)) and not s.foreign)
    got = draw_alone(camera, [card], [255])
    shape = shape_px(camera, card)
    lows, highs, at = [], [], np.arange(1280)
    for y in range(int(shape.bounds[1]) + 3, int(shape.bounds[3]) - 3):
        row = shapely.intersection(shape, box(-1, y - 0.5, 1280, y + 0.5))
        width, centre = got[y].sum(), (got[y] * at).sum() / got[y].sum()
        lows.append(centre - width / 2 - (row.centroid.x - row.area / 2))
        highs.append(centre + width / 2 - (row.centroid.x + row.area / 2))
    for error in (lows, highs):
        assert abs(np.mean(error)) < 0.01
        assert np.sqrt(np.mean(np.square(error))) < 0.03


def test_visible_shares_are_those_of_the_pixels(deck):
    still = make_table(8, deck, frames=1, carpets=4, throws=("on", "across", "carpet", "border"), foreign=("pen",))
    levels = np.linspace(60, 255, len(still.stack)).astype(int)
    picture = draw_alone(still.camera, still.stack, levels)
    linear = (levels / 255.0) ** 2.2
    checked = 0
    for o in still.truth["objects"]:
        i = next(k for k, s in enumerate(still.stack) if s.id == o["id"])
        alone = shape_px(still.camera, still.stack[i]).area
        seen = np.sum(np.abs(picture - linear[i]) < 0.004)
        assert seen / alone == pytest.approx(o["visible_in_frame_fraction"], abs=0.05)  # mixed pixels at the rim
        checked += o["visible_in_frame_fraction"] < 0.9
    assert checked >= 2


def test_gaps_and_overlaps_are_those_of_the_outlines(still):
    by_id = {s.id: s for s in still.stack}
    for g in still.truth["gaps"]:
        a, b = by_id[g["a"]], by_id[g["b"]]
        assert g["gap_mm"] == pytest.approx(a.polygon().distance(b.polygon()), abs=1e-3)
        assert g["gap_mm"] >= g["gap_sharp_mm"] - 1e-6
    cards = [o for o in still.truth["objects"] if not o["kind"].startswith(("carpet", "djinn"))]
    assert len(still.truth["gaps"]) == len(cards) * (len(cards) - 1) / 2
    z = {o["id"]: o["z"] for o in still.truth["objects"]}
    for o in still.truth["objects"]:
        for q in o["overlaps"]:
            assert q["on_top"] == max(o["id"], q["id"], key=lambda i: z[i])
            assert q["area_mm2"] > 0


def test_two_square_cards_side_by_side_have_the_gap_between_them():
    base = {"face": None, "width": 59.0, "height": 91.0, "angle": 0.0}
    a, b = Sheet(id="a", x=0, y=0, **base), Sheet(id="b", x=71.5, y=0, **base)
    assert a.polygon().distance(b.polygon()) == pytest.approx(12.5)
    c = Sheet(id="c", x=69.0, y=101.0, **base)  # corner to corner: rounding widens the gap
    assert a.polygon().distance(c.polygon()) == pytest.approx(np.hypot(16, 16) - 6, abs=0.01)


def test_layouts_obey_the_rules_of_laying_out(deck):
    still = make_table(3, deck, frames=1, cards=12, carpets=0, least_gap_mm=10.0)
    cards = [s for s in still.stack if s.id.startswith("card")]
    for i, card in enumerate(cards[1:], 1):
        gaps = [card.polygon().distance(s.polygon()) for s in cards[:i]]
        assert min(gaps) >= 10.0
        assert min(gaps) <= 59.0


def test_a_sheet_lies_on_what_is_below_it():
    base = {"face": None, "width": 59.0, "height": 91.0}
    card = Sheet(id="card", x=0, y=0, angle=0, curl=0.8, curl_dir=40, **base)
    rug = Sheet(id="rug", x=35, y=40, angle=30, **base)
    low, high = settle([card, rug])
    uv = np.stack(np.meshgrid(np.linspace(-29, 29, 9), np.linspace(-45, 45, 9)), axis=-1).reshape(-1, 2)
    clearance = high.bottom(uv) - support([low], high.to_table(uv))
    assert clearance.min() > -0.15  # it is held up at a grid of points
    assert clearance.min() < 0.1
    assert support([low, high], np.array([[35.0, 40.0]]))[0] > 0.32
    assert low.plane == (0, 0, 0)


def test_a_card_slid_under_another_lies_below_it(deck):
    for seed in range(40):
        still = make_table(seed, deck, frames=1, cards=8, carpets=1, throws=("under",), foreign=(), djinns=0)
        rug = next((o for o in still.truth["objects"] if o["kind"].startswith("carpet")), None)
        if rug and rug["overlaps"]:
            assert all(q["on_top"] != rug["id"] for q in rug["overlaps"])
            assert rug["visible_fraction"] < 1
            return
    pytest.fail("no carpet came to lie under a card in 40 seeds")


def test_foreign_things_and_hands_are_told_apart(deck):
    still = make_table(4, deck, frames=1, foreign=("coaster", "phone"), hand=True)
    assert {f["what"] for f in still.truth["foreign"]} <= {"coaster", "phone"}
    assert len(still.truth["foreign"]) >= 1
    assert still.truth["hand"] is True
    assert {o["id"] for o in still.truth["objects"]}.isdisjoint({f["id"] for f in still.truth["foreign"]})


def test_a_random_deck_has_the_cards_of_the_game(deck):
    counts: dict[str, int] = {}
    for f in deck.faces:
        counts[f.kind] = counts.get(f.kind, 0) + f.count
    assert sum(n for k, n in counts.items() if k.split(".")[0] not in ("carpet", "djinn", "back")) == 52
    assert {k: n for k, n in counts.items() if k in PRINTS} == {k: sum(v) for k, v in PRINTS.items()}
    assert len(deck.faces) == 38
    for a, b in itertools.combinations(deck.faces, 2):
        assert np.mean(np.abs(a.picture.astype(int) - b.picture)) > 1.5, f"{a.id} looks like {b.id}"


@pytest.fixture(scope="module")
def game(deck):
    return make_game(7, deck, GameSpec(players=3, gap_fault=True, reach_fault=True, contests=1.0))


def test_a_game_has_one_state_for_each_time_nothing_moves(game):
    shots = game.film.shots
    states = game.truth["states"]
    for s in states:
        for i in range(round(s["t0"] * 10), round(s["t1"] * 10) + 1):
            assert shots[i].hand is None
            assert not shots[i].air
            assert shots[i].stack is shots[round(s["t0"] * 10)].stack
    for a, b in itertools.pairwise(states):
        assert b["t0"] > a["t1"]
    assert game.truth["duration"] == pytest.approx(len(shots) / 10)


def test_a_layout_fault_is_what_was_measured(game):
    faults = game.truth["layout_violations"]
    assert {f["kind"] for f in faults} == {"gap", "reach"}
    for f in faults:
        state = next(s for s in game.truth["states"] if s["t0"] == f["t"])
        mine = [g["gap_mm"] for g in state["gaps"] if f["ids"][0] in (g["a"], g["b"])]
        if f["kind"] == "gap":
            pair = next(g for g in state["gaps"] if {g["a"], g["b"]} == set(f["ids"]))
            assert pair["gap_mm"] == pytest.approx(f["measured_mm"], abs=1e-3)
            assert f["measured_mm"] < 10
        else:
            assert min(mine) == pytest.approx(f["measured_mm"], abs=1e-3)
            assert f["measured_mm"] > 59


def test_claims_follow_from_what_lies_on_what(game):
    """The last state with all carpets decides; duels settle what several players lie on."""
    landings = game.truth["landings"]
    last = landings[-1]["t"]
    state = next(s for s in game.truth["states"] if s["t0"] == last)
    owner = {x["carpet"]: x["player"] for x in landings}
    on: dict[str, set[int]] = {}
    for o in state["objects"]:
        for q in o["overlaps"]:
            if o["id"].startswith("card") and q["on_top"] in owner:
                on.setdefault(o["id"], set()).add(owner[q["on_top"]])
    duels = {d["card"]: d for d in game.truth["duels"]}
    assert {c for c, ps in on.items() if len(ps) > 1} == set(duels)
    assert {(c["card"], c["player"]) for c in game.truth["claims"]} == {
        (card, duels[card]["winner"] if card in duels else next(iter(ps))) for card, ps in on.items()
    }
    assert duels, "this game was to have a duel"


def test_duels_are_fought_with_dealt_djinns(game):
    dealt = {n for s in DJINNS[3] for n in s}
    for d in game.truth["duels"]:
        shown = {int(p): n for p, n in d["djinns"].items()}
        assert set(shown.values()) <= dealt
        assert shown[d["winner"]] == max(shown.values())


def test_the_same_game_is_filmed_twice_alike(game):
    few = replace(game.film, shots=game.film.shots[20:32])
    a, b = ([f.bgr() for f in few.frames()] for _ in range(2))
    assert len(a) == 12
    assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    assert any(s.hand for s in few.shots)


def test_a_clip_is_written_with_every_frame(game, tmp_path):
    av = pytest.importorskip("av")
    few = replace(game, film=replace(game.film, shots=game.film.shots[20:26]))
    few.write_footage(tmp_path / "g")
    with av.open(str(tmp_path / "g" / "clip.mp4")) as clip:
        times = [float(f.time) for f in clip.decode(video=0)]
    assert np.allclose(times, np.arange(6) / 10)
    session = load_session(tmp_path / "g" / "session.toml")
    assert session.player == game.session.player
    deck = load_deck(tmp_path / "g" / session.deck)
    assert [(f.id, f.kind, f.count) for f in deck.faces] == [(f.id, f.kind, f.count) for f in game.deck.faces]
    assert np.array_equal(deck.faces[0].picture, game.deck.faces[0].picture)
