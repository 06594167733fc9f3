from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pollux.model import Attachment, Status, ToolResult
from pollux.sources.claude.format.tools import canonical
from tests.unit.sources.claude.conftest import (
    PROJECT,
    SID,
    Home,
    attachment_line,
    call,
    calls,
    in_chain,
    model,
    result,
    user,
)


def ended(home: Home, *answers: Any, tool: str = "Bash", **arguments: Any) -> Any:
    """The one call of a session, with these records after it."""
    (tool_call,) = calls(home.session(user("Hi"), call(tool=tool, **arguments), *answers))
    return tool_call


BASH = {"stdout": "done", "stderr": "", "interrupted": False, "isImage": False}

ENDS = [
    (result("toolu_1", "done", BASH, error=False), "ok", 0),
    (result("toolu_1", "done", BASH), "ok", 0),
    (result("toolu_1", "Exit code 2\nno such file", "Error: Exit code 2\nno such file", error=True), "error", 2),
    (result("toolu_1", "no such file", "Error: no such file", error=True), "error", None),
    (result("toolu_1", "<tool_use_error>Error: No such tool</tool_use_error>", error=True), "error", None),
    (result("toolu_1", "The user doesn't want to proceed", error=True, toolDenialKind="user"), "error", None),
    (result("toolu_1", "x", {**BASH, "interrupted": True}), "cancelled", None),
    (result("toolu_1", "x\n<error>aborted</error>", {**BASH, "interrupted": True}, error=True), "cancelled", None),
    (result("toolu_1", "[Request interrupted by user for tool use]", error=True), "cancelled", None),
    (result("toolu_1", "[Tool call interrupted: …", error=True, toolDenialKind="interrupted"), "unfinished", None),
    (result("toolu_1", "Running with ID b1", {**BASH, "backgroundTaskId": "b1"}), "ok", None),
    (result("toolu_1", "none", {**BASH, "returnCodeInterpretation": "No matches found"}), "error", 1),
    (result("toolu_1", "none", {**BASH, "returnCodeInterpretation": "Something new"}), "error", None),
]


@pytest.mark.parametrize(("answer", "status", "code"), ENDS, ids=range(len(ENDS)))
def test_how_a_command_ended(home: Home, answer: Any, status: str, code: int | None) -> None:
    tool_call = ended(home, answer)
    assert (tool_call.status, tool_call.exit_code) == (status, code)


def test_no_result_was_ever_written(home: Home) -> None:
    tool_call = ended(home, user("Carry on"), model("Ok", "msg_2"))
    assert (tool_call.status, tool_call.output) == ("unfinished", None)


def test_results_are_paired_by_id_in_any_order(home: Home) -> None:
    first, second = call("toolu_1", command="1"), call("toolu_2", command="2")
    session = home.session(user("Hi"), first, second, result("toolu_2", "two"), result("toolu_1", "one"))
    assert [(tool_call.id, tool_call.output) for tool_call in calls(session)] == [
        ("toolu_1", "one"),
        ("toolu_2", "two"),
    ]


def test_branches_of_parallel_calls_lose_nothing(home: Home) -> None:
    records = [call(f"toolu_{n}", command=str(n)) for n in range(3)]
    answers = [result(f"toolu_{n}", str(n), parentUuid=records[n]["uuid"]) for n in range(3)]
    last = model("All done.", "msg_2", parentUuid=answers[1]["uuid"])
    session = home.session(user("Hi"), *records, *answers, last)
    assert [(tool_call.output, tool_call.status.value) for tool_call in calls(session)] == [
        ("0", "ok"),
        ("1", "ok"),
        ("2", "ok"),
    ]
    assert {message.fate.value for message in session.messages} == {"live"}


def test_result_without_a_call_keeps_its_words(home: Home) -> None:
    session = home.session(user("Hi"), model("Hello"), result("toolu_9", "lost", {"stdout": "lost"}))
    (part,) = session.messages[-1].parts
    assert isinstance(part, ToolResult)
    assert (part.call, part.output) == ("toolu_9", "lost")


