"""Copilot CLI stores sessions by their ids, so nothing has to change if a project moves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pollux.sources.rehome_plan import RehomePlan


def plan_rehome(root: Path, moved: Mapping[str, str]) -> RehomePlan:  # noqa: ARG001 (wherever it is)
    """No changes: `copilot --resume` goes on with a session of any folder by its id."""
    return RehomePlan(
        left=("its folders are named by id and keep the path they recorded; copilot --resume ID finds them",)
    )
