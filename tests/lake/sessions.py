"""Small sessions that grow."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pollux.model import Author, Message, Role, Session, Text, ToolCall, Usage

BEGIN = datetime(2026, 10, 31, 22, tzinfo=UTC)


def session(name: str, messages: int = 2, words: str = "hello", start: datetime = BEGIN) -> Session:
    """A session with so many messages, half of which are requests."""
    return Session(
        agent="claude",
        id=name,
        project="/work/shop",
        title=f"about {words}",
        started=start,
        ended=start + timedelta(minutes=messages),
        messages=tuple(_message(number, words, start) for number in range(messages)),
        exact=True,
    )


def _message(number: int, words: str, start: datetime) -> Message:
    at = start + timedelta(minutes=number)
    if number % 2 == 0:
        return Message(id=f"m{number}", role=Role.USER, author=Author.HUMAN, at=at, parts=(Text(text=words),))
    call = ToolCall(id="c", name="Bash", canonical="shell_exec", tool_kind="execute", input={"command": words})
    return Message(
        id=f"m{number}",
        role=Role.ASSISTANT,
        author=Author.MODEL,
        at=at,
        model="claude-sonnet-4-5",
        parts=(Text(text=f"{words}!"), call),
        usage=Usage(input=100 + number, cached=7, output=10, requests=1, exact=True),
    )
