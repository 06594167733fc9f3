"""Which projects, branches, tools and models match the name that a person typed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from unicodedata import normalize

from pollux.text.folding import fold

_SEPARATORS = re.compile(r"[-_.:/\\\s]+")
_SHORTEST_BEGINNING = 4


def project_name(path: str) -> str:
    """The last folder of a project's path, whichever system wrote the path."""
    return path.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or path


def words_of(name: str) -> list[str]:
    """The words that a name is made of."""
    return _SEPARATORS.split(name)


def name_matches(typed: str, name: str, *, begins: bool = False) -> bool:
    """Does a name match what a person typed: whole, by whole words, as a pattern? `begins`: also by its beginning."""
    typed, name = fold(typed), fold(name)
    if "*" in typed or "?" in typed:
        return fnmatchcase(name, typed)
    if begins and len(typed) >= _SHORTEST_BEGINNING and name.startswith(typed):
        return True
    return f"_{_SEPARATORS.sub('_', typed)}_" in f"_{_SEPARATORS.sub('_', name)}_"


def matched_together(names: Iterable[str]) -> dict[str, list[str]]:
    """The names that match others too when they are typed, each with all that it matches."""
    folded = {name: f"_{_SEPARATORS.sub('_', fold(name))}_" for name in names}
    having: dict[str, list[str]] = {}
    for name, words in folded.items():
        for word in {*words.strip("_").split("_")}:
            having.setdefault(word, []).append(name)
    found = {}
    for name, words in folded.items():
        rarest = min((having[word] for word in words.strip("_").split("_")), key=len)
        if len(rarest) > 1 and len(others := [other for other in rarest if words in folded[other]]) > 1:
            found[name] = others
    return found


def project_matches(typed: str, path: str | None) -> bool:
    """Does a project match what a person typed?

    That may be its path, a folder above it, its last folders, its name or part of it, or a pattern with `*` and `?`.
    """
    if path is None:
        return False
    typed, path = (normalize("NFC", text) for text in (typed, path))
    if typed == path or typed.rstrip("/\\") == path:
        return True
    if os.sep not in typed and not typed.startswith(("~", ".")):
        name, part = fold(project_name(path)), fold(typed)
        return part in name or fnmatchcase(name, part)
    full = os.path.abspath(os.path.expanduser(typed)).rstrip(os.sep)  # noqa: PTH100, PTH111
    if path == full or path.startswith(full + os.sep) or fnmatchcase(path, full):
        return True
    return not typed.startswith((os.sep, "~", ".")) and path.endswith(os.sep + typed.rstrip(os.sep))
