"""Where the work did not go smoothly: how often, and each case with its message."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from pollux.draw.friction import NAMES, about_case, remarks
from pollux.library.friction.values import FrictionKind
from pollux.model import Fate
from pollux.model.names import project_name
from pollux.text.escape import one_line
from pollux.text.figures import number
from pollux.text.shell import shell_line
from pollux.web.pages.layout import agent_mark, session_address
from pollux.web.pages.report import Tile, by_day, clock, filter_form, heading, nothing, pages, report_page, tiles
from pollux.web.reports.asked import to
from pollux.writers.html.markup import Html, join, tag
from pollux.writers.html.messages import anchor

if TYPE_CHECKING:
    from pollux.library.friction.values import FrictionCase, FrictionReport
    from pollux.library.library import ListEntry
    from pollux.web.reports.asked import Asked

_ABOUT = "Facts from the records, each with its message. Nothing is graded, and nothing is guessed."
_WORDS = {
    FrictionKind.COMPACTED: "The conversation so far became a summary",
    FrictionKind.INTERRUPTED: "The user stopped the agent",
}
_EARLIER = {FrictionKind.REPEATED: "the call that had failed", FrictionKind.UNDONE: "the edit that was undone"}


def friction_page(
    asked: Asked, report: FrictionReport, kinds: Collection[FrictionKind], entry: ListEntry | None, projects: list[str]
) -> str:
    """The cases of all sessions, or of one."""
    key = asked.get("key")
    line = shell_line("pollux", "friction", *([key] if key else []), *asked.options("kind"))
    choices = filter_form(asked, projects, times="cases")
    if entry is not None:
        title = one_line(entry.title or "", 120) or "Untitled session"
        choices = tag("p", "In ", tag("a", title, href=session_address(entry.summary.key)), class_="about")
    rows = by_day(report.cases, lambda case: case.at, lambda case: _case(case, asked.home), "cases")
    return report_page(
        asked,
        "Friction",
        heading("Friction", asked, line, about=_ABOUT),
        choices,
        tiles("Kinds", _counts(asked, report, kinds)),
        tag("p", " ".join(said), class_="about") if (said := list(remarks(report))) else None,
        *(rows if report.cases else [nothing("No case was found.", asked)]),
        pages(asked, asked.number("page"), more=report.more),
    )


def _counts(asked: Asked, report: FrictionReport, kinds: Collection[FrictionKind]) -> Iterator[Tile]:
    every = len(kinds) == len(FrictionKind)
    for kind, words in NAMES.items():
        chosen = not every and kind in kinds
        yield Tile(number(report.counts[kind]), words, asked.address(kind=None if chosen else kind.value), chosen)


def _case(case: FrictionCase, home: str) -> Html:
    """A case: when, who, what; and beneath it where."""
    place = session_address(case.key, anchor(case.message_id))
    plain = _WORDS.get(case.kind) if not case.what else None
    kinds = "open" if plain else "open path"
    about = tag("a", plain or about_case(case, home), href=place, class_=kinds, title="The message")
    earlier = None
    if case.earlier_message_id is not None:
        before = session_address(case.key, anchor(case.earlier_message_id))
        earlier = join([" · ", tag("a", _EARLIER.get(case.kind, "before"), href=before)])
    name = tag("code", one_line(f"{case.short_id}#{case.short_message_id}"))
    title = tag("a", one_line(case.title or "Untitled session", 120), href=to("/friction", key=case.key))
    kind = (
        "failed" if case.kind is FrictionKind.FAILED else "cancelled" if case.kind is FrictionKind.INTERRUPTED else ""
    )
    badge = tag("span", case.kind.value, class_=f"badge {kind}".strip())
    fate = tag("span", case.fate.value, class_="badge cancelled") if case.fate is not Fate.LIVE else None
    return tag(
        "li",
        tag("span", clock(case.at), class_="when"),
        agent_mark(case.agent),
        tag("div", badge, fate, " ", about, class_="what"),
        tag("span", one_line(project_name(case.project)) if case.project else "", class_="project", title=case.project),
        tag("div", tag("p", "in ", name, " ", title, earlier, class_="in"), class_="under"),
        class_="row edit case",
    )
