"""The files that agents changed: each edit with its difference, its message, and why it was made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pollux.model import Fate, Status
from pollux.model.names import project_name
from pollux.text.escape import one_line
from pollux.text.figures import KINDS, plural, tilde
from pollux.text.shell import shell_line
from pollux.web.pages.layout import agent_mark, session_address
from pollux.web.pages.report import by_day, clock, field, filter_form, heading, nothing, pages, report_page, switch
from pollux.web.reports.asked import to
from pollux.writers.calls import OUTCOMES
from pollux.writers.html.diffs import diff_lines
from pollux.writers.html.markup import Html, join, tag
from pollux.writers.html.messages import anchor

if TYPE_CHECKING:
    from pollux.library.edits.values import EditList, FileEdit
    from pollux.library.library import ListEntry
    from pollux.web.reports.asked import Asked
    from pollux.writers.changed_files import Difference

    Differences = Sequence[Difference | None]

FEW = 24
"""Lines of a difference: one that is longer is folded at first."""

_ABOUT = (
    "What agents changed with their tools for editing, also where that failed or was taken back. Files that a command "
    "changed are not among them."
)


def edits_page(
    asked: Asked, found: EditList, differences: Differences | None, projects: list[str], entry: ListEntry | None
) -> str:
    """The newest edits, or those of one session."""
    path = asked.get("path")
    of_session = ["--session", entry.summary.key] if entry is not None else []
    words = ["pollux", "edits", *([path] if path else []), *of_session, *asked.options()]
    return report_page(
        asked,
        "Edits",
        heading("Edits", asked, shell_line(*words, *_option(differences)), _with_differences(asked), about=_ABOUT),
        _session(asked, entry),
        filter_form(asked, projects, field("File", "path", path, "parser.py, src/*.ts"), times="edits"),
        *(_by_day(found.edits, differences, asked.home) if found.edits else [nothing("No edit was found.", asked)]),
        pages(asked, asked.number("page"), more=found.more),
    )


def _session(asked: Asked, entry: ListEntry | None) -> Html | None:
    if entry is None:
        return None
    title = tag("a", one_line(entry.title or "", 120) or "Untitled session", href=session_address(entry.summary.key))
    every = tag("a", "Edits of all sessions", href=asked.address(key=None))
    return tag("p", "Only in ", title, ". ", every, class_="about")


def file_page(asked: Asked, found: EditList, differences: Differences | None, path: str) -> str:
    """One file through all agents."""
    words = shell_line("pollux", "edits", path, *asked.options(), *_option(differences))
    shown = one_line(tilde(path, asked.home))
    folder, slash, name = shown.rpartition("/")
    title = tag("span", tag("span", f"{folder}{slash}", class_="folder"), name)
    return report_page(
        asked,
        shown,
        heading(title, asked, words, _with_differences(asked)),
        _who(found),
        filter_form(asked, times="edits"),
        *(_by_day(found.edits, differences, asked.home, of_file=path) if found.edits else [_no_edit(path)]),
        pages(asked, asked.number("page"), more=found.more),
        current="/edits",
    )


def _no_edit(path: str) -> Html:
    search = tag("a", "Search for it", href=to("/", q=f'file:"{path.replace(chr(34), "")}"'))
    return tag("p", "No edit of such a file was found. ", search, class_="nothing")


def _who(found: EditList) -> Html | None:
    """Who changed the file, as far as the page has it."""
    if not found.edits:
        return None
    agents: dict[str, int] = {}
    for edit in found.edits:
        agents[edit.agent] = agents.get(edit.agent, 0) + 1
    sessions = len({edit.key for edit in found.edits})
    counts = [join([agent_mark(agent), f" {count:,}"]) for agent, count in agents.items()]
    least = "the newest " if found.more else ""
    words = f"{least}{plural(len(found.edits), 'edit')} in {plural(sessions, 'session')}"
    return tag("p", words[0].upper() + words[1:], ": ", join(counts, Html(", ")), class_="about")


def _option(differences: Differences | None) -> list[str]:
    return ["--diff"] if differences is not None else []


def _with_differences(asked: Asked) -> Html:
    names_only = asked.get("diff") == "no"
    ways = [
        ("With differences", asked.address(diff=None), not names_only),
        ("Names only", asked.address(diff="no"), names_only),
    ]
    return switch("Differences", ways)


def _by_day(
    edits: Sequence[FileEdit], differences: Differences | None, home: str, of_file: str | None = None
) -> Iterator[Html]:
    changes: Sequence[Html | None] = [None] * len(edits)
    if differences is not None:
        changes = [_change(one) for one in differences]
    pairs = zip(edits, changes, strict=True)
    return by_day(pairs, lambda pair: pair[0].at, lambda pair: _edit(*pair, home, of_file), "edits")


def _edit(edit: FileEdit, change: Html | None, home: str, of_file: str | None) -> Html:
    """An edit: when, who, which file, what became of it; and beneath it why, and what changed."""
    shown = one_line(edit.project_path or tilde(edit.path, home))
    folder, slash, file_name = shown.rpartition("/")
    words = join([tag("span", f"{folder}{slash}", class_="folder"), file_name])
    if of_file is None:
        about = "The history of this file"
        file = tag("a", words, href=to("/file", path=edit.path), class_="open path", title=about)
    elif edit.path == of_file:
        file = tag("span", edit.change.value.capitalize(), class_="open")
    else:  # a path may name several files
        file = tag("span", words, class_="open path")
    place = session_address(edit.key, anchor(edit.message_id))
    name = tag("a", tag("code", one_line(f"{edit.short_id}#{edit.short_message_id}")), href=place, title="The message")
    same = edit.prompt is not None and one_line(edit.title or "", 60) == one_line(edit.prompt.text, 60)
    title = f" {one_line(edit.title, 120)}" if edit.title and not same else None
    kind = f" · {KINDS[edit.kind]}" if edit.kind in KINDS else None
    return tag(
        "li",
        tag("span", clock(edit.at), class_="when"),
        agent_mark(edit.agent),
        tag("div", file, *_badges(edit, named=of_file is None), class_="what"),
        tag("span", one_line(project_name(edit.project)) if edit.project else "", class_="project", title=edit.project),
        tag("div", _why(edit), tag("p", "in ", name, title, kind, class_="in"), change, class_="under"),
        class_="row edit",
    )


def _badges(edit: FileEdit, *, named: bool) -> Iterator[Html]:
    if named:
        yield tag("span", edit.change.value, class_="badge")
    if edit.status is not Status.OK:
        kind = "failed" if edit.status is Status.ERROR else "cancelled"
        yield tag("span", OUTCOMES[edit.status], class_=f"badge {kind}")
    if edit.fate is not Fate.LIVE:
        title = "The turn was taken out of the conversation; whether the file was put back, nobody recorded"
        yield tag("span", edit.fate.value, class_="badge cancelled", title=title)


def _why(edit: FileEdit) -> Html | None:
    if edit.prompt is None or not edit.prompt.text.strip():
        return None
    place = session_address(edit.key, anchor(edit.prompt.message_id))
    return tag("p", tag("a", one_line(edit.prompt.text, 300), href=place, title="The prompt"), class_="why")


def _change(difference: Difference | None) -> Html:
    if difference is None:
        return tag("p", "What changed is not recorded.", class_="in")
    sizes = [("came", "+", difference.added), ("went", "−", difference.removed)]
    counts = [tag("span", f"{mark}{count:,}", class_=kind) for kind, mark, count in sizes if count is not None]
    whole = None
    if difference.whole:
        whole = tag("p", "The whole file as it was written; what it held before is not recorded.", class_="in")
    return tag(
        "details",
        tag("summary", "Difference ", join(counts, Html(" "))),
        whole,
        tag("div", diff_lines(difference.lines), class_="diff"),
        open=len(difference.lines) <= FEW,
    )
