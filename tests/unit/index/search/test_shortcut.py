"""The shorter way for common words leads to the same answer."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pollux.index.search import shortcut as foremost, word_search as searching
from pollux.index.search.query import parse
from pollux.index.search.ranking import RankedPassage
from pollux.index.search.results import IndexHit
from pollux.index.search.word_index import WordIndex
from pollux.model import Thinking
from tests.unit.index.search.small_sessions import make_index, prompt, reply, session, shell_call

WORDS = ["parser", "retry", "cache", "window", "socket", "thread", "buffer", "query", "架构"]
NEVER = 1 << 60
QUERIES = [
    *WORDS,
    "parser retry",
    '"parser retry"',
    '"cache window" socket',
    "parser -retry",
    "parser in:replies",
    "retry in:tools",
    "parser since:2026-12-01",
    "parser OR retry",
    "pars*",
    "parser (retry OR cache)",
    "-retry parser role:user",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> WordIndex:
    """Sessions in which people say little, models more and tools most."""
    chance = random.Random(1)

    def text(most: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))

    sessions = [
        session(
            prompt(text(6), days=chance.randint(-900, 900)),
            reply(text(30), Thinking(text=text(20)), shell_call(text(3), text(200)), days=chance.randint(-900, 900)),
            prompt(text(3), days=chance.randint(-900, 900)),
            title=text(4) if chance.random() < 0.3 else None,
        )
        for _ in range(60)
    ]
    return make_index(tmp_path_factory.mktemp("words"), *sessions)


def search(index: WordIndex, query: str, limit: int, each: int | None) -> list[IndexHit]:
    return index.search(parse(query), limit=limit, per_session=each)


@pytest.mark.parametrize("each", [None, 1])
@pytest.mark.parametrize("limit", [1, 5, 20, 200])
def test_the_same_hits_in_the_same_order(
    index: WordIndex, limit: int, each: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways: Counter[bool] = Counter()

    def own_words(*given: Any, **named: Any) -> list[RankedPassage] | None:
        result = foremost.rank_own_words(*given, **named)
        ways[result is not None] += 1
        return result

    monkeypatch.setattr(searching, "rank_own_words", own_words)
    for query in QUERIES:
        monkeypatch.setattr(foremost, "_COMMON", NEVER)
        wanted = search(index, query, limit, each)
        monkeypatch.setattr(foremost, "_COMMON", 1)
        assert search(index, query, limit, each) == wanted, query
    assert ways[False]
    assert limit > 5 or ways[True]


def test_a_phrase_is_expected_to_be_rarer_than_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But not where each character is a word of its own: these occur together."""
    tried: list[bool] = []

    def note_attempt(*_: Any, **__: Any) -> list[RankedPassage]:
        tried.append(True)
        return []

    index = make_index(tmp_path, *(session(prompt("parser retry 架构")) for _ in range(10)))
    monkeypatch.setattr(foremost, "best", note_attempt)
    monkeypatch.setattr(foremost, "_COMMON", 10)
    for query, times in (("parser", 1), ("架构", 1), ('"parser retry"', 0)):
        tried.clear()
        search(index, query, 5, None)
        assert len(tried) == times, query


def test_a_passage_of_the_far_future_keeps_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How young the youngest passage is decides what may come before the human's words."""
    monkeypatch.setattr(foremost, "_COMMON", 1)
    old = session(prompt("parser parser parser", days=-1300))
    new = session(reply("parser parser parser", days=3000))
    index = make_index(tmp_path, old, new)
    assert [hit.session for hit in index.search(parse("parser"), limit=1)] == [1]


def test_how_young_the_youngest_is_outlasts_a_commit(tmp_path: Path) -> None:
    index = make_index(tmp_path, session(prompt("parser", days=700)))
    young = index.max_recency()
    assert young > 4
    with index.writer(heap=20_000_000) as writer:
        writer.commit(2)
    assert WordIndex.open(tmp_path).max_recency() == pytest.approx(young)
