"""The page of all sessions: the list or what a search found, and what it can be narrowed down by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from pollux.draw.marks import STAR
from pollux.draw.results import SPEAKERS, make_visible
from pollux.draw.rows import day_name
from pollux.model.names import project_name
from pollux.system.clock import local, now
from pollux.text.escape import one_line
from pollux.text.figures import HANDED_OVER, KINDS, NONE, number, plural
from pollux.usage.labels import tokens
from pollux.web.pages.facets import facets
from pollux.web.pages.layout import (
    LIST,
    agent_mark,
    command,
    form,
    list_address,
    search_bar,
    session_address,
)
from pollux.web.pages.problem import with_code
from pollux.writers.html.assets import foot, plain_head
from pollux.writers.html.markup import EMPTY, Html, end, join, start, tag
from pollux.writers.html.messages import anchor
from pollux.writers.html.page import keys_help
from pollux.writers.json import stamp

if TYPE_CHECKING:
    from datetime import date, datetime

    from pollux.library.library import Hit, ListEntry
    from pollux.web.asking import Answer, Question, Row

KEYS = {
    "/": "search",
    "j / k": "next, previous session",
    "Enter": "open it",
    "Ctrl+K": "go to a page or a session",
    "n / p": "next, previous page",
    "d": "light, dark, or as the system",
    "?": "this help",
}


def sessions_page(answer: Answer, token: str, remarks: list[str]) -> Iterator[Html]:
    """The whole page."""
    words = answer.question.query
    yield plain_head(f"{one_line(words, 60)} · pollux" if words else "Sessions · pollux", LIST)
    yield start("body", class_="web list", data_token=token)
    yield tag("a", "Skip to the sessions", href="#sessions", class_="skip")
    yield search_bar("/", answer.question.text)
    yield from answer_markup(answer, token, remarks)
    yield keys_help(KEYS)
    yield foot(LIST)


def answer_markup(answer: Answer, token: str, remarks: list[str]) -> Iterator[Html]:
    """What changes with the query: the facets at the side, and the sessions."""
    question = answer.question
    address = list_address(question.query, question.page, everything=question.everything)
    yield start("div", id="answer", data_address=address, data_found=_count(answer) if question.query else "")
    if not question.typing:
        yield facets(answer)
    yield start("main", id="sessions")
    yield _head(answer, token)
    for remark in (*remarks, *answer.remarks):
        yield tag("p", *with_code(remark), class_="notice")
    if answer.problem is not None:
        hint = tag("small", *with_code(answer.hint)) if answer.hint else None
        yield tag("p", answer.problem, " ", hint, class_="notice error")
    elif not answer.rows:
        yield _nothing(answer)
    else:
        yield _names(dated=answer.result is not None)
    yield from _found(answer) if answer.result is not None else _by_day(answer)
    yield _pages(answer)
    yield end("main")
    yield end("div")


def _nothing(answer: Answer) -> Html:
    """What stands where no session is shown."""
    if not answer.others:
        return tag("p", "Nothing matches. ", tag("a", "Show all sessions", href="/"), class_="nothing")
    whole = tag("a", "Show them", href=list_address(answer.question.query, everything=True))
    match = "matches" if answer.others == 1 else "match"
    words = f"Only {answer.others:,} of the logs, checkpoints and sub-agents {match}. "
    return tag("p", words, whole, class_="nothing")


def _head(answer: Answer, token: str) -> Html:
    """How many there are, what is new, and the command that gives the same answer."""
    question, count = answer.question, _count(answer)
    unread = answer.facets.get("is", {}).get("unread", 0) if answer.result is None else 0
    new = None
    if unread:
        mark = tag("button", "Mark all as read", type="submit", class_="quiet")
        link = tag("a", f"{number(unread)} new since you looked", href=list_address("is:unread"))
        new = tag("div", link, " ", form("/read", token, mark), class_="news")
    more = None
    if answer.result is None:
        address = list_address(question.query, everything=not question.everything)
        more = tag("a", "Without logs and checkpoints" if question.everything else "All kinds", href=address)
    json = tag(
        "a", "JSON", href=list_address(question.query, question.page, "index.json", everything=question.everything)
    )
    return tag(
        "header",
        tag("h1", count),
        new,
        tag("div", command(question.command), more, json, class_="ways"),
        class_="list-head",
    )


def _count(answer: Answer) -> str:
    if answer.problem is not None:
        return "Not searched"
    if answer.result is not None:
        return f"{'The best ' if answer.is_cut else ''}{plural(answer.sessions, 'session')} found"
    apart = f" and {plural(answer.apart, 'sub-agent')}" if answer.apart else ""
    return plural(answer.sessions, "session") + apart


# ------------------------------------------------------------------ rows


def _names(*, dated: bool) -> Html:
    """The names of the columns, for the eye: each figure says by itself what it is. Rows may be `dated`."""
    figures = tag(
        "span", *(tag("span", name, class_=name) for name in ("prompts", "tools", "tokens")), class_="figures"
    )
    cells = [tag("span", words) for words in ("when", "agent", "title", "project")]
    return tag("div", *cells, figures, class_=f"row names{' dated' if dated else ''}", aria_hidden="true")


def _by_day(answer: Answer) -> Iterator[Html]:
    """The sessions by day, in the zone of this machine. A family stands on the day of its first member's row."""
    today = local(now()).date()
    before: str | None = None
    for row in answer.rows:
        day = _day(row.entry, today) if not row.depth else before or ""
        if day != before:
            if before is not None:
                yield end("ol")
            yield tag("h2", day, class_="day")
            yield start("ol", class_="rows")
            before = day
        yield _row(row)
    if before is not None:
        yield end("ol")


