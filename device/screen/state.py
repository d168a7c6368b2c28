"""From what the table knows to what a page is told, in the words of one language. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from device.screen import shown
from device.screen.board import board_of, holds
from device.screen.pictures import DeckPictures
from device.screen.top import bottom_to_top, nearest, shortest_line
from device.state import Line, State
from rules.protocol import Mark, Message, PlayerView, Question, Ruling, View
from rules.session import Language
from vision.deck import Deck
from vision.scene import Piece, Point, Scene

LANGUAGES: tuple[Language, ...] = ("en", "fr", "de")
TELL_FACE = "face:"
"""How every referee hears what a piece is: `face:<piece>` and a kind of the deck."""
TOKENS = ("meeple", "car")
SOLID = (*TOKENS, "die")
QUARTERS = {"0", "90", "180", "270"}
LOG_ROWS = 40
"""Rows sent along with the state; older ones are fetched when somebody wants to see them."""


class Words(Protocol):
    """As the module `rules.text`."""

    @property
    def say(self) -> Callable[[Message, Language], str]: ...
    @property
    def face_name(self) -> Callable[[str, Language], str]: ...
    @property
    def option_text(self) -> Callable[[str, Language], str]: ...


class Teller:
    """Tells the state of one table in one language."""

    def __init__(self, words: Words, language: Language, deck: Deck, pictures: DeckPictures, build: str) -> None:
        self._words = words
        self._language = language
        self._deck = deck
        self._pictures = pictures
        self._build = build

    def tell(self, state: State) -> shown.Shown:
        view = state.view
        return shown.Shown(
            build=self._build,
            looking=looking(state),
            game=shown.Game(
                game=view.game,
                name=self._deck.name,
                phase=self._say(view.phase),
                round=view.round,
                rounds=view.rounds,
                flight=view.flight,
                over=view.over,
                winners=view.winners,
                languages=LANGUAGES,
                language=self._language,
            ),
            players=tuple(self._seat(p, view) for p in view.players),
            table=self._top(state),
            questions=tuple(self._asked(q, state.scene) for q in view.questions),
            offers=tuple(shown.Offered(choice=o.choice, value=o.value, text=self._say(o.message)) for o in view.offers),
            log=self.log(state),
            undo=self._undo(state),
            deck=self._faces(),
            board=self._board(state),
        )

    def log(self, state: State, before: int | None = None, limit: int = LOG_ROWS) -> shown.Log:
        """The newest rows, or those of entries older than `before`. Rows of one entry stay together."""
        rows: list[shown.Row] = []
        questions = {q.id: q for line in state.lines for q in line.questions}
        live = {line.entry: line.live for line in state.lines}
        lines = [line for line in state.lines if before is None or line.entry < before]
        while lines and len(rows) < limit:
            rows += reversed(self._rows(lines.pop(), questions, live))
        more = any(line.kind != "scene" or line.rulings for line in lines)
        return shown.Log(rows=tuple(rows), more=more)

    # ---- words ---------------------------------------------------------------------------------------------------

    def _say(self, message: Message) -> str:
        return capital(self._words.say(message, self._language))

    def _face_name(self, face: str) -> str:
        return capital(self._words.face_name(face, self._language))

    def _option(self, word: str) -> str:
        return capital(self._words.option_text(word, self._language))

    # ---- sections ------------------------------------------------------------------------------------------------

    def _seat(self, player: PlayerView, view: View) -> shown.Seat:
        meeples, hand = holds(view.board, player.name)
        lines = tuple(
            shown.Points(points=line.points, text=self._say(line.message), cards=self._cards(line.faces))
            for line in player.lines
        )
        return shown.Seat(
            name=player.name,
            colours=colours(player),
            side=player.side,
            score=player.score,
            active=player.active,
            won=self._cards(player.won),
            lines=lines,
            meeples=meeples,
            hand=hand,
        )

    def _cards(self, faces: Sequence[str]) -> tuple[shown.Card, ...]:
        counts: dict[str, int] = {}
        for face in faces:
            counts[face] = counts.get(face, 0) + 1
        return tuple(
            shown.Card(name=self._face_name(face), picture=self._pictures.find(face), count=count)
            for face, count in counts.items()
        )

    def _top(self, state: State) -> shown.Top:
        scene, radius = state.scene, self._deck.corner_radius_mm
        if scene is None:
            return shown.Top(radius=radius)
        seats = {p.name for p in state.view.players}
        told = told_faces(state.lines, {face.kind for face in self._deck.faces})
        return shown.Top(
            view=points(scene.view_mm) if scene.view_mm else (),
            size_px=scene.size_px,
            radius=radius,
            entry=max((line.entry for line in state.lines if line.kind == "scene" and line.live), default=0),
            solved=scene.camera.solved,
            pieces=tuple(self._lying(p, told.get(p.id)) for p in flat_first(scene)),
            marks=tuple(
                shown.Marked(kind=m.kind, pieces=m.pieces, text=self._say(m.message), players=players_of(m, seats))
                for m in state.view.marks
            ),
            measures=tuple(x for m in state.view.marks if (x := measure(m, scene, radius)) is not None),
        )

    def _lying(self, piece: Piece, told: str | None) -> shown.Lying:
        face, print_id = (piece.face, piece.print) if told in (None, piece.face) else (told or "", "")
        return shown.Lying(
            id=piece.id,
            face=face,
            name=self._face_name(face),
            picture=self._pictures.find(face, print_id),
            outline=points(piece.outline_mm),
            px=points(piece.corners_px),
            kind=piece.kind,
            at=points([piece.foot_mm])[0] if piece.foot_mm else None,
            heading=piece.heading_deg,
            colour=face.partition(".")[2] if piece.kind in TOKENS else "",
            pose=piece.pose,
            value=piece.value,
        )

    def _board(self, state: State) -> shown.Board | None:
        board = board_of(state.view, state.scene, self._face_name)
        if board is None:
            return None
        find, replace = self._pictures.find, msgspec.structs.replace
        return replace(
            board,
            hidden=tuple(replace(tile, picture=find(tile.face)) for tile in board.hidden),
            track=tuple(replace(stop, picture=find(stop.kind)) for stop in board.track),
        )

    def _asked(self, question: Question, scene: Scene | None) -> shown.Asked:
        return shown.Asked(
            id=question.id,
            text=self._say(question.message),
            rule=question.rule,
            player=question.player or "",
            pieces=question.pieces,
            options=tuple(self._pictured(o, question, scene) for o in self._options(question)),
            measured=measured(question),
        )

    def _options(self, question: Question) -> tuple[shown.Option, ...]:
        return tuple(
            shown.Option(word=word, text=self._option(word), likely=word == question.default)
            for word in question.options
        )

    def _pictured(self, option: shown.Option, question: Question, scene: Scene | None) -> shown.Option:
        """The option with what shows what it stands for: a face's picture, a piece on the table, a quarter turn."""
        replace = msgspec.structs.replace
        piece = scene.piece(option.word) if scene is not None else None
        if piece is not None:
            return replace(option, text=self._face_name(piece.face), piece=piece.id)
        asked = scene.piece(question.pieces[0]) if scene is not None and len(question.pieces) == 1 else None
        if option.word in QUARTERS and asked is not None and set(question.options) <= QUARTERS:
            return replace(option, text="", picture=self._pictures.find(asked.face), turn=int(option.word))
        return replace(option, picture=self._pictures.find(option.word.partition("#")[0]))

    def _rows(self, line: Line, questions: dict[str, Question], live: dict[int, bool]) -> list[shown.Row]:
        rows: list[shown.Row] = []
        if line.kind == "answer" and line.answer is not None and line.answer.question is not None:
            question = questions.get(line.answer.question)
            rows.append(
                shown.Row(
                    entry=line.entry,
                    t=line.t,
                    kind="answer",
                    of="answer",
                    live=line.live,
                    text=self._say(question.message) if question else line.answer.value,
                    rule=question.rule if question else "",
                    pieces=question.pieces if question else (),
                    question=line.answer.question,
                    chosen=self._option(line.answer.choice),
                    by_default=line.answer.by == "default",
                    options=self._options(question) if question else (),
                )
            )
        elif line.kind == "correct":
            chosen = self._option(line.answer.choice) if line.answer else ""
            taken_out = line.live and not live.get(line.corrects, True)
            rows.append(
                shown.Row(
                    entry=line.entry,
                    t=line.t,
                    kind="remove" if taken_out else "correct",
                    live=line.live,
                    corrects=line.corrects,
                    chosen=chosen,
                )
            )
        elif line.kind in ("undo", "redo"):
            rows.append(shown.Row(entry=line.entry, t=line.t, kind=line.kind))
        rows += [self._ruled(line, index, ruling) for index, ruling in enumerate(line.rulings)]
        return rows

    def _ruled(self, line: Line, index: int, ruling: Ruling) -> shown.Row:
        return shown.Row(
            entry=line.entry,
            t=ruling.t,
            kind="ruling",
            of=line.kind,
            live=line.live,
            text=self._say(ruling.message),
            rule=ruling.rule,
            index=index,
            player=ruling.player or "",
            pieces=ruling.pieces,
            measured=measured(ruling),
            inferred=ruling.inferred,
        )

    def _undo(self, state: State) -> shown.Undo:
        line = undoable(state.lines) if state.can_undo else None
        if line is None:
            return shown.Undo(redo=state.can_redo)
        text = ""
        asked = line.kind == "answer" and line.answer is not None and line.answer.question is not None
        if asked and line.answer is not None:
            text = self._option(line.answer.choice)
        elif line.rulings:
            text = self._say(line.rulings[0].message)
        elif line.questions:
            text = self._say(line.questions[0].message)
        kind = "correct" if line.kind == "correct" else "answer" if asked else "scene"
        return shown.Undo(entry=line.entry, kind=kind, corrects=line.corrects, text=text, redo=state.can_redo)

    def _faces(self) -> shown.DeckFaces:
        kinds = dict.fromkeys(face.kind for face in self._deck.faces)
        return shown.DeckFaces(
            version=self._pictures.version,
            faces=tuple(
                shown.Face(kind=kind, name=self._face_name(kind), picture=self._pictures.find(kind)) for kind in kinds
            ),
        )


