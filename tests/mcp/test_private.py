"""What is private is never answered, and not counted either; no secret leaves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pollux.library.marks import Edit
from pollux.library.marks.service import Target
from tests.mcp.conftest import Tools, World, called, replied, result, said

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
EXTRA = ["results", "thinking", "context"]


def _answers(tools: Tools, key: str) -> str:
    """All that any tool tells, whatever it is asked."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("search_sessions", {"query": "lighthouse"}),
        ("search_sessions", {"query": "lighthouse", "with": EXTRA}),
        ("search_sessions", {"query": "lighthouse", "key": key}),
        ("search_sessions", {"query": "lighthous keper"}),
        ("search_sessions", {"query": "is:private"}),
        ("search_sessions", {"query": "project:hiden light"}),
        ("search_sessions", {"query": "file:beacon.py"}),
        ("list_sessions", {}),
        ("list_sessions", {"query": "is:private"}),
        ("list_sessions", {"query": "project:hidden", "with": ["subagents"]}),
        ("read_session", {"key": key}),
        ("read_session", {"key": key[:-1] + "1"}),
        ("read_session", {"key": "0000000"}),
        ("session_usage", {"key": key}),
    ]
    return "\n".join(tools(tool, **arguments) for tool, arguments in asked)


def _private_session(world: World) -> str:
    world.session(1, said("The harbour has a pier."), replied("So it has."))
    call = called("Read", {"file_path": "beacon.py"})
    return world.session(2, said("The lighthouse keeper sleeps."), replied("Yes.", call), project="/work/hidden")


def test_without_a_mark_it_is_all_there(world: World, tools: Tools) -> None:
    key = _private_session(world)
    text = _answers(tools, key)
    assert "lighthouse keeper sleeps" in text
    assert "00000002" in text
    assert "2 sessions" in text


@pytest.mark.parametrize("name", ["/work/hidden", "hidden", "/work/hid*"])
def test_a_private_project_is_unknown(world: World, tools: Tools, name: str) -> None:
    key = _private_session(world)
    world.settings(f'[private]\nprojects = ["{name}"]\n')
    _expect_nothing(_answers(tools, key), key)


def test_a_session_that_is_marked_as_private_is_unknown(world: World, tools: Tools) -> None:
    key = _private_session(world)
    world.library().marks.change([Target(key)], Edit(private=True))
    _expect_nothing(_answers(tools, key), key)


def _expect_nothing(text: str, key: str) -> None:
    # Each question quotes what it was asked, and nothing else.
    for asked in (key, key[:-1] + "1", "lighthous keper", "lighthouse", "hiden light"):
        text = text.replace(asked, "")
    assert "keeper" not in text
    assert "ighthouse" not in text
    assert "hidden" not in text
    assert "00000002" not in text
    assert "beacon" not in text.replace("file:beacon.py", "")
    assert "2 sessions" not in text
    assert "1 session" in text


