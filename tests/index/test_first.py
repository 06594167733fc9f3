"""The first answers: rows before words, the newest sessions before all others, and a process that does the rest."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pollux.errors import StoreError
from pollux.index.catalogue.catalogue import Catalogue
from pollux.index.catalogue.rows import BundleRows
from pollux.index.search.direct import look, pending
from pollux.index.search.direct.look_through import PendingBundle, look_through
from pollux.index.search.direct.query import DirectQuery
from pollux.index.search.direct.visit import SearchVisit
from pollux.index.search.errors import Gone, NotWritten
from pollux.index.sync import bulk, readers, small, words
from pollux.library.early import background
from pollux.library.fresh_index import FreshIndex
from pollux.library.library import PLACES, Enough, Filter, Hit, Library, Progress, Sort
from pollux.model import Session
from pollux.model.project_hash import project_hash
from pollux.sources.base import Bundle, Source
from pollux.system import locks, workers
from pollux.system.locks import try_lock
from pollux.usage.service import Grouping
from tests.cli.program import CORPUS
from tests.index.conftest import WORDS, ChangingHome
from tests.index.test_crash import churn, start_processes
from tests.unit.sources.claude.conftest import json_lines, user
from tests.waiting import until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
MIDNIGHT = 1_794_614_400
"""The beginning of the day on which all talks of a `ChangingHome` take place."""

FORK = multiprocessing.get_context("fork")
MOMENTS = 100 if os.environ.get("POLLUX_EXHAUSTIVE") else 12


@pytest.fixture
def large(empty_home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> ChangingHome:
    """A home of 200 sessions that is too large to be read at once. A file changed when its session ended."""
    start_processes(monkeypatch)
    for number in range(200):
        file = empty_home.talk(f"s{number:03d}", f"weather {number}", "the report of the parser")
        ended = MIDNIGHT + 2 * (number + 1)
        os.utime(file, (ended, ended))
    return empty_home


def keys(library: Library, limit: int | None = None) -> list[str]:
    return [entry.summary.key for entry in library.list(Filter(), limit)]


def test_a_list_waits_for_no_words(home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    start_processes(monkeypatch)
    library = home.library()
    assert keys(library) == keys(home.library(home.cache.with_name("fresh")))
    assert library.index.pending() == len(library.list(Filter(everything=True)))
    assert library.index.info().passages == 0
    assert home.answers() == home.truth()
    assert library.index.pending() == 0


def test_words_are_added_to_what_did_not_change_meanwhile(large: ChangingHome) -> None:
    library = large.library()
    keys(library)
    pending = library.index.pending()
    large.talk("s007", "a zebra came later")
    assert library._index.add_words()
    assert (pending, library.index.pending()) == (200, 1)
    assert [hit.key for hit in large.library().search("zebra").hits] == ["gemini:s007"]
    assert large.answers() == large.truth()


def test_the_newest_sessions_come_first(large: ChangingHome) -> None:
    library = large.library(early=True)
    assert keys(library, 5) == [f"gemini:s{number}" for number in (199, 198, 197, 196, 195)]
    assert library.index.unread_files == 165
    assert library._index.store.catalogue.rows("SELECT COUNT(*) FROM sessions") == [(35,)]
    assert library.count() == 200
    assert library.index.unread_files == 0


def test_an_early_list_knows_the_older_files_of_a_session(large: ChangingHome) -> None:
    newest = large.talk("s199")
    header, *_ = newest.read_text().splitlines()
    said = '{"id": "old-1", "timestamp": "2026-11-14T00:00:00.000Z", "type": "user", "content": "the first words"}'
    older = newest.with_name("session-older.jsonl")
    older.write_text(f"{header}\n{said}\n")
    os.utime(older, (MIDNIGHT, MIDNIGHT))
    os.utime(newest, (MIDNIGHT + 400, MIDNIGHT + 400))
    early, complete = large.library(early=True), large.library(large.cache.with_name("fresh"))
    listed = early.list(limit=3)
    assert early.index.unread_files > 100
    assert [entry.summary for entry in listed] == [entry.summary for entry in complete.list()[:3]]
    assert "the first words" in (listed[0].summary.first_prompt or "")


def test_an_early_list_needs_no_folder_to_write_to(large: ChangingHome, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    library, found = large.library(blocked, early=True), large.library(blocked, early=True)
    assert keys(library, 5) == [f"gemini:s{number}" for number in (199, 198, 197, 196, 195)]
    assert (library.index.unread_files, library.index.is_early) == (165, True)
    assert found.session("s042").id == "s042"
    assert found.index.unread_files >= 198
    assert str(blocked) in (library.index.cache_problem or "")
    assert len(keys(library)) == 200
    assert (library.index.unread_files, library.count()) == (0, 200)


def test_an_early_list_waits_for_a_newer_session_in_an_older_file(large: ChangingHome) -> None:
    os.utime(large.talk("s003", "the last word"), (MIDNIGHT, MIDNIGHT))
    os.utime(large.talk("s199", *["the clock of files is wrong"] * 100), (MIDNIGHT + 400, MIDNIGHT + 400))
    assert keys(large.library(early=True), 5) == keys(large.library(large.cache.with_name("fresh")))[:5]


def test_an_early_list_shortens_ids_among_those_that_are_not_read(large: ChangingHome) -> None:
    for name, ended in (("abcdefgh-old", 1), ("abcdefgh-new", 600)):
        os.utime(large.talk(name, "hello"), (MIDNIGHT + ended, MIDNIGHT + ended))
    early, complete = large.library(early=True), large.library(large.cache.with_name("fresh"))
    assert early.list(limit=1)[0].short == complete.list()[0].short == "abcdefgh-n"
    assert early.index.unread_files > 100


def typed(home: ChangingHome, *lines: tuple[str, int]) -> None:
    """Write Claude Code's log of typed prompts: the sessions, and the times in seconds after midnight."""
    log = home.home / ".claude" / "history.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    records = [
        {"display": f"typed {at}", "timestamp": (MIDNIGHT + at) * 1000, "project": "/work", "sessionId": name}
        for name, at in lines
    ]
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    (log.parent / "projects").mkdir(exist_ok=True)