def test_structured_patch_is_kept(home: Home) -> None:
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}]
    detail = {"filePath": "/w/a.py", "oldString": "a", "newString": "b", "originalFile": "a", "structuredPatch": patch}
    tool_call = ended(home, result("toolu_1", "Updated", detail), tool="Edit", file_path="/w/a.py")
    assert tool_call.extra["result"]["structuredPatch"] == patch
    assert tool_call.canonical == "file_edit"


def test_text_that_the_result_repeats_is_kept_once(home: Home) -> None:
    tool_call = ended(home, result("toolu_1", "done", dict(BASH)))
    assert "stdout" not in tool_call.extra["result"]
    file = {"type": "text", "file": {"filePath": "/w/a", "content": "done", "numLines": 1}}
    tool_call = ended(home, result("toolu_1", "done", file), tool="Read")
    assert tool_call.extra["result"]["file"] == {"filePath": "/w/a", "numLines": 1}


def test_result_of_a_mcp_server(home: Home) -> None:
    blocks = [{"type": "text", "text": "7 degrees"}]
    tool_call = ended(home, result("toolu_1", blocks, blocks), tool="mcp__station__get_temp")
    assert (tool_call.output, tool_call.canonical) == ("7 degrees", "mcp")


def test_picture_in_a_result(home: Home) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    tool_call = ended(home, result("toolu_1", [picture]), tool="Read")
    assert tool_call.attachments == (Attachment(media_type="image/png", data="aGk="),)


def test_tool_that_the_server_ran(home: Home) -> None:
    reply_record = model({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "rain"}})
    results = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"title": "Rain", "url": "x"}]}
    (tool_call,) = calls(home.session(user("Hi"), reply_record, model(results)))
    assert (tool_call.canonical, tool_call.status) == ("web_access", "ok")
    assert tool_call.extra["content"][0]["title"] == "Rain"


def test_tool_that_the_server_ran_in_vain(home: Home) -> None:
    reply_record = model({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "rain"}})
    refused = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    answer = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": refused}
    (tool_call,) = calls(home.session(user("Hi"), reply_record, model(answer)))
    assert (tool_call.status, tool_call.extra["content"]) == ("error", refused)


# ---------------------------------------------------------------------------------------------------- large outputs

STUB = "<persisted-output>\nOutput too large (340KB). Full output saved to: {place}\n\nPreview (first 2KB):\n1\n2"


def spilled(home: Home, place: str, detail: Any = None) -> Any:
    return ended(home, result("toolu_1", STUB.format(place=place), detail or {**BASH, "persistedOutputPath": place}))


def test_spilled_output_is_found_where_the_session_lies(home: Home) -> None:
    file = home.write(f"{PROJECT}/{SID}/tool-results/b3.txt", "all of it")
    tool_call = spilled(home, f"/home/somebody/else/{SID}/tool-results/b3.txt")
    assert tool_call.output == "all of it"
    assert tool_call.extra["shown"].startswith("<persisted-output>")
    assert home.sessions()[SID].files[1] == str(file)
    assert tool_call.status == "ok"


def test_spilled_output_named_only_in_the_text(home: Home) -> None:
    home.write(f"{PROJECT}/{SID}/tool-results/toolu_1.txt", "all of it")
    assert spilled(home, "C:\\Users\\ada\\tool-results\\toolu_1.txt", BASH).output == "all of it"


@pytest.mark.parametrize("place", ["/etc/passwd", "../../secret.txt", "..", "/x/", "tool-results/link.txt"])
def test_nothing_outside_the_sessions_folder_is_read(home: Home, place: str) -> None:
    home.write("secret.txt", "secret")
    home.write(f"{PROJECT}/{SID}/tool-results/other.txt", "x")
    (home.projects / PROJECT / SID / "tool-results/link.txt").symlink_to(home.projects / "secret.txt")
    tool_call = spilled(home, place)
    assert tool_call.output.startswith("<persisted-output>")
    assert [Path(name).name for name in home.sessions()[SID].files] == [f"{SID}.jsonl"]


