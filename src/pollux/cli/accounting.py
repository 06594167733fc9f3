"""The tables of `pollux stats`."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from pollux.analysis.stats import TIMES, By
from pollux.cli.bars import bar, gathered, sparkline
from pollux.cli.clean import one_line
from pollux.cli.table import Column, table
from pollux.cli.width import wrap
from pollux.cli.words import NONE, money, number, plural, share, tilde, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pollux.accounts import Stats, ToolRow
    from pollux.analysis.pricelist import PriceList
    from pollux.analysis.sums import Row
    from pollux.cli.screen import Screen

BAR, TREND = 16, 20


def accounting(screen: Screen, found: Stats, home: str, titles: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """The rows, their total, and what is to be known about them. `titles` has short ids and titles of sessions."""
    rows = (*found.rows, found.total)
    name = Column(found.by.value, flexible=found.by is not By.SESSION, least=24, path=found.by is By.PROJECT)
    title = Column("title", flexible=True, least=16, sacrifice=1)
    sessions, requests = Column("sessions", right=True, sacrifice=5), Column("requests", right=True, sacrifice=6)
    input_, cached = Column("input", right=True, sacrifice=4), Column("cached", right=True, sacrifice=3)
    output, thought = Column("output", right=True, sacrifice=4), Column("reasoning", right=True, sacrifice=7)
    total, cost = Column("tokens", right=True), Column("cost", right=True)
    bars, trend = Column("", sacrifice=2), Column("over time", sacrifice=8)
    by_cost = found.total.cost_usd is not None and found.total.unpriced == 0
    most = max((_height(row, by_cost) for row in found.rows), default=0)
    for row in rows:
        last = row is found.total
        used, style = row.usage, "bold" if last else None
        short, words = titles.get(row.name or "", ("", ""))
        name.add("total" if last else _name(found.by, row.name, home, short), style)
        title.add(plural(row.sessions, "session") if last else one_line(words), style)
        sessions.add(number(row.sessions), style)
        requests.add(number(used.requests), style)
        input_.add(number(used.input), style)
        cached.add(share(used.cached, used.input), style or "dim")
        output.add(number(used.output), style)
        thought.add(number(used.reasoning), style or "dim")
        total.add(tokens(used.total, used.exact), style)
        cost.add(money(row.cost_usd, at_least=row.at_least), style)
        bars.add("" if last else bar(_height(row, by_cost), most, BAR), "good")
        trend.add(sparkline(gathered(_daily(row, found.total), TREND)), style or "id")
    counted = title if found.by is By.SESSION else sessions
    columns = [name, counted, requests, input_, cached, output, thought, total, cost, bars]
    yield from table(screen, columns if found.by in (*TIMES, By.SESSION) else [*columns, trend])


def _name(by: By, name: str | None, home: str, short: str) -> str:
    if name is None:
        return {By.MODEL: "no model told", By.PROJECT: "no project"}.get(by, "no time told")
    if by is By.PROJECT:
        return one_line(tilde(name, home)) if not _is_hash(name) else name[:8]
    return one_line(short or name)


def _is_hash(name: str) -> bool:
    return len(name) == 64 and "/" not in name


def _height(row: Row, by_cost: bool) -> float:
    return (row.cost_usd or 0) if by_cost else float(row.usage.total or 0)


def _daily(row: Row, total: Row) -> list[float]:
    """The tokens of every day between the first and the last of all."""
    if not total.trend:
        return []
    first, last = date.fromisoformat(min(total.trend)), date.fromisoformat(max(total.trend))
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return [row.trend.get(day.isoformat(), 0) for day in days]


def remarks(screen: Screen, found: Stats, prices: PriceList, settings: str) -> Iterator[str]:
    """What the table's marks mean, and where its prices come from."""
    said = []
    if any(row.usage.exact is False for row in found.rows):
        said.append("≥ The agent did not write down every request: more was used.")
    if found.total.unpriced:
        models = ", ".join(one_line(model) or "no model told" for model in found.unpriced_models)
        said.append(
            f"— {plural(found.total.unpriced, 'request')} without a known price ({models}). {settings} may name one."
        )
    if prices.edition is None and (found.total.unpriced or found.total.cost_usd is None):
        said.append("Prices need genai-prices: pip install 'pollux[cost]'.")
    if found.total.cost_usd is not None:
        own = ["your own prices"] if prices.own else []
        listed = [f"the vendors' API prices ({prices.edition})"] if prices.edition is not None else []
        said.append(f"Cost: {', else '.join(own + listed)}, not what a subscriber paid.")
    for text in said:
        yield from (screen.paint(line, "dim") for line in wrap(text, screen.columns))


def tool_table(screen: Screen, rows: Iterable[ToolRow], total: ToolRow) -> Iterator[str]:
    """The calls of each tool."""
    name, shared = Column("tool", flexible=True, least=12), Column("kind", sacrifice=5)
    calls, failed = Column("calls", right=True), Column("failed", right=True)
    rate, stopped = Column("", right=True, sacrifice=3), Column("cancelled", right=True, sacrifice=6)
    open_, seconds = Column("unfinished", right=True, sacrifice=7), Column("median", right=True, sacrifice=4)
    sessions, bars = Column("sessions", right=True, sacrifice=8), Column("", sacrifice=2)
    listed = list(rows)
    most = max((row.calls for row in listed), default=0)
    for row in (*listed, total):
        last = row is total
        style = "bold" if last else None
        name.add("total" if last else one_line(row.name or NONE), style)
        shared.add("" if last or row.canonical == row.name else one_line(row.canonical or ""), "dim")
        calls.add(number(row.calls), style)
        failed.add(number(row.failed), style or ("bad" if row.failed else "dim"))
        rate.add(share(row.failed, row.calls) if row.failed else "", style or "dim")
        stopped.add(number(row.cancelled) if row.cancelled else "", style or "dim")
        open_.add(number(row.unfinished) if row.unfinished else "", style or "dim")
        seconds.add(duration(row.seconds), style)
        sessions.add(number(row.sessions), style)
        bars.add("" if last else bar(row.calls, most, BAR), "good")
    return table(screen, [name, shared, sessions, calls, failed, rate, stopped, open_, seconds, bars])


def duration(seconds: float | None) -> str:
    """How long something took."""
    if seconds is None:
        return NONE
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
