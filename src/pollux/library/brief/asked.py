"""Tells names of sessions from a query: both may be given to a brief in the same place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pollux import registry
from pollux.errors import Ambiguous, UnknownName
from pollux.model import Value

_SHORTEST = 4
"""A word with fewer characters is never the beginning of an id."""
_SHORTEST_OF_LETTERS = 6
"""Nor is a word of letters alone with fewer: `face` and `dead` are words."""
_FILES = (".json", ".jsonl")


class Asked(Value, frozen=True, kw_only=True):
    """Sessions by name, or a query; or both: the query is then about these sessions only.

    `among` are words of the query that name sessions, too.
    """

    names: tuple[str, ...] = ()
    query: str | None = None
    among: tuple[str, ...] = ()


def asked(words: Sequence[str], find: Callable[[str], object]) -> Asked:
    """Names, if all words are names of sessions; else a query. `find` raises `UnknownName` for what is no name."""
    names = tuple(word for word in words if _is_name(word, find))
    if words and len(names) == len(words):
        return Asked(names=names)
    return Asked(query=" ".join(words), among=names)


def _is_name(word: str, find: Callable[[str], object]) -> bool:
    """Is a word the name of a session? One that begins with an agent, or ends like a session file, always is."""
    agent, colon, _ = word.partition(":")
    if word == "last" or (colon and agent in registry.source_names()) or word.endswith(_FILES):
        return True
    prefix = word.partition("#")[0]
    has_digit = any(character.isdigit() for character in prefix)
    if len(prefix) < (_SHORTEST if has_digit else _SHORTEST_OF_LETTERS):
        return False
    if not prefix.isprintable() or any(character.isspace() for character in word):
        return False
    try:
        find(prefix)
    except Ambiguous:
        return has_digit
    except UnknownName:
        return False
    return True
