"""The proof of the figures: each request of a session with its place in the files; and how sure all sums are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pollux.model.usage import add
from pollux.text.escape import one_line
from pollux.text.figures import NONE, money, number, plural, tilde
from pollux.text.shell import shell_line
from pollux.usage.labels import tokens
from pollux.web.pages.layout import agent_mark, session_address
from pollux.web.pages.report import filter_form, heading, pages, report_page, table, when
from pollux.web.pages.stats import audit_address
from pollux.web.reports.asked import to
from pollux.writers.html.markup import EMPTY, Html, join, tag
from pollux.writers.html.messages import anchor

if TYPE_CHECKING:
    from pollux.library.library import ListEntry
    from pollux.model import Gap, Usage
    from pollux.usage.audit import Comparison, Item, SessionAudit
    from pollux.usage.audit_all import HistoryAudit
    from pollux.usage.sums import Bill
    from pollux.web.reports.asked import Asked


PER_PAGE = 500
"""Figures of a session."""

_NAMES = (
    *("message", "when", "model", "input", "cached", "written", "output", "reasoning", "tokens", "cost"),
    *("why it counts", "stands in"),
)


def session_audit_page(asked: Asked, entry: ListEntry, evidence: SessionAudit, bill: Bill) -> str:
    """The figures of a session."""
    key, usage = entry.summary.key, entry.summary.usage
    title = one_line(entry.title or "", 120) or "Untitled session"
    facts = [
        f"{tokens(usage)} tokens in {plural(usage.requests or 0, 'request')}",
        money(bill.usd, at_least=bill.unpriced > 0 or usage.exact is False),
    ]
    span = [f"{name} {value}" for name in ("model", "since", "until") if (value := asked.get(name)) is not None]
    page = asked.number("page")
    files = list(dict.fromkeys(item.file for item in evidence.items if item.file is not None))
    shown = evidence.items[(page - 1) * PER_PAGE : page * PER_PAGE]
    rows = [_item(key, item, files, asked.home) for item in shown]
    summary = [tag("a", title, href=session_address(key)), " · ", " · ".join(facts)]
    counted = (
        table(_NAMES, rows, _sum(evidence.items, usage), numeric=range(3, 10), texts=(10,))
        if rows
        else tag("p", "No figure is recorded.", class_="nothing")
    )
    return report_page(
        asked,
        f"Audit of {title}",
        heading("Every figure of a session", asked, shell_line("pollux", "audit", key)),
        tag("p", *summary, class_="about"),
        _narrowed(asked, span),
        counted,
        _files(files, asked.home),
        pages(asked, page, more=len(evidence.items) > page * PER_PAGE),
        *_gaps(entry, evidence, asked.home),
        *_verdicts(evidence.verdicts),
        current="/stats",
    )


def history_page(asked: Asked, history: HistoryAudit, projects: list[str]) -> str:
    """How sure the figures of all sessions are."""
    names = ("agent", "requests", "inherited", "tokens", "exact", "too low", "unsure")
    rows = [
        (
            agent_mark(one.agent),
            *map(number, (one.requests, one.inherited, one.total, one.exact, one.at_least, one.unknown)),
        )
        for one in history.agents
    ]
    missing = [
        tag(
            "li",
            one_line(one.why),
            " ",
            tag("small", "" if one.certain else "perhaps, ", f"in {plural(one.sessions, 'session')}, as in "),
            tag("a", tag("code", one_line(one.example)), href=audit_address(one.example)),
        )
        for one in history.missing
    ]
    return report_page(
        asked,
        "Audit",
        heading(
            "How sure the figures are",
            asked,
            shell_line("pollux", "audit", *asked.options()),
            about="The last three columns count sessions: their figures are complete, too low, or perhaps too low.",
        ),
        filter_form(asked, projects, dated=False),
        table(names, rows, numeric=range(1, 7)) if rows else tag("p", "No sessions were found.", class_="nothing"),
        tag("h2", "What is missing, and why") if missing else None,
        tag("ul", *missing, class_="reasons") if missing else None,
        *_verdicts(history.verdicts),
        current="/stats",
    )


def _item(key: str, item: Item, files: Sequence[str], home: str) -> tuple[str, ...]:
    link = tag("a", tag("code", one_line(item.message, 12)), href=session_address(key, anchor(item.message)))
    return (
        link,
        when(item.at),
        one_line(item.model or NONE),
        *map(_exactly, _figures(item.usage)),
        money(item.cost_usd),
        one_line(item.rule) if item.counted else f"not counted: {one_line(item.rule)}",
        _place(key, item, files, home),
    )


def _figures(usage: Usage) -> tuple[int | None, ...]:
    """The figures of a row, in the order of their columns."""
    written = (usage.input, usage.cached, usage.cache_write, usage.output, usage.reasoning)
    return (*written, usage.total)


def _place(key: str, item: Item, files: Sequence[str], home: str) -> Html:
    """Where a figure stands, in which of the files below; it leads to the record."""
    if item.file is None:
        return tag("span", NONE)
    if item.line is not None:
        there = f":{item.line}"
    else:
        there = f" {item.row}" if item.row is not None else f" item {item.item}" if item.item is not None else ""
    whole = one_line(f"{tilde(item.file, home)}{there}")
    words = tag("code", one_line(f"[{files.index(item.file) + 1}]{there}", 40), title=whole)
    if not item.line:
        return words
    return tag("a", words, href=to("/record", key=key, file=item.file, line=str(item.line)))


def _narrowed(asked: Asked, span: Sequence[str]) -> Html | None:
    """Which of the figures these are, and the way to all of them."""
    if not span:
        return None
    whole = asked.address(model=None, since=None, until=None)
    return tag(
        "p", f"Only requests of {one_line(', '.join(span))}. ", tag("a", "Show all", href=whole), class_="notice"
    )


def _sum(items: Iterable[Item], whole: Usage) -> tuple[str, ...]:
    """All that counts of these figures, which is what stats say of them. `whole` is that of the session."""
    counted = [item for item in items if item.counted]
    usage = add([item.usage for item in counted], exact=None)
    costs = [item.cost_usd for item in counted if item.cost_usd is not None]
    # The first of a message's requests has the price of all.
    unpriced = {item.message for item in counted} - {item.message for item in counted if item.cost_usd is not None}
    cost = money(sum(costs) if costs else None, at_least=whole.exact is False or bool(unpriced))
    return ("counted", "", "", *map(_exactly, _figures(usage)), cost, plural(len(counted), "figure"), "")


def _files(files: Sequence[str], home: str) -> Html | None:
    """The files in which the figures stand, by their numbers."""
    if not files:
        return None
    named = [tag("code", f"[{number}] {one_line(tilde(file, home))}") for number, file in enumerate(files, 1)]
    return tag("p", "In ", join(named, join([", "])), class_="about")


def _exactly(figure: int | None) -> str:
    return NONE if figure is None else f"{figure:,}"


def _gaps(entry: ListEntry, evidence: SessionAudit, home: str) -> Iterable[Html]:
    """Whether more was used than the figures say, and what tells so; each leads to its record."""
    key, exact = entry.summary.key, entry.summary.usage.exact
    if exact:
        yield tag("p", tag("span", "✓", class_="good"), " Every request has its figures: the sum is exact.")
        return
    yield tag("h2", "What is missing, and why")
    yield tag("p", "More was used than this." if exact is False else "Whether that is all cannot be known.")
    gaps = (tag("li", one_line(gap.why), " ", _gap(key, gap, home)) for gap in evidence.gaps)
    yield tag("ul", *gaps, class_="reasons") if evidence.gaps else EMPTY


def _gap(key: str, gap: Gap, home: str) -> Html:
    perhaps = None if gap.certain else "perhaps "
    if gap.file is None:
        return tag("small", perhaps)
    line = "" if gap.line is None else str(gap.line)
    place: Html = tag("code", one_line(f"{tilde(gap.file, home)}{f':{line}' if line else ''}"))
    if line:
        place = tag("a", place, href=to("/record", key=key, file=gap.file, line=line))
    return tag("small", perhaps, place)


def _verdicts(verdicts: Sequence[Comparison]) -> Iterable[Html]:
    if not verdicts:
        return
    same = sum(one.difference == 0 for one in verdicts)
    yield tag("h2", "What the agents say themselves")
    yield tag("p", f"{plural(same, 'total')} of {len(verdicts):,} the same as ours.", class_="about")
    rows = [
        (
            tag("a", tag("code", one_line(one.key)), href=audit_address(one.key)),
            f"{one_line(one.tally.name)} of the {one.tally.scope}",
            _own(one.tally.total, one.tally.cost_usd),
            _own(one.ours, one.cost_usd if one.tally.cost_usd is not None else None),
            one_line(one.why),
        )
        for one in verdicts
        if one.difference != 0
    ]
    if rows:
        yield table(("session", "figure", "the agent", "pollux", "why they differ"), rows, numeric=(2, 3), texts=(4,))


def _own(total: int | None, cost: float | None) -> str:
    """A total, with its dollars where the agent counts them."""
    return _exactly(total) if cost is None else f"{_exactly(total)}, ${cost:,.6f}"
