"""The server and the skill in the agents' settings: `mcp install`, `mcp doctor` and `skill install`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.wire import display_path

if TYPE_CHECKING:
    from pollux.library.connect.check import CheckedEntry, Checks
    from pollux.library.connect.plan import ConnectPlan, Fragment, Step


def plan_document(plan: ConnectPlan) -> dict[str, Any]:
    """`pollux mcp install --json` and `pollux skill install --json`."""
    return {
        "written": plan.written,
        "steps": [_step(step) for step in plan.steps],
        "absent_agents": list(plan.absent),
    }


def fragments_document(fragments: list[Fragment]) -> list[dict[str, Any]]:
    """`pollux mcp install --print --json`."""
    return [
        {
            "file": display_path(fragment.place),
            "text": fragment.text,
            "command": list(fragment.command) if fragment.command is not None else None,
        }
        for fragment in fragments
    ]


def skill_document(text: str) -> dict[str, Any]:
    """`pollux skill install --print --json`."""
    return {"text": text}


def checks_document(checks: Checks) -> dict[str, Any]:
    """`pollux mcp doctor --json`."""
    return {
        "good": checks.good,
        "entries": [_entry(entry) for entry in checks.entries],
        "duplicates": list(checks.duplicates),
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "agents": list(step.agents),
        "scope": step.scope,
        "change": step.change,
        "file": display_path(step.place),
        "names": list(step.names),
        "before": step.entry_before,
        "after": step.entry_after,
        "copy": display_path(step.copy) if step.copy is not None else None,
        "notes": list(step.notes),
    }


def _entry(entry: CheckedEntry) -> dict[str, Any]:
    return {
        "agent": entry.agent,
        "scope": entry.scope,
        "file": display_path(entry.file),
        "name": entry.name,
        "command": list(entry.command),
        "state": entry.state,
        "why": entry.why,
        "server": entry.server,
        "version": entry.version,
        "protocol": entry.protocol,
        "tools": list(entry.tools),
        "seconds": round(entry.seconds, 3) if entry.seconds is not None else None,
    }
