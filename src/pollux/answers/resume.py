"""How to go on with a session: `resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pollux.library.resume.plan import ResumePlan


def resume_document(plan: ResumePlan) -> dict[str, Any]:
    """`pollux resume --json`."""
    return {
        "key": plan.session.key,
        "agent": plan.session.agent,
        "id": plan.session.id,
        "command": plan.words,
        "folder": plan.folder,
        "environment": dict(plan.environ),
        "line": plan.line,
        "fork": plan.fork,
        "program": plan.program,
        "files": plan.files,
        "open": {"pid": plan.opened.pid, "sentence": plan.opened.sentence} if plan.opened is not None else None,
        "warnings": plan.warnings,
    }