def test_spilled_output_that_is_gone_may_be_whole_in_the_record(home: Home) -> None:
    whole = "line\n" * 5000
    assert spilled(home, "/x/gone.txt", {**BASH, "stdout": whole}).output == whole


# ---------------------------------------------------------------------------------------------------- sub-agents' calls


def test_answer_of_a_sub_agent_is_what_it_said(home: Home) -> None:
    outputs = [{"type": "text", "text": "Found it."}, {"type": "text", "text": "agentId: a1 (for resuming …)"}]
    detail = {"status": "completed", "agentId": "a1", "content": [{"type": "text", "text": "Found it."}]}
    tool_call = ended(home, result("toolu_1", outputs, detail), tool="Task", prompt="Look")
    assert tool_call.output == "Found it."
    assert "agentId: a1" in tool_call.extra["shown"]


def test_answer_of_an_agent_in_the_background_comes_later(home: Home) -> None:
    launched = result("toolu_1", "Async agent launched", {"isAsync": True, "status": "async_launched", "agentId": "a1"})
    notice = (
        "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<status>completed</status>\n"
        "<result>All is well.</result>\n</task-notification>"
    )
    for answer in (user(notice), attachment_line("queued_command", prompt=notice, commandMode="task-notification")):
        tool_call = ended(home, launched, answer, model("Good.", "msg_2"), tool="Agent", prompt="Look")
        assert (tool_call.output, tool_call.extra["shown"]) == ("All is well.", "Async agent launched")


@pytest.mark.parametrize(
    ("name", "shared", "kind"),
    [
        ("Bash", "shell_exec", "execute"),
        ("KillBash", "shell_exec", "execute"),
        ("Write", "file_write", "edit"),
        ("MultiEdit", "file_edit", "edit"),
        ("LS", "file_read", "read"),
        ("Grep", "file_search", "search"),
        ("WebSearch", "web_access", "fetch"),
        ("TaskCreate", "planning", "plan"),
        ("Task", "agent_spawn", "agent"),
        ("Agent", "agent_spawn", "agent"),
        ("AskUserQuestion", "user_interaction", "communicate"),
        ("Skill", "skill", "other"),
        ("mcp__station__get", "mcp", "other"),
        ("Teleport", "teleport", "other"),
    ],
)
def test_tool_names(name: str, shared: str, kind: str) -> None:
    assert canonical(name) == (shared, kind)


def test_result_of_what_is_no_call_keeps_its_words(home: Home) -> None:
    call_record = call(command="ls")
    call_record["message"]["content"][0]["type"] = "tool_wish"
    home.log(SID, *in_chain([user("Hi"), call_record, result(content="precious")]))
    (answer,) = [part for m in home.only().messages for part in m.parts if type(part) is ToolResult]
    assert answer.output == "precious"


@pytest.mark.parametrize("larger", ["call", "result"])
def test_result_in_another_file_than_its_call_is_joined(home: Home, larger: str) -> None:
    begun = in_chain([user("Hi"), call(command="x" * (9000 if larger == "call" else 1)), result(content="precious")])
    later = model("y" * (9000 if larger == "result" else 1), "msg_2")
    home.log(SID, *begun[:2])
    home.log(SID, begun[2], later, project="-work-other")
    assert [(c.output, c.status) for c in calls(home.only())] == [("precious", Status.OK)]


# ------------------------------------------------------------------------------------------------------ later


def notice(name: str, status: str, summary: str, words: str = "") -> str:
    notice_text = (
        f"<task-id>b1</task-id><tool-use-id>{name}</tool-use-id><status>{status}</status><summary>{summary}</summary>"
    )
    return f"<task-notification>{notice_text}{words}</task-notification>"


RUNNING = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b1"}


