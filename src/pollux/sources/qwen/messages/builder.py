"""From records to messages of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from pollux.model import (
    NOTHING,
    Attachment,
    Author,
    Context,
    Fate,
    Kind,
    Message,
    Origin,
    Part,
    Role,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from pollux.sources.gemini_sessions.format.content import (
    answer,
    as_plain,
    attachments,
    is_client_text,
    other_part,
    signature,
    text_of,
)
from pollux.sources.gemini_sessions.format.schema import FunctionCall, Part as Piece
from pollux.sources.qwen.format.schema import Record, Tokens
from pollux.sources.qwen.messages.calls import call_id, pieces_of, results_of_calls, tool_call
from pollux.sources.qwen.messages.prompts import prompt_parts
from pollux.sources.qwen.outputs import Outputs
from pollux.sources.qwen.telemetry import Request, Requests
from pollux.sources.qwen.transcript import Row
from pollux.wire import Notes, coherent, tidy

CLIENT_MADE = ("notification", "cron", "goal_runtime")
TYPED = (None, "mid_turn_user_message", "realtime_message")
_KEPT = ("contextWindowSize", "agentColor", "agentRunId", "agentRound", "goalContext")
_kept = attrgetter(*_KEPT)
_NONE_KEPT = (None,) * len(_KEPT)


class Builder:
    """Makes the messages of a session's records. `side` has the records that are bookkeeping, by their subtype."""

    def __init__(
        self, rows: Sequence[Row], fates: Mapping[int, Fate], kind: Kind, outputs: Outputs, notes: Notes
    ) -> None:
        self._rows = rows
        self._known = {row.record.uuid for row in rows}
        self._fates = fates
        self._kind = kind
        self._outputs = outputs
        self._notes = notes
        self._results = results_of_calls(rows)
        self._joined_results = {id(row) for row in self._results.values()}
        self._typed: str | None = None
        self._task_seen = False
        self.side: dict[str, list[dict[str, Any]]] = {}

    def build(self, requests: Requests) -> list[Message]:
        """All messages, in the order of the records."""
        answers = [
            (n, _key(row.record.usageMetadata)) for n, row in enumerate(self._rows) if row.record.type == "assistant"
        ]
        requests.join(answers)
        messages: list[Message] = []
        notes, others, failures = self._notes, requests.others, requests.failures
        for place, row in enumerate(self._rows):
            notes.file, notes.line = row.file, row.line
            match row.record.type:
                case "user":
                    messages.append(self._user(place, row))
                case "assistant":
                    message = self._assistant(place, row, requests.by_answer.get(place))
                    if self._continues(messages, row):
                        messages[-1] = _joined(messages[-1], message)
                    else:
                        messages.append(message)
                case "tool_result":
                    if id(row) not in self._joined_results:
                        messages.append(self._result(place, row))
                case _:
                    messages += self._system(place, row, others.get(place), failures.get(place))
        notes.line = None
        return messages

    def _message(  # noqa: PLR0913 (every message passes here, once)
        self,
        place: int,
        row: Row,
        role: Role,
        author: Author,
        parts: Iterable[Part],
        *,
        rest: Mapping[str, Any] = NOTHING,
        model: str | None = None,
        usage: Usage | None = None,
    ) -> Message:
        """A message of a record; `rest` is what else belongs to it."""
        record, extra = row.record, self._leftovers(row)
        if rest:
            extra |= rest
        return Message(
            id=record.uuid or f"line-{row.line}",
            role=role,
            author=author,
            at=record.timestamp,
            parts=tuple(parts),
            model=model,
            usage=usage,
            fate=self._fates.get(place, Fate.LIVE),
            inherited=record.forkedFrom is not None,
            origin=Origin(file=row.file, line=row.line),
            extra=extra or NOTHING,
        )

    def _leftovers(self, row: Row) -> dict[str, Any]:
        """What a record has beside its words, where that is unusual or has no other place."""
        record = row.record
        kind, message, parent = record.type or "", record.message, record.parentUuid
        extra: dict[str, Any] = {}
        if (kept := _kept(record)) != _NONE_KEPT:
            extra = {name: value for name, value in zip(_KEPT, kept, strict=True) if value is not None}
        if parent is not None and parent not in self._known:
            extra["parentUuid"] = parent
        if record.subtype is not None:
            extra["subtype"] = record.subtype
        if record.provenance not in _PROVENANCES[kind]:
            extra["provenance"] = record.provenance
        if message is not None and message.role not in (None, "model" if kind == "assistant" else "user"):
            extra["role"] = message.role
        if message is not None and message.extra:
            extra["message"] = message.extra
        if record.forkedFrom is not None:
            extra["forkedFrom"] = tidy(record.forkedFrom)
        if kind != "assistant" and (record.usageMetadata is not None or record.model is not None):
            extra |= _figures(record)
        if record.toolCallResult is not None and kind != "tool_result":
            extra["toolCallResult"] = tidy(record.toolCallResult)
        return {**extra, **record.extra} if record.extra else extra

    def _user(self, place: int, row: Row) -> Message:
        record = row.record
        shown = record.systemPayload.get("displayText") if isinstance(record.systemPayload, dict) else None
        typed = shown if isinstance(shown, str) else self._typed
        self._typed = None
        author = self._author(row)
        if author is Author.HUMAN:
            parts = prompt_parts(pieces_of(row), typed)
        else:
            parts = _words(pieces_of(row))
            if isinstance(shown, str) and shown:
                parts.append(Context(source="display", text=shown))
        payload = _without(record.systemPayload, "displayText")
        return self._message(
            place, row, Role.USER, author, parts, rest={"systemPayload": payload} if payload else NOTHING
        )

    def _author(self, row: Row) -> Author:
        """Whose words a user's record has."""
        record = row.record
        if record.subtype in CLIENT_MADE:
            return Author.CLIENT
        if record.subtype not in TYPED:
            word = record.subtype
            self._notes.add(
                "message.unknown", f"A prompt has the unknown subtype {word!r}.", subject=f"subtype {word!r}"
            )
        if record.subtype == "mid_turn_user_message":
            return Author.HUMAN
        if self._kind is Kind.SUBAGENT and record.subtype is None:
            first, self._task_seen = not self._task_seen, True
            return Author.MODEL if first else Author.CLIENT
        if record.provenance is not None:
            return Author.HUMAN if record.provenance == "real_user" else Author.CLIENT
        text = "".join(map(text_of, pieces_of(row)))
        return Author.CLIENT if is_client_text(text) else Author.HUMAN

    def _assistant(self, place: int, row: Row, request: Request | None) -> Message:
        record = row.record
        parts: list[Part] = []
        for piece in pieces_of(row):
            if type(piece) is not Piece:
                parts += _words([piece])
            elif piece.text is not None and piece.thought:
                parts.append(Thinking(text=piece.text, extra=signature(piece)))
            elif piece.text:
                parts.append(Text(text=piece.text, extra=signature(piece)))
            elif (call := piece.functionCall) is not None:
                parts.append(self._call(call, piece, row))
            else:
                parts.extend(other_part(piece))
        usage = usage_of(record.usageMetadata, self._notes) if record.usageMetadata is not None else None
        if usage is None and request is not None:
            usage = request.usage(self._notes)
        model = record.model or (request.model if request is not None else None)
        rest = {"systemPayload": record.systemPayload} if record.systemPayload else NOTHING
        return self._message(place, row, Role.ASSISTANT, Author.MODEL, parts, rest=rest, model=model, usage=usage)

    def _call(self, request: FunctionCall, piece: Piece, row: Row) -> ToolCall:
        """A call with its result, in full where that has its own file."""
        result = self._results.get(id(request))
        beside = self._leftovers(result) if result is not None else NOTHING
        call = tool_call(request, piece, row.record.timestamp, result, beside=beside, notes=self._notes)
        full = self._outputs.fetch(call.output) if call.output is not None else None
        return call if full is None else replace(call, output=full, extra={**call.extra, "shown": call.output})

    def _continues(self, messages: list[Message], row: Row) -> bool:
        """Is this the second record of a sub-agent's response, with its calls? Only the first has figures."""
        if self._kind is not Kind.SUBAGENT or row.record.usageMetadata is not None or not messages:
            return False
        before = messages[-1]
        is_reply = before.role is Role.ASSISTANT and before.usage is not None and before.id == row.record.parentUuid
        return is_reply and not any(type(part) is ToolCall for part in before.parts)

    def _result(self, place: int, row: Row) -> Message:
        """A result whose call is in no record, or that was written again."""
        parts: list[Part] = []
        outcome = row.record.toolCallResult
        extra = tidy(outcome) if outcome is not None else {}
        for piece in pieces_of(row):
            response = piece.functionResponse if isinstance(piece, Piece) else None
            if response is None:
                parts += _words([piece])
                continue
            files = tuple(attachments(response.parts or ()))
            rest = {**extra, **response.extra}
            parts.append(
                ToolResult(
                    call=response.id, name=response.name, output=answer(response)[0], attachments=files, extra=rest
                )
            )
            extra = {}
        if extra:
            parts.append(ToolResult(call=call_id(row), extra=extra))
        return self._message(place, row, Role.USER, Author.CLIENT, parts)

    def _system(
        self, place: int, row: Row, request: Request | None, failure: Mapping[str, Any] | None
    ) -> list[Message]:
        record = row.record
        payload = record.systemPayload
        if failure is not None:
            words = failure.get("error_message") or failure.get("error")
            parts = [Text(text=words)] if isinstance(words, str) and words else []
            return [self._message(place, row, Role.SYSTEM, Author.CLIENT, parts, rest={"telemetry": payload})]
        if request is not None and (usage := request.usage(self._notes)) is not None:
            return [self._unrecorded(place, row, request, usage)]
        match record.subtype, payload:
            case "slash_command", {"rawCommand": str(command)}:
                return [self._command(place, row, command, payload)]
            case "chat_compression", dict():
                return [self._compression(place, row, payload)]
            case "at_command", {"userText": str(typed)} if payload.get("status") != "error":
                # Where a file could not be read, nothing was sent: the next prompt is another one.
                self._typed = typed
            case _:
                pass
        kept: dict[str, Any] = {"line": row.line, "uuid": record.uuid, **self._leftovers(row)}
        if payload is not None:
            kept["payload"] = payload
        self.side.setdefault(record.subtype or "system", []).append(kept)
        if not (pieces := pieces_of(row)):
            return []
        kept["parts"] = [part if isinstance(part, str) else as_plain(part) for part in pieces]
        # It is a message only if it has words or files.
        said = _words(pieces)
        has_words = any(type(part) in (Text, Attachment) for part in said)
        return [self._message(place, row, Role.SYSTEM, Author.CLIENT, said)] if has_words else []

    def _unrecorded(self, place: int, row: Row, request: Request, usage: Usage) -> Message:
        """A request whose answer is in no record: only the telemetry knows of it."""
        is_answer = request.is_turn and request.text is not None
        parts: list[Part] = []
        if request.text is not None:
            parts.append(
                Text(text=request.text) if is_answer else Context(source=request.helper or "request", text=request.text)
            )
        role, author = (Role.ASSISTANT, Author.MODEL) if is_answer else (Role.SYSTEM, Author.CLIENT)
        rest = {"evidence": "telemetry", "telemetry": row.record.systemPayload}
        return self._message(place, row, role, author, parts, rest=rest, model=request.model, usage=usage)

    def _command(self, place: int, row: Row, command: str, payload: dict[str, Any]) -> Message:
        """A command for the client, or what it answered."""
        if payload.get("phase") == "result":
            items = payload.get("outputHistoryItems")
            words = (
                [t for i in items if isinstance(i, dict) and isinstance(t := i.get("text"), str)]
                if isinstance(items, list)
                else []
            )
            author, parts = Author.CLIENT, [Text(text=text) for text in words if text]
        else:
            author, parts = Author.HUMAN, [Text(text=command)]
        return self._message(place, row, Role.SYSTEM, author, parts, rest={"level": "info", "command": payload})

    def _compression(self, place: int, row: Row, payload: dict[str, Any]) -> Message:
        """The summary that replaced the conversation, with what the model sees besides."""
        history = payload.get("compressedHistory")
        first = history[0] if isinstance(history, list) and history else None
        text = _text_of_turn(first)
        parts = [SummaryPart(text=text)] if text else []
        return self._message(place, row, Role.SYSTEM, Author.CLIENT, parts, rest={"compression": payload})


