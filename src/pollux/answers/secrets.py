"""Secrets in sessions: `scan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pollux.export.secrets import Secrets


def secrets_document(secrets: Secrets) -> dict[str, Any]:
    """`pollux scan --json`."""
    findings = [
        {
            "key": finding.key,
            "message": finding.message,
            "field": finding.field,
            "rule": finding.rule,
            "count": finding.count,
            "head": finding.head,
        }
        for finding in secrets.findings
    ]
    return {"secrets": findings, "sessions": secrets.sessions, "unread": secrets.unread}
