"""The proof of the figures: each request of a session with its place in the files; and how sure all sums are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pollux.model.usage import add
from pollux.text.escape import one_line
from pollux.text.figures import NONE, money, number, plural, tilde
from pollux.text.shell import shell_line
from pollux.web.pages.layout import agent_mark, session_address
from pollux.web.pages.report import filter_form, heading, pages, report_page, table, when
from pollux.web.pages.stats import audit_address
from pollux.web.reports.asked import to
from pollux.writers.html.markup import Html, join, tag
from pollux.writers.html.messages import anchor

if TYPE_CHECKING:
    from pollux.library.library import ListEntry
    from pollux.usage.audit import Comparison, Item, SessionAudit
    from pollux.usage.audit_all import HistoryAudit
    from pollux.usage.sums import Bill
    from pollux.web.reports.asked import Asked


PER_PAGE = 500
"""Figures of a session."""


def session_audit_page(asked: Asked, entry: ListEntry, evidence: SessionAudit, bill: Bill) -> str:
    """The figures of a session."""
    key, usage = entry.summary.key, entry.summary.usage
    title = one_line(entry.title or "", 120) or "Untitled session"
    facts = [
        tag("a", title, href=session_address(key)),
        f"{number(usage.total)} tokens in {plural(usage.requests or 0, 'request')}",
        money(bill.usd, at_least=bill.unpriced > 0),
    ]
    span = [f"{name} {value}" for name in ("model", "since", "until") if (value := asked.get(name)) is not None]
    names = ("message", "when", "model", "input", "cached", "output", "tokens", "cost", "why it counts", "stands in")
    page = asked.number("page")
    rows = [_item(key, item, asked.home) for item in evidence.items[(page - 1) * PER_PAGE : page * PER_PAGE]]
    summary = [facts[0], " · ", " · ".join(facts[1:])]
    counted = (
        table(names, rows, _sum(evidence.items), numeric=range(3, 8))
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
        _files(evidence, asked.home),
        pages(asked, page, more=len(evidence.items) > page * PER_PAGE),
        *_gaps(evidence, asked.home),
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
        filter_form(asked, projects),
        table(names, rows, numeric=range(1, 7)) if rows else tag("p", "No sessions were found.", class_="nothing"),
        tag("h2", "What is missing, and why") if missing else None,
        tag("ul", *missing, class_="reasons") if missing else None,
        *_verdicts(history.verdicts),
        current="/stats",
    )


def _item(key: str, item: Item, home: str) -> tuple[str, ...]:
    usage = item.usage
    whole = f"{tilde(item.file, home)}{f':{item.line}' if item.line else ''}" if item.file else NONE
    link = tag("a", tag("code", one_line(item.message, 12)), href=session_address(key, anchor(item.message)))
    return (
        link,
        when(item.at),
        one_line(item.model or NONE),
        *(_exactly(figure) for figure in (usage.input, usage.cached, usage.output, usage.total)),
        money(item.cost_usd),
        one_line(item.rule) if item.counted else f"not counted: {one_line(item.rule)}",
        _place(key, item, whole),
    )


def _place(key: str, item: Item, whole: str) -> Html:
    """Where a figure stands, which leads to the record."""
    words = tag("code", one_line(whole.rpartition("/")[2]), title=one_line(whole))
    if not item.file or not item.line:
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


def _sum(items: Iterable[Item]) -> tuple[str, ...]:
    """All that counts of these figures, which is what stats say of them."""
    counted = [item for item in items if item.counted]
    usage = add([item.usage for item in counted], exact=None)
    costs = [item.cost_usd for item in counted if item.cost_usd is not None]
    figures = (usage.input, usage.cached, usage.output, usage.total)
    cost = money(sum(costs) if costs else None)
    return ("counted", "", "", *(_exactly(figure) for figure in figures), cost, plural(len(counted), "figure"), "")


def _files(evidence: SessionAudit, home: str) -> Html | None:
    """The files in which the figures stand."""
    files = dict.fromkeys(item.file for item in evidence.items if item.file)
    if not files:
        return None
    return tag(
        "p", "In ", join([tag("code", one_line(tilde(file, home))) for file in files], join([", "])), class_="about"
    )


def _exactly(figure: int | None) -> str:
    return NONE if figure is None else f"{figure:,}"


def _gaps(evidence: SessionAudit, home: str) -> Iterable[Html]:
    if not evidence.gaps:
        return
    yield tag("h2", "What is missing, and why")
    yield tag(
        "ul",
        *(
            tag(
                "li",
                one_line(gap.why),
                " ",
                tag("small", "" if gap.certain else "perhaps ", tag("code", one_line(tilde(gap.file, home))))
                if gap.file
                else None,
            )
            for gap in evidence.gaps
        ),
        class_="reasons",
    )


def _verdicts(verdicts: Sequence[Comparison]) -> Iterable[Html]:
    if not verdicts:
        return
    same = sum(one.difference == 0 for one in verdicts)
    yield tag("h2", "What the agents say themselves")
    yield tag("p", f"{plural(same, 'total')} of {len(verdicts):,} the same as ours.", class_="about")
    rows = [
        (
            tag("a", tag("code", one_line(one.key)), href=audit_address(one.key)),
            one_line(one.tally.name),
            _exactly(one.tally.total),
            _exactly(one.ours),
            one_line(one.why),
        )
        for one in verdicts
        if one.difference != 0
    ]
    if rows:
        yield table(("session", "figure", "the agent", "pollux", "why they differ"), rows, numeric=(2, 3), texts=(4,))
