"""What lines are drawn for: how wide they are, and which styles they may have."""

from __future__ import annotations

from functools import cache

_BOLD, _DIM, _ITALIC, _UNDERLINE, _STRIKE = 1, 2, 3, 4, 9
_RED, _GREEN, _YELLOW, _BLUE, _MAGENTA, _CYAN = range(31, 37)

STYLES: dict[str, tuple[int, ...]] = {
    "bold": (_BOLD,),
    "dim": (_DIM,),
    "italic": (_ITALIC,),
    "strike": (_STRIKE,),
    "head": (_DIM,),
    "good": (_GREEN,),
    "bad": (_RED,),
    "warn": (_YELLOW,),
    "human": (_CYAN, _BOLD),
    "model": (_MAGENTA, _BOLD),
    "id": (_CYAN,),
    "match": (_YELLOW, _BOLD),
    "code": (_CYAN,),
    "link": (_UNDERLINE,),
    "keyword": (_MAGENTA,),
    "string": (_GREEN,),
    "number": (_CYAN,),
    "name": (_BLUE,),
    "comment": (_DIM,),
    "added": (_GREEN,),
    "removed": (_RED,),
    "accent": (_YELLOW,),
    "faint": (_DIM,),
}
"""The styles, each with its numbers in the control sequence of terminals that selects looks (SGR)."""

_RESET = "\x1b[0m"


class Canvas:
    """Lines of at most so many `columns`; None does not limit them.

    Without `color` there are no styles. With `markdown`, the Markdown of models is laid out.
    """

    def __init__(self, columns: int | None = None, *, color: bool = False, markdown: bool = False) -> None:
        self.columns = columns
        self.color = color
        self.markdown = markdown

    def room(self, indent: int) -> int | None:
        """How many columns are left behind an indent; None does not limit them."""
        return None if self.columns is None else self.columns - indent

    def paint(self, text: str, *styles: str) -> str:
        """The text in some styles, where there are colours."""
        return f"{_start(styles)}{text}{_RESET}" if self.color and text and styles else text


@cache
def _start(styles: tuple[str, ...]) -> str:
    """The sequences that begin some styles."""
    return "".join(f"\x1b[{number}m" for style in styles for number in STYLES[style])
