"""Independent judges of what a writer wrote: published schemas, other people's readers, rules beyond schemas."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from atif import Trajectory
from jsonschema import Draft202012Validator

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
    found = rows(text)
    assert len(found) <= 1
    for row in found:
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


JUDGES: dict[str, Callable[[str], None]] = {"openai": openai, "atif": atif}
