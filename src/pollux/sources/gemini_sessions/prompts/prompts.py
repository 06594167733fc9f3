"""Typed lines and messages: which message holds which line, and which lines no session holds.

A line counts as lost only when no session of the project holds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from operator import attrgetter

import msgspec

from pollux.errors import Unreadable
from pollux.model import Author, Fate, Message, Origin, Text
from pollux.sources.base import File
from pollux.sources.gemini_sessions.format import records
from pollux.sources.gemini_sessions.format.content import plain_text
from pollux.sources.gemini_sessions.format.schema import Record
from pollux.sources.gemini_sessions.messages.references import prompt_parts
from pollux.sources.gemini_sessions.prompts.prompt_log import REWIND, Line, PromptLog
from pollux.sources.typed_prompts import normalize_space, typed_message
from pollux.wire import Notes

# A line is logged just before it is sent; a queued line may wait until the agent has finished.
_EARLY = timedelta(seconds=5)
_LATE = timedelta(hours=1)
Peers = Callable[[Line], list[File]]
"""The project's other session files that may hold a line."""


@lru_cache(maxsize=512)
def _typed_in(path: str, mtime_ns: int) -> tuple[tuple[str, datetime | None], ...]:  # noqa: ARG001 (part of the cache's key)
    """The prompts in a session file, whatever became of them."""
    prompts: list[tuple[str, datetime | None]] = []
    try:
        content = records.parse_file(path, Notes())
        for _, record in content.records if isinstance(content, records.Log) else ():
            if isinstance(record, datetime):
                continue
            holders = [record, record.set] if isinstance(record, Record) else []
            members = [message for holder in holders if holder is not None for message in holder.messages or ()]
            for message in [record, *members]:
                if message.type == "user":
                    words = "".join(part.text for part in prompt_parts(message) if type(part) is Text)
                    prompts.append((normalize_space(words or plain_text(message)), message.timestamp))
    except Unreadable:
        return ()
    return tuple(prompts)


def match(lines: list[Line], prompts: list[tuple[str, datetime | None]], *, own: bool) -> dict[int, int]:
    """Which message with the same words holds which line: the nearest in time first, each message once."""
    pairs: list[tuple[float, int, int]] = []
    for index, line in enumerate(lines):
        for number, (words, at) in enumerate(prompts):
            if words != line.words or not words:
                continue
            if line.at is None or at is None:
                # Without a time it may be this message, if no other line matches it better.
                pairs.append((float("inf"), index, number))
            elif at - line.at >= -_EARLY and (own or at - line.at <= _LATE):
                pairs.append((abs((at - line.at).total_seconds()), index, number))
    by_line: dict[int, int] = {}
    used: set[int] = set()
    for _, index, number in sorted(pairs):
        if index not in by_line and number not in used:
            by_line[index] = number
            used.add(number)
    return by_line


def typing_period(messages: list[Message], lines: list[Line]) -> tuple[float | None, float | None]:
    """The period in which lines with the words of these messages and lines may have been typed."""
    human = (message.at for message in messages if message.author is Author.HUMAN)
    times = [at for at in (*human, *(line.at for line in lines)) if at is not None]
    if not times:
        return None, None
    return (min(times) - _LATE).timestamp(), (max(times) + _LATE).timestamp()


class LogMatch(msgspec.Struct):
    """A session's messages, each with its line in the log, and the lost lines, which no session holds.

    `by_message` has the lines that messages hold, by the place of the message.
    """

    messages: list[Message]
    by_message: dict[int, Line]
    lost: list[Line]

    def all_messages(self) -> list[Message]:
        """All messages in the order of typing. Between two typed ones the clock decides, unless it was set back."""
        anchors = sorted((line.rank, place) for place, line in self.by_message.items())
        before: list[list[Message]] = [[] for _ in range(len(self.messages) + 1)]
        start = known = 0
        earlier: datetime | None = None
        for line, message in zip(self.lost, as_messages(self.lost, alone=False), strict=True):
            while known < len(anchors) and anchors[known][0] < line.rank:
                place = anchors[known][1]
                start, earlier, known = max(start, place + 1), self.by_message[place].at, known + 1
            end = max(start, anchors[known][1]) if known < len(anchors) else len(self.messages)
            if line.at is None or (earlier is not None and line.at < earlier):
                start = end
            else:
                start = next((n for n in range(start, end) if _later(self.messages[n], line.at)), end)
            before[start].append(message)
            earlier = line.at
        return [m for place, added in enumerate(before) for m in (*added, *self.messages[place : place + 1])]


