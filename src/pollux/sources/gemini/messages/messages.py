"""From replayed entries to messages of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import msgspec

from pollux.model import (
    NOTHING,
    Attachment,
    Author,
    Context,
    Kind,
    Message,
    Origin,
    Part,
    Role,
    Status,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from pollux.sources.gemini.format import schema
from pollux.sources.gemini.format.content import (
    TASK,
    answer,
    attachments,
    client_parts,
    is_client_text,
    loose_ends,
    model_parts,
    only_words,
    pieces,
    plain_text,
    stand_in,
    text_of,
)
from pollux.sources.gemini.format.tools import TASKS
from pollux.sources.gemini.messages.calls import asked, outcome, refused, tool_call
from pollux.sources.gemini.messages.outputs import Offloaded
from pollux.sources.gemini.messages.references import fused_parts, is_typed, prompt_parts
from pollux.sources.gemini.replay.entries import Entry, gathered
from pollux.wire import Notes, coherent, tidy

NOTICES = ("info", "warning", "error")
# Looked up once: an enumeration's members are slow to name.
_ASSISTANT, _USER, _SYSTEM = Role.ASSISTANT, Role.USER, Role.SYSTEM
_HUMAN, _MODEL, _CLIENT = Author.HUMAN, Author.MODEL, Author.CLIENT
_SUBAGENT, _CANCELLED = Kind.SUBAGENT, Status.CANCELLED


class Companions(msgspec.Struct):
    """What lies beside a session file: which session a call started, and output too large for the file."""

    child: Callable[[schema.Call], str | None]
    offloaded: Offloaded


class Builder:
    """Makes messages of one file's entries; knows which calls were recorded and which answers wait for one."""

    def __init__(self, file: str, entries: Iterable[Entry], notes: Notes, kind: Kind, around: Companions) -> None:
        self._file = file
        self._entries = gathered(entries)
        self._notes = notes
        self._kind = kind
        self._around = around
        self._task_seen = False
        self._unpaid = False
        self._cancelled = False
        self.spawns = False

    @cached_property
    def _recorded(self) -> dict[str | None, schema.Call]:
        """The finished calls by id."""
        return {call.id: call for entry in self._entries for call in entry.message.toolCalls or ()}

    @cached_property
    def _asked(self) -> set[str | None]:
        """The ids of the calls that stand in contents."""
        return {piece.functionCall.id for piece in self._pieces() if piece.functionCall is not None}

    @cached_property
    def _answers(self) -> dict[str | None, schema.FunctionResponse]:
        """The answers that stand in contents, by the id of their call."""
        answers: dict[str | None, schema.FunctionResponse] = {}
        for piece in self._pieces():
            if piece.functionResponse is not None:
                answers.setdefault(piece.functionResponse.id, piece.functionResponse)
        return answers

    def _pieces(self) -> Iterator[schema.Part]:
        for entry in self._entries:
            for piece in pieces(entry.message.content):
                if not isinstance(piece, str):
                    yield piece

    def build(self) -> list[Message]:
        """All messages, in order."""
        messages = [self._message(entry) for entry in self._entries]
        if self._cancelled:
            messages = refused(messages)
        return _settled(messages) if self._unpaid else messages

    def _message(self, entry: Entry) -> Message:
        message = entry.message
        self._notes.line = entry.line
        kind = message.type
        plain = False
        parts: list[Part]
        usage = None
        if kind == "gemini":
            role, author = _ASSISTANT, _MODEL
            parts = self._turn(message)
            self._cancelled = self._cancelled or _has_cancelled(parts)
            plain = type(message.content) is str
            if message.tokens is not None:
                usage = usage_of(message.tokens, self._notes, spoken=bool(plain_text(message)))
            elif (said := stand_in(message)) is not None:
                author, parts = _CLIENT, said
            else:
                self._unpaid = True
        elif kind == "user":
            words = only_words(message)
            plain = words is not None and not _strays(message)
            role, author, parts = _USER, *self._user(message, words)
        else:
            role, author = _SYSTEM, _CLIENT
            parts = self._once(client_parts(message))
            if kind not in NOTICES:
                self._notes.add(
                    "message.unknown",
                    f"A message has the type {kind!r}, which we do not know.",
                    subject=f"message type {kind!r}",
                )
        return Message(
            id=message.id or "",
            role=role,
            author=author,
            at=message.timestamp,
            parts=tuple(parts),
            model=message.model,
            usage=usage,
            fate=entry.fate,
            inherited=entry.inherited,
            origin=Origin(file=self._file, line=entry.line, item=entry.item),
            extra=NOTHING if plain and not (message.extra or entry.copies or entry.replaced) else self._extra(entry),
        )

    def _extra(self, entry: Entry) -> dict[str, Any]:
        """Whatever was recorded of a message and has no other place."""
        message = entry.message
        spoken = message.type == "gemini" or (message.type == "user" and not _strays(message))
        ends = loose_ends(message, lambda: self._recorded)
        extra = dict(message.extra)
        if not spoken:
            for name in ("thoughts", "tokens", "toolCalls"):
                if (value := getattr(message, name)) not in (None, []):
                    extra[name] = tidy(value)
            if message.type not in ("user", None):
                extra["level" if message.type in NOTICES else "type"] = message.type
        if ends:
            extra["pieces"] = ends
        if entry.copies:
            extra["copies"] = [
                {"id": name, "timestamp": at.isoformat() if at is not None else None, "line": line}
                for (name, at), line in entry.copies.items()
            ]
        if entry.replaced:
            extra["replaced"] = [tidy(old) for old in entry.replaced]
        return extra

    def _turn(self, message: schema.Message) -> list[Part]:
        """A model's turn: thinking and words, then its calls."""
        if type(message.content) is str:
            parts = model_parts(message, ())
        else:
            parts = [self._call_part(part) for part in model_parts(message, self._recorded)]
        around = self._around
        for call in message.toolCalls or ():
            child = around.child(call) if call.agentId is not None else None
            if call.name in TASKS:
                self.spawns = True
            parts.append(tool_call(call, self._notes, child, around.offloaded))
        if message.displayContent is not None:
            shown = "".join(text_of(piece) for piece in pieces(message.displayContent))
            if shown and shown != plain_text(message):
                parts.append(Context(source="display", text=shown))
        return parts

    def _call_part(self, part: Part) -> Part:
        """A `functionCall` in the content becomes a tool call with the answer that stands elsewhere."""
        if type(part) is not Unknown or not isinstance(part.raw, dict) or "functionCall" not in part.raw:
            return part
        rest = {key: value for key, value in part.raw.items() if key != "functionCall"}
        call = (
            msgspec.convert(part.raw["functionCall"], schema.FunctionCall, strict=False)
            if _convertible(part.raw)
            else None
        )
        if call is not None and call.name in TASKS:
            self.spawns = True
        return part if call is None else asked(call, self._answers.get(call.id) if call.id is not None else None, rest)

    def _user(self, message: schema.Message, words: str | None) -> tuple[Author, list[Part]]:
        content = message.content
        for item in pieces(content) if words is None else ():
            if type(item) is schema.Part and item.functionResponse is not None:
                return _CLIENT, self._once([self._result_part(part) for part in client_parts(message)])
        if is_client_text(plain_text(message) if words is None else words):
            fused = fused_parts(message) if words is None and self._kind is not _SUBAGENT else None
            return (_CLIENT, client_parts(message)) if fused is None else (_HUMAN, fused)
        if self._kind is _SUBAGENT:
            first, self._task_seen = not self._task_seen, True
            return (_MODEL if first else _CLIENT), client_parts(message)
        if words is not None and words.startswith(TASK):
            self.spawns = True
        if words and is_typed(words):
            return _HUMAN, [Text(text=words)]
        parts = prompt_parts(message)
        # A picture that a tool read comes back as the user's (0.44+).
        if parts and all(type(part) is Attachment for part in parts):
            known = self._once(parts)
            if all(type(part) is ToolResult for part in known):
                return _CLIENT, known
        return _HUMAN, parts

    def _once(self, parts: list[Part]) -> list[Part]:
        """What a tool read stands with its call; where the client repeats it there is a reference to the call."""
        if not any(type(part) is Attachment for part in parts):
            return parts
        named = {part.call for part in parts if type(part) is ToolResult}
        found: list[Part] = []
        for part in parts:
            if type(part) is not Attachment:
                found.append(part)
                continue
            holders = [result for result, held in self._held if held == part]
            if not holders:
                found.append(part)
            elif named.isdisjoint(result.call for result in holders):
                found.append(holders[0])
                named.add(holders[0].call)
        return found

    @cached_property
    def _held(self) -> list[tuple[ToolResult, Attachment]]:
        """The attachments of calls, each with a reference to its call."""
        found: list[tuple[ToolResult, Attachment]] = []
        for call in self._recorded.values():
            found += ((ToolResult(call=call.id, name=call.name), held) for held in outcome(call.result, call)[2])
        for name in self._asked - self._recorded.keys():
            if (response := self._answers.get(name)) is not None:
                inner = attachments(response.parts or ())
                found += ((ToolResult(call=name, name=response.name), held) for held in inner)
        return found

    def _result_part(self, part: Part) -> Part:
        """A tool's answer that stands with its call is only a reference; one that says more keeps its words."""
        if type(part) is not ToolResult:
            return part
        call = self._recorded.get(part.call)
        if call is not None:
            known, _, held, _ = outcome(call.result, call)
        elif part.call in self._asked and (answered := self._answers.get(part.call)) is not None:
            known, held = answer(answered)[0], tuple(attachments(answered.parts or ()))
        else:
            return part
        output = None if part.output == known else part.output
        files = () if all(file in held for file in part.attachments) else part.attachments
        return ToolResult(call=part.call, name=part.name, output=output, attachments=files, extra=part.extra)


