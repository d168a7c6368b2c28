"""The referee of Fair Play: scenes and answers in, rulings and questions out (`rules.protocol.BoardReferee`).

Each still is explained by the shortest legal deeds since the last one (`rules.fairplay.explain`). On what all accounts
that fit agree, there are rulings; where they differ, the next stills are waited for, and when those cannot tell any
more, the table is asked. A still that no legal play explains breaks a rule: that is ruled and stays flagged until it is
put right, or until the table agrees that it counts as it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from rules.asking import Asking, Topic
from rules.fairplay import agree, asked, missed, rulings, running_in
from rules.fairplay.belief import Belief
from rules.fairplay.corrections import correct, refused
from rules.fairplay.doubts import Doubt, doubt, question, told_alike
from rules.fairplay.events import Drove, Event, Rolled, Skipped
from rules.fairplay.explain import Explained, explain, read_later
from rules.fairplay.faults import Fault, faults
from rules.fairplay.game import Game
from rules.fairplay.house_rules import HouseRules
from rules.fairplay.pieces import CARDS, COLOURS, TILES, UNKNOWN
from rules.fairplay.retell import REMEMBERED, Past, Retold, retell
from rules.fairplay.road import Road
from rules.fairplay.sight import Sight, Spot
from rules.fairplay.view import view_of
from rules.fairplay.watch import Watch
from rules.protocol import Answer, Message, Output, Param, View
from rules.session import Session
from vision.scene import Scene

PATIENCE = 2
"""Stills in a row that must leave something unread or unexplained before the players are asked."""


class FairPlayReferee:
    """Referees one session. Raises ValueError (`HouseRuleError` for a house rule) when it describes no game."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.rules = HouseRules.of(session.house_rules)
        self.names = [player.name for player in session.player]
        numbers = [player.number for player in session.player]
        if session.dealer not in numbers:
            raise ValueError(f"dealer = {session.dealer}: no player has that number")
        colours = [player.colour for player in session.player]
        for name, colour in zip(self.names, colours, strict=True):
            if colour not in COLOURS:
                raise ValueError(
                    f"player {name}: there is no {colour or 'uncoloured'} car; there are {', '.join(COLOURS)}"
                )
            if colours.count(colour) > 1:
                raise ValueError(f"player {name}: the {colour} car is taken already")
        game = Game(len(self.names), first=numbers.index(session.dealer) + 1, house_rules=self.rules)
        self.setup = game.setup
        self.beliefs: tuple[Belief, ...] = (Belief(state=game.state, road=game.state.track, cars=game.state.positions),)
        """What may have happened, likeliest first; never empty."""
        self.watch = Watch(session.player, Road(self.rules.tile_shape))
        self.asking = Asking()
        self.faults: dict[tuple[str, int, str], Fault] = {}
        """Rules that are broken as things lie, as ruled."""
        self.ran_in: Fault | None = None
        """The last curve leads onto the road."""
        self.stuck = 0
        """Stills in a row that nothing explains."""
        self.sight: Sight | None = None
        self.scene: Scene | None = None
        self.doubted: Doubt | None = None
        self.told: Explained | None = None
        self.lapsed: tuple[Belief, ...] = ()
        """Accounts in which the player whose turn it is has rolled unseen."""
        self.said_no = False
        """The table says that what seems to have been missed has not happened."""
        self.said: list[Event] = []
        """All events that were ruled on."""
        self.past: tuple[Past, ...] = ()
        """The last stills, since the table last said how things are."""
        self.retold: Retold | None = None
        """The last stills told anew, against what was ruled."""
        self.stilled = 0.0
        """When the last still was explained."""
        self._at_fault: tuple[int, frozenset[str]] = (0, frozenset())
        """Throws, and cards on the table, when a rule was broken: more of them mean that the table plays on."""
        self._announced = False
        self._notes: dict[float, dict[str, dict[str, Any]]] = {}

    # -- the protocol -------------------------------------------------------------------------------------------

    def see(self, scene: Scene) -> tuple[Output, ...]:
        """What is to be said of a still."""
        if not scene.camera.solved:  # without millimetres nobody knows what moved
            self._notes[scene.t] = self._note(scene, self.watch.peek(scene))
            return ()
        out: list[Output] = []
        if not self._announced:
            self._announced = True
            out.append(rulings.opening(scene.t, self.rules))
        firm = max(len(belief.state.track) for belief in self.beliefs)
        laid = max(len(belief.road) for belief in self.beliefs)
        self.scene, self.sight = scene, self.watch.look(scene, firm, laid, self.best.state.faceup)
        if self.sight.road:
            out += self._joined(self.sight)
            out += self._unread(self.sight)
            self.past = (*self.past[1 - REMEMBERED :], Past(self.beliefs, len(self.said), self.sight))
            out += self.understand(self.sight)
            out += running_in.check(self, scene.t)
        self._notes[scene.t] = self._note(scene, self.sight.cars)
        return tuple(out)

    def answer(self, answer: Answer) -> tuple[Output, ...]:
        """What follows from an answer; nothing when its question is not open (any more)."""
        if answer.question is None:
            return tuple(correct(self, answer))
        open_one = self.asking.get(answer.question)
        if open_one is None:
            return ()
        if answer.choice not in open_one.options:
            words: dict[str, Param] = {"value": answer.choice, "options": ", ".join(open_one.options)}
            return (refused(answer.t, Message("fairplay.refused.option", words)),)
        taken = self.asking.take(answer.question)
        assert taken is not None
        return tuple(self._answered(answer.t, taken[1], answer.choice))

    def scores(self) -> dict[str, int]:
        """Where each car stands, in tiles after start; one beyond the finish counts one more (rules 3.2.3)."""
        return dict(zip(self.names, self.best.cars, strict=True))

    def view(self) -> View:
        """What a screen needs to know."""
        return view_of(self)

    def role(self, face: str) -> str:
        """What the game calls a flat piece's sort in the report."""
        return "tile" if face.startswith("road.") else "card"

    def notes(self, scene: Scene) -> dict[str, dict[str, Any]]:
        """By piece id: the tile on which each car stands; tiles of this game have no cell in the report."""
        return self._notes.get(scene.t, {})

    @property
    def best(self) -> Belief:
        """What fits best."""
        return self.beliefs[0]

    # -- a still ------------------------------------------------------------------------------------------------

    def understand(self, sight: Sight) -> list[Output]:
        """Explains a still, or says what is wrong with it."""
        self.beliefs = tuple(read_later(self.beliefs, sight)) or self.beliefs
        self.told = told = explain(self.setup, self.beliefs, sight, tired=self.stuck > PATIENCE)
        if told.beliefs:
            return self.settle(sight.t, told.beliefs)
        self.retold = None if self.said_no else retell(self.setup, self.past, self.said, sight, self.stuck > PATIENCE)
        if self.retold and not self.retold.withdrawn:
            return self.settle(sight.t, self.retold.beliefs)
        tiles = {n: tile.piece for n, tile in enumerate(self.watch.road.tiles)}
        found = [fault for fault in faults(self.setup, told, sight, tiles) if fault.sure]
        said = self._missed(sight, told, found)
        if said is None and self.retold and not self.faults:
            said = self.asking.ask(("retold",), asked.retold(sight.t, self.names[told.nearest.state.player - 1]))
        return self._wrong(sight, told, found) if said is None else said

    def _missed(self, sight: Sight, told: Explained, found: Sequence[Fault]) -> list[Output] | None:
        """What seems wrong because a still was missed, or because it is said rather than seen: asked, or inferred; None
        when there is no such thing."""
        player = self.names[told.nearest.state.player - 1]
        if not self.said_no and not self.faults and missed.passed(self.setup, told, found):
            turned = [agree.passed(self.setup, belief) for belief in self.beliefs if belief.state.motion]
            self.lapsed = explain(self.setup, turned, sight).beliefs
            if self.lapsed:
                return self.asking.ask(("pass",), asked.passed(sight.t, player))
        waits = not sight.die_seen and self.stuck < PATIENCE  # the die will tell when it is seen again
        unthrown = not self.said_no and missed.unthrown(told) and not waits
        unoffered = not self.said_no and not self.faults and missed.unoffered(told, sight.t - self.stilled)
        thrown = not found and any(aspect[0] == "throw" for aspect in told.left)
        if not (unthrown or unoffered or thrown or missed.taken_up(told, sight)):
            return None
        self.lapsed = explain(self.setup, self.beliefs, sight, lapses=True).beliefs
        if not self.lapsed:
            return None
        if unthrown:
            values = [event.value for b in self.lapsed for event in b.log if isinstance(event, Rolled)]
            if not values:  # only that he filled up unseen explains it
                return self.asking.ask(("pass",), asked.passed(sight.t, player))
            return self.asking.ask(("throw",), asked.throw(sight.t, player, values))
        if unoffered:
            return self.asking.ask(("unseen",), asked.offer(sight.t, player))
        if missed.without_trace(self.lapsed):
            return self.asking.ask(("trace",), asked.traceless(sight.t, player))
        return self.settle(sight.t, self.lapsed)

    def settle(self, t: float, beliefs: Iterable[Belief]) -> list[Output]:
        """The still is explained: rulings on what is certain, a question where nothing more can tell."""
        self.beliefs, self.stuck = tuple(beliefs), 0
        out: list[Output] = [rulings.cleared(t, fault, self.names) for fault in self.faults.values()]
        self.faults.clear()
        self.asking.withdraw("counts", "throw", "unseen", "pass", "trace", "retold")
        self.said_no = False
        self.stilled = t
        self.beliefs = tuple(replace(belief, lapses=0) for belief in self.beliefs)
        asked_now = self._ask_doubt(t)
        return out + self._rule(t) + asked_now

    def _rule(self, t: float) -> list[Output]:
        """Rulings on the events on which all accounts agree: up to the first on which they do not; and after it, too,
        when that is put to the table, since nobody knows when it will be answered."""
        n = told_alike(self.beliefs)
        logs = [belief.log for belief in self.beliefs]
        alike = set(range(n))
        if self.doubted and len({len(log) for log in logs}) == 1:
            alike |= {m for m in range(n, len(logs[0])) if all(log[m] == logs[0][m] for log in logs)}
        events = [event for m, event in enumerate(self.best.log) if m in alike]
        self.beliefs = tuple(
            replace(belief, log=tuple(event for m, event in enumerate(belief.log) if m not in alike))
            for belief in self.beliefs
        )
        self.said += events
        cars = self.car_pieces()
        return [rulings.ruling(t, event, self.names, cars) for event in events]

    def _ask_doubt(self, t: float) -> list[Output]:
        """Asks when the accounts differ about what no later still can show."""
        found = doubt(self.beliefs, self.names)
        asked_already = self.doubted is not None and found is not None and self.doubted.topic == found.topic
        alike = found is None or len(set(found.choices)) < 2  # what differs makes no difference that could be asked
        if found is None or alike or not (asked_already or self._due(found)):
            self.doubted = None
            self.asking.withdraw("die", "tile", "card", "user", "to", "offer", "refuel", "more", "story")
            return []
        self.doubted = found
        return self.asking.ask(found.topic, question(found, t, self.names, self.car_pieces()))

    def _due(self, found: Doubt) -> bool:
        """A place at a border is asked at once; the rest when the play has gone on since."""
        n = told_alike(self.beliefs)
        later = [belief.log[n + 1 :] for belief in self.beliefs]
        if found.topic[0] == "tile":
            spot = self.sight.cars.get(found.player) if self.sight else None
            if spot is None or len(spot.tiles) == 1:
                return False  # it is covered, and will be seen again
            return not any(isinstance(event, Drove) for events in later for event in events) or all(later)
        if found.topic[0] == "die":
            return all(later)
        if found.topic[0] == "refuel" or (found.topic[0] == "card" and UNKNOWN in found.choices):
            # The next car to move tells: of a card that nobody saw only whether it was a puncture matters.
            return all(len(events) > 1 for events in later)
        return all(any(isinstance(event, Rolled) for event in events) for events in later)

    # -- what is wrong ------------------------------------------------------------------------------------------

    def _wrong(self, sight: Sight, told: Explained, sure: Sequence[Fault]) -> list[Output]:
        """No legal play explains the still: which rule is broken, if it was seen beyond doubt."""
        self.stuck += 1
        found = {fault.key: fault for fault in sure}
        out: list[Output] = [
            rulings.cleared(sight.t, fault, self.names) for key, fault in self.faults.items() if key not in found
        ]
        out += [rulings.illegal(sight.t, fault, self.names) for key, fault in found.items() if key not in self.faults]
        here = len(sight.throws), frozenset(card.key for card in sight.cards)
        played_on = here[0] > self._at_fault[0] or bool(here[1] - self._at_fault[1])
        if not self.faults or not found:
            self._at_fault, played_on = here, False
        self.faults = found
        if played_on or (self.stuck > PATIENCE and any(aspect[0] == "throw" for aspect in told.left)):
            out += self.asking.ask(("counts",), asked.counts(sight.t))
        return out

    def count_as_it_lies(self, t: float) -> list[Output]:
        """The table agrees that everything counts as it lies."""
        if self.sight is None or self.told is None:
            return []
        self.faults.clear()
        self.past = ()
        out: list[Output] = []
        belief = agree.as_it_lies(self.setup, self.told.nearest, self.sight)
        for event in belief.log:
            out.append(rulings.ruling(t, event, self.names, self.car_pieces()))
        belief = replace(belief, log=())
        others = [p for p in self.setup.order if p != belief.state.player and belief.state.phase in ("roll", "mend")]
        # Whose turn it is, the next car to move will tell.
        self.beliefs = (belief, *(replace(agree.turn_of(belief, p), cost=1.2) for p in others))
        return out + self.understand(replace(self.sight, t=t))

    # -- pieces that could not be read --------------------------------------------------------------------------

    def _unread(self, sight: Sight) -> list[Output]:
        """Asks what a tile of the road is, when it stays unread."""
        tile = next((tile for tile in self.watch.road.tiles if tile.kind == UNKNOWN), None)
        if tile is None:
            self._unread_for = ("", 0)
            self.asking.withdraw("face")
            return []
        piece, times = self._unread_for
        self._unread_for = (tile.piece, times + 1 if piece == tile.piece else 1)
        if self._unread_for[1] < PATIENCE:
            return []
        return self.asking.ask(("face", tile.piece), asked.face(sight.t, tile.piece, sight.road))

    _unread_for: tuple[str, int] = ("", 0)

    def tell_face(self, piece: str, face: str) -> bool:
        """The players say what a piece is; False when no such thing can be."""
        if face in TILES:
            self.watch.road.tell(piece, face)
            place = next((n for n, tile in enumerate(self.watch.road.tiles) if tile.piece == piece), -1)
            self.beliefs = tuple(agree.with_tile(belief, place, face) for belief in self.beliefs)
        elif face in CARDS or face == "back":
            self.watch.told[piece] = face
        else:
            return False
        self.asking.withdraw_topic(("face", piece))
        return True

    # -- joining late -------------------------------------------------------------------------------------------

    def _joined(self, sight: Sight) -> list[Output]:
        """The first look at a race that has begun: it counts as it lies, and the table says whose turn it is."""
        if self._began:
            return []
        self._began = True
        belief = self.best
        if explain(self.setup, self.beliefs, sight).beliefs:
            return []  # it may have begun just now
        self.beliefs = (agree.joined(belief, sight),)
        return self.asking.ask(("turn",), asked.turn(sight.t, self.names, self.names[belief.state.player - 1]))

    _began = False

    # -- answers ------------------------------------------------------------------------------------------------

    def _answered(self, t: float, topic: Topic, choice: str) -> list[Output]:
        match topic[0]:
            case "throw" if choice == asked.NOT_ROLLED:
                self.said_no = True
                return self.understand(replace(self.sight, t=t)) if self.sight else []
            case "unseen" | "pass" | "retold" if choice == "no":
                self.said_no = True
                return self.understand(replace(self.sight, t=t)) if self.sight else []
            case "trace" if choice == asked.NOT_THROWN:
                self.beliefs = tuple(replace(belief, thrown=len(self.watch.throws)) for belief in self.beliefs)
                return self.understand(replace(self.sight, t=t)) if self.sight else []
            case "trace":
                skipped = [b for b in self.lapsed if any(isinstance(e, Skipped) for e in b.log)]
                offered = [b for b in self.lapsed if b not in skipped]
                return self.settle(t, (skipped if choice == "no" else offered) or self.lapsed)
            case "unseen" | "pass":
                return self.settle(t, self.lapsed)
            case "retold":
                assert self.retold is not None
                self.past = ()
                return [rulings.withdrawn(t, self.retold.withdrawn, self.names), *self.settle(t, self.retold.beliefs)]
            case "throw":
                fitting = [
                    b for b in self.lapsed if any(isinstance(e, Rolled) and str(e.value) == choice for e in b.log)
                ]
                return self.settle(t, fitting)
            case "counts":
                return self.count_as_it_lies(t) if choice == "counts" else []
            case "face":
                self.tell_face(topic[1], choice)
                return self.understand(replace(self.sight, road=self.watch.road.kinds, t=t)) if self.sight else []
            case "turn":
                player = self.names.index(choice) + 1
                self.beliefs = tuple(agree.turn_of(belief, player) for belief in self.beliefs)
                return []
        found = self.doubted
        if found is None or found.topic != topic:
            return []
        fitting = [b for b, told in zip(self.beliefs, found.choices, strict=True) if told == choice]
        self.doubted = None
        if topic[0] == "tile":
            self.watch.tell_spot(found.player, int(choice))
        return self.settle(t, [replace(b, cost=b.cost - fitting[0].cost) for b in fitting])

    # -- telling ------------------------------------------------------------------------------------------------

    def car_pieces(self) -> dict[int, str]:
        """The cars that were seen last, by player."""
        return {player: spot.piece for player, spot in self.sight.cars.items()} if self.sight else {}

    def _note(self, scene: Scene, spots: Mapping[int, Spot]) -> dict[str, dict[str, Any]]:
        """See `notes`: a car at a border is said to stand where the beliefs have it."""
        notes: dict[str, dict[str, Any]] = {}
        for piece in scene.pieces:
            if piece.kind == "tile":
                notes[piece.id] = {"cell": None, "rotation": None}
        for player, spot in spots.items():
            believed = self.best.cars[player - 1]
            notes[spot.piece] = {"tile_index": believed if believed in spot.tiles else spot.tiles[0]}
        return notes
