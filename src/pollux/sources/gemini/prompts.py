"""`logs.json`: every line the human typed in interactive mode, the only trace of what a session file has lost.

The log outlives the sessions, but its session ids lag behind: after `/clear` or a resume it goes on under another id
than the session. So a line counts as lost only when no session of the project holds it.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import lru_cache
from operator import itemgetter

import msgspec

from pollux.errors import Unreadable
from pollux.model import Author, Fate, Message, Notice, Origin, Role, Severity, Text
from pollux.sources.base import File, Surroundings, sealed
from pollux.sources.gemini import records
from pollux.sources.gemini.content import plain_text
from pollux.sources.gemini.find import SHELL
from pollux.sources.gemini.references import prompt_parts
from pollux.sources.gemini.schema import Record, Typed
from pollux.wire import Notes, read_bytes, shown

# A line is logged just before it is sent; a queued one may wait for the agent to finish.
_EARLY = timedelta(seconds=5)
_LATE = timedelta(hours=1)


class Line(msgspec.Struct, frozen=True):
    """One typed line and where it stands; a `command` was meant for the client or the shell.

    `words` is the text without differences in white space, by which lines and messages are compared.
    """

    session: str
    text: str
    at: datetime | None
    file: str
    item: int
    extra: dict[str, object]
    command: bool
    words: str


class Kept(msgspec.Struct):
    """What one file of the log holds, and what was noticed about it."""

    lines: list[Typed] = []
    notices: tuple[Notice, ...] = ()


def _kept(file: File) -> Kept:
    notes = Notes(shown(file.path))
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

    def __init__(self, files: Iterable[File], around: Surroundings | None = None) -> None:
        held = tuple(files)
        self._around = around
        self.files = tuple(file for file in held if file.role != SHELL)
        self._shell = tuple(file for file in held if file.role == SHELL)
        self.sessions: set[str] = set()
        self._lines: dict[str, list[Line]] | None = None
        self._by_words: dict[str, list[tuple[datetime, str, Line]]] | None = None
        self._by_time: list[tuple[float, str, str]] | None = None
        self.notices: tuple[Notice, ...] = ()

    @property
    def lines(self) -> dict[str, list[Line]]:
        """Read when first asked for."""
        if self._lines is None:
            self._lines = {}
            seen: set[tuple[str, str, datetime | None]] = set()
            notices: list[Notice] = []
            shell = self._shell_commands()
            for file in self.files:
                kept = self._around.glance(file, Kept, _kept) if self._around is not None else _kept(file)
                notices += kept.notices
                for item, typed in enumerate(kept.lines):
                    line = _line(typed, file.path, item, shell)
                    same = (line.session, line.text, line.at)
                    if same not in seen:
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

    def seal(self, session: str, since: float | None, until: float | None) -> str:
        """Stands for all that the log says of a session: the lines under its id, and those typed in its time."""
        if self._by_time is None:
            every = [(name, line) for name, lines in self.lines.items() for line in lines]
            self._by_time = sorted(
                (line.at.timestamp(), name, line.text) for name, line in every if line.at is not None
            )
        own = (f"{line.text}\n{line.at}\n{line.item}" for line in self.lines.get(session, ()))
        start = bisect_left(self._by_time, since, key=itemgetter(0)) if since is not None else 0
        end = bisect_right(self._by_time, until, key=itemgetter(0)) if until is not None else 0
        near = (f"{at}\n{name}\n{name in self.sessions}\n{text}" for at, name, text in self._by_time[start:end])
        return sealed([*own, "", *near, *(notice.text for notice in self.notices)])

    def divide(self, session: str) -> None:
        """Part a session's lines at each `/clear`: since 0.35 another session follows, whose id nobody logged."""
        parts: list[list[Line]] = [[]]
        cleared = False
        for line in self.lines.get(session, ()):
            if cleared and not line.command:
                parts.append([])
                cleared = False
            parts[-1].append(line)
            cleared = cleared or line.text.split(" ")[0] == "/clear"
        for number, part in enumerate(parts):
            if number:
                seed = hashlib.sha256(f"{session}/{number}".encode("utf-8", "surrogateescape"))
                self.lines[f"{seed.hexdigest()[:12]}-prompts"] = part
            elif part:
                self.lines[session] = part

    def _shell_commands(self) -> set[str]:
        """What was typed in shell mode: logged like prompts, and kept in a file of its own."""
        commands: set[str] = set()
        for file in self._shell:
            with contextlib.suppress(Unreadable):
                commands.update(read_bytes(file.path).decode("utf-8", "replace").split("\n"))
        return {command for command in commands if command.strip()}


