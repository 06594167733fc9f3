"""A lake: `lake load`, `lake tidy`, `lake erase`, `lake list`, `lake show`, `lake search`, `lake query`."""

from __future__ import annotations

import io
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from pollux.answers.search import hit_document
from pollux.answers.sessions import list_document
from pollux.writers.base import Options, WriterContext
from pollux.writers.csv import inert, table_to
from pollux.writers.json import WRITER, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pollux.index.search.results import Hit
    from pollux.lake.lists import LakeSessions, Pushed
    from pollux.model import Session
    from pollux.usage.service import UsageService


def done_document(result: msgspec.Struct) -> dict[str, Any]:
    """What a command did, with its own fields; problems are sentences.

    So is each line of `pollux lake allow --json`.
    """
    document: dict[str, Any] = msgspec.to_builtins(result, enc_hook=str)
    return document


def allowed_document(known: Iterable[msgspec.Struct]) -> list[dict[str, Any]]:
    """`pollux lake allow --json`: what is allowed."""
    return [done_document(one) for one in known]


def pushed_document(usage: UsageService, sessions: Sequence[Pushed]) -> list[dict[str, Any]]:
    """`pollux lake list --json`: as `pollux list --json`, and who pushed each session."""
    documents = list_document(usage, [one.entry for one in sessions])
    return [
        {**document, "person": one.person, "team": one.team, "machine": one.machine}
        for document, one in zip(documents, sessions, strict=True)
    ]


def pushed_hits_document(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """`pollux lake search --json`: as `pollux search --json`, and who pushed each session."""
    return [{**hit_document(hit), "person": hit.person} for hit in hits]


def lake_session_document(
    usage: UsageService,
    sessions: LakeSessions,
    session: Session,
    out: Callable[[Any], object],
    *,
    live_only: bool = False,
) -> None:
    """`pollux lake show --json`: as `pollux show --json`."""
    bill = usage.bill(session)
    context = WriterContext(
        family_usage=sessions.family_usage(session), cost_usd=bill.usd, unpriced_requests=bill.unpriced
    )
    WRITER.write(session, out, Options(live_only=live_only), context)


def query_document(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """`pollux lake query --json`: an object a row. Times are in UTC."""
    return [{name: _plain(value) for name, value in zip(names, row, strict=True)} for row in rows]


def query_csv(names: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """`pollux lake query --csv`."""
    pieces = io.StringIO()
    table = table_to(pieces.write, names)
    for row in rows:
        table.writerow({name: inert(value) for name, value in row.items()})
    return pieces.getvalue()


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    return stamp(value) if isinstance(value, datetime) and value.tzinfo is not None else msgspec.to_builtins(value)
