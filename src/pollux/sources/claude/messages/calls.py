"""Tool calls: what was asked, what came back, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import Attachment, Status, ToolCall
from pollux.sources.claude.format.leftovers import is_plain, others
from pollux.sources.claude.format.outputs import PERSISTED, Outputs, place_of
from pollux.sources.claude.format.schema import Asked, Block, Line
from pollux.sources.claude.format.tools import SPAWNS, canonical
from pollux.sources.claude.messages.speakers import notices
from pollux.sources.claude.messages.user_parts import attachment
from pollux.wire import seconds

_OK, _ERROR, _CANCELLED, _UNFINISHED = Status.OK, Status.ERROR, Status.CANCELLED, Status.UNFINISHED
_EXIT = re.compile(r"(?:<tool_use_error>)?(?:Error: )?Exit code (-?\d{1,9})(?=\s|\Z)")
_INTERRUPTED = "[Tool call interrupted:"
_STOP = "[Request interrupted by user"
# 2.0 puts the exit code of the command before it.
_STOPPED = re.compile(r"(?:Exit code -?\d{1,9}\n)?\[Request interrupted by user")
_REFUSED = "The user doesn't want to"
_ENDED_EARLY = ("killed", "stopped", "cancelled")
# A summary begins with what was run, in the model's words, and ends with what became of it.
_CODE = re.compile(r"exit code (-?\d{1,9})\)?\s*\Z")
# What exit code 1 of a search, a comparison and a test means.
_ONES = ("No matches found", "Some directories were inaccessible", "Files differ", "Condition is false")
_HEADING = "<tools-used-before-summary>"

# What tools call the time that they took, and in what parts of a second they tell it.
_MEASURED = {"durationMs": 1000, "totalDurationMs": 1000, "durationSeconds": 1}
_unmeasured = _MEASURED.keys().isdisjoint


class Result(msgspec.Struct, frozen=True):
    """A result, the record's structured form of it, and why it was denied, where it was."""

    block: Block
    detail: Any
    denied: str | None = None


class Calls:
    """What was called in a conversation, and what came back: results, the sessions that calls started, later notices.

    `asked` are the calls, `results` the first result of each.
    """

    def __init__(self, outputs: Outputs, children: Mapping[str, str]) -> None:
        self.asked: set[str | None] = set()
        self.results: dict[str | None, Result] = {}
        self._refused: list[str] = []
        self._stopped: set[str] = set()
        self._told: dict[str, dict[str, str]] = {}
        self._outputs = outputs
        self._children = children

    def heard(self, content: list[Block]) -> None:
        """Remember the calls of a reply; the results of tools that the server ran stand in the reply itself."""
        self._refused.clear()
        for block in content:
            if block.id is not None:
                # A block that is called otherwise is no call: then a result keeps its own words.
                if block.type in ("tool_use", "server_tool_use"):
                    self.asked.add(block.id)
            elif block.tool_use_id is not None:
                self.results.setdefault(block.tool_use_id, Result(block, None))

    def answered(self, line: Line, content: str | list[Block]) -> None:
        """Remember what stands in the user's place: results, news of tasks, or that the human stopped the turn.

        Then what was refused since the last reply was not refused, but cancelled.
        """
        if isinstance(content, str):
            self.notified(content)
            first = content
        else:
            self._results(line, content)
            first = (content[0].text if content else None) or ""
        if first.startswith(_STOP):
            self._stopped.update(self._refused)

    def _results(self, line: Line, content: list[Block]) -> None:
        """What the record tells of results belongs to the first."""
        detail = line.toolUseResult
        denied = line.toolDenialKind if type(line) is Asked else None
        for block in content:
            if block.type == "tool_result" and block.tool_use_id is not None:
                self.results.setdefault(block.tool_use_id, Result(block, detail, denied))
                detail = None
                if block.is_error and (denied == "user-rejected" or _words(block.content).startswith(_REFUSED)):
                    self._refused.append(block.tool_use_id)
            elif block.text is not None:
                self.notified(block.text)

    def notified(self, text: str) -> None:
        """Tasks in the background have ended: how, and with what, is the outcome of the calls that started them."""
        for told in notices(text):
            if "tool-use-id" in told and told.keys() & {"status", "result"}:
                held = self._told.setdefault(told["tool-use-id"], told)
                self._told[told["tool-use-id"]] = {**told, **held}

    def joined(self, block: Block, at: datetime | None) -> ToolCall:
        """A call with its result."""
        call, name = block.id or "", block.name or "?"
        later, child = self._told.get(call), self._children.get(call)
        told = later.get("result") if later is not None else None
        shared, kind = canonical(name)
        whole = block.id is not None and block.name is not None and block.input is not None
        extra = {} if whole and is_plain(block, 5) else others(block, "type", "id", "name", "input")
        result = self.results.get(call)
        if result is None:
            status, exit_code = _later(later) if later is not None else (_UNFINISHED, None)
            return ToolCall(
                id=block.id,
                name=name,
                canonical=shared,
                tool_kind=kind,
                input=block.input,
                at=at,
                child=child,
                output=told,
                status=status,
                exit_code=exit_code,
                extra=extra,
            )
        detail = result.detail
        output: str | None = result.block.content
        held: tuple[Attachment, ...] = ()
        if type(output) is not str:
            output, held = answer(output, extra)
        if name in SPAWNS and type(detail) is dict:
            output = _said(detail, output, told, extra)
        elif told is not None:
            extra["shown"], output = output, told
        elif output is not None and output.startswith(PERSISTED):
            output = _whole(output, detail, self._outputs, extra)
        if type(detail) is dict and not result.block.is_error and result.denied is None:
            status, exit_code = _ended(detail, name, output)
        elif call in self._stopped:
            status, exit_code = _CANCELLED, None
        else:
            status, exit_code = _outcome(result, name, output)
        if later is not None and status is _OK:
            status, exit_code = _later(later)
        if detail is not None and (rest := _detail(detail, output)):
            extra["result"] = rest
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
            seconds=None if type(detail) is not dict or _unmeasured(detail) else _seconds(detail),
            child=child,
            attachments=held,
            extra=extra,
        )


