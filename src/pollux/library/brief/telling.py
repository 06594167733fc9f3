"""Turns an item into a line of so many characters."""

from __future__ import annotations

import re

from pollux.library.brief.citing import Citations
from pollux.library.brief.values import Item, Line
from pollux.text.escape import one_line
from pollux.text.fence import harmless, harmless_line

LAID_OUT = 300
"""From so many characters on, a text keeps its line breaks."""
_WHAT = 80
_NOTE = 160
_BLANK = re.compile(r"\n\s*\n+")


class Telling:
    """An item that can be told in any length. `longest` is what could ever be told of its texts."""

    def __init__(self, item: Item, citations: Citations, longest: int) -> None:
        self.item = item
        self._text = _BLANK.sub("\n", harmless(item.text[:longest])).strip()
        self._detail = _BLANK.sub("\n", harmless(item.detail[:longest])).strip()
        self._cut = len(item.text) > longest or len(item.detail) > longest or item.text.startswith("…")
        self._short = one_line(self._text), one_line(self._detail)
        self._what = harmless_line(item.what, _WHAT)
        self._note = harmless_line(item.note, _NOTE)
        self._cut_note = self._note.endswith("…")
        self._citations = citations.of(item.places)
        self._ids = citations.ids(item.places)

    @property
    def whole(self) -> int:
        """The length in which everything is told."""
        sizes = (max(len(text), LAID_OUT if "\n" in text else 0) for text in (self._text, self._detail))
        return max(sizes)

    def line(self, length: int) -> Line:
        """The line in which no text has more than so many characters."""
        texts = self._short if length < LAID_OUT else (self._text, self._detail)
        (text, cut), (detail, cut_detail) = (_shortened(words, length) for words in texts)
        return Line(
            section=self.item.section,
            what=self._what,
            text=text,
            note=self._note,
            detail=detail,
            citations=self._citations,
            message_ids=self._ids,
            at=self.item.at,
            fate=self.item.fate,
            shortened=cut or cut_detail or self._cut or self._cut_note,
        )


def _shortened(text: str, length: int) -> tuple[str, bool]:
    """A text with at most so many characters, and whether it lost some."""
    if len(text) <= length:
        return text, False
    begin = text[: length - 1]
    space = max(begin.rfind(" "), begin.rfind("\n"))
    return f"{begin[:space] if space > length // 2 else begin}…".replace("\n…", " …"), True
