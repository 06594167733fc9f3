"""Generated sessions of Qwen Code and Copilot CLI, with the records that the newest releases in the corpus write."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_WORDS = ("parse", "module", "value", "return", "station", "humidity", "report", "架构", "état", "import", "None", "{}")
_TURNS, _CALLS = 15, 4

Record = dict[str, Any]


def qwen(home: Path, sessions: int) -> Path:
    """A home of Qwen Code, release 0.24."""
    return _written(home, sessions, lambda id: home / ".qwen/projects/-home-ada-code/chats" / f"{id}.jsonl", _qwen)


def copilot(home: Path, sessions: int) -> Path:
    """A home of Copilot CLI, release 1.0.102."""
    return _written(home, sessions, lambda id: home / ".copilot/session-state" / id / "events.jsonl", _copilot)


def _written(
    home: Path, sessions: int, place: Callable[[str], Path], made: Callable[[str, random.Random], Iterator[Record]]
) -> Path:
    for number in range(sessions):
        chance = random.Random(number)
        id = _uuid(chance)
        file = place(id)
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in made(id, chance))
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return home


def _uuid(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def _text(chance: random.Random, length: int) -> str:
    """Some text; two in five have words beyond ASCII."""
    words = _WORDS if chance.random() < 0.4 else _WORDS[:7]
    return " ".join(chance.choice(words) for _ in range(length // 6))


def _time(number: int) -> str:
    return f"2026-11-{1 + number // 86_400:02}T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.500Z"


def _qwen(id: str, chance: random.Random) -> Iterator[Record]:
    parent, at = None, chance.randrange(10**6)

    def record(kind: str, **rest: Any) -> Record:
        nonlocal parent, at
        own, before = _uuid(chance), parent
        parent, at = own, at + 1
        head = {"uuid": own, "parentUuid": before, "sessionId": id, "timestamp": _time(at), "type": kind}
        return {**head, "cwd": "/home/ada/code", "version": "0.24.4", **rest}

    for turn in range(_TURNS):
        yield record("user", message={"role": "user", "parts": [{"text": _text(chance, 200)}]})
        for call in range(_CALLS):
            name = f"call_{turn}_{call}"
            event = {"event.name": "qwen-code.api_response", "model": "m", "duration_ms": 5, "input_token_count": 900,
                     "output_token_count": 60, "thoughts_token_count": 10, "cached_content_token_count": 0,
                     "total_token_count": 960, "prompt_id": f"{id}########{turn}"}  # fmt: skip
            yield record("system", subtype="ui_telemetry", systemPayload={"uiEvent": event})
            usage = {"promptTokenCount": 900, "candidatesTokenCount": 60, "thoughtsTokenCount": 10,
                     "totalTokenCount": 960, "cachedContentTokenCount": 0}  # fmt: skip
            said = [{"text": _text(chance, 150), "thought": True}, {"text": _text(chance, 150)}]
            asked = {"functionCall": {"id": name, "name": "read_file", "args": {"file_path": f"/home/ada/{call}.py"}}}
            parts = [*said, asked]
            yield record("assistant", model="m", message={"role": "model", "parts": parts}, usageMetadata=usage)
            output = _text(chance, chance.choice((300, 1500, 8000)))
            answer = {"functionResponse": {"id": name, "name": "read_file", "response": {"output": output}}}
            result = {"callId": name, "status": "success", "resultDisplay": "read", "durationMs": 7}
            yield record("tool_result", message={"role": "user", "parts": [answer]}, toolCallResult=result)


def _copilot(id: str, chance: random.Random) -> Iterator[Record]:
    parent, at = None, chance.randrange(10**6)

    def event(kind: str, **data: Any) -> Record:
        nonlocal parent, at
        own, before = _uuid(chance), parent
        parent, at = own, at + 1
        return {"type": kind, "data": data, "id": own, "timestamp": _time(at), "parentId": before}

    context = {"cwd": "/home/ada/code"}
    yield event(
        "session.start", sessionId=id, version=1, copilotVersion="1.0.102", startTime=_time(at), context=context
    )
    for turn in range(_TURNS):
        prompt = _text(chance, 200)
        yield event("user.message", content=prompt, transformedContent=f"<now/>\n\n{prompt}", attachments=[])
        for call in range(_CALLS):
            name, round_ = f"call_{turn}_{call}", str(turn * _CALLS + call)
            yield event("assistant.turn_start", turnId=round_)
            account = {"sourceSessionId": id, "sequence": int(round_), "usageId": f"{id}-{round_}"}
            usage = {"model": "m", "inputTokens": 900, "outputTokens": 60, "cacheReadTokens": 0, "cacheWriteTokens": 0,
                     "reasoningTokens": 10, "apiCallId": name, "initiator": "user", "accounting": account}  # fmt: skip
            yield event("session.usage_record", usage=usage)
            asked = {
                "toolCallId": name,
                "name": "view",
                "arguments": {"path": f"/home/ada/{call}.py"},
                "type": "function",
            }
            yield event("assistant.message", messageId=_uuid(chance), content=_text(chance, 150), toolRequests=[asked],
                        reasoningText=_text(chance, 150), model="m", apiCallId=name, turnId=round_)  # fmt: skip
            yield event("tool.execution_start", toolCallId=name, toolName="view", arguments=asked["arguments"])
            output = _text(chance, chance.choice((300, 1500, 8000)))
            result = {"content": output, "detailedContent": output}
            yield event("tool.execution_complete", toolCallId=name, success=True, result=result, model="m")
            yield event("assistant.turn_end", turnId=round_)
