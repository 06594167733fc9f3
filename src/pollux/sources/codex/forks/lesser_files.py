"""Files of a session whose every line stands in another of its files: they add nothing, and need not be read."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.codex import find
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.document import fingerprints_of_items
from pollux.system.link_bounds import path_in_home
from pollux.wire import REFUSED, Notes

_PIECE = 1 << 16
_DOCUMENT = ".json"


def without_copies(files: Iterable[File]) -> tuple[list[File], list[File]]:
    """The files with content of their own, and the files whose every line another file has too."""
    listed = list(files)
    contents = [content for file in _alike(listed) if (content := _content(file)) is not None]
    contents.sort(key=lambda content: content.rank)
    holders: dict[bytes | None, list[_Content]] = {}
    for content in contents:
        for line in {*content.lines} - {None}:
            holders.setdefault(line, []).append(content)
    copies: set[str] = set()
    for content in reversed(contents):
        # What has all lines of a file has its rarest line.
        candidates = min((holders[line] for line in content.known_lines), key=len, default=contents)
        others = (other for other in candidates if other is not content and other.file.path not in copies)
        if any(other.replaces(content) for other in others):
            copies.add(content.file.path)
    return [file for file in listed if file.path not in copies], [file for file in listed if file.path in copies]


def _alike(files: list[File]) -> list[File]:
    """The files that may be copies of one another, by their ids or by their first lines."""
    if len(files) < 2:
        return []
    names = {file.path: find.parse_name(file.path)[1] for file in files}
    if None in names.values():
        return files
    firsts = {file.path: _first_line(file) for file in files}
    counts = Counter([*names.values(), *firsts.values()])
    return [file for file in files if counts[names[file.path]] > 1 or counts[firsts[file.path]] > 1]


class _Content:
    """The lines of a file: a digest of each line, and None for a line that cannot be read."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.lines = list(_lines(file))

    @cached_property
    def is_document(self) -> bool:
        return self.file.path.endswith(_DOCUMENT)

    @cached_property
    def known_lines(self) -> set[bytes]:
        """The lines that stand in each file that this one is a copy of: none of a document, whose last may be cut."""
        return set() if self.is_document else {line for line in self.lines if line is not None}

    @property
    def rank(self) -> tuple[int, int, bool]:
        """A sort key: the best file comes first. A plain file is better than an equal compressed one."""
        torn = self.lines.count(None)
        return torn - len(self.lines), torn, self.file.path.endswith(".zst")

    @cached_property
    def _places(self) -> dict[bytes, list[int]]:
        places: dict[bytes, list[int]] = {}
        for place, line in enumerate(self.lines):
            if line is not None:
                places.setdefault(line, []).append(place)
        return places

    def replaces(self, other: _Content) -> bool:
        """Is another file a copy of this one?

        A kept file may hold several states of a session. So the agent's own file, which shows the state that it would
        resume, is a copy of a kept file only if that one begins with it.
        """
        if other.is_document and _was_cut(other.file, self.file):
            return True
        return self._begins_with(other) if self._is_kept and not other._is_kept else self.contains(other)

    def _begins_with(self, other: _Content) -> bool:
        """Has the file the lines of another file at its beginning? A line that is unreadable there may be any line."""
        pairs = zip(other.lines, self.lines, strict=False)
        return len(other.lines) <= len(self.lines) and all(line in (None, own) for line, own in pairs)

    @cached_property
    def _is_kept(self) -> bool:
        return path_in_home(self.file.path) is not None

    def contains(self, other: _Content) -> bool:
        """Has the file all lines of another file, in the same order, and one for each line that is unreadable there?"""
        first = 0
        for line in other.lines:
            if line is None:
                first += 1
                continue
            equal = self._places.get(line, [])
            number = bisect_left(equal, first)
            if number == len(equal):
                return False
            first = equal[number] + 1
        return first <= len(self.lines)


def _content(file: File) -> _Content | None:
    """The content of a file; None if it cannot be opened."""
    try:
        return _Content(file)
    except Unreadable:
        return None


def _was_cut(file: File, other: File) -> bool:
    """Is a document the beginning of another one, which was cut, perhaps in the middle of an item?"""
    if not 0 < file.size < other.size:
        return False
    try:
        with unpacked(file.path, Notes()) as beginning, unpacked(other.path, Notes()) as whole:
            while piece := beginning.read(_PIECE):
                if whole.read(len(piece)) != piece:
                    return False
    except Unreadable:
        return False
    return True


def _first_line(file: File) -> bytes | None:
    try:
        return next(islice(_lines(file), 1), None)
    except Unreadable:
        return None


def _lines(file: File) -> Iterator[bytes | None]:
    """A digest of each line that is not empty, or of each item of a document."""
    if file.path.endswith(_DOCUMENT):
        yield from (fingerprint.encode() for fingerprint in fingerprints_of_items(file).fingerprints)
        return
    with unpacked(file.path, Notes()) as lines:
        for line in lines:
            if not line.isspace():
                yield hashlib.blake2b(line.rstrip(), digest_size=16).digest() if _is_readable(line) else None


def _is_readable(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except REFUSED:
        return False
    return True
