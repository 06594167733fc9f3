"""A session without a word: who, when, which model, how many tokens; no text, title, path, argument or name.

What may stay is listed here, so that nothing that a session gets later can slip through.
"""

from __future__ import annotations

from msgspec.structs import replace

from pollux.model import NOTHING, Link, Message, Part, Session, Text, ToolCall, Usage

WITHHELD = "…"
"""It stands for words: a message that said something still counts."""

SHARED_TOOLS = frozenset(
    {
        "agent_spawn",
        "apply_patch",
        "batch",
        "file_edit",
        "file_read",
        "file_search",
        "file_write",
        "invalid",
        "lsp",
        "mcp",
        "memory",
        "planning",
        "shell_exec",
        "skill",
        "user_interaction",
        "web_access",
    }
)
"""The names of tools that all agents share. Other names are somebody's own words."""


def figures_only(session: Session) -> Session:
    """The session without a word. Its ids and keys are taken as they are."""
    return Session(
        agent=session.agent,
        id=session.id,
        kind=session.kind,
        parent=session.parent,
        started=session.started,
        ended=session.ended,
        exact=session.exact,
        kept=session.kept,
        links=tuple(Link(kind=link.kind, target=link.target, evidence=WITHHELD) for link in session.links),
        messages=tuple(_message(number, message) for number, message in enumerate(session.messages, 1)),
    )


def _message(number: int, message: Message) -> Message:
    return Message(
        id=str(number),
        role=message.role,
        author=message.author,
        at=message.at,
        model=message.model,
        usage=_usage(message.usage) if message.usage is not None else None,
        fate=message.fate,
        inherited=message.inherited,
        parts=tuple(_parts(message)),
    )


def _parts(message: Message) -> list[Part]:
    said: list[Part] = [Text(text=WITHHELD)] if message.text.strip() else []
    return said + [_call(part) for part in message.parts if isinstance(part, ToolCall)]


def _call(call: ToolCall) -> ToolCall:
    name = call.canonical if call.canonical in SHARED_TOOLS else call.tool_kind
    return ToolCall(
        id=None,
        name=name,
        canonical=name,
        tool_kind=call.tool_kind,
        status=call.status,
        exit_code=call.exit_code,
        at=call.at,
        at_end=call.at_end,
        seconds=call.seconds,
        child=call.child,
    )


def _usage(usage: Usage) -> Usage:
    """The figures; where they stand, and what the vendor wrote besides, is left out."""
    return replace(usage, native=NOTHING, line=None, file=None, row=None, each=tuple(map(_usage, usage.each)))
