"""What was used, and what it cost: `stats`, `timeline`; JSON documents and comma-separated values."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from pollux.usage.sums import Row
from pollux.usage.tools import ToolRow
from pollux.writers.csv import inert, table_to
from pollux.writers.json import stamp, usage_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from pollux.model import Session, Usage
    from pollux.usage.profile import NotableCall, Profile, Turn
    from pollux.usage.service import Measure
    from pollux.usage.stats import Stats
    from pollux.usage.sums import Bill

AnyRow = Row | ToolRow


# ------------------------------------------------------------------------------------------------------ all sessions


def stats_document(stats: Stats, lacking: Sequence[str] = ()) -> dict[str, Any]:
    """`pollux stats --json`. `unpriced_causes` are the agents of which something could not be read."""
    return {
        "by": ",".join((stats.by, *stats.within)),
        "of": stats.of,
        "lacking": lacking,
        "rows": [_tree(row) for row in stats.rows],
        "total": {**row_document(stats.total), "unpriced_models": stats.unpriced_models},
    }


def tools_document(
    by: Iterable[str], rows: Iterable[ToolRow], total: ToolRow, lacking: Sequence[str] = ()
) -> dict[str, Any]:
    """`pollux stats --by tool --json`."""
    return {
        "by": ",".join(by),
        "lacking": lacking,
        "rows": [_tree(row) for row in rows],
        "total": tool_document(total),
    }


def row_document(row: Row) -> dict[str, Any]:
    """A row of `pollux stats --json`, without those within it."""
    figures = usage_document(row.usage) or {}
    requests = figures.pop("requests")
    return {
        "name": row.name,
        "sessions": row.sessions,
        "lone_subagents": row.lone_subagents,
        "requests": requests,
        **figures,
        "cache_write_long": row.usage.cache_write_long,  # every row has the same fields
        "cost_usd": row.cost_usd,
        "unpriced_requests": row.unpriced,
        "without_price": row.unpriced_causes.price,
        "without_model": row.unpriced_causes.model,
        "without_figures": row.unpriced_causes.figures,
    }


def tool_document(row: ToolRow) -> dict[str, Any]:
    """A row of `pollux stats --by tool --json`, without those within it."""
    return {
        "name": row.name,
        "canonical": row.canonical,
        "sessions": row.sessions,
        "calls": row.calls,
        "failed": row.failed,
        "cancelled": row.cancelled,
        "unfinished": row.unfinished,
        "median_seconds": row.seconds,
        "timed_calls": row.timed,
    }


def _row_of(row: AnyRow) -> dict[str, Any]:
    return tool_document(row) if isinstance(row, ToolRow) else row_document(row)


def _tree(row: AnyRow) -> dict[str, Any]:
    """A row with those within it."""
    document = _row_of(row)
    return {**document, "rows": [_tree(inner) for inner in row.rows]} if row.rows else document


def timeline_document(of: Measure, amounts: Mapping[date | None, float], total: Row | None) -> dict[str, Any]:
    """`pollux timeline --json`. `amounts` has what was done on each day, and under None what has no time.

    `total` has the tokens and dollars of all days; None where prompts or sessions are counted.
    """
    days = {day: amount for day, amount in amounts.items() if day is not None}
    document: dict[str, Any] = {
        "of": of.value,
        "days": [{"day": day.isoformat(), of.value: days[day]} for day in sorted(days)],
        "total": sum(days.values()),
        "untimed": amounts.get(None, 0),
    }
    if total is not None:
        document["exact"] = total.usage.exact
        if of == "cost":
            document["unpriced_requests"] = total.unpriced
    return document


# ------------------------------------------------------------------------------------------------------- one session


def profile_document(
    session: Session, profile: Profile, family: Usage | None, own: Bill, whole: Bill
) -> dict[str, Any]:
    """`pollux stats KEY --json`. `own` is the bill of the session, `whole` with those of its descendants.

    `family` is None while some of these may be unread.
    """
    sent = profile.sent
    return {
        "key": session.key,
        "usage": usage_document(session.usage),
        "family_usage": usage_document(family) if family is not None else None,
        "cost_usd": own.usd,
        "unpriced_requests": own.unpriced,
        "family_cost_usd": whole.usd if family is not None else None,
        "family_unpriced_requests": whole.unpriced if family is not None else None,
        "turns": [_turn(turn) for turn in profile.turns],
        "sent_characters": {
            "typed": sent.typed,
            "files": sent.files,
            "injected": sent.injected,
            "summaries": sent.summaries,
            "tools": sent.tools,
        },
        "slowest_calls": [_call(call) for call in profile.slowest],
        "failed_calls": [_call(call) for call in profile.failed],
    }


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "prompt": turn.prompt,
        "message": turn.message,
        "context": turn.context,
        "calls": turn.calls,
        "failed": turn.failed,
        "cost_usd": turn.cost_usd,
        "unpriced_requests": turn.unpriced_requests,
        "at": stamp(turn.at),
        "usage": usage_document(turn.usage),
    }


def _call(call: NotableCall) -> dict[str, Any]:
    return {
        "name": call.name,
        "status": call.status,
        "seconds": call.seconds,
        "what": call.what,
        "message": call.message,
        "output": call.output,
    }


# --------------------------------------------------------------------------------------------- comma-separated values


def stats_csv(by: Sequence[str], rows: Iterable[AnyRow], total: AnyRow) -> str:
    """`pollux stats --csv`: the innermost rows, each with all its names, so that every column can be added up."""
    names = ["name"] if len(by) == 1 else by
    titles = (*names, *(name for name in _row_of(total) if name != "name"))
    return table_of(titles, [leaf for row in rows for leaf in _leaves(row, (), titles)])


def timeline_csv(of: Measure, amounts: Mapping[date | None, float]) -> str:
    """What was done on each day; what has no time stands under no day."""
    names = {day.isoformat() if day is not None else None: amount for day, amount in amounts.items()}
    days = sorted(names, key=lambda name: (name is None, name or ""))
    return table_of(("day", of.value), [{"day": day, of.value: names[day]} for day in days])


def _leaves(row: AnyRow, above: tuple[str | None, ...], titles: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for inner in row.rows:
        yield from _leaves(inner, (*above, row.name), titles)
    if not row.rows:
        figures = _row_of(row)
        names = (*above, figures.pop("name"))
        yield dict(zip(titles, (*names, *figures.values()), strict=True))


def _cell(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else inert(value)


def table_of(titles: Iterable[str], rows: Sequence[dict[str, Any]]) -> str:
    """The rows below their titles; what is not known is empty."""
    out = io.StringIO()
    table_to(out.write, titles).writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue()
