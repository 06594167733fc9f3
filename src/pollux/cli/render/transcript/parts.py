"""The parts of a message as lines: words wrapped, thinking dimmed, tools on one line, the rest folded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pollux.cli.render.transcript.calls import one_call
from pollux.cli.terminal.width import cut, short, wrap
from pollux.model import (
    Attachment,
    Context,
    FileReference,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.text.escape import one_line, visible
from pollux.text.figures import plural, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pollux.cli.terminal.screen import Screen
    from pollux.model import Part

INDENT = "  "
TIGHT = (ToolCall, FileReference, Attachment, ToolResult)


class Writing:
    """Turns parts into lines; `full` unfolds everything. `before` is the kind of part written last."""

    def __init__(self, screen: Screen, *, full: bool) -> None:
        self._screen = screen
        self._full = full
        self._markdown = False
        self.before: type | None = None

    def parts(self, parts: Iterable[Part], *, dim: bool, markdown: bool = False) -> Iterator[str]:
        """All parts, an empty line between those that do not belong together. `markdown` is what a model writes."""
        self._markdown = markdown and self._screen.markdown
        for part in parts:
            lines = list(self._part(part, dim))
            if not lines:
                continue
            tight = self.before is type(part) and isinstance(part, TIGHT) and not self._full
            if self.before is not None and not tight:
                yield ""
            self.before = type(part)
            yield from lines

    def _part(self, part: Part, dim: bool) -> Iterator[str]:
        match part:
            case Text():
                yield from self._markdown_or_prose(part.text, "dim" if dim else None)
            case Thinking():
                yield from self._thinking(part)
            case ToolCall():
                yield from self._call(part)
            case ToolResult():
                yield from self._result(part)
            case FileReference():
                yield from self._reference(part)
            case Attachment():
                yield self._note(f"+ {_attachment(part)}")
            case Context():
                yield from self._folded(f"from {one_line(part.source)}", part.text)
            case SummaryPart():
                yield from self._folded("summary of what went before", part.text)
            case Unknown():
                yield self._note(f"? unknown part: {one_line(_json(part.raw))}")

    # ------------------------------------------------------------------ words

    def _markdown_or_prose(self, text: str, style: str | None) -> Iterator[str]:
        """A model's Markdown laid out where somebody reads it, everything else as it was written."""
        if self._markdown:
            from pollux.cli.render.transcript.markdown import markdown

            columns = None if self._screen.columns is None else max(self._screen.columns - len(INDENT), 20)
            for line in markdown(self._screen, visible(text).strip("\n").expandtabs(4), columns):
                yield f"{INDENT}{line}" if line else ""
        else:
            yield from self._prose(text, style)

    def _prose(self, text: str, style: str | None, indent: str = INDENT) -> Iterator[str]:
        """Text as it was written, wrapped at words; code and tables keep their lines."""
        columns = None if self._screen.columns is None else max(self._screen.columns - len(indent), 20)
        fenced = False
        for line in visible(text).strip("\n").expandtabs(4).split("\n"):
            fence = line.lstrip().startswith(("```", "~~~"))
            fenced = fenced != fence
            as_it_is = fenced or fence or line.lstrip().startswith("|")
            for piece in [line] if as_it_is else wrap(line, columns):
                look = style or ("bold" if piece.startswith("#") and not fenced else None)
                yield f"{indent}{self._screen.paint(piece, look) if look else piece}" if piece else ""

    def _thinking(self, part: Thinking) -> Iterator[str]:
        subject = f": {one_line(part.subject)}" if part.subject else ""
        yield self._note(f"thinking{subject}")
        if part.text.strip():
            yield from self._prose(part.text, "dim", INDENT * 2)

    def _folded(self, label: str, text: str) -> Iterator[str]:
        """A text that is not the speaker's own: one line, or the whole under its label."""
        if not self._full:
            room = 80 if self._screen.columns is None else self._screen.columns - len(INDENT) - len(label) - 4
            yield self._note(f"· {label}: {short(text, room)}")
            return
        yield self._note(f"· {label}:")
        yield from self._prose(text, "dim", INDENT * 2)

    def _note(self, text: str) -> str:
        columns = self._screen.columns
        line = INDENT + text
        return self._screen.paint(line if columns is None or self._full else cut(line, columns), "dim")

    # ------------------------------------------------------------------ tools and files

    def _call(self, call: ToolCall) -> Iterator[str]:
        yield INDENT + one_call(self._screen, call, len(INDENT))
        if not self._full:
            return
        if call.input not in (None, {}, ""):
            yield self._note("  input:")
            yield from self._block(call.input if isinstance(call.input, str) else _json(call.input, indent=2))
        if call.output:
            yield self._note("  output:")
            yield from self._block(call.output)
        for attachment in call.attachments:
            yield self._note(f"  + {_attachment(attachment)}")

    def _result(self, part: ToolResult) -> Iterator[str]:
        if part.output is None and not part.attachments:
            if self._full:
                yield self._note(f"· answer to {one_line(part.name or part.call or 'a tool call')}, see above")
            return
        yield from self._folded(f"answer to {one_line(part.name or part.call or 'a tool call')}", part.output or "")
        for attachment in part.attachments:
            yield self._note(f"  + {_attachment(attachment)}")

    def _reference(self, part: FileReference) -> Iterator[str]:
        lines = f" ({plural(part.text.count(chr(10)) + 1, 'line')})" if part.text else ""
        yield self._note(f"+ {one_line(part.path)}{lines}")
        if self._full and part.text:
            yield from self._block(part.text)

    def _block(self, text: str) -> Iterator[str]:
        """Text whose lines mean something: not wrapped, set in."""
        for line in visible(text).rstrip("\n").expandtabs(8).split("\n"):
            yield self._screen.paint(f"{INDENT * 3}{line}", "dim") if line else ""


def _attachment(part: Attachment) -> str:
    held = f", {size(len(part.data) * 3 // 4)}" if part.data else ""
    return one_line(part.media_type) + held + (f", {one_line(part.uri)}" if part.uri else "")


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
