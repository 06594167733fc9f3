"""Changes to files line by line, from the arguments of a tool call or from what the tool recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from pollux.model import ToolCall, Value
from pollux.writers.calls import PATCH
from pollux.writers.edit_arguments import common_name, with_common_names

LONGEST = 3000
"""Lines: longer texts are shown one after the other, since comparing them would take too long."""

_OLD_AND_NEW = ("old_string", "new_string")
_FILE = re.compile(r"\*\*\* (?:Add|Update|Delete) File: (.+)")


class Diff(Value, frozen=True, kw_only=True):
    """The changes to one file. Every line begins with its mark: `+`, `-`, a space, or `@` for a line between them."""

    file: str | None
    lines: tuple[str, ...]

    @property
    def added(self) -> int:
        """The number of added lines."""
        return sum(line[0] == "+" for line in self.lines)

    @property
    def removed(self) -> int:
        """The number of removed lines."""
        return sum(line[0] == "-" for line in self.lines)


def changes_of(call: ToolCall) -> tuple[list[Diff], Any]:
    """The changes that a call made, as the tool recorded them if that is all of them; and its other arguments."""
    changes, rest = requested_changes(call.input)
    recorded = recorded_changes(call)
    return (recorded if recorded and covers(recorded, changes) else changes), rest


def requested_changes(arguments: Any) -> tuple[list[Diff], Any]:
    """The changes that a call asks for, and its other arguments."""
    if isinstance(arguments, str) and PATCH in arguments:
        return patch_changes(arguments), None
    if not isinstance(arguments, Mapping):
        return [], arguments
    named = with_common_names(arguments)
    file = _text(named.get("file_path"))
    if all(isinstance(named.get(key), str) for key in _OLD_AND_NEW):
        return [compared(file, named["old_string"], named["new_string"])], _without(arguments, *_OLD_AND_NEW)
    edits = arguments.get("edits")
    if isinstance(edits, list) and edits and all(_is_plain_edit(edit) for edit in edits):
        changes = [compared(file, edit["old_string"], edit["new_string"]) for edit in edits]
        return changes, _without(arguments, "edits")
    for key, value in arguments.items():
        if isinstance(value, str) and value.lstrip().startswith(PATCH):
            return patch_changes(value), _without(arguments, key)
    return [], arguments


def recorded_changes(call: ToolCall) -> list[Diff]:
    """The changes as the tool recorded them, with the lines around them."""
    for name in ("result", "resultDisplay"):
        record = call.extra.get(name)
        if not isinstance(record, Mapping):
            continue
        file = _text(record.get("filePath"))
        if isinstance(text := record.get("fileDiff"), str) and "\n@@" in text:
            return [Diff(file=file, lines=tuple(_unified(text)))]
        if (hunks := record.get("structuredPatch")) and isinstance(hunks, list):
            lines = [line for hunk in hunks for line in _hunk(hunk)]
            return [Diff(file=file, lines=tuple(lines))] if lines else []
    return []


def covers(diffs: list[Diff], others: list[Diff]) -> bool:
    """Do these changes hold every line of the others?"""
    have = [{line[1:] for diff in diffs for line in diff.lines if line[0] in marks} for marks in ("+ ", "- ")]
    need = [{line[1:] for diff in others for line in diff.lines if line[0] == mark and line[1:]} for mark in "+-"]
    return all(few <= many for few, many in zip(need, have, strict=True))


def compared(file: str | None, old: str, new: str) -> Diff:
    """The difference between two texts."""
    before, after = (text.split("\n") if text else [] for text in (old, new))
    if len(before) + len(after) > LONGEST:
        return Diff(file=file, lines=(*(f"-{line}" for line in before), *(f"+{line}" for line in after)))
    lines: list[str] = []
    for step, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if step == "equal":
            lines += [f" {line}" for line in before[i:j]]
        else:
            lines += [*(f"-{line}" for line in before[i:j]), *(f"+{line}" for line in after[k:m])]
    return Diff(file=file, lines=tuple(lines))


def patch_changes(text: str) -> list[Diff]:
    """The files of a patch as some agents write it, with what stands around it."""
    return list(_sections(text))


def _sections(text: str) -> Iterator[Diff]:
    file: str | None = None
    lines: list[str] = []
    for line in text.strip("\n").split("\n"):
        if (header := _FILE.fullmatch(line.rstrip())) is not None:
            if file is not None:
                yield Diff(file=file, lines=tuple(lines))
                lines = []
            file = header[1]
        lines.append(line if line[:1] in ("+", "-", " ") else f"@{line}" if line else " ")
    yield Diff(file=file, lines=tuple(lines))


def _unified(text: str) -> Iterator[str]:
    """The lines from the first change on; what stands before only names the file."""
    yield from unified_lines(text[text.index("\n@@") + 1 :])


def unified_lines(text: str) -> list[str]:
    """The lines of a unified diff without its head, each with its mark."""
    lines = text.strip("\n").split("\n")
    return [line if line[:1] in ("+", "-", " ") else f"@{line}" for line in lines]


def _hunk(hunk: Any) -> Iterator[str]:
    if not isinstance(hunk, Mapping) or not isinstance(hunk.get("lines"), list):
        return
    old, new = (f"{hunk.get(f'{side}Start')},{hunk.get(f'{side}Lines')}" for side in ("old", "new"))
    yield f"@@@ -{old} +{new} @@"
    for line in hunk["lines"]:
        yield line if isinstance(line, str) and line[:1] in ("+", "-", " ") else f"@{line}"


def _without(arguments: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if common_name(key) not in keys}


def _is_plain_edit(edit: Any) -> bool:
    return (
        isinstance(edit, Mapping)
        and set(edit) == set(_OLD_AND_NEW)
        and all(isinstance(text, str) for text in edit.values())
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
