"""What became of sessions on their way into a format, and which secrets they hold: `export --json-report`, `scan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pollux.export.secrets import Secrets
    from pollux.export.service import Exporter


def report_document(exporter: Exporter) -> dict[str, Any]:
    """`pollux export --json-report FILE`, over all sessions of the export."""
    return {**exporter.report.as_json(), "sessions": exporter.sessions}


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
