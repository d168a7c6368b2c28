"""The figures count what they say they count."""

from __future__ import annotations

import msgspec
import pytest

from device.evaluate import Tally
from tests.figures.__main__ import main, seeds
from tests.figures.summary import Row, rows_of_hands, rows_of_tables, wilson
from tests.figures.tables import TableFigures, deck_of, judge_scene
from tests.tablegen import GeneratedStill, make_table
from vision.scene import CameraState, Gap, Overlap, Piece, Scene


@pytest.fixture(scope="module")
def still() -> GeneratedStill:
    return make_table(3, deck_of(3), frames=1, cards=6, carpets=2, throws=("on", "across"), foreign=(), djinns=0)


def as_seen(still: GeneratedStill) -> Scene:
    """The scene that a perfect observer would give."""
    objects, gaps = still.truth["objects"], still.truth["gaps"]
    pieces = tuple(
        Piece(
            id=o["id"],
            face=o["kind"] if o["face_up"] else "back",
            confidence=0.99,
            visible=o["visible_in_frame_fraction"],
            corners_px=tuple(map(tuple, o["corners_px"])),
            outline_mm=tuple(map(tuple, o["corners_mm"])),
            sigma_mm=0.2,
        )
        for o in objects
    )
    overlaps = tuple(
        Overlap(over=o["id"], under=q["id"], area_mm2=q["area_mm2"], depth_mm=1, sigma_mm=0.2, confidence=1)
        for o in objects
        for q in o["overlaps"]
        if q["on_top"] == o["id"]
    )
    between = tuple(Gap(a=g["a"], b=g["b"], mm=g["gap_mm"], sigma_mm=0.2) for g in gaps)
    camera = CameraState(solved=True, rms_px=0.1)
    return Scene(t=0.5, camera=camera, pieces=pieces, gaps=between, overlaps=overlaps)


def judged(still: GeneratedStill, scene: Scene) -> TableFigures:
    out = TableFigures(3, "somewhere", Tally())
    judge_scene(still, scene, out)
    return out


def test_a_perfect_scene_has_no_fault(still: GeneratedStill) -> None:
    table = judged(still, as_seen(still))
    assert table.short == []
    assert all(row.ok for row in rows_of_tables([table]))


def test_faults_are_counted_and_told(still: GeneratedStill) -> None:
    scene = as_seen(still)
    gone, renamed, *rest = scene.pieces
    far = tuple((x + 500.0, y) for x, y in gone.corners_px)
    pieces = (
        msgspec.structs.replace(gone, corners_px=far),
        msgspec.structs.replace(renamed, face="djinn.8"),
        *rest,
    )
    table = judged(still, msgspec.structs.replace(scene, pieces=pieces))
    assert {"pieces found", "false pieces", "faces wrong with confidence"} <= set(table.short)
    line = table.line()
    assert f"missed {gone.visible:.2f} of {gone.id} ({gone.face})" in line
    assert "djinn.8 0.99" in line
    assert f"false {gone.face}" in line
    rows = {row.figure: row for row in rows_of_tables([table])}
    assert rows["pieces that are not there"].value == 1
    assert rows["named wrong with confidence"].value == 1
    assert not rows["pieces found"].ok
    assert rows["pieces found"].value == 1 - 1 / rows["pieces found"].n


def test_errors_and_sigmas_are_pooled(still: GeneratedStill) -> None:
    scene = as_seen(still)
    wider = tuple(msgspec.structs.replace(g, mm=g.mm + 0.4) for g in scene.gaps)
    table = judged(still, msgspec.structs.replace(scene, gaps=wider))
    rows = {row.figure: row for row in rows_of_tables([table, judged(still, scene)])}
    assert rows["gap error / sigma, rms"].value == pytest.approx(2 / 2**0.5)
    assert rows["gap error, 95th percentile"].value == pytest.approx(0.4)


def test_a_hand_that_was_measured_is_a_fault() -> None:
    hands = [TableFigures(k, "", Tally(), hand_seen=k > 0) for k in range(4)]
    assert hands[0].short
    assert not hands[1].short
    (row,) = rows_of_hands(hands)
    assert (row.value, row.n, row.ok) == (0.75, 4, False)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (8, 10, 0.4902, 0.9433), (5, 100, 0.0215, 0.1118)],
)
def test_wilsons_interval(hits: int, n: int, low: float, high: float) -> None:
    """Against the values of statsmodels' `proportion_confint(method="wilson")`."""
    assert wilson(hits, n) == pytest.approx((low, high), abs=1e-4)


def test_a_share_reaches_its_goal_or_not() -> None:
    assert Row.share("x", 199, 200, 0.995).ok
    assert not Row.share("x", 198, 200, 0.995).ok
    assert Row.share("nothing to count", 0, 0, 1.0).ok


def test_seeds_are_given_as_a_range(capsys: pytest.CaptureFixture[str]) -> None:
    assert seeds("1000:1003") == range(1000, 1003)
    assert seeds("7") == range(7, 8)
    with pytest.raises(SystemExit):
        main([])
    assert "--seeds" in capsys.readouterr().err
