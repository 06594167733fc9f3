"""Usage as programs get it: JSON objects and comma-separated values."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import msgspec

from pollux.usage.sums import Row
from pollux.usage.tools import ToolRow
from pollux.writers.csv import inert, table_to
from pollux.writers.json import stamp, usage_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pollux.model import Session, Usage
    from pollux.usage.audit import Item, Verdict
    from pollux.usage.profile import Profile
    from pollux.usage.sums import Bill

AnyRow = Row | ToolRow


def row_document(row: Row) -> dict[str, Any]:
    """A row of `pollux stats --json`."""
    figures = usage_document(row.usage) or {}
    requests = figures.pop("requests")
    document: dict[str, Any] = {"name": row.name, "sessions": row.sessions, "lone_subagents": row.lone_subagents}
    document |= {"requests": requests, **figures}
    document["cache_write_long"] = row.usage.cache_write_long  # every row has the same fields
    document |= {"cost_usd": row.cost_usd, "unpriced_requests": row.unpriced}
    lacking = row.lacking
    return {
        **document,
        "without_price": lacking.price,
        "without_model": lacking.model,
        "without_figures": lacking.figures,
    }


def stats_document(by: Iterable[str], rows: Iterable[AnyRow], total: AnyRow, **more: Any) -> dict[str, Any]:
    """`pollux stats --json`: each row with those within it."""
    return {"by": ",".join(by), **more, "rows": [_tree(row) for row in rows], "total": _row_of(total)}


def stats_csv(by: Sequence[str], rows: Iterable[AnyRow], total: AnyRow) -> str:
    """`pollux stats --csv`: the innermost rows, each with all its names, so that every column can be added up."""
    names = ["name"] if len(by) == 1 else by
    titles = (*names, *(name for name in _row_of(total) if name != "name"))
    return table_of(titles, [leaf for row in rows for leaf in _leaves(row, (), titles)])


def _row_of(row: AnyRow) -> dict[str, Any]:
    return tool_document(row) if isinstance(row, ToolRow) else row_document(row)


def _tree(row: AnyRow) -> dict[str, Any]:
    document = _row_of(row)
    return {**document, "rows": [_tree(inner) for inner in row.rows]} if row.rows else document


def _leaves(row: AnyRow, above: tuple[str | None, ...], titles: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for inner in row.rows:
        yield from _leaves(inner, (*above, row.name), titles)
    if not row.rows:
        figures = _row_of(row)
        names = (*above, figures.pop("name"))
        yield dict(zip(titles, (*names, *figures.values()), strict=True))


_TURN = ("prompt", "message", "context", "calls", "failed", "cost_usd", "unpriced_requests")


def profile_document(session: Session, found: Profile, family: Usage, own: Bill, all_of_them: Bill) -> dict[str, Any]:
    """`pollux stats KEY --json`."""
    turns = [
        {
            **{name: getattr(turn, name) for name in _TURN},
            "at": stamp(turn.at),
            "usage": usage_document(turn.usage),
        }
        for turn in found.turns
    ]
    return {
        "key": session.key,
        "usage": usage_document(session.usage),
        "family_usage": usage_document(family),
        "cost_usd": own.usd,
        "unpriced_requests": own.unpriced,
        "family_cost_usd": all_of_them.usd,
        "family_unpriced_requests": all_of_them.unpriced,
        "turns": turns,
        "sent_characters": msgspec.structs.asdict(found.sent),
        "slowest_calls": msgspec.to_builtins(found.slowest),
        "failed_calls": msgspec.to_builtins(found.failed),
    }


def item_document(item: Item) -> dict[str, Any]:
    """One figure of `pollux audit KEY --json`."""
    document = msgspec.structs.asdict(item)
    usage = usage_document(msgspec.structs.replace(item.usage, native={}))
    return {**document, "at": stamp(item.at), "usage": usage}


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """An agent's own total beside ours."""
    tally = msgspec.structs.asdict(verdict.tally)
    named = {"key": verdict.key, "name": tally["name"], "scope": tally["scope"], "rule": tally["rule"]}
    theirs = {
        "total": tally["total"],
        "total_cost_usd": tally["cost_usd"],
        "file": tally["file"],
        "line": tally["line"],
    }
    ours = {"ours": verdict.ours, "cost_usd": verdict.cost_usd, "difference": verdict.difference, "why": verdict.why}
    return {**named, **theirs, **ours}


def tool_document(row: ToolRow) -> dict[str, Any]:
    """A row of `pollux stats --by tool --json`."""
    document = msgspec.structs.asdict(row)
    del document["rows"], document["open"]
    document["median_seconds"] = document.pop("seconds")
    document["timed_calls"] = document.pop("timed")
    return document


def _cell(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else inert(value)


def table_of(titles: Iterable[str], rows: Sequence[dict[str, Any]]) -> str:
    """The rows below their titles; what is not known is empty."""
    out = io.StringIO()
    table_to(out.write, titles).writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue()
