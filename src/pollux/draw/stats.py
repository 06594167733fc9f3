"""The tables of `pollux stats`."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, TypeVar

from pollux.draw.bars import sparkline
from pollux.draw.table import Chart, Column, table
from pollux.draw.width import wrap
from pollux.text.escape import one_line
from pollux.text.figures import NONE, duration, least, money, number, plural, share, tilde
from pollux.usage.labels import tokens, too_low
from pollux.usage.stats import Grouping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pollux.draw.canvas import Canvas
    from pollux.usage.prices import PriceList
    from pollux.usage.service import Measure, Stats, ToolRow
    from pollux.usage.sums import Row

BAR, TREND = 16, 20
_NAMELESS = {
    Grouping.MODEL: "unknown model",
    Grouping.PROJECT: "no project",
    Grouping.TOOL: NONE,
    Grouping.PERSON: "unknown person",
    Grouping.TEAM: "no team",
}
AnyRow = TypeVar("AnyRow", "Row", "ToolRow")


def stats_table(canvas: Canvas, stats: Stats, home: str, titles: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """The rows and their total. `titles` has short ids and titles of sessions by key."""
    order = (stats.by, *stats.within)
    has_titles = order == (Grouping.SESSION,)
    name = Column(", ".join(order), flexible=not has_titles, least=24, whole=has_titles)
    title = Column("title", flexible=True, least=16, sacrifice=1)
    sessions, requests = Column("sessions", right=True, sacrifice=7), Column("requests", right=True, sacrifice=8)
    input_, cached = Column("input", right=True, sacrifice=4), Column("cached", right=True, sacrifice=5)
    output, reasoning = Column("output", right=True, sacrifice=4), Column("reasoning", right=True, sacrifice=9)
    total, cost = Column("tokens", right=True), Column("cost", right=True)
    bars = Chart(f"by {stats.of}", most=BAR, least=8, sacrifice=6)
    trend = Column("over time", sacrifice=10)
    for row, depth in _all_rows(stats.rows, stats.total):
        last = row is stats.total
        usage, style = row.usage, "bold" if last or (stats.within and not depth) else None
        short, words = titles.get(row.name or "", ("", "")) if order[depth] is Grouping.SESSION else ("", "")
        text = _name(order[depth], row.name, home, short) + ("" if has_titles or not words else f"  {one_line(words)}")
        name.add("total" if last else "  " * depth + text, style, path=order[depth] is Grouping.PROJECT)
        title.add(least(plural(row.sessions, "session"), more=row.open) if last else one_line(words), style)
        sessions.add(least(number(row.sessions), more=row.open), style)
        requests.add(number(usage.requests), style)
        input_.add(number(usage.input), style)
        cached.add(share(usage.cached, usage.input), style or "dim")
        output.add(number(usage.output), style)
        reasoning.add(number(usage.reasoning), style or "dim")
        total.add(least(tokens(usage), more=row.open), style)
        cost.add(_cost(row), style)
        bars.bar(0 if last or depth < len(stats.within) else _height(row, stats.of))
        trend.add(sparkline(_buckets(row.trend, stats.total.trend)), style or "id")
    count_column = title if has_titles else sessions
    yield from table(
        canvas, [name, count_column, requests, input_, cached, output, reasoning, total, cost, bars, trend]
    )


def _all_rows(rows: Iterable[AnyRow], total: AnyRow) -> Iterator[tuple[AnyRow, int]]:
    """Each row before the rows within it, with its depth; the total at the end."""

    def below(rows: Iterable[AnyRow], depth: int) -> Iterator[tuple[AnyRow, int]]:
        for row in rows:
            yield row, depth
            yield from below(row.rows, depth + 1)

    yield from below(rows, 0)
    yield total, 0


def _cost(row: Row) -> str:
    """The cost, or the first reason why it is not known."""
    if row.cost_usd is None and row.unpriced_causes.requests:
        return "no price" if row.unpriced_causes.price else "no model" if row.unpriced_causes.model else "no figures"
    return money(row.cost_usd, at_least=row.at_least)


def _name(by: Grouping, name: str | None, home: str, short: str) -> str:
    if name is None:
        return _NAMELESS.get(by, "unknown time")
    if by is Grouping.PROJECT:
        return one_line(tilde(name, home)) if not _is_hash(name) else name[:8]
    return one_line(short or name)


def _is_hash(name: str) -> bool:
    return len(name) == 64 and "/" not in name


def _height(row: Row, of: Measure) -> float:
    return (row.cost_usd or 0) if of == "cost" else float(row.usage.known or 0)


def _buckets(trend: Mapping[str, int], total_trend: Mapping[str, int]) -> list[float]:
    """The tokens from the first to the last day of all rows, in buckets of one or more days."""
    if not total_trend:
        return []
    first, last = date.fromisoformat(min(total_trend)).toordinal(), date.fromisoformat(max(total_trend)).toordinal()
    days = last - first + 1
    buckets = [0.0] * min(days, TREND)
    for day, amount in trend.items():
        buckets[(date.fromisoformat(day).toordinal() - first) * len(buckets) // days] += amount
    return buckets


def remarks(canvas: Canvas, stats: Stats, prices: PriceList, settings: str, *, cost: bool = True) -> Iterator[str]:
    """The meaning of the table's marks, and the source of its prices."""
    texts = [*_uncertain(stats.total), *(_costs(stats, prices, settings) if cost else ())]
    for text in texts:
        yield from (canvas.paint(line, "dim") for line in wrap(text, canvas.columns))


