"""The files that agents changed: `edits`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.writers.json import stamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.library.edits.values import EditList, FileEdit
    from pollux.writers.changed_files import Difference


def edits_document(found: EditList, differences: Sequence[Difference | None] | None = None) -> dict[str, Any]:
    """`pollux edits --json`; with `differences`, each edit has what changed."""
    edits = [edit_document(edit) for edit in found.edits]
    for document, difference in zip(edits, differences or (), strict=False):
        document["diff"] = difference_document(difference)
    return {"edits": edits, "more": found.more}


def edit_document(edit: FileEdit) -> dict[str, Any]:
    """One edit."""
    return {
        "path": edit.path,
        "project": edit.project,
        "project_path": edit.project_path,
        "change": edit.change,
        "status": edit.status,
        "fate": edit.fate,
        "at": stamp(edit.at),
        "tool": edit.tool,
        "key": edit.key,
        "short_id": edit.short_id,
        "agent": edit.agent,
        "kind": edit.kind,
        "title": edit.title,
        "message_id": edit.message_id,
        "short_message_id": edit.short_message_id,
        "prompt": (
            {"message_id": edit.prompt.message_id, "text": edit.prompt.text} if edit.prompt is not None else None
        ),
    }


def difference_document(difference: Difference | None) -> dict[str, Any] | None:
    """What changed; None where nothing tells it."""
    if difference is None:
        return None
    return {
        "lines": difference.lines,
        "added": difference.added,
        "removed": difference.removed,
        "whole": difference.whole,
    }
