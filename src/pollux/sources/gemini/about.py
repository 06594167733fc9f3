"""What Gemini CLI is called elsewhere, and a tool's answer as it wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pollux.model import About, Message, Session, ToolCall


def about(_session: Session) -> About:
    """Gemini CLI records neither its version nor the checkout it works in."""
    return About(program="gemini-cli", harness="gemini_cli", vendor="google", trace="gemini-json", answered=True)


def facts(session: Session) -> Iterator[tuple[str, Any]]:
    """The directories that were added, and how the user signed in."""
    directories = session.extra.get("directories")
    yield from (("directory", one) for one in (directories if isinstance(directories, list) else ()))
    yield "provider", session.extra.get("authType")


def answer(call: ToolCall) -> Any:
    """The recorded `result`: kept where it was unusual, else one response to this very call that holds its output."""
    if "result" in call.extra or call.output is None:
        return call.extra.get("result")
    output = call.extra.get("shown", call.output)
    return [{"functionResponse": {"id": call.id, "name": call.name, "response": {"output": output}}}]


def compacts(message: Message) -> bool:
    """Since 0.18 `/compress` leaves an `info` without words, and an automatic compression one that tells of it.

    A summary stands in the file since 0.44 only.
    """
    if message.extra.get("level") != "info":
        return False
    text = message.text
    return not message.parts or text.startswith("Context compressed from ") or "A compressed context will be" in text
