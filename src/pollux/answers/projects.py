"""Projects and their moves: `projects`, `rehome`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pollux.library.library import Project
    from pollux.library.rehome import Plan


def projects_document(projects: Iterable[Project]) -> list[dict[str, Any]]:
    """`pollux projects --json`."""
    return [project_document(project) for project in projects]


def project_document(project: Project) -> dict[str, Any]:
    """A directory people worked in."""
    return {
        "path": project.path,
        "name": project.name,
        "agents": dict(project.agents),
        "hashes": list(project.hashes),
        "evidence": project.evidence or "none",
    }


def moves_document(moves: Mapping[str, str]) -> list[dict[str, str]]:
    """`pollux rehome --json`: the new path of each project by its old one."""
    return [{"old": old, "new": new} for old, new in moves.items()]


def plan_document(plan: Plan) -> dict[str, Any]:
    """`pollux rehome --in-place --json`."""
    return {
        "old": plan.old,
        "new": plan.new,
        "done": plan.done,
        "steps": [
            {"agent": step.agent, "change": step.change, "path": step.path, "to": step.to, "what": step.what}
            for step in plan.steps
        ],
        "left": [{"agent": left.agent, "why": left.why} for left in plan.left],
    }
