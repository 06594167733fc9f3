"""Codex CLI deletes no session by itself."""

from __future__ import annotations

from pathlib import Path

from pollux.sources.base import Retention


def retention(_root: Path) -> Retention | None:
    """Never."""
    return None
