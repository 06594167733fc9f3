from __future__ import annotations

import pytest

from pollux.index.search.spelling import distance
from pollux.index.search.word_index import WordIndex
from tests.unit.index.search.small_sessions import make_index, prompt, session


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> WordIndex:
    often = [session(prompt("exception return")) for _ in range(3)]
    return make_index(tmp_path_factory.mktemp("words"), *often, session(prompt("exceptions retry reply 架构")))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("exeption", ["exception"]),
        ("xeception", ["exception"]),
        ("Exceptoin", ["exception"]),
        ("excption", ["exception"]),
        ("exceptionn", ["exception", "exceptions"]),
        ("exctpion", ["exception"]),
        ("rerty", ["retry"]),
        ("zzzzzz", []),
        ("ab", []),
        ("two words", []),
    ],
)
def test_what_may_have_been_meant(index: WordIndex, typed: str, meant: list[str]) -> None:
    assert index.words_like(typed)[: len(meant) or None] == meant


@pytest.mark.parametrize(
    ("one", "other", "mistakes"),
    [
        ("abc", "abc", 0),
        ("abc", "acb", 1),
        ("abc", "abcd", 1),
        ("abcd", "badc", 2),
        ("abc", "xyz", 3),
        ("a", "abcd", 3),
    ],
)
def test_mistakes_are_counted(one: str, other: str, mistakes: int) -> None:
    assert distance(one, other) == mistakes
