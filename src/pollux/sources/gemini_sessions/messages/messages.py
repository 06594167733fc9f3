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
from pollux.sources.gemini_sessions.format import schema
from pollux.sources.gemini_sessions.format.content import (
    TASK,
    answer,
    attachments,
    client_parts,
    is_client_text,
    leftover_pieces,
    model_parts,
    only_words,
    pieces,
    plain_text,
    stand_in_parts,
    text_of,
)
from pollux.sources.gemini_sessions.format.tools import TASKS
from pollux.sources.gemini_sessions.messages.calls import outcome, settle_refused, tool_call, unrecorded_call
from pollux.sources.gemini_sessions.messages.outputs import Offloaded
from pollux.sources.gemini_sessions.messages.references import fused_parts, is_typed, prompt_parts
from pollux.sources.gemini_sessions.replay.entries import Entry, gather_calls
from pollux.system.decoders import learned
from pollux.wire import Notes, coherent, tidy

NOTICES = ("info", "warning", "error")
# Members of an enumeration are slow to look up, so this happens once.
_ASSISTANT, _USER, _SYSTEM = Role.ASSISTANT, Role.USER, Role.SYSTEM
_HUMAN, _MODEL, _CLIENT = Author.HUMAN, Author.MODEL, Author.CLIENT
_SUBAGENT, _CANCELLED = Kind.SUBAGENT, Status.CANCELLED


class Companions(msgspec.Struct):
    """What a session file refers to: the session that a call started, and large outputs in other files."""

    child: Callable[[schema.Call], str | None]
    offloaded: Offloaded


