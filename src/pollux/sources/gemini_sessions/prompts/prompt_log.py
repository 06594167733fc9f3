"""`logs.json`: every line that the human typed in interactive mode, in the order of typing, whatever the clock.

The log outlives the sessions, but its session ids are late: after `/clear` or a resume it goes on under another id than
the session.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from operator import attrgetter, itemgetter

import msgspec

from pollux.errors import Unreadable
from pollux.model import Notice, Severity
from pollux.sources.base import File, SourceContext, fingerprint_of
from pollux.sources.gemini_sessions.find import SHELL
from pollux.sources.gemini_sessions.format import records
from pollux.sources.gemini_sessions.format.schema import LogRecord
from pollux.sources.typed_prompts import normalize_space, prompts_id
from pollux.wire import Notes, display_path, read_bytes

# Commands with the names that some releases give them.
CLEAR = ("/clear", "/new")
COMPRESS = ("/compress", "/summarize", "/compact")
QUIT = ("/quit", "/exit")
REWIND = ("/rewind",)
# Hooks may run between the command and the beginning of the session.
_RENEWAL = timedelta(seconds=10)


class Line(msgspec.Struct, frozen=True):
    """One typed line and where it stands. A `command` is for the client or the shell.

    `words` is the text with normalized white space, by which lines and messages are compared. `rank` is its place among
    all lines of the project. It was typed between `since` and `until`: these allow for a wrong clock.
    """

    session: str
    text: str
    at: datetime | None
    file: str
    item: int
    extra: dict[str, object]
    command: bool
    words: str
    rank: int
    since: float
    until: float

    def calls(self, names: tuple[str, ...]) -> bool:
        """Is it one of these commands?"""
        return calls(self.text, names)


def calls(text: str, names: tuple[str, ...]) -> bool:
    """Is a typed text one of these commands?"""
    return text.startswith("/") and text.split(maxsplit=1)[0] in names


class LogFile(msgspec.Struct):
    """The lines of one file of the log, and its notices."""

    lines: list[LogRecord] = []
    notices: tuple[Notice, ...] = ()


def _read_file(file: File) -> LogFile:
    notes = Notes(display_path(file.path))
    lines: list[LogRecord] = []
    try:
        content = records.parse_file(file.path, notes)
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
    else:
        if isinstance(content, records.Prompts):
            lines = content.lines
        elif not isinstance(content, records.EmptyFile):
            notes.add("file.damaged", "Nothing can be read: the file is not a log of typed prompts.", Severity.ERROR)
        elif content.damaged:
            notes.add("file.damaged", f"Nothing can be read: {content.reason}.", Severity.ERROR)
    return LogFile(lines, notes.all())


class PromptLog:
    """The typed lines of one project, by session id; `sessions` are the ids that have a session file."""

    def __init__(self, files: Iterable[File], context: SourceContext | None = None) -> None:
        all_files = tuple(files)
        self._context = context
        # A broken log is renamed, and a new one begun.
        self.files = tuple(
            sorted((file for file in all_files if file.role != SHELL), key=lambda file: not file.path.endswith(".bak"))
        )
        self._shell = tuple(file for file in all_files if file.role == SHELL)
        self.sessions: set[str] = set()
        self._lines: dict[str, list[Line]] | None = None
        self._by_words: dict[str, list[tuple[datetime, str, Line]]] | None = None
        self._by_time: list[tuple[float, str]] | None = None
        self.notices: tuple[Notice, ...] = ()

    @property
    def lines(self) -> dict[str, list[Line]]:
        """The lines by session, read when first needed."""
        if self._lines is None:
            self._lines = {}
            seen: set[tuple[str, str, datetime | None]] = set()
            notices: list[Notice] = []
            shell = self._shell_commands()
            latest = float("-inf")
            for file in self.files:
                content = (
                    self._context.peek(file, LogFile, _read_file) if self._context is not None else _read_file(file)
                )
                notices += content.notices
                for item, record in _in_order(content.lines):
                    key = (record.sessionId or "unknown", record.message or "", record.timestamp)
                    if key in seen:
                        continue
                    if record.timestamp is not None:
                        latest = max(latest, record.timestamp.timestamp())
                    line = _line(record, file, item, shell, (len(seen), latest))
                    seen.add(key)
                    self._lines.setdefault(line.session, []).append(line)
            self.notices = tuple(notices)
        return self._lines

    def lines_saying(self, words: str, since: datetime, until: datetime) -> list[tuple[str, Line]]:
        """Every line with these words that was typed between two moments, with its id in the log."""
        if self._by_words is None:
            self._by_words = {}
            for name, lines in self.lines.items():
                for line in lines:
                    if line.at is not None:
                        self._by_words.setdefault(line.words, []).append((line.at, name, line))
            for matches in self._by_words.values():
                matches.sort(key=itemgetter(0))
        candidates = self._by_words.get(words, [])
        start = bisect_left(candidates, since, key=itemgetter(0))
        return [
            (name, line) for _, name, line in candidates[start : bisect_right(candidates, until, key=itemgetter(0))]
        ]

    def fingerprint(self, session: str, since: float | None, until: float | None) -> str:
        """A digest of all lines that may concern a session: those under its id, and under the ids used in its time."""
        if self._by_time is None:
            pairs = [(name, line) for name, lines in self.lines.items() for line in lines]
            self._by_time = sorted((line.at.timestamp(), name) for name, line in pairs if line.at is not None)
        start = bisect_left(self._by_time, since, key=itemgetter(0)) if since is not None else 0
        end = bisect_right(self._by_time, until, key=itemgetter(0)) if until is not None else 0
        names = sorted({session, *(name for _, name in self._by_time[start:end])})
        texts = (
            f"{name}\n{name in self.sessions}\n{line.text}\n{line.at}\n{line.rank}\n{line.item}"
            for name in names
            for line in self.lines.get(name, ())
        )
        return fingerprint_of([*texts, *(notice.text for notice in self.notices)])

    def divide(self, beginnings: Mapping[str, datetime], renewing: Container[str]) -> None:
        """Divide the lines of each id at every `/clear` that began another session, and give that session its lines.

        Since 0.35 `/clear` begins another session, but the log goes on under the old id until the program ends. The
        time of its beginning shows which session it is. If its file is gone, the prompts get their own id. `renewing`
        are the ids of sessions by releases in which `/clear` begins another session.
        """
        starts = sorted((at, name) for name, at in beginnings.items())
        parts: dict[str, list[Line]] = {}
        for name, lines in self.lines.items():
            owner = name
            for command, stretch in _stretches(lines):
                if command is not None and command.calls(QUIT):
                    owner = name
                elif command is not None and (successor := _session_begun_by(command, starts)) is not None:
                    owner = successor
                elif command is not None and name in renewing and not all(line.command for line in stretch):
                    owner = prompts_id(f"{name}/{stretch[0].item}".encode("utf-8", "surrogateescape"))
                parts.setdefault(owner, []).extend(stretch)
        for lines in parts.values():
            lines.sort(key=attrgetter("rank"))
        self._lines = parts

    def _shell_commands(self) -> set[str]:
        """The commands of shell mode: they are logged like prompts, and also kept in their own file."""
        commands: set[str] = set()
        for file in self._shell:
            with contextlib.suppress(Unreadable):
                commands.update(read_bytes(file.path).decode("utf-8", "replace").split("\n"))
        return {command for command in commands if command.strip()}


def _in_order(lines: list[LogRecord]) -> Iterator[tuple[int, LogRecord]]:
    """The lines of a file with their places, those of one session in the order of their numbers."""
    places: dict[str | None, list[int]] = {}
    for item, record in enumerate(lines):
        places.setdefault(record.sessionId, []).append(item)
    following = {
        name: iter(sorted(items, key=lambda item: (lines[item].messageId or 0, item)))
        if all(lines[item].messageId is not None for item in items)
        else iter(items)
        for name, items in places.items()
    }
    for record in lines:
        item = next(following[record.sessionId])
        yield item, lines[item]


def _line(record: LogRecord, file: File, item: int, shell: set[str], order: tuple[int, float]) -> Line:
    extra: dict[str, object] = dict(record.extra)
    if record.messageId is not None:
        extra["messageId"] = record.messageId
    if record.type not in (None, "user"):
        extra["type"] = record.type
    text = record.message or ""
    rank, latest = order
    # A time after the last writing of the file is from a clock that was ahead.
    since = min(record.timestamp.timestamp(), file.mtime_ns / 1e9) if record.timestamp is not None else latest
    return Line(
        session=record.sessionId or "unknown",
        text=text,
        at=record.timestamp,
        file=file.path,
        item=item,
        extra=extra,
        command=text.startswith("/") or text in shell,
        words=normalize_space(text),
        rank=rank,
        since=since,
        until=latest,
    )


def _stretches(lines: list[Line]) -> Iterator[tuple[Line | None, list[Line]]]:
    """The lines between commands that end a conversation, each group with the command before it."""
    command: Line | None = None
    stretch: list[Line] = []
    for line in lines:
        stretch.append(line)
        if line.calls(CLEAR) or line.calls(QUIT):
            yield command, stretch
            command, stretch = line, []
    if stretch:
        yield command, stretch


def _session_begun_by(command: Line, starts: list[tuple[datetime, str]]) -> str | None:
    """The session that a `/clear` began: the first one that begins shortly after it."""
    if command.at is None:
        return None
    place = bisect_left(starts, command.at, key=itemgetter(0))
    return starts[place][1] if place < len(starts) and starts[place][0] - command.at <= _RENEWAL else None