_PROVENANCES: dict[str, tuple[str | None, ...]] = {
    "user": (None, "real_user", "system"),
    "assistant": (None, "assistant_output"),
    "tool_result": (None, "tool_result"),
    "system": (None, "system"),
}


def _figures(record: Record) -> dict[str, Any]:
    """The model and the figures of a record that is no answer."""
    figures = {} if record.usageMetadata is None else {"usageMetadata": tidy(record.usageMetadata)}
    return figures if record.model is None else {**figures, "model": record.model}


def _key(tokens: Tokens | None) -> tuple[int | None, int | None] | None:
    return (tokens.promptTokenCount, tokens.totalTokenCount) if tokens is not None else None


def usage_of(tokens: Tokens, notes: Notes) -> Usage:
    """The figures in the shared meaning: all that was generated is the total without the prompt."""
    prompt, total, output = tokens.promptTokenCount, tokens.totalTokenCount, tokens.candidatesTokenCount
    if prompt is not None and total is not None and total >= prompt:
        output = total - prompt
    usage = Usage(
        input=prompt,
        cached=tokens.cachedContentTokenCount,
        output=output,
        reasoning=tokens.thoughtsTokenCount,
        requests=1,
        exact=None if prompt is None or output is None else True,
        native=tidy(tokens),
    )
    return coherent(usage, notes)


def _words(items: Iterable[str | Piece]) -> list[Part]:
    parts: list[Part] = []
    for item in items:
        if text := text_of(item):
            parts.append(Text(text=text, extra=signature(item)))
        else:
            parts.extend(other_part(item))
    return parts


def _text_of_turn(turn: Any) -> str:
    match turn:
        case {"parts": list(items)}:
            return "".join(
                text for item in items if isinstance(item, dict) and isinstance(text := item.get("text"), str)
            )
        case _:
            return ""


def _without(payload: Any, *names: str) -> Any:
    """A payload without the values that have their own place; None where nothing is left."""
    if not isinstance(payload, dict):
        return payload
    return {name: value for name, value in payload.items() if name not in names} or None


def _joined(first: Message, second: Message) -> Message:
    """Two records of one response as one message."""
    again = {"id": second.id, "line": second.origin.line if second.origin is not None else None, **second.extra}
    return replace(first, parts=(*first.parts, *second.parts), extra={**first.extra, "continued": again})