class Builder:
    """Makes the messages of one file's entries. It knows the recorded calls and the answers in contents."""

    def __init__(self, file: str, entries: Iterable[Entry], notes: Notes, kind: Kind, companions: Companions) -> None:
        self._file = file
        self._entries = gather_calls(entries)
        self._notes = notes
        self._kind = kind
        self._companions = companions
        self._task_seen = False
        self._has_reply_without_usage = False
        self._cancelled = False
        self.spawns = False

    @cached_property
    def _recorded(self) -> dict[str | None, schema.Call]:
        """The finished calls by id."""
        return {call.id: call for entry in self._entries for call in entry.message.toolCalls or ()}

    @cached_property
    def _content_calls(self) -> set[str | None]:
        """The ids of the calls in contents."""
        return {piece.functionCall.id for piece in self._pieces() if piece.functionCall is not None}

    @cached_property
    def _answers(self) -> dict[str | None, schema.FunctionResponse]:
        """The answers in contents, by the id of their call."""
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
            messages = settle_refused(messages)
        return _move_usage(messages) if self._has_reply_without_usage else messages

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
            plain = type(message.content) is str
            if message.tokens is not None:
                has_words = message.tokens.output == 0 and bool(plain_text(message))
                usage = usage_of(message.tokens, self._notes, has_words=has_words)
            elif (stand_in := stand_in_parts(message)) is not None:
                author, parts = _CLIENT, stand_in
            else:
                self._has_reply_without_usage = True
        elif kind == "user":
            words = only_words(message)
            plain = words is not None and not _has_model_fields(message)
            role, author, parts = _USER, *self._user(message, words)
        else:
            role, author = _SYSTEM, _CLIENT
            parts = self._without_repeats(client_parts(message))
            if kind not in NOTICES:
                self._notes.add(
                    "message.unknown",
                    f"A message has the unknown type {kind!r}.",
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
        """What was recorded of a message and has no other place."""
        message = entry.message
        usual = message.type == "gemini" or (message.type == "user" and not _has_model_fields(message))
        leftovers = leftover_pieces(message, lambda: self._recorded)
        extra = dict(message.extra)
        if not usual:
            for name in ("thoughts", "tokens", "toolCalls"):
                if (value := getattr(message, name)) not in (None, []):
                    extra[name] = tidy(value)
            if message.type not in ("user", None):
                extra["level" if message.type in NOTICES else "type"] = message.type
        if leftovers:
            extra["pieces"] = leftovers
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
        companions = self._companions
        for call in message.toolCalls or ():
            child = companions.child(call) if call.agentId is not None else None
            if call.name in TASKS:
                self.spawns = True
            part = tool_call(call, self._notes, child, companions.offloaded)
            if part.status is _CANCELLED:
                self._cancelled = True
            parts.append(part)
        if message.displayContent is not None:
            shown = "".join(text_of(piece) for piece in pieces(message.displayContent))
            if shown and shown != plain_text(message):
                parts.append(Context(source="display", text=shown))
        return parts

    def _call_part(self, part: Part) -> Part:
        """A `functionCall` in the content becomes a tool call with its answer from elsewhere."""
        if type(part) is not Unknown or not isinstance(part.raw, dict) or "functionCall" not in part.raw:
            return part
        rest = {key: value for key, value in part.raw.items() if key != "functionCall"}
        call = (
            msgspec.convert(part.raw["functionCall"], learned(schema.FunctionCall), strict=False)
            if _convertible(part.raw)
            else None
        )
        if call is not None and call.name in TASKS:
            self.spawns = True
        if call is None:
            return part
        tool = unrecorded_call(call, self._answers.get(call.id) if call.id is not None else None, rest)
        if tool.status is _CANCELLED:
            self._cancelled = True
        return tool

    def _user(self, message: schema.Message, words: str | None) -> tuple[Author, list[Part]]:
        content = message.content
        for item in pieces(content) if words is None else ():
            if type(item) is schema.Part and item.functionResponse is not None:
                return _CLIENT, self._without_repeats([self._result_part(part) for part in client_parts(message)])
        if is_client_text(plain_text(message) if words is None else words):
            prompt = fused_parts(message) if words is None and self._kind is not _SUBAGENT else None
            return (_CLIENT, client_parts(message)) if prompt is None else (_HUMAN, prompt)
        if self._kind is _SUBAGENT:
            first, self._task_seen = not self._task_seen, True
            return (_MODEL if first else _CLIENT), client_parts(message)
        if words is not None and words.startswith(TASK):
            self.spawns = True
        if words and is_typed(words):
            return _HUMAN, [Text(text=words)]
        parts = prompt_parts(message)
        # A picture that a tool read is stored again as the user's (0.44+).
        if parts and all(type(part) is Attachment for part in parts):
            known = self._without_repeats(parts)
            if all(type(part) is ToolResult for part in known):
                return _CLIENT, known
        return _HUMAN, parts

    def _without_repeats(self, parts: list[Part]) -> list[Part]:
        """The parts with a reference to the call in place of an attachment that the client repeats."""
        if not any(type(part) is Attachment for part in parts):
            return parts
        references = {part.call for part in parts if type(part) is ToolResult}
        unique: list[Part] = []
        for part in parts:
            if type(part) is not Attachment:
                unique.append(part)
                continue
            results = [result for result, file in self._call_attachments if file == part]
            if not results:
                unique.append(part)
            elif references.isdisjoint(result.call for result in results):
                unique.append(results[0])
                references.add(results[0].call)
        return unique

    @cached_property
    def _call_attachments(self) -> list[tuple[ToolResult, Attachment]]:
        """The attachments of calls, each with a reference to its call."""
        pairs: list[tuple[ToolResult, Attachment]] = []
        for call in self._recorded.values():
            pairs += ((ToolResult(call=call.id, name=call.name), file) for file in outcome(call.result, call)[2])
        for name in self._content_calls - self._recorded.keys():
            if (response := self._answers.get(name)) is not None:
                inner = attachments(response.parts or ())
                pairs += ((ToolResult(call=name, name=response.name), file) for file in inner)
        return pairs

    def _result_part(self, part: Part) -> Part:
        """A reference to a tool's answer that stands with its call; an answer that differs keeps its words."""
        if type(part) is not ToolResult:
            return part
        call = self._recorded.get(part.call)
        if call is not None:
            known_output, _, known_files, _ = outcome(call.result, call)
        elif part.call in self._content_calls and (response := self._answers.get(part.call)) is not None:
            known_output, known_files = answer(response)[0], tuple(attachments(response.parts or ()))
        else:
            return part
        output = None if part.output == known_output else part.output
        files = () if all(file in known_files for file in part.attachments) else part.attachments
        return ToolResult(call=part.call, name=part.name, output=output, attachments=files, extra=part.extra)


def _move_usage(messages: list[Message]) -> list[Message]:
    """The messages, each with its own figures.

    Up to 0.31 calls may have their own message, written after they ended (as those of sub-agents): that message has the
    figures of the next request, and the answer to that request has none.
    """
    for place, (calls, reply) in enumerate(pairwise(messages)):
        if reply.usage is not None or reply.author is not _MODEL or not reply.text:
            continue
        ends = [part.at for part in calls.parts if type(part) is ToolCall and part.at is not None]
        written_late = bool(ends) and calls.at is not None and calls.at >= max(ends)
        if written_late and calls.usage is not None and calls.role is _ASSISTANT and not calls.text:
            messages[place] = msgspec.structs.replace(calls, usage=None)
            messages[place + 1] = msgspec.structs.replace(reply, usage=calls.usage)
    return messages


def usage_of(tokens: schema.Tokens, notes: Notes, *, has_words: bool) -> Usage:
    """The API's figures in the shared meaning: tool-use prompts are input, thoughts are output.

    If there are words but no output is counted, the figures are from a stream that had not ended. Every release writes
    all figures, so the usage is not exact if one is missing.
    """
    prompt, tool, output, thoughts = tokens.input, tokens.tool, tokens.output, tokens.thoughts
    cached, extra = tokens.cached, tokens.extra
    native: dict[str, Any] = {
        "input": prompt,
        "output": output,
        "cached": cached,
        "thoughts": thoughts,
        "tool": tool,
        "total": tokens.total,
    }
    if extra:
        native.update(extra)
    if has_words and output == 0 and not thoughts:
        output = None
    # Not `None in (…)`, which compares numbers with None.
    is_partial = prompt is None or tool is None or output is None or thoughts is None or cached is None
    usage = Usage(
        input=None if prompt is None or "tool" in extra else prompt + (tool or 0),
        cached=cached,
        output=None if output is None or "thoughts" in extra else output + (thoughts or 0),
        reasoning=thoughts,
        requests=1,
        exact=None if is_partial else True,
        native=native,
    )
    return coherent(usage, notes)


def _convertible(raw: dict[str, Any]) -> bool:
    call = raw["functionCall"]
    return (
        isinstance(call, dict)
        and isinstance(call.get("id", ""), str)
        and isinstance(call.get("name", ""), str)
        and call.keys() <= {"id", "name", "args"}
    )


def _has_model_fields(message: schema.Message) -> bool:
    """Does a user's message have fields of a model's message?"""
    return message.tokens is not None or bool(message.thoughts) or bool(message.toolCalls)
