"""From the lines of a transcript to messages of the model."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import (
    Attachment,
    Author,
    Context,
    FileReference,
    Message,
    Origin,
    Part,
    Role,
    SummaryPart,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.sources.claude.calls import Result, answer, attachment, tool_call
from pollux.sources.claude.leftovers import Leftovers
from pollux.sources.claude.outputs import Outputs
from pollux.sources.claude.replies import Pair, reply
from pollux.sources.claude.schema import INJECTED, SYSTEM, Block, Injected, Line, Rendered, Reply
from pollux.sources.claude.speakers import author_of, command, notified, queued_by_human, texts_of, unwrapped
from pollux.wire import Notes, tidy

Item = Pair | list[Pair]
"""What one message was made of: a line, or the lines of an API reply."""

_USER, _SYSTEM = Role.USER, Role.SYSTEM
_HUMAN, _CLIENT = Author.HUMAN, Author.CLIENT
_fields = msgspec.structs.astuple
_BLOCK = len(Block.__struct_fields__)


class Builder:
    """Makes messages of one conversation's lines; knows which results wait for which calls.

    `items` stand beside `messages`: what each was made of. `ticks` are the client's progress records, which are none.
    """

    def __init__(self, name: str | None, notes: Notes, outputs: Outputs, child: Callable[[str], str | None]) -> None:
        self._notes = notes
        self._outputs = outputs
        self._child = child
        self._left = Leftovers(name)
        self._results: dict[str, Result] = {}
        self._told: dict[str, str] = {}
        self._asked: set[str | None] = set()
        self._file = ""
        self.items: list[Item] = []
        self.messages: list[Message] = []
        self.ticks: list[Line] = []

    @property
    def facts(self) -> dict[str, Any]:
        """The setting in which the conversation began."""
        return self._left.facts

    @property
    def results(self) -> dict[str, Result]:
        """What tools answered, by the id of the call."""
        return self._results

    def build(self, lines: list[Pair], file: str) -> Builder:
        """Take all lines of a file in."""
        self._file = file
        items = self._grouped(lines)
        self.items += items
        add = self.messages.append
        for item in items:
            if type(item) is list:
                add(self._reply(item))
                continue
            number, line = item
            self._notes.line = number
            kind = line.type
            if kind == "user":
                add(self._user(number, line))
            elif kind == "attachment":
                add(self._injected(number, line))
            else:
                add(self._remark(number, line))
        self._notes.line = None
        return self

    def _grouped(self, lines: list[Pair]) -> list[Item]:
        """The lines of one API reply together, at the place of the first; results by their calls."""
        items: list[Item] = []
        groups: dict[str, list[Pair]] = {}
        for pair in lines:
            line = pair[1]
            kind, said = line.type, line.message
            if kind == "assistant":
                name = said.id if said is not None else None
                group = groups.get(name) if name is not None else None
                if group is not None and _one_request(group[0][1], line):
                    group.append(pair)
                else:
                    group = [pair]
                    items.append(group)
                    if name is not None:
                        groups[name] = group
                for block in said.content if said is not None and type(said.content) is list else ():
                    if block.tool_use_id is not None:
                        self._results.setdefault(block.tool_use_id, Result(block, line, None))
                    elif block.id is not None:
                        self._asked.add(block.id)
            elif kind == "progress":
                self.ticks.append(line)
            else:
                items.append(pair)
                if kind == "user" and said is not None:
                    self._answers(line, said)
        return items

    def _answers(self, line: Line, said: Reply) -> None:
        """Remember results, and what a notice says about a task in the background."""
        content = said.content
        if type(content) is list:
            detail = line.toolUseResult
            for block in content:
                if block.type == "tool_result" and block.tool_use_id is not None:
                    self._results.setdefault(block.tool_use_id, Result(block, line, detail))
                    detail = None
        elif type(content) is str and (told := notified(content)):
            self.notified(told)

    def notified(self, told: dict[str, str]) -> None:
        """A task in the background has ended."""
        if "tool-use-id" in told and "result" in told:
            self._told.setdefault(told["tool-use-id"], told["result"])

    # ------------------------------------------------------------------ the model

    def _reply(self, group: list[Pair]) -> Message:
        number, first = group[0]
        self._notes.line = number
        name = (first.message.id if first.message is not None else None) or first.uuid or f"line-{number}"
        return reply(group, self._file, name, self._left, self._call, self._notes)

    def _call(self, block: Block, at: datetime | None) -> ToolCall:
        name = block.id
        if name is None:
            return tool_call(block, at, None, self._outputs, None, None)
        return tool_call(block, at, self._results.get(name), self._outputs, self._child(name), self._told.get(name))

    # ------------------------------------------------------------------ the user's place

    def _user(self, number: int, line: Line) -> Message:
        extra = self._left.of(line)
        said = line.message or Reply()
        content = said.content
        parts: list[Part] = []
        role, author = _USER, _CLIENT
        if line.requestId is not None:
            extra["requestId"] = line.requestId
        if type(content) is list and any(block.type == "tool_result" for block in content):
            self._result_parts(line, content, parts)
        else:
            if line.toolUseResult is not None:
                extra["toolUseResult"] = line.toolUseResult
            text = texts_of(content)
            author = author_of(line, text)
            if line.isCompactSummary:
                parts = [SummaryPart(text=text)]
                parts += [part for part in self._pieces(content) if type(part) is not Text]
            elif author is _HUMAN and (typed := command(text)) is not None:
                parts = [Text(text=typed[0])]
                extra["wrapped"] = text
                role = _SYSTEM if typed[1] else _USER
            elif author is _HUMAN:
                parts = _own_words(self._pieces(content))
            else:
                parts = self._pieces(content)
        if said.role != "user" or _fields(said).count(None) != _PLAIN_SAID or said.extra:
            _unusual(said, extra)
        return Message(
            id=line.uuid or f"line-{number}",
            role=role,
            author=author,
            at=line.timestamp,
            parts=tuple(parts),
            origin=Origin(file=self._file, line=number),
            extra=extra,
        )

    def _result_parts(self, line: Line, content: list[Block], parts: list[Part]) -> None:
        """Results stand with their calls; a result without a call keeps its own words."""
        detail = line.toolUseResult
        for block in content:
            if block.type != "tool_result":
                parts += self._pieces([block])
                continue
            name = block.tool_use_id
            held = self._results.get(name) if name is not None else None
            extra: dict[str, Any] = {}
            absent = (block.is_error is None) + (block.content is None) + (name is None)
            if _fields(block).count(None) != _RESULT + absent or block.extra:
                extra = _fields_but(block, "type", "tool_use_id", "content", "is_error") | block.extra
            if held is not None and held.block is block and name in self._asked:
                parts.append(ToolResult(call=name, extra=extra))
            else:
                output, pictures = answer(block.content, extra)
                if detail is not None:
                    extra["result"] = detail
                if block.is_error is not None:
                    extra["is_error"] = block.is_error
                parts.append(ToolResult(call=name, output=output, attachments=pictures, extra=extra))
            detail = None
        if detail is not None and not parts:
            parts.append(Unknown(raw=detail))

    def _pieces(self, content: str | list[Block] | None) -> list[Part]:
        """The parts of a content that holds no results."""
        if type(content) is str:
            return [Text(text=content)]
        parts: list[Part] = []
        for block in content or ():
            assert type(block) is Block  # noqa: S101 (the other kind of content is above)
            if block.odd is not None:
                parts.append(Unknown(raw=block.odd))
            elif block.type == "text" and block.text is not None:
                plain = _fields(block).count(None) == _BLOCK - 3 and not block.extra
                parts.append(
                    Text(text=block.text) if plain else Text(text=block.text, extra=_fields_but(block, "type", "text"))
                )
            elif block.type in ("image", "document") and block.source and (held := attachment(tidy(block.source))):
                parts.append(_with(held, _fields_but(block, "type", "source")))
            else:
                parts.append(Unknown(raw=tidy(block)))
                if block.type not in ("image", "document", "text", "tool_result", "thinking", "tool_reference"):
                    self._notes.add(
                        "part.unknown",
                        f"A prompt has a part of type {block.type!r}, which we do not know; kept.",
                        subject=f"part type {block.type!r}",
                    )
        return parts

    # ------------------------------------------------------------------ the client

    def _injected(self, number: int, line: Line) -> Message:
        """What the client put between: context, a file, a hook's output; and prompts typed while the agent was busy."""
        extra = self._left.of(line)
        held = line.attachment or Injected()
        role, author, at = _USER, _CLIENT, line.timestamp
        parts: list[Part] = []
        if held.type == "queued_command":
            content = _blocks(held.prompt)
            text = texts_of(content)
            if told := notified(text):
                self.notified(told)
            if not line.isSidechain and queued_by_human(held, text):
                author, parts = _HUMAN, _own_words(self._pieces(content))
                if (typed := command(text)) is not None:
                    parts, extra["wrapped"] = [Text(text=typed[0])], text
            else:
                parts = self._pieces(content)
            if content is not None:
                held.prompt = None
        elif held.type == "file" and held.filename is not None:
            parts = [_reference(held)]
        elif held.type is None or held.type not in INJECTED:
            self._notes.add(
                "attachment.unknown",
                f"The client injected something of type {held.type!r}, which we do not know; kept.",
                subject=f"attachment type {held.type!r}",
            )
        words, odd = _rendered(line.rendered, held)
        if words:
            parts.append(Context(source=held.hookEvent or held.type or "attachment", text=words))
        if odd:
            extra["rendered"] = [*odd, *extra.get("rendered", ())]
        rest = tidy(held)
        if rest:
            extra["attachment"] = rest
        if line.message is not None:
            extra["message"] = tidy(line.message)
        if line.toolUseResult is not None:
            extra["toolUseResult"] = line.toolUseResult
        return Message(
            id=line.uuid or f"line-{number}",
            role=role,
            author=author,
            at=at,
            parts=tuple(parts),
            origin=Origin(file=self._file, line=number),
            extra=extra,
        )

    def _remark(self, number: int, line: Line) -> Message:
        """A line of the user interface: a command for the client and its output, a retry, a fold."""
        extra = self._left.of(line)
        author = _CLIENT
        parts: list[Part] = []
        text = extra.pop("content", None)
        if type(text) is str:
            typed = command(text) if line.subtype == "local_command" else None
            if typed is not None:
                author, parts = _HUMAN, [Text(text=typed[0])]
                extra["wrapped"] = text
                extra.pop("level", None)
            else:
                parts = [Text(text=text)]
        elif text is not None:
            extra["content"] = text
        if line.subtype is not None and line.subtype not in SYSTEM:
            self._notes.add(
                "remark.unknown",
                f"The client remarks something of type {line.subtype!r}, which we do not know; kept.",
                subject=f"system type {line.subtype!r}",
            )
        if line.message is not None:
            extra["message"] = tidy(line.message)
        if line.toolUseResult is not None:
            extra["toolUseResult"] = line.toolUseResult
        if line.requestId is not None:
            extra["requestId"] = line.requestId
        return Message(
            id=line.uuid or f"line-{number}",
            role=_SYSTEM,
            author=author,
            at=line.timestamp,
            parts=tuple(parts),
            origin=Origin(file=self._file, line=number),
            extra=extra,
        )