def _day(entry: ListEntry, today: date) -> str:
    moment = _moment(entry)
    return "No time is known" if moment is None else day_name(local(moment).date(), today)


def _moment(entry: ListEntry) -> datetime | None:
    return entry.summary.ended or entry.summary.started


def _found(answer: Answer) -> Iterator[Html]:
    yield start("ol", class_="rows found")
    for row in answer.rows:
        yield _row(row, dated=True)
    yield end("ol")


def _row(row: Row, *, dated: bool = False) -> Html:
    """A session: what it is about, and beneath it what was found, or its sub-agents."""
    entry, summary = row.entry, row.entry.summary
    title, is_marked = _heading(row)
    passages = [_passage(hit) for hit in row.hits if hit.kind != "title" or not is_marked]
    if row.more:
        more = tag("a", f"{row.more:,} more in this session", href=_search_in(row))
        passages.append(tag("li", more, class_="more"))
    children = None
    if row.children:
        inner = tag("ol", *(_child(child) for child in row.children))
        children = tag("details", tag("summary", plural(len(row.children), "sub-agent")), inner, class_="children")
    return tag(
        "li",
        tag("span", _time(_moment(entry), dated=dated), class_="when"),
        agent_mark(summary.agent),
        tag("div", _title(entry, title, row.depth), class_="what"),
        _project(entry),
        _figures(entry),
        tag("ul", *passages, class_="passages") if passages else None,
        children,
        class_="row" + (" unread" if entry.unread else "") + (f" depth-{min(row.depth, 3)}" if row.depth else ""),
        data_key=summary.key,
    )


def _heading(row: Row) -> tuple[Html, bool]:
    """The title with what was found in it, and whether that is all that was found in titles and names."""
    words = _words(row.entry)
    found = [hit for hit in row.hits if hit.kind == "title"]
    if len(found) == 1:
        text, spans = make_visible(" ".join(found[0].snippet.split("\n")), found[0].spans)
        if f"{text} ".startswith(f"{words} "):  # names may stand behind it
            inside = [span for span in spans if span[1] <= len(words)]
            return _marked(words, inside), len(inside) == len(spans)
    return join([words]), not found


def _words(entry: ListEntry) -> str:
    return one_line(entry.title or "", 300) or "Untitled session"


