"""Folded content: a line that says what it is, and the rest below it."""

from __future__ import annotations

from pollux.writers.html.markup import Html, join, tag

INERT = 1000
"""Characters of markup: more is kept out of the document until somebody opens it."""


def fold(summary: str, *body: str | None, class_: str = "", opened: bool = False) -> Html:
    """Folded content. Long content is inert, so that a browser does not lay it out before somebody opens it."""
    inner = join(body)
    if len(inner) > INERT and not opened:
        inner = tag("template", inner)
    return tag(
        "details", tag("summary", summary), tag("div", inner, class_="folded"), class_=class_ or None, open=opened
    )


def lines(text: str) -> str:
    """The number of lines of a text, in words."""
    count = text.strip("\n").count("\n") + 1
    return f"{count:,} line" if count == 1 else f"{count:,} lines"
