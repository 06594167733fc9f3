"""One session, however many files hold it; and every file accounted for."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from pollux.library.library import Filter
from pollux.model import Kind, ToolCall
from pollux.sources.gemini.find import roots
from pollux.sources.gemini_sessions.format.content import TASK
from tests.unit.sources.gemini.conftest import (
    Home,
    Json,
    call,
    context,
    conversation,
    document,
    gemini,
    header,
    info,
    user,
)

HASH = hashlib.sha256(b"/work/weather").hexdigest()
NAME = "session-2026-11-15T06-00-aaaaaaaa"
TALK = [user("u1", "one"), gemini("g1", "1")]


def statuses(home: Home) -> dict[str, str]:
    return {os.path.relpath(line.path, home.tmp): line.status.value for line in home.library().doctor().files}


def test_copies_twins_and_stubs_are_one_session(home: Home) -> None:
    old = document(TALK)
    home.document(f"{HASH}/chats/{NAME}.json", old)
    home.document(f"weather/chats/{NAME}.json", old)
    home.write("weather/.project_root", "/work/weather")
    home.log(
        f"weather/chats/{NAME}.jsonl",
        header(),
        *TALK,
        user("u2", "two", "06:05:00"),
        gemini("g2", "2", "06:05:01"),
        {"$set": {"lastUpdated": "2026-11-15T06:05:01.000Z"}},
    )
    home.log(
        "weather/chats/session-2026-11-15T06-05-aaaaaaaa.jsonl",
        header(start="06:04:59"),
        {"$set": {"messages": [context()]}},
    )
    session = home.only()
    assert [text for _, text, _ in conversation(session)] == ["one", "1", "two", "2"]
    assert session.usage.input == 20
    assert len(session.files) == 4
    assert [link.kind for link in session.links] == ["copy_of", "copy_of"], "a stub copies nothing"
    assert statuses(home)[f"weather/chats/{NAME}.json"] in ("read", "copy")
    assert session.project == "/work/weather"


@pytest.mark.parametrize("folder", ["backup", "bbbbbbbb-2"])
def test_a_copy_in_a_folder_among_the_chats_is_the_same_session(home: Home, folder: str) -> None:
    """Such a folder is that of a session's sub-agents, by its place. Two sessions of one id stopped everything."""
    for name, start in (("aaaaaaaa-1", "06:00:00"), ("bbbbbbbb-2", "07:00:00")):
        place = f"session-2026-11-15T06-00-{name[:8]}.jsonl"
        for above in ("chats", f"chats/{folder}") if name.startswith("a") else ("chats",):
            home.log(f"weather/{above}/{place}", header(name, start=start, kind="main"), *TALK)
    library = home.library()
    assert {entry.summary.id for entry in library.list(Filter(everything=True))} == {"aaaaaaaa-1", "bbbbbbbb-2"}
    session = home.sessions()["aaaaaaaa-1"]
    assert [text for _, text, _ in conversation(session)] == ["one", "1"]
    assert (session.usage.input, len(session.files)) == (10, 2)
    assert session.kind is (Kind.MAIN if folder == "backup" else Kind.SUBAGENT)


def test_a_copy_of_a_subagent_among_the_chats_is_the_same_subagent(home: Home) -> None:
    home.log(f"weather/chats/{NAME}.jsonl", header(kind="main"), *TALK)
    kid = (header("kid-1", kind="subagent"), user("t1", "Do it"), gemini("k1", "did"))
    home.log("weather/chats/aaaaaaaa-1/kid-1.jsonl", *kid)
    home.log("weather/chats/session-2026-11-15T06-05-kid-1.jsonl", *kid)
    home.log("weather/chats/aaaaaaaa-1-backup/kid-1.jsonl", *kid)
    found = {entry.summary.id: entry.summary.parent for entry in home.library().list(Filter(everything=True))}
    assert found == {"aaaaaaaa-1": None, "kid-1": "gemini:aaaaaaaa-1"}
    assert (home.sessions()["kid-1"].usage.input, len(home.sessions()["kid-1"].files)) == (10, 3)


