"""Changes to files on a page."""

from __future__ import annotations

from collections.abc import Iterable

from pollux.writers.diffs import Diff
from pollux.writers.html.markup import Html, join, tag

_ELEMENTS = {"+": "ins", "-": "del"}


def diff(change: Diff) -> Html:
    """The changes to one file, for people."""
    head = tag("div", tag("span", change.file or "", class_="file"), " ", sizes([change]), class_="diff-head")
    return tag("div", head, diff_lines(change.lines), class_="diff")


def diff_lines(lines: Iterable[str]) -> Html:
    """Lines with their marks, in colours."""
    return tag("pre", join(map(_line, lines)), tabindex="0")


def sizes(changes: Iterable[Diff]) -> Html:
    """The numbers of added and removed lines."""
    diffs = list(changes)
    came, went = sum(d.added for d in diffs), sum(d.removed for d in diffs)
    return join([tag("span", f"+{came:,}", class_="came"), " ", tag("span", f"−{went:,}", class_="went")])


def _line(line: str) -> Html:
    if line[0] == "@":
        return tag("span", f"{line[1:]}\n", class_="between")
    return tag(_ELEMENTS.get(line[0], "span"), f"{line}\n")
