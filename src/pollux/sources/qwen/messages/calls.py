"""Tool calls, each joined with its result by its id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any

from msgspec import to_builtins

from pollux.model import Attachment, Status, ToolCall
from pollux.sources.gemini_sessions.format.content import answer, as_plain, attachments, signature, text_of
from pollux.sources.gemini_sessions.format.schema import FunctionCall, FunctionResponse, Part as Piece
from pollux.sources.gemini_sessions.messages.calls import SHELL, exit_code_of
from pollux.sources.qwen.format.schema import Outcome
from pollux.sources.qwen.format.tools import canonical
from pollux.sources.qwen.transcript import Row
from pollux.wire import Notes, seconds

_STATUSES = {"success": Status.OK, "error": Status.ERROR, "cancelled": Status.CANCELLED}
_DETAILS = ("executionStatus", "error", "errorType", "responseParts", "outputFile", "contentLength")
_details_of = attrgetter(*_DETAILS)
_NO_DETAILS = (None,) * len(_DETAILS)
_NO_OUTCOME = Outcome()


def call_id(row: Row) -> str | None:
    """The id of the call that a result answers."""
    outcome, response = row.record.toolCallResult, _response(row)
    return (response.id if response is not None else None) or (outcome.callId if outcome is not None else None)


def _response(row: Row) -> FunctionResponse | None:
    for piece in pieces_of(row):
        if type(piece) is Piece and piece.functionResponse is not None:
            return piece.functionResponse
    return None


def _holds(piece: str | Piece, response: FunctionResponse | None) -> bool:
    return isinstance(piece, Piece) and response is not None and piece.functionResponse is response


def pieces_of(row: Row) -> list[str | Piece]:
    """The parts of a record's message."""
    message = row.record.message
    return (message.parts or []) if message is not None else []


def results_of_calls(rows: Iterable[Row]) -> dict[int, Row]:
    """The result of each call, by the identity of the call. Where an id was used again, a result is the last call's.

    Of several results of a call the last one counts.
    """
    asked: dict[str, FunctionCall] = {}
    early: dict[str, Row] = {}
    results: dict[int, Row] = {}
    for row in rows:
        kind = row.record.type
        if kind == "tool_result" and (name := call_id(row)) is not None:
            if name in asked:
                results[id(asked[name])] = row
            else:
                early[name] = row
        for piece in pieces_of(row) if kind == "assistant" else ():
            if type(piece) is Piece and (call := piece.functionCall) is not None and call.id is not None:
                if call.id in early:
                    results[id(call)] = early.pop(call.id)
                asked[call.id] = call
    return results


def tool_call(  # noqa: PLR0913 (every call passes here)
    call: FunctionCall,
    piece: Piece,
    at: datetime | None,
    result: Row | None,
    *,
    beside: Mapping[str, Any],
    notes: Notes,
) -> ToolCall:
    """A call with its result, and what else that record says `beside` it; without a result it is unfinished."""
    name = call.name or "?"
    shared, kind = canonical(name)
    extra: Mapping[str, Any] = call.extra
    if rest := signature(piece):
        extra = {**extra, **rest}
    if result is None:
        return ToolCall(id=call.id, name=name, canonical=shared, tool_kind=kind, input=call.args, at=at, extra=extra)
    outcome, response = result.record.toolCallResult or _NO_OUTCOME, _response(result)
    output, failed = answer(response) if response is not None else (None, False)
    pieces = pieces_of(result)
    inner = response.parts if response is not None else None
    others: list[str | Piece] = []
    files: Iterable[Attachment] = ()
    if len(pieces) > 1 or response is None or inner:
        others = [p for p in pieces if not _holds(p, response)]
        texts = [text for p in (*others, *(inner or ())) if (text := text_of(p))]
        if texts:
            output = "\n".join([*([output] if output is not None else []), *texts])
        files = attachments([*others, *(inner or ())])
    display = outcome.resultDisplay
    exit_code = None
    if name == SHELL and output is not None:
        exit_code, killed = exit_code_of(output)
        if exit_code is None and type(display) is dict and type(code := display.get("exitCode")) is int:
            exit_code = code
        failed = failed or killed or bool(exit_code)
    status = _status(outcome.status, result, notes, failed=failed)
    details = _details(outcome, response, result, pieces, status)
    extra = {**extra, **details} if extra else details
    if response is not None and response.name not in (None, call.name):
        extra["response_name"] = response.name
    if beside:
        extra |= beside
    return ToolCall(
        id=call.id,
        name=name,
        canonical=shared,
        tool_kind=kind,
        input=call.args,
        status=status,
        output=output,
        exit_code=exit_code,
        at=at,
        seconds=seconds(outcome.durationMs, 1000),
        attachments=tuple(files),
        extra=extra,
    )


def _odd_pieces(pieces: Iterable[str | Piece], response: FunctionResponse | None) -> list[Any]:
    """What is unusual about a result: what stands beside its answer, and pieces that are neither words nor files."""
    odd: list[Any] = []
    for piece in pieces:
        if _holds(piece, response):
            if rest := signature(piece):
                odd.append(rest)
        elif isinstance(piece, Piece) and (piece.extra or not (piece.text or piece.inlineData)):
            odd.append(as_plain(piece))
    return odd


def _status(word: str | None, result: Row, notes: Notes, *, failed: bool) -> Status:
    """Sub-agents' results have no status: an error in the answer tells."""
    status = _STATUSES.get(word or "")
    if status is None and word is not None:
        notes.line = result.line
        notes.add("status.unknown", f"A tool call has the unknown status {word!r}.", subject=f"status {word!r}")
    return Status.ERROR if failed and status in (None, Status.OK) else status or Status.OK


def _details(
    outcome: Outcome, response: FunctionResponse | None, result: Row, pieces: list[str | Piece], status: Status
) -> dict[str, Any]:
    """What else was recorded of a result."""
    extra: dict[str, Any] = {}
    if outcome.resultDisplay is not None:
        extra["resultDisplay"] = outcome.resultDisplay
    if (details := _details_of(outcome)) != _NO_DETAILS:
        extra |= {name: value for name, value in zip(_DETAILS, details, strict=True) if value is not None}
    if outcome.status is not None and _STATUSES.get(outcome.status) is not status:
        extra["status"] = outcome.status
    if response is not None:
        if response.id is not None and outcome.callId not in (None, response.id):
            extra["callId"] = outcome.callId
        value = response.response
        if not (type(value) is dict and len(value) == 1 and type(next(iter(value.values()))) is str):
            extra["response"] = value
        if response.extra:
            extra |= response.extra
    if odd := _odd_pieces(pieces, response):
        extra["parts"] = odd
    record = result.record
    if outcome.extra:
        extra |= outcome.extra
    if record.systemPayload is not None:
        extra["systemPayload"] = record.systemPayload
    # `isoformat` takes ten times as long.
    extra["result"] = {"line": result.line, "uuid": record.uuid, "timestamp": to_builtins(record.timestamp)}
    return extra
