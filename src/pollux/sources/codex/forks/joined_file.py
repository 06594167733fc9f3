"""Join files of one session that lost different lines: one file has all lines of both, each of them once.

The lines that two files share show where the others belong. A line that cannot be read is replaced by the line that the
other file has in its place. If both files go on differently after the last line that they share, the session has
branched: then each file gets the lines that it lost before that line, and nothing else.
"""

from __future__ import annotations

import hashlib
import heapq
import io
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any, BinaryIO, NamedTuple, TypeVar

import msgspec

from pollux.errors import Unreadable
from pollux.model import Gap, Message, Origin, Tally, Usage
from pollux.sources.base import File
from pollux.sources.codex import find
from pollux.sources.codex.forks.align import is_within
from pollux.sources.codex.format.compressed import unpacked
from pollux.system.clock import recorded
from pollux.system.decoders import json_decoder
from pollux.system.link_bounds import path_in_home
from pollux.wire import REFUSED, Notes, display_path

_Mark = TypeVar("_Mark", Gap, Tally)
# Nobody takes up a session elsewhere so quickly.
_AT_ONCE = timedelta(milliseconds=250)
_EARLIEST = datetime.min.replace(tzinfo=UTC)


class JoinedFile(File, frozen=True, kw_only=True):
    """The lines of several files as one file. `places` are the file and the number of each line."""

    content: bytes
    places: tuple[tuple[str, int], ...]

    @property
    def paths(self) -> list[str]:
        """The files that were joined; its own path is the first."""
        return list(dict.fromkeys([self.path, *(path for path, _ in self.places)]))

    def place(self, line: int) -> tuple[str, int]:
        """The file, as people see it, and the number of a line in that file."""
        path, number = self.places[line - 1]
        return display_path(path), number

    def message(self, message: Message) -> Message:
        """A message with the place in which it really stands."""
        if message.origin is None or message.origin.line is None:
            return message
        file, line = self.place(message.origin.line)
        usage = self._usage(message.usage, file) if message.usage is not None else None
        return msgspec.structs.replace(message, origin=Origin(file=file, line=line), usage=usage)

    def _usage(self, usage: Usage, file: str) -> Usage:
        """Figures with the place in which they really stand; `file` is the file of their message."""
        each = tuple(self._usage(one, file) for one in usage.each)
        if usage.line is None:
            return msgspec.structs.replace(usage, each=each)
        own, line = self.place(usage.line)
        return msgspec.structs.replace(usage, file=own if own != file else None, line=line, each=each)

    def located(self, mark: _Mark) -> _Mark:
        """A gap or a total with the place in which it really stands."""
        if mark.line is None:
            return mark
        file, line = self.place(mark.line)
        return msgspec.structs.replace(mark, file=file, line=line)

    def record(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record with the place in which it really stands."""
        if type(line := record.get("line")) is not int:
            return record
        file, number = self.place(line)
        return {"file": file, **record, "line": number}


def opened_rollout(file: File, notes: Notes) -> AbstractContextManager[BinaryIO]:
    """A session file, or several that were joined, opened for reading as plain bytes."""
    return io.BytesIO(file.content) if isinstance(file, JoinedFile) else unpacked(file.path, notes)


class _Line(NamedTuple):
    """A line and its place. A line that cannot be read has no digest, and the time of the line before."""

    digest: bytes | None
    at: datetime
    raw: bytes
    path: str
    number: int
    is_first: bool = False


class _Row(msgspec.Struct):
    timestamp: str | None = None
    type: str | None = None
    payload: msgspec.Raw = msgspec.Raw()


_row = json_decoder(_Row).decode
_Lines = list[_Line]


def joined_files(files: Iterable[File]) -> list[File]:
    """The files of a session; those that lost different lines are joined.

    A kept file may hold several states of the session. So it is not joined with the agent's own file, which shows the
    state that the agent would resume.
    """
    twins: dict[tuple[str | None, bool], list[File]] = {}
    for file in files:
        is_kept = path_in_home(file.path) is not None
        twins.setdefault((find.parse_name(file.path)[1], is_kept), []).append(file)
    return [file for same in twins.values() for file in (_joined(same) if len(same) > 1 else same)]


def _joined(files: list[File]) -> list[File]:
    """Join files of the same id. Files without times stay as they are: their lines do not differ enough."""
    contents = [_lines(file) for file in files]
    if any(not content for content in contents):
        return files
    results = contents[:1]
    for content in contents[1:]:
        rest = content
        branches: list[_Lines] = []
        for other in results:
            one, two = _heal(other, rest)
            branches += [one] if two is not None else []
            rest = one if two is None else two
        results = [*branches, rest]
    by_path = {file.path: file for file in files}
    return [_file(result, by_path) for result in results]


def _file(lines: _Lines, files: dict[str, File]) -> File:
    """The file that has these lines alone, else a joined file. It has the name of the file with the last line."""
    base = files[lines[-1].path]
    if all(line.path == base.path for line in lines):
        return base
    return JoinedFile(
        path=base.path,
        role=base.role,
        size=base.size,
        mtime_ns=base.mtime_ns,
        inode=base.inode,
        content=b"".join(line.raw.rstrip(b"\r\n") + b"\n" for line in lines),
        places=tuple((line.path, line.number) for line in lines),
    )


def _lines(file: File) -> _Lines:
    """The lines of a file; none if the first has no time, or if the file cannot be opened."""
    result: _Lines = []
    at = _EARLIEST
    try:
        with unpacked(file.path, Notes()) as opened:
            for number, raw in enumerate(opened, start=1):
                if raw.isspace():
                    continue
                try:
                    row = _row(raw)
                except REFUSED:
                    result.append(_Line(None, at, raw, file.path, number))
                    continue
                at = recorded(row.timestamp) or at
                if at == _EARLIEST or row.type is None:
                    return []
                digest = hashlib.blake2b(raw.rstrip(), digest_size=16).digest()
                result.append(_Line(digest, at, raw, file.path, number, row.type == "session_meta"))
    except Unreadable:
        return []
    return result


def _heal(one: _Lines, other: _Lines) -> tuple[_Lines, _Lines | None]:
    """Both files with the lines that they lost; only one if they are the same then."""
    if other[0].is_first and not one[0].is_first:
        # Of lines with the same time, those of the file with a beginning come first.
        one, other = other, one
    anchors = _anchors(one, other)
    if not anchors:
        return _in_a_row(one, other) or _in_a_row(other, one) or (one, other)
    common: _Lines = []
    first = second = 0
    for mine, theirs in anchors:
        common += [*_gap(one[first:mine], other[second:theirs]), one[mine]]
        first, second = mine + 1, theirs + 1
    ends = one[first:], other[second:]
    if _goes_on(*ends) or _goes_on(*ends[::-1]):
        return common + _gap(*ends), None
    healed = [
        lines if len(common) + len(end) == len(lines) else common + end
        for lines, end in zip((one, other), ends, strict=True)
    ]
    return healed[0], healed[1]


def _goes_on(early: _Lines, late: _Lines) -> bool:
    """Do the last lines of one file come after those of another file, and not instead of them?

    They do if they begin with an unreadable line for each of the others, in the middle of a turn, or at once.
    """
    readable = [line for line in early if line.digest is not None]
    place = next((place for place, line in enumerate(late) if line.digest is not None), None)
    if not readable or place is None:
        return not readable
    first = late[place]
    pause = first.at - max(line.at for line in readable)
    is_in_turn = pause <= _AT_ONCE or is_within(bytes(_row(first.raw).payload))
    return pause >= timedelta() and (len(readable) <= place or is_in_turn)


def _anchors(one: _Lines, other: _Lines) -> list[tuple[int, int]]:
    """The places of the lines that both files have, in order.

    Lines that occur once in each file come first. The equal lines around them follow: a fork may repeat a line.
    """
    mine, theirs = [line.digest for line in one], [line.digest for line in other]
    places = _unique(theirs)
    anchors: list[tuple[int, int]] = []
    first = second = 0
    unique = [(place, places[digest]) for digest, place in _unique(mine).items() if digest in places]
    for place, equal in [*_in_order(unique), (len(mine), len(theirs))]:
        pairs = _equal(mine[first:place], theirs[second:equal])
        anchors += [(first + here, second + there) for here, there in pairs]
        anchors += [(place, equal)] if place < len(mine) else []
        first, second = place + 1, equal + 1
    return anchors


def _in_order(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """As many pairs as possible whose second places rise like the first: a line that was repeated may seem unique."""
    lowest: list[int] = []
    ends: list[int] = []
    before: list[int | None] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(lowest, place)
        lowest[length : length + 1] = [place]
        ends[length : length + 1] = [number]
        before.append(ends[length - 1] if length else None)
    result: list[tuple[int, int]] = []
    at = ends[-1] if ends else None
    while at is not None:
        result.append(pairs[at])
        at = before[at]
    return result[::-1]


def _unique(digests: list[bytes | None]) -> dict[bytes, int]:
    """The places of the lines that occur once, in order."""
    counts = Counter(digests)
    return {digest: place for place, digest in enumerate(digests) if digest is not None and counts[digest] == 1}


def _equal(mine: list[bytes | None], theirs: list[bytes | None]) -> list[tuple[int, int]]:
    """The places of the equal lines with which two lists begin, and of those with which they end."""
    least = min(len(mine), len(theirs))
    end = next((n for n in range(least) if mine[-1 - n] is None or mine[-1 - n] != theirs[-1 - n]), least)
    rest = least - end
    begin = next((n for n in range(rest) if mine[n] is None or mine[n] != theirs[n]), rest)
    ends = [(len(mine) - n, len(theirs) - n) for n in range(end, 0, -1)]
    return [*((n, n) for n in range(begin)), *ends]


def _gap(mine: _Lines, theirs: _Lines) -> _Lines:
    """The lines between two shared lines: the others in place of unreadable ones, else in the order of their times."""
    own, others = ([line for line in lines if line.digest is not None] for lines in (mine, theirs))
    lost, lost_there = len(mine) - len(own), len(theirs) - len(others)
    if lost and lost == len(others):
        return _filled(mine, others)
    if lost_there and lost_there == len(own):
        return _filled(theirs, own)
    # If a file has more unreadable lines than the other one has lines, some stay unreadable.
    if lost > len(others) and lost - len(others) >= lost_there - len(own):
        own = mine
    elif lost_there > len(own):
        others = theirs
    return list(heapq.merge(own, others, key=lambda line: line.at))


def _filled(lines: _Lines, others: _Lines) -> _Lines:
    """Lines with another line in place of each unreadable one."""
    rest = iter(others)
    return [line if line.digest is not None else next(rest) for line in lines]


def _in_a_row(one: _Lines, other: _Lines) -> tuple[_Lines, None] | None:
    """Two files without a common line as one file, if the second lost its beginning and goes on after the first."""
    times = [line.at for line in other if line.digest is not None]
    is_headless = not any(line.is_first for line in other)
    if is_headless and times and max(line.at for line in one) <= min(times):
        return [*one, *other], None
    return None