def test_parts_left_by_an_old_compress_are_joined(home: Home) -> None:
    home.document(f"{HASH}/chats/{NAME}.json", document([*TALK, info("i1", "")]))
    home.document(
        f"{HASH}/chats/session-2026-11-15T06-10-aaaaaaaa.json",
        document([user("u2", "two", "06:10:01"), gemini("g2", "2", "06:10:02")], start="06:10:00"),
    )
    session = home.only()
    assert conversation(session) == [
        ("human", "one", "compressed"),
        ("model", "1", "compressed"),
        ("human", "two", "live"),
        ("model", "2", "live"),
    ]
    assert session.usage.exact is False
    assert [link.kind for link in session.links] == ["continues"]


def test_the_same_chosen_id_in_two_projects_is_two_sessions(home: Home) -> None:
    home.log("a/chats/session-x-mine.jsonl", header("mine", "/a"), *TALK)
    home.log("b/chats/session-x-mine.jsonl", header("mine", "/b"), *TALK)
    names = sorted(home.sessions())
    assert len(names) == 2
    assert names[0] == "mine"
    assert names[1].startswith("mine@")


def test_subagents_of_a_chosen_id_go_to_the_session_of_their_own_project(home: Home) -> None:
    for project in ("one", "two"):
        spawn = call("c1", "invoke_agent", agentId=f"kid-{project}")
        talk = [user("u1", project), gemini("g1", "", toolCalls=[spawn])]
        home.log(f"{project}/chats/session-2026-11-15T06-00-mine.jsonl", header("mine", f"/work/{project}"), *talk)
        kid = header(f"kid-{project}", f"/work/{project}", kind="subagent")
        home.log(f"{project}/chats/mine/kid-{project}.jsonl", kid, user("t1", "Do"), gemini("k1", "did"))
    result = home.sessions()
    for project in ("one", "two"):
        child = result[f"kid-{project}"]
        (parent,) = [session for session in result.values() if session.key == child.parent]
        assert [m.text for m in parent.prompts] == [project]
        assert [p.child for m in parent.messages for p in m.parts if isinstance(p, ToolCall)] == [child.key]


def test_a_file_the_cli_gave_up_on_is_still_read(home: Home) -> None:
    home.log(f"weather/chats/{NAME}.jsonl.unreadable-1794722402000", header(), *TALK)
    assert len(home.only().messages) == 2


def test_content_decides_not_the_ending(home: Home) -> None:
    home.document(f"weather/chats/{NAME}.jsonl", document(TALK))
    home.log("weather/chats/session-2026-11-15T06-01-bbbbbbbb.json", header("bbbbbbbb-1"), *TALK)
    home.write("weather/chats/session-2026-11-15T06-01-cccccccc.json", json.dumps(document(TALK, name="cccccccc-1")))
    assert sorted(home.sessions()) == ["aaaaaaaa-1", "bbbbbbbb-1", "cccccccc-1"]
    assert all(len(session.messages) == 2 for session in home.sessions().values())


def test_a_document_with_an_object_a_line_is_no_log(home: Home) -> None:
    head = json.dumps(header())[:-1]
    lines = ",\n".join(json.dumps(message) for message in TALK)
    home.write(f"weather/chats/{NAME}.json", f'{head}, "messages": [\n{lines}\n]}}\n')
    assert len(home.only().messages) == 2
    assert home.only().notices == ()


def test_a_log_with_garbage_in_front_is_a_log(home: Home) -> None:
    file = home.log(f"weather/chats/{NAME}.jsonl", header(), *TALK)
    file.write_bytes(b"garbage\n\n" + file.read_bytes())
    assert len(home.only().messages) == 2
    assert [notice.code for notice in home.only().notices] == ["line.invalid"]


