"""Threads that begin in another file (0.149+), in one file.

Such a file names the file that it continues, and how many bytes and lines of it belong to the thread. Codex CLI refuses
to resume a thread if that file is gone or shorter. A file without this pointer, with what is left of the beginning in
front and all lines numbered anew, is resumed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pollux.sources.codex import find
from pollux.sources.codex.format.compressed import plain_bytes, unpacked
from pollux.sources.resume_files import ResumeFile
from pollux.system.files import HUGE, SMALL, read
from pollux.wire import Notes
from pollux.wire.join_versions import object_lines, value_of

_BASE = "history_base"
_LOST = "the file that it begins in is gone, and its beginning with it"
_CUT = "the file that it begins in was cut, and the rest of its beginning is lost"
_SHORTER = "its beginning stood in another file, and was put in front"


def flattened(files: Sequence[ResumeFile]) -> list[ResumeFile]:
    """The files; one file each for threads that begin in a file which is not complete here.

    An earlier file of the same thread is left out if all of it is in a later one: it would be read twice.
    """
    contents = {name: plain_bytes(file.content) for file in files if (name := find.parse_name(file.path)[1])}
    flat = [_flat(file, contents) for file in files]
    taken_in = {
        name
        for file, before in zip(flat, files, strict=True)
        if file is not before
        for name in _earlier_files(before, contents)
    }
    return [file for file in flat if find.parse_name(file.path)[1] not in taken_in]


def missing_beginning(thread: str, files: Iterable[str]) -> str | None:
    """Why Codex CLI refuses to resume a thread from these files; None where nothing of its beginning is missing."""
    paths = {name: path for path in files if (name := find.parse_name(path)[1]) is not None}
    own = [path for path in paths.values() if find.parse_name(path)[0] == thread]
    if not own:
        return None
    newest = max(own, key=os.path.basename)
    base, seen = _base(_first_line(newest)), {find.parse_name(newest)[1]}
    while base is not None:
        if base.name in seen or (path := paths.get(base.name)) is None:
            return _LOST
        if _size(path) < base.bytes:
            return _CUT
        seen.add(base.name)
        base = _base(_first_line(path))
    return None


def _first_line(path: str) -> list[dict[str, Any]]:
    try:
        with unpacked(path, Notes()) as file:
            return _lines(file.readline(SMALL))
    except OSError:
        return []


def _size(path: str) -> int:
    """How many plain bytes a file has."""
    try:
        return len(plain_bytes(read(path, HUGE))) if path.endswith(".zst") else os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0


def _earlier_files(file: ResumeFile, contents: Mapping[str, bytes]) -> Iterator[str]:
    """The ids of the files of the same thread, all of whose lines a file continues."""
    thread, own, _ = find.parse_name(file.path)
    base, seen = _base(_lines(plain_bytes(file.content))), {own}
    while base is not None and base.name not in seen:
        seen.add(base.name)
        lines = _lines(contents.get(base.name, b""))
        if lines and _thread(lines) == thread and all(_ordinal(line) < base.lines for line in lines):
            yield base.name
        base = _base(lines)


def _thread(lines: Sequence[Mapping[str, Any]]) -> str | None:
    match lines[0]:
        case {"payload": {"id": str(name)}}:
            return name
    return None


def _flat(file: ResumeFile, contents: Mapping[str, bytes]) -> ResumeFile:
    lines = _lines(plain_bytes(file.content))
    own = find.parse_name(file.path)[1]
    if own is None or not lines or (base := _base(lines)) is None:
        return file
    found, why = _is_complete(base, contents, {own})
    if found:
        return file
    first, *rest = lines
    first = {**first, "payload": {key: value for key, value in first["payload"].items() if key != _BASE}}
    joined = [first, *_beginning(base, contents, {own}), *rest]
    content = b"".join(msgspec.json.encode({**line, "ordinal": n}) + b"\n" for n, line in enumerate(joined))
    return replace(file, path=file.path.removesuffix(".zst"), content=content, made=why)


class _Base(msgspec.Struct, frozen=True):
    """The file that another one continues, and how much of it."""

    name: str
    lines: int
    bytes: int


def _base(lines: Sequence[Mapping[str, Any]]) -> _Base | None:
    match lines[0] if lines else None:
        case {
            "payload": {
                "history_base": {
                    "thread_id": str(name),
                    "end_ordinal_exclusive": int(end),
                    "end_byte_offset": int(size),
                }
            }
        }:
            return _Base(name, end, size)
    return None


def _is_complete(base: _Base | None, contents: Mapping[str, bytes], seen: set[str]) -> tuple[bool, str]:
    """Is every file that a thread begins in there, and long enough? Otherwise also the reason, in words."""
    while base is not None and base.name not in seen:
        content = contents.get(base.name)
        if content is None:
            return False, _LOST
        if len(content) < base.bytes:
            return False, _CUT if _is_short_of(base, content) else _SHORTER
        seen = {*seen, base.name}
        base = _base(_lines(content.partition(b"\n")[0]))
    return base is None, _LOST


def _is_short_of(base: _Base, content: bytes) -> bool:
    return max((_ordinal(line) for line in _lines(content)), default=-1) + 1 < base.lines


def _beginning(base: _Base | None, contents: Mapping[str, bytes], seen: set[str]) -> list[dict[str, Any]]:
    """What is left of the lines that a thread begins with, without the first lines of the files."""
    if base is None or base.name in seen:
        return []
    lines = _lines(contents.get(base.name, b""))
    earlier = _beginning(_base(lines), contents, {*seen, base.name})
    return [*earlier, *(line for line in lines[1:] if _ordinal(line) < base.lines)]


def _ordinal(line: Mapping[str, Any]) -> int:
    number = line.get("ordinal")
    return number if isinstance(number, int) else -1


def _lines(content: bytes) -> list[dict[str, Any]]:
    return [value for line in object_lines(content) if (value := value_of(line)) is not None]
