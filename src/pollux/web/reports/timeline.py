"""`/timeline`: a calendar of what was done; `/projects`: the directories people worked in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.answers.projects import projects_document
from pollux.answers.usage import timeline_csv, timeline_document
from pollux.usage.labels import at_least
from pollux.usage.service import Grouping, Measure
from pollux.web.pages.projects import projects_page
from pollux.web.pages.timeline import timeline_page
from pollux.web.replies import csv_reply, json_reply, page_reply
from pollux.web.reports.common import project_names

if TYPE_CHECKING:
    from starlette.responses import Response

    from pollux.library.library import Library
    from pollux.web.reports.asked import Asked


def timeline(library: Library, asked: Asked) -> Response:
    """What was done on each day. Raises `RequestError`."""
    of = asked.word("of", Measure, Measure.TOKENS)
    selection = asked.filter(library)
    amounts = library.usage.timeline(of, selection)
    total = None
    if of in (Measure.TOKENS, Measure.COST):
        total = library.usage.stats(Grouping.AGENT, selection, timed=True).total
    if asked.is_json:
        return json_reply(timeline_document(of, amounts, total))
    least = at_least(of, total) if total is not None else ""
    return page_reply(timeline_page(asked, of, amounts, least, project_names(library)))


def timeline_file(library: Library, asked: Asked) -> Response:
    """The days as a file of comma-separated values. Raises `RequestError`."""
    of = asked.word("of", Measure, Measure.TOKENS)
    text = timeline_csv(of, library.usage.timeline(of, asked.filter(library)))
    return csv_reply(text, f"pollux-timeline-of-{of.value}.csv")


def projects(library: Library, asked: Asked) -> Response:
    """Every project."""
    found = library.projects.all(asked.get("name"))
    if asked.is_json:
        return json_reply(projects_document(found))
    return page_reply(projects_page(asked, found))
