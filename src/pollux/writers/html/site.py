"""The pages that lead to the sessions of a site: an index by project and by day, and a search that works from disk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby

from pollux.model import Author, Kind, Session, Summary, SummaryPart, Text
from pollux.model.names import project_name
from pollux.text.escape import one_line
from pollux.writers.base import Entry, Options, Page, WriterContext
from pollux.writers.facts import KINDS, counted, title
from pollux.writers.html.assets import Assets, foot, head
from pollux.writers.html.chart import charts, totals
from pollux.writers.html.links import INDEX, between
from pollux.writers.html.markup import EMPTY, Html, end, join, start, tag
from pollux.writers.html.messages import Messages, is_too_low, money
from pollux.writers.html.page import page
from pollux.writers.html.page_parts import file, page_parts
from pollux.writers.html.search_index import SearchIndex
from pollux.writers.html.times import clock
from pollux.writers.loss import LossCounter

ASSETS = Assets(styles=("page.css", "site.css"), scripts=("theme.js", "times.js", "letters.js", "site.js"))
FOLDER = "search"
_EARLIEST = datetime.min.replace(tzinfo=UTC)


def pages(entries: Sequence[Entry], context: WriterContext) -> Iterator[Page]:
    """The files of the search, then the index that knows them."""
    numbers = {entry.summary.key: number for number, entry in enumerate(sorted(entries, key=_age))}
    index = SearchIndex()
    for entry in entries:
        index.add(numbers[entry.summary.key], (*_known(entry.summary), title(entry.summary, context)))
    whole = 0
    for session in context.sessions():
        if session.key in numbers:
            index.add(numbers[session.key], _said(session))
            whole += 1
    firsts: list[str] = []
    for number, (first, script) in enumerate(index.files()):
        firsts.append(first)
        yield Page(f"{FOLDER}/{number:03}.js", [script])
    covers = "titles, projects, prompts and replies" if whole else "titles, projects, the first prompt and the last"
    yield Page(INDEX, _index(entries, numbers, firsts, f"Searches {covers}", context))


def further_pages(session: Session, options: Options, context: WriterContext) -> Iterator[Page]:
    """All parts of a session but the first, which is the session's own page."""
    if len(page_parts(session, context)) == 1:
        return
    messages = Messages(session, options, context, LossCounter())
    for part in range(1, len(messages.parts)):
        yield Page(file(context, session.key, part), page(session, context, messages, part), (session.key,))


def _age(entry: Entry) -> tuple[datetime, str]:
    """Old sessions first, so that a new one changes no other's number."""
    return entry.summary.started or _EARLIEST, entry.summary.key


def _known(summary: Summary) -> Iterator[str]:
    yield from filter(None, (summary.title, summary.project, summary.first_prompt, summary.last_prompt))
    yield from (summary.agent, summary.id, *summary.models)


def _said(session: Session) -> Iterator[str]:
    """What the human and the model said, and what it was folded into."""
    for message in session.messages:
        for part in message.parts:
            if type(part) is SummaryPart or (type(part) is Text and message.author is not Author.CLIENT):
                yield part.text


def _index(
    entries: Sequence[Entry], numbers: dict[str, int], firsts: list[str], about: str, context: WriterContext
) -> Iterator[Html]:
    grouped = groupby(sorted(entries, key=lambda e: e.summary.project or ""), key=lambda e: e.summary.project)
    projects = [(project, sorted(several, key=_age, reverse=True)) for project, several in grouped]
    projects.sort(key=lambda pair: _age(pair[1][0]), reverse=True)
    yield head("Sessions", ASSETS, more=" 'self'")
    yield start("body", class_="site", data_words=json.dumps(firsts, ensure_ascii=False))
    yield _bar(about)
    yield start("main", id="sessions")
    yield tag("h1", "Sessions")
    summaries = [entry.summary for entry in entries]
    yield totals(summaries, len(projects))
    yield charts(summaries) or EMPTY
    for project, several in projects:
        yield start("section")
        yield tag("h2", _name(project), " ", tag("small", project) if project else None)
        yield start("ul")
        for entry in several:
            yield _row(entry, numbers[entry.summary.key], context)
        yield end("ul")
        yield end("section")
    yield tag("p", "No session holds all these words.", id="nothing", hidden=True)
    yield end("main")
    yield foot(ASSETS)


def _bar(about: str) -> Html:
    buttons = [
        ("group", "By day", "Group the sessions by project or by day"),
        ("kinds", "All kinds", "Show sub-agents, checkpoints and lone prompts too"),
        ("theme", "Theme", "Light, dark, or as the system"),
    ]
    return tag(
        "header",
        tag(
            "search",
            tag(
                "input",
                type="search",
                id="find",
                placeholder="Search all sessions",
                aria_label="Search all sessions",
                title=about,
            ),
            tag("output", id="found", aria_live="polite"),
        ),
        tag("span", *(tag("button", words, type="button", id=id, title=what) for id, words, what in buttons)),
        class_="bar",
    )


def _row(entry: Entry, number: int, context: WriterContext) -> Html:
    summary = entry.summary
    usage = summary.usage
    least = "at least " if usage.exact is False else ""
    cost, too_low = summary.cost_usd, is_too_low(usage, summary.unpriced_requests)
    facts: list[str | None] = [
        one_line(summary.agent),
        KINDS.get(summary.kind),
        counted(summary.counts),
        f"{least}{usage.known:,} tokens" if usage.known is not None else None,
        money(cost, at_least=too_low) if cost is not None else None,
    ]
    words = join([clock(summary.started) or None, *(fact for fact in facts if fact)], Html(" · "))
    where = tag("span", f"{_name(summary.project)} · ", class_="where")
    return tag(
        "li",
        tag("a", title(summary, context), href=between(INDEX, entry.file)),
        " ",
        tag("small", where, words),
        data_n=str(number),
        class_=None if summary.kind is Kind.MAIN else "minor",
    )


def _name(project: str | None) -> str:
    return one_line(project_name(project)) if project else "No project"
