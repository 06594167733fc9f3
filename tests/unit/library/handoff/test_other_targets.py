"""Conversations go over to agents that keep sessions in other ways: a folder of events, a chain of records."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pollux.errors import CannotResume
from pollux.library.handoff.plan import HandoffPlan
from pollux.model import HANDED_OVER, Author
from tests.resumable import IDS, Desk

TARGETS = ("copilot", "qwen")
targets = pytest.mark.parametrize("to", TARGETS)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    for agent in TARGETS:
        desk.install(agent)
    desk.furnish()
    return desk


def written(desk: Desk, to: str, origin: str = "gemini", **environ: str) -> HandoffPlan:
    with desk.library(environ=environ) as library:
        return library.handoff.write(library.handoff.plan(IDS[origin], to))


def files_below(desk: Desk) -> set[str]:
    return {str(file.relative_to(desk.home)) for file in desk.home.rglob("*") if file.is_file()}


def places(desk: Desk, made: HandoffPlan) -> set[str]:
    folder = f".copilot/session-state/{made.id}"
    project = re.sub("[^A-Za-z0-9]", "-", str(desk.project))
    return {
        "copilot": {f"{folder}/events.jsonl", f"{folder}/workspace.yaml"},
        "qwen": {f".qwen/projects/{project}/chats/{made.id}.jsonl"},
    }[made.agent]


@targets
def test_it_is_written_where_the_agent_looks_and_read_as_a_copy(desk: Desk, to: str) -> None:
    before = files_below(desk)
    made = written(desk, to)
    assert files_below(desk) - before == places(desk, made)
    assert made.words == (to, "--resume", made.id)
    assert (made.environ, made.key) == ({}, f"{to}:{made.id}")
    with desk.library() as library:
        session = library.session(str(made.key))
        assert (session.title, session.project) == ("Rain", str(desk.project))
        assert [message.text for message in session.messages[1:]] == ["Is it raining?", "It is."]
        assert session.messages[0].author is Author.CLIENT
        assert all(message.inherited for message in session.messages)
        assert [link.target for link in session.links if link.kind == HANDED_OVER] == [f"gemini:{IDS['gemini']}"]
        assert (session.exact, session.gaps, session.usage.total) == (True, (), 0)
        assert library.resume.plan(str(made.key)).words == made.words


@targets
def test_it_is_taken_back_with_its_folders(desk: Desk, to: str) -> None:
    before = sorted(desk.home.rglob("*"))
    made = written(desk, to)
    with desk.library() as library:
        library.handoff.undo(str(made.key))
    assert sorted(desk.home.rglob("*")) == before


@targets
def test_a_variable_names_another_home(desk: Desk, to: str) -> None:
    name = {"copilot": "COPILOT_HOME", "qwen": "QWEN_RUNTIME_DIR"}[to]
    elsewhere = desk.home / "elsewhere"
    made = written(desk, to, **{name: str(elsewhere)})
    assert Path(made.files[0].path).is_relative_to(elsewhere)
    assert made.environ == {name: str(elsewhere)}


def test_the_title_is_a_line_of_its_own_whatever_it_is(desk: Desk) -> None:
    title = 'Rain: "yes" #1'
    file = desk.gemini(desk.home / ".gemini")
    file.write_text(file.read_text().replace('"Rain"', json.dumps(title)))
    made = written(desk, "copilot")
    with desk.library() as library:
        assert library.session(str(made.key)).title == title


def test_an_early_release_is_refused(desk: Desk) -> None:
    desk.install("qwen", "0.3.1")
    with pytest.raises(CannotResume, match=r"Qwen Code 0\.3\.1 cannot go on") as caught, desk.library() as library:
        library.handoff.plan(IDS["claude"], "qwen")
    assert caught.value.reason == "release"


def test_opencode_takes_none(desk: Desk) -> None:
    with pytest.raises(CannotResume, match="does not know how to hand a conversation over to OpenCode"):
        written(desk, "opencode")
