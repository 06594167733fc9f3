"""Tool calls: their input, their output, and their status."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import NOTHING, Attachment, Author, Message, Role, Status, ToolCall
from pollux.sources.gemini_sessions.format.content import answer, as_plain, attachments, pieces, text_of
from pollux.sources.gemini_sessions.format.schema import Call, FunctionCall, FunctionResponse, Part as Piece, Pieces
from pollux.sources.gemini_sessions.format.tools import canonical
from pollux.sources.gemini_sessions.messages.outputs import MASKED, STUBS, Offloaded, full_output
from pollux.sources.gemini_sessions.messages.subagents import created, created_ms
from pollux.wire import Notes

# Members of an enumeration are slow to look up, so this happens once.
_OK, _ERROR, _UNFINISHED = Status.OK, Status.ERROR, Status.UNFINISHED
STATUSES = {
    "success": Status.OK,
    "error": Status.ERROR,
    "cancelled": Status.CANCELLED,
    "validating": Status.UNFINISHED,
    "scheduled": Status.UNFINISHED,
    "executing": Status.UNFINISHED,
    "awaiting_approval": Status.UNFINISHED,
}
SHELL = "run_shell_command"

# The last lines of a shell result. Older releases write all of them, later ones only those with a value.
_MORE = r"\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*"
_TRAILER = re.compile(
    r"\nExit Code: (-?\d{1,10}|\(none\))"
    rf"(?:\s*{_MORE}(?:{_MORE})*+)?+\s*+(?:</untrusted_context>)?\s*+\Z"
)
_LAST = ("Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: ", "</untrusted_context>")
_SIGNAL = re.compile(r"^Signal: (?!\(none\)|0\s*$)\S", re.MULTILINE)
_TIMED_OUT = "Command was automatically cancelled because it exceeded the timeout"
_FRAMES = ("Output: ", "Output too large.", "<untrusted_context>")
_HEAD = re.compile(r"(?:Output too large\.[^\n]*\n)?(?:<untrusted_context>\n)?Output: ")
_PREVIEW = re.compile(rf"{MASKED}\n(.*)\n\nOutput too large\.[^\n]*\n</tool_output_masked>\s*\Z", re.DOTALL)


def tool_call(call: Call, notes: Notes, child: str | None, offloaded: Offloaded) -> ToolCall:
    """A recorded call."""
    name = call.name or "?"
    shared, kind = canonical(name)
    output, failed, files, rest = outcome(call.result, call)
    recorded = STATUSES.get(call.status or "")
    status = recorded or _status(call.status, output, notes)
    exit_code = None
    if output is not None:
        if name == SHELL:
            exit_code, killed = exit_code_of(output)
            failed = failed or killed or bool(exit_code)
        if output.startswith(STUBS) and (full := full_output(output, call, offloaded)) is not None:
            rest = {**rest, "shown": output}
            output = full
    if failed and status is _OK:
        status = _ERROR
    return ToolCall(
        id=call.id,
        name=name,
        canonical=shared,
        tool_kind=kind,
        input=call.args,
        status=status,
        output=output,
        exit_code=exit_code,
        at=call.timestamp,
        at_end=True,
        seconds=_seconds(call),
        child=child,
        attachments=files,
        extra=_extra(call, rest, is_told=status is recorded and status is not _UNFINISHED),
    )


def settle_refused(messages: list[Message]) -> list[Message]:
    """A refused call is an error where the conversation went on with the refusal; otherwise it is cancelled."""
    settled = list(messages)
    continued = False
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message.role is Role.USER and message.author is not Author.CLIENT:
            continued = False
        elif message.role is Role.ASSISTANT and message.author is Author.MODEL:
            calls = [part for part in message.parts if type(part) is ToolCall]
            if any(call.status is Status.CANCELLED for call in calls):
                last = max((creation for call in calls if (creation := created(call.id)) is not None), default=None)
                parts = tuple(
                    _as_error(part) if type(part) is ToolCall and (continued or _followed(part, last)) else part
                    for part in message.parts
                )
                settled[place] = msgspec.structs.replace(message, parts=parts)
            continued = continued or bool(message.text) or message.usage is not None
    return settled


def _followed(call: ToolCall, last: datetime | None) -> bool:
    """Was the last call made after this one had ended? Up to 0.31 a message holds calls of many requests."""
    return call.at is not None and last is not None and last > call.at


def _as_error(call: ToolCall) -> ToolCall:
    if call.status is not Status.CANCELLED:
        return call
    return msgspec.structs.replace(call, status=Status.ERROR, extra={**call.extra, "status": "cancelled"})


def _seconds(call: Call) -> float | None:
    """From the creation of a call, which stands in its id, until its outcome was recorded."""
    if call.timestamp is None or (creation := created_ms(call.id)) is None:
        return None
    milliseconds = round(call.timestamp.timestamp() * 1000) - creation
    return milliseconds / 1000 if milliseconds >= 0 else None


def unrecorded_call(call: FunctionCall, response: FunctionResponse | None, rest: dict[str, Any]) -> ToolCall:
    """A call that stands only in the conversation's content, with its answer if there is one."""
    name = call.name or "?"
    shared, kind = canonical(name)
    output, failed = answer(response) if response is not None else (None, False)
    exit_code, killed = exit_code_of(output) if name == SHELL and output is not None else (None, False)
    if response is None:
        status = Status.UNFINISHED
    elif failed and output is not None and output.startswith("[Operation Cancelled]"):
        status = Status.CANCELLED
    else:
        status = Status.ERROR if failed or killed or exit_code else Status.OK
    files = tuple(attachments(response.parts or ())) if response is not None else ()
    extra = {**call.extra, **rest, **(response.extra if response is not None else {})}
    if response is not None and response.name not in (None, call.name):
        extra["response_name"] = response.name
    return ToolCall(
        id=call.id or (response.id if response is not None else None),
        name=name,
        canonical=shared,
        tool_kind=kind,
        input=call.args,
        status=status,
        output=output,
        exit_code=exit_code,
        attachments=files,
        extra=extra,
    )