def flat_first(scene: Scene) -> tuple[Piece, ...]:
    """The pieces in the order in which they are drawn: what stands on cards and tiles after them."""
    pieces = bottom_to_top(scene.pieces, scene.overlaps)
    return tuple(sorted(pieces, key=lambda p: p.kind in SOLID))


def looking(state: State) -> shown.Looking:
    status = state.status
    return shown.Looking(
        source=status.source,
        camera=status.camera,
        observer=status.observer,
        moving=status.moving,
        t=round(status.t, 1),
        duration=status.duration,
        warnings=status.warnings,
    )


def undoable(lines: Sequence[Line]) -> Line | None:
    """The line that undo would take back: the last one that counts and had consequences."""
    for line in reversed(lines):
        if line.live and line.kind not in ("undo", "redo") and (line.kind != "scene" or line.rulings or line.questions):
            return line
    return None


def told_faces(lines: Sequence[Line], kinds: set[str]) -> dict[str, str]:
    """Piece id to face, where the players said what a piece is: asked about it alone, or of their own accord."""
    told: dict[str, str] = {}
    questions = {q.id: q for line in lines for q in line.questions}
    for line in lines:
        if not line.live or line.kind != "answer" or line.answer is None:
            continue
        choice, value = line.answer.choice, line.answer.value
        asked = questions.get(line.answer.question or "")
        if asked is not None and len(asked.pieces) == 1 and choice in kinds:
            told[asked.pieces[0]] = choice
        elif asked is None and choice.startswith(TELL_FACE) and value in kinds:
            told[choice.removeprefix(TELL_FACE)] = value
    return told