def test_an_early_list_knows_what_was_typed_in_an_older_session(large: ChangingHome) -> None:
    name = "aaaaaaaa-0000-4000-8000-000000000001"
    typed(large, (name, 500))
    folder = large.home / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    record = {**user("the first words"), "timestamp": "2026-11-14T00:00:01.000Z", "sessionId": name}
    (folder / f"{name}.jsonl").write_text(json_lines(record))
    os.utime(folder / f"{name}.jsonl", (MIDNIGHT + 1, MIDNIGHT + 1))
    early, complete = large.library(early=True), large.library(large.cache.with_name("fresh"))
    listed = early.list(limit=3)
    assert early.index.unread_files > 100
    assert [entry.summary for entry in listed] == [entry.summary for entry in complete.list()[:3]]
    assert listed[0].summary.key == f"claude:{name}"


def test_an_early_list_does_not_wait_for_sessions_of_which_only_prompts_are_left(large: ChangingHome) -> None:
    typed(large, *((f"{number:08x}-0000-4000-8000-000000000001", number - 1000) for number in range(900)))
    library = large.library(early=True)
    assert keys(library, 3) == ["gemini:s199", "gemini:s198", "gemini:s197"]
    assert library._index.store.catalogue.rows("SELECT COUNT(*) FROM sessions WHERE kind='prompts'") == [(0,)]


def test_an_id_and_the_last_session_are_known_early(large: ChangingHome) -> None:
    library, other = large.library(early=True), large.library(early=True)
    assert library.session("s042").messages[0].parts[0] == other.session("gemini:s042").messages[0].parts[0]
    assert library.index.unread_files >= 198
    last = large.library(early=True)
    assert last.session("last").key == "gemini:s199"
    assert last.index.unread_files > 100


