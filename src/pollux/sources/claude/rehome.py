"""Claude Code finds a project's sessions in the folder named after its path: only that name changes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from pollux.errors import Unreadable
from pollux.sources.rehome_plan import RehomePlan, Rename
from pollux.system.decoders import json_decoder
from pollux.wire import display_path, opened

_OTHER = re.compile(r"[^A-Za-z0-9]")
_LONGEST = 200
_INDEX, _ALIASES = "sessions-index.json", ".session-aliases"


class _Setting(msgspec.Struct):
    cwd: str | None = None


_decoder = json_decoder(_Setting)


def plan_rehome(root: Path, moved: Mapping[str, str]) -> RehomePlan:
    """The folders to rename. A folder that other projects share stays, because they would lose their sessions."""
    steps: dict[str, Rename] = {}
    left: list[str] = []
    for old, new in moved.items():
        for folder in (root / name for name in dict.fromkeys((plain_name(old), short_name(old)))):
            if not folder.is_dir():
                continue
            others = sorted(path for path in _projects(folder) if plain_name(moved.get(path, path)) != plain_name(new))
            if others:
                left.append(
                    f"{display_path(folder)} also holds sessions of {display_path(others[0])}, which it would lose"
                )
            elif len(plain_name(new)) > _LONGEST:
                left.append(f"{display_path(folder)}: releases differ in how they name so long a path")
            else:
                steps[str(folder)] = Rename(path=str(folder), to=str(root / plain_name(new)))
                left += (
                    [f"{display_path(folder / _INDEX)} goes on naming the old path"]
                    if (folder / _INDEX).exists()
                    else []
                )
    if steps:
        left.append("the lines of sessions go on naming the folder they were written in")
        left += [f"{display_path(root / _ALIASES)} may name the old folder"] if (root / _ALIASES).exists() else []
    return RehomePlan(steps=tuple(steps.values()), folders=tuple(steps), left=tuple(left))


def plain_name(path: str) -> str:
    """A folder's name: everything but letters and digits becomes a dash, one for each UTF-16 unit."""
    return "".join("-" * (1 + (ord(letter) > 0xFFFF)) if _OTHER.match(letter) else letter for letter in path)


def short_name(path: str) -> str:
    """A folder's name since 2.1.112: a long name is cut, and a hash of the path is added.

    Many paths have the same name, so a name is never turned back into a path.
    """
    name = plain_name(path)
    if len(name) <= _LONGEST:
        return name
    number = 0
    raw = path.encode("utf-16-le", "surrogatepass")
    for unit in (int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2)):
        number = (number * 31 + unit) & 0xFFFFFFFF
    return f"{name[:_LONGEST]}-{_base36(abs(number - (number >> 31 << 32)))}"


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        if not number:
            return digits


def _projects(folder: Path) -> set[str]:
    """The directories in which the sessions of a folder began."""
    return {directory for file in folder.glob("*.jsonl") for directory in _first_directory(file)}


def _first_directory(file: Path) -> Iterator[str]:
    try:
        with opened(os.fspath(file), buffer=1 << 13) as lines:
            for line in lines:
                if b'"cwd"' not in line:
                    continue
                try:
                    setting = _decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue
                if setting.cwd is not None:
                    yield setting.cwd
                    return
    except Unreadable:
        yield display_path(file)  # its project is not known
