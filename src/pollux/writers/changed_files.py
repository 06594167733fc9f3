"""Which files a tool call was to change, in one form for all tools, where they lie, and what changed in each."""

from __future__ import annotations

import ntpath
import posixpath
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from pollux.model import ToolCall
from pollux.writers.calls import PATCH, patch_in
from pollux.writers.diffs import Diff, changes_of, patch_changes, unified_lines
from pollux.writers.edit_arguments import PATHS, with_common_names

_FOLDERS = ("workdir", "cwd")
_HEADER = re.compile(r"^\*\*\* (?:(Add|Update|Delete) File|Move to): (.*\S|.)[^\S\n]*$", re.MULTILINE)
_END = "\n*** End Patch"
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_MOVED_TO = "@*** Move to:"


class Change(StrEnum):
    """What a call was to do with a file. A file that is `written` is written as a whole, `added`: it was not there."""

    EDITED = "edited"
    WRITTEN = "written"
    ADDED = "added"
    DELETED = "deleted"
    MOVED = "moved"


_OF_PATCH = {"Add": Change.ADDED, "Update": Change.EDITED, "Delete": Change.DELETED}
_RECORDED = {"add": Change.ADDED, "update": Change.EDITED, "delete": Change.DELETED}


class ChangedFile(NamedTuple):
    """A file that a call was to change, by the name that the call gives it; of a patch: in which section of it."""

    path: str
    change: Change
    section: int | None = None


class Difference(NamedTuple):
    """What changed in a file, with lines as those of a `Diff`.

    `whole`: these are all lines of the file, and it is not known what it held before.
    """

    lines: tuple[str, ...]
    added: int | None
    removed: int | None
    whole: bool = False


def may_change_files(call: ToolCall) -> bool:
    """Can the call have changed files, as far as its tool and its records tell? This is quick to say."""
    return call.tool_kind == "edit" or "events" in call.extra


def changed_files(call: ToolCall) -> Sequence[ChangedFile]:
    """The files that a call of a tool for editing names, or that a tool recorded as changed. Commands are not read."""
    if call.tool_kind == "edit":
        if (patch := patch_in(call.input)) is not None:
            return _of_patch(_between(patch))
        path = _named(call.input, PATHS)
        return () if path is None else (ChangedFile(path, _change(call)),)
    return _of_records(recorded_files(call)) if "events" in call.extra else ()


def _of_records(records: Mapping[str, Mapping[str, Any]]) -> list[ChangedFile]:
    files: list[ChangedFile] = []
    for path, record in records.items():
        new = _named(record, ("move_path",))
        files.append(ChangedFile(path, _RECORDED[record["type"]] if new is None else Change.MOVED))
        files += [ChangedFile(new, Change.MOVED)] if new is not None else []
    return files


def _of_patch(patch: str) -> list[ChangedFile]:
    files: list[ChangedFile] = []
    section = -1
    for header in _HEADER.finditer(patch):
        if header[1] is not None:
            section += 1
            files.append(ChangedFile(header[2], _OF_PATCH[header[1]], section))
        elif files:  # it is moved, from the path that stands before
            files[-1] = files[-1]._replace(change=Change.MOVED)
            files.append(ChangedFile(header[2], Change.MOVED, section))
    return files


def _between(patch: str) -> str:
    """A patch without what a command has around it."""
    begun = patch[patch.index(PATCH) :]
    return begun.partition(_END)[0]


def _change(call: ToolCall) -> Change:
    if call.canonical != "file_write":
        return Change.EDITED
    is_new = any(record.get("type") == "create" or record.get("isNewFile") is True for record in _records(call))
    return Change.ADDED if is_new else Change.WRITTEN


def _records(call: ToolCall) -> list[Mapping[str, Any]]:
    """What a tool recorded of its change."""
    found = (call.extra.get(name) for name in ("result", "resultDisplay"))
    return [record for record in found if isinstance(record, Mapping)]


def recorded_files(call: ToolCall) -> dict[str, Mapping[str, Any]]:
    """The files that changed, with whole paths, as the events of a call record them."""
    found: dict[str, Mapping[str, Any]] = {}
    events = call.extra.get("events")
    for event in events if isinstance(events, list) else ():
        item = event.get("item") if isinstance(event, Mapping) else None
        record = item if isinstance(item, Mapping) else event
        changes = record.get("changes") if isinstance(record, Mapping) else None
        if isinstance(changes, Mapping):
            found |= {path: change for path, change in changes.items() if _is_recorded(change)}
    return found


def _is_recorded(change: Any) -> bool:
    return isinstance(change, Mapping) and change.get("type") in _RECORDED


def located(path: str, call: ToolCall, project: str | None) -> str:
    """The whole path of a file, as far as it is known in which folder the call worked; else as the call names it."""
    if path.startswith(("/", "\\", "~")) or _DRIVE.match(path):
        return path
    if "events" in call.extra:
        tail = "/" + posixpath.normpath(path.replace("\\", "/"))
        for whole in recorded_files(call):
            if whole.replace("\\", "/").endswith(tail):
                return whole
    folder = _named(call.input, _FOLDERS)
    if folder is None or not (folder.startswith("/") or _DRIVE.match(folder)):
        folder = project
    if folder is None:
        return path
    if _DRIVE.match(folder):
        return ntpath.normpath(ntpath.join(folder, path))
    return posixpath.normpath(posixpath.join(folder, path))


def difference(call: ToolCall, path: str, project: str | None) -> Difference | None:
    """What a call was to change in a file with this whole path; None where nothing tells it."""
    file = next((file for file in changed_files(call) if located(file.path, call, project) == path), None)
    if file is None:
        return None
    if (record := recorded_files(call).get(path)) is not None:
        return _recorded_difference(record)
    if file.section is not None:
        sections = patch_changes(_between(patch_in(call.input) or PATCH))
        return _of_section(sections[file.section], file.change) if file.section < len(sections) else None
    changes, _ = changes_of(call)
    if changes:
        lines = list(changes[0].lines)
        for change in changes[1:]:
            lines += ["@@@", *change.lines]
        return _counted(lines)
    arguments = with_common_names(call.input)
    content = arguments.get("content") if isinstance(arguments, Mapping) else None
    if not isinstance(content, str):
        return None
    lines = [f"+{line}" for line in content.splitlines()]
    is_new = file.change is Change.ADDED
    return Difference(tuple(lines), len(lines), 0 if is_new else None, whole=not is_new)


def _of_section(section: Diff, change: Change) -> Difference:
    """Without the headers of the patch."""
    lines = [line for line in section.lines if line[0] != "@" or line.startswith(("@@@", _MOVED_TO))]
    if change is Change.DELETED:  # the patch does not hold the lines that are gone
        return Difference(tuple(lines), 0, None)
    return _counted(lines)


def _recorded_difference(record: Mapping[str, Any]) -> Difference | None:
    if isinstance(text := record.get("unified_diff"), str):
        return _counted(unified_lines(text))
    if not isinstance(content := record.get("content"), str):
        return None
    mark = "-" if record["type"] == "delete" else "+"
    return _counted([f"{mark}{line}" for line in content.splitlines()])


def _counted(lines: Sequence[str]) -> Difference:
    added, removed = (sum(line[0] == mark for line in lines) for mark in "+-")
    return Difference(tuple(lines), added, removed)


def _named(arguments: Any, names: Sequence[str]) -> str | None:
    if isinstance(arguments, Mapping):
        for name in names:
            value = arguments.get(name)
            if isinstance(value, str) and value:
                return value
    return None
