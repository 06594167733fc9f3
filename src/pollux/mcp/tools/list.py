"""`list_sessions`: which sessions there are, the newest first."""

from __future__ import annotations

import re

from msgspec.structs import replace

from pollux.errors import RequestError
from pollux.library.filters import filter_of
from pollux.library.for_agents.texts import LIST, SUB_AGENTS, USUAL
from pollux.library.library import ListEntry
from pollux.mcp.answer import answer, fitting, invocation, room
from pollux.mcp.arguments import Arguments
from pollux.mcp.desk import Desk, is_being_written, project, when
from pollux.text.fence import harmless
from pollux.text.figures import KINDS, plural

_USUALLY = 15
_TITLE = 140
_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')


def call(desk: Desk, arguments: Arguments) -> str:
    """The sessions that a query wants. Raises `RequestError`."""
    words = [word.replace('"', "") for word in _WORD.findall(arguments.text("query") or "")]
    more = SUB_AGENTS in arguments.texts("with")
    criteria = filter_of(words=words, everything=more)
    own = desk.own(arguments.texts("without"))
    skip = _skip(arguments.text("cursor"))
    limit = arguments.number("limit", _USUALLY, least=1)
    shown = desk.view.keys(criteria, own, skip + limit)[skip:]
    total = desk.view.count(criteria, own)
    others = 0 if more else desk.view.count(replace(criteria, everything=True), own) - total
    aside = f' Besides there are {others:,} of sub-agents or saved: add "with": ["{SUB_AGENTS}"].' if others else ""
    remarks = " ".join(("", *desk.remarks()))
    if not shown:
        return f"{'There are no more sessions.' if total else 'There is no such session.'}{aside}{remarks}"
    given = arguments.given | {"cursor": "99999"}
    head = f"{plural(total, 'session')}, the newest first: {skip + 1} to {skip + len(shown)}.{aside}{remarks}"
    states = desk.view.states(shown)
    lines = [_line(desk, entry, states.get(entry.summary.key)) for entry in desk.view.entries(shown)]
    fit = fitting(lines, room(USUAL, head, invocation(LIST, given), "More: "))
    end = skip + len(fit)
    left = total - end
    go_on = f"{left:,} more: {invocation(LIST, arguments.given | {'cursor': str(end)})}" if left else ""
    head = head.replace(f"{skip + 1} to {skip + len(shown)}.", f"{skip + 1} to {end}.")
    return answer(head, "\n".join(fit), 'To read one: read_session {"key": "…"}.', go_on)


def _skip(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 7):
        raise RequestError("This `cursor` was not given by an answer.")
    return int(cursor)


def _line(desk: Desk, entry: ListEntry, state: str | None) -> str:
    summary, counts = entry.summary, entry.summary.counts
    failed = f", {counts.failed_tool_calls:,} failed" if counts.failed_tool_calls else ""
    facts = [
        when(summary.ended or summary.started),
        desk.line(project(summary.project), 60),
        *([KINDS[summary.kind]] if summary.kind in KINDS else []),
        plural(counts.prompts, "prompt"),
        *([f"{plural(counts.tool_calls, 'tool call')}{failed}"] if counts.tool_calls else []),
        *(["kept, gone from the agent"] if summary.kept else []),
        *(["being written now"] if is_being_written(summary.ended) else []),
        desk.line(entry.title, _TITLE) if entry.title else "no title",
    ]
    key = harmless(f"{summary.agent}:{entry.short}{'@' + state if state else ''}")
    return f"{key} · {' · '.join(facts)}"
