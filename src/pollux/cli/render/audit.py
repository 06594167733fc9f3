"""The audit as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.table import Column, table
from pollux.draw.times import clock
from pollux.draw.transcript.head import head
from pollux.draw.width import wrap
from pollux.text.escape import one_line
from pollux.text.figures import money, number, plural, tilde
from pollux.writers.json import encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pollux.cli.terminal.screen import Screen
    from pollux.model import Gap, Session, Usage
    from pollux.usage.audit import Comparison, Item, SessionAudit
    from pollux.usage.audit_all import HistoryAudit
    from pollux.usage.sums import Bill

SHOWN = 10


def audit_lines(
    screen: Screen, session: Session, evidence: SessionAudit, bill: Bill, home: str, *, raw: bool
) -> Iterator[str]:
    """Every figure, their sum, what is missing, and what the agent itself says."""
    yield from head(screen, session, home)
    files = list(dict.fromkeys(item.file for item in evidence.items if item.file is not None))
    yield ""
    for place, file in enumerate(files, start=1):
        yield f"{_letter(place)} {one_line(tilde(file, home))}"
    yield ""
    yield from _figures(screen, session, evidence.items, files, bill, raw=raw)
    yield from _gaps(screen, evidence.gaps, session.usage.exact, home)
    if bill.unpriced:
        text = f"{plural(bill.unpriced, 'request')} not in the cost: pollux stats shows why."
        yield from wrap(text, screen.columns)
    yield from _verdicts(screen, evidence.verdicts, home)


def _letter(place: int) -> str:
    return f"[{place}]"


def _figures(
    screen: Screen, session: Session, items: Sequence[Item], files: list[str], bill: Bill, *, raw: bool
) -> Iterator[str]:
    where, time, model = Column("where", whole=True), Column("time", sacrifice=4), Column("model", sacrifice=5)
    input_, cached = Column("input", right=True), Column("cached", right=True, sacrifice=1)
    cache_writes, output = Column("written", right=True, sacrifice=2), Column("output", right=True)
    reasoning, cost = Column("reasoning", right=True, sacrifice=3), Column("cost", right=True)
    rule = Column("rule", flexible=True, least=16 if screen.columns is not None and screen.columns < 80 else 34)
    for item in items:
        usage, style = item.usage, None if item.counted else "dim"
        place = _letter(files.index(item.file) + 1) if item.file is not None else ""
        where.add(_place(place, item), style or "id")
        time.add(clock(item.at) if item.at is not None else "", "dim")
        model.add(one_line(item.model or ""), "dim")
        for column, figure in ((input_, usage.input), (cached, usage.cached), (cache_writes, usage.cache_write)):
            column.add(_exactly(figure), style)
        output.add(_exactly(usage.output), style)
        reasoning.add(_exactly(usage.reasoning), style)
        cost.add(money(item.cost_usd) if item.cost_usd is not None else "", style)
        rule.add(one_line(item.rule), style)
    total = session.usage
    where.add("sum", "bold")
    time.add("")
    model.add("")
    for column, figure in ((input_, total.input), (cached, total.cached), (cache_writes, total.cache_write)):
        column.add(_exactly(figure), "bold")
    output.add(_exactly(total.output), "bold")
    reasoning.add(_exactly(total.reasoning), "bold")
    cost.add(money(bill.usd, at_least=bill.unpriced > 0 or total.exact is False), "bold")
    rule.add("")
    lines = list(table(screen, [where, time, model, input_, cached, cache_writes, output, reasoning, cost, rule]))
    yield lines[0]
    for line, item in zip(lines[1:], items, strict=False):
        yield line
        if raw:
            yield screen.paint(f"    {one_line(encode(dict(item.native)))}", "dim")
    yield lines[-1]
    yield f"{plural(total.requests or 0, 'request')}, {_tokens(total)} tokens"


def _tokens(usage: Usage) -> str:
    """The tokens as far as they are known."""
    least = "at least " if usage.total is None else ""
    return "unknown" if usage.known is None else f"{least}{usage.known:,}"


def _exactly(figure: int | None) -> str:
    return f"{figure:,}" if figure is not None else ""


def _gaps(screen: Screen, gaps: Sequence[Gap], exact: bool | None, home: str) -> Iterator[str]:
    yield ""
    if exact:
        yield f"{screen.paint('✓', 'good')} Every request has its figures: the sum is exact."
        return
    text = "More was used than this." if exact is False else "Whether that is all cannot be known."
    yield f"{screen.paint('≥' if exact is False else '?', 'warn')} {text}"
    for gap in gaps:
        place = "" if gap.line is None else f"{one_line(tilde(gap.file, home)) if gap.file else 'line'}:{gap.line}"
        for line in wrap(f"- {gap.why}{'' if gap.certain else ' (perhaps)'}", screen.room(4)):
            yield f"  {line}"
        if place:
            yield screen.paint(f"    {place}", "dim")


def _verdicts(screen: Screen, verdicts: Sequence[Comparison], home: str) -> Iterator[str]:
    for verdict in verdicts:
        tally = verdict.tally
        yield ""
        yield screen.paint(f"What the agent itself says: {tally.name} of the {tally.scope}", "bold")
        theirs = f"{tally.total:,} tokens" + (f", {_dollars(tally.cost_usd)}" if tally.cost_usd is not None else "")
        ours = f"{_exactly(verdict.ours) or 'no'} tokens" + (
            f", {_dollars(verdict.cost_usd)}" if tally.cost_usd is not None and verdict.cost_usd is not None else ""
        )
        mark = screen.paint("✓", "good") if verdict.difference == 0 else screen.paint("≠", "warn")
        difference = "" if not verdict.difference else f" ({verdict.difference:+,})"
        first, *more = wrap(f"theirs {theirs}, ours {ours}{difference}", screen.room(4))
        yield f"  {mark} {first}"
        yield from (f"    {line}" for line in more)
        for line in wrap(verdict.why, screen.room(4)):
            yield f"    {line}"
        if tally.file is not None:
            yield screen.paint(f"    {one_line(tilde(tally.file, home))}:{tally.line}", "dim")


def _dollars(amount: float) -> str:
    return f"${amount:.6f}"


def history_lines(screen: Screen, history: HistoryAudit) -> Iterator[str]:
    """How sure the figures of all sessions are."""
    agent, requests = Column("agent"), Column("requests", right=True, sacrifice=1)
    inherited, total = Column("inherited", right=True, sacrifice=2), Column("tokens", right=True)
    exact, low, unknown = Column("exact", right=True), Column("too low", right=True), Column("unsure", right=True)
    for audit in history.agents:
        agent.add(one_line(audit.agent))
        requests.add(number(audit.requests))
        inherited.add(number(audit.inherited))
        total.add(_exactly(audit.total))
        exact.add(number(audit.exact), "good" if audit.exact else None)
        low.add(number(audit.at_least), "warn" if audit.at_least else "dim")
        unknown.add(number(audit.unknown), None if audit.unknown else "dim")
    yield from table(screen, [agent, requests, inherited, total, exact, low, unknown])
    text = "The last three columns count sessions: their figures are complete, too low, or perhaps too low."
    yield from (screen.paint(line, "dim") for line in wrap(text, screen.columns))
    if history.missing:
        yield ""
        yield screen.paint("What is missing, and why", "bold")
        for missing in history.missing:
            facts = [*(() if missing.certain else ("perhaps",)), f"in {plural(missing.sessions, 'session')}"]
            facts += [f"{missing.times:,} times"] if missing.times > missing.sessions else []
            lines = wrap(f"- {one_line(missing.why)} ({', '.join(facts)})", screen.room(2))
            yield from (f"  {line}" for line in lines)
            yield screen.paint(f"    {one_line(missing.example)}", "dim")
    yield from _all_verdicts(screen, history.verdicts)


def _all_verdicts(screen: Screen, verdicts: Sequence[Comparison]) -> Iterator[str]:
    if not verdicts:
        return
    differences = [verdict for verdict in verdicts if verdict.difference != 0]
    same = len(verdicts) - len(differences)
    yield ""
    yield screen.paint("What the agents say themselves", "bold")
    yield f"  {screen.paint('✓', 'good')} {plural(same, 'total')} of {len(verdicts):,} the same as ours"
    for verdict in differences[:SHOWN]:
        tally = verdict.tally
        text = f"{one_line(verdict.key)}: {tally.name} says {tally.total:,}, we {_exactly(verdict.ours) or 'nothing'}"
        first, *more = wrap(text, screen.room(4))
        yield f"  {screen.paint('≠', 'warn')} {first}"
        yield from (f"    {line}" for line in more)
        yield from (screen.paint(f"      {line}", "dim") for line in wrap(verdict.why, screen.room(6)))
    if len(differences) > SHOWN:
        yield f"  … {len(differences) - SHOWN:,} more differ: pollux audit --json has them all."


def _place(file: str, item: Item) -> str:
    if item.line is None and item.row is not None:
        return f"{file} {one_line(item.row)}"
    return f"{file}:{item.line}" if item.line is not None else f"{file} item {item.item}"
