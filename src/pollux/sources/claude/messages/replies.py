"""The model's messages: one for each API reply, however many lines hold its blocks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from pollux.model import NOTHING, Author, Message, Origin, Part, Role, Text, Thinking, Unknown, Usage
from pollux.sources.claude.format.figures import more_output, usage_of
from pollux.sources.claude.format.leftovers import Leftovers, is_plain, other_fields
from pollux.sources.claude.format.schema import ApiMessage, AssistantRecord, Block, Line
from pollux.sources.claude.messages.calls import Calls
from pollux.wire import Notes, tidy

Pair = tuple[int, Line]

SYNTHETIC = "<synthetic>"
# Members of an enumeration are slow to look up, so this happens once.
_ASSISTANT, _SYSTEM, _MODEL, _CLIENT = Role.ASSISTANT, Role.SYSTEM, Author.MODEL, Author.CLIENT
_EMPTY_RECORD, _EMPTY_MESSAGE = AssistantRecord(), ApiMessage()


class BuildContext(msgspec.Struct):
    """What is needed to make messages of the lines of a file.

    `other_files` are the files of lines that belong to a reply in an earlier file, by the lines' identities.
    """

    file: str
    leftovers: Leftovers
    notes: Notes
    calls: Calls
    other_files: dict[int, str] = {}


def reply(group: list[Pair], context: BuildContext) -> Message:
    """The message of the lines that share an API message."""
    number, first = group[0]
    message = first.message or _EMPTY_MESSAGE
    name = message.id or first.uuid or f"line-{number}"
    extra = context.leftovers.of(first)
    if first.uuid is not None and first.uuid != name:
        extra["uuid"] = first.uuid
    if first.requestId is not None:
        extra["requestId"] = first.requestId
    if first.toolUseResult is not None:
        extra["toolUseResult"] = first.toolUseResult
    parts: list[Part] = []
    _add_parts(message.content, first.timestamp, parts, context)
    _add_rest(message, extra)
    usage, stop_reason, line, file = message.usage, message.stop_reason, None, None
    if len(group) > 1:
        usage, stop_reason, line, file = _add_lines(group, parts, extra, context)
    record = first if type(first) is AssistantRecord else _EMPTY_RECORD
    role, author, model, figures = _ASSISTANT, _MODEL, message.model, None
    if model == SYNTHETIC or record.isApiErrorMessage:
        author = _CLIENT
        role = _client_reply(message, usage, extra, failed=bool(record.isApiErrorMessage))
        model = None
    elif usage is None:
        figures = Usage(requests=1)
    else:
        figures = usage_of(
            usage, context.notes, exact=stop_reason is not None and not record.isAbortedMidStream, line=line
        )
        if file is not None:
            figures = msgspec.structs.replace(figures, file=file)
    return Message(
        id=name,
        role=role,
        author=author,
        at=first.timestamp,
        parts=tuple(parts),
        model=model,
        usage=figures,
        origin=Origin(file=context.file, line=number),
        extra=extra,
    )


def _add_lines(
    group: list[Pair], parts: list[Part], extra: dict[str, Any], context: BuildContext
) -> tuple[dict[str, Any] | None, str | None, int | None, str | None]:
    """Add the other lines of a reply. Returns the figures that count, the reason for its end, and the figures' place.

    The figures of the line with the most output count: those at the beginning of a stream are placeholders. The place
    is a line, None where it is the first, and a file, None where it is that of the first line.
    """
    first = group[0][1]
    first_message = first.message or _EMPTY_MESSAGE
    usage, stop_reason, usage_line, usage_file = first_message.usage, first_message.stop_reason, None, None
    lines: list[dict[str, Any]] = []
    for number, line in group[1:]:
        message = line.message or _EMPTY_MESSAGE
        more = context.leftovers.of(line)
        more["line"] = number
        if (file := context.other_files.get(id(line))) is not None:
            more["file"] = file
        if line.requestId != first.requestId and line.requestId is not None:
            more["requestId"] = line.requestId
        if line.uuid is not None:
            more["uuid"] = line.uuid
        if line.toolUseResult is not None:
            more["toolUseResult"] = line.toolUseResult
        if not _add_parts(message.content, line.timestamp, parts, context) and line.timestamp is not None:
            more["timestamp"] = line.timestamp
        if message.usage != usage and message.usage is not None:
            before, usage = usage, _larger_usage(message.usage, usage, more)
            better = usage is message.usage
            if before is not None:
                more["usage_line"] = (usage_line or group[0][0]) if better else number
                if (other_file := usage_file if better else file) is not None:
                    more["usage_file"] = other_file
            usage_line, usage_file = (number, file) if better else (usage_line, usage_file)
        if message.model != first_message.model and message.model is not None:
            more["model"] = message.model
        _add_rest(message, more)
        lines.append(more)
        stop_reason = stop_reason or message.stop_reason
    extra["lines"] = lines
    return usage, stop_reason, usage_line, usage_file


def _larger_usage(usage: dict[str, Any], earlier: dict[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    """The figures with the most output. The others are kept with their line."""
    if earlier is None:
        return usage
    better, poorer = (usage, earlier) if more_output(usage, earlier) else (earlier, usage)
    more["usage"] = poorer
    return better


def _client_reply(message: ApiMessage, usage: dict[str, Any] | None, extra: dict[str, Any], *, failed: bool) -> Role:
    """The role of a reply that the client wrote. Its model and figures are made up, and go into `extra`."""
    if usage is not None:
        extra["usage"] = usage
    if message.model is not None:
        extra["model"] = message.model
    if failed:
        extra.setdefault("level", "error")
    return _SYSTEM if failed else _ASSISTANT


def _add_parts(
    content: str | list[Block] | None, at: datetime | None, parts: list[Part], context: BuildContext
) -> bool:
    """Append a line's blocks as parts. Returns whether one of them keeps the line's time."""
    if not isinstance(content, list):
        if content is not None:
            parts.append(Text(text=content))
        return False
    timed = False
    for block in content:
        kind = block.type
        if kind == "text" and block.text is not None:
            parts.append(
                Text(text=block.text, extra=NOTHING if is_plain(block, 3) else other_fields(block, "type", "text"))
            )
        elif kind == "tool_use":
            parts.append(context.calls.tool_call(block, at))
            timed = True
        elif kind == "thinking":
            words, signature = block.thinking, block.signature
            signed = words is not None and signature is not None and is_plain(block, 4)
            rest = {"signature": signature} if signed else other_fields(block, "type", "thinking")
            parts.append(Thinking(text=words or "", at=at, extra=rest))
            timed = True
        else:
            part = _rare_part(block, at, context)
            parts.append(part)
            timed = timed or type(part) is not Unknown
    return timed


def _rare_part(block: Block, at: datetime | None, context: BuildContext) -> Part:
    """A block that few replies have: hidden thinking, a tool that the server ran, an unknown type."""
    if block.type == "redacted_thinking":
        return Thinking(text="", at=at, extra={**other_fields(block, "type"), "redacted": True})
    if block.type == "server_tool_use":
        return context.calls.tool_call(block, at)
    if block.odd is not None:
        return Unknown(raw=block.odd)
    if block.type is None or not block.type.endswith("_tool_result"):
        context.notes.add(
            "part.unknown",
            f"A reply has a part of the unknown type {block.type!r}; kept.",
            subject=f"part type {block.type!r}",
        )
    return Unknown(raw=tidy(block))


def _add_rest(message: ApiMessage, extra: dict[str, Any]) -> None:
    """Add the other fields of an API message to `extra`, unless they have their usual values."""
    if message.stop_reason is not None:
        extra["stop_reason"] = message.stop_reason
    # Checked one by one: this is faster than a loop, and every line of every reply passes here.
    if (
        message.type == "message"
        and message.role == "assistant"
        and message.stop_sequence is None
        and message.stop_details is None
        and message.container is None
        and message.context_management is None
        and message.diagnostics is None
    ):
        if message.extra:
            extra["message"] = message.extra
        return
    rest = tidy(message)
    for name in ("model", "id", "content", "usage", "stop_reason"):
        rest.pop(name, None)
    for name, usual in (("type", "message"), ("role", "assistant")):
        if rest.get(name) == usual:
            del rest[name]
    rest |= message.extra
    if rest:
        extra["message"] = rest
