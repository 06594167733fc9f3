"""The account of every file: `doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pollux.answers.archive import due_document

if TYPE_CHECKING:
    from pollux.library.doctor import Archiving, Doctor


def doctor_document(report: Doctor) -> dict[str, Any]:
    """`pollux doctor --json`."""
    return {
        "files": [
            {
                "path": file.path,
                "agent": file.agent,
                "status": file.status,
                "reason": file.reason,
                "bytes": file.bytes,
                "sessions": file.sessions,
            }
            for file in report.files
        ],
        "unknown": [
            {"agent": each.agent, "what": each.what, "count": each.count, "example": each.example}
            for each in report.unknown
        ],
        "notices": msgspec.to_builtins(report.notices),
        "totals": report.totals,
        "retention": [due_document(due) for due in report.retention],
        "archive": _archiving(report.archive) if report.archive is not None else None,
    }


def _archiving(state: Archiving) -> dict[str, Any]:
    return {
        "keeping": state.keeping,
        "ran": state.ran,
        "using": state.using,
        "every": state.every,
        "overdue": state.overdue,
    }
