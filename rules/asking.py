"""Questions that are open: each asked once, answered or withdrawn. Every game's referee keeps its questions so."""

from __future__ import annotations

import msgspec

from rules.protocol import Output, Question

Topic = tuple[str, ...]
"""What a question is about, for whoever asked it: `("on", "red", "5")`."""


class Asking:
    """Open questions in the order in which they were asked."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[Question, Topic]] = {}
        self._asked = 0

    def ask(self, topic: Topic, question: Question) -> list[Output]:
        """Asks unless the topic is open already; gives the question out under an id of its own."""
        if self.is_open(topic):
            return []
        self._asked += 1
        question = msgspec.structs.replace(question, id=f"{topic[0]}.{self._asked}")
        self._open[question.id] = question, topic
        return [question]

    def is_open(self, topic: Topic) -> bool:
        return any(about == topic for _, about in self._open.values())

    def any_open(self, kind: str) -> bool:
        return any(about[0] == kind for _, about in self._open.values())

    def take(self, question_id: str) -> tuple[Question, Topic] | None:
        """Closes a question because it is answered; None when it is not open (any more)."""
        return self._open.pop(question_id, None)

    def get(self, question_id: str) -> Question | None:
        found = self._open.get(question_id)
        return found[0] if found else None

    def withdraw(self, *kinds: str) -> None:
        """Closes every question of these kinds: the players need not answer any more."""
        for name in [name for name, (_, topic) in self._open.items() if topic[0] in kinds]:
            del self._open[name]

    def withdraw_topic(self, topic: Topic) -> None:
        for name in [name for name, (_, about) in self._open.items() if about == topic]:
            del self._open[name]

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(question for question, _ in self._open.values())

    def topics(self, kind: str) -> list[Topic]:
        return [topic for _, topic in self._open.values() if topic[0] == kind]
