"""Tool calls: what was asked, what came back, and how it ended."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import msgspec

from pollux.model import Attachment, Status, Text, ToolCall
from pollux.sources.codex.content import part_of
from pollux.sources.codex.schema import (
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
from pollux.sources.codex.tools import canonical, edit_name, full_name, hunks, patch_of
from pollux.wire import REFUSED, tidy

Asked = FunctionCall | CustomCall | ShellCall | SearchCall | ToolSearchCall | ImageCall
Answered = FunctionOutput | CustomOutput | ToolSearchOutput

_OK, _ERROR, _CANCELLED, _UNFINISHED = Status.OK, Status.ERROR, Status.CANCELLED, Status.UNFINISHED
# The head that Codex puts before a command's output: `Exit code: N` (0.60+), `Process exited with code N` (0.100+).
_EXIT = re.compile(r"(?:Chunk ID: [^\n]*\n|Wall time: [^\n]*\n)*(?:Exit code:|Process exited with code) (-?\d{1,10})\b")
_ABORTS = ("Wall time: ", "aborted by user")
_ABORTED = re.compile(r"(?:Wall time: [^\n]*\n)?aborted by user")
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
)


_shell_output = msgspec.json.Decoder(ShellOutput).decode
_json = msgspec.json.Decoder().decode


Outcome = tuple[str | None, int | None, bool, tuple[Attachment, ...]]
"""An answer in words, the exit code, whether it tells of a failure, and the pictures in it."""


class Call(msgspec.Struct, gc=False):
    """A call while its file is read: what was asked, and whatever answers it."""

    asked: Asked
    given: Any
    around: Envelope
    extra: dict[str, Any]
    answer: Answered | None = None
    answered: Envelope | None = None
    outcome: Outcome = (None, None, False, ())
    events: list[dict[str, Any]] | None = None
    cancelled: bool = False
    child: str | None = None
    patched: bool = False

    @property
    def name(self) -> str:
        """The tool's name as the file has it."""
        return _name(self.asked)

    def answer_with(self, item: Answered, around: Envelope) -> None:
        """Take an answer in. Its text is taken apart at once, so that it need not be held twice."""
        self.answer, self.answered = item, around
        self.outcome = outcome(item, self.extra)
        if type(item) is not ToolSearchOutput:
            item.output = item.shell = None  # type: ignore[union-attr]

    def also(self, event: dict[str, Any]) -> None:
        """Note what the user interface told of the call."""
        if self.events is None:
            self.events = []
        self.events.append(event)


def _name(asked: Asked) -> str:
    kind = type(asked)
    if kind is FunctionCall or kind is CustomCall:
        return asked.name or "?"  # type: ignore[union-attr]
    if kind is ShellCall:
        return "local_shell"
    if kind is SearchCall:
        return "web_search"
    return "tool_search" if kind is ToolSearchCall else "image_generation"


def called(item: Asked, around: Envelope) -> Call:
    """A call as it is made."""
    kind = type(item)
    given: Any
    if kind is FunctionCall:
        given = item.arguments  # type: ignore[union-attr]
        if not given:
            return Call(item, given, around, {})
        call = Call(item, given, around, {})
        call.patched = "*** Begin Patch" in given
        try:
            call.given = _json(given)
        except REFUSED:
            return call
        item.arguments = None  # type: ignore[union-attr]
        return call
    if kind is CustomCall:
        given = item.input  # type: ignore[union-attr]
    elif kind is ToolSearchCall:
        given = item.arguments  # type: ignore[union-attr]
    elif kind is ImageCall:
        given = item.revised_prompt  # type: ignore[union-attr]
    else:
        given = tidy(item.action)  # type: ignore[union-attr]
    return Call(item, given, around, {}, patched=kind is CustomCall)


def tool_call(call: Call) -> ToolCall:
    """A call with all that became of it."""
    asked, given, extra = call.asked, call.given, call.extra
    form = type(asked)
    if form is FunctionCall or form is CustomCall:
        name, namespace, id_ = asked.name or "?", asked.namespace, asked.call_id or asked.id  # type: ignore[union-attr]
    else:
        name, namespace, id_ = _name(asked), None, getattr(asked, "call_id", None) or asked.id
    shared, kind = canonical(name, namespace, given)
    if call.patched and (patch := patch_of(name, given)) is not None:
        found = hunks(patch)
        shared, kind = edit_name(found), "edit"
        if found:
            extra["hunks"] = found
    output, code, failed, held = call.outcome
    if call.events is not None:
        code, failed = _told(call, code, failed=failed)
        extra["events"] = call.events
    if not _is_plain(asked, call.around) or (call.answer is not None and not _is_plain(call.answer, call.answered)):
        _ride_along(call, extra)
    return ToolCall(
        id=id_,
        name=name if namespace is None else full_name(name, namespace),
        canonical=shared,
        tool_kind=kind,
        input=given,
        status=_status(call, output, code, failed=failed),
        output=output,
        exit_code=code,
        at=call.around.timestamp,
        child=call.child,
        attachments=held,
        extra=extra,
    )


