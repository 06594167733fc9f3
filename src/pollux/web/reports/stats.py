"""`/stats`: what was used and what it cost; `/audit`: the figures that it is made up of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux.answers.audit import audit_document, history_document
from pollux.answers.usage import stats_csv, stats_document, tools_document
from pollux.errors import NotFound, RequestError
from pollux.usage.audit import narrowed
from pollux.usage.service import Grouping, Measure
from pollux.web.pages.audit import history_page, session_audit_page
from pollux.web.pages.stats import TIMES, shown_rows, stats_page, tools_page
from pollux.web.replies import csv_reply, json_reply, page_reply
from pollux.web.reports.common import entry_of, project_names

if TYPE_CHECKING:
    from starlette.responses import Response

    from pollux.library.library import Library
    from pollux.usage.service import Stats
    from pollux.web.reports.asked import Asked


_COLUMNS = 100
"""A chart with more columns cannot be read."""


def stats(library: Library, asked: Asked) -> Response:
    """What was used. Raises `RequestError`."""
    by, _ = _wanted(asked)
    selection, model = asked.filter(library), asked.get("model")
    lacking = sorted(agent for agent in library.index.lacking() if selection.agent in (None, agent))
    if by is Grouping.TOOL:
        if model is not None:
            raise RequestError("Calls of tools belong to no model.", "Leave out model, or group by something else.")
        rows, total = library.usage.tools(selection)
        if asked.is_json:
            return json_reply(tools_document((by,), rows, total, lacking))
        return page_reply(tools_page(asked, rows, total, project_names(library)))
    found = _found(library, asked)
    if asked.is_json:
        return json_reply(stats_document(found, lacking))
    stack = asked.word("stack", Grouping, Grouping.AGENT)
    if stack not in (Grouping.AGENT, Grouping.MODEL):
        raise RequestError(f"stack cannot be {stack.value!r}.", "It can be agent or model.")
    drawn = _drawn(by, len(found.rows))
    parts = Grouping.MODEL if model else stack
    layers = library.usage.stacks(drawn, found.of, parts, selection) if by in TIMES else {}
    if model:
        layers = {name: {model: each[model]} for name, each in layers.items() if model in each}
    keys = [row.name for row in shown_rows(asked, found) if row.name] if by is Grouping.SESSION else []
    titles = {entry.summary.key: entry.title or "" for entry in library.index.entries(keys)}
    return page_reply(stats_page(asked, found, drawn, layers, titles, project_names(library)))


def _drawn(by: Grouping, rows: int) -> Grouping:
    """What the columns of a chart stand for: a longer time where there would be too many to tell apart."""
    if by is Grouping.DAY and rows > _COLUMNS:
        by, rows = Grouping.WEEK, rows // 7
    return Grouping.MONTH if by is Grouping.WEEK and rows > _COLUMNS else by


def stats_file(library: Library, asked: Asked) -> Response:
    """The table of `/stats` as a file of comma-separated values. Raises `RequestError`."""
    by, _ = _wanted(asked)
    if by is Grouping.TOOL:
        rows, total = library.usage.tools(asked.filter(library))
        text = stats_csv((by,), rows, total)
    else:
        found = _found(library, asked)
        text = stats_csv((by,), found.rows, found.total)
    return csv_reply(text, f"pollux-stats-by-{by.value}.csv")


def _found(library: Library, asked: Asked) -> Stats:
    """The sums; with `model`, those of its requests alone. Raises `RequestError` and `NotFound`."""
    by, of = _wanted(asked)
    selection, model = asked.filter(library), asked.get("model")
    if model is None:
        return library.usage.stats(by, selection, of=of)
    whole = library.usage.stats(Grouping.MODEL, selection, within=() if by is Grouping.MODEL else (by,), of=of)
    for row in whole.rows:
        if row.name == model:
            unpriced = tuple(name for name in whole.unpriced_models if name == model)
            rows = (row,) if by is Grouping.MODEL else row.rows
            return replace(whole, by=by, within=(), rows=rows, total=replace(row, rows=()), unpriced_models=unpriced)
    raise NotFound(f"No request that matches was made to the model {model[:80]!r}.", "Leave out model to see all.")


def audit(library: Library, asked: Asked) -> Response:
    """Every figure of a session, or how sure those of all are. Raises `NotFound` and `RequestError`."""
    key = asked.get("key")
    if key is None:
        if asked.get("since") is not None or asked.get("until") is not None:
            hint = "Leave out since and until. Stats have the figures of a time, and lead to those of each session."
            raise RequestError("How sure the figures of all sessions are is not known by time.", hint)
        history = library.usage.audit_all(asked.filter(library), priced=asked.is_json)
        if asked.is_json:
            return json_reply(history_document(history))
        return page_reply(history_page(asked, history, project_names(library)))
    entry = entry_of(library, key)
    session = library.session(key)
    whole, bill = library.usage.audit(session), library.usage.bill(session)
    evidence = replace(whole, items=narrowed(whole.items, asked.filter(library), asked.get("model")))
    if asked.is_json:
        return json_reply(audit_document(session, evidence, bill))
    return page_reply(session_audit_page(asked, entry, evidence, bill))


def _wanted(asked: Asked) -> tuple[Grouping, Measure | None]:
    """What is grouped by, and what is drawn; None is what there is."""
    by = asked.word("by", Grouping, Grouping.DAY)
    if asked.get("of") is None:
        return by, None
    of = asked.word("of", Measure, Measure.TOKENS)
    if of not in (Measure.TOKENS, Measure.COST):
        raise RequestError(f"of cannot be {of.value!r}.", "It can be tokens or cost.")
    return by, of