def test_what_is_no_session_is_left_alone_with_a_reason(home: Home) -> None:
    home.log(f"weather/chats/{NAME}.jsonl", header(), *TALK)
    home.write("weather/logs/session-2026.jsonl", '{"network": 1}\n')
    home.write("bin/rg", "binary")
    home.write("weather/shell_history", "ls\n")
    home.write("weather/aaaaaaaa-1/plans/p.md", "plan")
    home.write("weather/chats/session-empty.json", "")
    report = {os.path.relpath(line.path, home.tmp): line for line in home.library().doctor().files}
    assert {name: line.status.value for name, line in report.items() if line.status != "read"} == {
        "weather/logs/session-2026.jsonl": "ignored",
        "bin/rg": "ignored",
        "weather/shell_history": "ignored",
        "weather/aaaaaaaa-1/plans/p.md": "ignored",
        "weather/chats/session-empty.json": "ignored",
    }
    assert all(line.reason for line in report.values() if line.status == "ignored")
    assert home.library().doctor().sound


def test_an_unknown_file_raises_the_alarm(home: Home) -> None:
    home.write("weather/chats/session-2027.parquet", "new")
    assert statuses(home) == {"weather/chats/session-2027.parquet": "unknown"}
    assert not home.library().doctor().sound


def test_subagents_in_their_own_files_hang_from_their_parent(home: Home) -> None:
    spawn = call("invoke_agent__1", "invoke_agent", agentId="kid-1")
    home.log(f"weather/chats/{NAME}.jsonl", header(), user("u1", "go"), gemini("g1", "asking", toolCalls=[spawn]))
    home.log(
        "weather/chats/aaaaaaaa-1/kid-1.jsonl",
        header("kid-1", kind="subagent"),
        user("t1", "Find it"),
        gemini("k1", "found", tokens=7),
        user("t2", "You have stopped calling tools without finishing"),
    )
    parent, kid = home.sessions()["aaaaaaaa-1"], home.sessions()["kid-1"]
    assert (kid.kind, kid.parent) == (Kind.SUBAGENT, "gemini:aaaaaaaa-1")
    assert [m.author.value for m in kid.messages] == ["model", "model", "client"]
    assert [part.child for m in parent.messages for part in m.parts if isinstance(part, ToolCall)] == ["gemini:kid-1"]
    listed = {entry.summary.id: entry for entry in home.library().list()}
    assert list(listed) == ["aaaaaaaa-1"]
    family = listed["aaaaaaaa-1"].family_usage
    assert family is not None
    assert (listed["aaaaaaaa-1"].summary.usage.input, family.input) == (10, 17)


def test_a_call_that_does_not_name_its_subagent_is_linked_by_the_task(home: Home) -> None:
    spawn = call(
        "codebase_investigator_1794722401000_0", "codebase_investigator", args={"objective": "Trace the parser"}
    )
    home.document(f"weather/chats/{NAME}.json", document([user("u1", "go"), gemini("g1", "asking", toolCalls=[spawn])]))
    home.document(
        "weather/chats/aaaaaaaa-1/x7k2p9.json",
        document(
            [user("t1", "Your task …\n<objective>\nTrace the parser\n</objective>"), gemini("k1", "found")],
            name="x7k2p9",
            kind="subagent",
        ),
    )
    calls = [part for m in home.sessions()["aaaaaaaa-1"].messages for part in m.parts if isinstance(part, ToolCall)]
    assert [part.child for part in calls] == ["gemini:x7k2p9"]


