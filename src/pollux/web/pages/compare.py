"""Two sessions side by side: what both have, then what each has for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from pollux.draw.compare import FIGURES, relation, told_file, told_tool
from pollux.model import Fate
from pollux.model.names import project_name
from pollux.text.escape import one_line
from pollux.text.figures import NONE, tilde
from pollux.text.shell import shell_line
from pollux.usage.labels import tokens
from pollux.web.pages.layout import agent_mark, session_address
from pollux.web.pages.report import field, heading, nothing, report_page, table, when
from pollux.web.reports.asked import to
from pollux.writers.html.markup import Html, tag
from pollux.writers.html.messages import anchor

if TYPE_CHECKING:
    from pollux.library.compare.values import Comparison, Side, Stretch
    from pollux.library.library import ListEntry
    from pollux.web.reports.asked import Asked


def compare_address(first: str, second: str) -> str:
    """The address of two sessions side by side."""
    return f"/compare/{quote(first, safe=':')}/{quote(second, safe=':')}"


def comparison_page(asked: Asked, comparison: Comparison) -> str:
    """Two sessions."""
    sides = (comparison.first, comparison.second)
    keys = [side.summary.key for side in sides]
    parts = [side.own for side in sides]
    names = ["A", "B"]
    owners = keys
    if comparison.shared is not None:
        parts, names, owners = [comparison.shared, *parts], ["shared", *names], [keys[0], *keys]
    numbers = range(1, 1 + len(parts))
    figures = [(name, *(FIGURES[name](part) for part in parts)) for name in FIGURES]
    other = tag("a", "Swap", href=compare_address(keys[1], keys[0]))
    return report_page(
        asked,
        "Compare",
        heading("Two sessions side by side", asked, shell_line("pollux", "compare", *keys), other),
        tag("div", *(_head(letter, side, keys) for letter, side in zip("AB", sides, strict=True)), class_="pair"),
        tag("p", one_line(relation(comparison)), class_="about"),
        table(("figure", *names), figures, numeric=numbers),
        tag("h2", "Prompts"),
        _prompts(names, parts, owners),
        *_counted("Tools", "tool", names, [[(one.name, told_tool(one)) for one in part.tools] for part in parts]),
        *_counted(
            "Files changed",
            "file",
            names,
            [[(one.path, told_file(one)) for one in part.files] for part in parts],
            lambda path: tag("a", tag("code", one_line(tilde(path, asked.home))), href=to("/file", path=path)),
        ),
        current="/",
    )


def _head(letter: str, side: Side, keys: Sequence[str]) -> Html:
    """What a session is: its title, who and when, and where it goes on alone."""
    key = side.summary.key
    title = one_line(side.title or "", 160) or "Untitled session"
    parted = None
    if side.parted_at is not None:
        parted = tag("a", "Where it goes on alone", href=session_address(key, anchor(side.parted_at)))
    other = tag("a", "Another session", href=to("/compare", key=next(one for one in keys if one != key)))
    project = one_line(project_name(side.summary.project)) if side.summary.project else None
    return tag(
        "section",
        tag("h2", tag("span", letter, class_="letter"), " ", tag("a", title, href=session_address(key))),
        tag("p", agent_mark(side.summary.agent), " ", when(side.summary.started), " ", project, class_="in"),
        tag("p", parted, " " if parted else None, other, class_="in"),
    )


def _prompts(names: Sequence[str], parts: Sequence[Stretch], owners: Sequence[str]) -> Html:
    """The prompts of each, beside each other."""
    columns = [
        tag("section", tag("h3", name), tag("ol", *_asked(part, key)) if part.prompts else tag("p", NONE))
        for name, part, key in zip(names, parts, owners, strict=True)
    ]
    return tag("div", *columns, class_="pair asked-for")


def _asked(part: Stretch, key: str) -> Iterator[Html]:
    for prompt in part.prompts:
        words = one_line(prompt.text, 240) or NONE
        fate = tag("span", prompt.fate.value, class_="badge cancelled") if prompt.fate is not Fate.LIVE else None
        yield tag("li", tag("a", words, href=session_address(key, anchor(prompt.message_id))), " ", fate)


def _counted(
    title: str,
    what: str,
    names: Sequence[str],
    parts: Sequence[Sequence[tuple[str, str]]],
    shown: Callable[[str], str] = one_line,
) -> Iterator[Html]:
    """A table with a row for each name that occurs in a part."""
    every = dict.fromkeys(name for part in parts for name, _ in part)
    if every:
        cells = [dict(part) for part in parts]
        rows = [(shown(name), *(by_name.get(name, NONE) for by_name in cells)) for name in every]
        yield tag("h2", title)
        yield table((what, *names), rows, numeric=range(1, 1 + len(parts)))


def choose_page(asked: Asked, first: ListEntry | None, entries: Sequence[ListEntry], name: str | None) -> str:
    """Which sessions are to be compared: a list, each a link."""
    title = one_line(first.title or "", 120) or "Untitled session" if first is not None else ""
    about = None
    if first is not None:
        about = tag("p", "A is ", tag("a", title, href=session_address(first.summary.key)), class_="about")
    hidden = tag("input", type="hidden", name="key", value=first.summary.key) if first is not None else None
    search = tag(
        "form",
        hidden,
        field("Words", "q", name, "in the title, the prompts or the project"),
        tag("button", "Show", type="submit"),
        method="get",
        action=asked.path,
        class_="filters",
    )
    rows = [_choice(entry, first) for entry in entries if first is None or entry.summary.key != first.summary.key]
    found = table(("session", "agent", "project", "when", "tokens"), rows, numeric=(4,))
    line = (
        shell_line("pollux", "compare", first.summary.key) + " KEY" if first is not None else "pollux compare KEY KEY"
    )
    return report_page(
        asked,
        "Compare",
        heading(f"Compare {'with ' if first is not None else ''}which session?", asked, line, twin=False),
        about,
        search,
        found if rows else nothing("No other session was found.", asked, ("q",)),
        current="/",
    )


def _choice(entry: ListEntry, first: ListEntry | None) -> tuple[str, ...]:
    summary = entry.summary
    key = summary.key
    where = compare_address(first.summary.key, key) if first is not None else to("/compare", key=key)
    return (
        tag("a", one_line(entry.title or "", 100) or "Untitled session", href=where),
        agent_mark(summary.agent),
        one_line(project_name(summary.project)) if summary.project else NONE,
        when(summary.ended or summary.started),
        tokens(summary.usage),
    )
