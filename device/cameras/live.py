"""Reading a camera in a thread of its own: the newest frame wins, and a camera that goes away or hangs is opened anew.

Capture never waits for the referee: a table that takes long over one frame misses frames, not time. The referee never
waits for capture longer than the watchdog: after that the screen says that the camera is away. At most one frame waits.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from device.cameras.source import CameraGone, Source
from device.errors import UserError
from vision.frame import Frame

WATCHDOG_S = 2.0
"""No frame for so long, and the screen says so. (libcamera delivers nothing more after a front-end time-out.)"""
OPENING_S = 30.0
"""A camera may take so long to open before it counts as hanging: a Pi's takes one to two seconds, more under load."""
RETRY_S = 0.5
LONGEST_RETRY_S = 10.0
"""The wait between two tries doubles from the first to the last of these."""
MOST_HANGING = 3
"""A driver that hangs keeps its thread for ever; with more of them than this, no further one is begun."""
RATE_FRAMES = 30
"""The frame rate is that of the last so many frames."""


@dataclass(frozen=True, kw_only=True)
class Health:
    """How a camera does."""

    word: str
    """`opening`, `live`, `away`, `ended`."""
    why: str = ""
    frame_age_s: float | None = None
    """Since the newest frame; None before the first."""
    rate: float = 0.0
    """Frames a second, as they come from the camera."""
    frames: int = 0
    skipped: int = 0
    """Frames that the table had no time for."""
    opened: int = 0
    """How often the camera has been opened."""
    stuck: bool = False
    """As many drivers hang as may: only a new process can help."""


class Live:
    """`frames` ends with the source or at `stop()`. `taps` hear every frame in the capture thread: return at once."""

    def __init__(
        self,
        open_source: Callable[[], Source],
        *,
        retry_s: float = RETRY_S,
        watchdog_s: float = WATCHDOG_S,
        opening_s: float = OPENING_S,
        taps: Sequence[Callable[[Frame], None]] = (),
    ) -> None:
        self._open = open_source
        self._retry_s = retry_s
        self._watchdog_s = watchdog_s
        self._opening_s = opening_s
        self.taps: list[Callable[[Frame], None]] = list(taps)
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._gone = ""
        self._ended = False
        self._error: UserError | None = None
        self._stopped = threading.Event()
        self._reader = 0
        self._threads: list[threading.Thread] = []
        self._opening = True
        self._progress = time.monotonic()
        self._word, self._why = "opening", ""
        self._arrived: deque[float] = deque(maxlen=RATE_FRAMES)
        self._frames = self._skipped = self._opened = 0

    def frames(self, tell: Callable[[str, str], None], beat: Callable[[], None] = lambda: None) -> Iterator[Frame]:
        """Frames as they come. `tell(word, why)` hears `live` and `away` when the camera comes and goes; `beat()` is
        called at every turn in which there is a frame, or a camera that explains why there is none."""
        self._start()
        while not self._stopped.is_set():
            frame, gone, ended = self._next()
            if self._stopped.is_set():
                return
            if frame is not None:
                self._tell("live", "", tell)
                beat()
                yield frame
            elif ended:
                self._word = "ended"
                if self._error:
                    raise self._error
                return
            else:
                self._tell("away", gone or f"no picture for {self._watchdog_s:g} s", tell)
                if gone or self._revive():
                    beat()

    def stop(self) -> None:
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()

    def health(self) -> Health:
        with self._changed:
            now = time.monotonic()
            span = now - self._arrived[0] if len(self._arrived) > 1 else 0.0
            return Health(
                word=self._word,
                why=self._why,
                frame_age_s=now - self._arrived[-1] if self._arrived else None,
                rate=(len(self._arrived) - 1) / span if span > 0 else 0.0,
                frames=self._frames,
                skipped=self._skipped,
                opened=self._opened,
                stuck=self._hanging() >= MOST_HANGING,
            )

    def _next(self) -> tuple[Frame | None, str, bool]:
        """The newest frame, why there is none, whether it was the last; empty-handed after the watchdog's time."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._newest is not None or self._gone or self._ended or self._stopped.is_set(),
                self._watchdog_s,
            )
            if self._newest is not None:  # why there are no more is heard next
                frame, self._newest = self._newest, None
                return frame, "", False
            gone, self._gone = self._gone, ""
            return None, gone, self._ended

    def _tell(self, word: str, why: str, tell: Callable[[str, str], None]) -> None:
        if word != self._word:
            self._word, self._why = word, why
            tell(word, why)

    # ---- the capture thread --------------------------------------------------------------------------------------

    def _revive(self) -> bool:
        """Begins anew where a reader hangs in its driver, which is left to itself. False when nothing more helps."""
        patience = self._opening_s if self._opening else self._watchdog_s
        if time.monotonic() - self._progress < patience * 0.99:
            return True
        if self._hanging() >= MOST_HANGING:
            return False
        self._start()
        return True

    def _hanging(self) -> int:
        self._threads = [t for t in self._threads if t.is_alive()]
        return len(self._threads)

    def _start(self) -> None:
        self._reader += 1
        self._note(opening=True)
        thread = threading.Thread(target=self._read, args=(self._reader,), name="camera", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _note(self, *, opening: bool) -> None:
        self._opening, self._progress = opening, time.monotonic()

    def _read(self, me: int) -> None:
        wait = self._retry_s
        while self._reader == me and not self._stopped.is_set():
            source: Source | None = None
            try:
                self._note(opening=True)
                source = self._open()
                self._opened += 1
                if self._reader == me:
                    self._note(opening=False)
                while self._reader == me and not self._stopped.is_set():
                    frame = source.read()
                    if self._reader != me:
                        return
                    self._put(frame)
                    if frame is None:
                        return
                    wait = self._retry_s
            except UserError as e:  # it will not get better by trying again
                self._error = e
                self._put(None)
                return
            except Exception as e:  # whatever a driver throws: the game waits for the camera, it does not end
                if self._reader != me:
                    return
                with self._changed:
                    self._gone = str(e) if isinstance(e, CameraGone) else f"{type(e).__name__}: {e}"
                    self._note(opening=True)
                    self._changed.notify_all()
            finally:
                if source is not None:
                    source.close()
            self._stopped.wait(wait)
            wait = min(2 * wait, LONGEST_RETRY_S)

    def _put(self, frame: Frame | None) -> None:
        for tap in self.taps if frame is not None else ():
            assert frame is not None
            tap(frame)
        with self._changed:
            if frame is None:
                self._ended = True
            else:
                self._skipped += self._newest is not None
                self._newest = frame
                self._frames += 1
                self._arrived.append(time.monotonic())
                self._note(opening=False)
            self._changed.notify_all()
