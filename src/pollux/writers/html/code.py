"""Code with its words in colour."""

from __future__ import annotations

from functools import cache

from pollux.text.escape import visible
from pollux.writers.html.markup import Html, escape, join, tag
from pollux.writers.lexing import lexed

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
    letters = visible(text).rstrip("\n")
    block = tag("pre", tag("code", _coloured(letters, language, file)), class_="code", tabindex="0")
    return tag("div", tag("span", label.strip(), class_="label"), block, class_="labelled") if label.strip() else block


def _coloured(text: str, language: str, file: str) -> Html:
    # Some lexers know a comment only by the end of its line.
    words = lexed(f"{text}\n", language, file)
    if words is None:
        return escape(text)
    pieces = []
    *most, (last, ending) = words
    for kind, piece in [*most, (last, ending.removesuffix("\n"))]:
        name = _class(str(kind))
        letters = escape(piece)
        pieces.append(letters if name is None else Html(f'<span class="{name}">{letters}</span>'))
    return join(pieces)


@cache
def _class(kind: str) -> str | None:
    return next((name for start, name in _KINDS if kind.startswith(start)), None)
