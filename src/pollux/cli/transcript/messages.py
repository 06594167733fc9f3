"""Who said what: a heading where the speaker changes, the words beneath it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.cli.clean import one_line
from pollux.cli.transcript.parts import Writing
from pollux.cli.when import clock, full as full_time
from pollux.cli.width import short
from pollux.model import Author, Fate, Message, Role, Text, ToolResult
from pollux.when import local

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, datetime

    from pollux.cli.screen import Screen
    from pollux.model import Part

FATES = {
    Fate.REWOUND: "rewound",
    Fate.COMPRESSED: "compressed away",
    Fate.CANCELLED: "cancelled",
    Fate.FAILED: "failed",
}


class Reader:
    """Reads a session aloud, message by message; remembers who spoke last."""

    def __init__(self, screen: Screen, *, full: bool) -> None:
        self._screen = screen
        self._full = full
        self._writing = Writing(screen, full=full)
        self._last: tuple[str, ...] | None = None
        self._folded = False
        self._day: date | None = None

    def lines(self, message: Message) -> Iterator[str]:
        """The lines of one message."""
        if message.author is Author.CLIENT and not self._full:
            yield from self._fold(message)
            return
        speaker = (who(message), *tags(message))
        if speaker != self._last or message.author is not Author.MODEL:
            self._writing.before = None
        words = list(self._writing.parts(message.parts, dim=message.author is Author.CLIENT))
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

    def _fold(self, message: Message) -> Iterator[str]:
        """What the client wrote, in one line each."""
        label = "notice" if message.role is Role.SYSTEM else "client"
        lead = f"  · {label}{''.join(f' ({tag})' for tag in tags(message))}: "
        told = [line for part in message.parts if (line := folded(part, self._screen.columns, lead))]
        if not told:
            return
        if not self._folded:
            yield ""
        self._folded = True
        self._writing.before = Text
        for line in told:
            yield self._screen.paint(lead + line, "dim")


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


def _texts(part: Part) -> Iterator[str]:
    label = getattr(part, "subject", None) or getattr(part, "source", None) or getattr(part, "path", None)
    kind = str(part.__struct_config__.tag).replace("_", " ")
    yield f"[{label or kind}] "
    yield getattr(part, "text", None) or getattr(part, "output", None) or ""
