from __future__ import annotations

from pathlib import Path

import pytest

from pollux import registry
from pollux.errors import Unreadable
from pollux.sources.claude.rehome import short_name
from tests.unit.sources.claude.conftest import (
    CWD,
    OTHER,
    SID,
    Home,
    codes,
    conversation,
    in_chain,
    json_lines,
    model,
    user,
)


def roots(home: Path, **environ: str) -> list[str]:
    return [str(root.path) for root in registry.source("claude").roots(environ, home)]


def test_default(tmp_path: Path) -> None:
    assert roots(tmp_path) == [str(tmp_path / ".claude/projects")]


def test_projects_folder_is_named(tmp_path: Path) -> None:
    assert roots(tmp_path, CLAUDE_PROJECTS_DIR="/a/b", CLAUDE_CONFIG_DIR="/c") == ["/a/b"]


def test_list_of_configurations(tmp_path: Path) -> None:
    assert roots(tmp_path, CLAUDE_CONFIG_DIR="/a, /b,,/a") == ["/a/projects", "/b/projects"]


def test_folder_with_a_comma_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "a,b").mkdir()
    assert roots(tmp_path, CLAUDE_PROJECTS_DIR=str(tmp_path / "a,b")) == [str(tmp_path / "a,b")]


def test_a_configuration_that_is_the_projects_folder(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    assert roots(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "projects")) == [str(tmp_path / "projects")]


@pytest.mark.parametrize("variable", [True, False])
def test_xdg_folder_beside_the_default(tmp_path: Path, variable: bool) -> None:
    config = tmp_path / ("elsewhere" if variable else ".config")
    (config / "claude/projects").mkdir(parents=True)
    named = {"XDG_CONFIG_HOME": str(config)} if variable else {}
    assert roots(tmp_path, **named) == [str(tmp_path / ".claude/projects"), str(config / "claude/projects")]


def test_folder_that_is_linked_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / ".claude/projects").mkdir(parents=True)
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config/claude").symlink_to(tmp_path / ".claude")
    assert len(roots(tmp_path)) == 1


def test_project_comes_from_the_records(home: Home) -> None:
    home.log(SID, user("Hi", cwd="/a/b-c"), model("Hello"), user("Now there", cwd="/a/b/c"), project="-a-b-c")
    session = home.only()
    assert session.project == "/a/b-c"
    assert session.project_evidence == "recorded"
    assert session.messages[2].extra["cwd"] == "/a/b/c"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/ada/my_app.v2", "-home-ada-my-app-v2"),
        ("/météo", "-m-t-o"),
        ("/x🌦y", "-x--y"),
        ("/a" * 100, "-a" * 100),
    ],
)
def test_folder_names(path: str, name: str) -> None:
    assert short_name(path) == name


def test_long_folder_name_ends_with_a_hash() -> None:
    inner = "/".join(["abcdefghijklmnopqrstuvwxyz0123456789"] * 6)
    assert short_name(f"/home/ada-claude/code/deep/{inner}").endswith("-abcdefghijklmnopqrstuvwxy-fl1v6b")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n",
        json_lines({"type": "summary", "summary": "Old", "leafUuid": "x"}),
        json_lines({"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-11-15T06:00:00.000Z"}),
        json_lines({"type": "mode", "mode": "normal", "sessionId": SID}, {"type": "atis-latch", "atis": ""}),
    ],
)
def test_files_in_which_nothing_is_said_are_no_error(home: Home, content: str) -> None:
    home.write(f"-x/{SID}.jsonl", content)
    assert home.sessions() == {}
    report = home.library().doctor()
    assert report.sound
    assert [(line.status, bool(line.reason)) for line in report.files] == [("ignored", True)]


def test_prompt_that_was_queued_and_nothing_else_is_left_of_a_session(home: Home) -> None:
    step = {"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-11-15T06:00:00.000Z", "content": "Hi"}
    home.write(f"-x/{SID}.jsonl", json_lines(step))
    session = home.only()
    assert session.kind == "prompts"
    assert conversation(session) == [("human", "Hi")]


def test_session_of_nothing_but_commands_is_no_conversation(home: Home) -> None:
    home.log(SID, user("<command-name>/exit</command-name><command-message>exit</command-message>"))
    assert home.only().kind == "prompts"
    assert home.library().list() == []


def test_line_separators_inside_strings(home: Home) -> None:
    home.log(SID, user("one\u2028two\u2029three\x85four"), model("ok"))
    assert conversation(home.only()) == [("human", "one\u2028two\u2029three\x85four"), ("model", "ok")]


def test_torn_last_line_and_garbage(home: Home) -> None:
    home.write(f"-x/{SID}.jsonl", json_lines(user("Hi")) + "garbage\n" + json_lines(model("Hello")) + '{"type":"us')
    session = home.only()
    assert conversation(session) == [("human", "Hi"), ("model", "Hello")]
    assert codes(session) == {"line.invalid", "line.torn"}


def test_file_of_garbage_is_unreadable(home: Home) -> None:
    file = home.write(f"-x/{SID}.jsonl", b"\xff\x00{[\n" * 5)
    assert home.sessions() == {}
    assert [line.status for line in home.library().doctor().files] == ["unreadable"]
    with pytest.raises(Unreadable):
        home.library().open(file)


