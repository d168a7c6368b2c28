"""A reported play: one file with the seconds of a doubtful ruling and all that is needed to play them again.

    write_play(table, ring, deck, seconds=60)   # the file, a zip: `play.json`, `clip.mp4`, a deck that is one's own
    play_again(path)                            # what the referee says to the clip today
    judge(path)                                 # how that differs from what the players let stand: a test in one line

Players' names are replaced: nobody is named in a file that is sent on. What the players corrected is the truth of it.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import msgspec

from device.carry_on import CarryOn
from device.deck_folder import DECKS, find_deck, load_deck
from device.errors import UserError
from device.evidence import Stills
from device.footage import open_footage
from device.ledger import RefusedError
from device.lens_file import LensSpec, checked_lens, lens_spec
from device.replay import NoLog
from device.ring import Ring
from device.sitting import Sitting
from device.state import Event
from device.table import Table
from rules.history import Answered, Entry, Seen, effective
from rules.protocol import Answer, Question, Ruling
from rules.session import Session
from vision.camera import Lens
from vision.scene import CameraState, Scene

SECONDS = 60.0
MOST_BYTES = 200_000_000
"""Of one file within a play: a clip of a minute has 10 MB."""
PLAY, CLIP, DECK = "play.json", "clip.mp4", "deck/"


class Stood(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling that the players let stand, told without ids: those of another run may be others."""

    t: float
    rule: str
    player: str | None = None
    faces: tuple[str, ...] = ()
    """Of its pieces, in order of the alphabet."""
    reason: str = ""


class Play(msgspec.Struct, frozen=True, kw_only=True):
    format: Literal[1] = 1
    kibitz: str
    made: str
    versions: dict[str, str]
    session: Session
    deck: str
    """Name of a deck that ships with Kibitz, or empty: then it is in the file."""
    camera: CameraState | None
    """As it was solved when the play was reported."""
    lens: LensSpec | None = None
    """The camera's, where the game was played with a measured one."""
    start: float
    end: float
    """Of the clip, in seconds of the game."""
    before: tuple[Entry, ...] = ()
    """What counted when the clip begins."""
    answers: tuple[Answer, ...] = ()
    """What the players said meanwhile."""
    stood: tuple[Stood, ...] = ()


@dataclass(frozen=True)
class Again:
    """What the referee said this time."""

    play: Play
    rulings: tuple[Stood, ...]
    questions: tuple[Stood, ...]


# ---- writing ---------------------------------------------------------------------------------------------------------


def write_play(
    table: Table, ring: Ring, deck_folder: Path, *, lens: Lens | None = None, seconds: float = SECONDS
) -> bytes:
    """The last seconds as one file. Raises `UserError` when nothing of them was recorded."""
    now = table.status().t
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / CLIP
        ring.wait()
        cut = ring.clip(now - seconds, now, clip)
        if cut is None:
            raise UserError("nothing has been recorded of the last seconds; see the notice on the screen")
        play = _play(table, deck_folder, lens, *cut)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(PLAY, msgspec.json.format(msgspec.json.encode(play), indent=1))
            file.write(clip, CLIP, zipfile.ZIP_STORED)
            if not play.deck:
                for path in sorted(p for p in deck_folder.rglob("*") if p.is_file()):
                    file.write(path, DECK + path.relative_to(deck_folder).as_posix(), zipfile.ZIP_STORED)
        return out.getvalue()


def _play(table: Table, deck_folder: Path, lens: Lens | None, start: float, end: float) -> Play:
    outcomes = table.outcomes()
    scene = table.scene()
    play = Play(
        kibitz=version("kibitz"),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={name: version(name) for name in ("numpy", "opencv-python-headless", "av")},
        session=table.session,
        deck=deck_folder.name if deck_folder.parent == DECKS else "",
        camera=scene.camera if scene else None,
        lens=lens_spec(lens) if lens else None,
        start=start,
        end=end,
        before=tuple(_entry(given) for _, given, _ in outcomes if given.t < start),
        answers=tuple(given for _, given, _ in outcomes if isinstance(given, Answer) and given.t >= start),
        stood=tuple(_stood(outcomes, start)),
    )
    return without_names(play)


def _entry(given: Scene | Answer) -> Entry:
    return Seen(given) if isinstance(given, Scene) else Answered(given)


def _stood(outcomes: Sequence[tuple[int, Any, tuple[Any, ...]]], start: float) -> Iterator[Stood]:
    faces: dict[str, str] = {}
    for _, given, outputs in outcomes:
        if isinstance(given, Scene):
            faces |= {p.id: p.face for p in given.pieces}
        for output in outputs:
            if isinstance(output, Ruling) and output.t >= start:
                yield _told(output, faces)


def _told(output: Ruling | Question, faces: dict[str, str]) -> Stood:
    return Stood(
        t=output.t,
        rule=output.rule,
        player=output.player,
        faces=tuple(sorted(faces.get(p, "unknown") for p in output.pieces)),
        reason=output.reason if isinstance(output, Ruling) else "",
    )