def _uncertain(total: Row) -> Iterator[str]:
    """How sure the tokens are."""
    sessions = plural(total.sessions, "session")
    if total.lone_subagents:
        sessions += f" and {plural(total.lone_subagents, 'lone sub-agent')},"
    if total.too_low:
        yield f"≥ {too_low(total.too_low, sessions)}"
    if total.unsure:
        yield f"{total.unsure:,} of {sessions} may have used more than their files record: pollux audit shows why."
    if total.silent:
        yield f"{NONE} {total.silent:,} of {sessions} without token figures."
    if total.lone_subagents:
        yield "The tokens of lone sub-agents count: the session that started them is gone, or was not asked for."


def _costs(stats: Stats, prices: PriceList, settings: str) -> Iterator[str]:
    """Which requests are not in the cost, and why; where the prices come from."""
    causes, out = stats.total.unpriced_causes, "not in the cost"
    if causes.price:
        models = ", ".join(map(one_line, stats.unpriced_models))
        yield f"{plural(causes.price, 'request')} {out}: no price is known of {models}. {settings} may name one."
    if causes.model:
        yield f"{plural(causes.model, 'request')} {out}: the files name no model."
    if causes.figures:
        yield f"{plural(causes.figures, 'request')} {out}: the files lack a figure of input or output."
    if prices.edition is None and (causes.price or stats.total.cost_usd is None):
        yield "Prices need genai-prices: pip install 'pollux[cost]'."
    if stats.total.cost_usd is not None:
        own = ["your own prices"] if prices.own else []
        vendors = [f"the vendors' API prices ({prices.edition})"] if prices.edition is not None else []
        yield f"Cost: {', else '.join(own + vendors)}, not what a subscriber paid."


def tool_table(  # noqa: PLR0913, PLR0917 (a table of several things)
    canvas: Canvas,
    order: Sequence[Grouping],
    rows: Iterable[ToolRow],
    total: ToolRow,
    home: str,
    titles: Mapping[str, tuple[str, str]],
) -> Iterator[str]:
    """The calls of each tool."""
    name = Column(", ".join(order), flexible=True, least=12)
    canonical = Column("kind", sacrifice=5)
    calls, failed = Column("calls", right=True), Column("failed", right=True)
    rate, cancelled = Column("rate", right=True, sacrifice=3), Column("cancelled", right=True, sacrifice=6)
    open_, seconds = Column("unfinished", right=True, sacrifice=7), Column("median", right=True, sacrifice=4)
    sessions, bars = Column("sessions", right=True, sacrifice=8), Chart("by calls", most=BAR, least=8, sacrifice=9)
    for row, depth in _all_rows(rows, total):
        last = row is total
        style = "bold" if last or (len(order) > 1 and not depth) else None
        short, words = titles.get(row.name or "", ("", "")) if order[depth] is Grouping.SESSION else ("", "")
        text = _name(order[depth], row.name, home, short) + (f"  {one_line(words)}" if words else "")
        name.add("total" if last else "  " * depth + text, style, path=order[depth] is Grouping.PROJECT)
        canonical.add("" if last or row.canonical == row.name else one_line(row.canonical or ""), "dim")
        calls.add(least(number(row.calls), more=row.open), style)
        failed.add(number(row.failed), style or ("bad" if row.failed else "dim"))
        rate.add(share(row.failed, row.calls) if row.failed else "", style or "dim")
        cancelled.add(number(row.cancelled) if row.cancelled else "", style or "dim")
        open_.add(number(row.unfinished) if row.unfinished else "", style or "dim")
        seconds.add(duration(row.seconds), style)
        sessions.add(least(number(row.sessions), more=row.open), style)
        bars.bar(0 if last or depth < len(order) - 1 else row.calls)
    return table(canvas, [name, canonical, sessions, calls, failed, rate, cancelled, open_, seconds, bars])