def outcome(answer: Answered, extra: dict[str, Any]) -> Outcome:
    """What an answer says; what else stands in it goes into `extra`."""
    if type(answer) is ToolSearchOutput:
        extra["tools"] = answer.tools
        return None, None, False, ()
    output, shell = answer.output, answer.shell  # type: ignore[union-attr]
    if type(output) is str:
        if shell is None and output.startswith('{"output":'):
            with suppress(*REFUSED):
                shell = _shell_output(output)
        if shell is not None:
            extra["metadata"] = shell.metadata
            code = shell.metadata.get("exit_code")
            return shell.output, code if type(code) is int else None, False, ()
        return (output, *verdict(output), ())
    if type(output) is list:
        return _of_pieces(output, extra)
    if output is None:
        return None, None, False, ()
    # Some releases wrap the text: {"content": "…", "success": false}.
    wrapped: dict[str, Any] = output  # type: ignore[assignment]
    extra["answer"] = wrapped
    text = wrapped.get("content", wrapped.get("output"))
    return (text if isinstance(text, str) else None), None, wrapped.get("success") is False, ()


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
    """The exit code in the head of an answer, and whether its words are those of a failure.

    A command may print anything: only what Codex itself puts at the very beginning counts.
    """
    first = output[:1]
    if first in ("C", "E", "W", "P"):
        exit_ = _EXIT.match(output)
        if exit_ is not None:
            return int(exit_[1]), False
    return None, output.startswith(_FAILURES)


def _told(call: Call, code: int | None, *, failed: bool) -> tuple[int | None, bool]:
    """What the user interface knew: an exit code, and failures of which the answer's words say nothing."""
    for event in call.events or ():
        held = event.get("item") if isinstance(event.get("item"), dict) else event
        assert isinstance(held, dict)  # noqa: S101 (one of the two is)
        exit_ = held.get("exit_code")
        if code is None and type(exit_) is int:
            code = exit_
        match held:
            case {"status": "failed" | "declined"} | {"success": False} | {"result": {"Err": _}}:
                failed = True
            case {"result": {"Ok": {"isError": True} | {"is_error": True}}} | {"result": {"isError": True}}:
                failed = True
    return code, failed


def _status(call: Call, output: str | None, code: int | None, *, failed: bool) -> Status:
    kind = type(call.asked)
    if call.answer is None and kind is not SearchCall and kind is not ImageCall:
        if call.cancelled:
            return _CANCELLED
        return _UNFINISHED if call.events is None else _ERROR if failed or code else _UNFINISHED
    if output is not None and output.startswith(_ABORTS) and _ABORTED.match(output):
        return _CANCELLED
    if failed or code:
        return _ERROR
    if call.answer is None:
        word = call.asked.status
        return _OK if word in (None, "completed", "generating") else _ERROR if word == "failed" else _UNFINISHED
    return _OK


def _is_plain(item: Asked | Answered, around: Envelope | None) -> bool:
    """Is there nothing else about a function's call or answer, as about nearly all?"""
    kind = type(item)
    return (
        (kind is FunctionCall or kind is FunctionOutput)
        and item.id is None
        and item.status is None
        and item.passed is None
        and not item.extra
        and (kind is FunctionOutput or item.namespace is None)  # type: ignore[union-attr]
        and around is not None
        and around.metadata is None
        and not around.extra
    )


def _ride_along(call: Call, extra: dict[str, Any]) -> None:
    """Whatever else was recorded of a call and its answer."""
    asked, answer = call.asked, call.answer
    if asked.id is not None and asked.id != getattr(asked, "call_id", None):
        extra["item"] = asked.id
    kind = type(asked)
    if kind is FunctionCall or kind is CustomCall:
        if asked.namespace is not None:  # type: ignore[union-attr]
            extra["namespace"], extra["tool"] = asked.namespace, asked.name  # type: ignore[union-attr]
    elif kind is ImageCall and asked.result is not None:  # type: ignore[union-attr]
        extra["result"] = asked.result  # type: ignore[union-attr]
    elif kind is ToolSearchCall and asked.execution is not None:  # type: ignore[union-attr]
        extra["execution"] = asked.execution  # type: ignore[union-attr]
    if asked.status not in (None, "completed"):
        extra["status"] = asked.status
    if rest := leftovers(asked, call.around):
        extra.update(rest)
    if answer is not None and call.answered is not None and (rest := _answered(answer, call.answered)):
        extra["answered"] = rest


def _answered(answer: Answered, around: Envelope) -> dict[str, Any]:
    """What rides along with an answer."""
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
    if item.passed is None and around.metadata is None and not item.extra and not around.extra:
        return {}
    rest: dict[str, Any] = {**item.extra, **around.extra}
    if item.passed is not None:
        rest["passed"] = tidy(item.passed)
    if around.metadata is not None:
        rest["line_metadata"] = around.metadata
    return rest
