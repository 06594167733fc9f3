"""Any order of prompts, failures, cancelled turns, rewinds, compressions and resumes is read as it happened."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings, strategies as st

from pollux.model import Author, Kind, Message, ToolCall
from pollux.sources.gemini_sessions.format import records
from pollux.sources.gemini_sessions.messages.messages import Builder, Companions
from pollux.sources.gemini_sessions.replay.replay import Replay
from pollux.wire import Notes
from tests.unit.sources.gemini.agent import Agent

STEPS = ("ask", "ask", "tools", "fail", "stop", "deny", "compress", "rewind", "resume", "reopen")


def read(agent: Agent) -> list[Message]:
    notes = Notes()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "session.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in agent.log))
        result = records.parse_file(str(file), notes)
        assert isinstance(result, records.Log)
        entries = Replay(notes).run(result.records).entries
    return Builder("x", entries, notes, Kind.MAIN, Companions(lambda _: None, lambda _: None)).build()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(1, 3)), min_size=1, max_size=9), st.booleans())
def test_any_history_is_read_as_it_happened(steps: list[tuple[str, int]], same: bool) -> None:
    agent = Agent()
    for number, (step, size) in enumerate([("ask", 1), *steps]):
        words = "go" if same else f"prompt {number}"
        match step:
            case "ask" | "fail" | "stop" | "deny":
                getattr(agent, step)(words)
            case "tools":
                agent.ask(words, tools=size)
            case "resume" | "reopen":
                getattr(agent, step)()
            case _:
                getattr(agent, step)(size)
    messages = read(agent)
    spoken = [m for m in messages if m.author is not Author.CLIENT]
    assert [[m.author.value, m.text, m.fate.value] for m in spoken if m.text] == agent.truth
    answers = sum(author == "model" for author, _, _ in agent.truth) + sum(step == "tools" for step, _ in steps)
    assert sum(m.usage is not None for m in messages) == answers
    tool_call = [part for m in messages for part in m.parts if isinstance(part, ToolCall) and part.name == "read_file"]
    assert [(part.output, part.status.value) for part in tool_call] == [("ok", "ok")] * sum(
        size for step, size in steps if step == "tools"
    )
    assert not any(m.inherited for m in messages)
