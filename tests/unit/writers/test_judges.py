"""What other programs will read is judged by their own measure, whatever the session holds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import ValidationError

from pollux import registry
from pollux.model import Session
from pollux.writers.base import Options
from tests.unit.writers.full_session import EVERYTHING
from tests.unit.writers.judges import JUDGES
from tests.unit.writers.markdown_parser import joined
from tests.unit.writers.test_properties import SESSIONS

WAYS = {
    "usual": Options(),
    "everything": Options(thinking=True, content=True, ids="short"),
    "live": Options(live_only=True),
}


def judged(name: str, session: Session, options: Options) -> None:
    pieces: list[str] = []
    registry.writer(name).write(session, pieces.append, options)
    JUDGES[name](joined(pieces))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", JUDGES)
def test_a_session_with_everything_is_sound(name: str, way: str) -> None:
    judged(name, EVERYTHING, WAYS[way])


@pytest.mark.parametrize("name", JUDGES)
def test_a_session_without_anything_is_sound(name: str) -> None:
    judged(name, Session(agent="a", id="1"), Options())


@pytest.mark.slow
@pytest.mark.parametrize("name", JUDGES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(session=SESSIONS)
def test_any_session_is_sound(name: str, session: Session) -> None:
    for options in WAYS.values():
        judged(name, session, options)


@pytest.mark.parametrize("name", JUDGES)
def test_the_same_session_is_written_the_same_way(name: str) -> None:
    writer = registry.writer(name)
    first, second = list[str](), list[str]()
    writer.write(EVERYTHING, first.append, WAYS["everything"])
    writer.write(EVERYTHING, second.append, WAYS["everything"])
    assert first == second


WRONG = {
    "events": '{"id":"1","type":"session_start"}\n',
    "vac": '{"version":"3.0.0-draft","id":"1","session":{}}',
    "atif": '{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[]}',
    "otel": '{"resourceSpans":[{"scopeSpans":[{"spans":[]}]}]}',
    "openai": '{"messages":[{"role":"tool","tool_call_id":"1","content":""}]}\n',
    "sharegpt": '{"conversations":[{"from":"gpt","value":""},{"from":"gpt","value":""}]}\n',
    "hf": '{"type":"session","id":"1"}\n',
    "parquet": '{"number":1}\n{"number":1}\n',
    "agent-trace": '{"version":"1","id":"1","timestamp":"","files":[]}',
    "acp": '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"1","update":{}}}\n',
    "gemini": '{"sessionId":"1","projectHash":"2","kind":"main"}\n{"type":"user","content":[]}\n',
    "claude": '{"type":"user","uuid":"1","parentUuid":"0","message":{"role":"user","content":""}}\n',
    "codex": '{"type":"response_item","timestamp":"","payload":{}}\n',
    "copilot": '{"type":"session.start","id":"1","parentId":null,"timestamp":"","data":{}}\n',
    "opencode": '{"info":{"id":"1"},"messages":[]}\n',
    "qwen": '{"type":"user","uuid":"1","parentUuid":"0","message":{"role":"user","parts":[]}}\n',
}


@pytest.mark.parametrize("name", JUDGES)
def test_a_judge_refuses_what_is_wrong(name: str) -> None:
    with pytest.raises((AssertionError, IndexError, ValueError, ValidationError)):
        JUDGES[name](WRONG[name])