def _title(entry: ListEntry, title: Html, depth: int = 0) -> Html:
    summary, marks = entry.summary, entry.marks
    kind = KINDS.get(summary.kind, HANDED_OVER if summary.handed_over_from is not None else "")
    failed = summary.counts.failed_tool_calls
    badges = [
        tag("span", "new", class_="badge new") if entry.unread else None,
        tag("span", kind, class_="badge") if kind else None,
        tag("span", "kept", class_="badge", title="Its agent has deleted it; pollux kept it") if summary.kept else None,
        tag("span", "odd files", class_="badge warn", title="pollux doctor says why") if entry.troubled else None,
        tag("span", f"{failed:,} failed", class_="badge failed", title=plural(failed, "failed tool call"))
        if failed
        else None,
        *(tag("span", f"#{one_line(name)}", class_="tag") for name in (marks.session.tags if marks else ())),
    ]
    star = tag("span", STAR, class_="star", title="Starred") if marks is not None and marks.session.starred else None
    lead = tag("span", "└ ", aria_hidden="true", class_="lead") if depth else None
    return join([lead, star, tag("a", title, href=session_address(summary.key), class_="open"), *badges])


def _project(entry: ListEntry) -> Html:
    summary = entry.summary
    if summary.project is None:
        words = summary.project_hash[:8] if summary.project_hash else ""
        return tag("span", words, class_="project")
    guess = "?" if summary.project_evidence == "guess" else ""
    return tag(
        "span", one_line(project_name(summary.project)) + guess, class_="project", title=one_line(summary.project)
    )


def _figures(entry: ListEntry) -> Html:
    counts, usage = entry.summary.counts, entry.summary.usage
    cells = [
        ("prompts", number(counts.prompts), plural(counts.prompts, "prompt")),
        ("tools", number(counts.tool_calls), plural(counts.tool_calls, "tool call")),
        ("tokens", tokens(usage), f"{tokens(usage)} tokens" if usage.known is not None else "tokens were not recorded"),
    ]
    return tag(
        "span", *(tag("span", value, class_=name, title=about) for name, value, about in cells), class_="figures"
    )


def _time(moment: datetime | None, *, dated: bool) -> Html:
    """The time in the zone of this machine; the exact one is its title."""
    if moment is None:
        return tag("span", NONE)
    here = local(moment)
    words = f"{here:%H:%M}"
    if dated:
        words = f"{here.day} {here:%b}" if here.year == local(now()).year else f"{here:%b %Y}"
    return tag("time", words, datetime=stamp(moment), title=f"{here:%Y-%m-%d %H:%M:%S %Z}", data_told=True)


def _child(entry: ListEntry) -> Html:
    return tag("li", _title(entry, join([_words(entry)])), _figures(entry), data_key=entry.summary.key)


def _passage(hit: Hit) -> Html:
    """A passage with its matches marked; it leads to the message."""
    text, spans = make_visible(" ".join(hit.snippet.split("\n")), hit.spans)
    where = session_address(hit.key, anchor(hit.message_id))
    return tag("li", tag("a", tag("b", SPEAKERS[hit.kind]), " ", tag("span", _marked(text, spans)), href=where))


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> Html:
    """A text with its matches marked."""
    pieces: list[Html] = []
    at = 0
    for first, last in spans:
        pieces += [join([text[at:first]]), tag("mark", text[first:last])]
        at = last
    pieces.append(join([text[at:]]))
    return join(pieces)


def _search_in(row: Row) -> str:
    """The address of the session, in which the first words that were found are looked for."""
    matches = (hit.snippet[start:end] for hit in row.hits for start, end in hit.spans)
    words = " ".join(next(matches, "").split())
    return session_address(row.entry.summary.key) + (f"#find={quote(words)}" if words else "")


def _pages(answer: Answer) -> Html:
    page, pages = min(answer.question.page, answer.pages), answer.pages
    if pages == 1:
        return EMPTY
    step = partial(_step, answer.question, pages)
    return tag(
        "nav",
        step(page - 1, "Newer", "prev"),
        tag("span", f"Page {page:,} of {pages:,}"),
        step(page + 1, "Older", "next"),
        aria_label="Pages",
        class_="pages",
    )


def _step(question: Question, pages: int, to: int, words: str, rel: str) -> Html:
    """A link to another page, if there is one."""
    if not 1 <= to <= pages:
        return tag("span", words)
    return tag("a", words, href=list_address(question.query, to, everything=question.everything), rel=rel)
