"""Carpets in the air and down: who has thrown, in which order, when all have flown, how each lies (rules 1.4, 1.5)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from rules.asking import Asking
from rules.carpets.flights import throw_sequence
from rules.carpets.house_rules import HouseRules
from rules.carpets.landing import Contact, Stacked, contacts, stacked
from rules.carpets.moves import Landing
from rules.carpets.table import Carpet, Sight, Table
from rules.protocol import Mark, Message, Output, Question, Ruling
from vision.scene import Piece

ON = "carpets.on"
THROW_ORDER = "carpets.illegal.throw_order"


class FlightWatch:
    """One flight: from the first carpet thrown until how all lie is decided."""

    def __init__(self, table: Table, asking: Asking, rules: HouseRules, names: Sequence[str], layouter: int) -> None:
        self._table, self._asking, self._rules, self._names = table, asking, rules, names
        self.sequence = throw_sequence(len(names), layouter, rules)
        self._landed: list[tuple[str, int]] = []
        """Colours in the order in which they were seen to land, and the scene in which they were."""
        self._early: set[str] = set()
        self._scenes = 0
        self._contacts: dict[str, dict[int, Contact]] = {}
        self._stacked: dict[tuple[str, str], Stacked] = {}
        self._decided: dict[tuple[str, ...], bool] = {}
        self.over = False
        """All carpets have flown: from now on only how they lie is decided."""
        self._lost: set[str] = set()

    # -- looking ------------------------------------------------------------------------------------------------

    @property
    def begun(self) -> bool:
        return bool(self._landed)

    @property
    def thrower(self) -> int | None:
        """Whose throw is awaited: after the last one seen, since one passed over may have flown off the table."""
        places = self._filled().values()
        after = list(range(max(places, default=-1) + 1, len(self.sequence)))
        left = after or [i for i in range(len(self.sequence)) if i not in places]
        return self.sequence[left[0]] if left else None

    def rest(self) -> None:
        """Carpets that lie about while nobody throws."""
        for carpet in self._table.carpets.values():
            carpet.where = "resting" if carpet.seen else "away"
            carpet.stirred = False

    def thrown_after_all(self) -> None:
        """The players say that throwing has begun: what lies about was thrown, wherever it lies."""
        for carpet in self._table.carpets.values():
            carpet.stirred = carpet.seen

    def touching(self, sight: Sight) -> list[Carpet]:
        """Carpets that lie at a card of the layout."""
        return [self._table.carpets[c] for c, piece in sight.carpets.items() if self._touches(piece, sight)]

    def watch(self, sight: Sight, card_h: float, revealing: bool) -> list[Output]:
        """Follows the carpets; `revealing`: djinns are being laid, so that the flight must be over."""
        self._scenes += 1
        carpets = self._table.carpets.values()
        before = len(self._landed)
        strayed = [c for c in carpets if self._follow(c, sight, card_h)]
        if self.over:
            return []  # what counts is how they lay when all had flown
        out: list[Output] = []
        if len(self._landed) > before:
            out += self._order(sight.scene.t)
            strayed = []  # what moves while a carpet lands was pushed
        measured = contacts(sight.scene, self._table, self._rules)
        for c in carpets:
            if c.where == "landed" and c.seen and c not in strayed:
                self._contacts[c.colour] = self._as_it_lies(c, measured.get(c.colour, {}))
                c.landing = c.outline
        for stack in stacked(sight.scene, self._table, self._rules):
            self._stacked[stack.over, stack.under] = stack
            self._stacked.pop((stack.under, stack.over), None)
        self._end(strayed, revealing)
        return out

    def _as_it_lies(self, carpet: Carpet, found: dict[int, Contact]) -> dict[int, Contact]:
        """The cards at a carpet. For one that lies still, what this still misses is as it was: a card knocked off the
        table is laid back where it lay (rules 1.4.6), and one taken early was claimed by what lies there."""
        if carpet.stirred:
            return found
        old = self._contacts.get(carpet.colour, {})
        seen = {slot.index for slot in self._table.slots if slot.seen}
        kept = {card: contact for card, contact in old.items() if card not in seen}
        return found | kept

    def _end(self, strayed: list[Carpet], revealing: bool) -> None:
        """Rules 1.5: all carpets have flown when all lie there, or when what lies there is being cleared away.

        One still alone may err, about several carpets too (a hand that was not noticed): a second one must bear it
        out, or djinns that are laid.
        """
        down = [c for c in self._table.carpets.values() if c.where == "landed"]
        gone = [c for c in down if c in strayed or not (c.seen or self._table.hidden(c))]
        everyone = len(down) == len(self._table.carpets)
        cleared = any(c.missing > 1 for c in gone) or (revealing and bool(down))
        lapse = any(contact.lapse for lies in self._contacts.values() for contact in lies.values())
        self.over = cleared or (everyone and not gone and not lapse)
        if everyone and cleared and not revealing and len(gone) < len(down):
            # All were down, but never in one still: pushed off the table by the last one, or taken up already? Asked
            # when it lay on a card; else it brings nothing either way.
            self._lost = {
                c.colour
                for c in gone
                if c.missing > 1 and any(contact.on for contact in self._contacts.get(c.colour, {}).values())
            }

    def _follow(self, carpet: Carpet, sight: Sight, card_h: float) -> bool:
        """Has one carpet come down? True when it was down already and now lies elsewhere, at no card."""
        piece = sight.carpets.get(carpet.colour)
        if piece is None:
            if carpet.where == "resting" and carpet.missing > 1:
                carpet.where = "away"
            return False
        touching = carpet.stirred and self._touches(piece, sight)
        if carpet.where == "landed":
            return carpet.stirred and not touching
        carpet.where = "resting"  # as long as it lies where it lay before this flight
        if carpet.stirred and (touching or carpet.owner == self.thrower or self._near(piece, sight, card_h)):
            carpet.where = "landed"
            self._landed.append((carpet.colour, self._scenes))
        return False

    def _touches(self, piece: Piece, sight: Sight) -> bool:
        """Does it lie on, under or against a card of the layout or a carpet that is down?"""
        down = {c.piece for c in self._table.carpets.values() if c.where == "landed"}
        others = down | self._table.by_piece.keys()
        return any(
            (o.over == piece.id and o.under in others) or (o.under == piece.id and o.over in others)
            for o in sight.scene.overlaps
        )

    def _near(self, piece: Piece, sight: Sight, within: float) -> bool:
        cards = self._table.by_piece
        return any(
            gap.mm <= within and ((gap.a == piece.id and gap.b in cards) or (gap.b == piece.id and gap.a in cards))
            for gap in sight.scene.gaps
        )

    # -- throw order --------------------------------------------------------------------------------------------

    def _filled(self) -> dict[str, int]:
        """Each carpet that has landed, and which throw of the sequence it was."""
        places: dict[str, int] = {}
        for colour, _ in self._landed:
            owner = self._table.carpets[colour].owner
            free = [i for i, p in enumerate(self.sequence) if p == owner and i not in places.values()]
            places[colour] = free[0] if free else len(self.sequence)
        return places

    def _in_turn(self) -> bool:
        """May everybody have thrown in turn? Carpets that flew off the table unseen leave gaps in the order, and of
        those that a still shows together for the first time any may have been the first."""
        owners = [(scene, self._table.carpets[colour].owner) for colour, scene in self._landed]
        return any(
            _is_part(order, self.sequence)
            for order in itertools.permutations(owners)
            if all(a[0] <= b[0] for a, b in itertools.pairwise(order))
        )

    def _order(self, t: float) -> list[Output]:
        """Rules 1.4.1: ruled only once no carpet that flew off unseen can explain the order."""
        places = self._filled()
        out: list[Output] = []
        if self._in_turn():
            return out
        for colour, scene in self._landed:
            late = [c for c, s in self._landed if s > scene and places[c] < places[colour]]
            if late and colour not in self._early:
                self._early.add(colour)
                owner, first = self._table.carpets[colour].owner, self._table.carpets[late[0]].owner
                names = {"player": self._names[owner - 1], "first": self._names[first - 1]}
                out.append(
                    Ruling(
                        t=t,
                        rule=THROW_ORDER,
                        pieces=(self._table.carpets[colour].piece,),
                        player=names["player"],
                        message=Message(THROW_ORDER, {**names, "carpet": f"carpet.{colour}"}),
                    )
                )
        return out

    # -- how they lie -------------------------------------------------------------------------------------------

    def decide(self, t: float) -> tuple[list[Output], dict[str, Landing] | None]:
        """Once the flight is over: questions about what is in doubt, or how every carpet (by colour) lies."""
        doubts: list[tuple[tuple[str, ...], Question]] = []
        for colour in sorted(self._lost):
            if ("off", colour) not in self._decided:
                doubts.append((("off", colour), self._ask_off(t, colour)))
        for colour, lies in self._contacts.items():
            for card, contact in sorted(lies.items()):
                topic = "on", colour, str(card)
                if not contact.sure and topic not in self._decided:
                    doubts.append((topic, self._ask_on(t, colour, card, contact)))
        for (over, under), stack in sorted(self._stacked.items()):
            if not stack.sure and ("stack", over, under) not in self._decided:
                doubts.append((("stack", over, under), self._ask_stack(t, over, under)))
        if doubts:
            return [output for topic, question in doubts for output in self._asking.ask(topic, question)], None
        return [], {colour: self._landing(colour) for colour in self._table.carpets}

    def answered(self, topic: tuple[str, ...], yes: bool) -> None:
        self._decided[topic] = yes

    def _landing(self, colour: str) -> Landing:
        where = self._table.carpets[colour].where
        if where != "landed" or self._decided.get(("off", colour)):
            return Landing(off_table=where != "resting")
        lies = self._contacts.get(colour, {})
        on = [card for card, c in lies.items() if self._decided.get(("on", colour, str(card)), c.on)]
        under = [card for card, c in lies.items() if c.under and card not in on]
        over = [u for (o, u) in self._stacked if o == colour and self._decided.get(("stack", o, u), True)]
        over += [o for (o, u) in self._stacked if u == colour and not self._decided.get(("stack", o, u), True)]
        return Landing(tuple(sorted(on)), tuple(sorted(under)), tuple(sorted(over)))

    def _ask_on(self, t: float, colour: str, card: int, contact: Contact) -> Question:
        slot = self._table.slot(card)
        assert slot is not None
        carpet = self._table.carpets[colour]
        return Question(
            id="",
            t=t,
            rule=ON,
            pieces=(carpet.piece, slot.piece),
            options=("yes", "no"),
            default="yes" if contact.on else "no",
            measured=round(contact.measured, 2),
            sigma=round(contact.sigma, 2),
            limit=0.0,
            unit="mm",
            message=Message("carpets.ask.on", {"carpet": carpet.face, "card": slot.face}),
        )

    def _ask_stack(self, t: float, over: str, under: str) -> Question:
        a, b = self._table.carpets[over], self._table.carpets[under]
        return Question(
            id="",
            t=t,
            rule="carpets.stack",
            pieces=(a.piece, b.piece),
            options=("yes", "no"),
            default="yes",
            message=Message("carpets.ask.stack", {"carpet": a.face, "other": b.face}),
        )

    def _ask_off(self, t: float, colour: str) -> Question:
        carpet = self._table.carpets[colour]
        return Question(
            id="",
            t=t,
            rule="carpets.off_table",
            pieces=(carpet.piece,),
            options=("yes", "no"),
            default="no",  # from among the cards hardly any carpet is pushed off the table
            message=Message("carpets.ask.off", {"carpet": carpet.face}),
        )

    def marks(self) -> list[Mark]:
        """A throw out of turn, as long as it is not sure."""
        places, filled = self._filled(), set(self._filled().values())
        marks = []
        for colour, place in places.items():
            skipped = [i for i in range(min(place, len(self.sequence))) if i not in filled]
            if skipped and not self.over:
                name = self._names[self.sequence[skipped[0]] - 1]
                carpet = self._table.carpets[colour]
                marks.append(
                    Mark(kind="doubt", pieces=(carpet.piece,), message=Message("carpets.mark.order", {"player": name}))
                )
        return marks


def _is_part(order: Sequence[tuple[int, int]], sequence: Sequence[int]) -> bool:
    """Do the owners come in this order somewhere in the sequence, gaps allowed?"""
    rest = iter(sequence)
    return all(owner in rest for _, owner in order)
