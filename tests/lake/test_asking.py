"""Lists, sessions and searches of a lake are as those at home."""

from __future__ import annotations

import gc
import json
import stat
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from msgspec.structs import replace

from pollux import Filter, Library
from pollux.errors import Ambiguous, RequestError, UnknownName, Unreadable
from pollux.index.search.direct.letters import is_silent
from pollux.index.search.query import Sort, parse
from pollux.index.search.results import Hit
from pollux.index.search.session_search import SearchRequest
from pollux.index.search.snippets import fold_unit
from pollux.lake.ask import Lake
from pollux.lake.documents import Tombstone
from pollux.lake.erase import erase
from pollux.lake.lists import LakeSessions
from pollux.lake.load import Loader
from pollux.lake.search import SIGNS, search
from pollux.lake.store import Store
from pollux.lake.usage import usage_of
from pollux.library.sample import sample_environment
from pollux.registry import source_names
from pollux.system.directories import Places
from pollux.transforms.redact import RULES
from pollux.usage.service import Grouping
from tests.conformance.answers import answers
from tests.conformance.truth import AGENTS, homes
from tests.lake.making import document, push
from tests.lake.push.pushing import Machine
from tests.lake.sessions import session
from tests.program import run

EVERYTHING = Filter(everything=True)
QUERIES = (
    "beans",
    "packet crashed",
    '"two hours"',
    "tide* -week",
    "grep OR album",
    "tool:read_file",
    "tides agent:gemini",
    "since:2026-11-01 packet",
    "project:seedbank trials",
    "failed:yes",
    "figure 1200",
    "zürich",
    "in:prompts mistype",
    "Port tidewatch harbours",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The sample."""
    environ, cwd = sample_environment(str(tmp_path_factory.mktemp("cache")))
    with Library(environ, cwd, hunt=False) as library:
        yield library


@pytest.fixture
def lake(store: Store, library: Library) -> Lake:
    """A lake with the sessions of the sample, pushed by two people."""
    every = list(library.sessions(EVERYTHING))
    push(store, every[::2], "ada", "m1", 1)
    push(store, every[1::2], "bob", "m2", 1)
    Loader(store).load()
    return Lake(store)


def test_a_list_is_that_of_home(lake: Lake, library: Library) -> None:
    sessions = LakeSessions(lake)
    since = sorted(one.started for one in library.sessions(EVERYTHING) if one.started is not None)[5]
    for criteria in (
        EVERYTHING,
        Filter(),
        Filter(agent="codex"),
        Filter(project="seedbank", everything=True),
        Filter(since=since),
        Filter(until=since, everything=True),
        Filter(words=("PACKET",), everything=True),
        Filter(words=("tides", "port")),
        Filter(facts=(("branch", "main"),), everything=True),
    ):
        here = library.list(criteria)
        there = sessions.listed(criteria)
        assert [one.entry for one in there] == here, criteria
        assert [one.entry for one in sessions.listed(criteria, 2)] == here[:2]
    assert {one.person for one in sessions.listed(EVERYTHING)} == {"ada", "bob"}


def test_only_what_somebody_pushed_is_asked_for(store: Store, lake: Lake) -> None:
    ada = LakeSessions(Lake(store, person="ada")).listed(EVERYTHING)
    assert {one.person for one in ada} == {"ada"}
    by_person = usage_of(lake, Places()).stats(Grouping.PERSON, EVERYTHING)
    only = usage_of(Lake(store, person="ada"), Places()).stats(Grouping.PERSON, EVERYTHING)
    (row,) = only.rows
    assert row.usage == next(one for one in by_person.rows if one.name == "ada").usage


def test_marks_are_not_in_a_lake(lake: Lake) -> None:
    with pytest.raises(RequestError, match="no marks"):
        LakeSessions(lake).listed(Filter(marks=(("tag", "x"),)))
    with pytest.raises(RequestError, match="no marks"):
        search(lake, parse("tag:x beans", source_names()), SearchRequest())


def test_a_session_is_found_by_its_key_or_the_beginning_of_its_id(store: Store) -> None:
    push(store, [session("one-a"), session("one-b"), session("two"), session("two-a"), session("two-b")])
    Loader(store).load()
    sessions = LakeSessions(Lake(store))
    assert sessions.find("claude:one-a") == sessions.find("one-a") == "claude:one-a"
    for name in ("tw", "two", "claude:tw"):
        assert sessions.find(name) == "claude:two", "the others were derived from it, as at home"
    assert sessions.find("last") == "claude:two-b"
    with pytest.raises(Ambiguous):
        sessions.find("one")
    for name in ("three", "", "%"):
        with pytest.raises(UnknownName):
            sessions.find(name)


def test_a_session_is_the_one_that_was_pushed(lake: Lake, library: Library) -> None:
    sessions = LakeSessions(lake)
    for here in library.sessions(EVERYTHING):
        assert sessions.session(here.key) == document(here).read()


def found(hit: Hit) -> tuple[str, ...]:
    """What was found. Which message stands for several that match together depends on all texts that were read."""
    return (hit.key,) if hit.scattered else (hit.key, hit.message_id, hit.kind)


@pytest.mark.parametrize("query", QUERIES)
def test_a_search_finds_what_it_finds_at_home(lake: Lake, library: Library, query: str) -> None:
    for sort in Sort:
        here = library.search(query, limit=50, sort=sort, counted=True, exact=True)
        there = search(lake, parse(query, source_names()), SearchRequest(limit=50, sort=sort, counted=True))
        assert {found(hit) for hit in there.hits} == {found(hit) for hit in here.hits}
        assert {hit.key: (hit.title, hit.short_id) for hit in there.hits} == {
            hit.key: (hit.title, hit.short_id) for hit in here.hits
        }
        assert there.counts == here.counts


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
def test_a_search_for_any_word_of_the_corpus_finds_its_session(agent: str, store: Store) -> None:
    home = answers(agent, homes(agent)[-1])
    push(store, home.sessions.values())
    Loader(store).load()
    lake = Lake(store)
    texts = (message.text for one in home.sessions.values() for message in one.messages)
    words = {word for text in texts for word in text.split()[:3] if word.isalnum()}
    for word in sorted(words)[:: max(1, len(words) // 8)]:
        query = f'"{word}"'
        here = {hit.message_id for hit in home.library.search(query, limit=200, exact=True).hits}
        there = {hit.message_id for hit in search(lake, parse(query, source_names()), SearchRequest(limit=200)).hits}
        assert there == here, query


def test_characters_that_do_not_make_a_session_odd_are_in_no_word_as_others() -> None:
    for first, last in SIGNS:
        for character in map(chr, range(max(first, 0x80), last + 1)):
            assert not is_silent(character), hex(ord(character))
            assert not any(one.isalnum() for one in fold_unit(character)), hex(ord(character))


def test_letters_that_count_as_others_are_found(store: Store) -> None:
    push(store, [session("a", words="Das Café heißt ﬁne"), session("b", words="re\u0301sume\u0301 in ﬂight")])
    Loader(store).load()
    lake = Lake(store)
    for word, key in (("cafe", "claude:a"), ("fine", "claude:a"), ("resume", "claude:b"), ("flight", "claude:b")):
        result = search(lake, parse(word, source_names()), SearchRequest())
        assert {hit.key for hit in result.hits} == {key}, word


def test_a_question_changes_nothing_and_opens_nothing_else(store: Store, lake: Lake) -> None:
    names, rows = lake.query('SELECT person, COUNT(*) AS "n", MAX("at") FROM messages GROUP BY 1 ORDER BY 1')
    assert names[:2] == ["person", "n"]
    assert [row[0] for row in rows] == ["ada", "bob"]
    file = next(Path(store.url).rglob("*.parquet"))
    over = f"COPY (SELECT 1) TO '{file}' (USE_TMP_FILE FALSE)"
    before, sessions = file.read_bytes(), lake.query("SELECT key FROM sessions ORDER BY key")[1]
    for statement in (
        "SELECT * FROM read_text('/etc/passwd')",
        "COPY (SELECT 1) TO '/tmp/elsewhere.csv'",
        f"COPY (SELECT 1) TO '{file}'",
        over,
        f"EXPLAIN ANALYZE {over}",
        f"WITH x AS ({over}) FROM x",
        "SELECT 1; DROP VIEW sessions",
        "ATTACH '/tmp/other.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT nonsense FROM",
        "",
    ):
        with pytest.raises(RequestError):
            lake.query(statement)
    assert file.read_bytes() == before
    assert lake.query("SELECT key FROM sessions ORDER BY key")[1] == sessions


def test_an_erasure_while_somebody_asks_costs_no_answer(store: Store, lake: Lake) -> None:
    sessions = len(LakeSessions(lake).listed(EVERYTHING))
    gone = erase(store, Tombstone(person="bob", at="now"))
    assert len(LakeSessions(lake).listed(EVERYTHING)) == sessions - gone.sessions
    assert lake.query("SELECT DISTINCT person FROM messages")[1] == [("ada",)]


def test_a_file_that_is_gone_is_told(store: Store, lake: Lake) -> None:
    for file in Path(store.url, "tables", "usage_all").glob("month=*/*"):
        file.unlink()
    for ask in (lambda: lake.rows("SELECT COUNT(*) FROM usage"), lambda: lake.query("SELECT SUM(input) FROM usage")):
        with pytest.raises(Unreadable, match="cannot be read"):
            ask()


def test_what_does_not_fit_into_memory_is_private_and_goes(store: Store) -> None:
    lake = Lake(store)
    ((place,),) = lake.rows("SELECT current_setting('temp_directory')")
    assert Path(place).is_absolute()
    assert stat.S_IMODE(Path(place).stat().st_mode) == 0o700
    del lake
    gc.collect()
    assert not Path(place).exists()


@pytest.mark.parametrize("odd", ["DATE 'infinity'", "TIMESTAMP '-infinity'", "[TIMESTAMPTZ 'infinity']"])
def test_a_time_that_no_calendar_has_is_told(lake: Lake, odd: str) -> None:
    with pytest.raises(RequestError, match="cannot be shown"):
        lake.query(f"SELECT {odd}")


def test_a_session_that_is_nothing_but_a_title_stops_no_search(store: Store) -> None:
    push(store, [session("a", 0, words="zanzibar"), session("b", words="zanzibar")])
    Loader(store).load()
    hits = search(Lake(store), parse("zanzibar", source_names()), SearchRequest(per_session=1)).hits
    assert {hit.key: bool(hit.message_id) for hit in hits} == {"claude:a": False, "claude:b": True}


def test_a_time_that_is_none_stops_no_search(store: Store) -> None:
    late = datetime(9999, 12, 31, 23, tzinfo=timezone(-timedelta(hours=14)))
    first, *others = session("a", words="zanzibar").messages
    push(store, [replace(session("a"), messages=(replace(first, at=late), *others))])
    Loader(store).load()
    for sort in Sort:
        (hit,) = search(Lake(store), parse("zanzibar in:prompts", source_names()), SearchRequest(sort=sort)).hits
        assert hit.at is None


def test_a_search_that_may_read_no_document_does_not_say_that_there_is_nothing(store: Store, tmp_path: Path) -> None:
    push(store, [session("a", words="zanzibar")])
    Loader(store).load()
    for one in store.paths("sessions"):
        Path(store.url, one.path).write_bytes(b"damaged")
    for options in ([], ["--json"]):
        found = run("lake", "search", store.url, "zanzibar", *options, env={"HOME": str(tmp_path)}, cwd=tmp_path)
        assert found.returncode == 3, found.stderr
        assert "1 file could not be searched" in found.stderr


@pytest.mark.slow
def test_a_bucket_is_asked_as_a_folder_is(bucket: Store, library: Library) -> None:
    push(bucket, library.sessions(EVERYTHING))
    Loader(bucket).load()
    lake = Lake(bucket)
    assert len(LakeSessions(lake).listed(EVERYTHING)) == len(library.list(EVERYTHING))
    here, there = (one.stats(Grouping.MODEL, EVERYTHING) for one in (library.usage, usage_of(lake, Places())))
    assert there.total.usage == here.total.usage
    assert search(lake, parse("beans", source_names()), SearchRequest()).hits


def test_show_prints_what_it_prints_of_the_document(store: Store, tmp_path: Path, library: Library) -> None:
    (one, *_) = library.sessions(Filter(agent="claude"))
    push(store, [one])
    Loader(store).load()
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "POLLUX_NOW": "2026-11-16T12:00:00Z"}
    path = tmp_path / "document.json"
    path.write_bytes(bytes(document(one).session))
    for options in ((), ("--full",), ("--fate", "live")):
        there = run("lake", "show", store.url, one.id, *options, env=environ, cwd=tmp_path)
        here = run("show", str(path), *options, env=environ, cwd=tmp_path)
        assert (there.returncode, there.stdout) == (0, here.stdout), there.stderr
    lakes, own = (
        json.loads(run(*command, "--json", env=environ, cwd=tmp_path).stdout)
        for command in (("lake", "show", store.url, "last"), ("show", str(path)))
    )
    assert lakes == own


def test_show_prints_what_it_prints_of_the_redacted_session(store: Store, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m")
    for number, rule in enumerate(RULES[:5]):
        machine.talk("a1", f"Look at {machine.home}/notes:", rule.example, f"what is it, {number}?")
    machine.allow()
    machine.push(store.url)
    Loader(store).load()
    environ = {**machine.environ, "LANG": "C.UTF-8", "POLLUX_NOW": "2026-11-16T12:00:00Z", "POLLUX_BACKGROUND": "0"}
    path = tmp_path / "redacted.json"
    made = run("export", "a1", "--to", "json", "--redact", "--output", str(path), env=environ, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    here = run("show", str(path), env=environ, cwd=tmp_path)
    there = run("lake", "show", store.url, "a1", env=environ, cwd=tmp_path)
    assert (there.returncode, there.stdout) == (0, here.stdout), there.stderr
    assert there.stdout.count("[secret:") >= 5