def _line(typed: Typed, file: str, item: int, shell: set[str]) -> Line:
    extra: dict[str, object] = dict(typed.extra)
    if typed.messageId is not None:
        extra["messageId"] = typed.messageId
    if typed.type not in (None, "user"):
        extra["type"] = typed.type
    text = typed.message or ""
    command = text.startswith("/") or text in shell
    return Line(typed.sessionId or "unknown", text, typed.timestamp, file, item, extra, command, squeezed(text))


def squeezed(text: str) -> str:
    """Text without differences in white space."""
    return re.sub(r"\s+", " ", text).strip()


@lru_cache(maxsize=512)
def _typed_in(path: str, mtime_ns: int) -> tuple[tuple[str, datetime | None], ...]:  # noqa: ARG001 (part of the cache's key)
    """The prompts a session file holds, whatever became of them."""
    said: list[tuple[str, datetime | None]] = []
    try:
        found = records.contents(path, Notes())
        for _, record in found.records if isinstance(found, records.Log) else ():
            told = [record, record.set] if isinstance(record, Record) else []
            listed = [message for one in told if one is not None for message in one.messages or ()]
            for message in [record, *listed]:
                if message.type == "user":
                    words = "".join(part.text for part in prompt_parts(message) if type(part) is Text)
                    said.append((squeezed(words or plain_text(message)), message.timestamp))
    except Unreadable:
        return ()
    return tuple(said)


def match(lines: list[Line], said: list[tuple[str, datetime | None]], *, own: bool) -> dict[int, int]:
    """Which lines are held by which messages that say the same: nearest in time first, each message once."""
    pairs: list[tuple[float, int, int]] = []
    for index, line in enumerate(lines):
        for number, (words, at) in enumerate(said):
            if words != line.words or not words:
                continue
            if line.at is None or at is None:
                # Without a time it may be this one, where no other line claims it.
                pairs.append((float("inf"), index, number))
            elif at - line.at >= -_EARLY and (own or at - line.at <= _LATE):
                pairs.append((abs((at - line.at).total_seconds()), index, number))
    held: dict[int, int] = {}
    taken: set[int] = set()
    for _, index, number in sorted(pairs):
        if index not in held and number not in taken:
            held[index] = number
            taken.add(number)
    return held


def around(messages: list[Message], lines: list[Line]) -> tuple[float | None, float | None]:
    """The time in which lines may have been typed that say what these messages and lines say."""
    human = (message.at for message in messages if message.author is Author.HUMAN)
    times = [at for at in (*human, *(line.at for line in lines)) if at is not None]
    if not times:
        return None, None
    return (min(times) - _LATE).timestamp(), (max(times) + _LATE).timestamp()


