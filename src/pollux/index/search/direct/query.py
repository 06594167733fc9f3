"""A query in a form that can be compared with a passage directly, without an index."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import assert_never

from pollux.index.search.cross_message import MOST_WANTED, split_query
from pollux.index.search.direct.filters import (
    PassageFacts,
    PassageTest,
    SessionTest,
    SessionTruth,
    passage_test,
    session_test,
)
from pollux.index.search.direct.word_count import CountedText, Places
from pollux.index.search.fields import tokens
from pollux.index.search.passages import Facts, PassageKind
from pollux.index.search.prepare.unspaced import is_own_word
from pollux.index.search.query import And, FieldFilter, Near, Node, Not, Or, Query, Words
from pollux.index.search.snippets import Needle, needles
from pollux.model import Kind


class Candidate:
    """A passage that is being compared: its facts, its text, and what was counted in it so far.

    `where` has the number of its message, and its place in the message. `roughly`: it only matters whether words occur,
    not how often.
    """

    __slots__ = ("_counts", "facts", "roughly", "session_truths", "text", "where")

    def __init__(
        self, where: tuple[int, int], facts: PassageFacts, text: CountedText, session_truths: Sequence[SessionTruth]
    ) -> None:
        self.where = where
        self.facts = facts
        self.text = text
        self.session_truths = session_truths
        self.roughly = False
        self._counts: dict[int, int] = {}

    def count(self, number: int, leaf: Leaf) -> int:
        """How often a leaf occurs in the text."""
        count = self._counts.get(number)
        if count is None:
            count = self._counts[number] = (
                self.text.count(leaf, roughly=self.roughly) if isinstance(leaf, Needle) else self.text.count_near(leaf)
            )
        return count


Leaf = Needle | Places
"""What can be counted in a text: a word or phrase, or words near one another."""


def exact_words(needle: Needle) -> tuple[str, ...]:
    """The words of a needle without a beginning at its end."""
    return needle.words[:-1] if needle.prefix else needle.words


class DirectNode:
    """A part of a query. Some filters ask for the whole session, so their result is known before any passage."""

    def may_match(self, session_truths: Sequence[SessionTruth]) -> bool:
        """May a passage of the session match?"""
        raise NotImplementedError

    def matches(self, passage: Candidate) -> bool:
        """Does a passage match?"""
        raise NotImplementedError

    def add(self, passage: Candidate, frequencies: list[int]) -> None:
        """Note how often the words of a matching passage occur, each in the slot of its place in the query."""

    def literals(self) -> list[list[str]] | None:
        """Letters of which each matching text has all those of at least one list; None where that is unknown."""
        return None


class _WordNode(DirectNode):
    """A word, a phrase, or words near one another."""

    def __init__(self, number: int, leaf: Leaf, slot: int) -> None:
        self._number, self._leaf, self._slot = number, leaf, slot

    def may_match(self, session_truths: Sequence[SessionTruth]) -> bool:  # noqa: ARG002
        return True

    def matches(self, passage: Candidate) -> bool:
        return passage.count(self._number, self._leaf) > 0

    def add(self, passage: Candidate, frequencies: list[int]) -> None:
        frequencies[self._slot] += passage.count(self._number, self._leaf)

    def literals(self) -> list[list[str]] | None:
        return [list(self._leaf.words)] if isinstance(self._leaf, Needle) else None


class _SessionFilter(DirectNode):
    """A filter that asks for the whole session, or for marks, of which some messages may have their own."""

    def __init__(self, number: int) -> None:
        self._number = number

    def may_match(self, session_truths: Sequence[SessionTruth]) -> bool:
        return bool(session_truths[self._number])

    def matches_all(self, session_truths: Sequence[SessionTruth]) -> bool:
        """Do all passages of the session match?"""
        return session_truths[self._number] is True

    def matches(self, passage: Candidate) -> bool:
        truth = passage.session_truths[self._number]
        return truth if isinstance(truth, bool) else passage.where[0] in truth


class _PassageFilter(DirectNode):
    """A filter that asks for a passage."""

    def __init__(self, test: PassageTest) -> None:
        self._test = test

    def may_match(self, session_truths: Sequence[SessionTruth]) -> bool:  # noqa: ARG002
        return True

    def matches(self, passage: Candidate) -> bool:
        return self._test(passage.facts)


class _NotNode(DirectNode):
    """A node that must not match."""

    def __init__(self, node: DirectNode) -> None:
        self.node = node

    def may_match(self, session_truths: Sequence[SessionTruth]) -> bool:
        return not (isinstance(self.node, _SessionFilter) and self.node.matches_all(session_truths))

    def matches(self, passage: Candidate) -> bool:
        return not self.node.matches(passage)


class _AndNode(DirectNode):
    """All of these nodes must match."""

    def __init__(self, nodes: Sequence[DirectNode]) -> None:
        self._nodes = sorted(nodes, key=lambda node: isinstance(node, _WordNode | _NotNode))  # filters are cheaper

    def may_match(self, session_truths: Sequence[SessionTruth]) -> bool:
        return all(node.may_match(session_truths) for node in self._nodes)

    def matches(self, passage: Candidate) -> bool:
        return all(node.matches(passage) for node in self._nodes)

    def add(self, passage: Candidate, frequencies: list[int]) -> None:
        for node in self._nodes:
            node.add(passage, frequencies)

    def literals(self) -> list[list[str]] | None:
        known = [choices for node in self._nodes if (choices := node.literals()) is not None]
        single = [choices[0] for choices in known if len(choices) == 1]
        if single:
            return [[word for words in single for word in words]]
        return min(known, key=len, default=None)


class _OrNode(DirectNode):
    """One of these nodes must match. Those that match all count."""

    def __init__(self, nodes: Sequence[DirectNode]) -> None:
        self._nodes = nodes

    def may_match(self, session_truths: Sequence[SessionTruth]) -> bool:
        return any(node.may_match(session_truths) for node in self._nodes)

    def matches(self, passage: Candidate) -> bool:
        return any(node.matches(passage) for node in self._nodes)

    def add(self, passage: Candidate, frequencies: list[int]) -> None:
        for node in self._nodes:
            if node.matches(passage):
                node.add(passage, frequencies)

    def literals(self) -> list[list[str]] | None:
        choices = [node.literals() for node in self._nodes]
        return [words for choice in choices if choice is not None for words in choice] if None not in choices else None


class Scattered:
    """The parts of a query that several passages of a session may match together. See `cross_message`."""

    def __init__(
        self, where: Sequence[DirectNode], wanted: Sequence[DirectNode], unwanted: Sequence[DirectNode]
    ) -> None:
        self.where, self.wanted, self.unwanted = where, wanted, unwanted
        self.constant = sum(isinstance(node, _NotNode) for node in where)
        """What the index adds to the relevance for each wanted part that matches."""


class DirectQuery:
    """A query, the kinds of passages and of sessions. `root` is None where the query has nothing to search for.

    A slot is a place in the query where a word, a phrase or words near one another stand: `slots` has their leaves.
    """

    def __init__(
        self, query: Query, kinds: Collection[PassageKind] | None = None, session_kinds: Collection[Kind] | None = None
    ) -> None:
        self.kinds = None if kinds is None else frozenset(kinds)
        self.session_kinds = None if session_kinds is None else frozenset(session_kinds)
        self.leaves: dict[Leaf, int] = {}
        self.slots: list[Leaf] = []
        self.targets = needles(query.node)
        self._session_tests: list[SessionTest] = []
        self._by_node: dict[int, DirectNode | None] = {}
        self.root = self._compile(query.node)
        self.scattered = self._scattered(query.node)

    @property
    def asks_for_sessions(self) -> bool:
        """Has the query filters that ask for the whole session?"""
        return bool(self._session_tests)

    def terms(self) -> list[str]:
        """The words whose frequency the relevance of a passage depends on, each once."""
        words = [word for leaf in self.slots if isinstance(leaf, Needle) for word in exact_words(leaf)]
        return list(dict.fromkeys(words))

    def session_truths(self, facts: Facts, number: int) -> list[SessionTruth]:
        """The results of the filters that ask for the whole session."""
        return [test(facts, number) for test in self._session_tests]

    def may_match_session(self, facts: Facts, session_truths: Sequence[SessionTruth]) -> bool:
        """May a passage of the session match the query, or a part of it that other passages complete?"""
        if self.root is None or (self.session_kinds is not None and facts.kind not in self.session_kinds):
            return False
        return self.root.may_match(session_truths)

    def literals(self) -> list[list[str]] | None:
        """Letters of which every matching session has all those of at least one list; None where that is unknown."""
        return None if self.root is None else self.root.literals()

    def _compile(self, node: Node) -> DirectNode | None:
        """The node in its direct form, made once; None where it has nothing to search for."""
        if id(node) not in self._by_node:
            self._by_node[id(node)] = self._compile_new(node)
        return self._by_node[id(node)]

    def _compile_new(self, node: Node) -> DirectNode | None:
        match node:
            case Words():
                return self._words(node)
            case Near():
                return self._leaf(node.words)
            case FieldFilter():
                return self._filter(node)
            case Not():
                inner = self._compile(node.node)
                return None if inner is None else _NotNode(inner)
            case And():
                return self._join(node.nodes, _AndNode)
            case Or():
                return self._join(node.nodes, _OrNode)
            case _:
                assert_never(node)

    def _join(self, nodes: Sequence[Node], kind: type[_AndNode | _OrNode]) -> DirectNode | None:
        present = [direct for node in nodes if (direct := self._compile(node)) is not None]
        return kind(present) if len(present) > 1 else present[0] if present else None

    def _words(self, node: Words) -> DirectNode | None:
        words = tuple(tokens(node.text))
        return self._leaf(Needle(words, node.prefix and not is_own_word(words[-1][0]))) if words else None

    def _leaf(self, leaf: Leaf) -> DirectNode:
        number = self.leaves.setdefault(leaf, len(self.leaves))
        self.slots.append(leaf)
        return _WordNode(number, leaf, len(self.slots) - 1)

    def _filter(self, node: FieldFilter) -> DirectNode:
        if (test := session_test(node)) is None:
            return _PassageFilter(passage_test(node))
        self._session_tests.append(test)
        return _SessionFilter(len(self._session_tests) - 1)

    def _scattered(self, node: And) -> Scattered | None:
        split = split_query(node)
        if not self.targets or not 2 <= len(split.wanted) <= MOST_WANTED:
            return None
        where, wanted, unwanted = (list(self._present(nodes)) for nodes in split)
        return Scattered(where, wanted, unwanted) if len(wanted) > 1 else None

    def _present(self, nodes: Sequence[Node]) -> Iterator[DirectNode]:
        return (direct for node in nodes if (direct := self._compile(node)) is not None)
