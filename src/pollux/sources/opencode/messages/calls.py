"""Tool calls."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from pollux.model import Attachment, Status, ToolCall
from pollux.sources.opencode.format.schema import Part, State, Times
from pollux.sources.opencode.format.tools import INVALID, canonical
from pollux.system.clock import since_epoch
from pollux.wire import tidy_without

Fetch = Callable[[str], str | None]
"""The full text of a long output, by the path that a call names; None if it is gone."""

_ABORTED = ("Tool execution aborted", "The operation was aborted")
_REFUSED = ("The user rejected permission", "The user dismissed this question")


def call_of(part: Part, fetch: Fetch, *, exact: bool, ends_turn: bool) -> ToolCall:
    """A call with its outcome. `exact`: nothing in it is unknown. `ends_turn`: nothing followed it in the turn."""
    state = part.state or State()
    name = part.tool or ""
    shared, kind = canonical(name)
    metadata = state.metadata if isinstance(state.metadata, dict) else {}
    exit_code = metadata.get("exit") if type(metadata.get("exit")) is int else None
    times = state.time or Times()
    start, end = since_epoch(times.start, 1000), since_epoch(times.end, 1000)
    child = metadata.get("sessionId") or metadata.get("sessionID")
    return ToolCall(
        id=part.callID,
        name=name,
        canonical=shared,
        tool_kind=kind,
        input=state.input,
        status=_status(state, exit_code, name, ends_turn=ends_turn),
        output=_output(state, metadata, fetch),
        exit_code=exit_code,
        at=start,
        seconds=(end - start).total_seconds() if start is not None and end is not None and end >= start else None,
        child=f"opencode:{child}" if isinstance(child, str) and child and shared == "agent_spawn" else None,
        attachments=_attachments(state.attachments),
        extra=_extra(state, exact=exact),
    )


def _status(state: State, exit_code: int | None, name: str, *, ends_turn: bool) -> Status:
    if state.status == "completed":
        return Status.ERROR if exit_code or name == INVALID else Status.OK
    if state.status == "error":
        why = state.error if isinstance(state.error, str) else ""
        stopped = why.startswith(_ABORTED) or (ends_turn and why.startswith(_REFUSED))
        return Status.CANCELLED if stopped else Status.ERROR
    return Status.UNFINISHED


def _output(state: State, metadata: dict[str, Any], fetch: Fetch) -> str | None:
    """The output; of a long one the whole, if its file is still there; of a failed call, why it failed."""
    path = metadata.get("outputPath")
    if isinstance(path, str) and (full := fetch(os.path.basename(path))) is not None:  # noqa: PTH119
        return full
    for value in (state.output, state.error, metadata.get("output")):
        if isinstance(value, str):
            return value
    return None


def _extra(state: State, *, exact: bool) -> dict[str, Any]:
    """What a call recorded beside its input and its output."""
    used = ["input"]
    if type(state.attachments) is list:
        used.append("attachments")
    if type(state.output) is str and not _is_cut(state):
        used.append("output")
    elif type(state.error) is str and state.output is None:
        used.append("error")
    rest = tidy_without(state, *used, exact=exact)
    metadata = rest.get("metadata")
    if isinstance(metadata, dict) and metadata.get("output") in (state.output, None):
        metadata.pop("output", None)
    return rest


def _is_cut(state: State) -> bool:
    return isinstance(state.metadata, dict) and isinstance(state.metadata.get("outputPath"), str)


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
