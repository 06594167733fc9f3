"""What a hand-over would write, and why it is refused: nothing is written before a person agrees."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from pollux.errors import CannotResume, OutputError, RequestError, UnknownName
from pollux.library.handoff.plan import HandoffPlan
from pollux.library.redaction import redactor
from pollux.model import Fate, Kind
from pollux.writers.native.options import DraftOptions
from tests.resumable import IDS, Desk
from tests.unit.writers.native.corpus import corpus_sessions

AGENTS = sorted(IDS)
HOMES = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "gemini": "GEMINI_CLI_HOME"}


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLUX_NOW", "2026-11-15T12:00:00Z")
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    for agent in AGENTS:
        desk.install(agent)
    desk.furnish()
    return desk


def plan(desk: Desk, origin: str = "claude", to: str = "codex", **options: Any) -> HandoffPlan:
    with desk.library() as library:
        return library.handoff.plan(IDS[origin], to, **options)


def refused(desk: Desk, origin: str = "claude", to: str = "codex", **options: Any) -> CannotResume:
    with pytest.raises(CannotResume) as caught:
        plan(desk, origin, to, **options)
    return caught.value


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


# ------------------------------------------------------------------------------------ what would be written


def encoded(folder: Path) -> str:
    """The name that Claude Code gives to a folder."""
    return re.sub("[^A-Za-z0-9]", "-", str(folder))


def expected_place(desk: Desk, made: HandoffPlan) -> str:
    name = encoded(desk.project)
    return {
        "claude": f"{desk.home}/.claude/projects/{name}/{made.id}.jsonl",
        "codex": f"{desk.home}/.codex/sessions/2026/11/15/rollout-2026-11-15T12-00-00-{made.id}.jsonl",
        "gemini": f"{desk.home.parent}/data/pollux/handed-over/sessions/session-2026-11-15T12-00-{made.id[:8]}.jsonl",
    }[made.agent]


def expected_words(made: HandoffPlan) -> tuple[str, ...]:
    return {
        "claude": ("claude", "--resume", made.id),
        "codex": ("codex", "resume", made.id),
        "gemini": ("gemini", "--session-file", made.files[0].path),
    }[made.agent]


@pytest.mark.parametrize("to", AGENTS)
@pytest.mark.parametrize("origin", AGENTS)
def test_every_direction(desk: Desk, origin: str, to: str) -> None:
    before = files_below(desk.home)
    made = plan(desk, origin, to)
    assert files_below(desk.home) == before
    assert not (desk.home.parent / "data" / "pollux" / "handed-over").exists()
    (file,) = made.files
    assert file.path == expected_place(desk, made)
    content = made.contents[0][1].content()
    assert (file.bytes, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert content.endswith(b"\n")
    assert b"It is." in content
    assert made.words == expected_words(made)
    assert made.line == f"cd {desk.project} && {shlex.join(made.words)}"
    assert (made.environ, made.program) == ({}, str(desk.bin / to))
    assert made.key == (None if to == "gemini" else f"{to}:{made.id}")
    assert (made.account.messages.native, made.account.messages.total) == (2, 2)
    assert [warning for warning in made.warnings if "vendor" in warning] == list(made.warnings)
    assert len(made.warnings) == (origin != to)
    assert not made.written


def test_the_same_request_at_the_same_time_has_the_same_id(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    first = plan(desk).id
    assert plan(desk).id == first
    assert plan(desk, folder=str(desk.elsewhere)).id != first
    assert plan(desk, to="claude").id != first
    monkeypatch.setenv("POLLUX_NOW", "2026-11-15T12:00:01Z")
    assert plan(desk).id != first


def test_a_title_is_a_line_of_codex(desk: Desk) -> None:
    assert plan(desk, "claude", "codex").appended is None
    line = plan(desk, "gemini", "codex").appended
    assert line is not None
    assert line.path == desk.home / ".codex" / "session_index.jsonl"
    assert json.loads(line.line)["thread_name"] == "Rain"
    assert plan(desk, "gemini", "claude").appended is None


@pytest.mark.parametrize(("settings", "provider"), [("", "openai"), ('model_provider = "mine"', "mine")])
def test_the_file_for_codex_names_the_present_provider(desk: Desk, settings: str, provider: str) -> None:
    """In a terminal, 0.166 refuses a thread that names none."""
    (desk.home / ".codex" / "config.toml").write_text(settings)
    first = json.loads(plan(desk, "claude", "codex").contents[0][1].content().splitlines()[0])
    assert first["payload"]["model_provider"] == provider


def test_a_thread_is_not_listed_before_codex_has_it_in_its_database(desk: Desk) -> None:
    assert not any("list" in warning for warning in plan(desk, "claude", "codex").warnings)
    (desk.home / ".codex" / "state_5.sqlite").touch()
    assert any("list" in warning for warning in plan(desk, "claude", "codex").warnings)


def test_the_index_of_codex_is_left_alone_if_it_is_a_link(desk: Desk) -> None:
    other = desk.home / "other.jsonl"
    other.write_text("")
    (desk.home / ".codex" / "session_index.jsonl").symlink_to(other)
    assert plan(desk, "gemini", "codex").appended is None


def test_another_folder(desk: Desk) -> None:
    made = plan(desk, "codex", "claude", folder=str(desk.elsewhere))
    assert made.folder == str(desk.elsewhere)
    assert Path(made.files[0].path).parent.name == encoded(desk.elsewhere)
    assert json.loads(made.contents[0][1].content().splitlines()[0])["cwd"] == str(desk.elsewhere)


def test_links_in_the_path_of_the_folder_are_followed(desk: Desk) -> None:
    link = desk.home / "link"
    link.symlink_to(desk.elsewhere)
    assert plan(desk, folder=str(link)).folder == str(desk.elsewhere)


@pytest.mark.parametrize("to", AGENTS)
def test_the_home_that_a_variable_names(desk: Desk, to: str) -> None:
    home = desk.home / "moved"
    with desk.library(environ={HOMES[to]: str(home)}) as library:
        session = library.session(desk.home / ".claude" / "projects" / desk.claude(desk.home / ".claude"))
        made = library.handoff.plan(session, to)
    assert made.environ == {HOMES[to]: str(home)}
    assert to == "gemini" or made.files[0].path.startswith(str(home))


def test_a_session_in_a_file_that_is_in_no_home(desk: Desk) -> None:
    file = desk.claude(desk.elsewhere / "copy")
    with desk.library(environ={"CLAUDE_CONFIG_DIR": str(desk.home / "none")}) as library:
        made = library.handoff.plan(str(file), "codex")
    assert made.origin == f"claude:{IDS['claude']}"
    assert made.account.messages.native == 2


@pytest.mark.slow
@pytest.mark.parametrize("to", AGENTS)
@pytest.mark.parametrize(
    ("origin", "kind"),
    [("claude", Kind.SUBAGENT), ("codex", Kind.SUBAGENT), ("gemini", Kind.SUBAGENT), ("gemini", Kind.CHECKPOINT)],
)
def test_what_an_agent_does_not_resume_by_itself(desk: Desk, origin: str, kind: Kind, to: str) -> None:
    """Sub-agents and checkpoints are conversations."""
    sessions = [one for one in corpus_sessions() if (one.agent, one.kind) == (origin, kind)]
    session = max(sessions, key=lambda one: sum(message.fate is Fate.LIVE for message in one.messages))
    with desk.library() as library:
        made = library.handoff.write(library.handoff.plan(session, to, folder=str(desk.elsewhere)))
        assert made.account.messages.native > 1
        again = library.session(made.key if made.key is not None else Path(made.files[0].path))
    assert again.kind is Kind.MAIN
    assert [(link.kind, link.target) for link in again.links] == [("handed_over_from", session.key)]


# ------------------------------------------------------------------------------------ what a person chooses


def test_only_up_to_a_message(desk: Desk) -> None:
    made = plan(desk, "claude", "codex", options=DraftOptions(upto="u1"))
    content = made.contents[0][1].content()
    assert b"Is it raining?" in content
    assert b"It is." not in content
    assert (made.account.messages.native, made.account.messages.left_out) == (1, 1)


def test_a_message_that_is_not_there(desk: Desk) -> None:
    with pytest.raises(UnknownName):
        plan(desk, "claude", "codex", options=DraftOptions(upto="nothing"))


def long_session(desk: Desk) -> None:
    """A session of Claude Code with 30 results of 60 kB."""
    file = desk.claude(desk.home / ".claude")
    first, last = map(json.loads, file.read_text().splitlines())
    records = [first]
    for number in range(30):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": f"{number} rain\n" * 7_000}
        message = {**last["message"], "id": f"m{number}x", "content": [call]}
        parent = records[-1]["uuid"]
        records.append({**last, "uuid": f"a{number}", "parentUuid": parent, "message": message})
        content = {"role": "user", "content": [result]}
        records.append({**first, "uuid": f"r{number}", "parentUuid": f"a{number}", "message": content})
    records.append({**last, "uuid": "end", "parentUuid": records[-1]["uuid"]})
    file.write_text("".join(json.dumps(record) + "\n" for record in records))


def test_by_default_it_fits_into_the_window(desk: Desk) -> None:
    long_session(desk)
    usual = plan(desk)
    whole = plan(desk, options=DraftOptions(fit=0))
    small = plan(desk, options=DraftOptions(fit=20_000))
    sizes = [one.files[0].bytes for one in (small, usual, whole)]
    assert sizes == sorted(sizes)
    assert sizes[0] < 100_000 < sizes[1] < 1_000_000 < sizes[2]
    assert whole.account.parts.text == 0
    assert 0 < usual.account.parts.text < small.account.parts.text
    for one in (small, usual, whole):
        assert (one.account.messages.total, one.account.messages.left_out) == (whole.account.messages.total, 0)
    with pytest.raises(RequestError, match="too few"):
        plan(desk, options=DraftOptions(fit=5))


def test_without_secrets(desk: Desk) -> None:
    file = desk.claude(desk.home / ".claude")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    file.write_text(file.read_text().replace("Is it raining?", f"Is {secret} raining?"))
    with desk.library() as library:
        bare = library.handoff.plan(IDS["claude"], "codex")
        clean = library.handoff.plan(
            IDS["claude"], "codex", redactor=redactor(library.settings_file, library.user_home)
        )
    assert secret.encode() in bare.contents[0][1].content()
    assert bare.redacted is None
    assert secret.encode() not in clean.contents[0][1].content()
    assert clean.redacted == 1
    assert any("--redact" in warning for warning in bare.warnings)
    assert not any("--redact" in warning for warning in clean.warnings)


def test_instructions_for_one_agent_only(desk: Desk) -> None:
    (desk.project / "CLAUDE.md").write_text("Be kind.")
    assert any("CLAUDE.md" in warning and "AGENTS.md" in warning for warning in plan(desk).warnings)
    (desk.project / "AGENTS.md").write_text("Be kind.")
    assert not any("CLAUDE.md" in warning for warning in plan(desk).warnings)


# ------------------------------------------------------------------------------------ what is in the way


def test_an_unknown_agent(desk: Desk) -> None:
    with pytest.raises(UnknownName, match="cladue") as caught:
        plan(desk, to="cladue")
    assert caught.value.hint == "Did you mean: claude?"


def test_an_agent_that_is_not_installed(desk: Desk) -> None:
    (desk.bin / "codex").unlink()
    made = plan(desk)
    assert made.program is None
    assert any("not installed" in warning for warning in made.warnings)
    with pytest.raises(CannotResume) as caught:
        made.require_program()
    assert caught.value.reason == "program"


def test_a_folder_that_is_gone(desk: Desk) -> None:
    desk.project.rmdir()
    error = refused(desk)
    assert error.reason == "folder"
    assert f"pollux handoff claude:{IDS['claude']} --to codex --in DIR" in str(error.hint)


def test_a_folder_that_is_none(desk: Desk) -> None:
    with pytest.raises(RequestError, match="not a folder"):
        plan(desk, folder="nowhere")


def test_nothing_that_is_live(desk: Desk) -> None:
    file = desk.gemini(desk.home / ".gemini")
    with file.open("a") as lines:
        lines.write(json.dumps({"$rewindTo": "m1"}) + "\n")
        lines.write(json.dumps({"id": "i", "type": "info", "content": "x", "timestamp": "2026-11-14T10:00:00Z"}) + "\n")
    with pytest.raises(RequestError) as caught:
        plan(desk, "gemini", "claude")
    assert "--fate all" in str(caught.value.hint)
    assert plan(desk, "gemini", "claude", options=DraftOptions(fate="all")).account.messages.text == 2


def test_only_typed_prompts(desk: Desk) -> None:
    log = desk.home / ".gemini" / "tmp" / "weather" / "logs.json"
    lost = "9c9e6679-7425-40de-944b-000000000001"
    entry = {
        "sessionId": lost,
        "messageId": 0,
        "type": "user",
        "message": "Hello?",
        "timestamp": "2026-11-14T10:00:00Z",
    }
    log.write_text(json.dumps([entry]))
    with desk.library() as library, pytest.raises(CannotResume) as caught:
        library.handoff.plan(lost, "claude")
    assert caught.value.reason == "prompts"


def test_a_link_that_leads_out_of_the_agents_folder(desk: Desk) -> None:
    projects = desk.home / ".claude" / "projects"
    (projects / encoded(desk.elsewhere)).symlink_to(desk.elsewhere)
    with pytest.raises(OutputError, match="does not lie among"):
        plan(desk, "codex", "claude", folder=str(desk.elsewhere))


@pytest.mark.parametrize(("variable", "to"), [("CLAUDE_PROJECTS_DIR", "claude"), ("CODEX_SESSIONS_DIR", "codex")])
def test_a_folder_that_the_agent_cannot_be_told_to_use(desk: Desk, variable: str, to: str) -> None:
    file = desk.gemini(desk.home / ".gemini")
    with desk.library(environ={variable: str(desk.home / "odd")}) as library, pytest.raises(CannotResume) as caught:
        library.handoff.plan(str(file), to)
    assert caught.value.reason == "home"


# ------------------------------------------------------------------------------------ releases of Gemini CLI


def test_a_release_of_gemini_that_loads_no_files(desk: Desk) -> None:
    desk.install("gemini", "0.42.0")
    made = plan(desk, "claude", "gemini")
    (chat, marker) = made.files
    assert chat.path == f"{desk.home}/.gemini/tmp/weather/chats/session-2026-11-15T12-00-{made.id[:8]}.jsonl"
    assert not marker.missing
    assert made.words == ("gemini", "--resume", made.id)
    assert made.key == f"gemini:{made.id}"


def test_a_new_folder_of_gemini_gets_a_free_name_and_a_marker(desk: Desk) -> None:
    desk.install("gemini", "0.42.0")
    folder = desk.elsewhere / "weather"
    folder.mkdir()
    chat, marker = plan(desk, "claude", "gemini", folder=str(folder)).contents
    place = desk.home / ".gemini" / "tmp" / "weather-1"
    assert chat[1].place.parent == place / "chats"
    assert (marker[1].place, marker[1].content()) == (place / ".project_root", os.fsencode(folder))


def test_the_old_folder_of_a_project_is_used(desk: Desk) -> None:
    """A new one would keep Gemini CLI from taking over what is there."""
    desk.install("gemini", "0.42.0")
    old = desk.home / ".gemini" / "tmp" / hashlib.sha256(str(desk.elsewhere).encode()).hexdigest()
    old.mkdir()
    (chat,) = plan(desk, "claude", "gemini", folder=str(desk.elsewhere)).files
    assert chat.path.startswith(str(old / "chats"))


def test_the_list_of_projects_names_a_folder(desk: Desk) -> None:
    desk.install("gemini", "0.42.0")
    projects = {"projects": {str(desk.elsewhere): "mine", "/another": "other"}}
    (desk.home / ".gemini" / "projects.json").write_text(json.dumps(projects))
    chat, _ = plan(desk, "claude", "gemini", folder=str(desk.elsewhere)).files
    assert chat.path.startswith(str(desk.home / ".gemini" / "tmp" / "mine" / "chats"))


def test_a_release_of_gemini_that_reads_no_such_file(desk: Desk) -> None:
    desk.install("gemini", "0.38.2")
    assert refused(desk, "claude", "gemini").reason == "release"
