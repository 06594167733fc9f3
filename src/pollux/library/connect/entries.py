"""Entries of servers in the agents' settings: which of them lead to pollux, and what pollux writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from pollux.errors import OutputError
from pollux.library.connect.plan import NAME
from pollux.sources.tool_host import ServerSettings
from pollux.text.editing import json_text, toml_text
from pollux.text.escape import one_line
from pollux.text.shell import shell_line
from pollux.wire import display_path

FORMATS = {"json": json_text, "toml": toml_text}
SERVE = "mcp"
"""The command of pollux that is the server."""
_STARTERS = ("uvx", "uv", "pipx", "env")
"""Programs that start a program of Python's."""


class Wanted(NamedTuple):
    """How agents are to start the server: pollux's own command, and variables."""

    command: tuple[str, ...]
    variables: Mapping[str, str]

    @property
    def words(self) -> tuple[str, ...]:
        """The whole command."""
        return (*self.command, SERVE)


def each_once(all_settings: Iterable[ServerSettings]) -> Iterator[ServerSettings]:
    """Settings without those that are the same file: a project may be the home directory."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for settings in all_settings:
        place = (os.path.realpath(settings.file), settings.names)
        if place not in seen:
            seen.add(place)
            yield settings


def parsed(settings: ServerSettings, content: bytes | None) -> Any:
    """What a file says. Raises `OutputError`: what is not understood is not changed."""
    try:
        return FORMATS[settings.format].parse(decoded(content))
    except (ValueError, RecursionError) as error:
        why = one_line(str(error)) or "it is not understood"
        raise OutputError(
            f"{display_path(settings.file)} is not valid {settings.format.upper()}: {why.rstrip('.')}.",
            "Nothing was written. Correct the file, or write the entry yourself: --print shows it.",
        ) from error


def decoded(content: bytes | None) -> str:
    """The text of a file; a missing one is empty. Raises `ValueError`."""
    return (content or b"").decode()


def servers(settings: ServerSettings, document: Any) -> Mapping[str, Any]:
    """The entries of servers by their names. Raises `OutputError` where something else is in their place."""
    value = document
    for number, name in enumerate(settings.names):
        if not isinstance(value, Mapping):
            where = ".".join(settings.names[:number]) or "The whole"
            raise OutputError(
                f"{where} of {display_path(settings.file)} is no table of settings.", "Nothing was written."
            )
        value = value.get(name, {})
    if not isinstance(value, Mapping):
        raise OutputError(
            f"{'.'.join(settings.names)} of {display_path(settings.file)} is no table of servers.",
            "Nothing was written.",
        )
    return value


def to_pollux(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The entries that have pollux's name, or lead to pollux."""
    for name, entry in document.items():
        if name == NAME or is_ours(entry):
            yield name, entry if isinstance(entry, Mapping) else {}


def is_ours(entry: Any) -> bool:
    """Does an entry start pollux as a server?"""
    words = words_of(entry)
    if SERVE not in words:
        return False
    start = words[: words.index(SERVE)]
    if not start or PurePath(start[-1]).stem != NAME:
        return False
    return len(start) == 1 or start[-2] == "-m" or PurePath(start[0]).stem in _STARTERS


def words_of(entry: Any) -> tuple[str, ...]:
    """The command of an entry with its arguments; empty if it starts no program."""
    command = entry.get("command") if isinstance(entry, Mapping) else None
    arguments = entry.get("args", ()) if isinstance(entry, Mapping) else ()
    if isinstance(command, list):
        command, arguments = (command or [None])[0], command[1:]
    if not isinstance(command, str) or not isinstance(arguments, list | tuple):
        return ()
    return (command, *(word for word in arguments if isinstance(word, str)))


def said(entry: Any) -> str:
    """What an entry starts, for people."""
    url = entry.get("url") or entry.get("httpUrl") if isinstance(entry, Mapping) else None
    return one_line(str(url) if url else shell_line(*words_of(entry)) or "nothing")


def new_entry(settings: ServerSettings, wanted: Wanted) -> dict[str, Any]:
    """A new entry."""
    entry = {**settings.extra, **_start(wanted.words, joined=settings.joined)}
    return {**entry, _variables_key(joined=settings.joined): dict(wanted.variables)} if wanted.variables else entry


def renewed(entry: Mapping[str, Any], wanted: Wanted) -> dict[str, Any]:
    """One of our entries with the present command. What else the user put into it stays."""
    words = words_of(entry)
    joined = isinstance(entry.get("command"), list)
    changes = _start((*wanted.words, *words[words.index(SERVE) + 1 :]), joined=joined)
    if wanted.variables:
        changes[_variables_key(joined=joined)] = {**variables_of(entry), **wanted.variables}
    return {name: value for name, value in changes.items() if entry.get(name) != value}


def variables_of(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The variables that an entry sets."""
    variables = entry.get(_variables_key(joined=isinstance(entry.get("command"), list)))
    return variables if isinstance(variables, Mapping) else {}


def _start(words: Sequence[str], *, joined: bool) -> dict[str, Any]:
    command, *arguments = words
    return {"command": list(words)} if joined else {"command": command, "args": arguments}


def _variables_key(*, joined: bool) -> str:
    return "environment" if joined else "env"


def with_entry(settings: ServerSettings, content: bytes | None, values: Sequence[tuple[tuple[str, ...], Any]]) -> bytes:
    """A file with other values at paths below the table of servers. Raises `OutputError` where it has no room."""
    text, form = decoded(content), FORMATS[settings.format]
    expected = form.parse(text)
    try:
        for path, value in values:
            text = form.with_value(text, (*settings.names, *path), value)
            _set(expected, (*settings.names, *path), value)
        return _checked(settings, text, expected)
    except ValueError as error:
        raise _no_room(settings) from error


def without_entry(settings: ServerSettings, content: bytes, name: str) -> bytes | None:
    """A file without an entry; None if nothing else is in it. Raises `OutputError`."""
    text, form = decoded(content), FORMATS[settings.format]
    try:
        text = form.without(text, (*settings.names, name))
        expected = form.parse(decoded(content))
        _remove(expected, (*settings.names, name))
        _checked(settings, text, expected)
    except ValueError as error:
        raise _no_room(settings) from error
    return text.encode() if text.strip() not in ("", "{}") else None


def _checked(settings: ServerSettings, text: str, expected: Any) -> bytes:
    """The new file. Raises `ValueError` unless it says what it should, and everything else as before."""
    if _pruned(FORMATS[settings.format].parse(text), settings.names) != _pruned(expected, settings.names):
        raise ValueError("something else would change")
    return text.encode()


def _pruned(document: Any, names: Sequence[str]) -> Any:
    """A document without an empty table of servers: it means the same."""
    inner = document.get(names[0]) if names and isinstance(document, dict) else None
    if isinstance(inner, dict):
        inner = _pruned(inner, names[1:])
        return {**document, names[0]: inner} if inner else {k: v for k, v in document.items() if k != names[0]}
    return document


def _set(document: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        document = document.setdefault(name, {})
    document[path[-1]] = value


def _remove(document: dict[str, Any], path: Sequence[str]) -> None:
    for name in path[:-1]:
        document = document[name]
    del document[path[-1]]


def _no_room(settings: ServerSettings) -> OutputError:
    return OutputError(
        f"{display_path(settings.file)} is written in a way that pollux cannot change safely.",
        "Nothing was written. Write the entry yourself: --print shows it.",
    )
