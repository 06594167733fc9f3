"""Small sessions for tests of briefs."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from pollux.library.brief.one_session import About, Material
from pollux.library.brief.told_calls import CallAt, standing_calls
from pollux.library.brief.values import Item, Section
from pollux.model import Author, Fate, Message, Part, Role, Session, Status, Text, ToolCall

KINDS = {
    "shell": ("shell_exec", "execute"),
    "edit": ("file_edit", "edit"),
    "write": ("file_write", "edit"),
    "read": ("file_read", "read"),
    "plan": ("planning", "plan"),
    "agent": ("agent_spawn", "agent"),
    "ask": ("user_interaction", "communicate"),
}


def call(tool: str, given: Any = None, output: str | None = None, status: Status = Status.OK, **more: Any) -> ToolCall:
    """A call of one of the tools above."""
    canonical, kind = KINDS[tool]
    return ToolCall(
        id=None, name=tool, canonical=canonical, tool_kind=kind, input=given, output=output, status=status, **more
    )


def run(command: str, output: str = "", status: Status = Status.OK, **more: Any) -> ToolCall:
    """A command in a shell."""
    return call("shell", {"command": command}, output, status, **more)


def failed(command: str, output: str, exit_code: int | None = 1) -> ToolCall:
    """A command that failed."""
    return run(command, output, Status.ERROR, exit_code=exit_code)


def human(text: str, fate: Fate = Fate.LIVE, *parts: Part) -> Message:
    """A prompt; its id comes later."""
    return Message(id="", role=Role.USER, author=Author.HUMAN, parts=(Text(text=text), *parts), fate=fate)


def model(*parts: Part | str, fate: Fate = Fate.LIVE) -> Message:
    """A reply, of words and calls."""
    told = tuple(Text(text=part) if isinstance(part, str) else part for part in parts)
    return Message(id="", role=Role.ASSISTANT, author=Author.MODEL, parts=told, fate=fate, model="m-1")


def client(*parts: Part, fate: Fate = Fate.LIVE) -> Message:
    """What the client wrote."""
    return Message(id="", role=Role.USER, author=Author.CLIENT, parts=parts, fate=fate)


def session(*messages: Message, **facts: Any) -> Session:
    """A session of these messages, with the ids m0, m1 and so on."""
    named = tuple(replace(message, id=f"m{number}") for number, message in enumerate(messages))
    return Session(**{"agent": "claude", "id": "abcdef12", "project": "/home/ada/code/x", **facts}, messages=named)


def calls_of(*messages: Message) -> list[CallAt]:
    """The calls of a session."""
    return list(standing_calls(session(*messages)))


def material(*messages: Message, **facts: Any) -> Material:
    """All that could be told of a session."""
    return Material(session(*messages, **facts), About(name="claude:abcdef12"))


def items_of(section: Section, *messages: Message, **facts: Any) -> list[Item]:
    """What could be told in a section."""
    return [item for item in material(*messages, **facts).items if item.section is section]


def told(item: Item) -> tuple[str, str, str, str]:
    """The words of an item."""
    return item.what, item.text, item.note, item.detail
