"""Tool calls: their input, their output, and their status."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import Attachment, Status, ToolCall
from pollux.sources.claude.format.leftovers import is_plain, other_fields
from pollux.sources.claude.format.outputs import PERSISTED, Outputs, place_of
from pollux.sources.claude.format.schema import Block, Line, UserRecord
from pollux.sources.claude.format.tools import SPAWNS, canonical
from pollux.sources.claude.messages.authors import task_notices
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
# A summary begins with the command, in the model's words, and ends with its outcome.
_CODE = re.compile(r"exit code (-?\d{1,9})\)?\s*\Z")
# The meanings of exit code 1 of a search, a comparison and a test.
_ONES = ("No matches found", "Some directories were inaccessible", "Files differ", "Condition is false")
_HEADING = "<tools-used-before-summary>"

# The names of durations in results, and their parts of a second.
_MEASURED = {"durationMs": 1000, "totalDurationMs": 1000, "durationSeconds": 1}
_has_no_duration = _MEASURED.keys().isdisjoint


class Result(msgspec.Struct, frozen=True):
    """A result, its structured form in the record, and the reason if it was denied."""

    block: Block
    detail: Any
    denied: str | None = None


class Calls:
    """The calls of a conversation with their results, the sessions that they started, and later notices.

    `asked` are the ids of calls, `results` the first result of each.
    """

    def __init__(self, outputs: Outputs, children: Mapping[str, str]) -> None:
        self.asked: set[str | None] = set()
        self.results: dict[str | None, Result] = {}
        self._refused_calls: list[str] = []
        self._stopped_calls: set[str] = set()
        self._task_notices: dict[str, dict[str, str]] = {}
        self._outputs = outputs
        self._children = children

    def add_reply(self, content: list[Block]) -> None:
        """Note the calls of a reply. Results of tools that the server ran stand in the reply itself."""
        if self._refused_calls:
            self._refused_calls.clear()
        for block in content:
            if block.id is not None:
                # Other blocks are not calls: then a result keeps its own words.
                if block.type in ("tool_use", "server_tool_use"):
                    self.asked.add(block.id)
            elif block.tool_use_id is not None:
                self.results.setdefault(block.tool_use_id, Result(block, None))

    def add_user_content(self, line: Line, content: str | list[Block]) -> None:
        """Note a user's content: results, notices about tasks, or that the human stopped the turn.

        In the last case the calls since the last reply were not refused, but cancelled.
        """
        if isinstance(content, str):
            self.add_notices(content)
            first = content
        else:
            self._results(line, content)
            first = (content[0].text if content else None) or ""
        if first.startswith(_STOP):
            self._stopped_calls.update(self._refused_calls)

    def _results(self, line: Line, content: list[Block]) -> None:
        """Note the results of a record. Its structured result belongs to the first one."""
        detail = line.toolUseResult
        denied = line.toolDenialKind if type(line) is UserRecord else None
        for block in content:
            if block.type == "tool_result" and block.tool_use_id is not None:
                self.results.setdefault(block.tool_use_id, Result(block, detail, denied))
                detail = None
                if block.is_error and (denied == "user-rejected" or _words(block.content).startswith(_REFUSED)):
                    self._refused_calls.append(block.tool_use_id)
            elif block.text is not None:
                self.add_notices(block.text)

    def add_notices(self, text: str) -> None:
        """Note the outcome of background tasks for the calls that started them."""
        for notice in task_notices(text):
            if "tool-use-id" in notice and notice.keys() & {"status", "result"}:
                earlier = self._task_notices.setdefault(notice["tool-use-id"], notice)
                self._task_notices[notice["tool-use-id"]] = {**notice, **earlier}

    def tool_call(self, block: Block, at: datetime | None) -> ToolCall:
        """A call with its result."""
        call, name = block.id or "", block.name or "?"
        notice, child = self._task_notices.get(call), self._children.get(call)
        task_result = notice.get("result") if notice is not None else None
        shared, kind = canonical(name)
        complete = block.id is not None and block.name is not None and block.input is not None
        extra = {} if complete and is_plain(block, 5) else other_fields(block, "type", "id", "name", "input")
        result = self.results.get(call)
        if result is None:
            status, exit_code = _task_outcome(notice) if notice is not None else (_UNFINISHED, None)
            return ToolCall(
                id=block.id,
                name=name,
                canonical=shared,
                tool_kind=kind,
                input=block.input,
                at=at,
                child=child,
                output=task_result,
                status=status,
                exit_code=exit_code,
                extra=extra,
            )
        detail = result.detail
        output: str | None = result.block.content
        pictures: tuple[Attachment, ...] = ()
        if type(output) is not str:
            output, pictures = answer(output, extra)
        if name in SPAWNS and type(detail) is dict:
            output = _subagent_answer(detail, output, task_result, extra)
        elif task_result is not None:
            extra["shown"], output = output, task_result
        elif output is not None and output.startswith(PERSISTED):
            output = _full_output(output, detail, self._outputs, extra)
        if type(detail) is dict and not result.block.is_error and result.denied is None:
            status, exit_code = _successful_outcome(detail, name, output)
        elif call in self._stopped_calls:
            status, exit_code = _CANCELLED, None
        else:
            status, exit_code = _outcome(result, name, output)
        if notice is not None and status is _OK:
            status, exit_code = _task_outcome(notice)
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
            seconds=None if type(detail) is not dict or _has_no_duration(detail) else _seconds(detail),
            child=child,
            attachments=pictures,
            extra=extra,
        )


def _words(content: Any) -> str:
    """The text of a refusal."""
    if type(content) is list and content and type(content[0]) is dict:
        content = content[0].get("text")
    return content if type(content) is str else ""


def _seconds(detail: dict[str, Any]) -> float | None:
    """How long a call took, if its tool measures that."""
    for name, parts in _MEASURED.items():
        if name in detail and (duration := seconds(detail[name], parts)) is not None:
            return duration
    return None


def answer(content: Any, extra: dict[str, Any]) -> tuple[str | None, tuple[Attachment, ...]]:
    """The text and the pictures of a result. Everything else goes into `extra`."""
    if type(content) is str:
        return content, ()
    if content is None:
        return None, ()
    if type(content) is not list:
        extra["content"] = content
        return None, ()
    texts: list[str] = []
    pictures: list[Attachment] = []
    rest: list[Any] = []
    for item in content:
        match item:
            case {"type": "text", "text": str(text), **more} if not more:
                texts.append(text)
            case {"type": "image", "source": dict(source), **more} if not more and (picture := attachment(source)):
                pictures.append(picture)
            case _:
                rest.append(item)
    if rest:
        extra["content"] = rest
    return ("\n".join(texts) if texts else None), tuple(pictures)


def _subagent_answer(
    detail: dict[str, Any], output: str | None, task_result: str | None, extra: dict[str, Any]
) -> str | None:
    """A sub-agent's answer, without the client's remarks around it."""
    if task_result is not None and detail.get("isAsync"):
        extra["shown"] = output
        return task_result
    blocks = detail.get("content")
    words = [
        item["text"]
        for item in (blocks if type(blocks) is list else ())
        if type(item) is dict and type(item.get("text")) is str and not item["text"].startswith(_HEADING)
    ]
    if not words or (text := "\n".join(words)) == output:
        return output
    if output is not None:
        extra["shown"] = output
    return text


def _full_output(output: str, detail: Any, outputs: Outputs, extra: dict[str, Any]) -> str:
    """A shortened output in full: from its file, or from the record itself (2.1.30)."""
    recorded_path = detail.get("persistedOutputPath") if type(detail) is dict else None
    place = recorded_path if type(recorded_path) is str else place_of(output)
    full = outputs.fetch(place) if place is not None else None
    if full is None and type(detail) is dict:
        inline = detail.get("stdout")
        full = inline if type(inline) is str and len(inline) > len(output) else None
    if full is None:
        return output
    extra["shown"] = output
    return full


def _detail(detail: Any, output: str | None) -> Any:
    """The structured result without the text of the output."""
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
    """The outcome of a call that failed, or has no structured result. An exit code other than 0 stands in the text."""
    text = output or ""
    if result.denied == "interrupted" or text.startswith(_INTERRUPTED):
        # A later start of the client made this result up: the real outcome is not known.
        return _UNFINISHED, None
    if not result.block.is_error:
        # A tool that the server ran reports errors differently.
        is_error = type(result.block.content) is dict and "error_code" in result.block.content
        return _ERROR if is_error else _OK, None
    if _STOPPED.match(text) or (type(result.detail) is dict and result.detail.get("interrupted") is True):
        return _CANCELLED, None
    code = _EXIT.match(text) if name == "Bash" else None
    return _ERROR, int(code.group(1)) if code is not None else None


def _task_outcome(notice: dict[str, str]) -> tuple[Status, int | None]:
    """The outcome of a background task, from its notice."""
    match = _CODE.search(notice.get("summary", ""))
    code = int(match.group(1)) if match is not None else None
    if notice.get("status") in _ENDED_EARLY:
        return _CANCELLED, code
    return _ERROR if code or notice.get("status") == "failed" else _OK, code


def _successful_outcome(detail: dict[str, Any], name: str, output: str | None) -> tuple[Status, int | None]:
    """The outcome of a call that the agent does not report as failed. A background task has no exit code yet.

    Bash names codes other than 0 in the text of a failure. Some codes, such as that of a search without matches, it
    takes for an answer and describes in words.
    """
    if detail.get("interrupted") is True:
        return _CANCELLED, None
    if output is not None and output.startswith(_INTERRUPTED):
        return _UNFINISHED, None
    if name != "Bash" or "stdout" not in detail or detail.get("backgroundTaskId"):
        return _OK, None
    meaning = detail.get("returnCodeInterpretation")
    return (_ERROR, 1 if meaning in _ONES else None) if meaning else (_OK, 0)
