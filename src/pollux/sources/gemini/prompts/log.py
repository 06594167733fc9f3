"""`logs.json`: every line the human typed in interactive mode, in the order of typing, whatever the clock said.

The log outlives the sessions, but its session ids lag behind: after `/clear` or a resume it goes on under another id
than the session.
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
from pollux.sources.gemini.find import SHELL
from pollux.sources.gemini.format import records
from pollux.sources.gemini.format.schema import Typed
from pollux.sources.typed import prompts_id, squeezed
from pollux.wire import Notes, display_path, read_bytes

# Commands and the other names that some releases give them.
CLEAR = ("/clear", "/new")
COMPRESS = ("/compress", "/summarize", "/compact")
QUIT = ("/quit", "/exit")
REWIND = ("/rewind",)
# Hooks may run between the command and the session that it begins.
_RENEWAL = timedelta(seconds=10)


class Line(msgspec.Struct, frozen=True):
    """One typed line and where it stands; a `command` was meant for the client or the shell.

    `words` is the text without differences in white space, by which lines and messages are compared. `rank` is its
    place among all lines of the project. It was typed between `since` and `until`, where the clock may have been wrong.
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


class Kept(msgspec.Struct):
    """What one file of the log holds, and what was noticed about it."""

    lines: list[Typed] = []
    notices: tuple[Notice, ...] = ()


def _kept(file: File) -> Kept:
    notes = Notes(display_path(file.path))
    lines: list[Typed] = []
    try:
        found = records.contents(file.path, notes)
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
    else:
        if isinstance(found, records.Prompts):
            lines = found.lines
        elif not isinstance(found, records.Nothing):
            notes.add("file.damaged", "Nothing can be read: the file is no log of typed lines.", Severity.ERROR)
        elif found.damaged:
            notes.add("file.damaged", f"Nothing can be read: {found.reason}.", Severity.ERROR)
    return Kept(lines, notes.all())


class PromptLog:
    """The typed lines of one project, by session id; `sessions` are the ids that have a session file."""

    def __init__(self, files: Iterable[File], around: SourceContext | None = None) -> None:
        held = tuple(files)
        self._around = around
        # A broken log is renamed, and another begun.
        self.files = tuple(
            sorted((file for file in held if file.role != SHELL), key=lambda file: not file.path.endswith(".bak"))
        )
        self._shell = tuple(file for file in held if file.role == SHELL)
        self.sessions: set[str] = set()
        self._lines: dict[str, list[Line]] | None = None
        self._by_words: dict[str, list[tuple[datetime, str, Line]]] | None = None
        self._by_time: list[tuple[float, str]] | None = None
        self.notices: tuple[Notice, ...] = ()

    @property
    def lines(self) -> dict[str, list[Line]]:
        """Read when first asked for."""
        if self._lines is None:
            self._lines = {}
            seen: set[tuple[str, str, datetime | None]] = set()
            notices: list[Notice] = []
            shell = self._shell_commands()
            latest = float("-inf")
            for file in self.files:
                kept = self._around.peek(file, Kept, _kept) if self._around is not None else _kept(file)
                notices += kept.notices
                for item, typed in _in_order(kept.lines):
                    same = (typed.sessionId or "unknown", typed.message or "", typed.timestamp)
                    if same in seen:
                        continue
                    if typed.timestamp is not None:
                        latest = max(latest, typed.timestamp.timestamp())
                    line = _line(typed, file, item, shell, (len(seen), latest))
                    seen.add(same)
                    self._lines.setdefault(line.session, []).append(line)
            self.notices = tuple(notices)
        return self._lines

    def saying(self, words: str, since: datetime, until: datetime) -> list[tuple[str, Line]]:
        """Every line that says this and was typed between two moments, with the id under which it is kept."""
        if self._by_words is None:
            self._by_words = {}
            for name, lines in self.lines.items():
                for line in lines:
                    if line.at is not None:
                        self._by_words.setdefault(line.words, []).append((line.at, name, line))
            for typed in self._by_words.values():
                typed.sort(key=itemgetter(0))
        found = self._by_words.get(words, [])
        start = bisect_left(found, since, key=itemgetter(0))
        return [(name, line) for _, name, line in found[start : bisect_right(found, until, key=itemgetter(0))]]

    def fingerprint(self, session: str, since: float | None, until: float | None) -> str:
        """Stands for all that the log says of a session: the lines under its id, and under those used in its time."""
        if self._by_time is None:
            every = [(name, line) for name, lines in self.lines.items() for line in lines]
            self._by_time = sorted((line.at.timestamp(), name) for name, line in every if line.at is not None)
        start = bisect_left(self._by_time, since, key=itemgetter(0)) if since is not None else 0
        end = bisect_right(self._by_time, until, key=itemgetter(0)) if until is not None else 0
        names = sorted({session, *(name for _, name in self._by_time[start:end])})
        said = (
            f"{name}\n{name in self.sessions}\n{line.text}\n{line.at}\n{line.rank}\n{line.item}"
            for name in names
            for line in self.lines.get(name, ())
        )
        return fingerprint_of([*said, *(notice.text for notice in self.notices)])

    def divide(self, begun: Mapping[str, datetime], renewing: Container[str]) -> None:
        """Part the lines of each id at every `/clear` that began another session, and give that one its own.

        Since 0.35 there is another session, but the log goes on under the old id until the program ends. Which one it
        is shows in the moment at which it began. Where its file is gone the prompts get an id of their own; `renewing`
        are the ids of sessions by releases that are known to begin another.
        """
        starts = sorted((at, name) for name, at in begun.items())
        parts: dict[str, list[Line]] = {}
        for name, lines in self.lines.items():
            owner = name
            for ended, stretch in _stretches(lines):
                if ended is not None and ended.calls(QUIT):
                    owner = name
                elif ended is not None and (next_one := _begun_by(ended, starts)) is not None:
                    owner = next_one
                elif ended is not None and name in renewing and not all(line.command for line in stretch):
                    owner = prompts_id(f"{name}/{stretch[0].item}".encode("utf-8", "surrogateescape"))
                parts.setdefault(owner, []).extend(stretch)
        for lines in parts.values():
            lines.sort(key=attrgetter("rank"))
        self._lines = parts

    def _shell_commands(self) -> set[str]:
        """What was typed in shell mode: logged like prompts, and kept in a file of its own."""
        commands: set[str] = set()
        for file in self._shell:
            with contextlib.suppress(Unreadable):
                commands.update(read_bytes(file.path).decode("utf-8", "replace").split("\n"))
        return {command for command in commands if command.strip()}