def _settled(messages: list[Message]) -> list[Message]:
    """The messages with their own figures.

    Up to 0.31 calls may be recorded in a message of their own after they ended (those of sub-agents are): the figures
    of the next request went to it, and the answer to that request has none.
    """
    for place, (calls, answered) in enumerate(pairwise(messages)):
        if answered.usage is not None or answered.author is not _MODEL or not answered.text:
            continue
        ends = [part.at for part in calls.parts if type(part) is ToolCall and part.at is not None]
        late = bool(ends) and calls.at is not None and calls.at >= max(ends)
        if late and calls.usage is not None and calls.role is _ASSISTANT and not calls.text:
            messages[place] = msgspec.structs.replace(calls, usage=None)
            messages[place + 1] = msgspec.structs.replace(answered, usage=calls.usage)
    return messages


def usage_of(tokens: schema.Tokens, notes: Notes, *, spoken: bool) -> Usage:
    """The API's figures in the shared meaning: tool-use prompts are input, thoughts are output.

    Where words were spoken and no output is counted the figures are those of a stream that had not ended. Every release
    writes all figures: where one is missing what was used cannot be told exactly.
    """
    given, tool, output, thoughts = tokens.input, tokens.tool, tokens.output, tokens.thoughts
    native: dict[str, Any] = {
        "input": given,
        "output": output,
        "cached": tokens.cached,
        "thoughts": thoughts,
        "tool": tool,
        "total": tokens.total,
    }
    if tokens.extra:
        native.update(tokens.extra)
    if spoken and output == 0 and not thoughts:
        output = None
    usage = Usage(
        input=with_more(given, tool, odd="tool" in tokens.extra),
        cached=tokens.cached,
        output=with_more(output, thoughts, odd="thoughts" in tokens.extra),
        reasoning=thoughts,
        requests=1,
        exact=None if None in (given, tool, output, thoughts, tokens.cached) else True,
        native=native,
    )
    return coherent(usage, notes)


def with_more(figure: int | None, more: int | None, *, odd: bool) -> int | None:
    """A sum of two figures, as far as it is known. Where the second is `odd`, nobody knows how large it was."""
    return None if figure is None or odd else figure + (more or 0)


def _convertible(raw: dict[str, Any]) -> bool:
    call = raw["functionCall"]
    return (
        isinstance(call, dict)
        and isinstance(call.get("id", ""), str)
        and isinstance(call.get("name", ""), str)
        and call.keys() <= {"id", "name", "args"}
    )


def _has_cancelled(parts: list[Part]) -> bool:
    for part in parts:  # noqa: SIM110 (quicker, and every reply comes by)
        if type(part) is ToolCall and part.status is _CANCELLED:
            return True
    return False


def _strays(message: schema.Message) -> bool:
    """Does a user's message hold what only a model's should?"""
    return message.tokens is not None or bool(message.thoughts) or bool(message.toolCalls)