def match_log(session: str, own: list[Message], log: PromptLog, peers: Peers) -> LogMatch:
    """The lines of the log that belong to a session.

    Lines of other ids are matched, too, so that a message of theirs is not matched with our line. If such an id has no
    session file, its other lines were typed in this session, too.
    """
    lines = log.lines.get(session, [])
    human_places = [number for number, message in enumerate(own) if message.author is Author.HUMAN]
    prompts = [(normalize_space(own[number].text), own[number].at) for number in human_places]
    rivals = [
        pair for words, at in prompts if at is not None for pair in log.lines_saying(words, at - _LATE, at + _EARLY)
    ]
    others = {id(line): (name, line) for name, line in rivals if name != session}
    candidates = [*((session, line) for line in lines), *others.values()]
    matched = match([line for _, line in candidates], prompts, own=True)
    by_message = {human_places[number]: candidates[index][1] for index, number in matched.items()}
    messages = list(own)
    for place, line in by_message.items():
        messages[place] = _with_line(own[place], line)
    own_ranks = {line.rank for line in by_message.values()}
    lost: list[Line] = []
    for name in dict.fromkeys([session, *(candidates[index][0] for index in matched)]):
        if name == session or name not in log.sessions:
            typed = log.lines.get(name, [])
            holders = [_holder(line, own_ranks, log, peers) for line in typed]
            own_file = name == session and name in log.sessions
            lost += [
                line
                for place, line in enumerate(typed)
                if holders[place] is None and (own_file or _typed_here(place, holders, default=name == session))
            ]
    return LogMatch(messages, by_message, sorted(lost, key=attrgetter("rank")))


def _with_line(message: Message, line: Line) -> Message:
    """A message with the time and the id of its line in the log."""
    typed = {"sessionId": line.session, "timestamp": line.at.isoformat() if line.at is not None else None, **line.extra}
    return msgspec.structs.replace(message, extra={**message.extra, "typed": typed})


def _holder(line: Line, own_ranks: set[int], log: PromptLog, peers: Peers) -> bool | None:
    """True if this session holds a line, False if another does, None if none does, as for commands."""
    if line.rank in own_ranks:
        return True
    return False if not line.command and _elsewhere(line, log, peers) else None


def _typed_here(place: int, holders: list[bool | None], *, default: bool) -> bool:
    """Was a lost line typed in this session? It belongs with the matched line before it, or else after it."""
    neighbours = (holder for holder in (*reversed(holders[:place]), *holders[place:]) if holder is not None)
    return next(neighbours, default)


def _later(message: Message, at: datetime) -> bool:
    return message.at is not None and message.at > at


def _elsewhere(line: Line, log: PromptLog, peers: Peers) -> bool:
    """Does another session of the project hold this line, rather than an equal line that was typed nearer to it?

    Only files that may hold lines of this time are read.
    """
    if line.at is None:
        return False
    equal = [other for _, other in log.lines_saying(line.words, line.at - _LATE, line.at + _LATE)]
    place = equal.index(line)
    files = peers(line)
    return any(place in match(equal, list(_typed_in(peer.path, peer.mtime_ns)), own=False) for peer in files)


def may_hold_lines(file: File, since: float, until: float) -> bool:
    """May a session hold lines of this period? It had begun, by its name, and was still written to.

    A file's time does not count if it is older than the minute in the file's name.
    """
    match = re.search(r"session-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)", file.path)
    try:
        start = datetime.fromisoformat(f"{match[1]}:{match[2]}+00:00").timestamp() if match is not None else None
    except ValueError:
        start = None
    if start is None:
        return True
    last_write = file.mtime_ns / 1e9
    return start <= until + _LATE.total_seconds() and (last_write + 1 >= since or last_write < start)


def as_messages(lines: list[Line], *, alone: bool) -> list[Message]:
    """Lost lines as messages. A prompt before a `/rewind` was rewound; another prompt never arrived."""
    last_rewind = max((line.rank for line in lines if line.calls(REWIND)), default=-1)
    messages: list[Message] = []
    for line in lines:
        fate = Fate.LIVE
        if not line.command and not alone:
            fate = Fate.REWOUND if line.rank < last_rewind else Fate.FAILED
        messages.append(
            typed_message(
                f"log-{line.session[:8]}-{line.item}",
                line.text,
                line.at,
                Origin(file=line.file, item=line.item),
                {"sessionId": line.session, **line.extra},
                command=line.command,
                fate=fate,
            )
        )
    return messages
