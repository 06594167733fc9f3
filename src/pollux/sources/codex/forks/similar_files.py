"""Files of the bare era that begin with the same prompt: which file continues which other file."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from functools import cached_property

import msgspec

from pollux.sources.base import File, fingerprint_of
from pollux.sources.codex.find import parse_name
from pollux.sources.codex.forks.copies import after, lines_of
from pollux.sources.codex.format.lines import canonical

NEVER = 1 << 60
_SERVED = re.compile(rb'"role"\s*:\s*"assistant"'), re.compile(rb'"id"\s*:\s*"')


class _FileLines(msgspec.Struct):
    """The lines of a file after the first: each with its number and its digest. An unreadable line has no digest.

    `proof` is the first line with an id from the model's service: two files cannot have it by chance.
    """

    path: str
    lines: list[tuple[int, bytes | None]]
    proof: int = NEVER

    @property
    def rank(self) -> tuple[int, str]:
        """A file can continue only files of a lower rank."""
        return len(self.lines), self.path

    @property
    def is_torn(self) -> bool:
        """Is there a line that cannot be read?"""
        return any(line is None for _, line in self.lines)

    @property
    def is_plain(self) -> bool:
        """Can every line be read, and does no line occur twice in a row?"""
        pairs = zip(self.lines, self.lines[1:], strict=False)
        return not self.is_torn and all(one != other for (_, one), (_, other) in pairs)

    def beginnings(self) -> list[bytes]:
        """A digest of the first line, a digest of the first two lines, and so on."""
        digest = hashlib.blake2b(digest_size=16)
        digests: list[bytes] = []
        for _, line in self.lines:
            digest.update(line or b"")
            digests.append(digest.digest())
        return digests


def _file_lines(path: str) -> _FileLines:
    contents = [(number, content) for number, content, _ in lines_of(path) if not _is_mark(content)][1:]
    served = (
        n for n, (_, line) in enumerate(contents) if line is not None and all(sign.search(line) for sign in _SERVED)
    )
    proof = next(served, NEVER)
    return _FileLines(
        path, [(number, _line_digest(line) if line is not None else None) for number, line in contents], proof
    )


def _line_digest(line: bytes) -> bytes:
    """The digest of a line, the same for any spacing. It is no JSON."""
    return b"#" + hashlib.blake2b(canonical(line), digest_size=16).digest()


def _is_mark(content: bytes | None) -> bool:
    """Is this line a mark of the API's state?"""
    return content is not None and b'"record_type"' in content


class _SharedBeginning(msgspec.Struct):
    """The ranks of the files that share a beginning; for each, the first and the last position in the folder so far."""

    ranks: list[tuple[int, str]] = []
    firsts: list[int] = []
    lasts: list[int] = []

    def add(self, rank: tuple[int, str], place: int) -> None:
        """Add a file of a higher rank."""
        self.ranks.append(rank)
        self.firsts.append(min(place, self.firsts[-1]) if self.firsts else place)
        self.lasts.append(max(place, self.lasts[-1]) if self.lasts else place)


class SimilarFiles:
    """The files with the same first prompt, in the order of their folder. Each file is read once.

    If a session has several files, only the largest is compared: a session does not continue itself.
    """

    def __init__(self, files: list[File]) -> None:
        self.files = files
        largest: dict[str, File] = {}
        for file in files:
            name = parse_name(file.path)[0] or file.path
            if name not in largest or file.size > largest[name].size:
                largest[name] = file
        self._sessions = list(largest.values())
        places = {name: place for place, name in enumerate(largest)}
        self._places = {file.path: places[parse_name(file.path)[0] or file.path] for file in files}

    def origin(self, path: str) -> tuple[int, str | None]:
        """The line with which a file's own part begins, and the file of which the lines before are a copy.

        Of several files it is the one that shares most lines; of those, one whose lines are all shared.
        """
        if len(self._sessions) < 2:
            return 0, None
        mine = self._read[self._places[path]] if path in self._places else _file_lines(path)
        best, parent, begins = 0, None, 0
        for place in self._likely(mine) if mine.proof < NEVER else ():
            theirs = self._read[place]
            own = after(mine.lines, [line for _, line in theirs.lines], 1)
            shared = sum(1 for number, _ in mine.lines if own is None or number < own)
            longer = shared > best or (shared == best and parent is not None and len(theirs.lines) == shared)
            if mine.proof < shared and longer and theirs.rank < mine.rank:
                best, parent, begins = shared, theirs.path, NEVER if own is None else own
        return begins, parent

    def _likely(self, mine: _FileLines) -> list[int]:
        """The files that may be the origin: all if lines are damaged, else two of those that share most lines."""
        if not mine.is_plain:
            return [place for place, rows in enumerate(self._read) if rows.path != mine.path]
        beginnings = mine.beginnings()
        for length in range(len(beginnings), 0, -1):
            sharing = self._sharing.get(beginnings[length - 1])
            before = bisect_left(sharing.ranks, mine.rank) if sharing is not None else 0
            if sharing is not None and before:
                whole = min(bisect_left(sharing.ranks, (length + 1, "")), before)
                likely = {sharing.firsts[before - 1], *([sharing.lasts[whole - 1]] if whole else [])}
                return sorted({*likely, *self._torn} - {self._places.get(mine.path, -1)})
        return self._torn

    @cached_property
    def fingerprint(self) -> str:
        """A text that changes whenever one of the files does."""
        return fingerprint_of(f"{file.path}\n{file.stamp}" for file in self.files)

    @cached_property
    def _read(self) -> list[_FileLines]:
        return [_file_lines(file.path) for file in self._sessions]

    @cached_property
    def _torn(self) -> list[int]:
        return [place for place, rows in enumerate(self._read) if rows.is_torn]

    @cached_property
    def _sharing(self) -> dict[bytes, _SharedBeginning]:
        """The files without unreadable lines, by each of their beginnings."""
        sharing: dict[bytes, _SharedBeginning] = {}
        for place, rows in sorted(enumerate(self._read), key=lambda item: item[1].rank):
            for beginning in rows.beginnings() if not rows.is_torn else ():
                sharing.setdefault(beginning, _SharedBeginning()).add(rows.rank, place)
        return sharing
