"""Names of sessions are told from queries."""

from __future__ import annotations

import pytest

from pollux.errors import Ambiguous, UnknownName
from pollux.library.brief.asked import Asked, asked

KNOWN = {"3274cde4": 1, "deadbeef": 2, "01a1b2": 2, "cafeteria": 1}


def find(name: str) -> None:
    if KNOWN.get(name, 0) > 1:
        raise Ambiguous(name, ["a", "b"])
    if name not in KNOWN:
        raise UnknownName("session", name)


@pytest.mark.parametrize(
    "words",
    [
        ["last"],
        ["3274cde4"],
        ["3274cde4#5a7c"],
        ["gemini:whatever"],
        ["claude:3274cde4", "last"],
        ["./old/session.jsonl"],
        ["01a1b2"],  # several sessions: the error names them
        ["cafeteria"],
    ],
)
def test_names(words: list[str]) -> None:
    assert asked(words, find) == Asked(names=tuple(words))


@pytest.mark.parametrize(
    "words",
    [
        ["retry"],
        ["retry", "logic"],
        ["last week"],
        ["src/app.py"],
        ["agent:gemini"],
        ["deadbeef"],
        ["3274c"],
        ['"a b"'],
    ],
)
def test_queries(words: list[str]) -> None:
    assert asked(words, find) == Asked(query=" ".join(words))


def test_a_query_may_hold_names() -> None:
    assert asked(["last", "week"], find) == Asked(query="last week", among=("last",))
