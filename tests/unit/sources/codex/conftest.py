"""Small homes, written as Codex CLI would write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pollux.model import Message, Session, ToolCall
from tests.unit.sources.agent_home import AgentHome

Json = dict[str, Any]
ONE = "01a1ddc0-0000-7000-8000-000000000001"
TWO = "01a1ddc1-0000-7000-8000-000000000002"
REVERT = "01a1ddc2-0000-7000-8000-000000000003"
DAY = "sessions/2026/11/15"


class Home(AgentHome):
    """A home directory with a `.codex` in it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, ".codex")
        self.codex = path / ".codex"

    def rollout(self, *records: Json, name: str = ONE, place: str = DAY, at: str = "06-00-00") -> Path:
        """A session file."""
        return self.write(f"{place}/rollout-2026-11-15T{at}-{name}.jsonl", lines(*records))

    def statuses(self) -> dict[str, str]:
        """What the doctor says of each file."""
        report = self.library().doctor()
        return {str(Path(line.path).relative_to(self.codex)): line.status.value for line in report.files}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def lines(*records: Json) -> str:
    return "".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records)


def line(kind: str, payload: Json, at: str = "06:00:00.000", **more: Any) -> Json:
    return {"timestamp": f"2026-11-15T{at}Z", "type": kind, "payload": payload, **more}


def meta(name: str = ONE, at: str = "06:00:00.000", **more: Any) -> Json:
    start = f"2026-11-15T{at}Z"
    return line(
        "session_meta", {"id": name, "timestamp": start, "cwd": "/work/notes", "cli_version": "0.80.0", **more}, at
    )


def item(kind: str, at: str = "06:00:02.000", line_: Json | None = None, **payload: Any) -> Json:
    return line("response_item", {"type": kind, **payload}, at, **(line_ or {}))


def event(kind: str, /, at: str = "06:00:02.000", line_: Json | None = None, **payload: Any) -> Json:
    return line("event_msg", {"type": kind, **payload}, at, **(line_ or {}))


def sent_prompt(*texts: str, at: str = "06:00:01.000", **more: Any) -> Json:
    return item("message", at, role="user", content=[{"type": "input_text", "text": text} for text in texts], **more)


def typed_prompt(text: str, at: str = "06:00:01.000", **more: Any) -> Json:
    return event("user_message", at, message=text, images=[], **more)


def reply(text: str, at: str = "06:00:02.000", **more: Any) -> Json:
    return item("message", at, role="assistant", content=[{"type": "output_text", "text": text}], **more)


def shown_reply(text: str) -> Json:
    return event("agent_message", message=text)


def context(model: str = "gpt-5.1", **more: Any) -> Json:
    return line("turn_context", {"cwd": "/work/notes", "model": model, "summary": "auto", **more})


def call(name: str = "c1", tool: str = "exec_command", arguments: Any = None, **more: Any) -> Json:
    text = json.dumps({"cmd": "ls"} if arguments is None else arguments)
    return item("function_call", name=tool, arguments=text, call_id=name, **more)


def answer(output: Any = "ok", name: str = "c1") -> Json:
    return item("function_call_output", call_id=name, output=output)


def figures(input_: int, cached: int = 0, out: int = 1, reasoning: int = 0) -> Json:
    parts = {"input_tokens": input_, "cached_input_tokens": cached, "output_tokens": out}
    return {**parts, "reasoning_output_tokens": reasoning, "total_tokens": input_ + out}


def tokens(total: Json, last: Json) -> Json:
    return event("token_count", info={"total_token_usage": total, "last_token_usage": last, "model_context_window": 9})


def prompt(text: str) -> tuple[Json, Json]:
    """A prompt as it is always written: sent, and shown."""
    return sent_prompt(text), typed_prompt(text)


def with_ordinals(start: int, *records: Json) -> list[Json]:
    """Lines as newer releases number them."""
    return [{**record, "ordinal": number} for number, record in enumerate(records, start=start)]


def meta_with_base(name: str, on: str, end: int, **more: Any) -> Json:
    """The first line of a file that goes on from another."""
    base = {"thread_id": on, "end_ordinal_exclusive": end, "end_byte_offset": 1}
    return meta(name, at="06:10:00.000", history_mode="paginated", history_base=base, **more)


def completed_item(kind: str, /, name: str = "", **more: Any) -> Json:
    """What the user interface showed, as newer releases write it."""
    return event("item_completed", thread_id=ONE, turn_id="t", item={"type": kind, "id": name or f"{kind}-1", **more})


def compaction(message: str, *prompts: str, at: str = "06:00:03.000") -> Json:
    """A summary, and the prompts that the new context repeats."""
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": p}]} for p in prompts]
    return line("compacted", {"message": message, **({"replacement_history": history} if history else {})}, at)


def conversation(session: Session) -> list[tuple[str, str, str]]:
    """Author, text and fate of everything human and model said."""
    return [(m.author.value, m.text, m.fate.value) for m in session.messages if m.author.value != "client"]


def calls(session: Session) -> list[ToolCall]:
    return [part for message in session.messages for part in message.parts if isinstance(part, ToolCall)]


def client(session: Session) -> list[Message]:
    return [message for message in session.messages if message.author.value == "client"]


def codes(session: Session) -> set[str]:
    return {notice.code for notice in session.notices}


def usage_of(home: Home, name: str = ONE) -> tuple[Any, ...]:
    """What a session used."""
    usage = home.sessions()[name].usage
    return usage.input, usage.cached, usage.output, usage.reasoning, usage.requests


def usage_record(name: str, input_: int, thread: str = ONE) -> Json:
    """A response's own figures."""
    usage = {**figures(input_), "cache_write_input_tokens": 4}
    return line("token_usage_record", {"response_id": name, "thread_id": thread, "turn_id": "t", "usage": usage})