def without_names(play: Play) -> Play:
    """Players are called `Player 1`, `Player 2` ... wherever a name stands on its own or between separators."""
    new = {p.name: f"Player {p.number}" for p in play.session.player}
    between = re.compile(r"([:,;/|])")

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            if value in new:
                return new[value]
            return "".join(new.get(part, new.get(part.strip(), part)) for part in between.split(value))
        if isinstance(value, list | tuple):
            return [walk(one) for one in value]
        if isinstance(value, dict):
            return {key: walk(one) for key, one in value.items()}
        return value

    plain = msgspec.to_builtins(play)
    said = ("before", "answers", "stood")
    plain |= {name: walk(plain[name]) for name in said}
    for player in plain["session"]["player"]:
        player["name"] = new[player["name"]]
    return msgspec.convert(plain, Play)


# ---- playing it again ------------------------------------------------------------------------------------------------


DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError, ValueError, OSError
)  # fmt: skip
"""What a file that is no zip, was cut off or has wrong bits makes `zipfile` and `msgspec` raise."""


def is_play(path: Path) -> bool:
    return path.is_file() and (zipfile.is_zipfile(path) or path.suffix == ".zip")


@contextmanager
def open_play(path: Path) -> Iterator[tuple[Play, Path, Sitting]]:
    """The play, its clip and its sitting; everything in the file is checked before it is used."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        play = _unpack(path, folder)
        deck = find_deck(play.deck) if play.deck else folder / "deck"
        lens = checked_lens(play.lens, path) if play.lens else None
        yield play, folder / CLIP, Sitting(play.session, load_deck(deck), deck, lens)


def _unpack(path: Path, folder: Path) -> Play:
    try:
        with zipfile.ZipFile(path) as file:
            for info in file.infolist():
                wanted = info.filename in (PLAY, CLIP) or re.fullmatch(r"deck/(faces/)?[\w.\- ]+", info.filename)
                if not wanted or ".." in info.filename or info.file_size > MOST_BYTES:
                    raise UserError(f"{path}: {info.filename!r} does not belong into a reported play")
                file.extract(info, folder)
        return msgspec.json.decode((folder / PLAY).read_bytes(), type=Play)
    except FileNotFoundError as e:
        raise UserError(f"{path}: there is no {Path(str(e.filename)).name} in it; report the play anew") from None
    except DAMAGED as e:
        raise UserError(f"{path}: is no reported play, or damaged: {e}") from None


def lay_reported_table(play: Play, sitting: Sitting, *, source: str) -> Table:
    """The table as it was when the clip begins."""
    scenes = [given for _, given in effective(play.before).inputs if isinstance(given, Scene)]
    return Table(
        sitting.session,
        sitting.deck,
        CarryOn(sitting.observer(), sitting.deck, scenes),
        sitting.referee,
        NoLog(),
        stills=Stills(None),
        entries=play.before,
        source=source,
    )


def feed_play(table: Table, play: Play, clip: Path) -> None:
    """The clip's frames and what the players said, each when its time has come."""
    waiting = list(play.answers)
    with open_footage(clip) as footage:
        for frame in footage:
            t = play.start + frame.t
            while waiting and waiting[0].t <= t:
                _say(table, waiting.pop(0))
            table.feed(frame.at(t))
    table.finish()
    for answer in waiting:
        _say(table, answer)


def _say(table: Table, answer: Answer) -> None:
    """As far as it can be said this time: the question may not have been asked, or have another id."""
    try:
        if answer.question is None:
            table.say(answer.choice, answer.value)
        elif answer.question in {q.id for q in table.state().view.questions}:
            table.answer(answer.question, answer.choice)
        else:
            open_now = [q for q in table.state().view.questions if answer.choice in q.options]
            if len(open_now) == 1:
                table.answer(open_now[0].id, answer.choice)
    except RefusedError:
        return


def play_again(path: Path, *listeners: Callable[[Event], None]) -> Again:
    """What the referee says to the clip now. The listeners hear it, too, as it is said."""
    rulings: list[Stood] = []
    questions: list[Stood] = []
    with open_play(path) as (play, clip, sitting):
        table = lay_reported_table(play, sitting, source=path.name)
        faces: dict[str, str] = {}

        def hear(event: Event) -> None:
            scene = table.scene()
            if scene is not None:
                faces.update({p.id: p.face for p in scene.pieces})
            if isinstance(event.output, Ruling):
                rulings.append(_told(event.output, faces))
            elif isinstance(event.output, Question):
                questions.append(_told(event.output, faces))

        for listener in (hear, *listeners):
            table.subscribe(listener)
        feed_play(table, play, clip)
    return Again(play, tuple(rulings), tuple(questions))


def judge(path: Path) -> list[str]:
    """What is ruled otherwise than the players let it stand."""
    return differences(play_again(path))


def differences(again: Again) -> list[str]:
    """The same of a play that has been played again; a question in a ruling's place is no mistake."""
    wrong: list[str] = []
    left = list(again.play.stood)
    for said in again.rulings:
        match = next((s for s in left if _same(s, said)), None)
        if match is not None:
            left.remove(match)
        else:
            wrong.append(f"{said.t:.1f} s: {_words(said)} was ruled, which did not stand")
    for missing in left:
        if not any(q.rule == missing.rule or q.faces == missing.faces for q in again.questions):
            wrong.append(f"{missing.t:.1f} s: {_words(missing)} stood, and was neither ruled nor asked")
    return wrong


def _same(a: Stood, b: Stood) -> bool:
    return (a.rule, a.player, a.faces, a.reason) == (b.rule, b.player, b.faces, b.reason)


def _words(stood: Stood) -> str:
    return " ".join(part for part in (stood.rule, stood.player or "", "/".join(stood.faces), stood.reason) if part)
