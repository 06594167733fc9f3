"""Independent judges of what a writer wrote: published schemas, other people's readers, rules beyond schemas."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

from atif import Trajectory
from google.protobuf.json_format import ParseDict
from jsonschema import Draft202012Validator
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.unit.writers.judges_of_agents import (
    judge_claude,
    judge_codex,
    judge_copilot,
    judge_gemini,
    judge_opencode,
    judge_qwen,
)
from tests.unit.writers.judges_of_records import judge_events, judge_vac

SCHEMAS = Path(__file__).parents[2] / "schemas"


@cache
def schema(name: str, part: str | None = None) -> Draft202012Validator:
    whole = json.loads((SCHEMAS / name).read_text("utf-8"))
    if part is not None:
        whole = {"$schema": whole["$schema"], "$defs": whole["$defs"], "$ref": f"#/$defs/{part}"}
    Draft202012Validator.check_schema(whole)
    return Draft202012Validator(whole)


def rows(text: str) -> list[Any]:
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def openai(text: str) -> None:
    """One row at most, in which every call is answered once, directly after the turn that made it."""
    result = rows(text)
    assert len(result) <= 1
    for row in result:
        schema("openai-chat.schema.json").validate(row)
        waiting: list[str] = []
        every: list[str] = []
        for message in row["messages"]:
            if message["role"] == "tool":
                assert message["tool_call_id"] == waiting.pop(0)
                continue
            assert not waiting
            waiting = [call["id"] for call in message.get("tool_calls", ())]
            every += waiting
            for call in message.get("tool_calls", ()):
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
        assert not waiting
        assert len(every) == len(set(every))


def atif(text: str) -> None:
    document = json.loads(text)
    Trajectory.model_validate(document)
    schema("atif-v1.8.schema.json").validate(document)
    schema("atif-harbor-0.25.0.schema.json").validate(document)


def otel(text: str) -> None:
    """A request that a collector takes, of one trace whose spans hang together and never end before they begin."""
    request = ParseDict(_in_base64(json.loads(text)), ExportTraceServiceRequest())
    (resource,) = request.resource_spans
    (scope,) = resource.scope_spans
    spans = list(scope.spans)
    ids = {span.span_id for span in spans}
    assert len(ids) == len(spans)
    assert len({span.trace_id for span in spans}) == 1
    assert [span.parent_span_id for span in spans].count(b"") == 1
    for span in spans:
        assert (len(span.trace_id), len(span.span_id)) == (16, 8)
        assert not span.parent_span_id or span.parent_span_id in ids
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        _messages(span)
    whole = spans[-1]
    assert not whole.parent_span_id
    assert whole.start_time_unix_nano == min(span.start_time_unix_nano for span in spans)
    assert whole.end_time_unix_nano == max(span.end_time_unix_nano for span in spans)


def _messages(span: Span) -> None:
    answers = {one.key: one.value for one in span.attributes}
    assert len(answers) == len(span.attributes)
    assert answers["gen_ai.operation.name"].string_value in ("invoke_agent", "chat", "execute_tool")
    for side in ("input", "output"):
        if (value := answers.get(f"gen_ai.{side}.messages")) is not None:
            schema(f"otel/gen-ai-{side}-messages.json").validate(json.loads(value.string_value))


def _in_base64(value: Any) -> Any:
    """OTLP writes ids in hexadecimal, where JSON of protocol buffers has base64."""
    if isinstance(value, list):
        return [_in_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    ids = ("traceId", "spanId", "parentSpanId")
    return {
        name: base64.b64encode(bytes.fromhex(item)).decode() if name in ids else _in_base64(item)
        for name, item in value.items()
    }


def acp(text: str) -> None:
    for row in rows(text):
        assert (row["jsonrpc"], row["method"]) == ("2.0", "session/update")
        schema("acp/schema-v1.json", "SessionNotification").validate(row["params"])


def sharegpt(text: str) -> None:
    """One row at most, in which nobody speaks twice in a row."""
    result = rows(text)
    assert len(result) <= 1
    for row in result:
        schema("sharegpt.schema.json").validate(row)
        speakers = [turn["from"] for turn in row["conversations"]]
        assert all(one != other for one, other in pairwise(speakers))


def hf(text: str) -> None:
    """A line about the session, then messages whose calls are answered, each by a line of the role `tool`."""
    head, *messages = rows(text)
    schema("hf-trace.schema.json", "session").validate(head)
    waiting: list[str] = []
    for line in messages:
        schema("hf-trace.schema.json", "message").validate(line)
        message = line["message"]
        if message["role"] == "tool":
            assert message["toolCallId"] == waiting.pop(0)
        else:
            assert not waiting
            waiting = [call["id"] for call in message.get("toolCalls", ())]
    assert not waiting


def parquet(text: str) -> None:
    """The rows, which pyarrow has read: numbered, one a message."""
    numbers = [row["number"] for row in rows(text)]
    assert numbers == sorted(set(numbers))


def agent_trace(text: str) -> None:
    """A record of the schema, in whose files no line is attributed twice."""
    record = json.loads(text)
    schema("agent-trace-0.1.0.schema.json").validate(record)
    UUID(record["id"])
    datetime.fromisoformat(record["timestamp"])
    for file in record["files"]:
        ranges = [(each["start_line"], each["end_line"]) for one in file["conversations"] for each in one["ranges"]]
        assert ranges
        assert all(first <= last for first, last in ranges)
        assert all(before[1] < after[0] for before, after in pairwise(sorted(ranges)))


JUDGES: dict[str, Callable[[str], None]] = {
    "events": judge_events,
    "vac": judge_vac,
    "atif": atif,
    "otel": otel,
    "openai": openai,
    "sharegpt": sharegpt,
    "hf": hf,
    "parquet": parquet,
    "agent-trace": agent_trace,
    "acp": acp,
    "gemini": judge_gemini,
    "claude": judge_claude,
    "codex": judge_codex,
    "copilot": judge_copilot,
    "opencode": judge_opencode,
    "qwen": judge_qwen,
}
