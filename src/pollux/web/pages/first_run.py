"""The page of a machine without sessions: where pollux looked, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.text.escape import one_line
from pollux.text.figures import tilde
from pollux.web.pages.layout import PLAIN, command, theme_button
from pollux.wire import folder_at
from pollux.writers.html.assets import foot, plain_head
from pollux.writers.html.markup import start, tag

if TYPE_CHECKING:
    from pollux.library.library import Library


def first_run_page(library: Library) -> str:
    """Where pollux looked, and the sample."""
    lacking = library.index.lacking()
    rows = []
    for source, root in library.homes.roots():
        content = "nothing that can be read" if source.name in lacking else "a folder without sessions"
        found = library.homes.refused(root) or (content if folder_at(root.path) else "no such folder")
        path = one_line(tilde(str(root.path), str(library.user_home)))
        rows.append(tag("tr", tag("td", source.title), tag("td", tag("code", path)), tag("td", found)))
    head = tag("thead", tag("tr", *(tag("th", words, scope="col") for words in ("Agent", "Looked in", "Found"))))
    words = "No session could be read" if lacking else "No sessions yet"
    main = tag(
        "main",
        tag("h1", words),
        tag("p", "pollux shows what your coding agents leave on this machine. It looked here:", class_="sentence"),
        tag(
            "div",
            tag("table", head, tag("tbody", *rows)),
            class_="wide",
            tabindex="0",
            role="region",
            aria_label="Where pollux looked",
        ),
        tag("p", "As soon as an agent writes a session, it is here: load this page again.")
        if not lacking
        else tag("p", "Which files could not be read: ", command("pollux doctor")),
        tag("p", "To look around with a bundled sample history: ", command("pollux --sample web")),
    )
    bar = tag("header", tag("b", "pollux", class_="home"), tag("span", theme_button()), class_="bar")
    pieces = (plain_head("No sessions · pollux", PLAIN), start("body", class_="web plain"), bar, main, foot(PLAIN))
    return "\n".join(pieces)
