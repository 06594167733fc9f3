from __future__ import annotations

import pytest

from pollux.index.search.query import parse
from pollux.library.for_agents.loosen import looser


@pytest.mark.parametrize(
    ("query", "steps"),
    [
        ("parser", []),
        ("how did we do it", []),
        ("the parser", [(("parser",), 1)]),
        ("how did we fix the parser last time", [(("fix", "parser"), 2), (("fix", "parser"), 1)]),
        ('"off by one" parser', [(("off by one", "parser"), 2), (("off by one", "parser"), 1)]),
        ("fix parser project:tides", [(("fix", "parser"), 2), (("fix", "parser"), 1)]),
    ],
)
def test_a_question_is_asked_with_fewer_and_fewer_words(query: str, steps: list[tuple[tuple[str, ...], int]]) -> None:
    assert [(one.words, one.needed) for one in looser(parse(query).node)] == steps


def test_filters_and_exclusions_stay() -> None:
    for one in looser(parse("fix the parser project:tides -broken").node):
        assert str(one.node).count("FieldFilter") == 1
        assert str(one.node).count("Not(") == 1


def test_of_many_words_only_the_longest_are_combined() -> None:
    steps = list(looser(parse(" ".join(f"word{'x' * number}" for number in range(30))).node))
    assert [one.needed for one in steps] == [6, 5, 4, 3, 2, 1]
