"""What leaves this machine for a lake: `lake preview` and `lake status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pollux.answers.lake import done_document
from pollux.writers.json import stamp

if TYPE_CHECKING:
    from pollux.lake.documents import Document
    from pollux.lake.prepare import Prepared
    from pollux.lake.push import Preview
    from pollux.lake.status import PushStatus


def preview_document(preview: Preview) -> dict[str, Any]:
    """`pollux lake preview --json`."""
    return {
        "lake": preview.lake,
        "person": preview.person,
        "machine": preview.machine,
        "sessions": [_session(one) for one in preview.sessions],
        "bytes": sum(one.entry.bytes for one in preview.sessions),
        "held": preview.held,
        "unread": preview.unread,
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


def status_document(status: PushStatus) -> dict[str, Any]:
    """`pollux lake status --json`."""
    document = done_document(status)
    return {**document, "pushed": [{**done_document(one), "last": stamp(one.last)} for one in status.pushed]}
