"""The page of a session: the conversation as an exported page has it, and around it what can be done with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from pollux import registry
from pollux.model import Fate
from pollux.model.names import project_name
from pollux.text.escape import one_line
from pollux.text.figures import plural, size
from pollux.text.shell import shell_line
from pollux.web.pages.layout import SESSION, agent_mark, command, form, list_address, session_address
from pollux.web.pages.problem import with_code
from pollux.writers.base import Dataset
from pollux.writers.html.assets import foot, plain_head
from pollux.writers.html.markup import EMPTY, Html, join, start, tag
from pollux.writers.html.messages import anchor
from pollux.writers.html.page import KEYS, SKIP, bar, keys_help, prompts

if TYPE_CHECKING:
    from pollux.index.catalogue.relatives import Relative
    from pollux.index.search.outline import OutlineEntry
    from pollux.library.library import ListEntry
    from pollux.model import Marks

_KEYS = {
    "v": "as it happened, or as it would be resumed",
    "s": "star it, or take the star away",
    "g": "all sessions",
}
LIVE = "live"
"""The value of `view` that shows a session as its agent would resume it."""


class Surroundings(NamedTuple):
    """What stands around the conversation. `resume` is the agent's own command, or why there is none.

    `new` is the anchor of the first message that is new since the session was read, and `news` how many there are.
    """

    entry: ListEntry
    marks: Marks
    live_only: bool
    resume: str | None
    problem: str | None
    relatives: list[tuple[Relative, str]]
    token: str
    new: str | None = None
    news: int = 0


def before_main(about: Surroundings, links: list[Html], reading: int | None, *, part: int) -> Iterator[Html]:
    """Everything before the conversation. `reading`: so many bytes are read before it comes."""
    entry = about.entry
    words = one_line(entry.title or "", 200) or "Untitled session"
    yield plain_head(f"{words} · {one_line(entry.summary.agent)}", SESSION)
    yield start(
        "body",
        class_="web session",
        data_key=entry.summary.key,
        data_view=LIVE if about.live_only else None,
        data_part=str(part) if part else None,
        data_new=about.new,
        data_token=about.token,
        data_read=f"/read/{quote(entry.summary.key, safe=':')}",
    )
    yield SKIP
    yield bar("Search in this page", "/", "pollux")
    yield tools(about)
    yield prompts(links)
    if reading is not None:
        yield tag("p", f"Reading {size(reading)} …", class_="reading", role="status")


def after_main(version: str) -> Iterator[Html]:
    """Everything after the conversation."""
    yield tag("div", id="state", data_version=version, hidden=True)
    yield keys_help(KEYS | _KEYS)
    yield foot(SESSION)


def outline_links(entries: Iterable[OutlineEntry]) -> list[Html]:
    """The index of prompts from the cache."""
    return [
        tag("li", tag("a", one_line(entry.text, 80), href=f"#{anchor(entry.message_id)}"), class_=str(entry.fate))
        for entry in entries
        if entry.text.strip()
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
        query = list_address(f"project:{summary.project}") if " " not in summary.project else list_address()
        project = tag("a", one_line(project_name(summary.project)), href=query, title="All sessions of this project")
    new = None
    if about.new is not None:
        new = tag("a", f"{plural(about.news, 'new message')} since you looked", href=f"#{about.new}", class_="newer")
    return tag(
        "aside",
        tag("span", agent_mark(summary.agent), project, class_="crumbs"),
        _views(about),
        _marks(about),
        _menu("Resume", *_resume(about)),
        _menu("Export", _formats(about)),
        _relatives(about),
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
    menu = _menu("Marks", form(action, token, *fields, class_="fields"), end=False)
    return tag("span", form(action, token, starred, star), *tags, menu, note, class_="marks")


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
            tag("small", writer.purpose),
        )
        for writer in writers
        if not isinstance(writer, Dataset)
    ]
    return tag("ul", *rows, class_="formats")


def _relatives(about: Surroundings) -> Html:
    if not about.relatives:
        return EMPTY
    rows = [
        tag("li", tag("b", one.relation.capitalize()), " ", tag("a", title, href=session_address(one.key)))
        for one, title in about.relatives
    ]
    return _menu(plural(len(rows), "related session"), tag("ul", *rows, class_="relatives"))


def _menu(words: str, *inner: Html, end: bool = True) -> Html:
    """A menu; its panel ends where its button ends, or begins where it begins."""
    panel = tag("div", join(inner), class_="panel")
    return tag("details", tag("summary", words), panel, class_="menu end" if end else "menu", name="tools")


def _read(about: Surroundings) -> str:
    return f"/read/{quote(about.entry.summary.key, safe=':')}"
