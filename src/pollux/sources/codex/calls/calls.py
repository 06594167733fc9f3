"""Tool calls: what was asked, what came back, and how it ended."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import NOTHING, Attachment, Status, Text, ToolCall, ToolResult
from pollux.sources.codex.calls.durations import seconds_of
from pollux.sources.codex.calls.heads import exit_code
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
from pollux.wire import REFUSED, tidy

Asked = FunctionCall | CustomCall | ShellCall | SearchCall | ToolSearchCall | ImageCall
Answered = FunctionOutput | CustomOutput | ToolSearchOutput

_OK, _ERROR, _CANCELLED, _UNFINISHED = Status.OK, Status.ERROR, Status.CANCELLED, Status.UNFINISHED
_ENDED = {None: _OK, "completed": _OK, "generating": _OK, "failed": _ERROR}
_ABORTS = ("Wall time: ", "aborted")
_ABORTED = re.compile(r"(?:Wall time: [^\n]*\n)?aborted by user")
# What Codex answers itself where a run was killed before the tool could.
_MADE_UP = "aborted"
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
# What is answered where the human did not allow an MCP tool; how it is wrapped depends on the release.
_DENIED = re.compile(
    r"(?:Wall time: [^\n]*\nOutput:\n)?"
    r'(?:\[\{"type":"text","text":")?user (?:rejected|cancelled) MCP tool call(?:"\}\])?'
)

_shell_output = msgspec.json.Decoder(ShellOutput).decode
_json = msgspec.json.Decoder().decode


Outcome = tuple[str | None, int | None, bool, tuple[Attachment, ...]]
"""An answer in words, the exit code, whether it tells of a failure, and the pictures in it."""


class Call(msgspec.Struct, gc=False):
    """A call while its file is read: what was asked, and whatever becomes of it.

    `ended` is how a call ended that the model's own service saw to: no answer to it is ever written. `cancelled` says
    that its turn was broken off while it ran or when it was refused. `beside` and `answer_beside` are what else was
    recorded of the call and of its answer.
    """

    name: str
    id: str | None
    given: Any
    at: datetime | None
    namespace: str | None = None
    patched: bool = False
    ended: Status | None = None
    beside: dict[str, Any] | None = None
    answered: bool = False
    outcome: Outcome = (None, None, False, ())
    extra: dict[str, Any] | None = None
    answer_beside: dict[str, Any] | None = None
    events: list[dict[str, Any]] | None = None
    cancelled: bool = False
    child: str | None = None

    @property
    def is_settled(self) -> bool:
        """Did the model get an answer that is one, so that it may have gone on? Codex makes one up for a killed run."""
        output = self.outcome[0]
        return self.answered and not (output is not None and (output == _MADE_UP or _ABORTED.match(output)))

    @property
    def is_denied(self) -> bool:
        """Did the human refuse it?"""
        output, _, failed, _ = self.outcome
        return failed and output is not None and ("rejected by user" in output or _DENIED.fullmatch(output) is not None)

    def answer_with(self, item: Answered, around: Envelope) -> None:
        """Take an answer in."""
        self.answered, self.extra = True, {}
        self.outcome = outcome(item, self.extra)
        if type(item) is not FunctionOutput or item.id is not None or item.status is not None or rides(item, around):
            self.answer_beside = _beside_answer(item, around)

    def also(self, event: dict[str, Any]) -> None:
        """Note what the user interface told of the call."""
        if self.events is None:
            self.events = []
        self.events.append(event)


def called(item: Asked, around: Envelope) -> Call:
    """A call as it is made."""
    if type(item) is FunctionCall:
        text = item.arguments
        given, patched = (_arguments(text), "*** Begin Patch" in text) if text else (text, False)
        call = Call(item.name or "?", item.call_id or item.id, given, around.timestamp, item.namespace, patched)
        if item.id is not None or item.status is not None or item.namespace is not None or rides(item, around):
            call.beside = _beside_call(item, around)
        return call
    return _called(item, around)


def _arguments(text: str) -> Any:
    try:
        return _json(text)
    except REFUSED:
        return text


def _called(item: Asked, around: Envelope) -> Call:
    """A call of one of the rarer sorts."""
    at, id_ = around.timestamp, getattr(item, "call_id", None) or item.id
    match item:
        case CustomCall():
            call = Call(item.name or "?", id_, item.input, at, item.namespace, patched=True)
        case ShellCall():
            call = Call("local_shell", id_, tidy(item.action), at)
        case SearchCall():
            call = Call("web_search", id_, tidy(item.action), at, ended=_ENDED.get(item.status, _UNFINISHED))
        case ImageCall():
            given = item.revised_prompt
            call = Call("image_generation", id_, given, at, ended=_ENDED.get(item.status, _UNFINISHED))
        case _:
            call = Call("tool_search", id_, item.arguments, at)
    call.beside = _beside_call(item, around)
    return call


def tool_call(call: Call) -> ToolCall:
    """A call with all that became of it."""
    name, namespace, given = call.name, call.namespace, call.given
    extra: dict[str, Any] = {} if call.extra is None else call.extra
    shared, kind = canonical(name, namespace, given)
    if call.patched and (patch := patch_of(name, given)) is not None:
        patches = hunks(patch)
        shared, kind = edit_name(patches), "edit"
        if patches:
            extra["hunks"] = patches
    output, code, failed, attachments = call.outcome
    if call.events is not None:
        code, failed = _told(call, code, failed=failed)
        extra["events"] = call.events
    if call.beside:
        extra.update(call.beside)
    if call.answer_beside:
        extra["answered"] = call.answer_beside
    return ToolCall(
        id=call.id,
        name=name if namespace is None else full_name(name, namespace),
        canonical=shared,
        tool_kind=kind,
        input=given,
        status=_status(call, output, failed=failed or bool(code)),
        output=output,
        exit_code=code,
        at=call.at,
        seconds=seconds_of(call.events, extra.get("metadata"), output),
        child=call.child,
        attachments=attachments,
        extra=extra,
    )


def outcome(answer: Answered, extra: dict[str, Any]) -> Outcome:
    """What an answer says; what else stands in it goes into `extra`."""
    if type(answer) is ToolSearchOutput:
        extra["tools"] = answer.tools
        return None, None, False, ()
    output = answer.output  # type: ignore[union-attr]
    if type(output) is str:
        shell = _shell_in(output) if output.startswith('{"output":') else None
        if shell is None:
            return (output, *verdict(output), ())
        extra["metadata"] = shell.metadata
        code = shell.metadata.get("exit_code")
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


def unasked(item: Answered, around: Envelope) -> ToolResult:
    """An answer whose call was lost."""
    extra: dict[str, Any] = {}
    text, _, _, attachments = outcome(item, extra)
    rest = {**extra, **leftovers(item, around), **({"id": item.id} if item.id is not None else {})}
    return ToolResult(
        call=item.call_id, name=getattr(item, "name", None), output=text, attachments=attachments, extra=rest
    )


def _shell_in(text: str) -> ShellOutput | None:
    """What a text holds that is JSON."""
    try:
        return _shell_output(text)
    except REFUSED:
        return None


def _of_pieces(output: list[Piece], extra: dict[str, Any]) -> Outcome:
    parts = [part_of(piece) for piece in output]
    texts = [part.text for part in parts if type(part) is Text]
    held = tuple(part for part in parts if type(part) is Attachment)
    rest = [
        piece for piece, part in zip(output, parts, strict=True) if getattr(part, "extra", True) and part not in held
    ]
    if rest:
        extra["parts"] = [tidy(piece) for piece in rest]
    text = "\n".join(texts) if texts else None
    code, failed = verdict(text) if text is not None else (None, False)
    return text, code, failed, held


def verdict(output: str) -> tuple[int | None, bool]:
    """The exit code in the head of an answer, and whether its words are those of a failure."""
    code = exit_code(output)
    return code, code is None and (output.startswith(_FAILURES) or _DENIED.fullmatch(output) is not None)


def _told(call: Call, code: int | None, *, failed: bool) -> tuple[int | None, bool]:
    """What the user interface knew: an exit code, and failures of which the answer's words say nothing."""
    for event in call.events or ():
        held = item if type(item := event.get("item")) is dict else event
        exit_ = held.get("exit_code")
        if not code and type(exit_) is int:
            code = exit_
        if held.get("status") in ("failed", "declined") or held.get("success") is False:
            failed = True
        elif type(result := held.get("result")) is dict:
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
        if output == _MADE_UP:
            return _UNFINISHED
        if _ABORTED.match(output):
            return _CANCELLED
    if failed:
        return _ERROR
    return _OK if call.answered or call.ended is None else call.ended


