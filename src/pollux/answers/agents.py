"""Agents and formats: `agents`, `writers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.library.agents import Location
    from pollux.writers.base import Writer


def agents_document(locations: Iterable[Location]) -> list[dict[str, Any]]:
    """`pollux agents --json`."""
    return [
        {
            "agent": location.agent,
            "title": location.title,
            "path": location.path,
            "reason": location.reason,
            "found": location.exists,
            "refused": location.refused,
            "sessions": location.sessions,
        }
        for location in locations
    ]


def writers_document(writers: Iterable[Writer]) -> list[dict[str, str]]:
    """`pollux writers --json`."""
    return [{"name": writer.name, "suffix": writer.suffix, "purpose": writer.purpose} for writer in writers]
