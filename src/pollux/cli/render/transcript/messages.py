"""Who said what: a heading where the speaker changes, the words beneath it."""

from __future__ import annotations

from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

from pollux.cli.render.transcript.parts import Writing
from pollux.cli.terminal.times import clock, full as full_time
from pollux.cli.terminal.width import cut, short
from pollux.model import Author, Fate, Message, Role, Text, ToolResult
from pollux.system.clock import local
from pollux.text.escape import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, datetime

    from pollux.cli.terminal.screen import Screen
    from pollux.model import Part

FATES = {
    Fate.REWOUND: "rewound",
    Fate.COMPRESSED: "compressed away",
    Fate.CANCELLED: "cancelled",
    Fate.FAILED: "failed",
}


NOTICE = "notice"
# From so many on, the client's texts share a line.
MANY = 4


class Reader:
    """Reads a session aloud, message by message; remembers who spoke last."""

    def __init__(self, screen: Screen, *, full: bool) -> None:
        self._screen = screen
        self._full = full
        self._writing = Writing(screen, full=full)
        self._last: tuple[str, ...] | None = None
        self._folded = False
        self._held: list[tuple[str, Part]] = []
        self._day: date | None = None

    def lines(self, message: Message) -> Iterator[str]:
        """The lines of one message; what the client wrote is held back until somebody else speaks."""
        if message.author is Author.CLIENT and not self._full:
            self._hold(message)
            return
        yield from self.rest()
        speaker = (who(message), *tags(message))
        if speaker != self._last or message.author is not Author.MODEL:
            self._writing.before = None
        model, client = message.author is Author.MODEL, message.author is Author.CLIENT
        words = list(self._writing.parts(message.parts, dim=client, markdown=model))
        if not words:
            return
        if speaker != self._last or message.author is not Author.MODEL:
            yield ""
            yield self._heading(message)
            self._last = speaker
        self._folded = False
        yield from words

    def _heading(self, message: Message) -> str:
        style = {Author.HUMAN: "human", Author.MODEL: "model"}.get(message.author, "bold")
        facts = [self._time(message.at)] if message.at is not None else []
        heading = self._screen.paint(who(message), style)
        if facts:
            heading += "  " + self._screen.paint(facts[0], "dim")
        if told := tags(message):
            heading += "  " + self._screen.paint(", ".join(told), "warn")
        return heading

    def _time(self, at: datetime) -> str:
        """The time of day, with the date where it is another than before."""
        day = local(at).date()
        new_day, self._day = self._day is not None and day != self._day, day
        return full_time(at) if new_day else clock(at)

    def _hold(self, message: Message) -> None:
        label = NOTICE if message.role is Role.SYSTEM else "client"
        lead = f"  · {label}{''.join(f' ({tag})' for tag in tags(message))}: "
        self._held += [(lead, part) for part in message.parts]

    def rest(self) -> Iterator[str]:
        """What the client wrote and was held back: one line each, or one for many in a row."""
        columns = self._screen.columns
        held, self._held = self._held, []
        told: list[str] = []
        for lead, group in groupby(held, key=itemgetter(0)):
            parts = [part for _, part in group if folded(part, columns, lead)]
            if len(parts) < MANY or NOTICE in lead:
                told += [lead + folded(part, columns, lead) for part in parts]
            else:
                told.append(lead + several(parts, columns, lead))
        if not told:
            return
        if not self._folded:
            yield ""
        self._folded = True
        self._writing.before = Text
        for line in told:
            yield self._screen.paint(line, "dim")


def who(message: Message) -> str:
    """The speaker."""
    if message.author is Author.HUMAN:
        return "You" if message.role is Role.USER else "You (command)"
    if message.author is Author.CLIENT:
        return "Client"
    if message.role is Role.USER:
        return "Task, from the parent’s model"
    return one_line(message.model) if message.model else "Model"


def tags(message: Message) -> list[str]:
    """What became of the message, in words."""
    # A line of the interface was never part of the conversation: that a resume does not bring it back says nothing.
    told = [FATES[message.fate]] if message.fate in FATES and message.role != "system" else []
    return [*told, "inherited"] if message.inherited else told


def folded(part: Part, columns: int | None, lead: str) -> str:
    """One line for a part; nothing for an answer that stands with its call."""
    if type(part) is ToolResult and part.output is None and not part.attachments:
        return ""
    text = part.text if type(part) is Text else "".join(_texts(part))
    return short(text, 80 if columns is None else columns - len(lead))


def several(parts: list[Part], columns: int | None, lead: str) -> str:
    """One line for many parts: what they are about."""
    names = [one_line(next(_texts(part)).strip("[] ")) for part in parts]
    size = sum(len("".join(islice(_texts(part), 1, None))) for part in parts)
    count = f"{len(parts)} texts, {size:,} characters: "
    return cut(count + ", ".join(dict.fromkeys(names)), 80 if columns is None else columns - len(lead))


def _texts(part: Part) -> Iterator[str]:
    label = getattr(part, "subject", None) or getattr(part, "source", None) or getattr(part, "path", None)
    kind = str(part.__struct_config__.tag).replace("_", " ")
    yield f"[{label or kind}] "
    yield getattr(part, "text", None) or getattr(part, "output", None) or ""
