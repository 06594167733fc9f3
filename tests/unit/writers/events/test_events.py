"""Events: whole in our own form, exactly eight types in the other's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pollux import registry
from pollux.errors import UnknownName
from pollux.model import Author, Message, Role, Session, Status, SummaryPart, Text, ToolCall, ToolResult
from pollux.writers.base import Options, Report, WriterContext
from pollux.writers.events import TIMES, WRITER
from pollux.writers.events.compat import ASSUMED, REPLIES
from pollux.writers.loss import DETAILS, FIGURES, MESSAGES
from tests.unit.writers.full_session import EVERYTHING, kind, places, with_text
from tests.unit.writers.judges_of_records import judge_events
from tests.unit.writers.kitchen_sink import SESSION, START
from tests.unit.writers.test_properties import SESSIONS
from tests.unit.writers.test_reports import EXCUSES, WORD

OURS = Options()
THEIRS = Options(compat="session-signals")
KNOWING = WriterContext(knowledge=registry.knowledge)
MORE = {"text": {REPLIES}, "model": {FIGURES}, "parent": {DETAILS}, "title": {DETAILS}}


def written(session: Session, options: Options = OURS) -> tuple[list[dict[str, Any]], str, Report]:
    pieces: list[str] = []
    report = WRITER.write(session, pieces.append, options, KNOWING)
    text = "".join(pieces)
    return [json.loads(line) for line in text.split("\n")[:-1]], text, report


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(SESSIONS)
def test_any_session_in_both_dialects(session: Session) -> None:
    judge_events(written(session)[1])
    judge_events(written(session, THEIRS)[1], "session-signals")
    assert written(session)[1] == written(session)[1]


def test_what_happened_stands_in_order() -> None:
    call = ToolCall(
        id="c1",
        name="run_shell_command",
        canonical="shell_exec",
        tool_kind="execute",
        input={"command": "ls"},
        status=Status.ERROR,
        output="no",
        exit_code=2,
        at=START,
        seconds=1.5,
    )
    messages = (
        Message(id="a", role=Role.USER, author=Author.HUMAN, at=START, parts=(Text(text="Hello"),)),
        Message(id="b", role=Role.ASSISTANT, author=Author.MODEL, at=START, model="m", parts=(Text(text="Yes"), call)),
        Message(id="c", role=Role.USER, author=Author.CLIENT, at=START, parts=(ToolResult(call="c1"),)),
        Message(id="d", role=Role.USER, author=Author.CLIENT, at=START, parts=(SummaryPart(text="In short"),)),
        Message(id="e", role=Role.SYSTEM, author=Author.CLIENT, at=START, parts=(Text(text="Careful"),)),
    )
    events, _, report = written(Session(agent="gemini", id="s", started=START, ended=START, messages=messages))
    assert [event["type"] for event in events] == [
        *("session_start", "user_prompt", "assistant_message", "tool_use", "tool_result"),
        *("compaction", "system_notice", "session_end"),
    ]
    used, result = events[3:5]
    assert (used["tool_name"], used["raw_tool_name"], used["call_id"]) == ("shell_exec", "run_shell_command", "c1")
    assert (used["timestamp"], result["timestamp"]) == ("2026-11-15T23:57:59.623Z", "2026-11-15T23:58:01.123Z")
    assert result["tool_result"] == {"success": False, "error": "no"}
    assert (result["parent_id"], result["call_id"], result["metadata"]["exit_code"]) == (used["id"], "c1", 2)
    assert (report.kept, sum(one.count for one in report.dropped), report.fabricated) == (4, 1, [])


def kinds(agent: str, *messages: Message) -> list[str]:
    events, _, _ = written(Session(agent=agent, id="s", started=START, ended=START, messages=messages))
    return [event["type"] for event in events[1:-1]]


def test_a_compaction_is_told_once_with_or_without_its_summary() -> None:
    mark = Message(id="a", role=Role.SYSTEM, author=Author.CLIENT, extra={"level": "info"})
    summary = Message(id="b", role=Role.USER, author=Author.CLIENT, parts=(SummaryPart(text="In short"),))
    prompt = Message(id="c", role=Role.USER, author=Author.HUMAN, parts=(Text(text="Go on"),))
    assert kinds("gemini", mark) == ["compaction"]
    assert kinds("gemini", summary, mark) == ["compaction", "system_notice"]
    assert kinds("gemini", summary, prompt, mark) == ["compaction", "user_prompt", "compaction"]
    fingerprint_of = Message(id="d", role=Role.USER, author=Author.CLIENT, extra={"compacted": {}})
    assert kinds("codex", fingerprint_of) == ["compaction"]


def test_ids_are_the_same_every_time_and_tell_events_apart() -> None:
    events, _, _ = written(EVERYTHING)
    again, _, _ = written(EVERYTHING)
    assert [event["id"] for event in events] == [event["id"] for event in again]
    assert len({event["id"] for event in events}) == len(events)


def test_times_that_nobody_recorded_are_reported() -> None:
    one = Message(id="a", role=Role.USER, author=Author.HUMAN, parts=(Text(text="Hello"),))
    events, _, report = written(Session(agent="gemini", id="s", started=START, messages=(one,)))
    assert {event["timestamp"] for event in events} == {"2026-11-15T23:58:01.123Z"}
    assert report.fabricated == [TIMES]


def test_a_result_of_unknown_success_is_assumed_only_where_the_format_must_know() -> None:
    one = Message(id="a", role=Role.USER, author=Author.CLIENT, parts=(ToolResult(call="c", output="out"),), at=START)
    session = Session(agent="gemini", id="s", started=START, ended=START, messages=(one,))
    assert written(session)[0][1]["tool_result"] == {"success": None, "output": "out"}
    events, _, report = written(session, THEIRS)
    assert events[1]["tool_result"] == {"success": True, "output": "out"}
    assert report.fabricated == [ASSUMED]


@pytest.mark.slow
def test_the_other_dialect_reports_all_it_leaves_out() -> None:
    missing = []
    for path in places(EVERYTHING):
        session = with_text(EVERYTHING, path, WORD)
        _, text, report = written(session, THEIRS)
        losses = {entry.what for entry in report.dropped}
        excused = {excuse for step in path for excuse in (*EXCUSES.get(str(step), ()), *MORE.get(str(step), ()))}
        if WORD not in text and not losses & excused:
            missing.append(kind(path))
    assert not missing
    _, _, report = written(EVERYTHING, THEIRS)
    dropped = sum(entry.count for entry in report.dropped if entry.what in MESSAGES)
    assert report.kept + dropped == len(EVERYTHING.messages)


def test_a_dialect_nobody_speaks_is_refused() -> None:
    with pytest.raises(UnknownName, match="No dialect of events is called 'latin'"):
        written(SESSION, Options(compat="latin"))