def test_every_file_has_its_place(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    for place in ("memory/notes.md", f"{SID}/images/1.png", f"{SID}/subagents/workflows/w1/journal.jsonl"):
        home.write(f"-work-weather/{place}", "{}")
    home.write("-work-weather/sessions-index.json", "{}")
    assert home.library().doctor().sound
    home.write("-work-weather/strange.bin", "?")
    home.write("lonely.txt", "?")
    strange = [line.path for line in home.library().doctor().files if line.status == "unknown"]
    assert [Path(path).name for path in strange] == ["strange.bin", "lonely.txt"]


def test_keys_and_other_files_of_the_client_are_not_touched(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    for place in ("sessions/1.key", "debug/x.txt", "todos/x.json", "settings.json"):
        (home.config / place).parent.mkdir(exist_ok=True)
        (home.config / place).write_text("secret")
    assert [Path(line.path).name for line in home.library().doctor().files] == [f"{SID}.jsonl"]


def test_same_session_in_two_folders_is_one(home: Home) -> None:
    first, second = user("Hi"), model("Hello")
    home.log(SID, first, second)
    home.log(SID, first, second, user("More", cwd="/work/moved"), project="-work-moved")
    session = home.only()
    assert conversation(session) == [("human", "Hi"), ("model", "Hello"), ("human", "More")]
    assert len(session.files) == 2


# ---------------------------------------------------------------------------------------------- handed over by path


def test_parts_of_a_session_in_two_folders_stand_in_their_order(home: Home) -> None:
    """It was resumed in another folder, where more was said than in the first."""
    first, other = in_chain([user("One"), model("1")]), in_chain([user("Two " * 99, cwd="/b"), model("2", "msg_2")])
    other[0]["parentUuid"] = first[-1]["uuid"]
    title = {"type": "custom-title", "sessionId": SID}
    home.log(SID, *first, {**title, "customTitle": "Old"}, project="-a")
    home.log(SID, *other, {**title, "customTitle": "New"}, project="-b")
    session = home.only()
    assert [message.text[:3] for message in session.messages] == ["One", "1", "Two", "2"]
    assert (session.project, session.title) == (CWD, "New")


def test_transcript_anywhere(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.jsonl"
    file.write_text(json_lines(user("Hi"), model("Hello")))
    session = home.library().open(file)
    assert session.key == f"claude:{SID}"
    assert conversation(session) == [("human", "Hi"), ("model", "Hello")]


def test_transcript_that_begins_with_the_clients_books(home: Home, tmp_path: Path) -> None:
    snapshot = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"messageId": "m"}}
    file = tmp_path / f"{SID}.jsonl"
    file.write_text(json_lines(snapshot, user("Hi"), model("Hello")))
    assert home.library().open(file).key == f"claude:{SID}"


def test_sub_agents_file_anywhere(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "agent-a1b2c3d.jsonl"
    file.write_text(json_lines(user("Look", isSidechain=True, agentId="a1b2c3d"), model("Seen", isSidechain=True)))
    session = home.library().open(file)
    assert (session.key, session.kind, session.parent) == ("claude:a1b2c3d", "subagent", f"claude:{SID}")


def test_transcript_with_its_folder_beside_it(home: Home, tmp_path: Path) -> None:
    (tmp_path / SID / "subagents").mkdir(parents=True)
    task = user("Look", isSidechain=True, agentId="a1")
    (tmp_path / SID / "subagents/agent-a1.jsonl").write_text(json_lines(task, model("Seen", isSidechain=True)))
    file = tmp_path / f"{SID}.jsonl"
    agent = {"type": "tool_use", "id": "toolu_1", "name": "Agent", "input": {"prompt": "Look"}}
    file.write_text(json_lines(user("Hi"), model(agent)))
    session = home.library().open(file)
    assert [part.child for message in session.messages for part in message.parts if hasattr(part, "child")] == [
        "claude:a1"
    ]


def test_history_by_path(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text(json_lines({"display": "Hi", "pastedContents": {}, "timestamp": 1794723221672, "project": "/x"}))
    session = home.library().open(file)
    assert session.kind == "prompts"
    assert session.project == "/x"


def test_another_agents_file_is_not_claimed(tmp_path: Path) -> None:
    claude = registry.source("claude")
    assert claude.recognizes(tmp_path / "x.jsonl", b'garbage\n{ "cwd" : "/", "parentUuid" : null }\n')
    assert not claude.recognizes(tmp_path / "x.jsonl", b'{"sessionId":"a","projectHash":"b","kind":"main"}\n')
    assert not claude.recognizes(tmp_path / "x.jsonl", b'{"timestamp":"t","type":"session_meta","payload":{}}\n')


def test_ids_that_two_agents_share_are_told_apart_by_the_key(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    chats = home.path / ".gemini/tmp/weather/chats"
    chats.mkdir(parents=True)
    header = {"sessionId": SID, "projectHash": "0" * 64, "startTime": "2026-11-15T06:00:00.000Z"}
    prompt = {"id": "1", "type": "user", "content": [{"text": "Salve"}]}
    (chats / "session-2026-11-15T06-00-aaaaaaaa.jsonl").write_text(json_lines(header, prompt))
    library = home.library()
    assert conversation(library.session(f"claude:{SID}"))[0] == ("human", "Hi")
    assert conversation(library.session(f"gemini:{SID}")) == [("human", "Salve")]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "..", "x" * 5000])
def test_ids_with_path_separators(home: Home, name: str) -> None:
    home.log(SID, user("Hi", sessionId=name), model("Hello", sessionId=name))
    home.log("odd name", user("Hi", sessionId=name), model("Hello", sessionId=name))
    library = home.library()
    assert {session.id for session in library.sessions()} == {SID, name}
    assert library.session(f"claude:{name}").id == name


def test_symlink_loops_and_folders_instead_of_files(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    (home.projects / "loop").symlink_to(home.projects)
    (home.projects / "-work-weather" / f"{OTHER}.jsonl").mkdir()
    (home.projects / "-work-weather" / "self.jsonl").symlink_to(home.projects / "-work-weather" / "self.jsonl")
    assert set(home.sessions()) == {SID}
