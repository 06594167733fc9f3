"""Related sessions, and the places of all sessions in a list, on the bundled sample."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pollux.library.library import Filter, Library
from pollux.library.sample import sample_environment

PARENT, CHILD = "gemini:6403bd4e-5b4f-4c04-acb7-32a4814e2f43", "gemini:86cc36a7"


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    environ, cwd = sample_environment()
    with Library(environ, cwd, hunt=False) as library:
        yield library


def test_parents_and_sub_agents_know_each_other(library: Library) -> None:
    (child,) = [one for one in library.index.relatives(PARENT) if one.relation == "sub-agent"]
    assert child.key.startswith(CHILD)
    assert ("parent", PARENT) in library.index.relatives(child.key)


def test_relations_lead_both_ways(library: Library) -> None:
    keys = [one.key for one in library.index.listed_keys(Filter(everything=True))]
    back = {"parent": "sub-agent", "continues": "continued by", "forked from": "fork"}
    for key in keys:
        for one in library.index.relatives(key):
            assert one.key in keys
            if one.relation in back:
                assert (back[one.relation], key) in library.index.relatives(one.key)


def test_a_session_that_is_not_there_has_none(library: Library) -> None:
    assert library.index.relatives("gemini:nobody") == []
    assert library.index.entries(["gemini:nobody"]) == []


def test_places_and_summaries_are_those_of_the_list(library: Library) -> None:
    for criteria in (Filter(), Filter(everything=True), Filter(agent="claude")):
        entries = library.list(criteria)
        keys = [one.key for one in library.index.listed_keys(criteria)]
        assert keys == [entry.summary.key for entry in entries]
        assert library.index.entries(keys) == entries
        assert [one.key for one in library.index.listed_keys(criteria, 3)] == keys[:3]
