"""A session with nothing but what a brief reads: the rest of a large one need not be redacted, nor held in memory.

Messages and parts keep their places. What became of files is counted first, because that takes whole files.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from pollux.library.brief.output_lines import essential_lines, is_ending
from pollux.library.brief.shell import commits, is_test, shell_command
from pollux.library.brief.told_calls import PATHS, REASON
from pollux.library.brief.values import Unit
from pollux.model import (
    NOTHING,
    Attachment,
    Author,
    Context,
    FileReference,
    Message,
    Part,
    Session,
    Status,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Value,
)
from pollux.writers.attribution.edits import Edit, edits
from pollux.writers.diffs import compared

_REASONS = ("instruction", "description", "explanation")
_LONGEST = 4_000
_LONGEST_ANSWER = 40_000
"""Characters: of a longer output, or answer, only whole lines from its beginning and its end stay."""
_ANSWERS = ("agent", "communicate", "plan")
_COMPARED = 200
"""Lines: larger changes are counted as if every line had changed."""


_EMPTY: dict[type[Part], Part] = {
    Thinking: Thinking(text=""),
    Context: Context(source="", text=""),
    ToolResult: ToolResult(call=None),
    Unknown: Unknown(raw=None),
}
"""Parts of which a brief only counts how many there are."""


class FileEdit(Value, frozen=True, kw_only=True):
    """Lines added to and removed from a file; `whole`: it was written as a whole. None where nobody can tell."""

    added: int | None
    removed: int | None
    whole: bool = False


class SlimSession(Value, frozen=True, kw_only=True):
    """A slim session, and what each successful edit did to the files that it names."""

    session: Session
    edits: Mapping[Unit, tuple[FileEdit, ...]]


def slim(session: Session, whole: Collection[int] = ()) -> SlimSession:
    """The session with only what a brief reads. The messages at the places `whole` keep all their words."""
    counted: dict[Unit, tuple[FileEdit, ...]] = {}
    messages = []
    for place, message in enumerate(session.messages):
        parts = tuple(_slim(part, message, (place, number), counted) for number, part in enumerate(message.parts))
        if place in whole:
            parts = message.parts
        messages.append(replace(message, parts=parts, extra=NOTHING, usage=None))
    head = replace(session, messages=tuple(messages), extra=NOTHING, notices=(), gaps=(), tallies=())
    return SlimSession(session=head, edits=counted)


def _slim(part: Part, message: Message, unit: Unit, counted: dict[Unit, tuple[FileEdit, ...]]) -> Part:
    match part:
        case Text():
            is_read = message.author is not Author.CLIENT or is_ending(part.text)
            return Text(text=part.text if is_read else "")
        case SummaryPart():
            return part
        case ToolCall():
            return _slim_call(part, unit, counted)
        case FileReference():
            return FileReference(path=part.path)
        case Attachment():
            return Attachment(media_type=part.media_type)
        case _:
            return _EMPTY[type(part)]


def _slim_call(call: ToolCall, unit: Unit, counted: dict[Unit, tuple[FileEdit, ...]]) -> ToolCall:
    done = list(edits(call))
    arguments: Any = call.input
    if done:
        paths = tuple(edit.path for edit in done)
        counted[unit] = tuple(_counted(edit) for edit in done)
        arguments = {PATHS: paths, REASON: _reason(call.input)}
    elif call.status is Status.OK and call.tool_kind == "edit":
        arguments = None
    output = _told_output(call) if call.output is not None and _is_read(call) else None
    return replace(call, input=arguments, output=output, attachments=(), extra=NOTHING)


def edited_files(call: ToolCall) -> tuple[list[str], str]:
    """The files that a successful edit of a slim session changed, in the order of its counts, and why."""
    if isinstance(call.input, Mapping) and PATHS in call.input:
        return list(call.input[PATHS]), call.input[REASON]
    return [edit.path for edit in edits(call)], _reason(call.input)


def _reason(arguments: Any) -> str:
    """Why a file was changed, where the call itself says so."""
    found = (arguments.get(name) for name in _REASONS) if isinstance(arguments, Mapping) else ()
    return next((text for text in found if isinstance(text, str)), "")


def _counted(edit: Edit) -> FileEdit:
    if edit.new is None:
        return FileEdit(added=None, removed=None)
    if edit.old is None:
        return FileEdit(added=len(edit.new.splitlines()), removed=None, whole=True)
    old, new = edit.old.split("\n"), edit.new.split("\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    if len(before) + len(after) > _COMPARED:
        return FileEdit(added=len(after), removed=len(before))
    diff = compared(None, "\n".join(before), "\n".join(after)) if before and after else None
    return FileEdit(added=diff.added if diff else len(after), removed=diff.removed if diff else len(before))


def _is_read(call: ToolCall) -> bool:
    """Does a brief read the output of this call?"""
    if call.status in (Status.ERROR, Status.CANCELLED) or call.tool_kind in _ANSWERS:
        return True
    command = shell_command(call)
    return command is not None and (is_test(command) or commits(command))


def _told_output(call: ToolCall) -> str:
    """What a brief reads of an output. Lines stay whole, so that a secret in them is still recognised."""
    output = call.output or ""
    if call.tool_kind in _ANSWERS or call.status is Status.CANCELLED:
        return _whole_lines(output, _LONGEST_ANSWER)
    return essential_lines(_whole_lines(output, _LONGEST), failed=call.status is Status.ERROR)


def _whole_lines(output: str, longest: int) -> str:
    if len(output) <= longest:
        return output
    head, tail = output[: longest // 2], output[-longest // 2 :]
    return f"{head[: head.rfind(chr(10)) + 1]}{tail[tail.find(chr(10)) + 1 :]}"