def settled(
    session: str, own: list[Message], log: PromptLog, peers: Callable[[datetime], list[File]]
) -> tuple[list[Message], list[Line]]:
    """A session's messages, each with what the log says of its typing; and the lines that no session holds.

    Lines of other ids are matched as well, so that a message they explain does not explain one of ours. Where such an
    id has no session file of its own, its commands were typed here too.
    """
    lines = log.lines.get(session, [])
    spoken = [number for number, message in enumerate(own) if message.author is Author.HUMAN]
    said = [(squeezed(own[number].text), own[number].at) for number in spoken]
    rivals = [pair for words, at in said if at is not None for pair in log.saying(words, at - _LATE, at + _EARLY)]
    others = {id(line): (name, line) for name, line in rivals if name != session}
    every = [*((session, line) for line in lines), *others.values()]
    held = match([line for _, line in every], said, own=True)
    messages = list(own)
    for index, number in held.items():
        messages[spoken[number]] = _with_line(own[spoken[number]], every[index][1])
    left = [line for index, line in enumerate(lines) if index not in held]
    gone = [line for line in left if not line.command and not _elsewhere(line, log, peers)]
    ours = [every[index][1] for index in held] + gone
    names = dict.fromkeys([session, *(every[index][0] for index in held)])
    lost: list[Line] = []
    for name in names:
        if name == session or name not in log.sessions:
            typed = log.lines.get(name, [])
            mine = name == session and bool(own)
            lost += [x for x in typed if x in gone or (x.command and _typed_here(x, typed, ours, own_log=mine))]
    return messages, lost


def _with_line(message: Message, line: Line) -> Message:
    """A message with the log's word on when and under which id it was typed."""
    typed = {"sessionId": line.session, "timestamp": line.at.isoformat() if line.at is not None else None, **line.extra}
    return msgspec.structs.replace(message, extra={**message.extra, "typed": typed})


def _typed_here(command: Line, lines: list[Line], ours: list[Line], *, own_log: bool) -> bool:
    """Was a command typed in this session? It goes with the prompt before it, else with the one after it."""
    place = lines.index(command)
    before = (line for line in reversed(lines[:place]) if not line.command)
    prompt = next(before, None) or next((line for line in lines[place:] if not line.command), None)
    if prompt is None or own_log:
        return own_log or not ours
    return prompt in ours


def _elsewhere(line: Line, log: PromptLog, peers: Callable[[datetime], list[File]]) -> bool:
    """Does another session of the project hold this line, and not rather an equal one that was typed nearer to it?

    Only files that were alive at its time are asked.
    """
    if line.at is None:
        return False
    equal = [other for _, other in log.saying(line.words, line.at - _LATE, line.at + _LATE)]
    place = equal.index(line)
    near = peers(line.at)
    return any(place in match(equal, list(_typed_in(peer.path, peer.mtime_ns)), own=False) for peer in near)


def alive(file: File, moment: float) -> bool:
    """May a session hold what was typed at a moment? It had begun, by its name, and was still written to.

    A file's time is not believed where it is older than the minute in its own name.
    """
    named = re.search(r"session-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)", file.path)
    try:
        begun = datetime.fromisoformat(f"{named[1]}:{named[2]}+00:00").timestamp() if named is not None else None
    except ValueError:
        begun = None
    if begun is None:
        return True
    written = file.mtime_ns / 1e9
    return begun <= moment + _LATE.total_seconds() and (written + 1 >= moment or written < begun)


def as_messages(lines: list[Line], *, alone: bool) -> list[Message]:
    """Lost prompts and commands as messages: a prompt that a `/rewind` followed was rewound, another never arrived."""
    rewinds = [line.at for line in lines if line.text.startswith("/rewind") and line.at is not None]
    messages: list[Message] = []
    for line in lines:
        fate = Fate.LIVE
        if not line.command and not alone:
            rewound = line.at is not None and any(at > line.at for at in rewinds)
            fate = Fate.REWOUND if rewound else Fate.FAILED
        messages.append(
            Message(
                id=f"log-{line.session[:8]}-{line.item}",
                role=Role.SYSTEM if line.command else Role.USER,
                author=Author.HUMAN,
                at=line.at,
                parts=(Text(text=line.text),),
                fate=fate,
                origin=Origin(file=line.file, item=line.item),
                extra={"sessionId": line.session, **line.extra},
            )
        )
    return messages


def woven(messages: list[Message], extra: list[Message]) -> list[Message]:
    """Both lists in one, each added message before the first that came later."""
    result = list(messages)
    for added in extra:
        place = len(result)
        if added.at is not None:
            later = (n for n, message in enumerate(result) if message.at is not None and message.at > added.at)
            place = next(later, len(result))
        result.insert(place, added)
    return result
