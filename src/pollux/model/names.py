"""Which projects, branches, tools and models a person means by what was typed."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from unicodedata import normalize

from pollux.text.folding import fold

_SEPARATORS = re.compile(r"[-_.:/\\\s]+")
_DIGEST = 4


def words_of(name: str) -> list[str]:
    """The words that a name is made of."""
    return _SEPARATORS.split(name)


def is_called(asked: str, name: str, *, begins: bool = False) -> bool:
    """Is something called so: by its name, by whole words of it, or by a pattern? `begins`: also by a beginning."""
    asked, name = fold(asked), fold(name)
    if "*" in asked or "?" in asked:
        return fnmatchcase(name, asked)
    if begins and len(asked) >= _DIGEST and name.startswith(asked):
        return True
    return f"_{_SEPARATORS.sub('_', asked)}_" in f"_{_SEPARATORS.sub('_', name)}_"


def fits(asked: str, path: str | None) -> bool:
    """Does a project answer to what a person typed?

    Its path, a folder above it, its last folders, its name or part of it; with `*` and `?`, as a pattern of these.
    """
    if path is None:
        return False
    asked, path = (normalize("NFC", each) for each in (asked, path))
    if asked == path or asked.rstrip("/\\") == path:
        return True
    if os.sep not in asked and not asked.startswith(("~", ".")):
        name, part = fold(os.path.basename(path.rstrip("/\\"))), fold(asked)  # noqa: PTH119
        return part in name or fnmatchcase(name, part)
    full = os.path.abspath(os.path.expanduser(asked)).rstrip(os.sep)  # noqa: PTH100, PTH111
    if path == full or path.startswith(full + os.sep) or fnmatchcase(path, full):
        return True
    return not asked.startswith((os.sep, "~", ".")) and path.endswith(os.sep + asked.rstrip(os.sep))
