"""A prompt as it was typed, without the contents of its `@path`s."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pollux.model import Attachment, Context, FileReference, Part, Text, Unknown
from pollux.sources.gemini_sessions.format.content import attachment, other_part, signature, text_of
from pollux.sources.gemini_sessions.format.schema import Part as Piece

START, END = "--- Content from referenced files ---", "--- End of content ---"
_HEADING = re.compile(r"\s*Content from (?:@|referenced file )?([^\n]+):\s*\Z")


def prompt_parts(items: Iterable[str | Piece], typed: str | None) -> list[Part]:
    """The typed words, then the files, then what else is there. `typed` is the text where another record has it."""
    words: list[Part] = []
    rest: list[Part] = []
    files = _Files()
    for item in items:
        text = text_of(item)
        if files.takes(item, text):
            continue
        if text:
            words.append(Text(text=text, extra=signature(item)))
        else:
            rest.extend(other_part(item))
    if typed is not None and typed.strip() and typed.strip() != "".join(map(_words, words)).strip():
        others = (Context(source="expansion", text=_words(part)) for part in words if _words(part) != typed)
        return [Text(text=typed), *others, *files.all(), *rest]
    return [*words, *files.all(), *rest]


def _words(part: Part) -> str:
    return part.text if type(part) is Text else ""


class _Files:
    """Collects what stands between the marks: each mark, each path and each content is a piece of its own."""

    def __init__(self) -> None:
        self._inside = False
        self._path: str | None = None
        self._texts: list[str] = []
        self._attached: list[Attachment] = []
        self._parts: list[Part] = []

    def takes(self, item: str | Piece, text: str) -> bool:
        """Is a piece a mark, or between the marks?"""
        mark = text.strip()
        if not self._inside and mark != START:
            return False
        if text and (rest := signature(item)):
            self._parts.append(Unknown(raw=rest))
        if not self._inside:
            self._inside = True
            return True
        if mark == END:
            self._finish()
            self._inside = False
        elif (heading := _HEADING.match(text)) is not None:
            self._finish()
            self._path = heading[1]
        elif text:
            self._texts.append(text)
        elif not isinstance(item, str) and (file := attachment(item)) is not None:
            self._attached.append(file)
        else:
            self._parts.extend(other_part(item))
        return True

    def _finish(self) -> None:
        text = "".join(self._texts)
        if self._path is not None:
            self._parts.append(FileReference(path=self._path, text=text or None, attachments=tuple(self._attached)))
        else:
            if text:
                self._parts.append(Context(source="referenced content", text=text))
            self._parts.extend(self._attached)
        self._path = None
        self._texts, self._attached = [], []

    def all(self) -> Iterator[Part]:
        """The files, and what else was between the marks."""
        self._finish()
        return iter(self._parts)
