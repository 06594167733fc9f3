"""The JSON of a brief, and what is remarked about its search."""

from __future__ import annotations

import json

from pollux.answers.brief import brief_document, brief_remarks
from pollux.index.search.results import Substitution
from pollux.library.brief.values import Brief, Searched
from pollux.library.library import Library
from pollux.library.sample import sample_environment
from pollux.writers.json import encode

KINDS = {"prompts", "tasks", "replies", "tool_calls", "summaries", "thoughts", "typed_commands", "other_texts"}


def test_the_document_has_everything_and_adds_up() -> None:
    environ, cwd = sample_environment(None)
    with Library(environ, cwd, hunt=False) as library:
        for session in library.sessions():
            brief = library.brief.of(session, tokens=400)
            document = json.loads(encode(brief_document(brief)))
            assert (document["limit"], document["tokens"], document["text"]) == (400, brief.tokens, brief.text)
            assert document["query"] is document["matched"] is document["more"] is document["widened"] is None
            (told,) = document["sessions"]
            assert told["key"] == session.key
            assert len(told["lines"]) == sum(share["shown"] for share in told["account"]["lines"].values())
            assert set(told["account"]["pieces"]) <= KINDS
            shares = [*told["account"]["lines"].values(), *told["account"]["pieces"].values()]
            assert all(share["shown"] + share["left_out"] == share["total"] for share in shares)
            assert all(citation in brief.text for line in told["lines"] for citation in line["citations"])


def test_what_was_searched_for_instead_is_remarked() -> None:
    search = Searched(
        query="pakcet", matched=1, widened=(Substitution(typed="pakcet", instead=("packet",)),), unfinished=("a.jsonl",)
    )
    brief = Brief(text="", body="", tokens=0, limit=1, sessions=(), search=search)
    assert list(brief_remarks(brief)) == [
        "No exact match. Searched for pakcet as packet.",
        "1 file could not be searched: a.jsonl",
    ]
    assert brief_document(brief)["widened"] is True
    assert not list(brief_remarks(Brief(text="", body="", tokens=0, limit=1, sessions=())))