def _in_order(lines: list[Typed]) -> Iterator[tuple[int, Typed]]:
    """The lines of a file with their places; those of one session in the order of their numbers."""
    places: dict[str | None, list[int]] = {}
    for item, typed in enumerate(lines):
        places.setdefault(typed.sessionId, []).append(item)
    following = {
        name: iter(sorted(items, key=lambda item: (lines[item].messageId or 0, item)))
        if all(lines[item].messageId is not None for item in items)
        else iter(items)
        for name, items in places.items()
    }
    for typed in lines:
        item = next(following[typed.sessionId])
        yield item, lines[item]


def _line(typed: Typed, file: File, item: int, shell: set[str], order: tuple[int, float]) -> Line:
    extra: dict[str, object] = dict(typed.extra)
    if typed.messageId is not None:
        extra["messageId"] = typed.messageId
    if typed.type not in (None, "user"):
        extra["type"] = typed.type
    text = typed.message or ""
    rank, latest = order
    # A time after the file was last written is one of a clock that was ahead.
    since = min(typed.timestamp.timestamp(), file.mtime_ns / 1e9) if typed.timestamp is not None else latest
    return Line(
        session=typed.sessionId or "unknown",
        text=text,
        at=typed.timestamp,
        file=file.path,
        item=item,
        extra=extra,
        command=text.startswith("/") or text in shell,
        words=squeezed(text),
        rank=rank,
        since=since,
        until=latest,
    )


def _stretches(lines: list[Line]) -> Iterator[tuple[Line | None, list[Line]]]:
    """The lines between the commands that end a conversation, each with the command before it."""
    ended: Line | None = None
    stretch: list[Line] = []
    for line in lines:
        stretch.append(line)
        if line.calls(CLEAR) or line.calls(QUIT):
            yield ended, stretch
            ended, stretch = line, []
    if stretch:
        yield ended, stretch


def _begun_by(command: Line, starts: list[tuple[datetime, str]]) -> str | None:
    """The session that a `/clear` began: the first one to begin within moments of it."""
    if command.at is None:
        return None
    place = bisect_left(starts, command.at, key=itemgetter(0))
    return starts[place][1] if place < len(starts) and starts[place][0] - command.at <= _RENEWAL else None
