"""A small table staged by hand for the referee: a straight road, cars, a die and cards, still by still.

    race = Race()
    race.roll(2).still()
    race.lay("straight", "garage").drive("red", 2).still()

Tiles lie in a row, so that none of them may be a curve but the last; cards lie before the players. Questions are left
open unless they are answered.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.games import make_referee
from rules.protocol import Answer, Input, Output, Question, Ruling
from rules.session import Player, Session
from tests.rules.fairplay.recorded import around, car, die, flat
from vision.scene import CameraState, Piece, Scene

SEATS = (
    ("Anna", "S", "red"), ("Ben", "W", "blue"), ("Clara", "N", "yellow"), ("Dora", "E", "green"),
    ("Emil", "S", "black"), ("Finn", "N", "white"),
)  # fmt: skip
PLACES = {"S": (0.0, 330.0), "W": (-740.0, 0.0), "N": (0.0, -330.0), "E": (740.0, 0.0)}
VIEW = ((-800.0, -400.0), (800.0, -400.0), (800.0, 400.0), (-800.0, 400.0))
START_X = -600.0


def session(players: int = 3, **more: object) -> Session:
    people = tuple(
        Player(number=n, name=name, side=side, colour=colour)  # type: ignore[arg-type]
        for n, (name, side, colour) in enumerate(SEATS[:players], 1)
    )
    return Session(game="fairplay", deck="deck", player=people, **more)  # type: ignore[arg-type]


class Race:
    """The table, the referee, and what it said."""

    def __init__(self, players: int = 3, road: Iterable[str] = (), at: Iterable[int] = (), **more: object) -> None:
        self.session = session(players, **more)
        self.referee = make_referee(self.session)
        self.road = ["road.start"]
        self.cars = {player.colour: 0 for player in self.session.player}
        self.off: dict[str, float] = {}
        """Cars that do not stand in the middle of their tile: mm to the right."""
        self.cards: dict[str, tuple[str, str]] = {}
        """Cards on the table: face, and whose side."""
        self.value: int | None = 1
        self.throws = 0
        self.doubtful = False
        self.hidden: set[str] = set()
        self.t = 0.0
        self.outputs: list[Output] = []
        self.inputs: list[Input] = []
        """Everything the referee was told."""
        self.still()

    # -- what people do -----------------------------------------------------------------------------------------

    def roll(self, value: int | None) -> Race:
        self.value, self.throws = value, self.throws + 1
        return self

    def lay(self, *kinds: str) -> Race:
        self.road += [kind if "." in kind else f"road.{kind}" for kind in kinds]
        return self

    def drive(self, colour: str, tile: int, off: float = 0.0) -> Race:
        self.cars[colour], self.off[colour] = tile, off
        return self

    def offer(self, to: str, name: str = "card") -> Race:
        self.cards[name] = "back", to
        return self

    def turn_up(self, face: str, side: str | None = None, name: str = "card") -> Race:
        """The card is turned up where it lies, or at another's side."""
        self.cards[name] = f"card.{face}", side or self.cards[name][1]
        return self

    def take(self, name: str = "card") -> Race:
        del self.cards[name]
        return self

    def hide(self, *pieces: str) -> Race:
        """A hand covers them at the next still."""
        self.hidden |= set(pieces)
        return self

    # -- what is seen and said ----------------------------------------------------------------------------------

    def scene(self) -> Scene:
        pieces: list[Piece] = []
        for n, kind in enumerate(self.road):
            pieces.append(flat(f"t{n}", "tile", kind, around(START_X + 60.5 * n, 0, 60, 60)))
        for colour, tile in self.cars.items():
            x = START_X + 60.5 * tile + self.off.get(colour, 0.0)
            y = -20.0 + 10 * list(self.cars).index(colour)
            pieces.append(car(colour, x, y, 0.0))
        sides = {player.name: player.side for player in self.session.player}
        for name, (face, who) in self.cards.items():
            x, y = PLACES[sides[who]]
            pieces.append(flat(f"{name}.{face}", "card", face, around(x + 70 * (len(pieces) % 3), y, 59, 91)))
        pieces.append(flat("pile", "card", "back", around(-500, -320, 59, 91)))
        pieces.append(die(self.value, 300, 200, self.throws, throw_doubtful=self.doubtful))
        seen = tuple(p for p in pieces if p.id not in self.hidden)
        self.hidden.clear()
        camera = CameraState(solved=True, rms_px=0.2)
        return Scene(t=self.t, camera=camera, size_px=(1280, 720), view_mm=VIEW, pieces=seen)

    def still(self) -> list[Output]:
        """The next still; gives what was said."""
        self.t += 2.0
        return self._tell(self.scene())

    def _tell(self, given: Input) -> list[Output]:
        self.inputs.append(given)
        said = list(self.referee.see(given) if isinstance(given, Scene) else self.referee.answer(given))
        self.outputs += said
        return said

    def answer(self, choice: str) -> list[Output]:
        """Answers the oldest open question."""
        question = self.referee.view().questions[0]
        return self._tell(Answer(t=self.t, question=question.id, choice=choice))

    def correct(self, choice: str, value: str) -> list[Output]:
        return self._tell(Answer(t=self.t, question=None, choice=choice, value=value))

    # -- whole turns --------------------------------------------------------------------------------------------

    def turn(self, colour: str, value: int, tile: int, *kinds: str) -> Race:
        """A roll and a way, a still each."""
        self.roll(value).still()
        self.lay(*kinds).drive(colour, tile).still()
        return self

    def play(self, to: str, face: str, *, by: str = "", car: str = "", tile: int = -1) -> Race:
        """A card is offered, used (by its owner when `by` names him), carried out and put away."""
        self.offer(to).still()
        self.turn_up(face, by or to).still()
        if car:
            self.drive(car, tile)
            self.still()
        if face not in ("panne", "puncture"):
            self.take()
            self.still()
        else:
            self.cards[f"{face}{self.t}"] = self.cards.pop("card")
        return self


def words(said: Iterable[Output]) -> list[str]:
    """What was said, in short: `roll Anna 2`, `move Anna 0 2 die`, `card Clara card.plus2 Anna Clara`, `?tile`."""
    return [_word(output) for output in said]


def _word(output: Output) -> str:
    rule = output.rule.removeprefix("fairplay.")
    if isinstance(output, Question):
        return f"?{rule} {'/'.join(output.options)}"
    assert isinstance(output, Ruling)
    data = output.data
    match rule:
        case "roll":
            return f"roll {output.player} {data['value']}"
        case "move":
            return f"move {output.player} {data['from']} {data['to']} {data['by']}"
        case "card":
            return f"card {output.player} {data['card']} {data['offered_by']} {data['offered_to']}"
        case "cleared":
            return f"cleared {output.reason} {output.player}"
    return f"{rule} {output.player}"


def illegal(said: Iterable[Output]) -> list[str]:
    """The rules that were ruled broken."""
    ruled = [o.rule for o in said if isinstance(o, Ruling)]
    return [rule.removeprefix("fairplay.illegal.") for rule in ruled if rule.startswith("fairplay.illegal.")]
