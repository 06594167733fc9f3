"""OpenCode finds sessions by the project's first commit, or by the recorded directory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pollux.sources.rehome_plan import RehomePlan


def plan_rehome(root: Path, moved: Mapping[str, str]) -> RehomePlan:  # noqa: ARG001 (wherever it is)
    """No changes: a git project keeps its id wherever it lies, and pollux writes to no database."""
    return RehomePlan(
        left=("its sessions belong to the first commit of a repository, and keep the directory they recorded",)
    )
