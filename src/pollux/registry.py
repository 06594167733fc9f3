"""The agents and formats: ours in two tables, those of other packages through entry points."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pollux.errors import UnknownName
from pollux.sources.base import Source
from pollux.system.files import read
from pollux.writers.base import Knowledge, Writer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "knowledge",
    "source",
    "source_names",
    "writer",
    "writer_names",
]

SOURCES = {
    "gemini": "pollux.sources.gemini:SOURCE",
    "claude": "pollux.sources.claude:SOURCE",
    "codex": "pollux.sources.codex:SOURCE",
    "copilot": "pollux.sources.copilot:SOURCE",
    "opencode": "pollux.sources.opencode:SOURCE",
    "qwen": "pollux.sources.qwen:SOURCE",
}
WRITERS = {
    "markdown": "pollux.writers.markdown:WRITER",
    "text": "pollux.writers.text:WRITER",
    "json": "pollux.writers.json:WRITER",
    "html": "pollux.writers.html:WRITER",
    "csv": "pollux.writers.csv:WRITER",
    "events": "pollux.writers.events:WRITER",
    "vac": "pollux.writers.vac:WRITER",
    "atif": "pollux.writers.atif:WRITER",
    "otel": "pollux.writers.otel:WRITER",
    "openai": "pollux.writers.openai:WRITER",
    "sharegpt": "pollux.writers.sharegpt:WRITER",
    "hf": "pollux.writers.hf:WRITER",
    "parquet": "pollux.writers.parquet:WRITER",
    "agent-trace": "pollux.writers.attribution.trace:WRITER",
    "acp": "pollux.writers.acp:WRITER",
    "gemini": "pollux.sources.gemini.native:WRITER",
    "claude": "pollux.sources.claude.native:WRITER",
    "codex": "pollux.sources.codex.native:WRITER",
    "copilot": "pollux.sources.copilot.native:WRITER",
    "opencode": "pollux.sources.opencode.native:WRITER",
    "qwen": "pollux.sources.qwen.native:WRITER",
}

# The groups of entry points.
_SOURCES, _WRITERS = "pollux.sources", "pollux.writers"


def source_names() -> list[str]:
    """Every agent's name."""
    return list(_catalogue(_SOURCES))


def writer_names() -> list[str]:
    """Every format's name."""
    return list(_catalogue(_WRITERS))


def source(name: str) -> Source:
    """The agent of this name."""
    loaded: Source = _load(_SOURCES, "agent", name)
    return loaded


def writer(name: str) -> Writer:
    """The format of this name."""
    loaded: Writer = _load(_WRITERS, "format", name)
    return loaded


def knowledge(agent: str) -> Knowledge | None:
    """What is known about an agent; None where no source reads it, or its source does not say."""
    agent_source: object = source(agent) if agent in _catalogue(_SOURCES) else None
    return agent_source if isinstance(agent_source, Knowledge) else None


@cache
def _catalogue(group: str) -> Mapping[str, str | EntryPoint]:
    ours = SOURCES if group == _SOURCES else WRITERS
    return {**_plugins(group), **ours}


@cache
def _load(group: str, kind: str, name: str) -> Any:
    entry = _catalogue(group).get(name)
    if entry is None:
        raise UnknownName(kind, name, _catalogue(group))
    if not isinstance(entry, str):
        return entry.load()
    module, _, attribute = entry.partition(":")
    return getattr(import_module(module), attribute)


def added_sources() -> list[str]:
    """The agents that other packages add, each with its entry point."""
    return sorted(f"{name}={point.value}" for name, point in _plugins(_SOURCES).items())


@cache
def _plugins(group: str) -> dict[str, EntryPoint]:
    """The entry points that other packages add to a group, by name.

    `importlib.metadata` reads the metadata of every package, and its import alone takes longer than many a command. So
    it is used only where the entry points of some package name a group of pollux.
    """
    if not any(map(_has_plugins, sys.path)):
        return {}
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}


def _has_plugins(folder: str) -> bool:
    try:
        with os.scandir(folder or os.curdir) as entries:
            packages = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except NotADirectoryError:  # an archive, which only `importlib.metadata` can read
        return True
    except OSError:
        return False
    return any(_names_our_group(os.path.join(package, "entry_points.txt")) for package in packages)  # noqa: PTH118


def _names_our_group(file: str) -> bool:
    try:
        content = read(file)
    except OSError:
        return False
    return f"[{_SOURCES}]".encode() in content or f"[{_WRITERS}]".encode() in content