def test_a_subagent_inside_its_parents_file_is_a_session_of_its_own(home: Home) -> None:
    spawn = call(
        "generalist-1794722402500-ab",
        "generalist",
        args={"request": "Count lines"},
        timestamp="2026-11-15T06:00:06.000Z",
    )
    home.document(
        f"{HASH}/chats/{NAME}.json",
        document(
            [
                user("u1", "Count lines"),
                gemini("g1", "I delegate.", "06:00:02"),
                user("t1", "Count lines", "06:00:03"),
                gemini("k1", "counting", "06:00:04"),
                gemini("g2", "", "06:00:06", toolCalls=[spawn]),
                gemini("g3", "done", "06:00:07"),
            ]
        ),
    )
    parent, kid = home.sessions()["aaaaaaaa-1"], home.sessions()["t1"]
    assert conversation(parent) == [
        ("human", "Count lines", "live"),
        ("model", "I delegate.", "live"),
        ("model", "", "live"),
        ("model", "done", "live"),
    ]
    assert conversation(kid) == [("model", "Count lines", "live"), ("model", "counting", "live")]
    assert (kid.parent, kid.usage.input, parent.usage.input) == (parent.key, 10, 30)
    assert [part.child for m in parent.messages for part in m.parts if isinstance(part, ToolCall)] == [kid.key]
    assert home.library().session("gemini:t1").messages == kid.messages


def test_the_figures_of_an_answer_that_went_to_a_late_recorded_call_are_given_back(home: Home) -> None:
    """Up to 0.31 a sub-agent's call gets a message of its own, and that the figures of the request after it."""
    spawn = call(
        "generalist-1794722402500-ab", "generalist", args={"request": "Count"}, timestamp="2026-11-15T06:00:06.000Z"
    )
    home.document(
        f"{HASH}/chats/{NAME}.json",
        document(
            [
                user("u1", "go"),
                gemini("g1", "I delegate.", "06:00:02"),
                user("t1", "Count", "06:00:03"),
                gemini("g2", "", "06:00:06", 100, toolCalls=[spawn]),
                gemini("g3", "done", "06:00:07", None),
            ]
        ),
    )
    session = home.sessions()["aaaaaaaa-1"]
    assert [(m.id, m.usage.input if m.usage else None) for m in session.messages[1:]] == [
        ("g1", 10),
        ("g2", None),
        ("g3", 100),
    ]


def investigation(number: int, ended: str) -> Json:
    return call(
        f"codebase_investigator_17947224020{number}0_{number}",
        "codebase_investigator",
        args={"objective": f"Trace {number}"},
        timestamp=f"2026-11-15T{ended}.000Z",
    )


def test_a_call_recorded_with_the_subagents_last_words_is_still_the_parents(home: Home) -> None:
    """0.32 to 0.34: each answer of a sub-agent is a message in its parent's file, and the call goes to the last one."""
    thought = {"subject": "Done", "description": "tracing", "timestamp": "2026-11-15T06:00:05.000Z"}
    home.document(
        f"{HASH}/chats/{NAME}.json",
        document(
            [
                user("u1", "Look into it"),
                gemini("g1", "I ask.", "06:00:02"),
                user("t1", f"{TASK}. <objective>\nTrace 1\n</objective>", "06:00:03"),
                gemini("k1", "", "06:00:04", 100),
                user("t2", f"{TASK}. <objective>\nTrace 2\n</objective>", "06:00:04"),
                gemini("k2", "", "06:00:05", 1000, thoughts=[thought]),
                gemini("k3", "Found it.", "06:00:05", 1000)
                | {"toolCalls": [investigation(1, "06:00:06"), investigation(2, "06:00:06")]},
                gemini("g2", "done", "06:00:07"),
            ]
        ),
    )
    result = home.sessions()
    parent, one, two = result["aaaaaaaa-1"], result["t1"], result["t2"]
    assert conversation(parent) == [
        ("human", "Look into it", "live"),
        ("model", "I ask.", "live"),
        ("model", "", "live"),
        ("model", "done", "live"),
    ]
    assert [m.text for m in two.messages[1:]] == ["", "Found it."]
    assert (parent.usage.input, one.usage.input, two.usage.input) == (20, 100, 2000)
    assert (one.title, two.title) == ("Trace 1", "Trace 2")
    assert [part.child for m in parent.messages for part in m.parts if isinstance(part, ToolCall)] == [one.key, two.key]


