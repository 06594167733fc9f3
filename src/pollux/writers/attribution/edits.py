"""What a tool call changed in files, in one form for all tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pollux.model import Status, ToolCall, Value
from pollux.writers.calls import PATCH, patch_in
from pollux.writers.edit_arguments import with_common_names

_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.*\S|.)\s*$")
_HUNK = re.compile(r"^@@ -(\d+)", re.MULTILINE)
_MOVE = re.compile(r"\*\*\* Move to: (.*\S|.)\s*$")


class Edit(Value, frozen=True, kw_only=True):
    """One text put in the place of another, `every` time it stands there; `old` is None for a whole file.

    `new` is None where the file is gone, or nobody can tell what became of it. `before` is the whole file as the tool
    found it, where the tool wrote that down.
    """

    path: str
    old: str | None = None
    new: str | None = None
    every: bool = False
    before: str | None = None


def edits(call: ToolCall) -> Iterator[Edit]:
    """What a successful call changed."""
    if call.status is not Status.OK:
        return
    arguments = with_common_names(call.input)
    if (patch := patch_in(arguments)) is not None:
        yield from _patch_edits(patch)
    elif isinstance(arguments, Mapping) and isinstance(path := arguments.get("file_path"), str):
        yield from _requested_edits(call, arguments, path)


def _requested_edits(call: ToolCall, arguments: Mapping[str, Any], path: str) -> Iterator[Edit]:
    content, changes = arguments.get("content"), arguments.get("edits")
    if call.canonical == "file_write" and isinstance(content, str):
        yield Edit(path=path, new=content)
        return
    every = arguments.get("replace_all") is True or arguments.get("allow_multiple") is True
    before = _before(call)
    for change in changes if isinstance(changes, list) else [arguments]:
        match change:
            case {"old_string": "", "new_string": str(new)} if not before:
                yield Edit(path=path, new=new)
            case {"old_string": str(old), "new_string": str(new)}:
                several = every or change.get("replace_all") is True
                yield Edit(path=path, old=old, new=new, every=several, before=before)
                before = None
            case _ if call.tool_kind == "edit":
                yield Edit(path=path)


def _before(call: ToolCall) -> str | None:
    """The whole file before the change; None if the tool's own account of the change shows that this is only a part."""
    for name in ("result", "resultDisplay"):
        match call.extra.get(name):
            case {"originalFile": str(text)}:
                return text
            case {"originalContent": str(text), "fileDiff": str(diff)}:
                hunk = _HUNK.search(diff)
                return text if hunk is None or int(hunk[1]) <= text.count("\n") + 1 else None
            case {"originalContent": str(text)}:
                return text
    return None


def _patch_edits(patch: str) -> Iterator[Edit]:
    """The files of a patch as some agents write it: lines to add, to take away and to stay, by file."""
    path, kind, old, new = "", "", list[str](), list[str]()

    def change() -> Iterator[Edit]:
        if kind == "Add":
            yield Edit(path=path, new="".join(f"{line}\n" for line in new))
        elif kind == "Update" and (old or new):
            # Without a line that was there before, the place of the new ones is not known.
            known = bool(old)
            yield Edit(path=path, old="\n".join(old), new="\n".join(new) if known else None)
        old.clear()
        new.clear()

    for line in patch[patch.index(PATCH) :].split("\n"):
        if (named := _FILE.match(line)) is not None:
            yield from change()
            kind, path = named[1], named[2]
            if kind == "Delete":
                yield Edit(path=path)
        elif (moved := _MOVE.match(line)) is not None:
            yield Edit(path=path)
            path = moved[1]
        elif line.startswith("*** End Patch"):
            break
        elif line.startswith("@@"):
            yield from change()
        elif line[:1] in ("+", "-", " ") or not line:
            old += [line[1:]] if line[:1] != "+" else []
            new += [line[1:]] if line[:1] != "-" else []
    yield from change()
