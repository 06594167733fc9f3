"""Going on with a session in another agent: `handoff`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.wire import display_path
from pollux.writers.json import stamp

if TYPE_CHECKING:
    from pollux.library.handoff.plan import HandoffPlan
    from pollux.library.handoff.undo import Undone
    from pollux.writers.native.account import Account, Counts, Item


def handoff_document(plan: HandoffPlan) -> dict[str, Any]:
    """`pollux handoff --json`."""
    return {
        "origin": plan.origin,
        "agent": plan.agent,
        "id": plan.id,
        "key": plan.key,
        "title": plan.title,
        "at": stamp(plan.at),
        "written": plan.written,
        "files": [
            {"path": file.path, "bytes": file.bytes, "sha256": file.sha256, "there": not file.missing}
            for file in plan.files
        ],
        "appended": {"path": display_path(plan.appended.path), "line": plan.appended.line.decode()}
        if plan.appended is not None
        else None,
        "before": plan.before,
        "command": plan.words,
        "folder": plan.folder,
        "environment": dict(plan.environ),
        "line": plan.line,
        "program": plan.program,
        "account": account_document(plan.account),
        "redacted": plan.redacted,
        "warnings": plan.warnings,
    }


def account_document(account: Account) -> dict[str, Any]:
    """What became of every message and part of a session."""
    return {
        "messages": _counts(account.messages),
        "parts": _counts(account.parts),
        "items": [_item(item) for item in account.items],
        "added": account.added,
    }


def undone_document(undone: Undone) -> dict[str, Any]:
    """`pollux handoff --undo --json`."""
    return {
        "origin": undone.origin,
        "agent": undone.agent,
        "id": undone.id,
        "key": undone.key,
        "files": [{"path": file.path, "state": file.state} for file in undone.files],
        "stays": undone.stays,
    }


def _counts(counts: Counts) -> dict[str, int]:
    return {"native": counts.native, "text": counts.text, "left_out": counts.left_out, "total": counts.total}


def _item(item: Item) -> dict[str, Any]:
    origin = item.origin
    return {
        "message_id": item.message,
        "part": item.part,
        "what": item.what,
        "carried": item.carried,
        "why": item.why,
        "file": origin.file if origin is not None else None,
        "line": origin.line if origin is not None else None,
        "item": origin.item if origin is not None else None,
    }