def test_a_killed_subagents_task_is_nobodys_prompt(home: Home) -> None:
    home.document(
        f"{HASH}/chats/{NAME}.json",
        document(
            [
                user("u1", "Look into it"),
                gemini("g1", "I ask."),
                user("t1", f"{TASK}. <objective>Trace it</objective>"),
                gemini("k1", "Listing.", tokens=100),
                user("u2", "And now?"),
                gemini("g2", "Well."),
            ]
        ),
    )
    parent, kid = home.sessions()["aaaaaaaa-1"], home.sessions()["t1"]
    assert [m.text for m in parent.prompts] == ["Look into it", "And now?"]
    assert (parent.usage.input, kid.usage.input, kid.title) == (20, 100, "Trace it")


def test_a_subagents_file_named_by_a_prompt_of_its_parent(home: Home) -> None:
    """0.35 and 0.36, where the minute changed between the parent's file and its own."""
    spawn = call("codebase_investigator_1794722402500_0", "codebase_investigator", args={"objective": "Trace it"})
    home.document(
        f"weather/chats/{NAME}.json", document([user("u1", "go"), gemini("g1", "", toolCalls=[spawn])], kind="main")
    )
    name = "aaaaaaaa-1########0-codebase_investigator-x7k2p9"
    home.document(
        "weather/chats/session-2026-11-15T06-01-aaaaaaaa.json",
        document([user("t1", f"{TASK}: Trace it"), gemini("k1", "did")], name=name, start="06:01:00", kind="subagent"),
    )
    result = home.sessions()
    assert (result[name].kind.value, result[name].parent) == ("subagent", "gemini:aaaaaaaa-1")
    assert [m.author.value for m in result[name].messages] == ["model", "model"]
    (tool_call,) = [part for m in result["aaaaaaaa-1"].messages for part in m.parts if isinstance(part, ToolCall)]
    assert tool_call.child == result[name].key


def test_a_subagents_file_under_its_parents_id_is_told_apart(home: Home) -> None:
    home.document(f"{HASH}/chats/{NAME}.json", document([user("u1", "go"), gemini("g1", "ok")]))
    home.document(
        f"{HASH}/chats/session-2026-11-15T06-01-aaaaaaaa.json",
        document([user("t1", "Do it"), gemini("k1", "did")], start="06:01:00", kind="subagent"),
    )
    result = home.sessions()
    assert conversation(result["aaaaaaaa-1"]) == [("human", "go", "live"), ("model", "ok", "live")]
    assert result["session-2026-11-15T06-01-aaaaaaaa"].parent == "gemini:aaaaaaaa-1"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, ["HOME/.gemini/tmp"]),
        ({"GEMINI_CLI_HOME": ""}, ["HOME/.gemini/tmp"]),
        ({"GEMINI_CLI_HOME": "/other"}, ["/other/.gemini/tmp"]),
        ({"GEMINI_SESSIONS_DIR": "/a:/b"}, ["/a", "/b"]),
        ({"POLLUX_GEMINI_DIR": "/p", "GEMINI_SESSIONS_DIR": "/a"}, ["/p"]),
    ],
)
def test_where_sessions_are_looked_for(home: Home, environ: dict[str, str], expected: list[str]) -> None:
    results = [str(root.path) for root in roots(environ, home.path)]
    assert results == [place.replace("HOME", str(home.path)) for place in expected]


def test_a_variable_that_names_the_gemini_folder_itself_is_understood(home: Home) -> None:
    home.write("weather/x", "")
    assert [root.path for root in roots({"GEMINI_CLI_HOME": str(home.path / ".gemini")}, home.path)] == [home.tmp]
