"""The parts a message is made of: one closed union, tagged by `type`."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pollux.model.base import NOTHING, Extra, Value


class Status(StrEnum):
    """How a tool call ended."""

    OK = "ok"
    ERROR = "error"
    CANCELLED = "cancelled"
    UNFINISHED = "unfinished"


class Text(Value, frozen=True, kw_only=True, tag="text", tag_field="type"):
    """Words said, usually Markdown."""

    text: str
    extra: Extra = NOTHING


class Thinking(Value, frozen=True, kw_only=True, tag="thinking", tag_field="type"):
    """Reasoning that the model showed."""

    text: str
    subject: str | None = None
    at: datetime | None = None
    extra: Extra = NOTHING


class Attachment(Value, frozen=True, kw_only=True, tag="attachment", tag_field="type"):
    """A picture, a document, any bytes: `data` in base64 where they were recorded, else `uri`."""

    media_type: str
    data: str | None = None
    uri: str | None = None
    extra: Extra = NOTHING


class ToolCall(Value, frozen=True, kw_only=True, tag="tool_call", tag_field="type"):
    """A tool used, joined with its outcome.

    `canonical` is the name that all agents share for this tool, `tool_kind` what it does (read, edit, execute, …),
    `child` the key of the session that the call started, `seconds` how long it took, where the agent recorded that.
    `at` is when the call was made or, with `at_end`, when its outcome was recorded.
    """

    id: str | None
    name: str
    canonical: str
    tool_kind: str
    input: Any = None
    status: Status = Status.UNFINISHED
    output: str | None = None
    exit_code: int | None = None
    at: datetime | None = None
    at_end: bool = False
    seconds: float | None = None
    child: str | None = None
    attachments: tuple[Attachment, ...] = ()
    extra: Extra = NOTHING


class ToolResult(Value, frozen=True, kw_only=True, tag="tool_result", tag_field="type"):
    """A tool's answer that the agent stored as a message of its own; `output` only where no `ToolCall` holds it."""

    call: str | None
    name: str | None = None
    output: str | None = None
    attachments: tuple[Attachment, ...] = ()
    extra: Extra = NOTHING


class FileReference(Value, frozen=True, kw_only=True, tag="file_reference", tag_field="type"):
    """What an `@path` in a prompt was expanded to; never part of the prompt's words."""

    path: str
    text: str | None = None
    attachments: tuple[Attachment, ...] = ()


class Context(Value, frozen=True, kw_only=True, tag="context", tag_field="type"):
    """Text that the client put into somebody else's message: a hook's output, a command's expansion."""

    source: str
    text: str


class Summary(Value, frozen=True, kw_only=True, tag="summary", tag_field="type"):
    """The summary that replaced the conversation so far."""

    text: str


class Unknown(Value, frozen=True, kw_only=True, tag="unknown", tag_field="type"):
    """A part of an unknown kind, kept whole."""

    raw: Any


Part = Text | Thinking | ToolCall | ToolResult | FileReference | Attachment | Context | Summary | Unknown
