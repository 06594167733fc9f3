"""What was used, and what it cost: columns over time and a table. Each figure leads to what it is made up of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pollux import registry
from pollux.text.escape import one_line
from pollux.text.figures import NONE, duration, least, money, number, plural, share, tilde
from pollux.text.filter_term import filter_term
from pollux.text.shell import shell_line
from pollux.usage.days import bounds, unbroken
from pollux.usage.labels import label, tokens
from pollux.usage.service import Grouping, Measure
from pollux.usage.stats import OF_LAKES
from pollux.web.pages.columns import Span, columns
from pollux.web.pages.layout import agent_mark, list_address
from pollux.web.pages.report import Tile, field, filter_form, heading, nothing, pages, report_page, switch, table, tiles
from pollux.web.reports.asked import to
from pollux.writers.html.markup import Html, join, tag

if TYPE_CHECKING:
    from pollux.usage.service import Stats, ToolRow
    from pollux.usage.sums import Row
    from pollux.web.reports.asked import Asked

    Layers = Mapping[str | None, Mapping[str, float]]

TIMES = (Grouping.DAY, Grouping.WEEK, Grouping.MONTH)
_UNKNOWN = {Grouping.MODEL: "unknown model", Grouping.PROJECT: "no project"}
_HASH = 64
_PROOF = "What it is made up of"
_NAMED = 7
"""So many days above a budget are named."""

PER_PAGE = 200
"""Rows of a table."""


def stats_page(  # noqa: PLR0913, PLR0917
    asked: Asked, stats: Stats, drawn: Grouping, layers: Layers, titles: Mapping[str, str], projects: list[str]
) -> str:
    """Tokens and dollars. `layers` are the columns that are drawn: days, or weeks or months where those are many."""
    by, of = stats.by, stats.of
    chart = over = None
    if drawn in TIMES:
        names = unbroken(name for name in layers if name is not None)
        spans = [
            Span(name, _inside(asked, drawn, name), layers.get(name, {})) if name is not None else Span(None, "", {})
            for name in names
        ]
        title = f"{of.value.capitalize()} a {drawn.value}"
        budget = asked.amount("budget")
        chart = columns(title, spans, lambda value: label(of, value), registry.source_names(), budget)
        over = None if budget is None else _over(spans, drawn, of, budget)
    total, every = stats.total, asked.address(by="session")
    page = asked.number("page")
    shown = shown_rows(asked, stats)
    rows = [_cells(_name(asked, by, row.name, titles), row, _way(asked, by, row.name)) for row in shown]
    names_of = ("sessions", "requests", "input", "cached", "output", "tokens", "cost")
    budgets = [field("Budget", "budget", asked.get("budget"), f"a {drawn.value}")] if drawn in TIMES else []
    form = filter_form(asked, projects, *budgets, times="requests")
    inner: list[Html | None] = [tag("div", _choices(asked, by, of), form)]
    if (model := asked.get("model")) is not None:
        whole = tag("a", "Show all models", href=asked.address(model=None))
        inner.append(tag("p", "Only requests to ", tag("b", one_line(model)), ". ", whole, class_="notice"))
    if not stats.rows:
        inner.append(nothing("No usage matches.", asked))
    else:
        inner += [tiles("In all", _sums(total, every)), chart, over]
        inner += [table((by.value, *names_of), rows, _cells("total", total, every), numeric=range(1, 8))]
        inner += [pages(asked, page, more=len(stats.rows) > page * PER_PAGE, words=("Previous", "Next")), _notes(stats)]
    return _page(asked, inner)


def _over(spans: Sequence[Span], drawn: Grouping, of: Measure, budget: float) -> Html:
    """How often a budget was exceeded, as far as the figures tell."""
    named = [span for span in spans if span.name is not None]
    above = [span for span in named if sum(span.parts.values()) > budget]
    words = (
        f"Above the budget of {label(of, budget)} a {drawn.value}: {len(above):,} of {plural(len(named), drawn.value)}"
    )
    places = [tag("a", span.name or "", href=span.address) for span in above[-_NAMED:][::-1]]
    newest = [": " if len(above) <= _NAMED else ", the newest: ", join(places, Html(", "))] if above else []
    return tag("p", words, *newest, ".", class_="about below over")


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
    options = asked.options(*([] if is_calls else ["of"]))
    by = asked.get("by")
    if asked.get("model") is not None:  # the command divides the figures of all models
        by = ",".join(dict.fromkeys([Grouping.MODEL, by or Grouping.DAY]))
    line = shell_line("pollux", "stats", *(["--by", by] if by else []), *options)
    csv = tag("a", "CSV", href=asked.address(".csv"), download=True)
    return report_page(asked, "Stats", heading("Stats", asked, line, csv), *inner)


def _choices(asked: Asked, by: Grouping, of: Measure | None) -> Html:
    """What the figures are grouped by, and what is drawn."""
    ways_to = {one: asked.address(by=one) for one in Grouping if one not in OF_LAKES}
    ways_to[Grouping.TOOL] = asked.address(by=Grouping.TOOL, model=None)  # calls belong to no model
    groups = switch("Group by", [(one.value.capitalize(), to, one is by) for one, to in ways_to.items()])
    if of is None:
        return tag("div", groups, class_="choices")
    measures = [(one.value.capitalize(), asked.address(of=one), one is of) for one in (Measure.TOKENS, Measure.COST)]
    ways: list[Html] = [groups, switch("What is drawn and sorted by", measures)]
    if by in TIMES and asked.get("model") is None:
        stack = asked.get("stack") or "agent"
        ways.append(
            switch("Stacked by", [(f"By {one}", asked.address(stack=one), one == stack) for one in ("agent", "model")])
        )
    return tag("div", *ways, class_="choices")


def shown_rows(asked: Asked, stats: Stats) -> Sequence[Row]:
    """The rows of this page: times go back from the newest. Raises `RequestError`."""
    page = asked.number("page")
    rows = stats.rows[::-1] if stats.by in TIMES else stats.rows
    return rows[(page - 1) * PER_PAGE : page * PER_PAGE]


def _name(asked: Asked, by: Grouping, name: str | None, titles: Mapping[str, str]) -> Html:
    """What a row is about, which leads to what it is made up of."""
    if name is None:
        return tag("span", _UNKNOWN.get(by, "unknown time"))
    if by is Grouping.SESSION:
        words = one_line(titles.get(name) or name, 80)
        return tag("a", words, href=_way(asked, by, name), title="Every figure of it")
    shown: Html | str = one_line(name)
    if by is Grouping.AGENT:
        shown = agent_mark(name)
    elif by is Grouping.PROJECT:
        shown = one_line(tilde(name, asked.home)) if not _is_hash(name) else name[:8]
    return tag("a", shown, href=_inside(asked, by, name), title="The sessions that make it up")


def _inside(asked: Asked, by: Grouping, name: str) -> str:
    """The address of the sessions that a row is made up of."""
    if by in TIMES:
        first, last = bounds(name)
        return asked.address(by="session", since=first.isoformat(), until=last.isoformat())
    value = name[:8] if by is Grouping.PROJECT and _is_hash(name) else name
    return asked.address(by="session", **{by.value: value})


def _way(asked: Asked, by: Grouping, name: str | None) -> str | None:
    """The address of what a figure is made up of."""
    if name is None:
        return None
    if by is not Grouping.SESSION:
        return _inside(asked, by, name)
    return to("/audit", key=name, **{part: asked.get(part) for part in ("model", "since", "until")})


def _sums(total: Row, way: str) -> Iterator[Tile]:
    """What there is in all, which leads to the sessions that make it up."""
    usage = total.usage
    yield Tile(least(tokens(usage), more=total.open), "tokens", way)
    yield Tile(_cost(total), "cost", way)
    yield Tile(number(usage.requests), "requests", way)
    yield Tile(least(number(total.sessions), more=total.open), "sessions", way)
    yield Tile(share(usage.cached, usage.input), "of the input from a cache", way)


def audit_address(key: str) -> str:
    """The address of the figures of a session."""
    return to("/audit", key=key)


def _is_hash(name: str) -> bool:
    return len(name) == _HASH and "/" not in name


def _cells(name: str, row: Row, way: str | None = None) -> tuple[str, ...]:
    """A row; each figure leads to what it is made up of, as the name does, which the keyboard reaches."""
    usage = row.usage
    figures = (
        least(number(row.sessions), more=row.open),
        number(usage.requests),
        number(usage.input),
        share(usage.cached, usage.input),
        number(usage.output),
        least(tokens(usage), more=row.open),
        _cost(row),
    )
    return name, *(tag("a", one, href=way, title=_PROOF, tabindex="-1") if way is not None else one for one in figures)


def _cost(row: Row) -> str:
    causes = row.unpriced_causes
    if row.cost_usd is None and causes.requests:
        return "no price" if causes.price else "no model" if causes.model else "no figures"
    return money(row.cost_usd, at_least=row.at_least)


def _tool(row: ToolRow) -> str:
    return list_address(filter_term("tool", row.name)) if row.name else list_address()


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
