"""The referee of Fliegende Teppiche: scenes and answers in, rulings and questions out (`rules.protocol.Referee`).

It goes from stage to stage: `layout`, `flight`, `evaluation` (only while something is in doubt), `duel`, `collect`, and
round again, until `over`. What was decided is pushed into a `Game`, which keeps hands, djinns, rounds and points.
"""

from __future__ import annotations

import msgspec

from rules.asking import Asking, Topic
from rules.carpets import disputes, laying, rounds, rulings
from rules.carpets.cards import sort_of
from rules.carpets.collect import CollectWatch
from rules.carpets.corrections import answer_face, correct, refused
from rules.carpets.duel import DuelWatch, Reading
from rules.carpets.flight import FlightWatch
from rules.carpets.game import Game
from rules.carpets.geometry import apart, centre
from rules.carpets.house_rules import HouseRuleError, HouseRules
from rules.carpets.layout import LayoutWatch
from rules.carpets.moves import EndRound, Evaluate, Landing, Throw
from rules.carpets.table import Sight, Slot, Table
from rules.carpets.unread import UnreadWatch
from rules.carpets.view import view_of
from rules.protocol import Answer, Message, Output, Param, Question, Ruling, View
from rules.session import Session
from vision.scene import Scene

PUSHED_MM = 250.0
"""A card that turns up under a new id within this of its place was pushed, or laid back; about three card lengths."""


