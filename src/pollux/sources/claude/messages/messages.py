"""From the lines of a transcript to messages of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import count
from typing import Any, cast

import msgspec

from pollux.model import Author, Message, Origin, Part, Role, SummaryPart, Text, ToolResult
from pollux.sources.claude.format.leftovers import Leftovers, is_plain, others
from pollux.sources.claude.format.outputs import Outputs
from pollux.sources.claude.format.schema import Asked, Block, Line, Put, Reply
from pollux.sources.claude.messages.calls import Calls, answer
from pollux.sources.claude.messages.injected import injected, queued, remark
from pollux.sources.claude.messages.replies import Desk, Pair, reply
from pollux.sources.claude.messages.speakers import author_of, command, texts_of
from pollux.sources.claude.messages.user_parts import own_words, pieces
from pollux.sources.in_time import in_time
from pollux.wire import Notes, tidy

Item = Pair | list[Pair]
"""What one message was made of: a line, or the lines of an API reply."""

_USER, _SYSTEM, _HUMAN, _CLIENT = Role.USER, Role.SYSTEM, Author.HUMAN, Author.CLIENT
_SILENT = Reply()
_fields = msgspec.structs.astuple
# Of a user's message `extra`, role and content are set.
_PLAIN = len(Reply.__struct_fields__) - 3


def first_line(item: Item) -> Line:
    """The line with which a message begins."""
    return item[0][1] if isinstance(item, list) else item[1]


class Builder:
    """Makes messages of one conversation's lines; knows which results wait for which calls.

    `items` stand beside `messages`: what each was made of. `prompts` are the lines the human said, `folds` the numbers
    of messages that tell of a compaction, `ticks` the client's progress records, which become no messages.
    """

    def __init__(self, name: str | None, notes: Notes, outputs: Outputs, children: Mapping[str, str]) -> None:
        self._calls = Calls(outputs, children)
        self._desk = Desk("", Leftovers(name), notes, self._calls)
        self.items: list[Item] = []
        self.messages: list[Message] = []
        self.prompts: list[Line] = []
        self.folds: list[int] = []
        self.ticks: list[Line] = []

    @property
    def facts(self) -> dict[str, Any]:
        """The setting in which the conversation began."""
        return self._desk.left.facts

    def told(self, texts: Iterable[str]) -> None:
        """What stands in the queue: a notice may have come too late to be said."""
        for text in texts:
            self._calls.notified(text)

    def build(self, files: list[tuple[str, list[Pair]]]) -> Builder:
        """Take the lines of all files in. A result may stand in another file than its call: all are gathered first."""
        numbers = count()
        places: list[list[tuple[int, datetime | None]]] = []
        for file, items in [(file, self._grouped(lines)) for file, lines in files]:
            self._desk.file = self._desk.notes.file = file
            places.append([(next(numbers), first_line(item).timestamp) for item in items])
            self.items += items
            self._build(items)
        if sum(map(bool, places)) > 1:  # the session went on in several places
            self.reorder(in_time(places))
        return self

    def reorder(self, order: list[int]) -> None:
        """Put the messages in another order."""
        places = {number: place for place, number in enumerate(order)}
        self.items = [self.items[number] for number in order]
        self.messages = [self.messages[number] for number in order]
        self.folds = sorted(places[number] for number in self.folds)

    def _build(self, items: list[Item]) -> None:
        desk, notes, add = self._desk, self._desk.notes, self.messages.append
        for item in items:
            if isinstance(item, list):
                notes.line = item[0][0]
                add(reply(item, desk))
                continue
            number, line = item
            notes.line = number
            if line.type == "user":
                add(self._result(number, line) or self._user(number, line))
            else:
                add(self._put(number, cast("Put", line)))
        notes.line = None

    def _grouped(self, lines: list[Pair]) -> list[Item]:
        """The lines of one API reply together, at the place of the first; results by their calls."""
        items: list[Item] = []
        groups: dict[str | None, list[Pair]] = {}
        add, calls = items.append, self._calls
        for pair in lines:
            line = pair[1]
            kind, said = line.type, line.message or _SILENT
            content = said.content
            if kind == "assistant":
                name = said.id
                group = groups.get(name)
                if group is not None and _one_request(group[0][1].requestId, line.requestId):
                    group.append(pair)
                else:
                    add(group := [pair])
                    if name is not None:
                        groups[name] = group
                if type(content) is list:
                    calls.heard(content)
            elif kind == "user":
                add(pair)
                if content is not None:
                    calls.answered(line, content)
            elif kind == "progress":
                self.ticks.append(line)
            else:
                add(pair)
                if kind == "attachment":
                    self._notice(cast("Put", line))
        return items

    def _notice(self, line: Put) -> None:
        if line.attachment is not None and line.attachment.type == "queued_command":
            self._calls.notified(texts_of(queued(line.attachment)))

    # ------------------------------------------------------------------ the user's place

    def _result(self, number: int, line: Line) -> Message | None:
        """A record that carries the result of one call and nothing else, as most do."""
        said = line.message or _SILENT
        content = said.content
        if not isinstance(content, list) or len(content) != 1:
            return None
        block = content[0]
        name, held = block.tool_use_id, self._calls.results.get(block.tool_use_id)
        if held is None or held.block is not block or name not in self._calls.asked:
            return None
        if block.content is None or not is_plain(block, 4 if block.is_error is None else 5):
            return None
        if line.requestId is not None or not _plain(said):
            return None
        return Message(
            id=line.uuid or f"line-{number}",
            role=_USER,
            author=_CLIENT,
            at=line.timestamp,
            parts=(ToolResult(call=name),),
            origin=Origin(file=self._desk.file, line=number),
            extra=self._desk.left.of(line),
        )

    def _user(self, number: int, line: Line) -> Message:
        extra = self._desk.left.of(line)
        said = line.message or Reply()
        content = said.content
        role, author = _USER, _CLIENT
        if isinstance(content, list) and any(block.type == "tool_result" for block in content):
            parts = self._results_of(line, content)
        else:
            if line.toolUseResult is not None:
                extra["toolUseResult"] = line.toolUseResult
            text = texts_of(content)
            author = author_of(line, text)
            parts = pieces(content, self._desk.notes)
            if type(line) is Asked and line.isCompactSummary:
                parts = [SummaryPart(text=text), *(part for part in parts if type(part) is not Text)]
                if line.parentUuid is None:
                    self.folds.append(len(self.messages))
            elif author is _HUMAN and (typed := command(text)) is not None:
                parts = [Text(text=typed[0])]
                extra["wrapped"] = text
                role = _SYSTEM if typed[1] else _USER
            elif author is _HUMAN:
                parts = own_words(parts)
        if author is _HUMAN and role is _USER:
            self.prompts.append(line)
        if line.requestId is not None:
            extra["requestId"] = line.requestId
        if not _plain(said):
            _unusual(said, extra)
        return Message(
            id=line.uuid or f"line-{number}",
            role=role,
            author=author,
            at=line.timestamp,
            parts=tuple(parts),
            origin=Origin(file=self._desk.file, line=number),
            extra=extra,
        )

    def _results_of(self, line: Line, content: list[Block]) -> list[Part]:
        """Results stand with their calls; a result without a call keeps its own words."""
        parts: list[Part] = []
        detail = line.toolUseResult
        for block in content:
            if block.type != "tool_result":
                parts += pieces([block], self._desk.notes)
                continue
            name = block.tool_use_id
            extra = others(block, "type", "tool_use_id", "content", "is_error")
            held = self._calls.results.get(name)
            if held is not None and held.block is block and name in self._calls.asked:
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

    def _put(self, number: int, line: Put) -> Message:
        if line.type != "attachment":
            if line.subtype == "compact_boundary":
                self.folds.append(len(self.messages))
            return remark(number, line, self._desk)
        message = injected(number, line, self._desk)
        if message.author is _HUMAN:
            self.prompts.append(line)
        return message


def _one_request(one: str | None, other: str | None) -> bool:
    """May two lines with one API message be of one reply? Where both name their request, it must be the same."""
    return one == other or one is None or other is None


def _plain(said: Reply) -> bool:
    """Does a user's message hold nothing but its content?"""
    return said.role == "user" and _fields(said).count(None) == _PLAIN and not said.extra


def _unusual(said: Reply, extra: dict[str, Any]) -> None:
    """What else stands in a user's message."""
    rest = tidy(said)
    rest.pop("content", None)
    if rest.get("role") == "user":
        del rest["role"]
    rest |= said.extra
    if rest:
        extra["message"] = rest
