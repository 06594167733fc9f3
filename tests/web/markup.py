"""Whether a page is valid HTML, as far as our elements go: what is closed, what may stand in what, and ids."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"hr", "img", "input", "meta", "br", "link"}
BLOCKS = frozenset(
    re.findall(
        r"\w+",
        """div ul ol li dl dt dd table thead tbody tfoot tr th td form section article header footer nav main aside
        details summary p h1 h2 h3 h4 dialog figure figcaption pre search blockquote""",
    )
)
PHRASES = frozenset(
    re.findall(r"\w+", "p span h1 h2 h3 h4 b small code button label em strong s time output pre kbd summary dt")
)
"""Elements in which no block may stand. A summary may also have a heading."""

PARENTS = {
    "li": {"ul", "ol"},
    "dt": {"dl", "div"},
    "dd": {"dl", "div"},
    "tr": {"thead", "tbody", "tfoot"},
    "td": {"tr"},
    "th": {"tr"},
    "thead": {"table"},
    "tbody": {"table"},
    "tfoot": {"table"},
    "summary": {"details"},
    "figcaption": {"figure"},
    "option": {"select", "datalist"},
}
CHILDREN = {"ul": {"li"}, "ol": {"li"}, "tr": {"td", "th"}, "table": {"thead", "tbody", "tfoot"}}
ACTIVE = {"a", "button", "label", "select", "textarea", "details"}


class Markup(HTMLParser):
    """A page, taken apart. `problems` says what is wrong with it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.problems: list[str] = []
        self._open: list[str] = []
        self._ids: set[str] = set()
        if not text.startswith("<!doctype html>"):
            self.problems.append("no doctype")
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self._say(tag, "has an attribute twice")
        values = dict(attrs)
        id = values.get("id")
        if id is not None:
            if id in self._ids or not id or any(letter.isspace() for letter in id):
                self._say(tag, f"has the id {id!r}")
            self._ids.add(id)
        parent = self._open[-1] if self._open else ""
        if tag in PARENTS and parent not in PARENTS[tag]:
            self._say(tag, f"stands in <{parent}>")
        if parent in CHILDREN and tag not in CHILDREN[parent] | {"template", "script"}:
            self._say(tag, f"stands in <{parent}>")
        inside = "svg" not in self._open
        if inside and tag in BLOCKS:
            wrong = [one for one in self._open if one in PHRASES and not (one == "summary" and tag.startswith("h"))]
            if wrong:
                self._say(tag, f"stands in <{wrong[-1]}>")
        if inside and tag in ACTIVE - {"details"} and {"a", "button"} & set(self._open):
            self._say(tag, "stands in a link or a button")
        if tag == "form" and "form" in self._open:
            self._say(tag, "stands in a form")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1] != tag:
            self._say(tag, "ends where it did not begin")
            if tag not in self._open:
                return
            while self._open[-1] != tag:
                self._open.pop()
        self._open.pop()

    def _say(self, tag: str, what: str) -> None:
        self.problems.append(f"<{tag}> {what}, in {' '.join(self._open[-5:])}, line {self.getpos()[0]}")
