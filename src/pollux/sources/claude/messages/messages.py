"""From the lines of a transcript to messages of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any, cast

import msgspec

from pollux.model import Author, Message, Origin, Part, Role, SummaryPart, Text, ToolResult
from pollux.sources.claude.format.envelope import is_unique
from pollux.sources.claude.format.leftovers import Leftovers, is_plain, other_fields
from pollux.sources.claude.format.outputs import Outputs
from pollux.sources.claude.format.schema import ApiMessage, Block, ClientRecord, Line, UserRecord
from pollux.sources.claude.messages.authors import author_of, command, texts_of
from pollux.sources.claude.messages.calls import Calls, answer
from pollux.sources.claude.messages.client_messages import injected, queued, remark
from pollux.sources.claude.messages.replies import BuildContext, Pair, reply
from pollux.sources.claude.messages.user_parts import split_own_words, user_parts
from pollux.sources.order_by_time import order_by_time
from pollux.wire import Notes, tidy

Item = Pair | list[Pair]
"""The source of one message: a line, or the lines of an API reply."""

_USER, _SYSTEM, _HUMAN, _CLIENT = Role.USER, Role.SYSTEM, Author.HUMAN, Author.CLIENT
_SILENT = ApiMessage()
_fields = msgspec.structs.astuple
# A user's message has `extra`, role and content.
_PLAIN = len(ApiMessage.__struct_fields__) - 3


def first_line(item: Item) -> Line:
    """The line with which a message begins."""
    return item[0][1] if isinstance(item, list) else item[1]


class Builder:
    """Makes the messages of one conversation's lines, with results at their calls.

    `items` has the source of each of the `messages`. `prompts` are the lines of the human, `folds` the numbers of
    messages about a compaction, `ticks` the client's progress records, which do not become messages.
    """

    def __init__(self, name: str | None, notes: Notes, outputs: Outputs, children: Mapping[str, str]) -> None:
        self._calls = Calls(outputs, children)
        self._context = BuildContext("", Leftovers(name), notes, self._calls)
        self.items: list[Item] = []
        self.messages: list[Message] = []
        self.prompts: list[Line] = []
        self.folds: list[int] = []
        self.ticks: list[Line] = []
        self._replies: dict[str | None, list[Pair]] = {}

    @property
    def facts(self) -> dict[str, Any]:
        """The setting at the beginning of the conversation."""
        return self._context.leftovers.facts

    def add_queue(self, texts: Iterable[str]) -> None:
        """Add texts of the queue: a notice may have come too late to be sent."""
        for text in texts:
            self._calls.add_notices(text)

    def build(self, files: list[tuple[str, list[Pair]]]) -> Builder:
        """Make the messages of all files.

        A result may be in another file than its call. The lines of a reply may be in several files, if all of these are
        damaged. So all are grouped first.
        """
        groups = [(file, self._group_lines(file, lines)) for file, lines in files]
        for file, items in groups:
            self._context.file = self._context.notes.file = file
            self.items += items
            self._build(items)
        if sum(bool(items) for _, items in groups) > 1:  # the session went on in several files
            numbers = count()
            times = [[(next(numbers), first_line(item).timestamp) for item in items] for _, items in groups]
            self.reorder(order_by_time(times))
        return self

    def reorder(self, order: list[int]) -> None:
        """Put the messages in another order."""
        places = {number: place for place, number in enumerate(order)}
        self.items = [self.items[number] for number in order]
        self.messages = [self.messages[number] for number in order]
        self.folds = sorted(places[number] for number in self.folds)

    def _build(self, items: list[Item]) -> None:
        context, notes, add = self._context, self._context.notes, self.messages.append
        for item in items:
            if isinstance(item, list):
                notes.line = item[0][0]
                add(reply(item, context))
                continue
            number, line = item
            notes.line = number
            if line.type == "user":
                add(self._result(number, line) or self._user(number, line))
            else:
                add(self._client_message(number, cast("ClientRecord", line)))
        notes.line = None

    def _group_lines(self, file: str, lines: list[Pair]) -> list[Item]:
        """Group the lines of each API reply at the place of the first, and note calls and results."""
        items: list[Item] = []
        groups = {name: group for name, group in self._replies.items() if is_unique(name or "")}
        earlier = {id(group) for group in groups.values()}
        add, calls = items.append, self._calls
        for pair in lines:
            line = pair[1]
            kind, message = line.type, line.message or _SILENT
            content = message.content
            if kind == "assistant":
                name = message.id
                group = groups.get(name)
                if group is not None and _may_be_one_request(group[0][1].requestId, line.requestId):
                    group.append(pair)
                    if id(group) in earlier:
                        self._context.other_files[id(line)] = file
                else:
                    add(group := [pair])
                    if name is not None:
                        groups[name] = group
                if type(content) is list:
                    calls.add_reply(content)
            elif kind == "user":
                add(pair)
                if content is not None:
                    calls.add_user_content(line, content)
            elif kind == "progress":
                self.ticks.append(line)
            else:
                add(pair)
                if kind == "attachment":
                    self._notice(cast("ClientRecord", line))
        self._replies = groups
        return items

    def _notice(self, line: ClientRecord) -> None:
        if line.attachment is not None and line.attachment.type == "queued_command":
            self._calls.add_notices(texts_of(queued(line.attachment)))

    # ------------------------------------------------------------------ the user's place

    def _result(self, number: int, line: Line) -> Message | None:
        """The message of a record with the result of one call and nothing else, as most are."""
        message = line.message or _SILENT
        content = message.content
        if not isinstance(content, list) or len(content) != 1:
            return None
        block = content[0]
        name, result = block.tool_use_id, self._calls.results.get(block.tool_use_id)
        if result is None or result.block is not block or name not in self._calls.asked:
            return None
        if block.content is None or not is_plain(block, 4 if block.is_error is None else 5):
            return None
        if line.requestId is not None or not _plain(message):
            return None
        return Message(
            id=line.uuid or f"line-{number}",
            role=_USER,
            author=_CLIENT,
            at=line.timestamp,
            parts=(ToolResult(call=name),),
            origin=Origin(file=self._context.file, line=number),
            extra=self._context.leftovers.of(line),
        )

    def _user(self, number: int, line: Line) -> Message:
        extra = self._context.leftovers.of(line)
        message = line.message or ApiMessage()
        content = message.content
        role, author = _USER, _CLIENT
        if isinstance(content, list) and any(block.type == "tool_result" for block in content):
            parts = self._results_of(line, content)
        else:
            if line.toolUseResult is not None:
                extra["toolUseResult"] = line.toolUseResult
            text = texts_of(content)
            author = author_of(line, text)
            parts = user_parts(content, self._context.notes)
            if type(line) is UserRecord and line.isCompactSummary:
                parts = [SummaryPart(text=text), *(part for part in parts if type(part) is not Text)]
                if line.parentUuid is None:
                    self.folds.append(len(self.messages))
            elif author is _HUMAN and (typed := command(text)) is not None:
                parts = [Text(text=typed[0])]
                extra["wrapped"] = text
                role = _SYSTEM if typed[1] else _USER
            elif author is _HUMAN:
                parts = split_own_words(parts)
        if author is _HUMAN and role is _USER:
            self.prompts.append(line)
        if line.requestId is not None:
            extra["requestId"] = line.requestId
        if not _plain(message):
            _add_other_fields(message, extra)
        return Message(
            id=line.uuid or f"line-{number}",
            role=role,
            author=author,
            at=line.timestamp,
            parts=tuple(parts),
            origin=Origin(file=self._context.file, line=number),
            extra=extra,
        )

    def _results_of(self, line: Line, content: list[Block]) -> list[Part]:
        """References to results at their calls; a result without a call keeps its own words."""
        parts: list[Part] = []
        detail = line.toolUseResult
        for block in content:
            if block.type != "tool_result":
                parts += user_parts([block], self._context.notes)
                continue
            name = block.tool_use_id
            extra = other_fields(block, "type", "tool_use_id", "content", "is_error")
            result = self._calls.results.get(name)
            if result is not None and result.block is block and name in self._calls.asked:
                parts.append(ToolResult(call=name, extra=extra))
            else:
                output, pictures = answer(block.content, extra)
                if detail is not None:
                    extra["result"] = detail
                if block.is_error is not None:
                    extra["is_error"] = block.is_error
                parts.append(ToolResult(call=name, output=output, attachments=pictures, extra=extra))
            detail = None
        return parts

    # ------------------------------------------------------------------ the client

    def _client_message(self, number: int, line: ClientRecord) -> Message:
        if line.type != "attachment":
            if line.subtype == "compact_boundary":
                self.folds.append(len(self.messages))
            return remark(number, line, self._context)
        message = injected(number, line, self._context)
        if message.author is _HUMAN:
            self.prompts.append(line)
        return message


def _may_be_one_request(first: str | None, second: str | None) -> bool:
    """May two lines of one API message be one reply? If both name their request, it must be the same."""
    return first == second or first is None or second is None


def _plain(message: ApiMessage) -> bool:
    """Does a user's message have nothing but its content?"""
    return message.role == "user" and _fields(message).count(None) == _PLAIN and not message.extra


def _add_other_fields(message: ApiMessage, extra: dict[str, Any]) -> None:
    """Add the other fields of a user's message to `extra`."""
    rest = tidy(message)
    rest.pop("content", None)
    if rest.get("role") == "user":
        del rest["role"]
    rest |= message.extra
    if rest:
        extra["message"] = rest
