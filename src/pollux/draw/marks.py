"""Marks as people read them: a star, tags, a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.width import wrap
from pollux.text.escape import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.marks import MarkedItem
    from pollux.model import Marks

STAR = "★"


def signs(marks: Marks) -> str:
    """The star, the tags, and whether it is private, in one line; empty where there is none of these."""
    star = [STAR] if marks.starred else []
    private = ["private"] if marks.private else []
    return " ".join([*star, *(f"#{one_line(tag)}" for tag in marks.tags), *private])


def note_lines(canvas: Canvas, marks: Marks, indent: str = "") -> Iterator[str]:
    """The note, wrapped."""
    columns = None if canvas.columns is None else max(canvas.columns - len(indent), 16)
    for paragraph in (marks.note or "").splitlines():
        for line in wrap(visible(paragraph), columns):
            yield f"{indent}{line}".rstrip()


def message_marks(canvas: Canvas, marks: Marks) -> Iterator[str]:
    """The marks of a message, to stand above it."""
    yield ""
    words = " ".join(filter(None, [signs(marks), one_line(marks.name or "")])) or "note"
    yield canvas.paint(words, "match")
    for line in note_lines(canvas, marks, "  "):
        yield canvas.paint(line, "match")


def marked_lines(canvas: Canvas, items: Iterable[MarkedItem]) -> Iterator[str]:
    """Each marked session with its marks, and below it its marked messages."""
    last = None
    for item in items:
        if item.key != last:
            yield from _session(canvas, item)
        last = item.key
        if item.message is not None:
            id = one_line(item.message.anchor.id)
            words = [signs(item.marks), one_line(item.marks.name or "")]
            yield "  ".join(["", canvas.paint(id, "id"), *filter(None, words)])
        yield from note_lines(canvas, item.marks, "    " if item.message is not None else "  ")


def _session(canvas: Canvas, item: MarkedItem) -> Iterator[str]:
    entry = item.entry
    name = canvas.paint(one_line(entry.short if entry is not None else item.key), "id")
    title = one_line(entry.title or "A session without a title") if entry is not None else "not found now"
    own = signs(item.marks) if item.message is None else ""
    yield "  ".join(filter(None, [name, title, own]))