# Of a user's message `extra`, role and content are set; of a result `extra`, type, tool_use_id and content.
_PLAIN_SAID = len(Reply.__struct_fields__) - 3
_RESULT = _BLOCK - 5


def _one_request(first: Line, line: Line) -> bool:
    """May two lines with one API message be of one reply? Where both name their request, it must be the same."""
    return first.requestId is None or line.requestId is None or first.requestId == line.requestId


def _unusual(said: Reply, extra: dict[str, Any]) -> None:
    """What else stands in a user's message."""
    rest = tidy(said)
    rest.pop("content", None)
    if rest.get("role") == "user":
        del rest["role"]
    rest |= said.extra
    if rest:
        extra["message"] = rest


def _own_words(pieces: list[Part]) -> list[Part]:
    """The human's words apart from what the client put before them."""
    parts: list[Part] = []
    for piece in pieces:
        if type(piece) is Text and piece.text[:1] in "< \n\t":
            blocks, text = unwrapped(piece.text)
            parts += [Context(source="reminder", text=block) for block in blocks]
            if text or not blocks:
                parts.append(Text(text=text, extra=piece.extra) if blocks else piece)
        else:
            parts.append(piece)
    return parts


def _fields_but(block: Block, *taken: str) -> dict[str, Any]:
    rest: dict[str, Any] = tidy(block)
    for name in taken:
        if name not in block.extra:
            rest.pop(name, None)
    return rest


