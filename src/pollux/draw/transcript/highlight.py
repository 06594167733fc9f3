"""Code in colours, line by line."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pollux.writers.lexing import lexed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.draw.transcript.layout import Span

LONGEST = 20_000
"""Longer code, in characters, has no colours in a terminal, because that would take too long."""

_LOOKS = (
    ("Comment", "comment"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Name.Function", "name"),
    ("Name.Class", "name"),
    ("Name.Tag", "name"),
    ("Name.Attribute", "name"),
    ("Generic.Inserted", "added"),
    ("Generic.Deleted", "removed"),
    ("Generic.Heading", "bold"),
)


def highlighted(code: str, language: str, *, color: bool) -> Iterable[list[Span]]:
    """The lines of some code, in colours where its language is known."""
    plain: list[list[Span]] = [[(line, ())] for line in code.split("\n")]
    ended = f"{code}\n"  # some grammars know whole lines only
    words = lexed(ended, language, most=LONGEST) if color and language else None
    if words is None:
        return plain
    rows: list[list[Span]] = [[]]
    for kind, text in words:
        style = _style(kind)
        for number, piece in enumerate(text.split("\n")):
            if number:
                rows.append([])
            if piece:
                rows[-1].append((piece, style))
    return rows[:-1] if "\n".join("".join(text for text, _ in row) for row in rows) == ended else plain


@cache
def _style(kind: Any) -> tuple[str, ...]:
    name = str(kind).removeprefix("Token.")
    return next(((look,) for beginning, look in _LOOKS if name.startswith(beginning)), ())
