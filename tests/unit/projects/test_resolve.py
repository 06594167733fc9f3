"""Projects that are known by a hash alone: what tells their paths, and what is read again when that is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pollux import Library, registry
from pollux.library.library import Filter
from pollux.model.project_hash import project_hash, unsettled_hash
from pollux.projects import disk_search
from pollux.projects.hashes import ProjectHashes
from pollux.projects.resolve import Resolver
from pollux.sources.base import Bundle, Reading
from pollux.system.directories import Places

LOST = "/far/away/weather"


def hashes(home: Path) -> ProjectHashes:
    return ProjectHashes(Places({"HOME": str(home)}))


def resolver(home: Path, cwd: str = "/", *, hunt: bool = False) -> Resolver:
    return Resolver(hashes(home), Places({"HOME": str(home)}), Path(cwd), hunt=hunt)


def test_a_path_is_unsettled_where_another_one_has_the_hash() -> None:
    digest = project_hash("/a")
    assert unsettled_hash(None, None, digest) == digest
    assert unsettled_hash("/b", "guess", digest) == digest
    assert unsettled_hash("/b", "marker", digest) == digest
    assert unsettled_hash("/a", "marker", digest) is None
    assert unsettled_hash("/b", "moved", digest) is None
    assert unsettled_hash(None, None, "no hash") is None
    assert unsettled_hash(None, None, None) is None


def test_the_directories_of_other_sessions_and_the_present_one_are_tried(tmp_path: Path) -> None:
    here, there, nowhere = map(project_hash, ("/x", "/y", "/z"))
    assert resolver(tmp_path, "/x/src").resolve({here, there, nowhere}, lambda: ["/w", "/y"]) == {here, there}
    assert hashes(tmp_path).path_of(here) == "/x"
    assert hashes(tmp_path).path_of(there) == "/y"
    assert hashes(tmp_path).path_of(nowhere) is None


def test_the_disk_is_searched_once_a_day(tmp_path: Path) -> None:
    digest = project_hash(str(tmp_path / "code" / "weather"))
    assert resolver(tmp_path, hunt=True).resolve({digest}, list) == set()
    (tmp_path / "code" / "weather").mkdir(parents=True)
    assert resolver(tmp_path, hunt=True).resolve({digest}, list) == set()
    assert resolver(tmp_path, "/elsewhere", hunt=True).resolve({digest}, list) == {digest}


def test_a_search_that_ends_early_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = project_hash(LOST)
    monkeypatch.setattr(disk_search, "MOST_FOLDERS", 1)
    assert resolver(tmp_path, hunt=True).resolve({digest}, list) == {digest}
    assert hashes(tmp_path).ended_early(digest)
    assert resolver(tmp_path, hunt=True).resolve({digest}, list) == set()
    monkeypatch.undo()
    assert resolver(tmp_path, "/elsewhere", hunt=True).resolve({digest}, list) == {digest}
    assert not hashes(tmp_path).ended_early(digest)


class Machine:
    """A home in which Gemini CLI names projects by hashes, and Claude Code by paths."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"

    def library(self, *, hunt: bool = False) -> Library:
        return Library({"HOME": str(self.home)}, self.home, hunt=hunt)

    def gemini(self, name: str, path: str) -> None:
        digest = project_hash(path)
        file = self.home / ".gemini" / "tmp" / digest / "chats" / f"session-{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        records = [{"id": "1", "timestamp": "2026-11-15T12:00:00.000Z", "type": "user", "content": "Hello"}]
        file.write_text(json.dumps({"sessionId": name, "projectHash": digest, "messages": records}), "utf-8")

    def claude(self, name: str, path: str) -> None:
        file = self.home / ".claude" / "projects" / "-any" / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        record = {"type": "user", "uuid": "1", "sessionId": name, "cwd": path, "timestamp": "2026-11-15T12:00:00.000Z"}
        file.write_text(json.dumps({**record, "message": {"role": "user", "content": "Hello"}}) + "\n", "utf-8")

    def projects(self, **options: bool) -> dict[str, tuple[str | None, str | None]]:
        with self.library(**options) as library:
            listed = [one.summary for one in library.list(Filter(agent="gemini"))]
        return {summary.id: (summary.project, summary.project_evidence) for summary in listed}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sessions of Gemini CLI that were read, in their order."""
    source, result = registry.source("gemini"), list[str]()
    read = source.read

    def noted(bundle: Bundle) -> Reading:
        result.append(bundle.id)
        return read(bundle)

    monkeypatch.setattr(source, "read", noted)
    return result


def test_another_agent_tells_the_path_before_it_is_needed(machine: Machine, reads: list[str]) -> None:
    machine.gemini("one", LOST)
    machine.claude("two", LOST)
    assert machine.library().sync().changed == 2
    assert machine.projects() == {"one": (LOST, "hash")}
    assert reads == ["one"]
    with machine.library() as library:
        assert [project.path for project in library.projects.all()] == [LOST]
        assert {hit.key for hit in library.search("hello project:weather").hits} == {"gemini:one", "claude:two"}


def test_only_the_sessions_of_that_project_are_read_again(machine: Machine, reads: list[str]) -> None:
    machine.gemini("one", LOST)
    machine.gemini("other", "/nobody/knows")
    assert machine.projects() == {"one": (None, None), "other": (None, None)}
    assert sorted(reads) == ["one", "other"]
    reads.clear()
    machine.claude("two", LOST)
    assert machine.projects() == {"one": (LOST, "hash"), "other": (None, None)}
    assert reads == ["one"]
    reads.clear()
    assert machine.projects() == {"one": (LOST, "hash"), "other": (None, None)}
    assert reads == []


def test_what_the_disk_tells_is_known_before_anything_is_read(machine: Machine, reads: list[str]) -> None:
    path = machine.home / "code" / "weather"
    path.mkdir(parents=True)
    machine.gemini("one", str(path))
    assert machine.projects(hunt=True) == {"one": (str(path), "hash")}
    assert reads == ["one"]


def test_what_the_user_says_is_heard_by_the_next_question(machine: Machine, reads: list[str]) -> None:
    machine.gemini("one", LOST)
    assert machine.projects() == {"one": (None, None)}
    machine.library().projects.add(LOST)
    assert machine.projects() == {"one": (LOST, "hash")}
    reads.clear()
    assert machine.projects() == {"one": (LOST, "hash")}
    assert reads == []


def test_a_file_elsewhere_is_resolved_too(machine: Machine, tmp_path: Path) -> None:
    machine.gemini("one", LOST)
    (file,) = (machine.home / ".gemini").rglob("session-one.json")
    file = file.rename(tmp_path / "session-one.json")
    assert machine.library().open(file).project is None
    machine.claude("two", LOST)
    with machine.library() as library:
        session = library.open(file)
    assert (session.project, session.project_evidence) == (LOST, "hash")


def test_a_session_tells_that_the_search_ended_early(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.gemini("one", LOST)
    monkeypatch.setattr(disk_search, "MOST_FOLDERS", 1)
    with machine.library(hunt=True) as library:
        assert [notice.code for notice in library.session("last").notices] == ["project.search"]
        assert "project.search" in {notice.code for notice in library.doctor().notices}


def test_a_proof_outlives_the_session_that_gave_it(machine: Machine) -> None:
    machine.gemini("one", LOST)
    (file,) = (machine.home / ".gemini").rglob("session-one.json")
    text = file.read_text("utf-8")
    file.write_text(text.replace("Hello", f"Look into {LOST}/main.py"), "utf-8")
    assert machine.projects() == {"one": (LOST, "hash")}
    file.write_text(text, "utf-8")
    assert machine.projects() == {"one": (LOST, "hash")}
