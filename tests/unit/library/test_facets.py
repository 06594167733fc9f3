"""Facets count what a list or a search with the same term gives; an outline is what reading the session gives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.errors import BadQuery, RequestError, UnknownName
from pollux.index.catalogue.facets import FACETS
from pollux.index.search.outline import outline_of
from pollux.library.filters import filter_of
from pollux.library.index import Matching
from pollux.library.marks import Edit, Target
from pollux.model.names import name_matches
from pollux.text.filter_term import filter_term
from tests.index.test_crash import start_processes

HOME = Path(__file__).parents[3] / "src" / "pollux" / "sample" / "home"
CORPUS = Path(__file__).parents[2] / "corpus"
HOMES = [HOME, CORPUS / "claude", CORPUS / "codex", CORPUS / "gemini"]


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")


def _library(home: Path, tmp_path: Path) -> Library:
    own = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return Library({"HOME": str(home), **own}, home, hunt=False)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = _library(HOME, tmp_path)
    entries = library.list()
    library.marks.change([Target(entry.summary.key) for entry in entries[::3]], Edit(starred=True, tags={"a": True}))
    library.marks.change([Target(entry.summary.key) for entry in entries[1::4]], Edit(tags={"b": True}, private=True))
    library.marks.read(library.session("last"))
    library.marks.unread(entries[2].summary.key)
    return library


def _keys(library: Library, query: str) -> set[str]:
    return {hit.key for hit in library.search(query, limit=1000, exact=True).hits if not hit.scattered}


@pytest.mark.parametrize("everything", [True, False])
def test_each_count_is_the_length_of_the_list_with_that_term(library: Library, everything: bool) -> None:
    counted = library.index.facets(criteria=Filter(everything=everything), names=FACETS)
    assert list(counted) == list(FACETS)
    listable = {"agent", "project", "is", "tag", "day"}
    for name in listable:
        assert counted[name]
        for value, count in counted[name].items():
            words = [f"since:{value}", f"until:{value}"] if name == "day" else [f"{name}:{value}"]
            assert library.count(filter_of(words=words, everything=everything)) == count, (name, value)
    summaries = [entry.summary for entry in library.list(Filter(everything=everything))]
    for model, count in counted["model"].items():  # `model:gpt-5` finds what gpt-5-mini said, too
        assert sum(any(name_matches(model, one) for one in summary.models) for summary in summaries) == count
        if everything:
            assert len(_keys(library, filter_term("model", model))) == count
    assert counted["failed"] == {"yes": sum(summary.counts.failed_tool_calls > 0 for summary in summaries)}
    for branch, count in counted["branch"].items():
        assert sum(branch in summary.facts.get("branch", ()) for summary in summaries) == count
    for values in (values for name, values in counted.items() if name != "day"):
        assert list(values.values()) == sorted(values.values(), reverse=True)
    assert list(counted["day"]) == sorted(counted["day"], reverse=True)


@pytest.mark.parametrize("text", ["packet", "the", "tide -harbour", "is:starred the", "tool:shell", "nonsense"])
def test_a_search_has_the_facets_of_the_sessions_that_it_finds(library: Library, text: str) -> None:
    counted = library.index.facets(text, names=["agent", "kind", "tag"])
    everything = {entry.summary.key: entry for entry in library.list(Filter(everything=True))}
    found = [everything[key] for key in _keys(library, text)]
    for agent in ("claude", "codex", "gemini"):
        assert counted["agent"].get(agent, 0) == sum(one.summary.agent == agent for one in found)
    assert sum(counted["kind"].values()) == len(found)
    tagged = sum(one.marks is not None and "a" in one.marks.session.tags for one in found)
    assert counted["tag"].get("a", 0) == tagged


def test_sessions_whose_words_are_pending_count_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = _library(HOME, tmp_path / "now").index.facets("the", names=["agent", "project"])
    start_processes(monkeypatch)
    pending = _library(HOME, tmp_path / "later")
    sessions = [entry.summary.key for entry in pending.list(Filter(everything=True))]
    assert pending.index.pending() == len(sessions)
    assert pending.index.facets("the", names=["agent", "project"]) == wanted
    for key in sessions:
        assert pending.outline(key) == outline_of(pending.session(key))
    assert pending.index.pending() == len(sessions)


def test_a_value_counts_what_it_finds_where_it_is_a_filter(tmp_path: Path) -> None:
    """A folder finds those in it, and a name those that have it among their words."""
    home = tmp_path / "home"
    places = {"/w/a": "main", "/w/a/b": "feature/main", "/w/ab": "maintenance", "/w": "main"}
    for number, (folder, branch) in enumerate(places.items()):
        name = f"aaaaaaaa-bbbb-4ccc-8ddd-{number:012}"
        line = {"type": "user", "uuid": name, "sessionId": name, "cwd": folder, "gitBranch": branch}
        line["message"] = {"role": "user", "content": f"In {folder}"}  # type: ignore[assignment]
        file = home / ".claude" / "projects" / f"-{number}" / f"{name}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(line) + "\n", "utf-8")
    library = _library(home, tmp_path)
    counted = library.index.facets(names=["project", "branch"])
    assert counted["project"] == {"/w": 4, "/w/a": 2, "/w/a/b": 1, "/w/ab": 1}
    assert counted["branch"] == {"main": 3, "feature/main": 1, "maintenance": 1}
    for name, values in counted.items():
        for value, count in values.items():
            assert library.count(filter_of(words=[f"{name}:{value}"], everything=False)) == count


def test_a_facet_that_does_not_exist(library: Library) -> None:
    with pytest.raises(RequestError, match="'agnet' is no facet"):
        library.index.facets(names=["agnet"])


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_the_outline_is_that_of_the_session(home: Path, tmp_path: Path) -> None:
    homes = [home] if home is HOME else sorted(folder for folder in home.iterdir() if (folder / "home").is_dir())[-2:]
    for folder in homes:
        library = _library(folder if folder is HOME else folder / "home", tmp_path / folder.name)
        library.sync()
        for entry in library.list(Filter(everything=True)):
            session = library.session(entry.summary.key)
            outline = library.outline(session.key)
            assert outline == outline_of(session)
            prompts = {prompt.id for prompt in session.prompts if prompt.text.strip()}
            assert prompts <= {one.message_id for one in outline}


def test_the_outline_of_no_session(library: Library) -> None:
    with pytest.raises(UnknownName):
        library.outline("gemini:none")


def test_what_is_looked_for_meanwhile_is_what_is_looked_for_at_once(library: Library) -> None:
    begun = library.index.matching("packet")
    assert library.index.facets("packet", names=FACETS, matching=begun) == library.index.facets("packet", names=FACETS)
    with pytest.raises(BadQuery):
        library.index.matching('"unfinished (')

    def broken() -> set[int]:
        raise RequestError("No.")

    with pytest.raises(RequestError):
        Matching(broken).numbers()


def test_facets_follow_what_is_added_changed_and_deleted(tmp_path: Path) -> None:
    """Counts are kept and only changed: they must stay those of a library that counts all anew."""
    home = tmp_path / "home"
    shutil.copytree(HOME, home)
    lasting = _library(home, tmp_path)
    questions = [("", Filter()), ("", Filter(everything=True)), ("", Filter(agent="codex")), ("packet", Filter())]

    def check() -> None:
        lasting.index.settle()
        anew = _library(home, tmp_path / "other")
        for text, criteria in questions:
            assert lasting.index.facets(text, criteria, FACETS) == anew.index.facets(text, criteria, FACETS)

    check()
    files = sorted((home / ".claude").rglob("*.jsonl")) + sorted((home / ".gemini").rglob("session-*.jsonl"))
    for file in files[:3]:
        kept = file.read_bytes()
        file.unlink()
        check()
        copy = file.with_name(file.name.replace(file.stem[-4:], "beef"))
        copy.write_bytes(kept.replace(file.stem[-36:].encode(), file.stem[-36:-4].encode() + b"beef"))
        check()
        with copy.open("ab") as out:
            out.write(kept.splitlines(keepends=True)[-1])
        check()
        file.write_bytes(kept)
        check()
