"""The parts of a message, each in its own form; the tally hears of what a page does not hold."""

from __future__ import annotations

from collections.abc import Callable

from pollux.model import (
    Attachment,
    Author,
    Context,
    FileReference,
    Message,
    Part,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.text.escape import one_line
from pollux.writers.calls import as_section
from pollux.writers.html.calls import call, result
from pollux.writers.html.code import code
from pollux.writers.html.folds import fold, lines
from pollux.writers.html.markup import Html, join, tag
from pollux.writers.html.pictures import attachment, source
from pollux.writers.html.prose import literal, markdown, typed
from pollux.writers.loss import BYTES, DETAILS, Tally

Child = Callable[[str], Html]
"""What stands in a call for the session it started, whose key this is."""


class Parts:
    """Turns parts into markup."""

    def __init__(self, tally: Tally, child: Child) -> None:
        self._tally = tally
        self._child = child

    def part(self, part: Part, message: Message) -> Html | None:
        """One part; None for one that says nothing."""
        self._account(part)
        shown: Html | None
        match part:
            case Text():
                shown = self._words(part, message)
            case Thinking():
                shown = _thinking(part)
            case ToolCall(child=key):
                shown = call(part, self._child(key) if key is not None else None)
            case ToolResult():
                shown = result(part) if part.output is not None or part.attachments else None
            case FileReference():
                shown = _reference(part)
            case Attachment():
                shown = attachment(part)
            case Context():
                shown = _client(part.source, part.text)
            case SummaryPart(text=text):
                shown = _summary(text) if text.strip() else None
            case Unknown():
                shown = _odd(part)
        return shown

    def _words(self, part: Text, message: Message) -> Html | None:
        if not part.text.strip():
            return None
        match message.author:
            case Author.HUMAN:
                return typed(part.text)
            case Author.MODEL:
                return markdown(part.text)
            case Author.CLIENT:
                return _client("", part.text)

    def _account(self, part: Part) -> None:
        self._tally.drop(DETAILS, bool(getattr(part, "extra", None)))
        for held in [part] if type(part) is Attachment else getattr(part, "attachments", ()):
            self._tally.drop(BYTES, held.data is not None and source(held.media_type, held.data) is None)
            self._tally.drop(DETAILS, bool(held.extra) and held is not part)


def _thinking(part: Thinking) -> Html | None:
    if not part.text.strip() and not part.subject:
        return None
    subject = tag("span", one_line(part.subject), class_="asked") if part.subject else None
    body = markdown(part.text) if part.text.strip() else None
    return fold(join([tag("b", "Thinking"), " ", subject]), body, class_="thinking")


def _reference(part: FileReference) -> Html:
    name = join([tag("b", "File"), " ", tag("code", one_line(part.path), class_="asked")])
    pictures = [attachment(one) for one in part.attachments]
    if part.text is None or not part.text.strip():
        return join([tag("p", name, class_="mention"), *pictures])
    return join([fold(join([name, " ", tag("small", lines(part.text))]), code(part.text, file=part.path)), *pictures])


def _client(source: str, text: str) -> Html:
    name = one_line(source)
    told = join([tag("b", "Context"), " ", name, " " if name else None, tag("small", f"{lines(text)}, by the client")])
    return fold(told, literal(text), class_="client")


def _summary(text: str) -> Html:
    marked_up = text.lstrip().startswith("<")
    words = tag("b", "The conversation so far, summed up")
    return fold(words, code(text, language="xml") if marked_up else markdown(text), class_="summary")


def _odd(part: Unknown) -> Html:
    section = as_section("Raw", part.raw)
    return fold("A part of a kind that pollux does not know", code(section.text, language=section.language))
