"""What leaves this machine for a lake: `lake allow`, `lake preview`, `lake push`, `lake status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pollux.writers.json import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.lake.documents import Document
    from pollux.lake.prepare import Prepared
    from pollux.lake.push import Preview
    from pollux.lake.send import PushOutcome
    from pollux.lake.status import Allowed, PushStatus


def allowed_document(allowed: Iterable[Allowed]) -> list[dict[str, Any]]:
    """`pollux lake allow --json`: what is allowed, with the level that counts."""
    return [
        {
            "path": one.permission.path or None,
            "level": one.level,
            "name": one.permission.name,
            "sessions": one.sessions,
        }
        for one in allowed
    ]


def preview_document(preview: Preview) -> dict[str, Any]:
    """`pollux lake preview --json`."""
    return {
        "lake": preview.lake,
        "person": preview.person,
        "machine": preview.machine,
        "sessions": [_session(one) for one in preview.sessions],
        "bytes": sum(one.entry.bytes for one in preview.sessions),
        "held": preview.plan.held,
        "unread": sorted(preview.unread),
    }


def pushed_document(document: Document) -> dict[str, Any]:
    """`pollux lake preview --document`: what is stored of a session, to the letter."""
    return msgspec.structs.asdict(document)


def _session(prepared: Prepared) -> dict[str, Any]:
    return {
        "key": prepared.planned.key,
        "project": prepared.project,
        "level": prepared.planned.level,
        "bytes": prepared.entry.bytes,
        "secrets": prepared.secrets,
        "path": prepared.entry.path,
    }


def push_document(outcome: PushOutcome) -> dict[str, Any]:
    """`pollux lake push --json`."""
    return {
        "lake": outcome.lake,
        "person": outcome.person,
        "machine": outcome.machine,
        "sessions": outcome.sessions,
        "bytes": outcome.bytes,
        "secrets": outcome.secrets,
        "erased": outcome.erased,
        "held": outcome.plan.held,
        "unread": sorted(outcome.unread),
    }


def status_document(status: PushStatus) -> dict[str, Any]:
    """`pollux lake status --json`."""
    return {
        "lake": status.lake,
        "person": status.person,
        "machine": status.machine,
        "level": status.level,
        "most": status.most,
        "allowed": allowed_document(status.allowed),
        "changed": len(status.plan.sessions),
        "held": status.plan.held,
        "pushed": [
            {
                "lake": one.lake,
                "sessions": one.sessions,
                "bytes": one.bytes,
                "secrets": one.secrets,
                "unfinished": one.unfinished,
                "last": stamp(one.last),
            }
            for one in status.pushed
        ],
    }
