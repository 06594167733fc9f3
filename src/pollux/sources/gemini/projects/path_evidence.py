"""What session files tell about their project's path: the paths that occur in them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.wire import display_path, normalize_spelling, read_head

# How much of each file, and of all files of a project, is searched.
EACH = 64 << 10
ALL = 4 << 20

# A slash that begins a path, rather than one inside a path or an address.
_PATH = re.compile(rb"/(?<![\w.~/:-]/)[^\"<>|*?/\x00-\x1f][^\"<>|*?\x00-\x1f]{0,400}")
_WINDOWS = re.compile(rb":(?<=[A-Za-z]:)\\\\[^\"<>|*?\x00-\x1f]{1,400}")


class Witness(msgspec.Struct):
    """What one file tells: a path that has the hash, else the folder its paths share."""

    proof: str | None = None
    guess: str | None = None


def digest(path: str) -> str:
    """The hash Gemini CLI gives a project's path."""
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()


def witness(wanted: str, file: File) -> Witness:
    """Ask one file about the project that has this hash."""
    counted: dict[str, int] = {}
    for path in _mentioned(file):
        for parent in upwards(path):
            if parent not in counted and digest(parent) == wanted:
                return Witness(proof=display_path(parent))
            counted[parent] = counted.get(parent, 0) + 1
    return Witness(guess=_common_root(counted))


def _mentioned(file: File) -> Iterator[str]:
    """Every absolute path in the beginning of a file."""
    try:
        raw = normalize_spelling(read_head(file.path, EACH))
    except Unreadable:
        return
    found = [match.group() for match in _PATH.finditer(raw)]
    if b":\\\\" in raw:
        found += [raw[match.start() - 1 : match.end()] for match in _WINDOWS.finditer(raw)]
    for name in dict.fromkeys(found):
        # In a JSON string a backslash begins an escape: a line's end, or a quote, ends the path as well.
        text = re.split(r"\\[nrt\"]", name.decode("utf-8", "replace"), maxsplit=1)[0]
        yield text.replace("\\\\", "\\").rstrip(":;,.)]}'` ")


def upwards(path: str) -> Iterator[str]:
    """A path and its parents, the root itself left out; a text may go on behind a path, so words are cut off too."""
    current = path.rstrip("/\\") or path
    while len(current) > 1:
        yield current
        for mark in (":", " ", ",", ")", "'"):
            head, found, _ = os.path.basename(current).partition(mark)  # noqa: PTH119
            if found and head:
                yield os.path.join(os.path.dirname(current), head)  # noqa: PTH118, PTH120
        shorter = os.path.dirname(current)  # noqa: PTH120
        if shorter == current:
            return
        current = shorter


def _common_root(counted: dict[str, int]) -> str | None:
    """The deepest folder most mentioned paths share; None where they share nothing but the beginning."""
    if not counted:
        return None
    most = max(counted.values())
    shared = [path for path, count in counted.items() if count == most and path.count("/") >= 3]
    return max(shared, key=len) if shared and most > 1 else None
