"""What a new deck is good for, before anybody plays with it: faces that would be confused, kinds that are lacking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from device.deck_folder import DECKS, DeckSpec
from device.errors import UserError
from device.toml_file import read_toml
from rules.games import GAMES
from vision.alike import prepare
from vision.confusion import Confusion, confusions
from vision.deck import Deck
from vision.facebank import FaceBank
from vision.identify import UNKNOWN_BELOW, confidence, identify
from vision.naming import Namer
from vision.scene import BACK
from vision.sides import View

OFTEN = 0.1
"""Share of looks left unnamed that is worth a line: a question now and then is what players are used to."""
NOT_TOLD = 0.75
"""... and from which two faces are not to be told apart at all."""


def kinds_of(game: str) -> dict[str, int]:
    """Kinds of a game and how many cards each has, as the deck that ships for it has them."""
    if game not in GAMES:
        raise UserError(f"--game {game}: there is no such game; there are {', '.join(GAMES)}")
    kinds: dict[str, int] = {}
    for face in read_toml(DECKS / game / "deck.toml", DeckSpec).face:
        kinds[face.kind] = kinds.get(face.kind, 0) + face.count
    return kinds


def check_game(game: str, kinds: Sequence[str]) -> None:
    """Raises `UserError` for a kind that the game does not know."""
    strange = sorted(set(kinds) - set(kinds_of(game)) - {BACK})
    if strange:
        raise UserError(f"the game {game} knows no kind {', '.join(map(repr, strange))}; correct the names")


def lacking(game: str, deck: Deck) -> list[str]:
    """Lines that say which kinds of a game the deck has no face or too few cards of."""
    have: dict[str, int] = {}
    for face in deck.faces:
        have[face.kind] = have.get(face.kind, 0) + face.count
    wanted = kinds_of(game)
    none = [kind for kind in wanted if kind not in have]
    few = [f"{kind} {have[kind]} of {count}" for kind, count in wanted.items() if 0 < have.get(kind, 0) < count]
    return [
        *([f"for {game} there is no face yet of: {', '.join(none)}"] if none else []),
        *([f"for {game} there are few cards of: {', '.join(few)}; correct count in deck.toml"] if few else []),
    ]


def look_alikes(deck: Deck) -> list[str]:
    """Lines on the faces that would be taken for others, measured (`vision.confusion`)."""
    found = confusions(deck)
    looks, wrong = sum(c.looks for c in found), sum(c.wrong for c in found)
    unnamed = sum(c.unnamed for c in found)
    lines = [f"looked at dim, blurred and partly covered, {looks} times: {wrong} named wrongly, {unnamed} not at all"]
    for one in sorted(found, key=lambda c: (-c.wrong, -c.unnamed)):
        lines += _lines(one)
    return lines


def other_views(deck: Deck, views: Mapping[str, Sequence[View]], used: Mapping[str, View]) -> list[str]:
    """Lines on how the deck names the very views of its faces from which their pictures were not made."""
    bank = FaceBank(deck)
    namers = [Namer(bank, shape) for shape in range(len(bank.sizes))]
    shapes = {t.face.id: t.shape_id for t in bank.templates}
    kinds = {t.face.id: t.face.kind for t in bank.templates}
    right, wrong, unnamed = 0, [], 0
    for face, all_views in views.items():
        for view in all_views:
            if view is used[face] or face not in kinds:
                continue
            named = identify(bank, namers[shapes[face]], prepare(view.cutout), None)
            if named is None or confidence(named[1]) < UNKNOWN_BELOW:
                unnamed += 1
            elif bank.templates[named[0].template].face.kind == kinds[face]:
                right += 1
            else:
                wrong.append(f"{face} as {bank.templates[named[0].template].face.id}")
    total = right + unnamed + len(wrong)
    if not total:
        return []
    told = f"{total} other views of its faces: {right} named rightly, {len(wrong)} wrongly, {unnamed} not at all"
    return [told + (f" ({'; '.join(wrong)})" if wrong else "")]


def _lines(one: Confusion) -> list[str]:
    out = [f"{one.face}: taken for {other} in {times} of {one.looks} looks" for other, times in one.taken_for]
    if one.unnamed < OFTEN * one.looks:
        return out
    other, times = one.doubted[0]
    if times > NOT_TOLD * one.looks:
        return [*out, f"{one.face}: cannot be told from {other}; if they are doubles, give them one kind"]
    return [*out, f"{one.face}: not named in {one.unnamed} of {one.looks} looks, mostly for {other or 'lack of print'}"]
