"""Usage as programs get it: JSON objects and comma-separated values."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

from pollux.writers.json import stamp, usage_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pollux.accounts import ToolRow
    from pollux.analysis.evidence import Item, Verdict
    from pollux.analysis.profile import Profile
    from pollux.analysis.sums import Row
    from pollux.model import Session, Usage


def row_document(row: Row) -> dict[str, Any]:
    """A row of `pollux stats --json`."""
    figures = usage_document(row.usage) or {}
    requests = figures.pop("requests")
    document = {"name": row.name, "sessions": row.sessions, "requests": requests, **figures}
    document["cache_write_long"] = row.usage.cache_write_long  # every row has the same fields
    return {**document, "cost_usd": row.cost_usd, "unpriced_requests": row.unpriced}


def profile_document(
    session: Session, found: Profile, family: Usage, cost: float | None, family_cost: float | None
) -> dict[str, Any]:
    """`pollux stats KEY --json`."""
    turns = [
        {
            **{name: getattr(turn, name) for name in ("prompt", "message", "context", "calls", "failed", "cost_usd")},
            "at": stamp(turn.at),
            "usage": usage_document(turn.usage),
        }
        for turn in found.turns
    ]
    return {
        "key": session.key,
        "usage": usage_document(session.usage),
        "family_usage": usage_document(family),
        "cost_usd": cost,
        "family_cost_usd": family_cost,
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
    document["median_seconds"] = document.pop("seconds")
    document["timed_calls"] = document.pop("timed")
    return document


def _cell(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def table_of(titles: Iterable[str], rows: Sequence[dict[str, Any]]) -> str:
    """The rows below their titles; what is not known is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(titles), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue()
