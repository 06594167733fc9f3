"""The page of a session: the conversation as an exported page has it, and around it what can be done with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from pollux import registry
from pollux.model import Fate, first_words
from pollux.model.names import project_name
from pollux.text.escape import one_line
from pollux.text.figures import plural, size
from pollux.text.filter_term import filter_term
from pollux.text.shell import shell_line
from pollux.web.pages.compare import compare_address
from pollux.web.pages.layout import SESSION, agent_mark, command, form, list_address, session_address, ways
from pollux.web.pages.problem import with_code
from pollux.web.reports.asked import to
from pollux.writers.base import Dataset
from pollux.writers.html.assets import foot, plain_head
from pollux.writers.html.markup import EMPTY, Html, join, start, tag
from pollux.writers.html.messages import anchor
from pollux.writers.html.page import KEYS, SKIP, bar, keys_help

if TYPE_CHECKING:
    from pollux.index.catalogue.relatives import Relative
    from pollux.index.search.outline import OutlineEntry
    from pollux.library.library import ListEntry
    from pollux.model import Marks, MessageMarks

_KEYS = {
    "v": "as it happened, or as it would be resumed",
    "s": "star it, or take the star away",
    "m": "star this message, or take the star away",
    "r": "the record of this message, as it stands in its file",
    "Ctrl+K": "go to a page or a session",
    "g": "all sessions",
}
LIVE = "live"
"""The value of `view` that shows a session as its agent would resume it."""


class Surroundings(NamedTuple):
    """What stands around the conversation. `resume` is the agent's own command, or why there is none.

    `new` is the anchor of the first message that is new since the session was read, and `news` how many there are.
    `files` are those that it changed, and `messages` those of its messages that have marks.
    """

    entry: ListEntry
    marks: Marks
    live_only: bool
    resume: str | None
    problem: str | None
    relatives: list[tuple[Relative, str]]
    token: str
    files: tuple[str, ...] = ()
    messages: tuple[MessageMarks, ...] = ()
    is_sample: bool = False
    new: str | None = None
    news: int = 0


def before_index(about: Surroundings, part: int) -> Iterator[Html]:
    """Everything before the index of prompts."""
    entry = about.entry
    words = one_line(entry.title or "", 200) or "Untitled session"
    yield plain_head(f"{words} · {one_line(entry.summary.agent)}", SESSION)
    yield start(
        "body",
        class_="web session",
        data_key=entry.summary.key,
        data_view=LIVE if about.live_only else None,
        data_part=str(part) if part else None,
        data_kind=entry.summary.kind,
        data_new=about.new,
        data_token=about.token,
        data_read=f"/read/{quote(entry.summary.key, safe=':')}",
    )
    yield SKIP
    yield bar("Search in this page", "/", "pollux", ways())
    yield tools(about)


def announcement(reading: int) -> Html:
    """What stands where the conversation will be: so many bytes are read before it comes."""
    return tag("p", f"Reading {size(reading)} …", class_="reading", role="status")


def after_main(version: str) -> Iterator[Html]:
    """Everything after the conversation."""
    yield tag("div", id="state", data_version=version, hidden=True)
    yield keys_help(KEYS | _KEYS)
    yield foot(SESSION)


def outline_links(entries: Iterable[OutlineEntry]) -> list[Html]:
    """The index of prompts from the cache."""
    return [
        tag("li", tag("a", words, href=f"#{anchor(entry.message_id)}"), class_=str(entry.fate))
        for entry in entries
        if (words := first_words(entry.text, 80))
    ]


def live_links(entries: Iterable[OutlineEntry], *, live_only: bool) -> list[OutlineEntry]:
    """The prompts that the view shows."""
    return [entry for entry in entries if not live_only or entry.fate is Fate.LIVE]


# ------------------------------------------------------------------ what can be done


def tools(about: Surroundings) -> Html:
    """The strip above the conversation."""
    summary = about.entry.summary
    project = None
    if summary.project:
        query = list_address(filter_term("project", summary.project))
        project = tag("a", one_line(project_name(summary.project)), href=query, title="All sessions of this project")
    new = None
    if about.new is not None:
        new = tag("a", f"{plural(about.news, 'new message')} since you looked", href=f"#{about.new}", class_="newer")
    return tag(
        "aside",
        tag("span", agent_mark(summary.agent), project, class_="crumbs"),
        _views(about),
        _marks(about),
        _marked(about),
        _menu("Resume", *_resume(about)),
        _menu("Export", _formats(about)),
        _relatives(about),
        _menu("Look closer", *_closer(about)),
        new,
        tag("noscript", form(_read(about), about.token, tag("button", "Mark as read", type="submit"))),
        class_="tools",
        aria_label="What can be done with this session",
    )


def _views(about: Surroundings) -> Html:
    key = about.entry.summary.key
    ways = [("As it happened", None, not about.live_only), ("As it would be resumed", LIVE, about.live_only)]
    return tag(
        "nav",
        *(
            tag("a", words, href=session_address(key, view=view), aria_current="page" if now else None)
            for words, view, now in ways
        ),
        aria_label="View",
        class_="views",
    )


def _marks(about: Surroundings) -> Html:
    if about.is_sample:
        words = "The sample keeps no marks. Start `pollux web` without --sample to mark your own sessions."
        return _menu("Marks", tag("p", *with_code(words)))
    marks, token = about.marks, about.token
    action = f"/mark/{quote(about.entry.summary.key, safe=':')}"
    words = "Take the star away (s)" if marks.starred else "Star this session (s)"
    star = tag(
        "button",
        "★" if marks.starred else "☆",
        type="submit",
        id="star",
        title=words,
        aria_label=words,
        aria_pressed="true" if marks.starred else "false",
    )
    starred = tag("input", type="hidden", name="star", value="no" if marks.starred else "yes")
    tags = [
        form(
            action,
            token,
            tag("input", type="hidden", name="untag", value=name),
            tag("button", f"#{one_line(name)} ×", type="submit", title="Remove this tag"),
            class_="tag",
        )
        for name in marks.tags
    ]
    fields = [
        _field("Tag", "tag", "", "One word"),
        _field("Name", "name", marks.name or "", "Instead of its title"),
        tag("label", "Note", tag("textarea", marks.note or "", name="note", rows="4")),
        tag("button", "Save", type="submit"),
    ]
    note = tag("p", one_line(marks.note, 200), class_="note") if marks.note else None
    message = [
        _field("A message", "message", "", "Its id, which Details shows"),
        _field("Tag", "tag", "", "One word"),
        tag("label", "Note", tag("textarea", "", name="note", rows="2")),
        tag("button", "Star this message", type="submit", name="star", value="yes"),
        tag("button", "Save", type="submit"),
    ]
    forms = [form(action, token, *inner, class_="fields") for inner in (fields, message)]
    menu = _menu("Marks", *forms)
    return tag("div", form(action, token, starred, star), *tags, menu, note, class_="marks")


def _marked(about: Surroundings) -> Html | None:
    """The messages that have marks."""
    if not about.messages:
        return None
    action = f"/mark/{quote(about.entry.summary.key, safe=':')}"
    return _menu(
        plural(len(about.messages), "marked message"), tag("ul", *_marked_rows(about, action), class_="marked")
    )


def _marked_rows(about: Surroundings, action: str) -> Iterator[Html]:
    for one in about.messages:
        marks, name = one.marks, anchor(one.anchor.id)
        said = " ".join([*(f"#{word}" for word in marks.tags), marks.note or ""]).strip()
        unstar = None
        if marks.starred and not about.is_sample:
            fields = [tag("input", type="hidden", name="message", value=one.anchor.id)]
            fields += [tag("input", type="hidden", name="star", value="no")]
            button = tag("button", "Take the star away", type="submit", class_="quiet")
            unstar = form(action, about.token, *fields, button)
        star = tag("span", "★ ", class_="star", aria_hidden="true") if marks.starred else None
        words = one_line(said, 120) or one_line(one.anchor.id, 12)
        link = tag("a", words, href=f"#{name}", data_message=name, data_starred="yes" if marks.starred else "no")
        yield tag("li", star, link, " ", unstar)


def _closer(about: Surroundings) -> Iterator[Html]:
    """The pages that tell more of this session, and the files that it changed."""
    key = about.entry.summary.key
    ways = {
        "Figures": (to("/audit", key=key), "every token figure, and where it stands"),
        "Edits": (to("/edits", key=key), "what it changed"),
        "Friction": (to("/friction", key=key), "what failed, was repeated or undone"),
        "Compare": (to("/compare", key=key), "with another session"),
        "Records": (to("/record", key=key), "every message as it stands in its file"),
        "States": (to("/archive", key=key), "its files, as the archive kept them"),
    }
    rows = [tag("li", tag("a", name, href=where), " ", tag("small", words)) for name, (where, words) in ways.items()]
    yield tag("ul", *rows, class_="formats")
    if about.files:
        yield tag("p", "Files that it changed:")
        files = [tag("li", tag("a", tag("code", one_line(path)), href=to("/file", path=path))) for path in about.files]
        yield tag("ul", *files)


def _field(words: str, name: str, value: str, about: str) -> Html:
    return tag("label", words, tag("input", name=name, value=value, placeholder=about, autocomplete="off"))


def _resume(about: Surroundings) -> Iterator[Html]:
    key, agent = about.entry.summary.key, about.entry.summary.agent
    if about.resume is not None:
        yield tag("p", "Go on in its agent; pollux keeps the files first:")
        yield command(shell_line("pollux", "resume", key))
        yield tag("p", "The agent’s own command:")
        yield command(about.resume)
    if about.problem is not None:
        yield tag("p", *with_code(about.problem))
    yield tag("p", "Go on in another agent:")
    for other in registry.source_names():
        if other != agent:
            yield command(shell_line("pollux", "handoff", key, "--to", other))


def _formats(about: Surroundings) -> Html:
    key = quote(about.entry.summary.key, safe=":")
    view = f"?view={LIVE}" if about.live_only else ""
    writers = [registry.writer(name) for name in registry.writer_names()]
    rows = [
        tag(
            "li",
            tag("a", writer.name, href=f"/export/{quote(writer.name)}/{key}{view}", download=True),
            " ",
            tag("small", *with_code(writer.purpose)),
        )
        for writer in writers
        if not isinstance(writer, Dataset)
    ]
    return tag("ul", *rows, class_="formats")


def _relatives(about: Surroundings) -> Html:
    if not about.relatives:
        return EMPTY
    rows = [
        tag(
            "li",
            tag("b", one.relation.capitalize()),
            " ",
            tag("a", title, href=session_address(one.key)),
            " ",
            tag("a", tag("small", "Compare"), href=compare_address(about.entry.summary.key, one.key)),
        )
        for one, title in about.relatives
    ]
    return _menu(plural(len(rows), "related session"), tag("ul", *rows, class_="relatives"))


def _menu(words: str, *inner: Html) -> Html:
    """A menu, of which one is open at a time."""
    panel = tag("div", join(inner), class_="panel")
    return tag("details", tag("summary", words), panel, class_="menu", name="tools")


def _read(about: Surroundings) -> str:
    return f"/read/{quote(about.entry.summary.key, safe=':')}"