class CarpetsReferee:
    """Referees one session. `card_mm`: width and height of the deck's cards, where the caller knows them.

    Raises ValueError (`HouseRuleError` for a house rule) when the session describes no game.
    """

    def __init__(self, session: Session, card_mm: tuple[float, float] | None = None) -> None:
        self.session = session
        self.rules = HouseRules.of(session.house_rules)
        self.names = [player.name for player in session.player]
        self.game = _new_game(session, self.rules)
        self.asking = Asking()
        self.table = Table(dict(self.game.setup.carpets), self.rules.ask_below_confidence)
        self.layout = LayoutWatch(self.asking)
        self.duel = DuelWatch([player.side for player in session.player])
        self.unread = UnreadWatch(self.asking, self.table)
        self.flight = self.new_flight(self.game.setup.layouter)
        self.collect = CollectWatch(self.table, self.names, self.rules.card_mm[0])
        self.stage = "layout"
        self._card_mm = card_mm
        self._announced = False
        self.sight: Sight | None = None
        self._epoch = 0
        self.full = False
        """The last scene showed the twelve of the layout."""
        self.early = 0
        """Scenes in a row that show a carpet at the cards of a layout that is not complete."""
        self.flights = 1
        """Throwing turns of this round, the running one included."""
        self.round, self.layouter = 1, self.game.setup.layouter
        """Of the round that is on the table: the game itself may have gone on while it is being cleared."""
        self.laid: dict[str, tuple[int, Slot]] = {}
        """Every card that was laid out, by piece: its round and slot."""
        self.lay_moves: dict[tuple[int, int], int] = {}
        """Round and number of each card to its move in the game."""
        self.carpets_on: dict[int, tuple[str, ...]] = {}
        """Cards of this flight to the carpets that lay on them."""
        self.chosen_contest: int | None = None
        self.last_reading: Reading | None = None
        self.told_djinns: dict[int, int] = {}
        self.pending_palaces = False

    # -- the protocol -------------------------------------------------------------------------------------------

    def see(self, scene: Scene) -> tuple[Output, ...]:
        """What is to be said of a still."""
        if not scene.camera.solved and self.stage != "layout":
            return ()  # without millimetres nobody knows what moved
        if scene.camera.epoch != self._epoch:
            self._epoch = scene.camera.epoch
            self.table.rebase(scene)
        sight = self.sight = self.table.look(scene)
        out: list[Output] = []
        if not self._announced:
            self._announced = True
            out.append(self._opening(scene.t))
        if sight.unknowns or self.asking.any_open("face"):
            out += self.unread.watch(sight, self.stage, self.game.state.deck())
        match self.stage:
            case "layout":
                out += laying.watch(self, sight)
            case "flight" | "evaluation":
                out += self._see_flight(sight)
            case "duel":
                out += self._see_duel(sight)
            case "collect":
                out += self._see_collect(sight)
        return tuple(out)

    def answer(self, answer: Answer) -> tuple[Output, ...]:
        """What follows from an answer; nothing when its question is not open (any more)."""
        if answer.question is None:
            return tuple(correct(self, answer))
        question = self.asking.get(answer.question)
        if question is None:
            return ()
        if answer.choice not in question.options:
            words: dict[str, Param] = {"value": answer.choice, "options": ", ".join(question.options)}
            return (refused(answer.t, Message("carpets.refused.option", words)),)
        taken = self.asking.take(answer.question)
        assert taken is not None
        return tuple(self._answered(answer.t, taken[1], answer.choice))

    def scores(self) -> dict[str, int]:
        """Points fixed so far (palaces of finished rounds, corrections) and what the cards held are worth by the rules
        of the end (1.7), lamps at their best. Palaces of the running round count when it is over."""
        return {self.names[player - 1]: points for player, points in self.game.scores.items()}

    def view(self) -> View:
        """What a screen needs to know."""
        return view_of(self)

    def role(self, face: str) -> str:
        """What the game calls a face's sort in the report."""
        return sort_of(face)

    @property
    def layouter_now(self) -> int:
        """Who lays out, or laid out what lies there: the last to throw."""
        return self.flight.sequence[-1]

    def _opening(self, t: float) -> Ruling:
        """What was agreed, told at the start (rules 1.8)."""
        changed = self.rules.changed()
        words = ", ".join(f"{name} = {value}" for name, value in changed.items())
        message = Message("carpets.session.changed" if changed else "carpets.session", {"rules": words})
        return Ruling(
            t=t, rule="carpets.session", message=message, data={"house_rules": msgspec.to_builtins(self.rules)}
        )

    # -- layout (rules 1.3) -------------------------------------------------------------------------------------

    @property
    def reach_mm(self) -> float:
        """Rules 1.3.2: one card width; where nobody told it, as the cards are measured."""
        return self.card_mm[0]

    @property
    def card_mm(self) -> tuple[float, float]:
        """Width and height of a card: as agreed, as the caller knows, as measured, as usual."""
        measured = self.sight is not None and self.sight.scene.camera.solved and bool(self.table.slots)
        if self._card_mm is None and measured:
            tl, tr, _, bl = self.table.slots[0].outline
            self._card_mm = round(apart(tl, tr), 1), round(apart(tl, bl), 1)
        width, height = self._card_mm or self.rules.card_mm
        return self.rules.card_w_mm or width, self.rules.card_h_mm or height

    # -- flight (rules 1.4) and evaluation (rules 1.5) ----------------------------------------------------------

    def new_flight(self, layouter: int) -> FlightWatch:
        return FlightWatch(self.table, self.asking, self.rules, self.names, layouter)

    def _throwing(self) -> str:
        thrower = self.flight.thrower
        return self.names[thrower - 1] if thrower else ""

    def _see_flight(self, sight: Sight) -> list[Output]:
        self._readopt(sight, anywhere=True)
        revealing = self.flight.begun and len(self.duel.fresh(sight)) > 1
        out = self.flight.watch(sight, self.card_mm[1], revealing)
        if not self.flight.begun and all(slot.missing > 1 for slot in self.table.slots):
            return out + self._ask_swept(sight.scene.t)
        self.asking.withdraw("swept")
        return out + self.after_throw(sight)

    def after_throw(self, sight: Sight) -> list[Output]:
        """Evaluates, once all have flown and what must be put right before is put right."""
        if not self.flight.over or self.displaced() or self.face_down():
            return []
        out = self.decide(sight.scene.t)
        # Djinns may have told that the flight is over: they are for the duel that is now due.
        return out + (disputes.watch(self, sight) if self.stage == "duel" else [])

    def _clearing(self) -> bool:
        """Carpets are being taken up: too late to put anything right."""
        return any(c.where == "landed" and not c.seen for c in self.table.carpets.values())

    def face_down(self) -> list[Slot]:
        """Cards that were turned over: to be turned face up on the spot before the evaluation (rules 1.4.6)."""
        if self.stage not in ("flight", "evaluation") or self.sight is None or self._clearing():
            return []
        backs = [centre(back.outline_mm) for back in self.sight.backs]
        return [
            slot
            for slot in self.table.slots
            if not slot.seen and any(apart(centre(slot.outline), back) < self.reach_mm for back in backs)
        ]

    def displaced(self) -> list[Slot]:
        """House rule `pushed_cards` = put_back: cards that must go back before the evaluation (rules 1.4.5)."""
        if self.rules.pushed_cards == "stay" or self.stage not in ("flight", "evaluation"):
            return []
        return (
            []
            if self._clearing()
            else [s for s in self.table.slots if s.seen and apart(centre(s.outline), centre(s.home)) > 5.0]
        )

    def decide(self, t: float) -> list[Output]:
        """The flight is over: asks what is in doubt, or evaluates."""
        out, landings = self.flight.decide(t)
        if landings is None:
            self.stage = "evaluation"
            return out
        return out + self._evaluate(t, landings)

    def _evaluate(self, t: float, landings: dict[str, Landing]) -> list[Output]:
        """Rules 1.5: who claims what and why, who claims nothing and why."""
        game, table = self.game, self.table
        left = list(landings)
        for player in self.flight.sequence:
            colour = next(c for c in left if table.carpets[c].owner == player)
            left.remove(colour)
            game.push(Throw(colour, landings[colour]))
        verdict = game.verdict()
        self.collect = CollectWatch(table, self.names, self.card_mm[0])
        self.carpets_on = verdict.carpets
        out: list[Output] = []
        for slot, player in verdict.claims.items():
            self.collect.claims[slot] = player
            out.append(rulings.claim(t, self.names[player - 1], self.slot(slot), verdict.carpets[slot], table, "alone"))
        for slot, players in verdict.contests.items():
            names = [self.names[p - 1] for p in players]
            out.append(rulings.contested(t, self.slot(slot), names, verdict.carpets[slot], table))
        for colour, reason in verdict.empty.items():
            carpet = table.carpets[colour]
            inferred = carpet.where != "landed"
            out.append(rulings.no_claim(t, self.names[carpet.owner - 1], colour, reason, table, inferred))
        game.push(Evaluate())
        self.stage = "duel" if verdict.contests else "collect"
        return out + (disputes.begin(self, t) if verdict.contests else [])

    def _readopt(self, sight: Sight, anywhere: bool) -> None:
        """Cards under a new id: one of the layout that was missing, else a card outside the layout."""
        for name, (piece, face) in sight.cards.items():
            if name in self.table.by_piece or name in self.table.elsewhere:
                continue
            within = PUSHED_MM if anywhere else self.reach_mm
            slot = self.table.missing_slot(face, piece, within)
            if slot and not self.table.lies_elsewhere(piece, self.reach_mm / 2):
                self.table.rebind(slot, piece)
                self.laid[piece.id] = self.round, slot
            else:
                self.table.put_elsewhere(piece)

    def slot(self, index: int) -> Slot:
        slot = self.table.slot(index)
        assert slot is not None
        return slot

    def _ask_swept(self, t: float) -> list[Output]:
        return self.asking.ask(
            ("swept",),
            Question(
                id="",
                t=t,
                rule="carpets.round.swept",
                options=("yes", "no"),
                default="yes",
                message=Message("carpets.ask.swept", {"n": len(self.table.slots)}),
            ),
        )

    # -- clearing the table, next flight (rules 1.5) ------------------------------------------------------------

    def _see_duel(self, sight: Sight) -> list[Output]:
        self._readopt(sight, anywhere=False)
        out = self.collect.watch(sight, {c.slot for c in self.game.state.contests}, sweeping=False)
        return out + disputes.watch(self, sight)

    def _see_collect(self, sight: Sight) -> list[Output]:
        self._readopt(sight, anywhere=False)
        out = self.collect.watch(sight, set(), sweeping=self.game.state.phase != "throwing")
        if self.collect.done or (self.collect.carpets_up and self.flight.touching(sight)):
            out += self.next_flight(sight.scene.t)
        return out

    def next_flight(self, t: float) -> list[Output]:
        """All is cleared: throw again, or the round is over (rules 1.5)."""
        if self.game.state.phase != "throwing":
            return rounds.end(self, t)
        for index in self.collect.claims:
            # A claimed card that nobody took is no part of the layout any more, either.
            if slot := self.table.slot(index):
                self.table.drop(slot)
        self.flight = self.new_flight(self.layouter)
        self.flights += 1
        self.stage = "flight"
        message = Message("carpets.next_flight", {"n": len(self.table.slots), "player": self._throwing()})
        out: list[Output] = [Ruling(t=t, rule="carpets.next_flight", message=message)]
        if self.sight is None:
            return out
        self.flight.rest()
        self.duel.before(self.sight)
        for carpet in self.flight.touching(self.sight):
            carpet.stirred, carpet.where = True, "away"
        return out + self._see_flight(self.sight)

    # -- answers ------------------------------------------------------------------------------------------------

    def _answered(self, t: float, topic: Topic, choice: str) -> list[Output]:
        match topic[0]:
            case "gap" | "reach":
                return self.layout.answered(t, topic, choice)
            case "face":
                return answer_face(self, t, topic[1], choice)
            case "on" | "off" | "stack":
                self.flight.answered(topic, choice == "yes")
                return self.decide(t)
            case "duel":
                contest = disputes.current(self)
                winner = self.names.index(choice) + 1
                return disputes.told_winner(self, t, contest, winner) if contest else []
            case "next_duel":
                words = disputes.option_words([self.slot(int(slot)).face for slot in topic[1:]])
                self.chosen_contest = int(topic[1 + words.index(choice)])
                return []
            case "lamps":
                return rounds.spend(self, t, int(topic[1]), int(choice))
            case "ready" if choice == "yes":
                self.flight.thrown_after_all()
                out = laying.begin_flights(self, t, agreed=True)
                return out + (self._see_flight(self.sight) if self.sight else [])
            case "swept" if choice == "yes":
                self.game.push(EndRound())
                return rounds.end(self, t)
        return []


def _new_game(session: Session, rules: HouseRules) -> Game:
    """The game that the session describes."""
    numbers = [player.number for player in session.player]
    if session.dealer not in numbers:
        raise ValueError(f"dealer = {session.dealer}: no player has that number")
    if rules.first_player is not None and rules.first_player not in numbers:
        raise HouseRuleError("first_player", f"no player has the number {rules.first_player}")
    carpets: dict[str, int] = {}
    for index, player in enumerate(session.player, 1):
        for colour in filter(None, (c.strip() for c in player.carpet.split(","))):
            if colour in carpets:
                raise ValueError(f"player {player.name}: the carpet {colour} is taken already")
            carpets[colour] = index
    return Game(
        len(session.player),
        house_rules=rules,
        layouter=numbers.index(rules.first_player or session.dealer) + 1,
        carpets=carpets or None,
        djinns={index: player.djinns for index, player in enumerate(session.player, 1)},
    )
