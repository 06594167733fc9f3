"""Tool calls: what was asked, what came back, and how it ended."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import Attachment, Status, ToolCall
from pollux.sources.claude.outputs import Outputs, place_of
from pollux.sources.claude.schema import Block, Line
from pollux.sources.claude.tools import SPAWNS, canonical
from pollux.wire import tidy

_OK, _ERROR, _CANCELLED, _UNFINISHED = Status.OK, Status.ERROR, Status.CANCELLED, Status.UNFINISHED
_EXIT = re.compile(r"(?:<tool_use_error>)?(?:Error: )?Exit code (-?\d{1,9})(?=\s|\Z)")
_INTERRUPTED = "[Tool call interrupted:"
_STOPPED = "[Request interrupted by user"
_HEADING = "<tools-used-before-summary>"
# Of a block's fields a call has five: extra, type, id, name, input.
_PLAIN = len(Block.__struct_fields__) - 5


class Result(msgspec.Struct, frozen=True):
    """A result, the record that carries it, and the record's structured form of it."""

    block: Block
    line: Line
    detail: Any


def tool_call(
    block: Block, at: datetime | None, result: Result | None, outputs: Outputs, child: str | None, told: str | None
) -> ToolCall:
    """A call joined with its result; `told` is what a notice about its end said later."""
    name = block.name or "?"
    shared, kind = canonical(name)
    extra: dict[str, Any] = {}
    absent = (block.id is None) + (block.name is None) + (block.input is None)
    if msgspec.structs.astuple(block).count(None) != _PLAIN + absent or block.extra:
        extra.update(_leftovers(block))
    if result is None:
        return ToolCall(
            id=block.id,
            name=name,
            canonical=shared,
            tool_kind=kind,
            input=block.input,
            at=at,
            child=child,
            output=told,
            status=_OK if told is not None else _UNFINISHED,
            extra=extra,
        )
    output, held = answer(result.block.content, extra)
    detail = result.detail
    if name in SPAWNS and type(detail) is dict:
        output = _said(detail, output, told, extra)
    elif output is not None and output.startswith("<persisted-output>"):
        output = _whole(output, detail, outputs, extra)
    if detail is not None and (rest := _detail(detail, output)):
        extra["result"] = rest
    status, exit_code = _outcome(result, name, output)
    return ToolCall(
        id=block.id,
        name=name,
        canonical=shared,
        tool_kind=kind,
        input=block.input,
        status=status,
        output=output,
        exit_code=exit_code,
        at=at,
        child=child,
        attachments=held,
        extra=extra,
    )


def _leftovers(block: Block) -> dict[str, Any]:
    rest: dict[str, Any] = tidy(block)
    for name in ("type", "id", "name", "input"):
        rest.pop(name, None)
    # Odd values of those fields stand in `extra` under their names, and win.
    return {**rest, **block.extra}


def answer(content: Any, extra: dict[str, Any]) -> tuple[str | None, tuple[Attachment, ...]]:
    """The text and the pictures of a result; what is neither goes into `extra`."""
    if type(content) is str:
        return content, ()
    if content is None:
        return None, ()
    if type(content) is not list:
        extra["content"] = content
        return None, ()
    texts: list[str] = []
    held: list[Attachment] = []
    rest: list[Any] = []
    for item in content:
        match item:
            case {"type": "text", "text": str(text), **more} if not more:
                texts.append(text)
            case {"type": "image", "source": dict(source), **more} if not more and (picture := attachment(source)):
                held.append(picture)
            case _:
                rest.append(item)
    if rest:
        extra["content"] = rest
    return ("\n".join(texts) if texts else None), tuple(held)


def attachment(source: dict[str, Any]) -> Attachment | None:
    """A picture or a document of the API's vocabulary."""
    match source:
        case {"media_type": str(media), "data": str(data), **more}:
            kept = {name: value for name, value in more.items() if name != "type" or value not in ("base64", "text")}
            return Attachment(media_type=media, data=data, extra=kept)
        case {"type": "url", "url": str(url), **more}:
            return Attachment(media_type="application/octet-stream", uri=url, extra=more)
        case _:
            return None


def _said(detail: dict[str, Any], output: str | None, told: str | None, extra: dict[str, Any]) -> str | None:
    """What a sub-agent answered, without the client's remarks around it."""
    if told is not None and detail.get("isAsync"):
        extra["shown"] = output
        return told
    blocks = detail.get("content")
    words = [
        item["text"]
        for item in (blocks if type(blocks) is list else ())
        if type(item) is dict and type(item.get("text")) is str and not item["text"].startswith(_HEADING)
    ]
    if not words or (said := "\n".join(words)) == output:
        return output
    if output is not None:
        extra["shown"] = output
    return said


def _whole(output: str, detail: Any, outputs: Outputs, extra: dict[str, Any]) -> str:
    """A cut output as it was: from the file that holds it, or from the record itself (2.1.30)."""
    named = detail.get("persistedOutputPath") if type(detail) is dict else None
    place = named if type(named) is str else place_of(output)
    whole = outputs.fetch(place) if place is not None else None
    if whole is None and type(detail) is dict:
        inline = detail.get("stdout")
        whole = inline if type(inline) is str and len(inline) > len(output) else None
    if whole is None:
        return output
    extra["shown"] = output
    return whole


def _detail(detail: Any, output: str | None) -> Any:
    """The structured result without the text that already is the output."""
    if type(detail) is not dict:
        return None if detail == output else detail
    if output is not None:
        stdout = detail.get("stdout")
        if type(stdout) is str and stdout and output.startswith(stdout):
            return {name: value for name, value in detail.items() if name != "stdout"}
        file = detail.get("file")
        if type(file) is dict and file.get("content") == output:
            return {**detail, "file": {name: value for name, value in file.items() if name != "content"}}
    return detail


def _outcome(result: Result, name: str, output: str | None) -> tuple[Status, int | None]:
    """How a call ended, and the exit code where one is known: Bash tells only codes other than 0."""
    detail, text = result.detail, output or ""
    if result.line.toolDenialKind == "interrupted" or text.startswith(_INTERRUPTED):
        return _UNFINISHED, None
    stopped = type(detail) is dict and detail.get("interrupted") is True
    if result.block.is_error:
        code = _EXIT.match(text) if name == "Bash" else None
        if text.startswith(_STOPPED):
            return _CANCELLED, None
        return _ERROR, int(code.group(1)) if code is not None else None
    if stopped:
        return _CANCELLED, None
    ended = name == "Bash" and type(detail) is dict and "stdout" in detail
    known = ended and not detail.get("backgroundTaskId") and not detail.get("returnCodeInterpretation")
    return _OK, 0 if known else None
