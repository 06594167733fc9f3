"""All session files of a home: finds a fork's parent, and knows which sessions exist."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File, fingerprint_of
from pollux.sources.codex import find
from pollux.sources.codex.forks.joined_file import joined_files
from pollux.sources.codex.forks.lesser_files import without_copies
from pollux.sources.codex.forks.memo import Memo
from pollux.sources.codex.forks.review_index import Reviews
from pollux.sources.codex.forks.similar_files import SimilarFiles
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.lines import canonical, records
from pollux.sources.codex.format.schema import Bookkeeping, MetaLine, TokenTotals
from pollux.system.clock import recorded
from pollux.system.decoders import json_decoder
from pollux.system.files import LARGE, read_within
from pollux.wire import REFUSED, Malformed, Notes, display_path, plain, read_head

# Every release writes the id near the beginning of the first line.
_FIRST = re.compile(
    rb'\{"timestamp":"(?P<at>[^"\\]*)",(?:"ordinal":\d+,)?"type":"session_meta",'
    rb'"payload":\{(?:"session_id":"[^"\\]*",)?"id":"(?P<id>[^"\\]+)"'
    rb'|\{"id":"(?P<bare>[^"\\]+)","timestamp"'
)
_TYPED = re.compile(rb'"role"\s*:\s*"user"')
_INJECTED = re.compile(rb'"text"\s*:\s*"<')
_HEAD = 512
_TRIED = 40
_HOUR = 3600 * 10**9
# The bytes that the cache of ancestors may take.
_ROOM = 64 << 20
_EARLIEST, _LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class _First(msgspec.Struct):
    """The first line of a file. In the bare era it has an id and a time, but no type."""

    id: str | None = None
    timestamp: str | None = None
    type: str | None = None

    @property
    def is_bare(self) -> bool:
        """Is the file from the bare era?"""
        return bool(self.id) and self.timestamp is not None and self.type is None


_first = json_decoder(_First).decode


class Head(msgspec.Struct):
    """The session's id in a file and, in the bare era, the first prompt."""

    id: str | None = None
    prompt: bytes | None = None


class _DatedFile(msgspec.Struct, gc=False):
    """A session file, its thread, the time at which the thread began, and a number that changes with the file."""

    file: File
    thread: str | None
    begun: datetime
    fingerprint: int

    @classmethod
    def of(cls, file: File) -> _DatedFile:
        """Make one from the name of a file."""
        thread = find.parse_name(file.path)[0]
        fingerprint = int(fingerprint_of([f"{file.path}\n{file.stamp}"]), 16)
        return cls(file, thread, find.time_of_id(thread) or _EARLIEST, fingerprint)


Peek = Callable[[File], Head]


def head_of(file: File) -> Head:
    """Read a file's beginning. Its first bytes are enough if they are usual, and not from the bare era."""
    try:
        first = _FIRST.match(read_head(file.path, _HEAD))
    except Unreadable:
        first = None
    if first is not None and first["id"] is not None:
        return Head(_own_id(first, find.parse_name(file.path)[0]))
    return Head(identity(file.path), _first_prompt(file.path))


