"""A prompt as it was typed, without the files of its `@path`s and the additions of hooks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pollux.model import Attachment, Context, FileReference, Part, Text
from pollux.sources.gemini_sessions.format.content import (
    CONTEXTS,
    attachment,
    begins_with,
    client_parts,
    is_client_text,
    other_part,
    pieces,
    signature,
    text_of,
)
from pollux.sources.gemini_sessions.format.schema import Message, Part as Piece
from pollux.text.enclosed import all_enclosed


class Mark:
    """A line that divides a prompt; its pattern is tried only where a line begins with its fixed first words."""

    def __init__(self, words: str, rest: str) -> None:
        self.words = words
        self._pattern = re.compile(re.escape(words) + rest)

    def find(self, text: str, position: int) -> re.Match[str] | None:
        """The next such line."""
        place = text.find(self.words, position)
        while place >= 0:
            if (place == 0 or text[place - 1] == "\n") and (match := self._pattern.match(text, place)) is not None:
                return match
            place = text.find(self.words, place + 1)
        return None


class NextMark:
    """The next line with a mark in a text. It is searched for once, however often it is asked for."""

    def __init__(self, mark: Mark, text: str) -> None:
        self._mark = mark
        self._text = text
        self._next = mark.find(text, 0)

    def find(self, position: int) -> re.Match[str] | None:
        """The next mark from a position on. Positions never go back."""
        if self._next is not None and self._next.start() < position:
            self._next = self._mark.find(self._text, position)
        return self._next


START = Mark("--- Content from referenced ", r"(?:files|context) ---")
HEADING = Mark("Content from ", r"(?:@|referenced file )([^\n]+):\n")
END = Mark("--- End of content", r"(?P<folder> for directory: [^\n]*)? ---")
CONTEXT_END = "</session_context>"
HOOK, HOOK_END = "<hook_context>", "</hook_context>"


def prompt_parts(message: Message) -> list[Part]:
    """A human's message: the typed words, the referenced files, and the client's additions."""
    items = pieces(message.content)
    if len(items) == 1 and message.displayContent is None and (text := text_of(items[0])) and is_typed(text):
        return [Text(text=text, extra=signature(items[0]))]
    parts = Expansion().parts(items)
    if message.displayContent is None:
        return _typed_first(parts)
    typed = "".join(text_of(piece) for piece in pieces(message.displayContent))
    shown: list[Part] = [Text(text=typed)] if typed else []
    shown += [part for piece in pieces(message.displayContent) if not text_of(piece) for part in other_part(piece)]
    words = "".join(part.text for part in parts if type(part) is Text)
    if words.strip() not in (typed.strip(), ""):
        shown.append(Context(source="expansion", text=words))
    known = {repr(part) for part in shown}
    return shown + [part for part in parts if type(part) is not Text and repr(part) not in known]


def fused_parts(message: Message) -> list[Part] | None:
    """The parts of a prompt that was joined with the session's context before it; None if nothing was typed.

    The first turns of a shared conversation are such prompts, and of a history since 0.5x.
    """
    items = [part for item in pieces(message.content) for part in _split_context(item)]
    context = [item for item in items if begins_with(text_of(item), CONTEXTS)]
    typed = [item for item in items if not is_client_text(text_of(item))]
    if not context or not any(map(text_of, typed)):
        return None
    others = client_parts(Message(content=[item for item in items if is_client_text(text_of(item))]))
    return [
        *prompt_parts(Message(content=typed)),
        *(Context(source="session", text=part.text) if type(part) is Text else part for part in others),
    ]


def _split_context(item: str | Piece) -> list[str | Piece]:
    """The context, and the prompt after it in the same text."""
    text = text_of(item)
    end = text.find(CONTEXT_END) + len(CONTEXT_END)
    if not begins_with(text, CONTEXTS) or end < len(CONTEXT_END) or not text[end:].strip():
        return [item]
    rest = {} if isinstance(item, str) else item.extra
    return [Piece(text=text[:end], extra=rest), Piece(text=text[end:].lstrip())]


def is_typed(text: str) -> bool:
    """Was all of a text typed, as far as its marks show?"""
    return START.words not in text and HOOK not in text


def _typed_first(parts: list[Part]) -> list[Part]:
    """All typed words as one text, before the other parts."""
    texts = [part.text for part in parts if type(part) is Text]
    if len(texts) < 2:
        return parts
    return [Text(text="".join(texts)), *(part for part in parts if type(part) is not Text)]


class Expansion:
    """Walks through a prompt's pieces: each mark is its own piece (0.28+), or all stand in one string (before)."""

    def __init__(self) -> None:
        self._inside = False
        self._path: str | None = None
        self._body: list[str] = []
        self._attached: list[Attachment] = []
        self._parts: list[Part] = []

    def parts(self, items: list[str | Piece]) -> list[Part]:
        """Words, files and other parts in order."""
        for item in items:
            text = text_of(item)
            if text:
                self._walk(text)
            elif self._inside and isinstance(item, Piece) and (file := attachment(item)) is not None:
                self._attached.append(file)
            else:
                self._parts.extend(other_part(item))
        if self._inside:
            self._finish()
        return self._parts

    def _walk(self, text: str) -> None:
        position = 0
        ends, headings = NextMark(END, text), NextMark(HEADING, text)
        while position < len(text):
            if self._inside:
                position = self._file(text, position, ends.find(position), headings.find(position))
            else:
                position = self._words(text, position)

    def _words(self, text: str, position: int) -> int:
        """Outside of files: everything up to the start mark was typed."""
        start = START.find(text, position)
        if start is None:
            self._parts.extend(_without_hooks(text[position:]))
            return len(text)
        self._parts.extend(_without_hooks(_before(text, position, start)))
        self._inside = True
        return start.end()

    def _file(self, text: str, position: int, end: re.Match[str] | None, heading: re.Match[str] | None) -> int:
        """Inside a file: everything up to the next heading or the end mark belongs to it."""
        if heading is not None and (end is None or heading.start() < end.start()):
            self._body.append(_before(text, position, heading))
            self._finish()
            self._path = heading.group(1)
            return heading.end()
        if end is None:
            self._body.append(text[position:])
            return len(text)
        self._body.append(_before(text, position, end))
        self._finish()
        self._inside = end["folder"] is not None
        return end.end()

    def _finish(self) -> None:
        """Add the complete file."""
        text = "".join(self._body)
        if self._path is not None:
            self._parts.append(FileReference(path=self._path, text=text or None, attachments=tuple(self._attached)))
        else:
            if text:
                self._parts.append(Context(source="referenced content", text=text))
            self._parts.extend(self._attached)
        self._path = None
        self._body.clear()
        self._attached.clear()


def _before(text: str, position: int, mark: re.Match[str]) -> str:
    """The text before a mark; the line break in front belongs to the mark."""
    return text[position : max(position, mark.start() - 1)]


def _without_hooks(text: str) -> Iterator[Part]:
    """Typed words, and a hook's additions as separate parts."""
    position = 0
    for start, end in all_enclosed(text, HOOK, HOOK_END):
        words = text[position : start - len(HOOK)].rstrip()
        if words := words.lstrip() if position else words:
            yield Text(text=words)
        position = end + len(HOOK_END)
        yield Context(source="hook", text=text[start - len(HOOK) : position])
    if rest := text[position:].lstrip() if position else text:
        yield Text(text=rest)
