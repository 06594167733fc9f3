"""Typed lines and messages: which message holds which line, and what no session holds.

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
from pollux.sources.gemini.format import records
from pollux.sources.gemini.format.content import plain_text
from pollux.sources.gemini.format.schema import Record
from pollux.sources.gemini.messages.references import prompt_parts
from pollux.sources.gemini.prompts.log import REWIND, Line, PromptLog
from pollux.sources.typed import squeezed, typed_message
from pollux.wire import Notes

# A line is logged just before it is sent; a queued one may wait for the agent to finish.
_EARLY = timedelta(seconds=5)
_LATE = timedelta(hours=1)
Peers = Callable[[Line], list[File]]
"""The project's other session files that may hold a line."""


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


class Settled(msgspec.Struct):
    """A session's messages, each with what the log says of its typing, and its lines that no session holds.

    `held` are the lines that messages hold, by the place of the message.
    """

    messages: list[Message]
    held: dict[int, Line]
    lost: list[Line]

    def woven(self) -> list[Message]:
        """All messages in the order of typing; between two typed ones the clock decides, unless it was set back."""
        anchors = sorted((line.rank, place) for place, line in self.held.items())
        before: list[list[Message]] = [[] for _ in range(len(self.messages) + 1)]
        start = known = 0
        earlier: datetime | None = None
        for line, message in zip(self.lost, as_messages(self.lost, alone=False), strict=True):
            while known < len(anchors) and anchors[known][0] < line.rank:
                place = anchors[known][1]
                start, earlier, known = max(start, place + 1), self.held[place].at, known + 1
            end = max(start, anchors[known][1]) if known < len(anchors) else len(self.messages)
            if line.at is None or (earlier is not None and line.at < earlier):
                start = end
            else:
                start = next((n for n in range(start, end) if _later(self.messages[n], line.at)), end)
            before[start].append(message)
            earlier = line.at
        return [one for place, added in enumerate(before) for one in (*added, *self.messages[place : place + 1])]


def settled(session: str, own: list[Message], log: PromptLog, peers: Peers) -> Settled:
    """What the log says of a session.

    Lines of other ids are matched as well, so that a message they explain does not explain one of ours. Where such an
    id has no session file of its own, what else was typed under it was typed here too.
    """
    lines = log.lines.get(session, [])
    spoken = [number for number, message in enumerate(own) if message.author is Author.HUMAN]
    said = [(squeezed(own[number].text), own[number].at) for number in spoken]
    rivals = [pair for words, at in said if at is not None for pair in log.saying(words, at - _LATE, at + _EARLY)]
    others = {id(line): (name, line) for name, line in rivals if name != session}
    every = [*((session, line) for line in lines), *others.values()]
    matched = match([line for _, line in every], said, own=True)
    held = {spoken[number]: every[index][1] for index, number in matched.items()}
    messages = list(own)
    for place, line in held.items():
        messages[place] = _with_line(own[place], line)
    ours = {line.rank for line in held.values()}
    lost: list[Line] = []
    for name in dict.fromkeys([session, *(every[index][0] for index in matched)]):
        if name == session or name not in log.sessions:
            typed = log.lines.get(name, [])
            holders = [_holder(line, ours, log, peers) for line in typed]
            own_file = name == session and name in log.sessions
            lost += [
                line
                for place, line in enumerate(typed)
                if holders[place] is None and (own_file or _typed_here(place, holders, alone=name == session))
            ]
    return Settled(messages, held, sorted(lost, key=attrgetter("rank")))


def _with_line(message: Message, line: Line) -> Message:
    """A message with the log's word on when and under which id it was typed."""
    typed = {"sessionId": line.session, "timestamp": line.at.isoformat() if line.at is not None else None, **line.extra}
    return msgspec.structs.replace(message, extra={**message.extra, "typed": typed})


def _holder(line: Line, ours: set[int], log: PromptLog, peers: Peers) -> bool | None:
    """Does this session hold a line, or another (False), or none? No session holds a command."""
    if line.rank in ours:
        return True
    return False if not line.command and _elsewhere(line, log, peers) else None


def _typed_here(place: int, holders: list[bool | None], *, alone: bool) -> bool:
    """Was a line that no session holds typed in this one? It goes with the held line before it, else after it."""
    near = (holder for holder in (*reversed(holders[:place]), *holders[place:]) if holder is not None)
    return next(near, alone)


def _later(message: Message, at: datetime) -> bool:
    return message.at is not None and message.at > at


def _elsewhere(line: Line, log: PromptLog, peers: Peers) -> bool:
    """Does another session of the project hold this line, and not rather an equal one that was typed nearer to it?

    Only files that were alive at its time are asked.
    """
    if line.at is None:
        return False
    equal = [other for _, other in log.saying(line.words, line.at - _LATE, line.at + _LATE)]
    place = equal.index(line)
    near = peers(line)
    return any(place in match(equal, list(_typed_in(peer.path, peer.mtime_ns)), own=False) for peer in near)


def alive(file: File, since: float, until: float) -> bool:
    """May a session hold what was typed in a time? It had begun, by its name, and was still written to.

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
    return begun <= until + _LATE.total_seconds() and (written + 1 >= since or written < begun)


def as_messages(lines: list[Line], *, alone: bool) -> list[Message]:
    """Lost prompts and commands as messages: a prompt that a `/rewind` followed was rewound, another never arrived."""
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
