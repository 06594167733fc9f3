"""A search that looks through sessions directly gives the same as one that asks the index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.search.direct.look_through import PendingBundle
from pollux.index.search.direct.pending import PendingSearch
from pollux.index.search.passages import Facts, passages
from pollux.index.search.query import Sort, parse
from pollux.index.search.results import Hit, SearchResult
from pollux.index.search.session_search import SPELLINGS_LATER, SearchRequest, find
from pollux.index.search.word_index import WordIndex
from pollux.library.library import Library
from pollux.library.marks import Edit, Target
from pollux.library.sample import HOME
from pollux.system.progress import Progress

STAR = Edit(starred=True)
QUERIES = [
    *("tidewatch", "packet", "tide -harbour", '"every place"', "pack*", "packet OR album", "failed:yes", "tool:shell"),
    *(
        "in:prompts the",
        "harbour lune",
        "role:user",
        "agent:claude the",
        "file:tables.py",
        "model:gemini the",
        "germination",
    ),
    *(
        "project:seedbank packet",
        "tide tables -cache",
        "html shell",
        '"week vi*"',
        "in:titles find",
    ),
    *("is:starred", "is:starred the", "the -is:starred", "tag:mine (packet OR tide)", "-tag:mine -is:starred the"),
    *("tag:mine harbour lune", "is:starred OR agent:codex", "is:marked in:prompts"),
    *("packet packets", "png OR img", "juno the", "variety without"),  # several passages match almost equally
]


class World:
    """A history whose sessions are all in one index; some of them are not in another, and pending."""

    def __init__(self, folder: Path, pending: Callable[[int], bool], *, known: bool) -> None:
        environ = {"HOME": str(HOME), "XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
        self.library = Library(environ, HOME, hunt=False)
        self.library.search("anything")
        session, message = self.library.cited("6403#5a7c")
        self.library.marks.change([Target(session.key, message), Target(self.library.session("aa68").key)], STAR)
        self.library.marks.change(
            [Target(one.summary.key) for one in self.library.list()[::2]], Edit(tags={"mine": True})
        )
        self.partial = WordIndex.open(folder / "partial")
        self.bundles: list[PendingBundle] = []
        with self.partial.writer(heap=20_000_000) as writer:
            for place, (source, bundle) in enumerate(self.library._files.bundles()):
                reading = source.read(bundle)
                numbers = {session.key: self.number(session.key) for session in reading.sessions}
                if pending(place):
                    titles = "\n".join(session.title or "" for session in reading.sessions)
                    dependencies = reading.dependencies if known else None
                    self.bundles.append(PendingBundle(source, bundle, numbers, dependencies, titles))
                    continue
                for session in reading.sessions:
                    writer.add(numbers[session.key], Facts.of(session), passages(session))
            writer.commit(generation=1)

    def number(self, key: str) -> int:
        rows = self.library._index.ask(
            lambda current: current.catalogue.rows("SELECT no FROM sessions WHERE key=?", key)
        )
        return int(rows[0][0])

    def indexed(self, query: str, request: SearchRequest) -> SearchResult:
        def question(current: CatalogueQueries) -> SearchResult:
            with self.library._index.store.words() as words:
                return find(words, current, parse(query), request)

        return self.library._index.ask(question, frozen=False)

    def direct(self, query: str, request: SearchRequest, processes: int | None = None) -> SearchResult:
        pending = PendingSearch(self.bundles, processes=processes)
        return self.library._index.ask(lambda current: find(self.partial, current, parse(query), request, pending))


@pytest.fixture(scope="module", params=["all", "some", "all, nothing known"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    chosen = (lambda place: place % 2 == 0) if request.param == "some" else lambda _: True
    return World(tmp_path_factory.mktemp("world"), chosen, known=request.param != "all, nothing known")


def essence(hit: Hit) -> tuple[object, ...]:
    return hit.key, hit.message_id, hit.kind, hit.at, hit.snippet, hit.spans, hit.scattered, hit.short_id, hit.title


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_hits(world: World, query: str) -> None:
    request = SearchRequest(limit=1_000, counted=True)
    wanted, result = world.indexed(query, request), world.direct(query, request)
    assert sorted(map(essence, wanted.hits), key=repr) == sorted(map(essence, result.hits), key=repr)
    assert wanted.counts == result.counts
    assert wanted.hints == result.hints


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize("per_session", [None, 1])
def test_the_first_hits(world: World, sort: Sort, per_session: int | None) -> None:
    request = SearchRequest(limit=5, sort=sort, per_session=per_session)
    wanted, result = world.indexed("the", request), world.direct("the", request)
    assert len(result.hits) == 5
    assert all(hit.snippet for hit in result.hits)
    if sort is Sort.NEWEST:
        assert [hit.at for hit in wanted.hits] == [hit.at for hit in result.hits]
    else:
        assert len({hit.key for hit in wanted.hits} & {hit.key for hit in result.hits}) >= 3


def test_on_several_processes(world: World) -> None:
    request = SearchRequest(limit=50, counted=True)
    alone, together = world.direct("tide", request), world.direct("tide", request, processes=2)
    assert {essence(hit) for hit in alone.hits} == {essence(hit) for hit in together.hits}


def test_nothing_found_says_that_not_all_words_are_known(world: World) -> None:
    result = world.direct("xylophonist", SearchRequest())
    assert not result.hits
    assert SPELLINGS_LATER in result.hints


def test_an_unknown_project_is_known_from_the_catalogue(world: World) -> None:
    hints = world.direct("project:tidewach the", SearchRequest()).hints
    assert any("No project matches 'tidewach'" in hint for hint in hints)


def test_progress_is_reported(world: World) -> None:
    seen: list[int] = []

    def report(progress: Progress) -> None:
        seen.append(progress.done_files)

    pending = PendingSearch(world.bundles, report=report)
    world.library._index.ask(lambda current: find(world.partial, current, parse("tide"), SearchRequest(), pending))
    assert seen == list(range(len(world.bundles) + 1))