def _words(content: Any) -> str:
    """The text of a refusal."""
    if type(content) is list and content and type(content[0]) is dict:
        content = content[0].get("text")
    return content if type(content) is str else ""


def _seconds(detail: dict[str, Any]) -> float | None:
    """How long a call took, where its tool measures that."""
    for name, parts in _MEASURED.items():
        if name in detail and (taken := seconds(detail[name], parts)) is not None:
            return taken
    return None


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
        stdout, file = detail.get("stdout"), detail.get("file")
        if type(stdout) is str and stdout and (stdout is output or output.startswith(stdout)):
            del detail["stdout"]
        if type(file) is dict and file.get("content") == output:
            del file["content"]
    return detail


def _outcome(result: Result, name: str, output: str | None) -> tuple[Status, int | None]:
    """How a call ended that failed or says little; an exit code other than 0 stands in the text."""
    text = output or ""
    if result.denied == "interrupted" or text.startswith(_INTERRUPTED):
        # Made up by a later start of the client: what became of the call, nobody knows.
        return _UNFINISHED, None
    if not result.block.is_error:
        # A tool that the server ran says so in its own way.
        refused = type(result.block.content) is dict and "error_code" in result.block.content
        return _ERROR if refused else _OK, None
    if _STOPPED.match(text) or (type(result.detail) is dict and result.detail.get("interrupted") is True):
        return _CANCELLED, None
    code = _EXIT.match(text) if name == "Bash" else None
    return _ERROR, int(code.group(1)) if code is not None else None


def _later(told: dict[str, str]) -> tuple[Status, int | None]:
    """How a task in the background ended, as a notice told it later."""
    found = _CODE.search(told.get("summary", ""))
    code = int(found.group(1)) if found is not None else None
    if told.get("status") in _ENDED_EARLY:
        return _CANCELLED, code
    return _ERROR if code or told.get("status") == "failed" else _OK, code


def _ended(detail: dict[str, Any], name: str, output: str | None) -> tuple[Status, int | None]:
    """How a call ended that the agent does not call failed; a task in the background has no exit code yet.

    Bash tells codes other than 0 in the text of a failure. Some, as that of a search without matches, it takes for an
    answer and puts into words.
    """
    if detail.get("interrupted") is True:
        return _CANCELLED, None
    if output is not None and output.startswith(_INTERRUPTED):
        return _UNFINISHED, None
    if name != "Bash" or "stdout" not in detail or detail.get("backgroundTaskId"):
        return _OK, None
    meaning = detail.get("returnCodeInterpretation")
    return (_ERROR, 1 if meaning in _ONES else None) if meaning else (_OK, 0)
