"""A search while sessions are read: when what it found counts, and when they must be looked through again."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.index.search.direct.examine import DirectRequest, SessionMatches
from pollux.index.search.direct.visit import SearchVisit
from pollux.index.search.query import Query, parse
from pollux.library.library import Library
from pollux.library.sample import sample_environment
from pollux.model import Session

REQUEST = DirectRequest(limit=5)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A session in which somebody says `the`."""
    environ, cwd = sample_environment(str(tmp_path_factory.mktemp("cache")))
    with Library(environ, Path(cwd), hunt=False) as library:
        return next(each for each in library.sessions() if "the" in each.messages[0].text.split())


class Reading:
    """Loads that read a session, each time under a new number."""

    def __init__(self, query: str) -> None:
        self.query: Query = parse(query)
        self.told: list[SessionMatches] = []
        self.visit = SearchVisit(self.query, REQUEST, None, self.told.extend)
        self.visit.begin()

    def read(self, session: Session, number: int) -> None:
        self.visit.note([(session.key, number)], self.visit.look([session]))

    def known(self, sessions: dict[int, str], query: str | None = None) -> set[int]:
        asked = self.query if query is None else parse(query)
        return set(self.visit.answers(asked, REQUEST, None, sessions))


def test_what_was_found_is_told_and_kept(session: Session) -> None:
    reading = Reading("the")
    reading.read(session, 7)
    assert [matches.number for matches in reading.told] == [7]
    assert reading.known({7: session.key}) == {7}
    assert reading.known({7: session.key}, "another word") == set()


def test_a_copy_may_have_displaced_better_hits(session: Session) -> None:
    reading = Reading("the")
    reading.read(session, 7)
    reading.read(session, 8)
    assert reading.known({8: session.key}) == set()


def test_a_session_that_is_read_again_later_displaced_nothing(session: Session) -> None:
    reading = Reading("the")
    reading.read(session, 7)
    reading.visit.begin()
    reading.read(session, 8)
    assert 8 in reading.known({8: session.key})
    assert reading.known({9: session.key}), "not seen this time: it is looked through on its own"


def test_a_session_that_is_gone_may_have_displaced_better_hits(session: Session) -> None:
    reading = Reading("the")
    reading.read(session, 7)
    assert reading.known({}) == set()


def test_facts_of_a_session_may_be_new(session: Session) -> None:
    reading = Reading(f"agent:{session.agent} the")
    reading.read(session, 7)
    reading.visit.begin()
    reading.read(session, 8)
    assert reading.known({8: session.key}) == set()


def test_a_session_without_the_word_displaced_nothing(session: Session) -> None:
    reading = Reading("xylophonist")
    reading.read(session, 7)
    reading.read(session, 8)
    assert not reading.told
    assert reading.known({8: session.key}) == {7, 8}
