"""Code in colours, line by line."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.cli.transcript.layout import Span

LONGEST = 20_000
"""Characters of code beyond which it has no colours: some grammars are slow."""

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


def highlighted(code: str, language: str, color: bool) -> Iterable[list[Span]]:
    """The lines of some code, in colours where its language is known."""
    lexer = _lexer(language.lower()) if color and language and len(code) <= LONGEST else None
    plain: list[list[Span]] = [[(line, ())] for line in code.split("\n")]
    if lexer is None:
        return plain
    rows: list[list[Span]] = [[]]
    ended = f"{code}\n"  # some grammars know whole lines only
    for kind, text in lexer.get_tokens(ended):
        style = _style(kind)
        for number, piece in enumerate(text.split("\n")):
            if number:
                rows.append([])
            if piece:
                rows[-1].append((piece, style))
    return rows[:-1] if "\n".join("".join(text for text, _ in row) for row in rows) == ended else plain


@cache
def _lexer(language: str) -> Any:
    """What knows a language; None where nothing does."""
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@cache
def _style(kind: Any) -> tuple[str, ...]:
    name = str(kind).removeprefix("Token.")
    return next(((look,) for beginning, look in _LOOKS if name.startswith(beginning)), ())