def test_the_beginning_of_an_id_is_not_taken_for_another(large: ChangingHome) -> None:
    """An old file holds a sub-agent whose id only its content tells."""
    name = Path("weather", "chats", "session-2026-11-15T06-25-2e4d81f4.json")
    file = large.home / ".gemini" / "tmp" / name
    file.write_bytes((CORPUS / "0.30.1" / "home" / ".gemini" / "tmp" / name).read_bytes())
    os.utime(file, (MIDNIGHT, MIDNIGHT))
    large.talk("d3728403-1", "weather")
    for beginning, matches in (("d3728403", 1), ("d3728403-1", 1), ("d37", 2)):
        library = large.library(large.cache.with_name(beginning), early=True)
        assert len(library._index.find(beginning)) == matches
        assert (library.index.unread_files == 0) == (beginning == "d37")


def test_nothing_is_early_unless_that_is_asked_for(large: ChangingHome) -> None:
    library = large.library()
    assert keys(library, 5) == [f"gemini:s{number}" for number in (199, 198, 197, 196, 195)]
    assert library.index.unread_files == 0
    assert large.library(large.cache.with_name("other")).session("s042").id == "s042"
    assert library._index.store.catalogue.rows("SELECT COUNT(*) FROM sessions") == [(200,)]


PARENT = "5f300000-0000-4000-8000-000000000000"


def delegate(home: ChangingHome) -> list[str]:
    """Write the newest session, and its sub-agent, whose file is older than all others. Returns both files."""
    folder = home.home / ".gemini" / "tmp" / "weather" / "chats"
    figures = {"input": 10, "output": 5, "cached": 0, "thoughts": 0, "tool": 0, "total": 15}
    files = []
    for id, kind, place, ended in (
        (PARENT, "main", f"session-{PARENT}", 900),
        ("kid-1", "subagent", f"{PARENT}/kid-1", 1),
    ):
        at = f"2026-11-14T00:{ended // 60:02d}:00.000Z"
        lines: list[dict[str, Any]] = [
            {"sessionId": id, "projectHash": "0" * 64, "startTime": at, "lastUpdated": at, "kind": kind},
            {"id": f"{id}-1", "timestamp": at, "type": "user", "content": "Is it raining?"},
            {"id": f"{id}-2", "timestamp": at, "type": "gemini", "content": "Yes.", "model": "m", "tokens": figures},
        ]
        file = folder / f"{place}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json_lines(*lines))
        os.utime(file, (MIDNIGHT + ended, MIDNIGHT + ended))
        files.append(str(file))
    return files


def test_an_early_answer_knows_no_sums_with_sub_agents(large: ChangingHome) -> None:
    delegate(large)
    early, found = large.library(early=True), large.library(large.cache.with_name("found"), early=True)
    (entry,) = early.list(limit=1)
    assert (entry.summary.id, entry.family_usage) == (PARENT, None)
    assert found.usage.family(found.session(PARENT)) is None
    assert min(early.index.unread_files, found.index.unread_files) > 100
    kept = large.library(fresh=False)
    assert [entry.family_usage for entry in kept.list(limit=1)] == [None], "the cache does not hold everything yet"
    early.count()
    (entry,) = early.list(limit=1)
    assert entry.family_usage is not None
    assert (entry.family_usage.total, entry.family_usage.requests) == (30, 2)
    assert early.usage.family(early.session(PARENT)) == entry.family_usage


def test_what_another_pollux_read_meanwhile_is_known(large: ChangingHome) -> None:
    delegate(large)
    other = large.library()
    other.count()
    asks: tuple[Callable[[Library], Any], ...] = (
        lambda library: library.list(limit=1)[0].family_usage,
        lambda library: library.usage.family(library.session(PARENT)),
    )
    for ask in asks:
        with other._index.store.catalogue.change():  # it has read everything, and not finished
            other._index.store.catalogue.rows("UPDATE roots SET snapshot=''")
        library = large.library(early=True)
        family = ask(library)
        assert (library.index.unread_files, library.index.is_early) == (0, False)
        assert family is not None
        assert family.requests == 2


