"""Code with its words in colour."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pollux.writers.html.markup import Html, escape, join, tag
from pollux.writers.visible import visible

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST = 60_000
"""Characters: what is longer is shown without colours, for they would take longer than they are worth."""

# Kinds of words by Pygments' names, the more special first, and the class each is given.
_KINDS = (
    ("Token.Comment", "c"),
    ("Token.Keyword", "k"),
    ("Token.Literal.String", "s"),
    ("Token.Literal.Number", "m"),
    ("Token.Name.Function", "f"),
    ("Token.Name.Class", "f"),
    ("Token.Name.Tag", "k"),
    ("Token.Name.Attribute", "f"),
    ("Token.Name.Decorator", "d"),
    ("Token.Name.Builtin", "d"),
    ("Token.Operator.Word", "k"),
    ("Token.Generic.Heading", "k"),
    ("Token.Generic.Deleted", "x"),
    ("Token.Generic.Inserted", "s"),
)


def code(text: str, *, language: str = "", file: str = "", label: str = "") -> Html:
    """A block of code, in the colours of a language or of a file's ending."""
    shown = visible(text).rstrip("\n")
    block = tag("pre", tag("code", _coloured(shown, language, file)), class_="code", tabindex="0")
    return tag("div", tag("span", label.strip(), class_="label"), block, class_="labelled") if label.strip() else block


def _coloured(text: str, language: str, file: str) -> Html:
    lexer = _lexer(language.lower(), "") if language else _lexer("", file.rpartition("/")[2].lower()) if file else None
    if lexer is None or len(text) > LONGEST:
        return escape(text)
    pieces = []
    # Some lexers know a comment only by the end of its line.
    *most, (last, ending) = lexer.get_tokens(f"{text}\n")
    for kind, words in [*most, (last, ending.removesuffix("\n"))]:
        name = _class(str(kind))
        shown = escape(words)
        pieces.append(shown if name is None else Html(f'<span class="{name}">{shown}</span>'))
    return join(pieces)


@cache
def _class(kind: str) -> str | None:
    return next((name for start, name in _KINDS if kind.startswith(start)), None)


@cache
def _lexer(language: str, file: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language) if language else get_lexer_for_filename(file)
    except ClassNotFound:
        return None
    # The text stays as it is: no line is trimmed, none is added.
    lexer.stripnl = lexer.ensurenl = False
    return lexer