def test_what_came_from_a_private_session_is_unknown_too(world: World, tools: Tools) -> None:
    key = _private_session(world)
    id = key.partition(":")[2]
    folder = world.home / ".claude" / "projects" / "-work-hidden" / id / "subagents"
    folder.mkdir(parents=True)
    record = {
        "parentUuid": None,
        "isSidechain": True,
        "sessionId": id,
        "agentId": "abc123",
        "cwd": "/elsewhere",
        "version": "2.1.112",
        "uuid": "u1",
        "timestamp": "2026-11-12T08:00:00.000Z",
        **said("Look for the keeper of the beacon."),
    }
    (folder / "agent-abc123.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    assert "abc123" in tools("list_sessions", **{"with": ["subagents"]})
    world.library().marks.change([Target(key)], Edit(private=True))
    everything = tools("list_sessions", **{"with": ["subagents"]})
    assert "abc123" not in everything
    assert "1 session," in everything
    assert "Nothing was found" in tools("search_sessions", query="beacon", **{"with": EXTRA})
    assert tools.result("read_session", key="claude:abc123")["isError"]


def test_the_answer_of_a_private_sub_agent_is_left_out_of_its_parent(world: World, tools: Tools) -> None:
    task = called("Task", {"prompt": "Look around.", "description": "look", "subagent_type": "general"})
    answer = {**result("The vault is behind the pier."), "toolUseResult": {"agentId": "abc123", "status": "completed"}}
    key = world.session(3, said("Send somebody."), replied(task), answer, replied("Thanks."))
    id = key.partition(":")[2]
    folder = world.home / ".claude" / "projects" / "-work-harbour" / id / "subagents"
    folder.mkdir(parents=True)
    record = {"parentUuid": None, "isSidechain": True, "sessionId": id, "agentId": "abc123", "cwd": "/work/harbour"}
    more = {"version": "2.1.112", "uuid": "u1", "timestamp": "2026-11-13T08:00:00.000Z", **said("Look around.")}
    (folder / "agent-abc123.jsonl").write_text(json.dumps({**record, **more}) + "\n", "utf-8")
    child = next(
        part.child for m in world.library().session(key).messages for part in m.parts if hasattr(part, "child")
    )
    assert child is not None
    assert "The vault" in tools("read_session", key=key, **{"with": EXTRA})
    world.library().marks.change([Target(child)], Edit(private=True))
    text = tools("read_session", key=key, **{"with": EXTRA})
    assert "The vault" not in text
    assert "abc123" not in text
    assert "Thanks." in text


def test_a_private_message_is_left_out(world: World, tools: Tools) -> None:
    key = world.session(3, said("The pier is long."), said("The vault code is 1234."), said("Count the gulls."))
    library = world.library()
    message = library.session(key).messages[1]
    library.marks.change([Target(key, message)], Edit(private=True))
    for tool, arguments in (
        ("read_session", {"key": key}),
        ("search_sessions", {"query": "vault"}),
        ("search_sessions", {"query": "pier OR vault OR gulls"}),
    ):
        text = tools(tool, **arguments)
        assert "1234" not in text
    assert "2 messages" in tools("read_session", key=key)


def _told(tools: Tools, key: str) -> str:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("list_sessions", {}),
        ("list_sessions", {"query": "Vault"}),
        ("list_sessions", {"query": "name:Vault"}),
        ("search_sessions", {"query": "gulls"}),
        ("search_sessions", {"query": "vault", "with": EXTRA}),
        ("search_sessions", {"query": "in:titles vault"}),
        ("read_session", {"key": key, "with": EXTRA}),
        ("read_session", {"key": key, "cursor": "0"}),
    ]
    return "\n".join(tools(tool, **arguments) for tool, arguments in asked)


@pytest.mark.parametrize("place", [0, 1])
def test_the_title_of_a_session_does_not_tell_a_private_message(world: World, tools: Tools, place: int) -> None:
    """A title is the first prompt, or an agent made it of all that was said."""
    title = {"type": "custom-title", "customTitle": "Vault code 1234"}
    prompts = [said("Count the gulls."), said("Vault code 1234, please.")]
    key = world.session(3, *(prompts if place else prompts[::-1]), replied("So it is."), *([title] if place else []))
    assert "1234" in _told(tools, key)
    library = world.library()
    library.marks.change([Target(key, library.session(key).messages[place])], Edit(private=True))
    assert "1234" not in _told(tools, key)
    assert "1 session matches" not in tools("search_sessions", query="vault")
    assert library.for_agents.read(key).session.title is None


