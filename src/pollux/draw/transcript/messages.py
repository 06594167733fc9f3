"""Who said what: a heading where the speaker changes, the words beneath it."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pollux.draw.times import clock, full as full_time
from pollux.draw.transcript.blocks import Show, Writing
from pollux.draw.width import cut, short
from pollux.model import Author, Fate
from pollux.system.clock import local
from pollux.text.escape import one_line
from pollux.writers.transcript import (
    AttachmentBlock,
    Branch,
    CallBlock,
    ContextBlock,
    FiguresBlock,
    Heading,
    NoteBlock,
    ReferenceBlock,
    ResultBlock,
    Speaker,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    is_blank,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date, datetime

    from pollux.draw.canvas import Canvas
    from pollux.writers.transcript import Block

FATES = {
    Fate.REWOUND: "rewound",
    Fate.COMPRESSED: "compressed away",
    Fate.CANCELLED: "cancelled",
    Fate.FAILED: "failed",
}

SPEAKERS = {
    Speaker.YOU: "You",
    Speaker.COMMAND: "You (command)",
    Speaker.TASK: "Task, from the parent’s model",
    Speaker.CLIENT: "Client",
    Speaker.NOTICE: "Client",
}
NOTICE = "notice"
# From so many on, the client's texts share a line.
MANY = 4


class Context(NamedTuple):
    """What the lines of a message depend on: who spoke last, on which day, and the kind of the block before.

    `folded` says that texts of the client are directly above.
    """

    voice: tuple[str, ...] | None = None
    day: date | None = None
    block: type | None = None
    folded: bool = False


class Reader:
    """Turns blocks into lines, one block at a time; remembers who spoke last."""

    def __init__(self, canvas: Canvas, show: Show) -> None:
        self._canvas = canvas
        self._full = show.full
        self._writing = Writing(canvas, show)
        self._last: tuple[str, ...] | None = None
        self._pending: Heading | None = None
        self._lead: str | None = None
        self._folded = False
        self._waiting: list[tuple[str, Block]] = []
        self._day: date | None = None

    def go_on(self, after: Context) -> None:
        """Go on as if what was before had been drawn just now."""
        self._last, self._day, self._folded = after.voice, after.day, after.folded
        self._writing.before = after.block

    def lines(self, blocks: Iterable[Block]) -> Iterator[str]:
        """The lines of blocks; the client's texts wait until another author speaks."""
        for block in blocks:
            match block:
                case Branch() | FiguresBlock():
                    pass  # a heading tells what became of a message; `pollux stats` and `audit` tell what was used
                case Heading():
                    yield from self._begin(block)
                case NoteBlock(texts=texts, author=author):
                    for text in texts:
                        yield from self._block(TextBlock(text=text, author=author))
                case _:
                    yield from self._block(block)

    def _begin(self, heading: Heading) -> Iterator[str]:
        """A message begins. Its heading is written above its first line, unless the same model goes on."""
        self._lead = None if self._full else lead_of(heading)
        if self._lead is not None:
            return
        yield from self.rest()
        goes_on = heading.message.author is Author.MODEL and voice(heading) == self._last
        self._pending = None if goes_on else heading
        if not goes_on:
            self._writing.before = None

    def _block(self, block: Block) -> Iterator[str]:
        if self._lead is not None:
            self._waiting.append((self._lead, block))
            return
        for line in self._writing.lines(block):
            if self._pending is not None:
                yield ""
                yield self._heading(self._pending)
                self._last, self._pending = voice(self._pending), None
            self._folded = False
            yield line

    def _heading(self, heading: Heading) -> str:
        message = heading.message
        style = {Author.HUMAN: "human", Author.MODEL: "model"}.get(message.author, "bold")
        line = self._canvas.paint(who(heading), style)
        if message.at is not None:
            line += "  " + self._canvas.paint(self._time(message.at), "dim")
        if words := tags(heading):
            line += "  " + self._canvas.paint(", ".join(words), "warn")
        return line

    def _time(self, at: datetime) -> str:
        """The time of day, with the date if it changed."""
        day = local(at).date()
        new_day, self._day = self._day is not None and day != self._day, day
        return full_time(at) if new_day else clock(at)

    def rest(self) -> Iterator[str]:
        """The client's texts that wait: one line each, or one line for many in a row."""
        columns = self._canvas.columns
        waiting, self._waiting = self._waiting, []
        lines: list[str] = []
        for lead, group in groupby(waiting, key=itemgetter(0)):
            blocks = [block for _, block in group if folded(block, columns, lead)]
            if len(blocks) < MANY or NOTICE in lead:
                lines += [lead + folded(block, columns, lead) for block in blocks]
            else:
                lines.append(lead + several(blocks, columns, lead))
        if not lines:
            return
        if not self._folded:
            yield ""
        self._folded = True
        self._writing.before = TextBlock
        for line in lines:
            yield self._canvas.paint(line, "dim")


def who(heading: Heading) -> str:
    """The speaker; a model by its name."""
    model = heading.message.model
    return SPEAKERS.get(heading.speaker) or (one_line(model) if model else "Model")


def tags(heading: Heading) -> list[str]:
    """What became of the message, in words."""
    words = [FATES[heading.fate]] if heading.fate is not None else []
    return [*words, "inherited"] if heading.message.inherited else words


def voice(heading: Heading) -> tuple[str, ...]:
    """Who speaks, and what became of it: a heading stands where this changes."""
    return (who(heading), *tags(heading))


def lead_of(heading: Heading) -> str | None:
    """The beginning of a line for each text of the client's; None for what others said."""
    if heading.message.author is not Author.CLIENT:
        return None
    label = NOTICE if heading.speaker is Speaker.NOTICE else "client"
    return f"  · {label}{''.join(f' ({tag})' for tag in tags(heading))}: "


def folded(block: Block, columns: int | None, lead: str) -> str:
    """One line for a block; nothing for an answer that is shown with its call."""
    if type(block) is ResultBlock and is_blank(block):
        return ""
    label, text = _label_and_text(block)
    return short(
        text if type(block) is TextBlock else f"[{label}] {text}", 80 if columns is None else columns - len(lead)
    )


def several(blocks: list[Block], columns: int | None, lead: str) -> str:
    """One line for many blocks: what they are about."""
    pairs = [_label_and_text(block) for block in blocks]
    names = [one_line(label.strip("[] ")) for label, _ in pairs]
    size = sum(len(text) for _, text in pairs)
    count = f"{len(blocks)} texts, {size:,} characters: "
    return cut(count + ", ".join(dict.fromkeys(names)), 80 if columns is None else columns - len(lead))


def _label_and_text(block: Block) -> tuple[str, str]:
    """What a block is about, and the words in it."""
    match block:
        case TextBlock(text=text):
            return "text", text
        case ThinkingBlock(subject=subject, text=text):
            return subject or "thinking", text
        case CallBlock(call=call):
            return "tool call", call.output or ""
        case ResultBlock(result=result):
            return "tool result", result.output or ""
        case ReferenceBlock(file=file):
            return file.path or "file reference", file.text or ""
        case ContextBlock(source=source, text=text):
            return source or "context", text
        case SummaryBlock(text=text):
            return "summary", text
    return "attachment" if type(block) is AttachmentBlock else "unknown", ""
