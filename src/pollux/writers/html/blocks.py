"""The blocks of a message, each in its own form."""

from __future__ import annotations

from collections.abc import Callable

from pollux.model import Author, FileReference
from pollux.text.escape import one_line
from pollux.writers.calls import as_section
from pollux.writers.html.calls import answer, call
from pollux.writers.html.code import code
from pollux.writers.html.details import fold, lines
from pollux.writers.html.markup import EMPTY, Html, join, tag
from pollux.writers.html.pictures import attachment
from pollux.writers.html.prose import literal, markdown, typed
from pollux.writers.transcript import (
    AttachmentBlock,
    Block,
    CallBlock,
    ContextBlock,
    NoteBlock,
    ReferenceBlock,
    ResultBlock,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    UnknownBlock,
)

Child = Callable[[str], Html]
"""Makes what a call shows of the session that it started, from the session's key."""


def markup(block: Block, child: Child) -> Html:
    """The markup of one block."""
    piece = EMPTY
    match block:
        case TextBlock():
            piece = _words(block)
        case ThinkingBlock():
            piece = _thought(block)
        case CallBlock(call=made):
            piece = call(block, child(made.child) if made.child is not None else None)
        case ResultBlock(result=result):
            piece = answer(result)
        case ReferenceBlock(file=file):
            piece = _reference(file)
        case AttachmentBlock(attachment=picture):
            piece = attachment(picture)
        case ContextBlock(source=source, text=text):
            piece = _client(source, text)
        case SummaryBlock(text=text):
            piece = _summary(text)
        case NoteBlock():
            piece = _remark(block)
        case UnknownBlock(raw=raw):
            section = as_section("Raw", raw)
            body = code(section.text, language=section.language)
            piece = fold("A part of a kind that pollux does not know", body)
    return piece


def _words(words: TextBlock) -> Html:
    match words.author:
        case Author.HUMAN:
            return typed(words.text)
        case Author.MODEL:
            return markdown(words.text)
        case Author.CLIENT:
            return _client("", words.text)


def _thought(thought: ThinkingBlock) -> Html:
    subject = tag("span", one_line(thought.subject), class_="asked") if thought.subject else None
    body = markdown(thought.text) if thought.text.strip() else None
    return fold(join([tag("b", "Thinking"), " ", subject]), body, class_="thinking")


def _reference(file: FileReference) -> Html:
    name = join([tag("b", "File"), " ", tag("code", one_line(file.path), class_="asked")])
    pictures = map(attachment, file.attachments)
    if file.text is None or not file.text.strip():
        return join([tag("p", name, class_="mention"), *pictures])
    return join([fold(join([name, " ", tag("small", lines(file.text))]), code(file.text, file=file.path)), *pictures])


def _client(source: str, text: str) -> Html:
    name = one_line(source)
    head = join([tag("b", "Context"), " ", name, " " if name else None, tag("small", f"{lines(text)}, by the client")])
    return fold(head, literal(text), class_="client")


def _summary(text: str) -> Html:
    marked_up = text.lstrip().startswith("<")
    words = tag("b", "The conversation so far, summed up")
    return fold(words, code(text, language="xml") if marked_up else markdown(text), class_="summary")


def _remark(remark: NoteBlock) -> Html:
    """A line of the interface, or a command that the human gave to it."""
    words = tag("span", remark.text.strip(), class_="literal")
    return tag("p", tag("b", remark.kind), " ", words, class_=f"remark {remark.kind.lower()}")