def rides(item: Item, around: Envelope) -> bool:
    """May anything ride along with an item? An `extra` that nobody made is the one all shapes share."""
    return (
        item.passed is not None
        or around.metadata is not None
        or item.extra is not NOTHING
        or around.extra is not NOTHING
    )


def _beside_call(item: Asked, around: Envelope) -> dict[str, Any]:
    """Whatever else was recorded of a call."""
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
    return rest | leftovers(item, around)


def _beside_answer(answer: Answered, around: Envelope) -> dict[str, Any]:
    """Whatever else was recorded of an answer."""
    rest = leftovers(answer, around)
    if answer.id is not None:
        rest["id"] = answer.id
    if answer.status is not None:
        rest["status"] = answer.status
    if type(answer) is CustomOutput and answer.name is not None:
        rest["name"] = answer.name
    elif type(answer) is ToolSearchOutput and answer.execution is not None:
        rest["execution"] = answer.execution
    return rest


def leftovers(item: Item, around: Envelope) -> dict[str, Any]:
    """What newer releases send along with an item, and what we do not know of it."""
    rest: dict[str, Any] = {**item.extra, **around.extra}
    passed = item.passed
    if passed is not None:
        rest["passed"] = msgspec.to_builtins(passed) if passed.extra is NOTHING else tidy(passed)
    if around.metadata is not None:
        rest["line_metadata"] = around.metadata
    return rest
