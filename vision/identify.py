"""The face of a look, and how surely it is no other: the best of the deck against whichever comes near it."""

from __future__ import annotations

import numpy as np

from vision.facebank import FaceBank, Float
from vision.naming import Look, Match, Namer
from vision.telltale import lead, prefer

RIVAL_SHARE, MOST_RIVALS, MOST_SWITCHES = 0.6, 4, 3
APART_ENOUGH = 40.0
"""Beyond this, being farther apart adds nothing: what then goes wrong is the model, not the noise. On 60 random tables
pieces at least 40 % in view have their place between 0.76 (5th percentile) and 1.07; only ones covered by more
fall under 0.6."""
MOST_EVIDENCE = 0.5 * APART_ENOUGH

LEAST_LEAD, DOUBTFUL, BEYOND_DOUBT = -0.05, 1.0, 12.0
"""Where two tiles differ most the likelier must not agree with the picture less than the other, or what tells them
apart is covered: a crossing on whose one arm a black meeple stands was named a junction, with evidence 5.5, though
there the junction correlates by 0.09 to 0.14 less. Of 610 tiles named right three lead by no more than -0.01 to 0.05.
It is not asked of those with more evidence than the last."""

UNKNOWN_BELOW = 0.7
"""A face less likely than this is not named at all: `unknown` is asked about, a wrong name would be ruled on. The two
wrong names among 1800 pieces on random tables, under a glare and in a dim room, had 0.55 and 0.66; of the right ones
one in 500 has less than 0.93. Better unknown once too often."""


def identify(bank: FaceBank, namer: Namer, seen: Look, white: Float | None) -> tuple[Match, float] | None:
    """Best face of a look, and the evidence for its kind against the nearest rival (log likelihood ratio)."""
    matches = namer.judge(seen, white)
    if not matches:
        return None
    best, evidence = matches[0], MOST_EVIDENCE
    for _ in range(MOST_SWITCHES):
        best_rival, evidence = None, MOST_EVIDENCE
        upright = seen.turned(best.turns)
        for rival in _rivals(bank, best, matches):
            first, second = namer.index.index(best.template), namer.index.index(rival.template)
            p = prefer(namer, upright, first, second, white, (best.turns - rival.turns) % 4)
            worth = (p.place - 0.5) * min(p.apart, APART_ENOUGH)
            if namer.square and DOUBTFUL < worth < BEYOND_DOUBT:
                ahead = lead(namer, upright, first, second, (best.turns - rival.turns) % 4)
                worth = worth if ahead > LEAST_LEAD else DOUBTFUL
            if worth < evidence:
                best_rival, evidence = rival, worth
        if best_rival is None or evidence >= 0:
            break
        best = best_rival
    return best, evidence


def confidence(evidence: float) -> float:
    """0 to 1 from the evidence against the nearest rival; halved, since blocks that err together count too often."""
    return float(1 / (1 + np.exp(-evidence / 2)))


def _rivals(bank: FaceBank, best: Match, matches: list[Match]) -> list[Match]:
    """The best match of each other kind that comes near; of cards, same way up."""
    kinds = {bank.templates[best.template].face.kind}
    out = []
    for m in matches:
        face = bank.templates[m.template].face
        askew = m.turns != best.turns and face.piece != "tile"
        if face.kind in kinds or askew or m.share < RIVAL_SHARE * best.share:
            continue
        kinds.add(face.kind)
        out.append(m)
        if len(out) == MOST_RIVALS:
            break
    return out
