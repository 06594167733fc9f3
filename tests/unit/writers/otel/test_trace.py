"""Spans take the time that was measured, and tell no words unless they are asked to."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pollux.model import Session, ToolCall
from pollux.writers.base import Options
from pollux.writers.otel import WRITER
from pollux.writers.otel.span import interval, nanoseconds
from tests.unit.writers.full_session import EVERYTHING, kind, places, with_text

AT = datetime(2026, 11, 15, tzinfo=UTC)
WORDS = ("text", "subject", "output", "input", "title", "raw", "path", "data")


def call(at: datetime | None, seconds: float | None, *, at_end: bool) -> ToolCall:
    return ToolCall(id="1", name="t", canonical="t", tool_kind="other", at=at, seconds=seconds, at_end=at_end)


def written(session: Session, options: Options) -> str:
    pieces: list[str] = []
    WRITER.write(session, pieces.append, options)
    return "".join(pieces)


def spans(session: Session) -> dict[str, Any]:
    (resource,) = json.loads(written(session, Options()))["resourceSpans"]
    return {span["spanId"]: span for span in resource["scopeSpans"][0]["spans"]}


@pytest.mark.parametrize(
    ("asked", "begins", "ends"),
    [
        (call(AT, 2.5, at_end=False), 0.0, 2.5),
        (call(AT, 2.5, at_end=True), -2.5, 0.0),
        (call(AT, None, at_end=True), 0.0, 0.0),
        (call(None, 2.5, at_end=False), 9.0, 9.0),
    ],
)
def test_a_call_takes_the_time_that_was_measured(asked: ToolCall, begins: float, ends: float) -> None:
    middle = nanoseconds(AT) or 0
    otherwise = nanoseconds(AT + timedelta(seconds=9)) or 0
    assert interval(asked, otherwise) == (middle + int(begins * 1e9), middle + int(ends * 1e9))


def test_no_words_unless_they_are_asked_for() -> None:
    for path in places(EVERYTHING):
        if any(step in WORDS for step in path) and "native" not in path:
            session = with_text(EVERYTHING, path, "zanzibarquark")
            assert "zanzibarquark" not in written(session, Options()), kind(path)


def test_a_trace_leads_to_the_one_that_started_it() -> None:
    (root,) = [span for span in spans(EVERYTHING).values() if "parentSpanId" not in span]
    parent = Session(agent="gemini", id="parent")
    (above,) = spans(parent).values()
    assert root["links"] == [{"traceId": above["traceId"], "spanId": above["spanId"]}]
