"""The blocks of a message as lines: words wrapped, thinking dimmed, tools on one line, the rest folded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from pollux.draw.transcript.calls import one_call
from pollux.draw.width import cut, short, wrap
from pollux.model import Author
from pollux.text.escape import one_line, visible
from pollux.text.figures import plural, size
from pollux.writers.diffs import changes_of
from pollux.writers.transcript import (
    AttachmentBlock,
    CallBlock,
    ContextBlock,
    ReferenceBlock,
    ResultBlock,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    UnknownBlock,
    is_blank,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.model import Attachment, FileReference
    from pollux.writers.diffs import Diff
    from pollux.writers.transcript import Block

INDENT = "  "


class Show(NamedTuple):
    """How much of a conversation is shown.

    `full` unfolds files and the client's texts. `tools` are off, on one line each (short), or full. With `diffs`, an
    edit is shown as a difference. A text with more than `most` characters is cut, which its last line says.
    """

    full: bool = False
    tools: str = "short"
    thinking: bool = True
    diffs: bool = False
    most: int | None = None


BRIEF, FULL = Show(), Show(full=True, tools="full")
TIGHT = (CallBlock, ReferenceBlock, AttachmentBlock, ResultBlock)


class Writing:
    """Turns blocks into lines. `before` is the kind of block written last."""

    def __init__(self, canvas: Canvas, show: Show) -> None:
        self._canvas = canvas
        self._show = show
        self._full = show.full
        self.before: type | None = None

    def lines(self, block: Block) -> Iterator[str]:
        """A block, with an empty line above it where it does not belong to the one before."""
        lines = list(self._block(block))
        if not lines:
            return
        tight = self.before is type(block) and isinstance(block, TIGHT) and not self._is_unfolded(block)
        if self.before is not None and not tight:
            yield ""
        self.before = type(block)
        yield from lines

    def _is_unfolded(self, block: Block) -> bool:
        return self._show.tools == "full" if isinstance(block, CallBlock) else self._full

    def _block(self, block: Block) -> Iterator[str]:
        match block:
            case CallBlock() | ResultBlock() if self._show.tools == "off":
                return
            case ThinkingBlock() if not self._show.thinking:
                return
            case TextBlock():
                yield from self._words(block)
            case ThinkingBlock():
                yield from self._thought(block)
            case CallBlock():
                yield from self._call(block)
            case ResultBlock():
                yield from self._answer(block)
            case ReferenceBlock(file=file):
                yield from self._reference(file)
            case AttachmentBlock(attachment=attachment):
                yield self._note(f"+ {_attachment(attachment)}")
            case ContextBlock(source=source, text=text):
                yield from self._folded(f"from {one_line(source)}", text)
            case SummaryBlock(text=text):
                yield from self._folded("summary of what went before", text)
            case UnknownBlock(raw=raw):
                yield self._note(f"? unknown part: {one_line(_json(raw))}")

    # ------------------------------------------------------------------ words

    def _words(self, words: TextBlock) -> Iterator[str]:
        """A model's Markdown is laid out on a terminal; everything else stays as it was written."""
        if words.author is Author.MODEL and self._canvas.markdown:
            yield from self._markdown(words.text)
        else:
            yield from self._prose(words.text, "dim" if words.author is Author.CLIENT else None)

    def _markdown(self, text: str, style: str | None = None, indent: str = INDENT) -> Iterator[str]:
        from pollux.draw.transcript.markdown import markdown

        columns = None if self._canvas.columns is None else max(self._canvas.columns - len(indent), 20)
        for line in markdown(self._canvas, visible(self._cut(text)).strip("\n").expandtabs(4), columns, style):
            yield f"{indent}{line}" if line else ""
        yield from self._left_out(text)

    def _cut(self, text: str) -> str:
        return text if self._show.most is None else text[: self._show.most]

    def _left_out(self, text: str) -> Iterator[str]:
        """What to say of a text that is too long for this view."""
        if self._show.most is not None and len(text) > self._show.most:
            yield self._note(f"… {len(text) - self._show.most:,} more characters: pollux show has all of them")

    def _prose(self, text: str, style: str | None, indent: str = INDENT) -> Iterator[str]:
        """Text as it was written, wrapped at words; code and tables keep their lines."""
        columns = None if self._canvas.columns is None else max(self._canvas.columns - len(indent), 20)
        in_code = False
        for line in visible(self._cut(text)).strip("\n").expandtabs(4).split("\n"):
            fence = line.lstrip().startswith(("```", "~~~"))
            in_code = in_code != fence
            as_it_is = in_code or fence or line.lstrip().startswith("|")
            for piece in [line] if as_it_is else wrap(line, columns):
                line_style = style or ("bold" if piece.startswith("#") and not in_code else None)
                yield f"{indent}{self._canvas.paint(piece, line_style) if line_style else piece}" if piece else ""
        yield from self._left_out(text)

    def _thought(self, thought: ThinkingBlock) -> Iterator[str]:
        subject = f": {one_line(thought.subject)}" if thought.subject else ""
        yield self._note(f"thinking{subject}")
        if thought.text.strip():
            lay_out = self._markdown if self._canvas.markdown else self._prose
            yield from lay_out(thought.text, "dim", INDENT * 2)

    def _folded(self, label: str, text: str) -> Iterator[str]:
        """A text that is not the speaker's own: one line, or the whole under its label."""
        if not self._full:
            room = 80 if self._canvas.columns is None else self._canvas.columns - len(INDENT) - len(label) - 4
            yield self._note(f"· {label}: {short(text, room)}")
            return
        yield self._note(f"· {label}:")
        yield from self._prose(text, "dim", INDENT * 2)

    def _note(self, text: str) -> str:
        columns = self._canvas.columns
        line = INDENT + text
        return self._canvas.paint(line if columns is None or self._full else cut(line, columns), "dim")

    # ------------------------------------------------------------------ tools and files

    def _call(self, block: CallBlock) -> Iterator[str]:
        call = block.call
        changes, other = changes_of(call) if self._show.diffs else ([], call.input)
        yield INDENT + one_call(self._canvas, block, len(INDENT), changes)
        if self._show.tools != "full":
            return
        for change in changes:
            yield from self._change(change)
        if other not in (None, {}, ""):
            yield self._note("  input:")
            yield from self._literal(other if isinstance(other, str) else _json(other, indent=2))
        if call.output:
            yield self._note("  output:")
            yield from self._literal(call.output)
        for attachment in call.attachments:
            yield self._note(f"  + {_attachment(attachment)}")

    def _change(self, change: Diff) -> Iterator[str]:
        """What was changed in a file, line by line."""
        yield self._note(f"  {one_line(change.file or 'a file')}  +{change.added:,} −{change.removed:,}")
        for line in change.lines:
            style = {"+": "added", "-": "removed"}.get(line[0], "dim")
            words = visible(line[1:] if line[0] == "@" else line).rstrip("\n").expandtabs(8)
            yield self._canvas.paint(f"{INDENT * 3}{words}", style)

    def _answer(self, answer: ResultBlock) -> Iterator[str]:
        result = answer.result
        label = f"answer to {one_line(result.name or result.call or 'a tool call')}"
        if is_blank(answer):
            if self._full:
                yield self._note(f"· {label}, see above")
            return
        yield from self._folded(label, result.output or "")
        for attachment in result.attachments:
            yield self._note(f"  + {_attachment(attachment)}")

    def _reference(self, file: FileReference) -> Iterator[str]:
        lines = f" ({plural(file.text.count(chr(10)) + 1, 'line')})" if file.text else ""
        yield self._note(f"+ {one_line(file.path)}{lines}")
        if self._full and file.text:
            yield from self._literal(file.text)

    def _literal(self, text: str) -> Iterator[str]:
        """Text whose lines must stay: indented, not wrapped."""
        for line in visible(self._cut(text)).rstrip("\n").expandtabs(8).split("\n"):
            yield self._canvas.paint(f"{INDENT * 3}{line}", "dim") if line else ""
        yield from self._left_out(text)


def _attachment(part: Attachment) -> str:
    length = f", {size(len(part.data) * 3 // 4)}" if part.data else ""
    return one_line(part.media_type) + length + (f", {one_line(part.uri)}" if part.uri else "")


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
