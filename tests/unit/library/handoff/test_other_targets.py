"""Conversations go over to agents that keep sessions in other ways: a folder of events, a chain of records."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from pollux.errors import CannotResume, OutputError
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


def imported(desk: Desk, **environ: str) -> HandoffPlan:
    """A hand-over to OpenCode, whose file is where pollux reads one that was put back."""
    desk.install("opencode")
    made = written(desk, "opencode", **environ)
    folder = desk.home / ".local" / "share" / "opencode" / "import"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(made.contents[0][1].place, folder)
    return made


def test_opencode_takes_a_file_over_and_goes_on(desk: Desk) -> None:
    before = files_below(desk)
    desk.install("opencode")
    made = written(desk, "opencode")
    assert files_below(desk) == before, "nothing is written among its files"
    file = made.files[0].path
    assert Path(file).is_relative_to(desk.home.parent / "data" / "pollux")
    assert (made.before, made.words) == (("opencode", "import", file), ("opencode", "--session", made.id))
    data = f"XDG_DATA_HOME={desk.home.parent / 'data'}"
    assert made.line == f"cd {desk.project} && {data} opencode import {file} && {data} opencode --session {made.id}"
    assert made.key == f"opencode:{made.id}"
    assert re.fullmatch(r"ses_[0-9a-f]{12}[0-9A-Za-z]{14}", made.id)


def test_a_session_that_opencode_took_over_is_a_copy(desk: Desk) -> None:
    made = imported(desk)
    with desk.library() as library:
        session = library.session(str(made.key))
        assert (session.title, session.project) == ("Rain", str(desk.project))
        assert [message.text for message in session.messages[1:]] == ["Is it raining?", "It is."]
        assert session.messages[0].author is Author.CLIENT
        assert all(message.inherited for message in session.messages)
        assert [link.target for link in session.links if link.kind == HANDED_OVER] == [f"gemini:{IDS['gemini']}"]
        assert (session.exact, session.gaps, session.usage.total) == (True, (), 0)


def test_an_undo_says_whether_opencode_has_the_session(desk: Desk) -> None:
    desk.install("opencode")
    for made, stays in ((written(desk, "opencode"), False), (imported(desk), True)):
        with desk.library() as library:
            undone = library.handoff.undo(str(made.key))
        assert ([file.state for file in undone.files], undone.stays) == (["removed"], stays)


def test_opencode_is_asked_to_take_it_over(desk: Desk) -> None:
    program = desk.install("opencode")
    program.write_text('#!/bin/sh\necho "$@" > "$HOME/asked"; pwd >> "$HOME/asked"; read line < "$2"; echo "$line"\n')
    made = written(desk, "opencode")
    with desk.library() as library:
        library.handoff.take_over(made)
        assert (desk.home / "asked").read_text() == f"import {made.files[0].path}\n{desk.project}\n"
        program.write_text("#!/bin/sh\necho File not found\n")
        with pytest.raises(OutputError, match="OpenCode did not take the session over: File not found"):
            library.handoff.take_over(made)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".config/opencode/opencode.json", '{"model": "acme/orion"}'),
        (".config/opencode/opencode.jsonc", '{"model": "acme/orion"} // mine'),
        (".local/state/opencode/model.json", '{"recent": [{"providerID": "acme", "modelID": "orion"}]}'),
    ],
)
def test_it_goes_on_with_the_model_that_opencode_uses(desk: Desk, file: str, content: str) -> None:
    place = desk.home / file
    place.parent.mkdir(parents=True)
    place.write_text(content)
    desk.install("opencode")
    made = written(desk, "opencode", XDG_CONFIG_HOME="")
    said = [message["info"] for message in json.loads(made.contents[0][1].place.read_bytes())["messages"]]
    models = [info["model"] for info in said if info["role"] == "user"]
    assert models == [{"providerID": "acme", "modelID": "orion"}] * 2


def test_opencode_is_led_to_its_data(desk: Desk) -> None:
    desk.install("opencode")
    made = written(desk, "opencode", XDG_DATA_HOME=str(desk.home / "elsewhere"), OPENCODE_DB="mine.db")
    assert made.environ == {"XDG_DATA_HOME": str(desk.home / "elsewhere"), "OPENCODE_DB": "mine.db"}


def test_an_early_opencode_is_refused(desk: Desk) -> None:
    desk.install("opencode", "1.2.6")
    with pytest.raises(CannotResume, match=r"OpenCode 1\.2\.6 cannot take a session over") as caught:
        written(desk, "opencode")
    assert caught.value.reason == "release"
