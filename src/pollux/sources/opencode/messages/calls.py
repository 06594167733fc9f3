"""Tool calls."""

from __future__ import annotations

import os
from typing import Any

from msgspec import to_builtins

from pollux.model import Attachment, Status, ToolCall
from pollux.sources.opencode.format.schema import State
from pollux.sources.opencode.format.tools import INVALID, NAMES, canonical
from pollux.sources.opencode.messages.owner import Owner
from pollux.sources.opencode.witnesses.records import PartRecord
from pollux.system.clock import since_epoch
from pollux.wire import tidy

_ABORTED = ("Tool execution aborted", "The operation was aborted")
_REFUSED = ("The user rejected permission", "The user dismissed this question")
_OK, _ERROR, _CANCELLED, _UNFINISHED = Status.OK, Status.ERROR, Status.CANCELLED, Status.UNFINISHED
_NO_METADATA: dict[str, Any] = {}


def call_of(record: PartRecord, owner: Owner) -> ToolCall:
    """A call with its outcome, which is taken out of its record."""
    part = record.part
    state = part.state or State()
    name, metadata = part.tool or "", state.metadata
    if type(metadata) is not dict:
        metadata = _NO_METADATA
    shared, kind = NAMES.get(name) or canonical(name)
    exit_code = metadata.get("exit")
    if type(exit_code) is not int:
        exit_code = None
    output = state.output
    start = end = None
    if (times := state.time) is not None:
        start, end = since_epoch(times.start, 1000), since_epoch(times.end, 1000)
    made = ToolCall(
        id=part.callID,
        name=name,
        canonical=shared,
        tool_kind=kind,
        input=state.input,
        status=_status(state, exit_code, name, ends_turn=owner.ends_turn),
        output=output if type(output) is str and "outputPath" not in metadata else _output(record, state, owner),
        exit_code=exit_code,
        at=start,
        seconds=(end - start).total_seconds() if start is not None and end is not None and end >= start else None,
        child=_child(metadata) if shared == "agent_spawn" else None,
        attachments=_attachments(state.attachments),
        extra=_rest(state, metadata, exact=record.exact),
    )
    part.tool = part.callID = part.state = None
    if state.extra:
        part.extra = {**part.extra, "state": state.extra}
    return made


def _status(state: State, exit_code: int | None, name: str, *, ends_turn: bool) -> Status:
    if state.status == "completed":
        return _ERROR if exit_code or name == INVALID else _OK
    if state.status == "error":
        why = state.error if isinstance(state.error, str) else ""
        stopped = why.startswith(_ABORTED) or (ends_turn and why.startswith(_REFUSED))
        return _CANCELLED if stopped else _ERROR
    return _UNFINISHED


def _child(metadata: dict[str, Any]) -> str | None:
    """The session of the sub-agent that a call started."""
    id = metadata.get("sessionId") or metadata.get("sessionID")
    return f"opencode:{id}" if isinstance(id, str) and id else None


def _output(record: PartRecord, state: State, owner: Owner) -> str | None:
    """The output; of a long one the whole, if its file is still there; of a failed call, why it failed."""
    metadata = state.metadata if isinstance(state.metadata, dict) else _NO_METADATA
    path = metadata.get("outputPath")
    if isinstance(path, str) and (full := owner.fetch(os.path.basename(path), record.origin)) is not None:  # noqa: PTH119
        return full
    for value in (state.output, state.error, metadata.get("output")):
        if isinstance(value, str):
            return value
    return None


def _rest(state: State, metadata: dict[str, Any], *, exact: bool) -> dict[str, Any]:
    """What a call recorded beside its input and its output, which are taken out."""
    output = state.output
    state.input = None
    if type(state.attachments) is list:
        state.attachments = None
    if type(output) is str:
        # Of a long output that was cut, the record keeps what it has.
        if not isinstance(metadata.get("outputPath"), str):
            state.output = None
    elif output is None and type(state.error) is str:
        state.error = None
    rest: dict[str, Any] = to_builtins(state) if exact else tidy(state)
    if "output" in metadata:
        kept = rest["metadata"]
        if kept.get("output") in (output, None):
            kept.pop("output", None)
    return rest


def _attachments(found: Any) -> tuple[Attachment, ...]:
    if not isinstance(found, list):
        return ()
    return tuple(attachment(item) for item in found if isinstance(item, dict))


def attachment(item: dict[str, Any]) -> Attachment:
    """A file, whose bytes may be in its address."""
    url, kind = item.get("url"), item.get("mime")
    media = kind if isinstance(kind, str) and kind else "application/octet-stream"
    rest = {name: value for name, value in item.items() if name not in ("url", "mime", "type")}
    if isinstance(url, str) and url.startswith("data:") and ";base64," in url:
        head, _, data = url.partition(";base64,")
        if head.removeprefix("data:") != media:
            rest["head"] = head
        return Attachment(media_type=media, data=data, extra=rest)
    if not isinstance(url, str):
        rest["url"] = url
    return Attachment(media_type=media, uri=url if isinstance(url, str) else None, extra=rest)
