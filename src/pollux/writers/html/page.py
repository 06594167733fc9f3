"""The page around the messages: one file that loads nothing, runs nothing but its own script, and works from disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pollux.model import Notice, Session, Summary, summarize
from pollux.model.names import project_name
from pollux.text.escape import one_line
from pollux.writers.base import WriterContext
from pollux.writers.facts import KINDS, LINKS, counted, figures, moment, title
from pollux.writers.html.assets import Assets, foot, head
from pollux.writers.html.details import fold
from pollux.writers.html.links import index_link, session_link
from pollux.writers.html.markup import EMPTY, Html, end, escape, join, start, tag
from pollux.writers.html.messages import Messages
from pollux.writers.html.page_parts import address
from pollux.writers.html.times import clock

PAGE = Assets(
    styles=("page.css", "content.css"),
    scripts=("theme.js", "times.js", "folds.js", "letters.js", "search.js", "keys.js"),
)

SKIP = tag("a", "Skip to the conversation", href="#conversation", class_="skip")
KEYS = {
    "j / k": "next, previous message",
    "J / K": "next, previous prompt",
    "/": "search in this page",
    "n / N": "next, previous match",
    "o": "open or close what is folded in this message",
    "e": "open or close everything",
    "t": "show tokens, model and place of every message",
    "d": "light, dark, or as the system",
    "?": "this help",
}


def page(session: Session, context: WriterContext, messages: Messages, part: int = 0) -> Iterator[str]:
    """A whole page: the session, or one of its parts."""
    words = title(summarize(session), context)
    search = "Search in this part" if len(messages.parts) > 1 else "Search in this page"
    for piece in (
        head(f"{words} · {session.agent}", PAGE),
        start("body"),
        SKIP,
        bar(search, index_link(context, session.key)),
        prompts(messages.index(part)),
    ):
        yield f"{piece}\n"
    yield from conversation(session, context, messages, part)
    yield f"{keys_help(KEYS)}\n"
    yield f"{foot(PAGE)}\n"


def conversation(session: Session, context: WriterContext, messages: Messages, part: int = 0) -> Iterator[str]:
    """What stands between `<main>` and `</main>`, with these: the facts, and the messages of a part."""
    for pieces in (
        _top(session, context, messages, part),
        messages.pieces(part),
        _bottom(session, context, messages, part),
    ):
        for piece in pieces:
            yield f"{piece}\n"


def _top(session: Session, context: WriterContext, messages: Messages, part: int) -> Iterator[Html]:
    """Everything before the first message."""
    summary = summarize(session)
    words, whole = title(summary, context), one_line(summary.title or "")
    yield start("main", id="conversation")
    heading = tag("h1", words, title=whole if whole != words else None)
    brief = _brief(session, summary)
    if part:
        yield tag("header", heading, tag("p", brief, class_="brief always"), class_="top")
    else:
        ask = tag("label", tag("input", type="checkbox"), " All facts")
        facts = tag("dl", *_facts(session, summary, context, messages.cost(summary.usage)))
        yield tag("header", heading, tag("p", brief, " · ", ask, class_="brief"), facts, class_="top")
    if len(messages.parts) > 1:
        yield _parts(session, context, messages, part)
    yield tag("noscript", tag("p", "Long results are folded, and open only with JavaScript.", class_="note"))


def _parts(session: Session, context: WriterContext, messages: Messages, part: int) -> Html:
    """Where this part stands among the others, and the ways to them."""
    count = len(messages.parts)
    ways = [tag("b", f"{part + 1}", aria_current="page")] * count
    for there in set(range(count)) - {part}:
        to = address(context, session.key, part, there)
        ways[there] = tag("a", f"{there + 1}", href=to, aria_label=f"Part {there + 1}")
    after = address(context, session.key, part, part + 1) if part + 1 < count else None
    return tag(
        "nav",
        f"Too large for one page: part {part + 1} of {count:,}. ",
        join(ways, Html(" ")),
        tag("a", "Next part", href=after, rel="next", class_="next") if after else None,
        aria_label="Parts",
        class_="parts",
    )


def _bottom(session: Session, context: WriterContext, messages: Messages, part: int) -> Iterator[Html]:
    """Everything after the last message."""
    if len(messages.parts) > 1:
        yield _parts(session, context, messages, part)
    notices = [tag("li", tag("code", notice.code), " ", notice.text, " ", _place(notice)) for notice in session.notices]
    read = [tag("li", tag("code", one_line(file))) for file in session.files]
    yield tag(
        "footer",
        fold(f"Notices about the files: {len(notices):,}", tag("ul", *notices)) if notices else None,
        fold(f"Read from {len(read):,} {'file' if len(read) == 1 else 'files'}", tag("ul", *read)) if read else None,
    )
    yield end("main")


def bar(search: str, back: str | None = None, words: str = "All sessions", ways: Html | None = None) -> Html:
    """What stays at the top: the way back to all sessions, other `ways`, the search, and the buttons."""
    buttons = [
        ("fold-all", "Unfold", "Open or close everything (e)"),
        ("details", "Details", "Tokens, model and place of every message (t)"),
        ("theme", "Theme", "Light, dark, or as the system (d)"),
        ("keys", "?", "Keys (?)"),
    ]
    return tag(
        "header",
        tag("a", words, href=back, class_="home") if back is not None else None,
        ways,
        tag(
            "search",
            tag("input", type="search", id="find", placeholder=search, aria_label=search),
            tag("output", id="found", aria_live="polite"),
        ),
        tag("span", *(tag("button", words, type="button", id=id, title=about) for id, words, about in buttons)),
        class_="bar",
    )


def prompts(links: list[Html], *, early: bool = False) -> Html:
    """The index of prompts at the side. An `early` one has only the first; one that comes later takes its place."""
    first = "First " if early else ""
    summary = tag("summary", f"{first}{len(links):,} {'prompt' if len(links) == 1 else 'prompts'}")
    index = tag("details", summary, tag("ol", *links), class_="index", open=True)
    return tag("nav", index, aria_label="Prompts", class_="side early" if early else "side")


def _brief(session: Session, summary: Summary) -> Html:
    """What a phone shows of the facts until somebody asks for all of them."""
    project = project_name(summary.project or "")
    known = (one_line(session.agent), one_line(project), clock(summary.started))
    return join(filter(None, known), Html(" · "))


def _facts(session: Session, summary: Summary, context: WriterContext, cost: str | None) -> Iterator[Html]:
    yield _fact("Agent", join([session.agent, f", {KINDS[session.kind]}" if session.kind in KINDS else None]))
    if session.parent and session.parent not in {link.target for link in session.links}:
        yield _fact("Started by", _key(session, session.parent, context))
    for link in session.links:
        kind = LINKS.get(link.kind, one_line(link.kind).replace("_", " ")).capitalize()
        yield _fact(kind, join([_key(session, link.target, context), " ", tag("small", one_line(link.evidence))]))
    if summary.project:
        evidence = summary.project_evidence
        known = f"Known by: {one_line(evidence)}" if evidence else None
        guess = " (a guess)" if evidence == "guess" else None
        yield _fact("Project", join([tag("code", one_line(summary.project), title=known), guess]))
    ends = (summary.started, summary.ended)
    if moments := {moment(at): clock(at) for at in ends if clock(at)}:
        yield _fact("When", join(moments.values(), Html(" – ")))
    if summary.models:
        yield _fact("Model", escape(", ".join(one_line(model) for model in summary.models)))
    yield _fact("Said", escape(counted(summary.counts)))
    yield _fact("Tokens", escape(figures(summary.usage) or "not recorded"))
    family = context.family_usage
    if family is not None and family.total != summary.usage.total:
        yield _fact("With sub-agents", escape(figures(family) or "not recorded"))
    if cost is not None:
        yield _fact("Cost", escape(cost))
    yield _fact("Session", tag("code", one_line(session.key)))


def _fact(name: str, value: Html) -> Html:
    return tag("div", tag("dt", name), tag("dd", value))


def _key(session: Session, key: str, context: WriterContext) -> Html:
    address = session_link(context, session.key, key)
    name = tag("code", one_line(key))
    return name if address is None else tag("a", name, href=address)


def _place(notice: Notice) -> Html:
    facts = [one_line(text) for text in (notice.subject, notice.file) if text]
    facts += [f"line {notice.line}"] if notice.line is not None else []
    facts += [f"{notice.count:,} times"] if notice.count > 1 else []
    return tag("small", ", ".join(facts)) if facts else EMPTY


def keys_help(table: dict[str, str]) -> Html:
    """The table of keys, which a button or a key opens."""
    rows = [tag("div", tag("dt", *_keys(keys)), tag("dd", about)) for keys, about in table.items()]
    close = tag("button", "Close", type="button", id="close")
    return tag(
        "dialog", tag("h2", "Keys", id="help-title"), tag("dl", *rows), close, id="help", aria_labelledby="help-title"
    )


def _keys(keys: str) -> Iterable[Html]:
    return [join([tag("kbd", key) for key in ([keys] if keys == "/" else keys.split(" / "))], Html(" "))]
