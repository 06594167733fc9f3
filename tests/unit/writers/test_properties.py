"""Whatever texts a session holds: the document keeps its structure, and nothing steers the terminal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pollux.model import (
    Attachment,
    Author,
    Context,
    Fate,
    FileReference,
    Kind,
    Link,
    Message,
    Role,
    Session,
    Status,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from pollux.writers.base import Options
from tests.unit.writers.kitchen_sink import NASTY_PROMPT, NASTY_REPLY
from tests.unit.writers.markdown_parser import check

pytestmark = pytest.mark.slow

BITS = [
    *("```", "~~~~", "`", "\n", "\n\n", "    ", "- ", "> ", "# ", "\n## You\n", "===", "---", "<!--", "<details>"),
    *("</details>", "<script>", "</summary>", "\x1b[2J", "\x9b", "\r\n", "\r", "\x00", "\ud800", "[a]: b"),
    *("|", "架", "*", "_", "\\", "&lt;", "<b ", ">", "\t", "1. ", "\u2028", "-->"),
]
WORDS = st.one_of(
    st.lists(st.sampled_from(BITS), max_size=12).map("".join),
    st.text(st.characters(exclude_categories=[]), max_size=20),
    st.sampled_from([NASTY_PROMPT, NASTY_REPLY, "", " "]),
)
MAYBE = st.none() | WORDS
MOMENTS = st.none() | st.sampled_from(
    [
        datetime(2026, 11, 15, 6, 16, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))),
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(["file_path", "command", "path", "query", "todos"])
INPUTS = VALUES | st.dictionaries(KEYS, VALUES, max_size=3)
ATTACHMENTS = st.builds(Attachment, media_type=WORDS, data=MAYBE, uri=MAYBE)
HELD = st.lists(ATTACHMENTS, max_size=2).map(tuple)
CALLS = st.builds(
    ToolCall,
    id=MAYBE,
    name=WORDS,
    canonical=WORDS,
    tool_kind=WORDS,
    input=INPUTS,
    status=st.sampled_from(Status),
    output=MAYBE,
    exit_code=st.none() | st.integers(),
    at=MOMENTS,
    child=MAYBE,
    attachments=HELD,
)
PARTS = st.one_of(
    st.builds(Text, text=WORDS),
    st.builds(Thinking, text=WORDS, subject=MAYBE),
    CALLS,
    st.builds(ToolResult, call=MAYBE, name=MAYBE, output=MAYBE, attachments=HELD),
    st.builds(FileReference, path=WORDS, text=MAYBE, attachments=HELD),
    ATTACHMENTS,
    st.builds(Context, source=WORDS, text=WORDS),
    st.builds(SummaryPart, text=WORDS),
    st.builds(Unknown, raw=VALUES),
)
MESSAGES = st.builds(
    Message,
    id=WORDS,
    role=st.sampled_from(Role),
    author=st.sampled_from(Author),
    at=MOMENTS,
    parts=st.lists(PARTS, max_size=3).map(tuple),
    model=MAYBE,
    usage=st.none() | st.builds(Usage, input=st.none() | st.integers(), output=st.none() | st.integers()),
    fate=st.sampled_from(Fate),
    inherited=st.booleans(),
    extra=st.just({}) | st.fixed_dictionaries({"level": st.sampled_from(["error", "info", "warning"]) | VALUES}),
)
LINKS = st.builds(Link, kind=st.sampled_from(["continues", "odd"]), target=WORDS, evidence=WORDS)
SESSIONS = st.builds(
    Session,
    agent=WORDS,
    id=WORDS,
    kind=st.sampled_from(Kind),
    parent=MAYBE,
    title=MAYBE,
    project=MAYBE,
    project_evidence=st.sampled_from([None, "hash", "guess"]),
    started=MOMENTS,
    ended=MOMENTS,
    messages=st.lists(MESSAGES, max_size=4).map(tuple),
    links=st.lists(LINKS, max_size=1).map(tuple),
)
OPTIONS = st.builds(
    Options,
    thinking=st.booleans(),
    tools=st.sampled_from(["none", "brief", "full"]),
    tokens=st.booleans(),
    notices=st.booleans(),
    live_only=st.booleans(),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(SESSIONS, OPTIONS)
def test_any_session_keeps_the_structure(session: Session, options: Options) -> None:
    check(session, options)
