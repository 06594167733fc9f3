"""A tool call on one line, and as much of its result as is wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pollux.model import Status, ToolCall, Value
from pollux.text.escape import one_line, visible

# What tells most about a call, in this order. A call shows up to three of them, the first without its name.
KEYS = (
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "command",
    "cmd",
    "pattern",
    "query",
    "url",
    "agent_name",
    "subagent_type",
    "path",
    "dir_path",
    "paths",
    "prompt",
    "objective",
    "request",
    "question",
    "task",
    "fact",
    "skill",
    "name",
    "title",
)
SHOWN = 3
LENGTH = 120
REASON_LENGTH = 200

# A patch begins with these words and says which files it is for.
PATCH = "*** Begin Patch"
PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)

OUTCOMES = {Status.OK: "ok", Status.ERROR: "failed", Status.CANCELLED: "cancelled", Status.UNFINISHED: "no result"}


class Argument(Value, frozen=True, kw_only=True):
    """One argument on a call's line; the first needs no name."""

    name: str | None
    text: str


class Section(Value, frozen=True, kw_only=True):
    """A text that belongs to a call or a file, under a few words that say what it is."""

    label: str
    text: str
    language: str = ""


class Bounds(Value, frozen=True, kw_only=True):
    """How much of a result an excerpt shows: lines from its beginning, lines from its end, characters of a line."""

    head: int
    tail: int
    width: int


def patch_in(arguments: Any) -> str | None:
    """A patch in the arguments of a call: as the whole, as an argument, or as a word of a command."""
    waiting = [arguments]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if PATCH in one:
                return one
        elif isinstance(one, list):
            waiting += reversed(one)
        elif isinstance(one, Mapping):
            waiting += reversed(list(one.values()))
    return None


def outcome(call: ToolCall) -> str:
    """How a call ended, in words."""
    words = OUTCOMES[call.status]
    return f"{words}, exit code {call.exit_code}" if call.exit_code else words


def reason(call: ToolCall) -> str | None:
    """Why a call failed, where one line says it all."""
    if call.status not in (Status.ERROR, Status.CANCELLED) or call.output is None or len(call.output) > REASON_LENGTH:
        return None
    words = visible(call.output).strip()
    return words if words and "\n" not in words else None


def arguments(call_input: Any) -> tuple[tuple[Argument, ...], bool]:
    """What a call was asked, in brief, and whether that is all of it."""
    if call_input is None or call_input in ({}, [], ""):
        return (), True
    if not isinstance(call_input, Mapping):
        text, complete = _brief(call_input)
        return (Argument(name=None, text=text),), complete
    known = [key for key in KEYS if key in call_input]
    chosen = known or list(call_input)[:SHOWN]
    brief = [(key, *_brief(call_input[key])) for key in chosen if call_input[key] not in (None, "", [], {})][:SHOWN]
    several = tuple(
        Argument(name=None if known and n == 0 else one_line(str(key), 40), text=text)
        for n, (key, text, _) in enumerate(brief)
    )
    return several, len(brief) == len(call_input) and all(complete for _, _, complete in brief)


def _brief(value: Any) -> tuple[str, bool]:
    """A value on one line, and whether it is whole. Of a patch, the files are shown."""
    if isinstance(value, str):
        if value.startswith(PATCH) and (files := PATCHED.findall(value)):
            return one_line(" ".join(dict.fromkeys(files)), LENGTH), False
        line = one_line(value[: 4 * LENGTH].strip().replace("\n", " ⏎ "), LENGTH)
        return line, len(value) <= LENGTH and "\n" not in value.strip()
    if isinstance(value, list | tuple):
        if all(isinstance(item, str | int | float) for item in value[:20]) and len(value) <= 20:
            return _brief(" ".join(str(item) for item in value))
        return f"{len(value)} items", False
    if isinstance(value, Mapping):
        return f"{len(value)} fields", False
    return one_line(_json(value), LENGTH), True


def whole_input(call_input: Any) -> tuple[Section, ...]:
    """Everything a call was asked: long texts each by itself, the rest as JSON."""
    if call_input is None or call_input == {}:
        return ()
    if not isinstance(call_input, Mapping):
        return (as_section("Input", call_input),)
    texts = {key: value for key, value in call_input.items() if isinstance(value, str) and "\n" in value.strip()}
    rest = {key: value for key, value in call_input.items() if key not in texts}
    sections = [Section(label=f"Input: {one_line(str(key), 60)}", text=_trimmed(value)) for key, value in texts.items()]
    return (as_section("Input", rest), *sections) if rest else tuple(sections)


def as_section(label: str, value: Any) -> Section:
    """Any value, for people to read."""
    if isinstance(value, str):
        return Section(label=label, text=_trimmed(value))
    return Section(label=label, text=_json(value, indent=2), language="json")


def _json(value: Any, indent: int | None = None) -> str:
    try:
        return visible(json.dumps(value, ensure_ascii=False, indent=indent, default=str))
    except (RecursionError, ValueError):
        return "(nested too deeply, or a number too long, to be written)"


def whole(label: str, text: str) -> Section:
    """All of a result or of a file."""
    text = _trimmed(text)
    return Section(label=f"{label}: {_lines(text.count(chr(10)) + 1)}", text=text)


def excerpt(output: str, bounds: Bounds) -> tuple[Section, bool]:
    """The beginning and the end of a result, saying how much is left out, and whether it is whole."""
    text = output.strip("\n") if output[:1] == "\n" or output[-1:] == "\n" else output
    total = text.count("\n") + 1
    missing = total - bounds.head - bounds.tail
    # To say that a line is missing would take as much room as to show it.
    missing = missing if missing > 1 else 0
    head = list(_first(text, bounds.head)) if missing else text.split("\n")
    tail = _last(text, bounds.tail) if missing else []
    lines = [_cut(line, bounds.width) for line in head]
    if missing:
        lost = len(text) - sum(map(len, head)) - sum(map(len, tail)) - bounds.head - bounds.tail
        lines.append(f"[… {_lines(missing)}, {lost:,} characters left out …]")
        lines += [_cut(line, bounds.width) for line in tail]
    complete = not missing and all(len(line) <= bounds.width for line in head)
    if missing:
        label = f"{total - missing:,} of {_lines(total)}"
    else:
        label = _lines(total) if complete else f"{_lines(total)}, shortened"
    return Section(label=f"Result: {label}", text=visible("\n".join(lines))), complete


def _first(text: str, count: int) -> Iterator[str]:
    start = 0
    for _ in range(count):
        end = text.index("\n", start)
        yield text[start:end]
        start = end + 1


def _last(text: str, count: int) -> list[str]:
    start = len(text)
    for _ in range(count):
        start = text.rindex("\n", 0, start)
    return text[start + 1 :].split("\n") if count else []


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[:width]}… [{len(line) - width:,} characters left out]"


def _trimmed(text: str) -> str:
    return visible(text).strip("\n")


def _lines(count: int) -> str:
    return f"{count:,} line" if count == 1 else f"{count:,} lines"
