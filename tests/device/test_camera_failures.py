"""A camera fails in each way that cameras do, and the game goes on: it stops, is unplugged, hangs, or throws."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from device.cameras import CameraGone, Live
from device.cameras.settle import Settled
from device.screen.state import looking
from device.state import State
from device.table import Table
from tests.device.fakes import GAME, SESSION, FakeObserver, FakeReferee, MemoryLog, deck, frame
from tests.device.test_cameras import Scripted, nobody
from vision.frame import ArrayFrame, Frame

NEVER = threading.Event()
"""What hangs waits for this; nobody sets it before the test is over."""


@pytest.fixture(autouse=True)
def _let_hanging_threads_go() -> Iterator[None]:
    NEVER.clear()
    yield
    NEVER.set()


def stops() -> Iterator[Frame | Exception]:
    yield frame(1.0)
    yield CameraGone("stopped delivering")


def unplugged() -> Iterator[Frame | Exception]:
    yield frame(1.0)
    yield OSError(19, "No such device")


def driver_throws() -> Iterator[Frame | Exception]:
    yield frame(1.0)
    yield ZeroDivisionError("a bug in somebody's driver")


def hangs() -> Iterator[Frame]:
    yield frame(1.0)
    NEVER.wait()
    yield frame(99.0)  # comes back when it is too late: nobody listens to this one any more


@pytest.mark.parametrize("fails", [stops, unplugged, driver_throws, hangs])
def test_the_screen_says_so_and_play_goes_on_where_it_was(fails: Callable[[], Iterator[Frame | Exception]]) -> None:
    said: list[str] = []
    away = threading.Event()

    def later() -> Iterator[Frame | None]:
        away.wait()  # the screen has said it
        yield frame(5.0)
        yield None

    sources = [Scripted(fails()), Scripted(later())]
    log = MemoryLog()
    table = Table(SESSION, deck(), FakeObserver(*GAME), FakeReferee, log)

    def shown(event: object) -> None:
        state: State = table.state()
        said.append(looking(state).camera)
        if said[-1] == "away":
            away.set()

    table.subscribe(shown)
    live = Live(lambda: sources.pop(0), watchdog_s=0.05, retry_s=0.0)
    for one in live.frames(lambda word, why: table.camera(word)):
        table.feed(one)
    table.finish()
    order = [word for n, word in enumerate(said) if n == 0 or word != said[n - 1]]
    assert order == ["live", "away", "live", "ended"]
    assert [p.t for p in (e.scene for e in log.entries)] == [1.0, 2.0, 3.0][: len(log.entries)]
    assert len(log.entries) >= 2, "what was seen before and after is one game"
    assert live.health().opened == 2


def test_a_camera_is_tried_again_at_longer_and_longer_intervals() -> None:
    waits: list[float] = []

    class Waiting(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout or 0.0)
            return len(waits) >= 8

    def gone() -> Scripted:
        raise CameraGone("not there")

    live = Live(gone)
    live._stopped = Waiting()
    live._reader = 1
    live._stopped.is_set = lambda: len(waits) >= 8  # type: ignore[method-assign]
    live._read(1)
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0]


def test_drivers_that_hang_for_ever_do_not_pile_up() -> None:
    opened = []
    beats = []

    def hanging() -> Iterator[Frame]:
        NEVER.wait()
        yield frame(0.0)

    def opening() -> Scripted:
        opened.append(1)
        return Scripted(hanging())

    live = Live(opening, watchdog_s=0.01)
    turns = iter(range(40))

    class Counting(threading.Event):
        def is_set(self) -> bool:
            return super().is_set() or next(turns, None) is None

    live._stopped = Counting()
    for _ in live.frames(nobody, lambda: beats.append(1)):
        raise AssertionError("no frame ever came")
    assert len(opened) == 3
    assert live.health().stuck, "which is when a service manager has to begin a new process"
    assert len(beats) < 10, "so it is told nothing more"


def test_a_camera_that_is_away_for_a_known_reason_is_no_reason_to_restart() -> None:
    beats: list[int] = []

    def gone() -> Scripted:
        raise CameraGone("there is no USB camera 0")

    live = Live(gone, retry_s=0.0)

    def beat() -> None:
        beats.append(1)
        if len(beats) == 4:
            live.stop()

    assert list(live.frames(nobody, beat)) == []
    assert live.health().word == "away"
    assert live.health().why == "there is no USB camera 0"


def test_capture_does_not_wait_for_the_referee_and_keeps_one_frame() -> None:
    produced = threading.Event()
    heard: list[float] = []

    def script() -> Iterator[Frame | None]:
        for n in range(100):
            yield frame(float(n))
        produced.set()
        yield None

    live = Live(lambda: Scripted(script()), taps=[lambda f: heard.append(f.t)])
    seen = []
    for one in live.frames(nobody):
        seen.append(one.t)
        produced.wait()  # the referee takes its time over the first
    assert seen[-1] == 99.0
    assert len(seen) <= 2
    assert heard == [float(n) for n in range(100)], "a recorder hears all of them"
    assert live.health().frames == 100
    assert live.health().skipped == 100 - len(seen)


# ---- settle, then hold -------------------------------------------------------------------------------------------


class Eye:
    """A camera whose automatic exposure ends at `target`; `stale` is what it jumps to when it is held."""

    def __init__(self, greys: Iterator[float], holds: tuple[str, ...] = ("exposure",)) -> None:
        self._greys = greys
        self._holds = holds
        self.said: list[str] = []
        self.t = 0.0

    def read(self) -> Frame | None:
        grey = next(self._greys, None)
        self.t += 0.1
        return None if grey is None else ArrayFrame(self.t, np.full((48, 64, 3), round(grey), np.uint8))

    def close(self) -> None: ...

    def automatic(self) -> None:
        self.said.append("automatic")

    def hold(self) -> tuple[str, ...]:
        self.said.append("hold")
        return self._holds


def play_out(eye: Eye) -> Settled:
    settled = Settled(eye, eye)
    while settled.read() is not None:
        pass
    return settled


def test_exposure_is_held_once_the_picture_rests() -> None:
    rising = [20.0 + 4 * n for n in range(20)]
    eye = Eye(iter([*rising, *[100.0] * 60]))
    assert play_out(eye).held == ("exposure",)
    assert eye.said == ["automatic", "hold"]


def test_it_is_not_held_while_it_still_changes() -> None:
    eye = Eye(iter([20.0 + 4 * n for n in range(30)]))
    assert play_out(eye).held == ()
    assert eye.said == ["automatic"]


def test_a_lamp_that_flickers_does_not_keep_it_from_being_held() -> None:
    eye = Eye(iter([100.0 + 8 * (n % 2) for n in range(120)]))
    assert play_out(eye).held == ("exposure",)


def test_a_camera_that_jumps_when_it_is_held_stays_automatic() -> None:
    eye = Eye(iter([*[100.0] * 20, *[30.0] * 100]))
    assert play_out(eye).held == ()
    assert eye.said == ["automatic", "hold", "automatic"]


def test_another_light_is_settled_to_anew_but_a_hand_is_not() -> None:
    passing = Eye(iter([*[100.0] * 40, *[160.0] * 20, *[100.0] * 40]))
    play_out(passing)
    assert passing.said == ["automatic", "hold"]
    lamp = Eye(iter([*[100.0] * 40, *[160.0] * 100]))
    play_out(lamp)
    assert lamp.said == ["automatic", "hold", "automatic", "hold"]


def test_a_camera_without_knobs_is_left_alone() -> None:
    eye = Eye(iter([100.0] * 100), holds=())
    assert play_out(eye).held == ()
    assert eye.said == ["automatic", "hold"]
