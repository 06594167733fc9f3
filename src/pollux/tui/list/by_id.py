"""Sessions by what a person pastes: an id, its beginning as every list shows it, or a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux import registry
from pollux.text.shell import shell_line

if TYPE_CHECKING:
    from pollux.library.library import Filter, Library

_SHORTEST = 6
_DIGITS, _HEXADECIMAL = frozenset("0123456789"), frozenset("0123456789abcdef-")


def is_key(text: str) -> bool:
    """Does the name of an agent stand before a colon?"""
    return _agent_and_beginning(text)[0] is not None


def keys_of_id(library: Library, text: str, within: Filter) -> list[str]:
    """The keys of the sessions within a filter whose id begins like this, the newest first."""
    agent, beginning = _agent_and_beginning(text)
    if not beginning or len(text.split()) > 1 or (agent is None and not _may_be_id(beginning)):
        return []
    listed = library.index.listed_keys(replace(within, everything=True))
    named = ((one.key, *one.key.split(":", 1)) for one in listed)
    return [key for key, name, id in named if agent in (None, name) and id.lower().startswith(beginning)]


def show_command(text: str, keys: tuple[str, ...]) -> str:
    """The command that shows the session of an id; where several begin alike, it names them.

    What was typed stays, unless pollux would take it for something else than the id.
    """
    agent, _ = _agent_and_beginning(text)
    names = [key if agent is not None else key.partition(":")[2] for key in keys]
    is_typed_well = not text.startswith("-") and all(name.startswith(text) for name in names)
    return shell_line("pollux", "show", text if is_typed_well else keys[0])


def _agent_and_beginning(text: str) -> tuple[str | None, str]:
    name, colon, rest = text.lower().partition(":")
    return (name, rest) if colon and name in registry.source_names() else (None, text.lower())


def _may_be_id(word: str) -> bool:
    """Is a word without the name of an agent worth looking up? Words of letters alone, as people type them, are not."""
    letters = frozenset(word)
    return len(word) >= _SHORTEST and (letters <= _HEXADECIMAL or not letters.isdisjoint(_DIGITS))
