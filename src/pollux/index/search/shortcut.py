"""A shortcut to the same result, for common words.

The human's own words count so much more than others that their passages usually come first, and they are few. So they
are ranked alone. If even the best of all other passages could not come before the last of these, the result is done.
"""

from __future__ import annotations

from typing import Any

import msgspec
import tantivy
from tantivy import Query as IndexQuery

from pollux.index.search.compile import all_of, one_of
from pollux.index.search.fields import OTHERS_WORTH, schema, tokens
from pollux.index.search.prepare.unspaced import is_own_word
from pollux.index.search.query import And, FieldFilter, Node, Not, Sort, Words
from pollux.index.search.ranking import RankedPassage, best

_COMMON = 10_000
"""The smallest number of passages for which the shortcut pays: fewer are ranked in half a millisecond."""

_PHRASE_RARITY = 5
"""How many times rarer a phrase is expected to be than the rarest of its words."""


def rank_own_words(  # noqa: PLR0913
    searcher: tantivy.Searcher,
    node: And,
    question: IndexQuery,
    *,
    max_recency: float,
    limit: int,
    per_session: int | None,
) -> list[RankedPassage] | None:
    """As `best`, by relevance; None where the shortcut is not possible. No passage has a greater `max_recency`."""
    wanted = [child for child in node.nodes if not isinstance(child, FieldFilter | Not)]
    if not wanted or min(_work(searcher, child) for child in wanted) < _COMMON:
        return None
    words = {token for child in wanted if isinstance(child, Words) for token in tokens(child.text)}
    if min(searcher.doc_freq("own", word) for word in words) < limit:
        return None
    own = all_of(question, *(one_of("own", [word]) for word in words))
    ranked = best(searcher, own, Sort.RELEVANCE, limit, per_session)
    if len(ranked) < limit:
        return None
    bound = _upper_bound(question, searcher, ranked[0].address)
    return ranked if bound is not None and ranked[-1].score > bound * OTHERS_WORTH * max_recency else None


def frequency(searcher: tantivy.Searcher, node: Node) -> int | None:
    """How many passages hold a word, or the rarest word of a phrase; None where only a search could count them."""
    if not isinstance(node, Words) or node.prefix:
        return None
    return min((searcher.doc_freq("text", token) for token in tokens(node.text)), default=None)


def _work(searcher: tantivy.Searcher, node: Node) -> int:
    """About how many passages a search for a word must rank.

    A phrase is usually much rarer than its words, and then the human's own words do not suffice. That is different
    where each character is a word of its own, because the characters of a word occur together.
    """
    common = frequency(searcher, node) or 0
    is_phrase = isinstance(node, Words) and len(parts := tokens(node.text)) > 1 and not all(map(is_own_word, parts))
    return common // _PHRASE_RARITY if is_phrase else common


def _upper_bound(question: IndexQuery, searcher: tantivy.Searcher, place: tantivy.DocAddress) -> float | None:
    """An upper bound of the relevance of any passage, without weights; None where it is not known.

    All words of the query occur in each match, so the explanation of one match shows the factors: a product for each
    word, whose last factor, the frequency of the word in the text, is below 1.
    """
    explanation = msgspec.json.decode(question.explain(searcher, place).to_json())
    products = list(_products(explanation))
    total = sum(product["value"] for product in products)
    if not products or abs(total - explanation["value"]) > 0.01 * total:
        return None
    bound: float = sum(product["details"][0]["value"] * product["details"][1]["value"] for product in products)
    return bound


def average_length(searcher: tantivy.Searcher, word: str) -> float | None:
    """The average length of a passage, as the explanation of a match shows it; None where nothing matches."""
    question = IndexQuery.term_query(schema(), "text", word)
    hits = searcher.search(question, 1, count=False).hits
    if not hits:
        return None
    waiting = [msgspec.json.decode(question.explain(searcher, hits[0][1]).to_json())]
    while waiting:
        detail = waiting.pop()
        if detail["description"].startswith("avgdl"):
            return float(detail["value"])
        waiting += detail.get("details", [])
    return None


def _products(explanation: dict[str, Any]) -> list[dict[str, Any]]:
    inner = explanation.get("details", [])
    if inner and inner[0]["description"] == "(K1+1)":
        return [explanation]
    return [product for detail in inner for product in _products(detail)]
