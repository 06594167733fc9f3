"""Evidence for a project's path in session files: the paths that occur in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import msgspec

from pollux.errors import Unreadable
from pollux.model.project_hash import project_hash
from pollux.sources.base import File
from pollux.wire import display_path, normalize_spelling, read_head

# How much of each file, and of all files of a project, is searched.
EACH = 64 << 10
ALL = 4 << 20

# A slash that begins a path, rather than one inside a path or an address.
_PATH = re.compile(rb"/(?<![\w.~/:-]/)[^\"<>|*?/\x00-\x1f][^\"<>|*?\x00-\x1f]{0,400}")
_WINDOWS = re.compile(rb":(?<=[A-Za-z]:)\\\\[^\"<>|*?\x00-\x1f]{1,400}")


class PathEvidence(msgspec.Struct):
    """The evidence of one file for a hash: a path that has it, or else the folder that its paths share."""

    wanted: str = ""
    proof: str | None = None
    guess: str | None = None


def path_evidence(wanted: str, file: File) -> PathEvidence:
    """The evidence in one file for the project with this hash."""
    counts: dict[str, int] = {}
    for path in _mentioned(file):
        for parent in path_and_parents(path):
            if parent not in counts and project_hash(parent) == wanted:
                return PathEvidence(wanted, proof=display_path(parent))
            counts[parent] = counts.get(parent, 0) + 1
    return PathEvidence(wanted, guess=_common_root(counts))


def _mentioned(file: File) -> Iterator[str]:
    """Every absolute path in the beginning of a file."""
    try:
        raw = normalize_spelling(read_head(file.path, EACH))
    except Unreadable:
        return
    matches = [match.group() for match in _PATH.finditer(raw)]
    if b":\\\\" in raw:
        matches += [raw[match.start() - 1 : match.end()] for match in _WINDOWS.finditer(raw)]
    for name in dict.fromkeys(matches):
        # In a JSON string a backslash begins an escape. A line feed or a quote ends the path, too.
        text = re.split(r"\\[nrt\"]", name.decode("utf-8", "replace"), maxsplit=1)[0]
        yield text.replace("\\\\", "\\").rstrip(":;,.)]}'` ")


def path_and_parents(path: str) -> Iterator[str]:
    """A path and its parents without the root. Text may follow a path, so words at its end are also cut off."""
    current = path.rstrip("/\\") or path
    while len(current) > 1:
        yield current
        for mark in (":", " ", ",", ")", "'"):
            head, separator, _ = os.path.basename(current).partition(mark)  # noqa: PTH119
            if separator and head:
                yield os.path.join(os.path.dirname(current), head)  # noqa: PTH118, PTH120
        shorter = os.path.dirname(current)  # noqa: PTH120
        if shorter == current:
            return
        current = shorter


def _common_root(counts: dict[str, int]) -> str | None:
    """The deepest folder that most mentioned paths share; None if they share only the beginning."""
    if not counts:
        return None
    most = max(counts.values())
    shared = [path for path, count in counts.items() if count == most and path.count("/") >= 3]
    return max(shared, key=len) if shared and most > 1 else None
