"""Tool calls: outcome, exit code, large output."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pollux.model import ToolCall
from pollux.sources.gemini_sessions.format.tools import canonical
from pollux.sources.gemini_sessions.messages.calls import exit_code_of
from tests.unit.sources.gemini.conftest import LOG, Home, call, gemini, header, user

OLD = (
    "Command: x\nDirectory: (root)\nOutput: {out}\nError: (none)\nExit Code: {code}\n"
    "Signal: (none)\nBackground PIDs: (none)\nProcess Group PGID: (none)"
)
LARGE = "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: "


def outcome(home: Home, **fields: Any) -> ToolCall:
    home.log(LOG, header(), user("u1", "go"), gemini("g1", "", toolCalls=[{**call("c1"), **fields}]))
    return made_in(home)


def made_in(home: Home) -> ToolCall:
    (tool_call,) = (part for m in home.only().messages for part in m.parts if isinstance(part, ToolCall))
    return tool_call


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (OLD.format(out="fine", code=0), 0),
        (OLD.format(out="bad", code=3), 3),
        (OLD.format(out="killed", code="(none)"), None),
        (OLD.format(out="x\nExit Code: 9\ny", code=0), 0),
        ("Output: hi\nProcess Group PGID: 1", 0),
        ("Output: hi\nExit Code: 127\nProcess Group PGID: 1", 127),
        ("<untrusted_context>\nOutput: hi\nExit Code: 2\nProcess Group PGID: 1\n</untrusted_context>", 2),
        ("<untrusted_context>\nOutput: hi\nProcess Group PGID: 1\n</untrusted_context>", 0),
        ("Output: the log says\nExit Code: 7\nand goes on", 0),
        (
            LARGE + "/f\nOutput: 1\n2\nExit Code: 4",
            4,
        ),
        ("Command moved to background (PID: 3). Output hidden.", None),
    ],
)
def test_exit_codes_of_every_era(text: str, code: int | None) -> None:
    assert exit_code_of(text)[0] == code


def test_a_signal_is_a_failure(home: Home) -> None:
    text = "Output: x\nSignal: 15\nProcess Group PGID: 1"
    result = outcome(
        home, name="run_shell_command", result=[{"functionResponse": {"id": "c1", "response": {"output": text}}}]
    )
    assert (result.status.value, result.exit_code) == ("error", None)


def test_a_command_that_failed_is_an_error_whatever_the_agent_says(home: Home) -> None:
    text = OLD.format(out="bad", code=3)
    result = outcome(
        home, name="run_shell_command", result=[{"functionResponse": {"id": "c1", "response": {"output": text}}}]
    )
    assert (result.status.value, result.exit_code, result.output) == ("error", 3, text)


@pytest.mark.parametrize(
    ("result", "output", "status"),
    [
        ("plain text", "plain text", "ok"),
        ({"text": "one part"}, "one part", "ok"),
        (["a", {"text": "b"}], "a\nb", "ok"),
        ([{"functionResponse": {"id": "c1", "name": "x", "response": {"error": "broke"}}}], "broke", "error"),
        (
            [{"functionResponse": {"id": "c1", "response": {"name": "x", "content": {"error": "gone"}}}}],
            "gone",
            "error",
        ),
        ([{"functionResponse": {"id": "c1", "response": {"content": "text"}}}], '{\n "content": "text"\n}', "ok"),
        (None, None, "ok"),
    ],
)
def test_results_in_every_shape(home: Home, result: Any, output: str | None, status: str) -> None:
    results = outcome(home, result=result)
    assert (results.output, results.status.value) == (output, status)


def test_bytes_beside_or_inside_a_result_are_attachments(home: Home) -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    result = outcome(
        home, result=[{"functionResponse": {"id": "c1", "response": {"output": "x"}, "parts": [picture]}}, picture]
    )
    assert [content.media_type for content in result.attachments] == ["image/png", "image/png"]


@pytest.mark.parametrize(
    ("word", "status"), [("success", "ok"), ("error", "error"), ("cancelled", "cancelled"), ("executing", "unfinished")]
)
def test_statuses(home: Home, word: str, status: str) -> None:
    assert outcome(home, status=word).status == status


def test_an_unknown_status_is_reported(home: Home) -> None:
    assert outcome(home, status="pending").extra["status"] == "pending"
    assert [u.what for u in home.library().doctor().unknown] == ["status 'pending'"]


@pytest.mark.parametrize(
    ("place", "stub"),
    [
        (
            "tool-outputs/session-aaaaaaaa-1/read_file_1.txt",
            LARGE + "{path}\nOutput: short",
        ),
        (
            "c1.output",
            "Tool output was too large and has been truncated.\nThe full output has been saved to: {path}\nhead",
        ),
    ],
)
def test_large_output_is_looked_up_where_it_lies_now(home: Home, place: str, stub: str) -> None:
    home.write(f"weather/{place}", "all of it")
    text = stub.format(path=f"/elsewhere/.gemini/tmp/weather/{place}")
    result = outcome(home, result=[{"functionResponse": {"id": "c1", "response": {"output": text}}}])
    assert (result.output, result.extra["shown"]) == ("all of it", text)
    assert any(path.endswith(place) for path in home.only().files)
    assert {line.status.value for line in home.library().doctor().files if line.path.endswith(place)} == {"read"}


def test_large_output_that_is_gone_is_taken_from_the_display(home: Home) -> None:
    text = LARGE + "/gone\nOutput: short"
    result = outcome(
        home, result=[{"functionResponse": {"id": "c1", "response": {"output": text}}}], resultDisplay="x" * 500
    )
    assert result.output == "x" * 500


def test_a_stub_cannot_lead_outside_the_projects_folder(home: Home) -> None:
    home.write("weather/../../secret.txt", "secret")
    text = LARGE + "tool-outputs/../../../secret.txt"
    assert outcome(home, result=[{"functionResponse": {"id": "c1", "response": {"output": text}}}]).output == text


@pytest.mark.parametrize(
    ("name", "shared", "kind"),
    [
        ("run_shell_command", "shell_exec", "execute"),
        ("search_file_content", "file_search", "search"),
        ("codebase_investigator", "file_search", "agent"),
        ("tracker_create_task", "planning", "plan"),
        ("mcp_github_list", "mcp", "other"),
        ("github__list", "mcp", "other"),
        ("Read_Mind", "read_mind", "other"),
    ],
)
def test_shared_names(name: str, shared: str, kind: str) -> None:
    assert canonical(name) == (shared, kind)


def test_calls_of_several_round_trips_in_one_message_make_the_sum_a_lower_bound(home: Home) -> None:
    calls = [
        call("read_file-1794722402000-a", timestamp="2026-11-15T06:00:03.000Z"),
        call("read_file-1794722404000-b", timestamp="2026-11-15T06:00:05.000Z"),
    ]
    home.document(
        "weather/chats/session-x.json",
        {**header(), "messages": [user("u1", "go"), gemini("g1", "ok", toolCalls=calls)]},
    )
    assert home.only().usage.exact is False


def test_parallel_calls_of_one_response_do_not(home: Home) -> None:
    calls = [call(f"read_file-1794722402000-{n}", timestamp=f"2026-11-15T06:00:03.00{n}Z") for n in range(3)]
    home.document(
        "weather/chats/session-x.json",
        {**header(), "messages": [user("u1", "go"), gemini("g1", "ok", toolCalls=calls), gemini("g2", "done")]},
    )
    assert home.only().usage.exact is True


def test_a_rewritten_turn_gives_every_call_the_answers_of_all(home: Home) -> None:
    """As a resume since 0.44 leaves them, and a second one several times over."""
    answers = [
        {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "one"}}},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"functionResponse": {"id": "c2", "name": "run_shell_command", "response": {"error": "denied"}}},
        {
            "functionResponse": {
                "id": "c3",
                "name": "run_shell_command",
                "response": {"output": "Output: x\nExit Code: 3"},
            }
        },
    ]
    for result in (answers, answers * 3):
        calls = [
            call("c1") | {"result": result},
            call("c2", "run_shell_command", status="error") | {"result": result},
            call("c3", "run_shell_command") | {"result": result},
        ]
        home.log(LOG, header(), user("u1", "go"), gemini("g1", "", toolCalls=calls))
        tool_call = [part for part in home.only().messages[1].parts if isinstance(part, ToolCall)]
        assert [(part.output, part.status.value, part.exit_code, len(part.attachments)) for part in tool_call] == [
            ("one", "ok", None, 1),
            ("denied", "error", None, 0),
            ("Output: x\nExit Code: 3", "error", 3, 0),
        ]


MASK = "<tool_output_masked>\n{}\n\nOutput too large. Full output available at: {}\n</tool_output_masked>"
MASKED_FILE = "tool-outputs/session-aaaaaaaa-1/run_shell_command_c1_x7.txt"


def test_a_masked_output_is_the_answer_that_was_put_aside(home: Home) -> None:
    whole = "Output: " + "\n".join(map(str, range(100))) + "\nExit Code: 2\nProcess Group PGID: 9"
    stub = MASK.format(
        "Output: 0\n\n... [98 lines omitted] ...\n\n99\nExit Code: 2\nProcess Group PGID: 9", f"/gone/{MASKED_FILE}"
    )
    masked = call("c1", "run_shell_command", stub)
    home.log(LOG, header(), user("u1", "go"), gemini("g1", "", toolCalls=[masked]))
    gone = made_in(home)
    assert (gone.output, gone.exit_code, gone.status.value) == (stub, 2, "error")
    home.write(f"weather/{MASKED_FILE}", json.dumps({"output": whole}, indent=2))
    content = made_in(home)
    assert (content.output, content.exit_code, content.status.value) == (whole, 2, "error")


def test_an_output_shortened_before_it_was_masked_is_found_behind_both(home: Home) -> None:
    large = "tool-outputs/session-aaaaaaaa-1/run_shell_command_c1.txt"
    home.write(f"weather/{large}", "all of it")
    home.write(f"weather/{MASKED_FILE}", json.dumps({"output": f"{LARGE}/gone/{large}\nOutput: all"}))
    stub = MASK.format(f"{LARGE}/gone/{large}\nOutput: all", f"/gone/{MASKED_FILE}")
    home.log(LOG, header(), user("u1", "go"), gemini("g1", "", toolCalls=[call("c1", output=stub)]))
    assert made_in(home).output == "all of it"
    home.write(f"weather/{MASKED_FILE}", json.dumps({"output": stub}))
    assert made_in(home).output == stub


def test_masking_takes_no_output_that_the_log_still_holds(home: Home) -> None:
    turn = gemini("g1", "", toolCalls=[call("c1", output="all of it")])
    masked = {**turn, "toolCalls": [call("c1", output=MASK.format("all", MASKED_FILE))]}
    home.log(LOG, header(), user("u1", "go"), turn, {"$set": {"messages": [user("u1", "go"), masked]}})
    assert made_in(home).output == "all of it"


def test_a_command_that_ran_out_of_time_failed(home: Home) -> None:
    text = "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output."
    home.log(LOG, header(), user("u1", "go"), gemini("g1", "", toolCalls=[call("c1", "run_shell_command", text)]))
    assert (made_in(home).status.value, made_in(home).exit_code) == ("error", None)