def capital(text: str) -> str:
    """With a capital at the beginning: a face's name may be the first word of a sentence."""
    return text[:1].upper() + text[1:]


def colours(player: PlayerView) -> tuple[str, ...]:
    return tuple(c.strip() for c in player.colour.split(",") if c.strip())


def players_of(mark: Mark, seats: set[str]) -> tuple[str, ...]:
    """The players a mark speaks of, from its message: `player`, or `players` joined by commas."""
    said = mark.message.params.get("player") or mark.message.params.get("players") or ""
    return tuple(name for name in (n.strip() for n in str(said).split(",")) if name in seats)


def measure(mark: Mark, scene: Scene, corner_radius_mm: float) -> shown.Measure | None:
    """The distance a mark speaks of, to be drawn: between its two pieces, or from its only one to the nearest other."""
    if mark.measured is None:
        return None
    pieces = [p for p in map(scene.piece, mark.pieces) if p is not None]
    if len(pieces) == 1:
        other = nearest(pieces[0], scene.pieces, corner_radius_mm)
        pieces += [other] if other else []
    if len(pieces) != 2:
        return None
    start, end = points(shortest_line(pieces[0], pieces[1], corner_radius_mm))
    return shown.Measure(kind=mark.kind, start=start, end=end, mm=mark.measured, limit=mark.limit)


def measured(said: Ruling | Question) -> shown.Measured | None:
    if said.measured is None:
        return None
    return shown.Measured(value=said.measured, sigma=said.sigma, limit=said.limit, unit=said.unit)


def points(corners: Sequence[Point]) -> tuple[Point, ...]:
    """Rounded to a tenth: finer than a screen's pixel."""
    return tuple((round(x, 1), round(y, 1)) for x, y in corners)