def exit_code_of(text: str) -> tuple[int | None, bool]:
    """The exit code of a shell command and whether it was killed, from the text that the tool gave the model.

    Only the tool's own lines at the end count: a command may print anything before them. Later releases leave out a
    code of 0; then the frame of the text shows that the command ended.
    """
    if text.startswith(MASKED) and (preview := _PREVIEW.match(text)) is not None:
        text = preview[1]
    killed = text.startswith(_TIMED_OUT)
    tail = text[-1000:].rstrip()
    if tail.startswith(_LAST, tail.rfind("\n") + 1):
        killed = killed or _SIGNAL.search(tail) is not None
        start = tail.rfind("\nExit Code: ")
        if start >= 0 and (trailer := _TRAILER.match(tail, start)) is not None:
            code = trailer.group(1)
            return (int(code) if code != "(none)" else None), killed
    return (0 if not killed and text.startswith(_FRAMES) and _HEAD.match(text) is not None else None), killed


def outcome(result: Pieces | None, call: Call) -> tuple[str | None, bool, tuple[Attachment, ...], dict[str, Any]]:
    """Text, failure, attachments and leftovers of a result in any of its shapes.

    The whole result is left over, unless it is one output in words and nothing else, as nearly every result is.
    """
    if result is None:
        return None, False, (), NOTHING
    if type(result) is list and len(result) == 1 and (usual := _usual(result[0], call)) is not None:
        value = usual.response
        if type(value) is dict and "output" in value and len(value) == 1 and type(text := value["output"]) is str:
            return text, False, (), NOTHING
        return (*answer(usual), (), {"result": _plain_result(result)})
    texts: list[str] = []
    failed = False
    items = _own(pieces(result), call)
    files = list(attachments(items))
    rest: dict[str, Any] = {}
    for item in items:
        if isinstance(item, str):
            texts.append(item)
        elif (response := item.functionResponse) is not None:
            text, is_error = answer(response)
            failed = failed or is_error
            inner = response.parts or []
            texts += [*([text] if text is not None else []), *filter(None, map(text_of, inner))]
            files += attachments(inner)
            rest |= response.extra
            if response.id not in (None, call.id) or response.name not in (None, call.name):
                rest.setdefault("answered", []).append({"id": response.id, "name": response.name})
            if item.extra or item.thoughtSignature:
                rest.setdefault("parts", []).append(as_plain(item))
        elif item.text is not None and not item.extra:
            texts.append(item.text)
        elif item.inlineData is None and item.fileData is None and (raw := as_plain(item)):
            rest.setdefault("parts", []).append(raw)
    rest["result"] = _plain_result(result)
    return ("\n".join(texts) if texts else None), failed, tuple(files), rest


def _own(items: list[str | Piece], call: Call) -> list[str | Piece]:
    """The answer to this call, with what follows it.

    In a rewritten history (0.44+) every call of a turn has the answers to all calls, after several resumes even
    several times.
    """
    answers = [item.functionResponse for item in items if isinstance(item, Piece) and item.functionResponse is not None]
    if len(answers) < 2 or all(response.id != call.id for response in answers):
        return items
    own: list[str | Piece] = []
    is_own = answers[0].id == call.id
    for item in items:
        if isinstance(item, Piece) and item.functionResponse is not None:
            is_own = item.functionResponse.id == call.id and item not in own
        if is_own:
            own.append(item)
    return own


def _usual(item: str | Piece, call: Call) -> FunctionResponse | None:
    """The response of a result that is only one response to this call, as nearly every result is."""
    if type(item) is not Piece or (response := item.functionResponse) is None:
        return None
    if response.id != call.id or response.name != call.name or response.parts:
        return None
    return None if response.extra or item.extra or item.thoughtSignature else response


def _plain_result(result: Pieces) -> Any:
    """A result as it was written."""
    if isinstance(result, list):
        return [item if isinstance(item, str) else as_plain(item) for item in result]
    return result if isinstance(result, str) else as_plain(result)


def _status(word: str | None, output: str | None, notes: Notes) -> Status:
    if word is not None:
        notes.add("status.unknown", f"A tool call has the unknown status {word!r}.", subject=f"status {word!r}")
    return Status.UNFINISHED if output is None else Status.OK


def _extra(call: Call, rest: dict[str, Any], *, is_told: bool) -> dict[str, Any]:
    """What else was recorded of a call; the vendor's own status only where ours does not tell it."""
    extra: dict[str, Any] = {}
    if call.displayName is not None:
        extra["displayName"] = call.displayName
    if call.description is not None:
        extra["description"] = call.description
    if call.resultDisplay is not None:
        extra["resultDisplay"] = call.resultDisplay
    if call.renderOutputAsMarkdown is not None:
        extra["renderOutputAsMarkdown"] = call.renderOutputAsMarkdown
    if call.agentId is not None:
        extra["agentId"] = call.agentId
    if not is_told and call.status is not None:
        extra["status"] = call.status
    if rest:
        extra.update(rest)
    if call.extra:
        extra.update(call.extra)
    return extra
