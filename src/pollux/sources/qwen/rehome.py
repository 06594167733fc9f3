"""Qwen Code finds sessions by the folder named after the project's path, and by the path in their records.

0.15.10 and 0.24.4 do not find a session in the folder of a path that its records do not name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pollux.sources.rehome_plan import RehomePlan


def plan_rehome(root: Path, moved: Mapping[str, str]) -> RehomePlan:  # noqa: ARG001 (wherever it is)
    """No changes: every record holds the path, and pollux does not rewrite records."""
    return RehomePlan(
        left=("every record names the path it was written in; pollux handoff KEY --to qwen goes on with a copy",)
    )
