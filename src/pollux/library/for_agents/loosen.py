"""Questions as people ask them, such as "how did we fix the parser last time": not every word need occur."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from pollux.index.search.query import And, Node, Or, Words

_OFTEN = frozenset(
    word
    for words in (
        "a about after again all also an and any are as at back be been before being by can could did do does doing",
        "done ever for from get got had has have how i if in into is it its last let like many may me more most much",
        "my need not now of off on one or our out over please really same should so some than that the their them then",
        "there these they thing this those time to too up us use used using want was way we were what when where which",
        "who why will with work would you your",
    )
    for word in words.split()
)
"""Words of a question that hardly tell what it is about."""


_MOST = 6
"""So many words are combined; of more, the longest."""
_SHORTEST_BEGINNING = 4


class Looser(NamedTuple):
    """A query that asks for less: for so many of these words."""

    node: And
    words: tuple[str, ...]
    needed: int


def looser(node: And) -> Iterator[Looser]:
    """Queries that ask for less and less: for all words but those of a question, then for fewer and fewer of them.

    A word also stands for longer ones that begin with it. There is no such query for a single word.
    """
    words = [one for one in node.nodes if isinstance(one, Words)]
    rest: list[Node] = [one for one in node.nodes if not isinstance(one, Words)]
    telling = [one for one in words if one.prefix or " " in one.text or one.text.lower() not in _OFTEN]
    if len(words) < 2:
        return
    chosen = sorted(telling, key=lambda one: -len(one.text))[:_MOST]
    beginnings = [_beginning(one) for one in telling if one in chosen]
    for needed in range(len(beginnings), 0, -1):
        choices: list[Node] = [And(nodes=some) for some in combinations(beginnings, needed)]
        words_left = tuple(one.text for one in telling if one in chosen)
        yield Looser(And(nodes=(Or(nodes=tuple(choices)), *rest)), words_left, needed)


def _beginning(word: Words) -> Words:
    return (
        Words(text=word.text, prefix=True) if len(word.text) >= _SHORTEST_BEGINNING and " " not in word.text else word
    )