def test_a_session_is_resumed_when_all_are_read(large: ChangingHome) -> None:
    """Before, neither its sub-agents nor its folder are known: an older session of another agent has its path."""
    files = delegate(large)
    project = large.home / "rain"
    project.mkdir()
    chat = large.home / ".gemini" / "tmp" / project_hash(str(project)) / "chats" / "session-hashed.jsonl"
    chat.parent.mkdir(parents=True)
    hashed = "6f300000-0000-4000-8000-000000000000"
    chat.write_text(Path(files[0]).read_text().replace(PARENT, hashed).replace("0" * 64, chat.parts[-3]))
    name = "aaaaaaaa-0000-4000-8000-000000000001"
    log = large.home / ".claude" / "projects" / "-rain" / f"{name}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(json_lines({**user("Hi"), "timestamp": "2026-11-14T00:00:01.000Z", "cwd": str(project)}))
    os.utime(log, (MIDNIGHT + 1, MIDNIGHT + 1))
    for number, early in enumerate((False, True)):
        library = large.library(large.cache.with_name(f"cold-{number}"), early=early)
        plan = library.resume.plan(PARENT, fork=True, folder=str(project))
        assert sorted(plan.files) == sorted(files)
        assert library.index.unread_files == 0
        other = large.library(large.cache.with_name(f"other-{number}"), early=early).resume.plan(hashed)
        assert (other.folder, other.fork, other.warnings) == (str(project), False, ())


def stop_after(files: int) -> Callable[[Progress], None]:
    """A report that ends the sync early."""

    def report(progress: Progress) -> None:
        if progress.done_files >= files:
            raise Enough

    return report


def test_an_answer_without_all_files_says_how_many_are_not_read(large: ChangingHome) -> None:
    """A sync was ended early, or a cache is used as it is. Of a root that nobody looked at, every file counts."""
    name = "aaaaaaaa-0000-4000-8000-000000000001"
    log = large.home / ".claude" / "projects" / "-rain" / f"{name}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(json_lines(user("weather")))
    ended = large.library(report=stop_after(60))
    ended.list()
    left = ended.index.unread_files
    known = ended._index.store.catalogue.rows("SELECT COUNT(*) FROM sessions")[0][0]
    assert (ended.index.busy, ended.index.is_early, known + left) == (True, False, 201)
    assert 60 <= known < 201
    kept = large.library(fresh=False)
    assert len(kept.list()) == known
    assert kept.index.unread_files == left
    assert f": {left} files are not read yet." in (kept.index.problem or "")
    large.library().list()
    assert (len(kept.list()), kept.index.unread_files, kept.index.problem) == (201, 0, None)


