"""What was used, and what it cost: columns over time and a table. Each figure leads to what it is made up of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pollux.text.escape import one_line
from pollux.text.figures import NONE, duration, least, money, number, plural, share, tilde
from pollux.text.shell import shell_line
from pollux.usage.days import bounds, unbroken
from pollux.usage.labels import label, tokens
from pollux.usage.service import Grouping, Measure
from pollux.usage.stats import OF_LAKES
from pollux.web.pages.columns import Span, columns
from pollux.web.pages.layout import agent_mark, list_address
from pollux.web.pages.report import Tile, filter_form, heading, nothing, pages, report_page, switch, table, tiles
from pollux.web.reports.asked import to
from pollux.web.terms import term
from pollux.writers.html.markup import Html, tag

if TYPE_CHECKING:
    from pollux.usage.service import Stats, ToolRow
    from pollux.usage.sums import Row
    from pollux.web.reports.asked import Asked

    Layers = Mapping[str | None, Mapping[str, float]]

TIMES = (Grouping.DAY, Grouping.WEEK, Grouping.MONTH)
_UNKNOWN = {Grouping.MODEL: "unknown model", Grouping.PROJECT: "no project"}
_HASH = 64
_PROOF = "What it is made up of"
PER_PAGE = 200
"""Rows of a table."""


def stats_page(asked: Asked, stats: Stats, layers: Layers, titles: Mapping[str, str], projects: list[str]) -> str:
    """Tokens and dollars."""
    by, of = stats.by, stats.of
    chart = None
    if by in TIMES:
        names = unbroken(name for name in layers if name is not None)
        spans = [
            Span(name, _inside(asked, by, name), layers.get(name, {})) if name is not None else Span(None, "", {})
            for name in names
        ]
        chart = columns(f"{of.value.capitalize()} a {by.value}", spans, lambda value: label(of, value))
    total = stats.total
    page = asked.number("page")
    shown = _newest_first(by, stats.rows)[(page - 1) * PER_PAGE : page * PER_PAGE]
    rows = [_cells(_name(asked, by, row.name, titles), row, _way(asked, by, row.name)) for row in shown]
    names_of = ("sessions", "requests", "input", "cached", "output", "tokens", "cost")
    inner: list[Html | None] = [tag("div", _choices(asked, by, of), filter_form(asked, projects, times="requests"))]
    if not stats.rows:
        inner.append(nothing("No usage matches.", asked))
    else:
        inner += [tiles("In all", _sums(total)), chart]
        inner += [table((by.value, *names_of), rows, _cells("total", total), numeric=range(1, 8))]
        inner += [pages(asked, page, more=len(stats.rows) > page * PER_PAGE, words=("Previous", "Next")), _notes(stats)]
    return _page(asked, inner)


def tools_page(asked: Asked, rows: Sequence[ToolRow], total: ToolRow, projects: list[str]) -> str:
    """Calls of tools."""
    names = ("tool", "known as", "sessions", "calls", "failed", "cancelled", "no result", "median")
    cells = [_tool_cells(row, tag("a", one_line(row.name or NONE), href=_tool(row))) for row in rows]
    inner: list[Html | None] = [
        tag("div", _choices(asked, Grouping.TOOL, None), filter_form(asked, projects, times="calls"))
    ]
    inner += [table(names, cells, _tool_cells(total, "total"), numeric=range(2, 8))] if rows else []
    inner += [] if rows else [nothing("No tool was called.", asked)]
    return _page(asked, inner)


def _page(asked: Asked, inner: Sequence[Html | None]) -> str:
    is_calls = asked.get("by") == Grouping.TOOL  # which have no tokens
    line = shell_line("pollux", "stats", *asked.options("by", *([] if is_calls else ["of"])))
    csv = tag("a", "CSV", href=asked.address(".csv"), download=True)
    return report_page(asked, "Stats", heading("Stats", asked, line, csv), *inner)


def _choices(asked: Asked, by: Grouping, of: Measure | None) -> Html:
    """What the figures are grouped by, and what is drawn."""
    groups = switch(
        "Group by",
        [(one.value.capitalize(), asked.address(by=one), one is by) for one in Grouping if one not in OF_LAKES],
    )
    if of is None:
        return tag("div", groups, class_="choices")
    measures = [(one.value.capitalize(), asked.address(of=one), one is of) for one in (Measure.TOKENS, Measure.COST)]
    ways: list[Html] = [groups, switch("What is drawn and sorted by", measures)]
    if by in TIMES:
        stack = asked.get("stack") or "agent"
        ways.append(
            switch("Stacked by", [(f"By {one}", asked.address(stack=one), one == stack) for one in ("agent", "model")])
        )
    return tag("div", *ways, class_="choices")


def _newest_first(by: Grouping, rows: Sequence[Row]) -> Sequence[Row]:
    return rows[::-1] if by in TIMES else rows


def _name(asked: Asked, by: Grouping, name: str | None, titles: Mapping[str, str]) -> Html:
    """What a row is about, which leads to what it is made up of."""
    if name is None:
        return tag("span", _UNKNOWN.get(by, "unknown time"))
    if by is Grouping.SESSION:
        return tag("a", one_line(titles.get(name) or name, 80), href=audit_address(name), title="Every figure of it")
    shown: Html | str = one_line(name)
    if by is Grouping.AGENT:
        shown = agent_mark(name)
    elif by is Grouping.PROJECT:
        shown = one_line(tilde(name, asked.home)) if not _is_hash(name) else name[:8]
    return tag("a", shown, href=_inside(asked, by, name), title="The sessions that make it up")


def _inside(asked: Asked, by: Grouping, name: str) -> str:
    """The address of the sessions that a row is made up of."""
    if by is Grouping.MODEL:
        return list_address(term("model", name))
    if by in TIMES:
        first, last = bounds(name)
        return asked.address(by="session", since=first.isoformat(), until=last.isoformat())
    value = name[:8] if by is Grouping.PROJECT and _is_hash(name) else name
    return asked.address(by="session", **{by.value: value})


def _way(asked: Asked, by: Grouping, name: str | None) -> str | None:
    """The address of what a figure is made up of."""
    if name is None:
        return None
    return audit_address(name) if by is Grouping.SESSION else _inside(asked, by, name)


def _sums(total: Row) -> Iterator[Tile]:
    """What there is in all."""
    usage = total.usage
    yield Tile(least(tokens(usage), more=total.open), "tokens", "/audit")
    yield Tile(_cost(total), "cost")
    yield Tile(number(usage.requests), "requests")
    yield Tile(least(number(total.sessions), more=total.open), "sessions")
    yield Tile(share(usage.cached, usage.input), "of the input from a cache")


def audit_address(key: str) -> str:
    """The address of the figures of a session."""
    return to("/audit", key=key)


def _is_hash(name: str) -> bool:
    return len(name) == _HASH and "/" not in name


def _cells(name: str, row: Row, way: str | None = None) -> tuple[str, ...]:
    usage = row.usage
    leading = (least(tokens(usage), more=row.open), _cost(row))
    return (
        name,
        least(number(row.sessions), more=row.open),
        number(usage.requests),
        number(usage.input),
        share(usage.cached, usage.input),
        number(usage.output),
        *(tag("a", words, href=way, title=_PROOF) if way is not None else words for words in leading),
    )


def _cost(row: Row) -> str:
    causes = row.unpriced_causes
    if row.cost_usd is None and causes.requests:
        return "no price" if causes.price else "no model" if causes.model else "no figures"
    return money(row.cost_usd, at_least=row.at_least)


def _tool(row: ToolRow) -> str:
    return list_address(term("tool", row.name)) if row.name else list_address()


def _tool_cells(row: ToolRow, name: str) -> tuple[str, ...]:
    counts = (row.sessions, row.calls, row.failed, row.cancelled, row.unfinished)
    return (name, one_line(row.canonical or NONE), *(number(count) for count in counts), duration(row.seconds))


def _notes(stats: Stats) -> Html:
    """How sure the figures are."""
    total = stats.total
    words = []
    if total.too_low:
        words.append(f"≥: {plural(total.too_low, 'session')} used more tokens than the files record.")
    if total.silent:
        words.append(f"{plural(total.silent, 'session')} without token figures.")
    if total.unpriced:
        models = f", of {', '.join(map(one_line, stats.unpriced_models))}" if stats.unpriced_models else ""
        words.append(f"{plural(total.unpriced, 'request')} without a known price{models}, not in the cost.")
    proof = tag("a", "How sure the figures are, and why", href="/audit")
    return tag("p", " ".join([*words, ""]), proof, class_="about below")