@pytest.mark.parametrize(
    ("how", "summary", "status", "code"),
    [
        ("completed", 'Background command "Boot" completed (exit code 0)', "ok", 0),
        ("failed", 'Background command "exit code 7" failed with exit code 3', "error", 3),
        ("failed", 'Agent "Look" failed: no network', "error", None),
        ("killed", 'Background command "Boot" was stopped', "cancelled", None),
    ],
)
def test_how_a_task_in_the_background_ended_is_told_later(
    home: Home, how: str, summary: str, status: str, code: int | None
) -> None:
    notice_text = notice("toolu_1", how, summary)
    tool_call = ended(
        home, result(content="Running.", detail=RUNNING), user(notice_text, origin={"kind": "task-notification"})
    )
    assert (tool_call.status.value, tool_call.exit_code, tool_call.output) == (status, code, "Running.")


@pytest.mark.parametrize("blocks", [False, True])
def test_several_notices_at_once(home: Home, blocks: bool) -> None:
    texts = [notice(f"toolu_{n}", "completed", "Agent done", f"<result>Answer {n}</result>") for n in (1, 2)]
    content = [{"type": "text", "text": text} for text in texts] if blocks else "\n".join(texts)
    launched = {"isAsync": True, "status": "async_launched"}
    records = [call(f"toolu_{n}", "Agent", prompt=f"Task {n}") for n in (1, 2)]
    results = [result(f"toolu_{n}", "Async agent launched", {**launched, "agentId": f"a{n}"}) for n in (1, 2)]
    session = home.session(user("Hi"), *records, *results, user(content, origin={"kind": "task-notification"}))
    assert [part.output for part in calls(session)] == ["Answer 1", "Answer 2"]


def test_notice_that_came_too_late_to_be_said(home: Home) -> None:
    """The client was killed with the notice in its queue."""
    text = notice("toolu_1", "completed", "Agent done", "<result>The answer</result>")
    waiting = {"type": "queue-operation", "operation": "enqueue", "content": text, "sessionId": SID}
    launched = result("toolu_1", "Async agent launched", {"isAsync": True, "status": "async_launched", "agentId": "a1"})
    home.log(SID, *in_chain([user("Hi"), call("toolu_1", "Agent", prompt="Look"), launched]), waiting)
    (tool_call,) = calls(home.only())
    assert tool_call.output == "The answer"


def test_whatever_runs_in_the_background_may_answer_later(home: Home) -> None:
    notice_text = notice("toolu_1", "completed", "Workflow done", "<result>All checked</result>")
    tool_call = ended(
        home, result("toolu_1", "Workflow launched", {"status": "launched"}), user(notice_text), tool="Workflow"
    )
    assert (tool_call.output, tool_call.extra["shown"]) == ("All checked", "Workflow launched")


REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
STOPPED = [{"type": "text", "text": "[Request interrupted by user for tool use]"}]


def test_refusal_after_which_the_conversation_went_on_is_an_error(home: Home) -> None:
    refused = result("toolu_1", REFUSED, error=True, toolDenialKind="user-rejected")
    session = home.session(user("Go"), call("toolu_1"), refused, model("As you like.", "msg_2"))
    assert [tool_call.status.value for tool_call in calls(session)] == ["error"]


@pytest.mark.parametrize("kind", ["user-rejected", None])
def test_refusal_that_ended_the_turn_cancels_the_call(home: Home, kind: str | None) -> None:
    denial = {"toolDenialKind": kind} if kind else {}
    one, two = call("toolu_1"), call("toolu_2")
    failed = result("toolu_1", "Exit code 2\nno such file", error=True)
    refused = result("toolu_2", REFUSED, error=True, **denial)
    session = home.session(user("Go"), one, two, failed, refused, user(STOPPED), user("Then?"), model("So.", "msg_2"))
    assert [(tool_call.status.value, tool_call.exit_code) for tool_call in calls(session)] == [
        ("error", 2),
        ("cancelled", None),
    ]


def test_exit_code_of_a_command_that_the_human_stopped(home: Home) -> None:
    text = "Exit code 137\n[Request interrupted by user for tool use]\nhalf"
    session = home.session(user("Go"), call("toolu_1"), result("toolu_1", text, error=True), user(STOPPED))
    assert [tool_call.status.value for tool_call in calls(session)] == ["cancelled"]
