"""A table of messages, one row each, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pollux.model import (
    FIGURES,
    Attachment,
    Context,
    Fate,
    FileReference,
    Message,
    Part,
    Session,
    Status,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    summarize,
)
from pollux.writers.base import LOST_FATES, NO_CONTEXT, Options, Out, Report, WriterContext
from pollux.writers.json import stamp
from pollux.writers.loss import (
    BYTES,
    DETAILS,
    FILE_TEXTS,
    INPUTS,
    LINKED,
    NOTICES,
    ODDITIES,
    ORIGINS,
    OUTPUTS,
    LossCounter,
)

ABOUT = ("key", "agent", "kind", "parent", "project", "title")
SAID = ("text", "thinking", "summary", "context", "tools", "failed_tools", "files", "attachments")
COUNTED = tuple(name for name in FIGURES if name != "cache_write_long")
MESSAGE = ("number", "message", "role", "author", "at", "model", "fate", "inherited")
COLUMNS = (*ABOUT, *MESSAGE, *SAID, *COUNTED)

WHY = {
    INPUTS: "a row names the tools and does not hold what they were asked",
    OUTPUTS: "a row names the tools and does not hold what they answered",
    BYTES: "a row names attachments and does not hold them",
    FILE_TEXTS: "the files are only named",
    ODDITIES: "there is no column for them",
    DETAILS: "there is no column for them",
    ORIGINS: "there is no column for them",
    NOTICES: "there is no column for them",
    LINKED: "there is no column for them",
}

_FORMULA = re.compile("'*[=+\\-@\t\r]")
APOSTROPHE = "an apostrophe before texts that begin like a formula"
WHY_APOSTROPHE = "a spreadsheet would work the formula out"


def inert(value: Any) -> Any:
    """A cell that a spreadsheet takes for what it is: a text that begins like a formula has an apostrophe before it.

    One that has apostrophes there itself gets one more, so that taking one away always gives the text back.
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) is not None else value


class Cells:
    """What is in one message, gathered by column."""

    def __init__(self, tally: LossCounter) -> None:
        self.texts: dict[str, list[str]] = {}
        self._tally = tally

    def add(self, column: str, text: str | None) -> None:
        """Add a text to a column, where there is a text."""
        if text is not None:
            self.texts.setdefault(column, []).append(text)

    def part(self, part: Part) -> None:
        """Add a part to its column, and count what has no column."""
        self._tally.part(part)
        match part:
            case Text():
                self.add("text", part.text)
            case Thinking():
                self.add("thinking", part.subject)
                self.add("thinking", part.text)
            case SummaryPart():
                self.add("summary", part.text)
            case Context():
                self.add("context", f"{part.source}: {part.text}")
            case ToolCall():
                self.call(part)
            case ToolResult():
                self.add("tools", part.name)
                self._tally.drop(OUTPUTS, part.output is not None)
            case FileReference():
                self.add("files", part.path)
                self._tally.drop(FILE_TEXTS, part.text is not None)
            case Attachment():
                self._attachment(part)
            case Unknown():
                self._tally.drop(ODDITIES)
        for attachment in getattr(part, "attachments", ()):
            self._attachment(attachment)

    def call(self, call: ToolCall) -> None:
        """Name a tool, and what became of it where that is not what was wanted."""
        self.add("tools", call.name)
        if call.status is not Status.OK:
            self.add("failed_tools", f"{call.name} ({call.status})")
        self._tally.drop(INPUTS, call.input is not None)
        self._tally.drop(OUTPUTS, call.output is not None)

    def _attachment(self, attachment: Attachment) -> None:
        self.add("attachments", " ".join(filter(None, (attachment.media_type, attachment.uri))))
        self._tally.drop(BYTES, attachment.data is not None)
        self._tally.drop(DETAILS, bool(attachment.extra))


class Csv:
    """A header and a row a message; several of a kind in one cell stand below one another."""

    name = "csv"
    suffix = ".csv"
    purpose = "a table of messages, one row each, for a spreadsheet"
    supported_options: tuple[str, ...] = ()

    def write(self, session: Session, out: Out, options: Options, _context: WriterContext = NO_CONTEXT) -> Report:
        """Write the whole session, message by message."""
        table = table_to(out, COLUMNS)
        tally, summary = LossCounter(WHY), summarize(session)
        about = {name: getattr(summary, name) for name in ABOUT}
        for number, message in enumerate(session.messages, 1):
            if options.live_only and message.fate is not Fate.LIVE:
                tally.drop(LOST_FATES)
                continue
            tally.kept += 1
            table.writerow(_inert({**about, "number": number, **_cells(message, tally)}, tally))
        tally.session(session)
        return tally.report()


def _inert(row: Mapping[str, Any], tally: LossCounter) -> dict[str, Any]:
    """A row without formulas; the report says where that changed a text."""
    cells = {name: inert(value) for name, value in row.items()}
    if cells != row:
        tally.fabricate(APOSTROPHE, WHY_APOSTROPHE)
    return cells


def _cells(message: Message, tally: LossCounter) -> dict[str, Any]:
    row = Cells(tally)
    for part in message.parts:
        row.part(part)
    tally.message(message)
    return {
        "message": message.id,
        **{name: getattr(message, name) for name in ("role", "author", "model", "fate")},
        "at": stamp(message.at),
        "inherited": "yes" if message.inherited else "no",
        **{column: "\n".join(texts) for column, texts in row.texts.items()},
        **{name: getattr(message.usage, name, None) for name in COUNTED},
    }


def table_to(out: Callable[[str], Any], columns: Iterable[str]) -> csv.DictWriter[str]:
    """A table, of which the header is written. What is not in a row is empty."""
    table = csv.DictWriter(_Lines(out), list(columns), lineterminator="\r\n", restval="")
    table.writeheader()
    return table


class _Lines:
    """A file as the `csv` module wants it.

    The module quotes the characters with which it ends a line, and readers end one at a carriage return too. So both
    are its, and only the line feed is written.
    """

    def __init__(self, out: Callable[[str], Any]) -> None:
        self._out = out

    def write(self, line: str) -> None:
        """Write a row."""
        self._out(line.removesuffix("\r\n") + "\n")


WRITER = Csv()