def test_a_view_has_the_newest_sessions_first_and_then_all(
    large: ChangingHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another process stores for it comes in steps, and the view knows how far that is."""
    shown = large.library(fresh=False)
    with pytest.raises(StoreError, match="empty"):
        shown.list()
    assert shown.index.unread_files == 200
    steps: list[tuple[int, int]] = []
    keep_up = FreshIndex._keep_up

    def watched(self: FreshIndex, *arguments: Any) -> Any:
        steps.append((len(shown.list()), shown.index.unread_files))
        assert keys(shown, 3) == ["gemini:s199", "gemini:s198", "gemini:s197"]
        return keep_up(self, *arguments)

    monkeypatch.setattr(FreshIndex, "_keep_up", watched)
    large.library().index.catch_up(later=False)
    ((first, left),) = steps
    assert 100 <= first < 200
    assert first + left == 200
    assert (len(shown.list()), shown.index.unread_files, shown.index.pending()) == (200, 0, 0)
    assert large.answers() == large.truth()


def test_a_small_change_is_complete_at_once(large: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    large.library().sync()
    monkeypatch.undo()
    large.talk("s100", "an okapi")
    library = large.library(early=True)
    assert keys(library, 1) == ["gemini:s100"]
    assert (library.index.unread_files, library.index.pending()) == (0, 0)


# ---------------------------------------------------------------- searches before words are indexed

QUERIES = (
    *WORDS,
    "weather 7*",
    "weather 7 OR parser",
    "weather -7",
    "weather parser",
    '"weather 1" parser',
    "in:prompts report",
    "role:user weather 12",
    "agent:gemini before:2026-11-15 parser",
    "kind:main weather",
    "project:weather parser",
    "file:main.py",
    "tool:shell_exec failed:no",
    "since:2026-11-14 weather",
    "nowhereword",
)


def found(library: Library, query: str, **options: Any) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """The messages that a query finds, without their order, and how many messages of each session match.

    Of several messages that match together, the best stands for the session. That depends on the order.
    """
    result = library.search(query, limit=1000, counted=True, exact=True, **options)
    hits = [(hit.key, "" if hit.scattered else hit.message_id) for hit in result.hits]
    assert len(hits) == len(set(hits))
    return sorted(hits), dict(result.counts)


def all_found(library: Library) -> dict[str, Any]:
    return {query: found(library, query) for query in QUERIES}


@pytest.fixture
def behind(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Library]:
    """Opens libraries that leave words to a process behind. None is started."""

    def library(home: ChangingHome, **options: Any) -> Library:
        return home.library(complete_later=True, environ={background.VARIABLE: "1"}, **options)

    start_processes(monkeypatch)
    return library


def test_a_search_waits_for_no_words(home: ChangingHome, behind: Callable[..., Library]) -> None:
    for number in range(30):
        home.talk(f"s{number:03d}", f"weather {number}", "the report of the parser")
    whole = home.library(home.cache.with_name("whole"))
    truth = all_found(whole)
    library = behind(home)
    sessions = len(library.list(Filter(everything=True)))
    assert all_found(library) == truth
    assert library.search("weather").pending == library.index.pending() == sessions
    assert library.index.info().passages == 0
    newest = {"sort": Sort.NEWEST, "per_session": 1, "kinds": PLACES["prompts"]}
    assert found(library, "weather", **newest) == found(whole, "weather", **newest)


def test_words_of_a_database_with_a_log_are_added(large: ChangingHome, behind: Callable[..., Library]) -> None:
    shutil.copytree(CORPUS.parent / "opencode" / "1.18.33-wal" / "home", large.home, dirs_exist_ok=True)
    assert list(large.home.glob(".local/share/opencode/opencode.db-wal"))
    library = behind(large)
    truth = found(library, "agent:opencode weather")
    assert truth[0]
    assert library.index.pending() > 0
    assert library._index.add_words()
    assert library.index.pending() == 0
    assert found(library, "agent:opencode weather") == truth


def test_without_a_process_behind_words_are_added_first(home: ChangingHome, behind: Callable[..., Library]) -> None:
    behind(home).list()
    library = home.library(complete_later=True, environ={background.VARIABLE: "0"})
    assert library.search("weather").pending == library.index.pending() == 0
    assert library.index.info().passages > 0


def test_without_a_process_behind_the_words_of_a_first_search_are_added_by_the_next(
    home: ChangingHome, read_again: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    start_processes(monkeypatch)

    def search() -> tuple[list[tuple[str, str]], int]:
        library = home.library(complete_later=True, environ={background.VARIABLE: "0"})
        return found(library, "weather")[0], library.index.pending()

    for number in range(30):
        home.talk(f"s{number:03d}", f"weather {number}", "the report of the parser")
    (first, pending), (second, left) = search(), search()
    assert first == second
    assert len(first) >= 30
    assert pending >= 30
    assert left == 0
    assert read_again == [0]


def test_words_that_are_added_meanwhile_are_found_once(
    large: ChangingHome, behind: Callable[..., Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = all_found(large.library(large.cache.with_name("whole")))
    monkeypatch.setattr(words, "_AT_ONCE", 8_000)

    def stop(progress: Progress) -> None:
        if progress.done_files > 120:
            raise Enough

    large.library().list()
    library = large.library(report=stop)
    library._index.add_words()
    assert 0 < library.index.pending() < 200
    assert all_found(behind(large)) == truth
    # The words of a step are there a moment before the catalogue says so.
    monkeypatch.setattr(Catalogue, "settle", killed)
    with pytest.raises(Killed):
        large.library()._index.add_words()
    monkeypatch.undo()
    start_processes(monkeypatch)
    assert all_found(behind(large)) == truth
    assert all_found(large.library()) == truth
    assert large.library().index.pending() == 0


class Killed(BaseException):
    """Ends a process at a moment of our choice."""


def killed(*_arguments: object, **_options: object) -> None:
    raise Killed


def test_where_another_pollux_makes_no_progress_sessions_are_searched(
    large: ChangingHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = all_found(large.library(large.cache.with_name("whole")))
    library = large.library()
    library.list()
    monkeypatch.setattr(locks, "PATIENCE", 0.1)
    with try_lock(library._index.store.folder / "words.lock") as alone:
        assert alone
        assert found(library, "parser") == truth["parser OR error"]
        assert library.search("parser").pending == 200


def test_a_file_that_vanishes_meanwhile_is_named(large: ChangingHome, behind: Callable[..., Library]) -> None:
    library = behind(large)
    library.list()
    file = next(large.home.rglob("session-s042.jsonl"))
    file.unlink()
    result = library.search("weather", limit=500)
    assert len({hit.key for hit in result.hits}) == 199
    assert result.unfinished == (str(file),)


def test_a_message_that_is_added_meanwhile_waits_for_the_next_sync(
    large: ChangingHome, behind: Callable[..., Library]
) -> None:
    library = behind(large)
    library.list()
    large.talk("s042", "a zebra came later")
    assert library.search("zebra", exact=True).hits == ()
    assert [hit.key for hit in behind(large).search("zebra").hits] == ["gemini:s042"]


@pytest.fixture
def read_again(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Hears how many bundles each direct search reads."""
    numbers: list[int] = []

    def counted(bundles: Sequence[PendingBundle], *arguments: Any) -> Any:
        numbers.append(len(bundles))
        return look_through(bundles, *arguments)

    monkeypatch.setattr(pending, "look_through", counted)
    return numbers


@pytest.mark.parametrize("query", QUERIES)
def test_the_first_search_reads_each_file_once(
    query: str, home: ChangingHome, behind: Callable[..., Library], read_again: list[int]
) -> None:
    home.talk("s001", "weather 7", "the report of the parser")
    home.talk("s002", "weather \ud800 7 \N{PARTY POPPER}", "parser")
    truth = found(home.library(home.cache.with_name("whole")), query)
    assert found(behind(home), query) == truth
    assert read_again == [0]


def test_a_search_in_the_midst_reads_no_file_of_a_large_load_again(
    large: ChangingHome, behind: Callable[..., Library], read_again: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project becomes known on the way, so a few sessions are read again: that makes nothing else worthless."""
    project = large.home / "rain"
    project.mkdir()
    digest = project_hash(str(project))
    chat = large.talk("hashed", "weather 200", project=digest)
    chat.write_text(chat.read_text().replace("0" * 64, digest))
    os.utime(chat, (MIDNIGHT + 900, MIDNIGHT + 900))
    name = "aaaaaaaa-0000-4000-8000-000000000001"
    log = large.home / ".claude" / "projects" / "-rain" / f"{name}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(json_lines({**user("weather"), "timestamp": "2026-11-14T00:00:01.000Z", "cwd": str(project)}))
    os.utime(log, (MIDNIGHT + 1, MIDNIGHT + 1))
    truth = found(large.library(large.cache.with_name("whole")), "weather")
    monkeypatch.setattr(workers, "WORTH_FORKING", 5_000)  # more than one file, less than all
    early = large.library(early=True)
    assert keys(early, 3)[0] == "gemini:hashed"
    known = early._index.store.catalogue.rows("SELECT COUNT(*) FROM sessions")[0][0]
    library = behind(large)
    assert found(library, "weather") == truth
    assert [entry.summary.project for entry in library.list() if entry.summary.id == "hashed"] == [str(project)]
    assert 0 < known < 100
    assert read_again == [known + 1], "what was in the catalogue before, and one small file, which was read alone"


@pytest.mark.parametrize("options", [{"sort": Sort.NEWEST}, {"per_session": 1}, {"kinds": PLACES["prompts"]}])
def test_the_first_search_heeds_its_options(
    options: dict[str, Any], large: ChangingHome, behind: Callable[..., Library], read_again: list[int]
) -> None:
    whole = large.library(large.cache.with_name("whole"))
    assert found(behind(large), "weather", **options) == found(whole, "weather", **options)
    best = [hit.key for hit in whole.search("weather 7", limit=5, **options).hits]
    assert [hit.key for hit in behind(large).search("weather 7", limit=5, **options).hits] == best
    assert read_again[0] == 0


def test_hits_are_told_as_they_are_found(large: ChangingHome, behind: Callable[..., Library]) -> None:
    told: list[Hit] = []
    result = behind(large).search("weather", limit=500, found=lambda hits: told.extend(hits()))
    assert len(result.hits) == 200
    assert {(hit.key, hit.message_id) for hit in told} == {(hit.key, hit.message_id) for hit in result.hits}
    assert all(hit.snippet and hit.title for hit in told)
    again: list[Hit] = []
    behind(large).search("parser", limit=500, found=lambda hits: again.extend(hits()))
    assert len(again) == 200, "what is in the catalogue already is told, too"


def test_messages_that_are_left_out_are_counted(
    empty_home: ChangingHome, behind: Callable[..., Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the client wrote is not compared once better messages were found. It counts all the same."""
    for number in range(60):
        file = empty_home.talk(f"s{number:03d}", "weather " * (20 + number))
        with file.open("a") as out:
            for place in range(number % 4):
                at = "2026-11-14T00:10:00.000Z"
                line = {"id": f"i{place}", "timestamp": at, "type": "info", "content": "weather"}
                out.write(json.dumps(line) + "\n")
        os.utime(file, (MIDNIGHT - number, MIDNIGHT - number))  # the best are read last
    counted: list[int] = []

    def count_matches(query: DirectQuery, session: Session, number: int) -> int:
        counted.append(count := look.count_matches(query, session, number))
        return count

    monkeypatch.setattr(pending, "count_matches", count_matches)
    asked: dict[str, Any] = {"limit": 20, "per_session": 1, "counted": True}
    early = behind(empty_home).search("weather", **asked).counts
    truth = empty_home.library(empty_home.cache.with_name("whole")).search("weather", **{**asked, "limit": 60}).counts
    assert len(truth) == 60
    assert early == {key: truth[key] for key in early}
    assert len(early) == 20
    assert counted


def test_a_copy_displaces_no_hit(
    empty_home: ChangingHome, read_again: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copies under another root have the word more often, and do not count."""
    start_processes(monkeypatch)
    home = empty_home
    for number in range(30):
        file = home.talk(f"s{number:03d}", f"weather {number}", "the tide came in")
        copy = home.home / "other" / "tmp" / file.relative_to(home.home / ".gemini" / "tmp")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(file.read_text().replace("the tide", "tide " * 200), encoding="utf-8")
        home.talk(f"s{number:03d}", "and more was said")
    roots = [home.home / ".gemini" / "tmp", home.home / "other" / "tmp"]
    environ = {"POLLUX_GEMINI_DIR": os.pathsep.join(map(str, roots)), background.VARIABLE: "1"}
    whole = home.library(home.cache.with_name("whole"), environ=environ)
    early = home.library(complete_later=True, environ=environ)
    wanted = whole.search("tide", limit=20)
    assert {hit.key for hit in early.search("tide", limit=20).hits} == {hit.key for hit in wanted.hits}
    assert len(wanted.hits) == 20
    assert read_again == [30]


def test_a_fault_of_the_search_costs_no_session(
    large: ChangingHome, behind: Callable[..., Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchVisit, "look", broken)
    library = behind(large)
    assert len(library.search("weather", limit=500).hits) == 200
    assert library.index.unread() == 0


def broken(*_arguments: object) -> bytes:
    raise RecursionError


# ---------------------------------------------------------------- the process behind


def complete(home: ChangingHome) -> None:
    with contextlib.suppress(Gone):
        home.library()._index.complete()


def slowly(pause: float) -> Callable[..., BundleRows]:
    whole = readers.read

    def read(number: int, task: tuple[Source, Bundle], store_words: readers.StoreWords, **options: Any) -> BundleRows:
        time.sleep(pause)
        return whole(number, task, store_words, **options)

    return read


def test_killed_at_many_moments(empty_home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    home, dice = empty_home, random.Random(3)
    start_processes(monkeypatch)
    monkeypatch.setattr(words, "_AT_ONCE", 20_000)
    churn(home, dice)
    other = home.cache.with_name("other")
    asks: list[Callable[[Library], Any]] = [
        lambda library: keys(library, 3),
        keys,
        lambda library: sorted((hit.key, hit.message_id) for hit in library.search("weather report", limit=200).hits),
        lambda library: found(library, "weather -parser (report OR repor*)"),
        lambda library: library.count(Filter(everything=True)),
        lambda library: [row.name for row in library.usage.stats(Grouping.AGENT).rows],
    ]
    for moment in range(MOMENTS):
        churn(home, dice)
        process = FORK.Process(target=complete, args=(home,))
        process.start()
        time.sleep(dice.random() * 0.15)
        assert process.pid is not None
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        ask = dice.choice(asks)
        environ = {background.VARIABLE: str(moment % 2)}
        library = home.library(complete_later=True, environ=environ)
        assert ask(library) == ask(home.library(other)), f"after moment {moment}"
    assert home.answers() == home.truth()


def test_it_lets_others_go_first(large: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bulk, small):
        monkeypatch.setattr(module, "read", slowly(0.05))
    process = FORK.Process(target=complete, args=(large,))
    process.start()
    until(lambda: large.library(fresh=False).index.info().sessions)
    monkeypatch.undo()
    start_processes(monkeypatch)
    assert keys(large.library(early=True), 3) == ["gemini:s199", "gemini:s198", "gemini:s197"]
    assert process.is_alive(), "the answer waited for the other process"
    process.join(60)
    assert process.exitcode == 0
    assert large.answers() == large.truth()


def test_it_ends_when_the_cache_is_cleared(large: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bulk, small):
        monkeypatch.setattr(module, "read", slowly(0.05))
    process = FORK.Process(target=complete, args=(large,))
    process.start()
    until(lambda: large.library(fresh=False).index.info().sessions)
    large.library().index.clear()
    process.join(20)
    assert process.exitcode == 0
    assert [file.name for file in large.cache.rglob("catalogue*")] == []


def test_it_ends_when_the_cache_is_deleted(large: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """It neither reads on for nobody, nor makes the folder again."""
    assert len(keys(large.library(early=True), 3)) == 3
    monkeypatch.setattr(bulk, "read", counted := Counted(readers.read))
    process = FORK.Process(target=run_behind, args=(large,))
    process.start()
    until(lambda: counted.calls)
    large.cache.rename(large.cache.with_name("deleted"))
    process.join(60)
    assert process.exitcode == 0
    assert counted.calls < 150
    assert not large.cache.exists()


def test_it_ends_when_the_cache_is_deleted_while_it_adds_words(
    large: ChangingHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(keys(large.library())) == 200
    monkeypatch.setattr(words, "_index", counted := Counted(words._index))
    process = FORK.Process(target=run_behind, args=(large,))
    process.start()
    until(lambda: counted.calls)
    large.cache.rename(large.cache.with_name("deleted"))
    process.join(60)
    assert process.exitcode == 0
    assert counted.calls < 150
    assert not large.cache.exists()


def test_it_reads_nothing_that_cannot_be_stored(large: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise NotWritten("There is no room.")

    monkeypatch.setattr(Catalogue, "mark_changing", full)
    library = large.library()
    with pytest.raises(StoreError, match="There is no room"):
        library._index.complete()
    assert library._index.store.catalogue.path is None or not library.index.info().sessions


def run_behind(home: ChangingHome) -> None:
    library = home.library()
    background.run(library._index, library._places)


class Counted:
    """A function that takes its time. Other processes see how often it was called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._calls = FORK.Value("i", 0)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        time.sleep(0.1)
        with self._calls.get_lock():
            self._calls.value += 1
        return self._function(*arguments, **options)

    @property
    def calls(self) -> int:
        return int(self._calls.value)
