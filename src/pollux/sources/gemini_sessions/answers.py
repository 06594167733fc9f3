"""A tool's answer as it was written, and what a compression leaves."""

from __future__ import annotations

from typing import Any

from pollux.model import Message, ToolCall


def answer(call: ToolCall) -> Any:
    """The recorded `result`: in `extra` if it was unusual, otherwise one response to this call with its output."""
    if "result" in call.extra or call.output is None:
        return call.extra.get("result")
    output = call.extra.get("shown", call.output)
    return [{"functionResponse": {"id": call.id, "name": call.name, "response": {"output": output}}}]


def compacts(message: Message) -> bool:
    """Since 0.18 `/compress` leaves an empty `info`, and an automatic compression leaves an `info` that says so.

    The summary stands in the file only since 0.44.
    """
    if message.extra.get("level") != "info":
        return False
    text = message.text
    return not message.parts or text.startswith("Context compressed from ") or "A compressed context will be" in text
