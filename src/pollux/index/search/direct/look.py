"""Compares the passages of one session with a query."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from pollux.index.search.direct.filters import PassageFacts, SessionTruth
from pollux.index.search.direct.query import Candidate, DirectQuery, Scattered
from pollux.index.search.direct.quick_look import PassageLetters
from pollux.index.search.direct.ranking import Statistics
from pollux.index.search.direct.word_count import CountedText
from pollux.index.search.fields import OLDEST, earliest, factor
from pollux.index.search.passages import Facts, PassageKind, joined, models_of, passage_parts, rough_size, title_of
from pollux.index.search.prepare.prepare_text import well_formed
from pollux.index.search.snippets import Needle, Snippet, snippet
from pollux.model import Author, Message, Part, Session

TITLE = -1
"""The place of a title, before all passages of its message."""

_MEASURED = 61
"""Every so many passages one is measured, besides those that match."""


class Match(NamedTuple):
    """A matching passage. `length` is the smallest that it can have, until it is measured."""

    message: int
    place: int
    text: CountedText
    facts: PassageFacts
    factor: float
    length: int
    frequencies: list[int]
    constant: float = 0.0


class _Passage(NamedTuple):
    """A passage whose text is not made yet, or a whole message."""

    where: tuple[int, int]
    kind: PassageKind
    at: datetime | None
    model: str | None
    message: Message
    parts: Sequence[Part]


class Look:
    """Compares the passages of one session, and collects what matches.

    Of passages with less than this factor, it only matters whether they match. With `only_best` they are left out. With
    a `phrase`, nothing is to be known of passages without its words, so that most texts are not even made. If it
    `sifts`, it first looks for the phrase in all passages together: `sifted` says how many there were, and how many are
    left. Unless it `counts`, it makes no statistics. `exactly` so many characters are measured, then samples of them.
    """

    def __init__(  # noqa: PLR0913
        self,
        query: DirectQuery,
        term_leaves: Sequence[tuple[int, Needle]],
        least_factor: float,
        *,
        only_best: bool = False,
        phrase: Sequence[str] | None = None,
        counts: bool = True,
        sifts: bool = False,
        exactly: int = 0,
    ) -> None:
        self._query = query
        self._least_factor = least_factor
        self._only_best = only_best
        self._phrase = phrase
        self._counts = counts
        self._sifts = sifts
        self._exactly = exactly
        self.sifted = (0, 0)
        self.left_out = False
        self._terms = term_leaves
        self.statistics = Statistics(frequencies=[0] * len(term_leaves))
        self.matches: list[Match] = []
        self.scattered: list[Match] = []
        self._since: dict[tuple[PassageKind, bool], datetime | None] = {}
        self._present: set[int] = set()
        self._unwanted = False

    def compare_all(self, session: Session, truths: Sequence[SessionTruth]) -> None:
        """Compare all passages of a session."""
        models = models_of(session.messages)
        if (title := title_of(session)) is not None:
            number, words = title
            at = session.ended or session.started
            facts = PassageFacts(PassageKind.TITLE, at, models[number] if models else None)
            weight = factor(facts.kind, at, copied=False)
            if self._is_exact() and self._phrase is not None:
                self._count(len(words), words)
            if (text := self._text(words, weight)) is not None:
                self._compare(Candidate((number, TITLE), facts, text, truths), weight)
        if self._counts and self._phrase is not None:
            self._count_roughly(session)
        for where, kind, at, model, message, parts in self._passages(session, models):
            piece, words = joined(parts, message.author)
            weight = factor(kind, at, copied=message.inherited)
            if (text := self._text(words, weight)) is not None:
                facts = PassageFacts(kind, at, model, message, piece)
                self._compare(Candidate(where, facts, text, truths), weight)

    def _passages(self, session: Session, models: Sequence[str | None]) -> list[_Passage]:
        """The passages that are to be compared. If none is too old, whole messages are sifted, which is quicker."""
        at = session.started
        messages: list[_Passage] = []
        for number, (message, model) in enumerate(zip(session.messages, models, strict=True)):
            at = message.at or at
            messages.append(_Passage((number, 0), PassageKind.OTHER, at, model, message, message.parts))
        if self._phrase is None or not self._sifts:
            return [passage for each in messages for passage in self._passages_of(each)]
        if not self._only_best or self._least_factor <= 1.0:
            return [passage for each in self._sift(messages, self._phrase) for passage in self._passages_of(each)]
        return self._sift([passage for each in messages for passage in self._passages_of(each)], self._phrase)

    def _passages_of(self, whole: _Passage) -> Iterator[_Passage]:
        """The passages of a message that are not left out whatever their texts are."""
        (number, _), _, at, model, message, _ = whole
        best_kind = PassageKind.PROMPT if message.author is Author.HUMAN else PassageKind.SUMMARY
        if self._phrase is not None and not self._may_be_best(best_kind, at, copied=message.inherited):
            return
        for place, (kind, parts) in enumerate(passage_parts(message)):
            if self._may_count(kind, at, copied=message.inherited):
                yield _Passage((number, place), kind, at, model, message, parts)

    def _may_count(self, kind: PassageKind, at: datetime | None, *, copied: bool) -> bool:
        """May a passage be among the best, and is it of a kind that is asked for?"""
        if self._phrase is None:
            return True
        if self._query.kinds is not None and kind not in self._query.kinds:
            return False
        return self._may_be_best(kind, at, copied=copied)

    def _may_be_best(self, kind: PassageKind, at: datetime | None, *, copied: bool) -> bool:
        """May a passage of a kind be among the best?"""
        if not self._only_best:
            return True
        if (kind, copied) not in self._since:
            self._since[kind, copied] = earliest(kind, self._least_factor, copied=copied)
        since = self._since[kind, copied]
        if since is not None and (at or OLDEST) >= since:
            return True
        self.left_out = True
        return False

    def _sift(self, passages: Sequence[_Passage], phrase: Sequence[str]) -> list[_Passage]:
        """Those of the passages that may have the phrase."""
        letters = PassageLetters([(passage.parts, passage.message.author) for passage in passages])
        left = [passages[number] for number in letters.having(phrase)]
        self.sifted = (len(passages), len(left))
        return left

    def _text(self, text: str, weight: float) -> CountedText | None:
        """The text of a passage in which words are to be counted; None if that is not worth it."""
        if not text or text.isspace():
            return None
        if self._counts and self._phrase is None:
            self._count(len(text), text)
        if self._only_best and weight < self._least_factor:
            self.left_out = True
            return None
        counted = CountedText(text)
        return counted if self._phrase is None or counted.has_all(self._phrase) else None

    def _count(self, size: int, text: str) -> None:
        """Count a passage of about this size; now and then, measure its text."""
        counted = self.statistics
        is_measured = self._is_exact() or counted.passages % _MEASURED == 0
        counted.passages += 1
        counted.characters += size
        if is_measured:
            counted.length += CountedText(text).length
            counted.measured += len(text)

    def _is_exact(self) -> bool:
        """Is the next passage measured, too?"""
        return self.statistics.characters < self._exactly

    def _count_roughly(self, session: Session) -> None:
        """Count the passages without making their texts, unless they are to be measured."""
        for message in session.messages:
            for _, parts in passage_parts(message):
                size = sum([rough_size(part, message.author) for part in parts])
                if size and (self._is_exact() or not self.statistics.passages % _MEASURED):
                    text = joined(parts, message.author)[1]
                    self._count(len(text) if self._is_exact() else size, text)
                elif size:
                    self._count(size, "")

    def _compare(self, passage: Candidate, weight: float) -> None:
        """Compare a passage with the query."""
        query = self._query
        passage.roughly = weight < self._least_factor
        for number, (leaf, needle) in enumerate(self._terms):
            self.statistics.frequencies[number] += passage.count(leaf, needle) > 0
        parts = query.scattered
        if parts is not None and any(node.matches(passage) for node in parts.unwanted):
            self._unwanted = True
        if query.root is None or (query.kinds is not None and passage.facts.kind not in query.kinds):
            return
        if query.root.matches(passage):
            frequencies = [0] * len(query.slots)
            query.root.add(passage, frequencies)
            self.matches.append(_match(passage, weight, frequencies))
        elif parts is not None and not self.matches and not self._unwanted:
            self._compare_parts(passage, weight, parts)

    def _compare_parts(self, passage: Candidate, weight: float, parts: Scattered) -> None:
        """Compare a passage with the parts of the query that may match in different passages."""
        wanted = [number for number, node in enumerate(parts.wanted) if node.matches(passage)]
        if not wanted or not all(node.matches(passage) for node in parts.where):
            return
        self._present.update(wanted)
        frequencies = [0] * len(self._query.slots)
        for number in wanted:
            parts.wanted[number].add(passage, frequencies)
        self.scattered.append(_match(passage, weight, frequencies, parts.constant * len(wanted)))

    def is_scattered(self) -> bool:
        """Do several passages match everything together?"""
        parts = self._query.scattered
        return parts is not None and not self._unwanted and len(self._present) == len(parts.wanted)


def _match(passage: Candidate, weight: float, frequencies: list[int], constant: float = 0.0) -> Match:
    message, place = passage.where
    return Match(message, place, passage.text, passage.facts, weight, sum(frequencies), frequencies, constant)


def count_matches(query: DirectQuery, session: Session, number: int) -> int:
    """How many messages of a session match."""
    look = Look(query, (), math.inf)
    look.compare_all(session, query.session_truths(Facts.of(session), number))
    return len({match.message for match in look.matches})


def show(query: DirectQuery, session: Session, message: int, place: int) -> Snippet:
    """The line of a passage that shows best why it matches."""
    return snippet(well_formed(_shown_text(session, message, place)), query.targets)


def _shown_text(session: Session, message: int, place: int) -> str:
    if place == TITLE:
        title = title_of(session)
        return title[1] if title is not None else ""
    said = session.messages[message]
    return joined(passage_parts(said)[place][1], said.author)[1]
