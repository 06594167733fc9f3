from __future__ import annotations

from typing import Any

import pytest

from pollux import registry
from pollux.sources.capabilities import own_session_of
from pollux.sources.source_wrapper import SourceWrapper


@pytest.mark.parametrize(
    ("agent", "environ", "meta", "id"),
    [
        ("claude", {"CLAUDE_CODE_SESSION_ID": "abc"}, {}, "abc"),
        ("claude", {"CLAUDE_CODE_SESSION_ID": ""}, {}, None),
        ("claude", {}, {"threadId": "abc"}, None),
        ("codex", {}, {"threadId": "abc", "sessionId": "def"}, "abc"),
        ("codex", {}, {"threadId": 7}, None),
        ("codex", {"CLAUDE_CODE_SESSION_ID": "abc"}, {}, None),
        ("gemini", {"GEMINI_CLI": "1"}, {"progressToken": 1}, None),
    ],
)
def test_an_agent_names_the_session_that_it_writes(
    agent: str, environ: dict[str, str], meta: dict[str, Any], id: str | None
) -> None:
    source = registry.source(agent)
    assert own_session_of(source, environ, meta) == id
    assert own_session_of(SourceWrapper(source), environ, meta) == id
    assert own_session_of(object(), environ, meta) is None
