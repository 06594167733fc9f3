"""What was done: calls and answers joined, and how they ended."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

from pollux.model import Status, ToolResult
from pollux.sources.codex.calls.output_heads import exit_code
from tests.unit.sources.codex.conftest import (
    DAY,
    ONE,
    TWO,
    Home,
    answer,
    call,
    calls,
    completed_item,
    event,
    item,
    lines,
    meta,
    prompt,
    reply,
)

HEAD = "Chunk ID: a1\nWall time: 0.05 seconds\nProcess exited with code"


def one(home: Home, *records: dict[str, Any]) -> Any:
    home.rollout(meta(), *prompt("Do it"), *records, reply("Done"))
    (tool_call,) = calls(home.only())
    return tool_call


@pytest.mark.parametrize(
    ("output", "status", "code"),
    [
        ('{"output":"fine\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}', Status.OK, 0),
        ('{"output":"oops\\n","metadata":{"exit_code":3,"duration_seconds":0.1}}', Status.ERROR, 3),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nfine", Status.OK, 0),
        ("Exit code: 3\nWall time: 0 seconds\nOutput:\noops", Status.ERROR, 3),
        ("Chunk ID: a1\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\nfine", Status.OK, 0),
        ("Chunk ID: a1\nWall time: 0.05 seconds\nProcess exited with code 7\nOutput:\noops", Status.ERROR, 7),
        ("Chunk ID: a1\nWall time: 0.05 seconds\nProcess running with session ID 4\nOutput:\n", Status.OK, None),
        (f"Command: ls\n{HEAD} 0\nOutput:\nfine", Status.OK, 0),
        (f"Command: /bin/bash -lc 'exit 7'\n{HEAD} 7\nOutput:\n", Status.ERROR, 7),
        (f"Command: /bin/bash -lc '# two\nlines\n\nexit 7'\n{HEAD} 7\nOutput:\n", Status.ERROR, 7),
        (f'Command: bash -lc "it\'s \\"{HEAD} 0\n"\n{HEAD} 7\nOutput:\n', Status.ERROR, 7),
        (f"Command: bash -lc 'echo\n{HEAD} 0\n'\\''{HEAD} 0\n'\n{HEAD} 7\nOutput:\n", Status.ERROR, 7),
        (f"Command: <command included NUL byte>\n{HEAD} 1\nOutput:\n", Status.ERROR, 1),
        (
            "Command: sleep 9\nChunk ID: a1\nWall time: 0.05 seconds\nProcess running with session ID 4\nOutput:\n",
            Status.OK,
            None,
        ),
        (f"Command: it is 'not closed\n{HEAD} 7\nOutput:\n", Status.OK, None),
        (f"Command: list\nno head\n{HEAD} 7\n", Status.OK, None),
        ("unsupported call: nothing", Status.ERROR, None),
        ("exec command rejected by user", Status.ERROR, None),
        ('exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }', Status.ERROR, None),
        ("patch rejected by user", Status.ERROR, None),
        ("user rejected MCP tool call", Status.ERROR, None),
        ('[{"type":"text","text":"user rejected MCP tool call"}]', Status.ERROR, None),
        (
            'Wall time: 0.1 seconds\nOutput:\n[{"type":"text","text":"user cancelled MCP tool call"}]',
            Status.ERROR,
            None,
        ),
        ("user rejected MCP tool call, says the manual", Status.OK, None),
        ("apply_patch verification failed: no file", Status.ERROR, None),
        ("error: no file", Status.ERROR, None),
        ("failed in sandbox LinuxSeccomp with execution error", Status.ERROR, None),
        ("Script failed\nWall time 0.1 seconds\nOutput:\nboom", Status.ERROR, None),
        ("aborted", Status.UNFINISHED, None),
        ("aborted: all of it", Status.OK, None),
        ("aborted by user after 3.4s", Status.CANCELLED, None),
        ("Wall time: 3.4 seconds\naborted by user", Status.CANCELLED, None),
        ("the log says:\nExit code: 3", Status.OK, None),
        ("Output:\nProcess exited with code 9", Status.OK, None),
        ('{"output": "not the wrapper"', Status.OK, None),
    ],
)
def test_exit_codes_and_failures(home: Home, output: str, status: Status, code: int | None) -> None:
    result = one(home, call(), answer(output))
    assert (result.status, result.exit_code) == (status, code)


def test_json_answers_are_taken_apart(home: Home) -> None:
    result = one(home, call(), answer('{"output":"a\\nb","metadata":{"exit_code":0,"duration_seconds":0.1}}'))
    assert result.output == "a\nb"
    assert result.extra["metadata"]["duration_seconds"] == 0.1


@pytest.mark.parametrize(
    "text", ["", 'say "hi"', "C:\\new\\u0041", "\x1b[32m✓\x1b[0m\t架构 😀\x7f\u2028", '}}"}}\n', "\\", '\\"']
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("ascii_inside", [True, False])
@pytest.mark.parametrize("ascii_outside", [True, False])
def test_json_answers_are_taken_apart_whatever_is_escaped(
    home: Home, text: str, *, ascii_inside: bool, ascii_outside: bool
) -> None:
    inside = json.dumps(
        {"output": text, "metadata": {"exit_code": 0, "what": text}}, ensure_ascii=ascii_inside, separators=(",", ":")
    )
    raw = json.dumps(answer(inside), ensure_ascii=ascii_outside, separators=(",", ":"))
    for line in (raw, raw.replace('\\"', "\\u0022"), raw.replace("/", "\\/")):
        home.write(
            f"{DAY}/rollout-2026-11-15T06-00-00-{ONE}.jsonl", lines(meta(), *prompt("Do it"), call()) + line + "\n"
        )
        (tool_call,) = calls(home.only())
        assert (tool_call.output, tool_call.extra["metadata"]["what"]) == (text, text)


@pytest.mark.parametrize(
    "inside",
    [
        '{"output":"a","metadata":{"exit_code":0},"more":{}}',
        '{"output":"a","metadata":{}} {"b":{}}',
        '{"output":"a\tb","metadata":{}}',
        '{"output":3,"metadata":{}}',
        '{"output":"","metadata":{"a":{"b":1e999}}}',
    ],
)
def test_answers_that_are_nearly_such_json_stay_as_they_are(home: Home, inside: str) -> None:
    assert one(home, call(), answer(inside)).output == inside


def test_answers_in_parts(home: Home) -> None:
    parts = [{"type": "input_text", "text": "Wall time: 0.1 seconds\nOutput:"}, {"type": "input_text", "text": "21 °C"}]
    picture = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
    result = one(home, call(), answer([*parts, picture]))
    assert result.output == "Wall time: 0.1 seconds\nOutput:\n21 °C"
    assert [content.data for content in result.attachments] == ["aGk="]


def test_parallel_calls_are_answered_in_any_order(home: Home) -> None:
    home.rollout(meta(), *prompt("Both"), call("a"), call("b"), answer("B", "b"), answer("A", "a"), reply("Done"))
    session = home.only()
    assert [(part.id, part.output) for part in calls(session)] == [("a", "A"), ("b", "B")]
    assert len([m for m in session.messages if m.role == "assistant"]) == 2


def test_a_call_without_an_answer(home: Home) -> None:
    home.rollout(meta(), *prompt("Slow"), call())
    assert calls(home.only())[0].status is Status.UNFINISHED


def test_a_call_that_the_human_broke_off(home: Home) -> None:
    home.rollout(meta(), *prompt("Slow"), call(), event("turn_aborted", reason="interrupted"))
    assert calls(home.only())[0].status is Status.CANCELLED


def test_an_answer_without_a_call(home: Home) -> None:
    home.rollout(meta(), *prompt("Slow"), answer("left over", "gone"), reply("Done"))
    (result,) = [p for m in home.only().messages for p in m.parts if isinstance(p, ToolResult)]
    assert (result.call, result.output) == ("gone", "left over")


def test_local_shell_is_answered_by_a_function_output(home: Home) -> None:
    action: Any = {"type": "exec", "command": ["echo", "hi"], "working_directory": None, "env": {}}
    result = one(home, item("local_shell_call", call_id="c1", status="completed", action=action), answer("hi"))
    assert (result.name, result.canonical, result.input["command"], result.output) == (
        "local_shell",
        "shell_exec",
        ["echo", "hi"],
        "hi",
    )


def test_web_search_has_no_answer(home: Home) -> None:
    result = one(
        home, item("web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "rain"})
    )
    assert (result.name, result.canonical, result.status, result.input["query"]) == (
        "web_search",
        "web_access",
        Status.OK,
        "rain",
    )


@pytest.mark.parametrize(
    "told",
    [
        event(
            "mcp_tool_call_end",
            call_id="c1",
            invocation={"server": "m", "tool": "t"},
            result={"Ok": {"content": [], "isError": True}},
        ),
        event("mcp_tool_call_end", call_id="c1", invocation={"server": "m", "tool": "t"}, result={"Err": "gone"}),
        event(
            "item_completed", item={"type": "McpToolCall", "id": "c1", "server": "m", "tool": "t", "status": "failed"}
        ),
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["event first", "event last"])
def test_mcp_failures_are_only_in_events(home: Home, told: dict[str, Any], first: bool) -> None:
    call_record = call(tool="t", namespace="mcp__m", arguments={})
    result = one(home, *((told, call_record, answer("[]")) if first else (call_record, answer("[]"), told)))
    assert (result.name, result.canonical, result.status) == ("mcp__m__t", "mcp", Status.ERROR)


@pytest.mark.parametrize("name", ["server__tool", "mcp__server__tool"])
def test_older_mcp_names(home: Home, name: str) -> None:
    assert one(home, call(tool=name), answer()).canonical == "mcp"


def test_commands_know_their_exit_code(home: Home) -> None:
    event_record = event(
        "item_completed",
        item={"type": "CommandExecution", "id": "c1", "exit_code": 2, "status": "failed", "command": ["x"]},
    )
    result = one(home, call(), event_record, answer("whatever"))
    assert (result.status, result.exit_code) == (Status.ERROR, 2)
    assert result.extra["events"][0]["item"]["command"] == ["x"]


def test_a_reviewers_commands_are_not_this_sessions_calls(home: Home) -> None:
    event_record = event(
        "item_completed", item={"type": "CommandExecution", "id": "elsewhere", "exit_code": 0, "status": "completed"}
    )
    home.rollout(meta(), *prompt("Review"), event_record, reply("Done"))
    session = home.only()
    assert calls(session) == []
    assert any(record["record"].get("item", {}).get("id") == "elsewhere" for record in session.extra["records"])


def test_steps_of_a_program_stay_with_it(home: Home) -> None:
    program = item("custom_tool_call", name="exec", input="await run('ls')", call_id="c1")
    step = event(
        "item_completed", item={"type": "CommandExecution", "id": "exec-1", "exit_code": 0, "status": "completed"}
    )
    result = one(home, program, step, item("custom_tool_call_output", call_id="c1", output="fine"))
    assert (result.canonical, result.status) == ("shell_exec", Status.OK)
    assert result.extra["events"][0]["item"]["id"] == "exec-1"


def test_a_step_that_failed_is_the_programs_exit_code(home: Home) -> None:
    program = item("custom_tool_call", name="exec", input="await run('ls; false')", call_id="c1")
    steps = [
        completed_item("CommandExecution", f"exec-{code}", exit_code=code, status="failed" if code else "completed")
        for code in (0, 3, 0)
    ]
    result = one(home, program, *steps, item("custom_tool_call_output", call_id="c1", output="Script completed\n"))
    assert (result.exit_code, result.status) == (3, Status.ERROR)


ADD = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
MIXED = f"""{ADD.removesuffix("*** End Patch")}*** Update File: b.py
*** Move to: c.py
@@
*** Delete File: d.py
*** End Patch"""


@pytest.mark.parametrize(
    ("asked", "canonical", "kinds"),
    [
        (item("custom_tool_call", name="apply_patch", input=ADD, call_id="c1"), "file_write", ["add"]),
        (
            item("custom_tool_call", name="apply_patch", input=MIXED, call_id="c1"),
            "file_edit",
            ["add", "move", "delete"],
        ),
        (call(tool="apply_patch", arguments={"input": ADD}), "file_write", ["add"]),
        (call(tool="shell", arguments={"command": ["apply_patch", MIXED]}), "file_edit", ["add", "move", "delete"]),
        (
            call(tool="shell", arguments={"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{ADD}\nEOF"]}),
            "file_write",
            ["add"],
        ),
    ],
)
def test_patches_are_told_by_their_hunks(home: Home, asked: dict[str, Any], canonical: str, kinds: list[str]) -> None:
    result = one(home, asked)
    assert (result.canonical, result.tool_kind) == (canonical, "edit")
    assert [hunk["kind"] for hunk in result.extra["hunks"]] == kinds


def test_spawned_agents_are_children(home: Home) -> None:
    spawn = call(tool="spawn_agent", arguments={"message": "Count"}, namespace="multi_agent_v1")
    home.rollout(
        meta(), *prompt("Delegate"), spawn, answer(f'{{"agent_id":"{TWO}","nickname":"Pauli"}}'), reply("Done")
    )
    child = {"subagent": {"thread_spawn": {"parent_thread_id": ONE, "depth": 1, "agent_nickname": "Pauli"}}}
    home.rollout(meta(TWO, source=child), *prompt("Count"), reply("Three"), name=TWO)
    sessions = home.sessions()
    assert calls(sessions[ONE])[0].child == f"codex:{TWO}"
    assert calls(sessions[ONE])[0].canonical == "agent_spawn"
    assert (sessions[TWO].kind, sessions[TWO].parent) == ("subagent", f"codex:{ONE}")
    assert sessions[TWO].prompts == []
    assert sessions[TWO].messages[0].author == "model"


def test_reviewers_are_children_without_a_named_parent(home: Home) -> None:
    home.rollout(meta(source={"subagent": "review"}), *prompt("Look at it"), reply("Fine"))
    session = home.only()
    assert (session.kind, session.parent, session.prompts) == ("subagent", None, [])


@pytest.mark.parametrize(
    ("arguments", "canonical"), [({"ids": ["x"]}, "agent_spawn"), ({"cell_id": "1"}, "shell_exec")]
)
def test_wait_is_for_agents_or_for_programs(home: Home, arguments: dict[str, Any], canonical: str) -> None:
    assert one(home, call(tool="wait", arguments=arguments), answer()).canonical == canonical


def test_arguments_that_are_no_json_stay_as_they_are(home: Home) -> None:
    result = one(home, item("function_call", name="shell", arguments="{not json", call_id="c1"), answer())
    assert result.input == "{not json"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_json_in_an_answer_with_some_quotes_as_code_points(home: Home) -> None:
    text = '{"output":"said \\"yes\\"","metadata":{"exit_code":0,"duration_seconds":0.1}}'
    raw = json.dumps(answer(text), separators=(",", ":"))
    odd = raw.replace('"",', '\\u0022",').replace('\\\\\\"yes', "\\u005c\\u0022yes")
    assert odd != raw
    assert json.loads(odd) == json.loads(raw)
    home.write(f"{DAY}/rollout-2026-11-15T06-00-00-{ONE}.jsonl", lines(meta(), *prompt("Do it"), call()) + odd + "\n")
    (tool_call,) = calls(home.only())
    assert tool_call.output == 'said "yes"'


def test_the_time_of_a_command_with_a_head(home: Home) -> None:
    command = "# " + "long " * 100 + "\nWall time: 9 seconds\n"
    result = one(home, call(), answer(f"Command: bash -lc '{command}'\n{HEAD} 0\nOutput:\n"))
    assert (result.exit_code, result.seconds) == (0, 0.05)


@pytest.mark.parametrize("quote", ["'", '"', "\\"])
def test_a_head_without_an_end_takes_no_time(quote: str) -> None:
    begun = process_time()
    assert exit_code("Command: " + f"a{quote}b\n" * 200_000) is None
    assert process_time() - begun < 2


DENIALS = (
    "exec command rejected by user",
    "patch rejected by user",
    '[{"type":"text","text":"user rejected MCP tool call"}]',
)


@pytest.mark.parametrize("words", DENIALS)
def test_a_denied_call_is_cancelled_where_its_turn_was(home: Home, words: str) -> None:
    over = event("turn_aborted", reason="interrupted")
    home.rollout(meta(), *prompt("Do it"), call("c1"), answer(words, "c1"), over)
    assert [tool_call.status for tool_call in calls(home.only())] == [Status.CANCELLED]
    home.rollout(meta(), *prompt("Do it"), call("c1"), answer(words, "c1"), reply("Then not."), over)
    assert [tool_call.status for tool_call in calls(home.only())] == [Status.ERROR], "the conversation went on"
    home.rollout(meta(), *prompt("Do it"), call("c1"), call("c2"), answer("fine", "c1"), answer(words, "c2"), over)
    assert [tool_call.status for tool_call in calls(home.only())] == [Status.OK, Status.CANCELLED]


def test_a_search_of_the_service_is_not_cancelled_with_its_turn(home: Home) -> None:
    search = item("web_search_call", status="completed", action={"type": "search", "query": "x"})
    home.rollout(meta(), *prompt("Do it"), search, event("turn_aborted", reason="interrupted"))
    assert [tool_call.status for tool_call in calls(home.only())] == [Status.OK]