def _with(held: Attachment, extra: dict[str, Any]) -> Attachment:
    return msgspec.structs.replace(held, extra={**held.extra, **extra}) if extra else held


def _blocks(prompt: Any) -> str | list[Block] | None:
    """A queued prompt as content: text, or a list of blocks; None where it is neither."""
    if type(prompt) is str:
        return prompt
    try:
        return msgspec.convert(prompt, list[Block]) if type(prompt) is list else None
    except msgspec.ValidationError:
        return None


def _reference(held: Injected) -> FileReference:
    """A file that a prompt mentions by `@path`, and what was in it."""
    match held.content:
        case {"type": "text", "file": {"content": str(text)}}:
            held.content["file"].pop("content")
            return FileReference(path=held.filename or "", text=text)
        case _:
            return FileReference(path=held.filename or "")


def _rendered(rendered: list[Rendered] | None, held: Injected) -> tuple[str | None, list[Any]]:
    """The exact text the model was given, where it was kept, else what the record holds of it; and what is odd."""
    texts = [item.content for item in rendered or () if item.content is not None]
    odd = [item.odd if item.odd is not None else dict(item.extra) for item in rendered or () if item.extra or item.odd]
    if not texts and held.type != "file":
        if type(held.content) is str:
            texts, held.content = [held.content], None
        elif type(held.content) is list and all(type(item) is str for item in held.content):
            texts, held.content = held.content, None
    return ("\n".join(texts) or None), odd