class Threads:
    """The session files under a root. If the root is one of Codex's two folders, also those in the other folder.

    `elsewhere` are the files under other roots that are read with them. `kept` are files that only the archive has,
    which show the lines of a fork that are its parent's. `questions` are the questions since they were last cleared,
    each with a value that changes with its answer. `reviews`, `totals` and `ancestors` hold what was read for other
    sessions, so that no file is read again for each.
    """

    def __init__(
        self,
        root: Path,
        files: list[File] | None = None,
        peek: Peek | None = None,
        elsewhere: Iterable[File] = (),
        kept: Iterable[File] = (),
    ) -> None:
        self._root = root
        self._own_files = files
        self._elsewhere = elsewhere
        self._kept = kept
        self._peek = peek or head_of
        self.reviews = Reviews(identity)
        self.totals: dict[tuple[str, int], tuple[TokenTotals | None, tuple[str, int] | None]] = {}
        self.ancestors: Memo[Any] = Memo(_ROOM)
        self.questions: dict[str, str] = {}
        self._unique: dict[tuple[str, ...], list[File]] = {}

    @cached_property
    def files(self) -> list[File]:
        """Every session file. Archived files come after the home's other ones, then the files under other roots."""
        own = self._own_files if self._own_files is not None else find.rollouts(self._root)
        paths = {file.path for file in self._other}
        stamps = {file.stamp for file in self._other}
        rest = [file for file in self._elsewhere if file.path not in paths and file.stamp not in stamps]
        return [*self._other, *own, *rest] if self._root.name == find.ARCHIVE else [*own, *self._other, *rest]

    @cached_property
    def _other(self) -> list[File]:
        """The session files of the home's other folder."""
        names = {find.LIVE: find.ARCHIVE, find.ARCHIVE: find.LIVE}
        name = names.get(self._root.name)
        return find.rollouts(self._root.parent / name) if name is not None else []

    @cached_property
    def _rollouts(self) -> dict[str, list[File]]:
        return _by_own_id(self.files)

    @cached_property
    def _kept_rollouts(self) -> dict[str, list[File]]:
        return _by_own_id(self._kept)

    def rollout_file(self, name: str) -> File | None:
        """The file with this id; None if there is none."""
        return next(iter(self.twins(name)), None)

    def twins(self, name: str) -> list[File]:
        """All files with this id: those that only repeat another one are left out, damaged ones are joined.

        The first of them counts.
        """
        files = self._rollouts.get(name, [])
        self.questions[f"file {name}"] = " ".join(file.stamp for file in files)
        return self._originals(files)

    def _originals(self, files: list[File]) -> list[File]:
        """The files with content of their own. Those that lost different lines are joined."""
        if len(files) < 2:
            return files
        paths = tuple(file.path for file in files)
        if paths not in self._unique:
            self._unique[paths] = joined_files(without_copies(files)[0])
        return self._unique[paths]

    def parents(self, name: str) -> list[File]:
        """All files with this id of their own; those in the archive if there are no others."""
        if files := self.twins(name):
            return files
        kept = self._kept_rollouts.get(name, [])
        self.questions[f"kept {name}"] = " ".join(file.stamp for file in kept)
        return self._originals(kept)

    def holds(self, thread: str) -> bool:
        """Is there a session of this id?"""
        is_known = thread in self.ids
        self.questions[f"thread {thread}"] = "yes" if is_known else ""
        return is_known

    def answers(self, question: str) -> str:
        """The present answer to a question that was asked before."""
        kind, _, name = question.partition(" ")
        before, self.questions = self.questions, {}
        match kind:
            case "file":
                self.rollout_file(name)
            case "kept":
                self.parents(name)
            case "thread":
                self.holds(name)
            case "around":
                since, _, path = name.partition(" ")
                self._around(path, int(since))
            case _:
                self.similar_files(name)
        now, self.questions = self.questions.get(question, ""), before
        return now

    def behind(self, question: str) -> list[File]:
        """The files on which the answer to a question depends."""
        kind, _, name = question.partition(" ")
        if kind == "similar":
            group = self.similar_files(name)
            return [file for file in group.files if file.path != name] if group is not None else []
        return self._rollouts.get(name, []) if kind == "file" else []

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all sessions, by the names of their files."""
        return frozenset(thread for file in self.files if (thread := find.parse_name(file.path)[0]) is not None)

    @cached_property
    def _beginnings(self) -> dict[bytes, SimilarFiles]:
        """The files of the bare era by their first prompt."""
        beginnings: dict[bytes, list[File]] = {}
        for file in self.files:
            if (first := self._peek(file).prompt) is not None:
                beginnings.setdefault(first, []).append(file)
        return {first: SimilarFiles(files) for first, files in beginnings.items()}

    def similar_files(self, path: str) -> SimilarFiles | None:
        """The files of the bare era with the same first prompt as this file, which is one of them."""
        first = _first_prompt(path)
        group = self._beginnings.get(first) if first is not None else None
        self.questions[f"similar {path}"] = group.fingerprint if group is not None else ""
        return group

    def around(self, reviewer: File, begun: datetime) -> list[File]:
        """The files of sessions that began before a reviewer and were changed after it began."""
        # If files were copied, their times are all later, or all earlier.
        since = min(int(begun.timestamp() * 10**9), reviewer.mtime_ns) - _HOUR
        files = self._around(reviewer.path, since)
        self.reviews.add(files)
        return files

    def _around(self, path: str, since: int) -> list[File]:
        own = find.parse_name(path)[0]
        last = find.time_of_id(own) or _LATEST
        dated = [one for one in self._dated if one.file.mtime_ns >= since and one.begun <= last and one.thread != own]
        self.questions[f"around {since} {path}"] = f"{sum(one.fingerprint for one in dated):x}"
        return [one.file for one in dated]

    @cached_property
    def _dated(self) -> list[_DatedFile]:
        """All session files with the facts of their names."""
        return [_DatedFile.of(file) for file in self.files]


def _by_own_id(files: Iterable[File]) -> dict[str, list[File]]:
    """Files by their own ids, plain ones before compressed ones."""
    rollouts: dict[str, list[File]] = {}
    for file in sorted(files, key=lambda file: file.path.endswith(".zst")):
        if (name := find.parse_name(file.path)[1]) is not None:
            rollouts.setdefault(name, []).append(file)
    return rollouts


def _first_prompt(path: str) -> bytes | None:
    """The first prompt of a file of the bare era, as JSON without white space."""
    try:
        with unpacked(path, Notes()) as file:
            if not _is_bare(next(iter(file), b"")):
                return None
            for _, line in zip(range(_TRIED), file, strict=False):
                if _TYPED.search(line) and not _INJECTED.search(line):
                    return canonical(line.rstrip())
    except Unreadable:
        pass
    return None


def _is_bare(line: bytes) -> bool:
    try:
        return _first(line).is_bare
    except REFUSED:
        return False


def identity(path: str) -> str | None:
    """The id of a session: from the first line of its file, else from the file's name, else from a later line."""
    thread = find.parse_name(path)[0]
    try:
        with unpacked(path, Notes()) as file:
            head = file.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]
            if (first := _FIRST.match(head)) is not None:
                return _own_id(first, thread)
            if path.endswith(".json"):
                return _of_document(read_within(file, LARGE)) or thread
            for number, (_, record) in enumerate(records(file, Notes())):
                if number and thread is not None:
                    # A later line may be a copy of the parent's line. The file's name is its own.
                    break
                if type(record) in (Bookkeeping, MetaLine) and record.kind in ("session_meta", "bare"):  # type: ignore[union-attr]
                    name = record.payload.get("id")  # type: ignore[union-attr]
                    if type(name) is str and name:
                        return thread if find.is_line_of_parent(name, thread, record.timestamp) else name
                if number >= _TRIED:
                    break
    except Unreadable:
        pass
    return thread


def _own_id(first: re.Match[bytes], thread: str | None) -> str | None:
    """The id in a first line, or that in the file's name where the line is a copy of a parent's line."""
    name = (first["id"] or first["bare"]).decode("utf-8", "replace")
    return thread if find.is_line_of_parent(name, thread, _time(first["at"])) else name


def _time(at: bytes | None) -> datetime | None:
    return recorded(at.decode("utf-8", "replace")) if at is not None else None


def _of_document(raw: bytes) -> str | None:
    try:
        match plain(raw, Notes()):
            case {"session": {"id": str(name)}} if name:
                return name
    except Malformed:
        pass
    return None


def stem(path: str) -> str:
    """A file's name without its endings."""
    name = display_path(os.path.basename(path))  # noqa: PTH119
    return re.sub(r"\.(?:jsonl(?:\.zst)?|json)\Z", "", name)
