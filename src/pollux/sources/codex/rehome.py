"""Codex CLI stores sessions by their day, so nothing has to change if a project moves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pollux.sources.rehome_plan import RehomePlan


def plan_rehome(root: Path, moved: Mapping[str, str]) -> RehomePlan:  # noqa: ARG001 (wherever it is)
    """No changes: Codex CLI resumes a session by its id, and `codex resume --all` lists the sessions of every folder.

    Without `--all` it lists sessions by their recorded path, which is in a line of each session and in a database.
    """
    return RehomePlan(
        left=("its files are named by day and id and keep the path they recorded; codex resume --all lists them",)
    )
