"""Homes below a folder, and what is read from each: as the library reads it, each session once, and nothing outside."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.errors import NotFound, Unreadable
from pollux.model import Session
from pollux.projects.resolve import ResolvedSource
from pollux.sources.base import Bundle, Reading
from pollux.spark.homes import homes_below, read_home

CORPUS = Path(__file__).parents[2] / "corpus"
HOMES = ["claude/2.1.325", "codex/0.166.0", "copilot/1.0.102", "gemini/upgrade", "opencode/1.18.33", "qwen/0.24.4"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A home of each agent, as far as three folders down."""
    for name in HOMES:
        shutil.copytree(CORPUS / name / "home", tmp_path / "corpus" / name / "home", symlinks=True)
    return tmp_path / "corpus"


def sessions(home: Path, agent: str) -> dict[str, Session]:
    read = [found.session for found in read_home(home, agent) if found.session is not None]
    assert len({session.key for session in read}) == len(read)
    return {session.key: session for session in read}


def library(home: Path, beside: Path) -> Library:
    own = {f"XDG_{name}_HOME": str(beside / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    return Library({"HOME": str(home), **own}, home, hunt=False)


def test_every_home_is_found_with_its_agents(corpus: Path) -> None:
    found = homes_below(corpus)
    assert [str(home.relative_to(corpus)) for home, _ in found] == [f"{name}/home" for name in HOMES]
    assert [agents for _, agents in found] == [[name.partition("/")[0]] for name in HOMES]
    assert homes_below(corpus / HOMES[0] / "home") == found[:1]


def test_to_find_homes_no_file_is_opened(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver finds them for all workers, so it must not take longer than listing folders does."""

    def refuse(path: object, *_: object, **__: object) -> None:
        raise AssertionError(f"{path} was opened")

    monkeypatch.setattr("os.open", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr("sqlite3.connect", refuse)
    assert len(homes_below(corpus)) == len(HOMES)


@pytest.mark.parametrize("name", HOMES)
def test_what_is_read_is_what_the_library_reads(name: str, corpus: Path, tmp_path: Path) -> None:
    agent, home = name.partition("/")[0], corpus / name / "home"
    with library(home, tmp_path / "beside") as opened:
        expected = {session.key: session for session in opened.sessions(Filter(everything=True))}
    read = sessions(home, agent)
    assert read.keys() == expected.keys()
    for key, session in read.items():
        assert session.messages == expected[key].messages
        assert session.usage == expected[key].usage


def test_of_two_copies_the_one_that_was_used_last_counts(corpus: Path, tmp_path: Path) -> None:
    home = corpus / "codex/0.166.0/home"
    whole = max((home / ".codex/sessions").rglob("rollout-*.jsonl"), key=lambda path: path.stat().st_size)
    archived = home / ".codex/archived_sessions" / whole.name
    archived.parent.mkdir(exist_ok=True)
    archived.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:-3]))
    with library(home, tmp_path / "beside") as opened:
        expected = {session.key: len(session.messages) for session in opened.sessions(Filter(everything=True))}
    assert {key: len(session.messages) for key, session in sessions(home, "codex").items()} == expected


def test_a_copy_that_cannot_be_read_hides_no_other(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = corpus / "codex/0.166.0/home"
    before = sessions(home, "codex")
    whole = max((home / ".codex/sessions").rglob("rollout-*.jsonl"), key=lambda path: path.stat().st_size)
    (home / ".codex/archived_sessions").mkdir(exist_ok=True)
    shutil.copy(whole, home / ".codex/archived_sessions")
    victim = next(key for key, session in before.items() if str(whole) in session.files)
    read, failures = ResolvedSource.read, [ZeroDivisionError("a bug")]

    def failing(self: ResolvedSource, bundle: Bundle) -> Reading:
        if bundle.key == victim and failures:
            raise failures.pop()
        return read(self, bundle)

    monkeypatch.setattr(ResolvedSource, "read", failing)
    found = [one for one in read_home(home, "codex") if one.key == victim]
    assert [one.session is not None for one in found] == [False, True]
    assert [notice.code for notice in found[0].notices] == ["reader.failed"]


def test_a_reader_that_fails_costs_one_session(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = corpus / "codex/0.166.0/home"
    before = sessions(home, "codex")
    victim = next(key for key, session in before.items() if session.kind == "main")
    read = ResolvedSource.read

    def failing(self: ResolvedSource, bundle: Bundle) -> Reading:
        if bundle.key == victim:
            raise ZeroDivisionError("a bug")
        return read(self, bundle)

    monkeypatch.setattr(ResolvedSource, "read", failing)
    assert sessions(home, "codex").keys() == before.keys() - {victim}
    (notice,) = (n for found in read_home(home, "codex") if found.key == victim for n in found.notices)
    assert (notice.code, notice.severity) == ("reader.failed", "error")
    assert "ZeroDivisionError: a bug" in notice.text


def test_nothing_outside_of_a_home_is_read(corpus: Path, tmp_path: Path) -> None:
    secret = tmp_path / "operator"
    shutil.copytree(corpus / "claude/2.1.325/home/.claude", secret / ".claude")
    visitor = tmp_path / "visitors" / "mallory"
    (visitor / ".qwen").mkdir(parents=True)
    elsewhere = {"advanced": {"runtimeOutputDir": f"{corpus}/qwen/0.24.4/home/.qwen"}}
    (visitor / ".qwen/settings.json").write_text(json.dumps(elsewhere))
    (visitor / ".claude").symlink_to(secret / ".claude")
    (visitor.parent / "link").symlink_to(corpus)
    (visitor / ".codex/sessions").mkdir(parents=True)
    assert homes_below(visitor.parent) == [(visitor, ["codex"])]
    for agent in ("claude", "codex", "qwen"):
        assert sessions(visitor, agent) == {}


def test_a_folder_that_cannot_be_opened_is_a_problem(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = corpus / "aaa"
    closed.mkdir()
    scandir = os.scandir

    def refused(path: str | Path) -> object:
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    assert homes_below(corpus)[0] == (closed, [])
    ((_, session, notices),) = read_home(closed, None)
    assert session is None
    assert [(notice.code, notice.file, notice.severity) for notice in notices] == [
        ("file.unreadable", str(closed), "error")
    ]


def test_a_folder_without_homes_and_no_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"No home in .* has files of an agent"):
        homes_below(tmp_path)
    with pytest.raises(Unreadable, match="is not a folder"):
        homes_below(tmp_path / "none")
