"""What became of sessions on their way into a format: `export --json-report`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pollux.export.service import Exporter


def report_document(exporter: Exporter) -> dict[str, Any]:
    """`pollux export --json-report FILE`, over all sessions of the export."""
    return {**exporter.report.as_json(), "sessions": exporter.sessions}
