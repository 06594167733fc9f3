"""Pages that say why something is not shown, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pollux.web.pages.layout import PLAIN, theme_button
from pollux.writers.html.assets import foot, plain_head
from pollux.writers.html.markup import Html, join, start, tag

TITLES = {
    400: "That request makes no sense",
    403: "Not for this request",
    404: "Nothing is here",
    405: "Not for this request",
    413: "Too large",
    414: "Too long",
    500: "Something went wrong",
    503: "Not now",
}


def problem_page(status: int, sentence: str, hint: str | None = None, *, home: bool = False) -> str:
    """A page with a sentence and a hint; `home` also leads to all sessions."""
    title = TITLES.get(status, "Something is wrong")
    back = tag("a", "All sessions", href="/", class_="home") if home else None
    bar = tag("header", back or tag("b", "pollux", class_="home"), tag("span", theme_button()), class_="bar")
    main = tag(
        "main",
        tag("h1", title),
        tag("p", sentence, class_="sentence"),
        tag("p", *with_code(hint)) if hint else None,
        tag("p", tag("small", f"Status {status}")),
    )
    pieces = (plain_head(f"{title} · pollux", PLAIN), start("body", class_="plain"), bar, main, foot(PLAIN))
    return "\n".join(pieces)


def entered_page() -> str:
    """The page that leads from a used ticket to a clean address: from here on the cookie goes with every request."""
    go_on = tag("meta", http_equiv="refresh", content="0; url=/")
    main = tag("main", tag("h1", "pollux"), tag("p", tag("a", "Go on to your sessions", href="/")))
    bar = tag("header", tag("b", "pollux", class_="home"), tag("span", theme_button()), class_="bar")
    pieces = (plain_head("pollux", PLAIN, go_on), start("body", class_="plain"), bar, main, foot(PLAIN))
    return "\n".join(pieces)


def with_code(text: str) -> Iterator[Html]:
    """A sentence with what stands between backticks as code."""
    for number, piece in enumerate(re.split("`", text)):
        yield tag("code", piece) if number % 2 else join([piece])
