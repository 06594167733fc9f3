"""Qwen Code finds sessions by the folder named after the project's path, and by the path in their records."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pollux.sources.rehome_plan import RehomePlan


def plan_rehome(root: Path, moved: Mapping[str, str]) -> RehomePlan:  # noqa: ARG001 (wherever it is)
    """No changes: every record holds the path, and no release is known to go on with records of another one."""
    return RehomePlan(left=("every record keeps the path it was written in, and pollux does not rewrite records",))
