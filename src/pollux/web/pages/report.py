"""What the reports share: the page around them, the filters as a form, tables, and moments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pollux import registry
from pollux.draw.rows import day_name
from pollux.system.clock import local, now
from pollux.web.pages.layout import REPORT, command, search_bar
from pollux.web.reports.asked import FILTERS
from pollux.writers.html.assets import foot, plain_head
from pollux.writers.html.markup import EMPTY, Html, end, join, start, tag
from pollux.writers.html.page import keys_help
from pollux.writers.json import stamp

if TYPE_CHECKING:
    from datetime import date, datetime

    from pollux.web.reports.asked import Asked

T = TypeVar("T")
KEYS = {
    "/": "search all sessions",
    "Ctrl+K": "go to a page or a session",
    "n / p": "next, previous page",
    "g": "all sessions",
    "d": "light, dark, or as the system",
    "?": "this help",
}
_FEW, _MANY = 4, 10
"""Columns: a table with more than few takes the whole width, one with more than many has them closer together."""

PARTS = (*FILTERS, "key", "path", "kind", "status", "model", "name", "q")
"""The parameters that ask for a part of what there is."""

NUMERIC = "number"
"""The class of cells with figures."""


def report_page(asked: Asked, title: str, *inner: Html | None, current: str | None = None) -> str:
    """A whole page. `current` is the address of the page in the bar that it belongs to."""
    pieces = (
        plain_head(f"{title} · pollux", REPORT),
        start("body", class_="web report"),
        tag("a", "Skip to the content", href="#content", class_="skip"),
        search_bar(current or asked.path),
        tag("main", *inner, id="content"),
        keys_help(KEYS),
        foot(REPORT),
    )
    return "\n".join(pieces)


def heading(
    title: str, asked: Asked, line: str, *ways: Html | None, about: str | None = None, twin: bool = True
) -> Html:
    """The title, the command that gives the same answer, other ways to it, and a sentence on what it is."""
    json = tag("a", "JSON", href=asked.address(".json", page=asked.get("page"))) if twin else None
    return join(
        [
            tag(
                "header",
                tag("h1", title),
                tag("div", command(line), *ways, json, class_="ways"),
                class_="list-head",
            ),
            tag("p", about, class_="about") if about else None,
        ]
    )


def filter_form(
    asked: Asked, projects: Sequence[str] = (), *more: Html, times: str = "sessions", dated: bool = True
) -> Html:
    """The filters, which are part of the address; `dated`: also by time. What else is asked for stays as it is."""
    fields = {"agent", "project", "since", "until", "page"}
    kept = [
        tag("input", type="hidden", name=name, value=value)
        for name, value in asked.parameters.items()
        if name not in fields and value.strip() and not any(f'name="{name}"' in one for one in more)
    ]
    agents = [choice("", "any", chosen=asked.get("agent") is None)]
    agents += [choice(name, name, chosen=asked.get("agent") == name) for name in registry.source_names()]
    known = tag("datalist", *(tag("option", value=name) for name in projects), id="projects") if projects else None
    chosen = any(asked.get(name) for name in ("agent", "project", "since", "until"))
    clear = asked.address(agent=None, project=None, since=None, until=None)
    return tag(
        "form",
        *kept,
        *more,
        tag("label", "Agent", tag("select", *agents, name="agent")),
        field("Project", "project", asked.get("project"), "any", "projects" if projects else None),
        field("Since", "since", asked.get("since"), "2w, 2026-11-01") if dated else None,
        field("Until", "until", asked.get("until"), "yesterday") if dated else None,
        tag("button", "Show", type="submit", title=f"Only {times} that fit"),
        tag("a", "Clear", href=clear) if chosen else None,
        known,
        method="get",
        action=asked.path,
        class_="filters",
    )


def field(words: str, name: str, value: str | None, about: str, known: str | None = None) -> Html:
    """A field of a form."""
    entry = tag(
        "input", name=name, value=value or "", placeholder=about, list=known, autocomplete="off", spellcheck="false"
    )
    return tag("label", words, entry)


def choice(value: str, words: str, *, chosen: bool) -> Html:
    """One of the values of a field."""
    return tag("option", words, value=value, selected=chosen)


def switch(name: str, ways: Iterable[tuple[str, str, bool]]) -> Html:
    """Links of which one is chosen: words, address, and whether it is this one."""
    links = (tag("a", words, href=to, aria_current="page" if now else None) for words, to, now in ways)
    return tag("nav", *links, aria_label=name, class_="views")


class Tile(NamedTuple):
    """A figure and what it counts. It leads somewhere, is chosen, or needs a look."""

    value: str
    words: Html | str
    address: str | None = None
    chosen: bool = False
    wrong: bool = False


def tiles(name: str, figures: Iterable[Tile]) -> Html:
    """Figures beside each other. Those that lead somewhere are filters."""
    return tag("ul", *(tag("li", _tile(one)) for one in figures), class_="tiles", aria_label=name)


def _tile(one: Tile) -> Html:
    inner = (tag("b", one.value, class_="bad" if one.wrong else None), " ", tag("span", one.words))
    if one.address is None:
        return tag("div", *inner)
    return tag("a", *inner, href=one.address, aria_current="true" if one.chosen else None)


def one_day(which: date) -> Html:
    """A day that stays on one line."""
    return tag("time", which.isoformat())


def by_day(
    things: Iterable[T], at: Callable[[T], datetime | None], row: Callable[[T], Html], kind: str
) -> Iterator[Html]:
    """Rows under the days they belong to, in the zone of this machine."""
    today = local(now()).date()
    before: str | None = None
    for thing in things:
        moment = at(thing)
        day = "No time is known" if moment is None else day_name(local(moment).date(), today)
        if day != before:
            if before is not None:
                yield end("ol")
            yield tag("h2", day, class_="day")
            yield start("ol", class_=f"rows {kind}")
            before = day
        yield row(thing)
    if before is not None:
        yield end("ol")


def clock(moment: datetime | None) -> Html:
    """The time of a day, in the zone of this machine."""
    if moment is None:
        return tag("span", "–")
    here = local(moment)
    return tag("time", f"{here:%H:%M}", datetime=stamp(moment), title=f"{here:%Y-%m-%d %H:%M:%S %Z}")


def when(moment: datetime | None) -> Html:
    """Day and time, in the zone of this machine."""
    if moment is None:
        return tag("span", "–")
    here = local(moment)
    return tag("time", f"{here:%Y-%m-%d %H:%M}", datetime=stamp(moment), title=f"{here:%Y-%m-%d %H:%M:%S %Z}")


def table(
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    foot_row: Sequence[str] = (),
    *,
    numeric: Iterable[int] = (),
    texts: Iterable[int] = (),
) -> Html:
    """A table; the first cell of each row names it. `numeric` columns align at their end, `texts` may be long."""
    kinds = dict.fromkeys(numeric, NUMERIC) | dict.fromkeys(texts, "text")
    classes = [kinds.get(place) for place in range(len(names))]
    head = tag("tr", *(tag("th", name, scope="col", class_=kind) for name, kind in zip(names, classes, strict=True)))
    body = [_row(row, classes) for row in rows]
    whole = tag("tfoot", _row(foot_row, classes)) if foot_row else None
    inner = tag("table", tag("thead", head), tag("tbody", *body), whole, class_="figures-table")
    kind = " few" if len(names) <= _FEW else " many" if len(names) > _MANY else ""
    return tag("div", inner, class_=f"wide{kind}", tabindex="0", role="region", aria_label=f"Table by {names[0]}")


def _row(cells: Sequence[str], classes: Sequence[str | None]) -> Html:
    first, *rest = cells
    others = (tag("td", cell, class_=kind) for cell, kind in zip(rest, classes[1:], strict=True))
    return tag("tr", tag("th", first, scope="row", class_=classes[0]), *others)


def pages(asked: Asked, page: int, *, more: bool, words: tuple[str, str] = ("Newer", "Older")) -> Html:
    """The ways to the rows before and after."""
    if page == 1 and not more:
        return EMPTY
    before, after = words
    back = asked.address(page=str(page - 1) if page > 2 else None)
    return tag(
        "nav",
        tag("a", before, href=back, rel="prev") if page > 1 else tag("span", before),
        tag("span", f"Page {page:,}"),
        tag("a", after, href=asked.address(page=str(page + 1)), rel="next") if more else tag("span", after),
        aria_label="Pages",
        class_="pages",
    )


def nothing(words: str, asked: Asked, parts: Sequence[str] = PARTS) -> Html:
    """What stands where nothing is found, with the way to all if only a part was asked for."""
    is_part = any(asked.get(name) is not None for name in parts)
    whole = tag("a", "Show all", href=asked.address(**dict.fromkeys(parts))) if is_part else None
    return tag("p", words, " ", whole, class_="nothing")
