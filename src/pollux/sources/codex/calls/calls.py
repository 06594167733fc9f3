"""Tool calls: their arguments, their results, and how they ended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import NOTHING, Attachment, Status, Text, ToolCall, ToolResult
from pollux.sources.codex.calls.output_heads import exit_code, wall_time
from pollux.sources.codex.format.content import part_of
from pollux.sources.codex.format.schema import (
    CustomCall,
    CustomOutput,
    Envelope,
    FunctionCall,
    FunctionOutput,
    ImageCall,
    Item,
    Piece,
    SearchCall,
    ShellCall,
    ShellOutput,
    ToolSearchCall,
    ToolSearchOutput,
)
from pollux.sources.codex.format.tools import canonical, edit_name, full_name, hunks, patch_of
from pollux.system.decoders import json_decoder
from pollux.wire import REFUSED, seconds, tidy

CallItem = FunctionCall | CustomCall | ShellCall | SearchCall | ToolSearchCall | ImageCall
AnswerItem = FunctionOutput | CustomOutput | ToolSearchOutput

_OK, _ERROR, _CANCELLED, _UNFINISHED = Status.OK, Status.ERROR, Status.CANCELLED, Status.UNFINISHED
_ENDED = {None: _OK, "completed": _OK, "generating": _OK, "failed": _ERROR}
_ABORTS = ("Wall time: ", "aborted")
_ABORTED = re.compile(r"(?:Wall time: [^\n]*\n)?aborted by user")
# The answer that Codex itself writes where a run was killed before the tool could answer.
_INVENTED = "aborted"
_FAILURES = (
    "unsupported call:",
    "unsupported custom tool call:",
    "apply_patch verification failed:",
    "error:",
    "err:",
    "failed in sandbox",
    "failed to parse function arguments",
    "execution error:",
    "exec_command failed",
    "write_stdin failed",
    "patch rejected",
    "exec command rejected",
    "rejected by user",
    "command timed out",
    "tool call error",
    "collab spawn failed",
    "unable to locate image",
    "Script failed\n",
)
# The answer where the human did not allow an MCP tool; releases wrap it in different ways.
_DENIED = re.compile(
    r"(?:Wall time: [^\n]*\nOutput:\n)?"
    r'(?:\[\{"type":"text","text":")?user (?:rejected|cancelled) MCP tool call(?:"\}\])?'
)

_shell_output = json_decoder(ShellOutput).decode
_json = msgspec.json.Decoder().decode


Outcome = tuple[str | None, int | None, bool, tuple[Attachment, ...]]
"""The text of an answer, the exit code, whether the tool failed, and the pictures in the answer."""


class Call(msgspec.Struct, gc=False):
    """A call while its file is read: its arguments, and what became of it.

    `ended` is the status of a call that the model's own service ran: no answer to it is ever written. `cancelled` says
    that its turn was broken off while the call ran, or when it was refused. `call_extra` and `answer_extra` are other
    fields of the call and of its answer.
    """

    name: str
    id: str | None
    arguments: Any
    at: datetime | None
    namespace: str | None = None
    may_patch: bool = False
    ended: Status | None = None
    call_extra: dict[str, Any] | None = None
    answered: bool = False
    outcome: Outcome = (None, None, False, ())
    extra: dict[str, Any] | None = None
    answer_extra: dict[str, Any] | None = None
    events: list[dict[str, Any]] | None = None
    cancelled: bool = False
    child: str | None = None

    @property
    def is_settled(self) -> bool:
        """Did the tool answer, so that the model may have gone on? The answer that Codex invents does not count."""
        output = self.outcome[0]
        return self.answered and not (output is not None and (output == _INVENTED or _ABORTED.match(output)))

    @property
    def is_denied(self) -> bool:
        """Did the human refuse it?"""
        output, _, failed, _ = self.outcome
        return failed and output is not None and ("rejected by user" in output or _DENIED.fullmatch(output) is not None)

    def answer_with(self, item: AnswerItem, envelope: Envelope) -> None:
        """Add the answer."""
        self.answered, self.extra = True, {}
        self.outcome = outcome(item, self.extra)
        if (
            type(item) is not FunctionOutput
            or item.id is not None
            or item.status is not None
            or has_leftovers(item, envelope)
        ):
            self.answer_extra = _answer_extra(item, envelope)

    def add_event(self, event: dict[str, Any]) -> None:
        """Add an event of the user interface about the call."""
        if self.events is None:
            self.events = []
        self.events.append(event)


def call_of(item: CallItem, envelope: Envelope) -> Call:
    """The call of an item."""
    if type(item) is FunctionCall:
        text = item.arguments
        arguments, may_patch = (_arguments(text), "*** Begin Patch" in text) if text else (text, False)
        call = Call(item.name or "?", item.call_id or item.id, arguments, envelope.timestamp, item.namespace, may_patch)
        if (
            item.id is not None
            or item.status is not None
            or item.namespace is not None
            or has_leftovers(item, envelope)
        ):
            call.call_extra = _call_extra(item, envelope)
        return call
    return _rare_call_of(item, envelope)


def _arguments(text: str) -> Any:
    try:
        return _json(text)
    except REFUSED:
        return text


def _rare_call_of(item: CallItem, envelope: Envelope) -> Call:
    """The call of an item of a rarer kind."""
    at, id_ = envelope.timestamp, getattr(item, "call_id", None) or item.id
    match item:
        case CustomCall():
            call = Call(item.name or "?", id_, item.input, at, item.namespace, may_patch=True)
        case ShellCall():
            call = Call("local_shell", id_, tidy(item.action), at)
        case SearchCall():
            call = Call("web_search", id_, tidy(item.action), at, ended=_ENDED.get(item.status, _UNFINISHED))
        case ImageCall():
            arguments = item.revised_prompt
            call = Call("image_generation", id_, arguments, at, ended=_ENDED.get(item.status, _UNFINISHED))
        case _:
            call = Call("tool_search", id_, item.arguments, at)
    call.call_extra = _call_extra(item, envelope)
    return call


def tool_call(call: Call) -> ToolCall:
    """The finished call, with its answer."""
    name, namespace, arguments = call.name, call.namespace, call.arguments
    extra: dict[str, Any] = {} if call.extra is None else call.extra
    shared, kind = canonical(name, namespace, arguments)
    if call.may_patch and (patch := patch_of(name, arguments)) is not None:
        patches = hunks(patch)
        shared, kind = edit_name(patches), "edit"
        if patches:
            extra["hunks"] = patches
    output, code, failed, attachments = call.outcome
    if call.events is not None:
        code, failed = _from_events(call, code, failed=failed)
        extra["events"] = call.events
    if call.call_extra:
        extra.update(call.call_extra)
    if call.answer_extra:
        extra["answered"] = call.answer_extra
    return ToolCall(
        id=call.id,
        name=name if namespace is None else full_name(name, namespace),
        canonical=shared,
        tool_kind=kind,
        input=arguments,
        status=_status(call, output, failed=failed or bool(code)),
        output=output,
        exit_code=code,
        at=call.at,
        seconds=_seconds_of(call.events, extra.get("metadata"), output),
        child=call.child,
        attachments=attachments,
        extra=extra,
    )


def outcome(answer: AnswerItem, extra: dict[str, Any]) -> Outcome:
    """The outcome in an answer. Its other fields go into `extra`."""
    if type(answer) is ToolSearchOutput:
        extra["tools"] = answer.tools
        return None, None, False, ()
    output = answer.output  # type: ignore[union-attr]
    if type(output) is str:
        shell = _shell_in(output) if output.startswith('{"output":') else None
        if shell is None:
            return (output, *verdict(output), ())
        extra["metadata"] = metadata = shell.metadata
        code = metadata.get("exit_code")
        return shell.output, code if type(code) is int else None, False, ()
    if type(output) is list:
        return _of_pieces(output, extra)
    if output is None:
        return None, None, False, ()
    # Some releases wrap the text: {"content": "…", "success": false}.
    wrapped: dict[str, Any] = output  # type: ignore[assignment]
    extra["answer"] = wrapped
    text = wrapped.get("content", wrapped.get("output"))
    return (text if isinstance(text, str) else None), None, wrapped.get("success") is False, ()


def result_without_call(item: AnswerItem, envelope: Envelope) -> ToolResult:
    """An answer whose call was lost."""
    extra: dict[str, Any] = {}
    text, _, _, attachments = outcome(item, extra)
    rest = {**extra, **leftovers(item, envelope), **({"id": item.id} if item.id is not None else {})}
    return ToolResult(
        call=item.call_id, name=getattr(item, "name", None), output=text, attachments=attachments, extra=rest
    )


def _shell_in(text: str) -> ShellOutput | None:
    """The shell output in a text, if the text is JSON of this shape."""
    try:
        return _shell_output(text)
    except REFUSED:
        return None


def _of_pieces(output: list[Piece], extra: dict[str, Any]) -> Outcome:
    parts = [part_of(piece) for piece in output]
    texts = [part.text for part in parts if type(part) is Text]
    attachments = tuple(part for part in parts if type(part) is Attachment)
    rest = [
        piece
        for piece, part in zip(output, parts, strict=True)
        if getattr(part, "extra", True) and part not in attachments
    ]
    if rest:
        extra["parts"] = [tidy(piece) for piece in rest]
    text = "\n".join(texts) if texts else None
    code, failed = verdict(text) if text is not None else (None, False)
    return text, code, failed, attachments


def verdict(output: str) -> tuple[int | None, bool]:
    """The exit code in the head of an answer, and whether its text reports a failure."""
    code = exit_code(output)
    return code, code is None and (output.startswith(_FAILURES) or _DENIED.fullmatch(output) is not None)


def _from_events(call: Call, code: int | None, *, failed: bool) -> tuple[int | None, bool]:
    """The exit code and the failure in the events of a call, if its answer lacks them."""
    for event in call.events or ():
        record = item if type(item := event.get("item")) is dict else event
        exit_ = record.get("exit_code")
        if not code and type(exit_) is int:
            code = exit_
        if record.get("status") in ("failed", "declined") or record.get("success") is False:
            failed = True
        elif type(result := record.get("result")) is dict:
            answer = result.get("Ok")
            wrong = type(answer) is dict and (answer.get("isError") is True or answer.get("is_error") is True)
            failed = failed or wrong or "Err" in result or result.get("isError") is True
    return code, failed


def _status(call: Call, output: str | None, *, failed: bool) -> Status:
    if call.cancelled and (call.is_denied if call.answered else call.ended is None):
        return _CANCELLED
    if not call.answered and call.ended is None:
        return _ERROR if failed and call.events is not None else _UNFINISHED
    if output is not None and output.startswith(_ABORTS):
        if output == _INVENTED:
            return _UNFINISHED
        if _ABORTED.match(output):
            return _CANCELLED
    if failed:
        return _ERROR
    return _OK if call.answered or call.ended is None else call.ended


def has_leftovers(item: Item, envelope: Envelope) -> bool:
    """May an item or its line have leftovers? An empty `extra` is the object that all shapes share."""
    return (
        item.item_metadata is not None
        or envelope.metadata is not None
        or item.extra is not NOTHING
        or envelope.extra is not NOTHING
    )


def _call_extra(item: CallItem, envelope: Envelope) -> dict[str, Any]:
    """The other fields of a call."""
    rest: dict[str, Any] = {}
    if item.id is not None and item.id != getattr(item, "call_id", None):
        rest["item"] = item.id
    match item:
        case FunctionCall(namespace=str(namespace)) | CustomCall(namespace=str(namespace)):
            rest["namespace"], rest["tool"] = namespace, item.name
        case ImageCall(result=str(result)):
            rest["result"] = result
        case ToolSearchCall() if item.execution is not None:
            rest["execution"] = item.execution
    if item.status not in (None, "completed"):
        rest["status"] = item.status
    return rest | leftovers(item, envelope)


def _answer_extra(answer: AnswerItem, envelope: Envelope) -> dict[str, Any]:
    """The other fields of an answer."""
    rest = leftovers(answer, envelope)
    if answer.id is not None:
        rest["id"] = answer.id
    if answer.status is not None:
        rest["status"] = answer.status
    if type(answer) is CustomOutput and answer.name is not None:
        rest["name"] = answer.name
    elif type(answer) is ToolSearchOutput and answer.execution is not None:
        rest["execution"] = answer.execution
    return rest


def leftovers(item: Item, envelope: Envelope) -> dict[str, Any]:
    """Metadata that newer releases add to an item, and its unknown fields."""
    rest: dict[str, Any] = {}
    if item.extra or envelope.extra:
        rest = {**item.extra, **envelope.extra}
    metadata = item.item_metadata
    if metadata is not None:
        rest["passed"] = msgspec.to_builtins(metadata) if metadata.extra is NOTHING else tidy(metadata)
    if envelope.metadata is not None:
        rest["line_metadata"] = envelope.metadata
    return rest


def _seconds_of(events: Iterable[dict[str, Any]] | None, metadata: Any, output: str | None) -> float | None:
    """How long a tool took. An event, the answer's metadata or the first lines of its text may say so."""
    for event in events or ():
        record = item if type(item := event.get("item")) is dict else event
        if type(duration := record.get("duration")) is dict:
            whole, rest = seconds(duration.get("secs")), seconds(duration.get("nanos"), 10**9)
            if whole is not None and rest is not None:
                return whole + rest
    if type(metadata) is dict and (time := seconds(metadata.get("duration_seconds"))) is not None:
        return time
    return wall_time(output) if output is not None else None
