"""Codex CLI files sessions by their day, so nothing has to move with a project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pollux.sources.rehome_plan import RehomePlan


def plan_rehome(root: Path, moved: Mapping[str, str]) -> RehomePlan:  # noqa: ARG001 (wherever it is)
    """Nothing: a session is resumed by its id, and `--all` lists those of every folder.

    Without it the list shows those whose recorded path is the present one, in a line of each session and in a database.
    """
    return RehomePlan(
        left=("its files are named by day and id and keep the path they recorded; codex resume --all lists them",)
    )