def test_a_private_message_is_left_out_of_a_fork(world: World, tools: Tools) -> None:
    key = world.session(3, said("The pier is long."), said("Vault code 1234, please."), said("Count the gulls."))
    id, fork = key.partition(":")[2], "00000004-0000-4000-8000-000000000000"
    folder = next((world.home / ".claude" / "projects").iterdir())
    lines = (folder / f"{id}.jsonl").read_text("utf-8").splitlines()
    copied = [
        {**record, "sessionId": fork, "forkedFrom": {"sessionId": id, "messageUuid": record["uuid"]}}
        for record in map(json.loads, lines)
    ]
    own = {**copied[-1], "uuid": "f1", "parentUuid": copied[-1]["uuid"], **said("Count the gulls again.")}
    del own["forkedFrom"]
    text = "".join(json.dumps(record) + "\n" for record in (*copied, own))
    (folder / f"{fork}.jsonl").write_text(text, "utf-8")
    assert "1234" in tools("read_session", key=f"claude:{fork}")
    library = world.library()
    library.marks.change([Target(key, library.session(key).messages[1])], Edit(private=True))
    told = _told(tools, f"claude:{fork}")
    assert "1234" not in told
    assert "gulls again" in told


def test_settings_that_cannot_be_read_answer_nothing(world: World, tools: Tools) -> None:
    key = _private_session(world)
    world.settings("[private]\nproject = 3\n")
    for tool, arguments in (
        ("search_sessions", {"query": "lighthouse"}),
        ("list_sessions", {}),
        ("read_session", {"key": key}),
    ):
        answer = tools.result(tool, **arguments)
        assert answer["isError"]
        assert "lighthouse keeper" not in answer["content"][0]["text"]


def test_marks_that_cannot_be_read_answer_nothing(world: World, tools: Tools) -> None:
    key = _private_session(world)
    library = world.library()
    library.marks.change([Target(key)], Edit(private=True))
    marks = next((world.folder / "own" / "data" / "pollux").rglob("*marks*"))
    file = marks if marks.is_file() else next(one for one in marks.rglob("*") if one.is_file())
    file.unlink()
    file.mkdir()
    answer = tools.result("search_sessions", query="lighthouse")
    assert answer["isError"]
    assert "keeper" not in answer["content"][0]["text"]


def _with_secret(world: World) -> str:
    call = called("Bash", {"command": f"deploy --token {SECRET}"})
    return world.session(
        4,
        said(f"The key of the pier is {SECRET}, and x{'y' * 150} word {SECRET}"),
        replied("I use it.", call),
        result(f"export GITHUB_TOKEN={SECRET}"),
    )


def test_no_argument_brings_a_secret_out(world: World, tools: Tools) -> None:
    key = _with_secret(world)
    texts = [
        tools("read_session", key=key, **{"with": EXTRA}),
        tools("read_session", key=key, cursor="0"),
        tools("search_sessions", query="pier"),
        tools("search_sessions", query="word", **{"with": EXTRA}),
        tools("search_sessions", query="token", **{"with": EXTRA}),
        tools("list_sessions"),
    ]
    for text in texts:
        assert SECRET[:10] not in text
    assert sum("[secret:" in text for text in texts) >= 4
    for name in ("redact", "no_redact", "raw", "secrets"):
        assert tools.result("read_session", key=key, **{name: False})["isError"]


def test_only_the_command_line_turns_redaction_off(world: World, tools: Tools) -> None:
    key = _with_secret(world)
    tools.toolbox._redact = False
    assert SECRET in tools("read_session", key=key, **{"with": EXTRA})


def test_a_secret_that_a_line_would_cut_is_still_one(world: World, tools: Tools) -> None:
    for number in range(5, 12):
        world.session(number, said(f"{'long ' * (20 + number)}{SECRET} pelican {SECRET}{' after' * 40}"))
    text = tools("search_sessions", query="pelican")
    assert "pelican" in text
    assert SECRET[4:12] not in text
    assert SECRET[-8:] not in text


def test_the_name_of_a_model_brings_no_secret_out(world: World, tools: Tools) -> None:
    key = world.session(3, said("The pier is long."), replied("So it is.", model=f"pier {SECRET}"))
    text = tools("session_usage", key=key)
    assert "pier [" in text
    assert SECRET not in text
