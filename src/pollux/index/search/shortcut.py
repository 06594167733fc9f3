"""A shorter way to the same answer, for common words.

What a human typed counts so much more than the rest that it mostly stands first. Of a common word it is a small part of
all passages: that part is ranked alone, and where even the best of the others could not come before its last, done.
"""

from __future__ import annotations

from typing import Any

import msgspec
import tantivy
from tantivy import Query as Asked

from pollux.index.search.compile import one_of, together
from pollux.index.search.fields import OTHERS_WORTH, tokens
from pollux.index.search.query import Both, Node, Not, Only, Sort, Words
from pollux.index.search.ranking import Ranked, best
from pollux.index.search.words import stands_alone

_MANY = 50_000
"""So many passages are ranked in a millisecond or two. Of fewer, a second look would cost more than it saves."""

_ROW = 5
"""So many times as long a passage takes where words must stand in a row."""


def own_words(  # noqa: PLR0913
    searcher: tantivy.Searcher, node: Both, question: Asked, *, youngest: float, limit: int, per_session: int | None
) -> list[Ranked] | None:
    """As `best`, by relevance; None where more has to be looked at. No passage is younger than `youngest` says."""
    wanted = [each for each in node.nodes if not isinstance(each, Only | Not)]
    if not wanted or min(_work(searcher, each) for each in wanted) < _MANY:
        return None
    words = {token for each in wanted if isinstance(each, Words) for token in tokens(each.text)}
    if min(searcher.doc_freq("own", word) for word in words) < limit:
        return None
    own = together(question, *(one_of("own", [word]) for word in words))
    ranked = best(searcher, own, Sort.RELEVANCE, limit, per_session)
    if len(ranked) < limit:
        return None
    most = _most(question, searcher, ranked[0].address)
    return ranked if most is not None and ranked[-1].score > most * OTHERS_WORTH * youngest else None


def frequency(searcher: tantivy.Searcher, node: Node) -> int | None:
    """How many passages hold a word; of a phrase, its rarest word. None where that cannot be told without looking."""
    if not isinstance(node, Words) or node.prefix:
        return None
    return min((searcher.doc_freq("text", token) for token in tokens(node.text)), default=None)


def _work(searcher: tantivy.Searcher, node: Node) -> int:
    """How many passages a word is looked for in, counted by the time that takes.

    A phrase is mostly much rarer than its words, and then the human's own do not suffice. Not so where each character
    is a word of its own: those of a word go together.
    """
    common = frequency(searcher, node) or 0
    row = isinstance(node, Words) and len(found := tokens(node.text)) > 1 and all(map(stands_alone, found))
    return common * _ROW if row else common


def _most(question: Asked, searcher: tantivy.Searcher, place: tantivy.DocAddress) -> float | None:
    """The relevance that no passage reaches, before it is weighed; None where it cannot be told.

    All words of the question occur in each answer, so how it came about for one tells what it is made of: for each word
    a product, whose last factor, how often the word occurs for the length of the text, is below 1.
    """
    told = msgspec.json.decode(question.explain(searcher, place).to_json())
    products = list(_products(told))
    reached = sum(product["value"] for product in products)
    if not products or abs(reached - told["value"]) > 0.01 * reached:
        return None
    most: float = sum(product["details"][0]["value"] * product["details"][1]["value"] for product in products)
    return most


def _products(told: dict[str, Any]) -> list[dict[str, Any]]:
    inner = told.get("details", [])
    if inner and inner[0]["description"] == "(K1+1)":
        return [told]
    return [product for each in inner for product in _products(each)]
