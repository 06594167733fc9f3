"""What is kept of the agents' files: `archive`, `history`, `recover`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.archive.archive import RunResult
    from pollux.archive.history import Change
    from pollux.archive.restore import Restored
    from pollux.archive.transfer import TransferResult
    from pollux.archive.verify import Verdict
    from pollux.library.archive import ArchiveStatus
    from pollux.library.doctor import Due
    from pollux.library.recover import Rebuilt
    from pollux.model import Summary


def run_document(kept: RunResult) -> dict[str, Any]:
    """`pollux archive run --json`."""
    return {
        "files": kept.files,
        "changed": kept.changed,
        "gone": kept.gone,
        "bytes": kept.bytes,
        "stored": kept.stored,
        "unread": kept.unread,
        "busy": kept.busy,
    }


def status_document(status: ArchiveStatus) -> dict[str, Any]:
    """`pollux archive status --json`."""
    return {
        "keeping": status.keeping,
        "busy": status.busy,
        "ran": status.ran,
        "folder": status.folder,
        "files": status.files,
        "states": status.states,
        "bytes": status.bytes,
        "stored": status.stored,
        "sessions": status.sessions,
        "kept": status.kept,
        "due": [due_document(due) for due in status.due],
    }


def due_document(due: Due) -> dict[str, Any]:
    """A setting by which an agent deletes sessions, and the keys of those that it will delete within a week."""
    retention = due.retention
    return {
        "retention": {
            "agent": retention.agent,
            "setting": retention.setting,
            "file": retention.file,
            "days": retention.days,
            "stated": retention.stated,
            "advice": retention.advice,
            "folder": retention.folder,
        },
        "sessions": due.sessions,
    }


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """`pollux archive verify --json`."""
    return {
        "objects": verdict.contents,
        "states": verdict.states,
        "bytes": verdict.bytes,
        "damaged": verdict.damaged,
        "stretches": verdict.stretches,
        "missing": verdict.missing,
        "lost": [{"agent": loss.agent, "file": loss.file, "at": loss.at} for loss in verdict.lost],
    }


def files_document(files: Iterable[Restored]) -> list[dict[str, Any]]:
    """`pollux archive restore --json`."""
    return [
        {
            "path": file.path,
            "bytes": file.bytes,
            "sha256": file.sha256,
            "there": file.there,
            "left": file.left,
            "refreshed": file.refreshed,
        }
        for file in files
    ]


def transfer_document(amount: TransferResult) -> dict[str, Any]:
    """`pollux archive export`, `import` and `prune`, with `--json`."""
    return {
        "objects": amount.contents,
        "states": amount.states,
        "bytes": amount.bytes,
        "damaged": amount.damaged,
        "marks": amount.marks,
    }


def history_document(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """`pollux history --json`."""
    return [
        {
            "at": change.at,
            "change": change.change,
            "file": change.file,
            "bytes": change.bytes,
            "sha256": change.sha256,
        }
        for change in changes
    ]


def recoverable_document(sessions: Iterable[tuple[Summary, str]]) -> list[dict[str, Any]]:
    """`pollux recover --json`: sessions, and what is left of each."""
    return [{"key": summary.key, "title": summary.title, "from": source} for summary, source in sessions]


def rebuilt_document(rebuilt: Rebuilt, files: Iterable[Restored]) -> dict[str, Any]:
    """`pollux recover KEY -o FOLDER --json`."""
    left_out = [{"file": left.file, "messages": left.messages, "why": left.why} for left in rebuilt.left]
    made = [{"file": file.path, "what": file.made} for file in rebuilt.files if file.made is not None]
    return {
        "key": rebuilt.key,
        "files": files_document(files),
        "messages": rebuilt.messages,
        "left_out": left_out,
        "made": made,
    }
