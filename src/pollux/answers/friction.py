"""Where the work did not go smoothly: `friction`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.writers.json import stamp

if TYPE_CHECKING:
    from pollux.library.friction.values import FrictionCase, FrictionReport


def friction_document(report: FrictionReport) -> dict[str, Any]:
    """`pollux friction --json`."""
    return {
        "sessions": report.sessions,
        "sessions_unknown": report.sessions_unknown,
        "calls": report.calls,
        "calls_without_result": report.calls_without_result,
        "counts": dict(report.counts),
        "cases": [_case(case) for case in report.cases],
        "more": report.more,
    }


def _case(case: FrictionCase) -> dict[str, Any]:
    return {
        "kind": case.kind,
        "key": case.key,
        "short_id": case.short_id,
        "agent": case.agent,
        "session_kind": case.session_kind,
        "title": case.title,
        "project": case.project,
        "message_id": case.message_id,
        "short_message_id": case.short_message_id,
        "at": stamp(case.at),
        "fate": case.fate,
        "what": case.what,
        "status": case.status,
        "exit_code": case.exit_code,
        "earlier_message_id": case.earlier_message_id,
        "edits_between": case.edits_between,
        "undoing": case.undoing,
    }
