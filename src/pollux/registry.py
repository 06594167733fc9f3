"""Which agents and formats there are: ours in two tables, others' through entry points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pollux import plugins
from pollux.errors import UnknownName
from pollux.sources.base import Source
from pollux.writers.base import Knowledge, Writer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

SOURCES = {
    "gemini": "pollux.sources.gemini:SOURCE",
    "claude": "pollux.sources.claude:SOURCE",
    "codex": "pollux.sources.codex:SOURCE",
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
}


def source_names() -> list[str]:
    """Every agent's name."""
    return list(_catalogue(plugins.SOURCES))


def writer_names() -> list[str]:
    """Every format's name."""
    return list(_catalogue(plugins.WRITERS))


def source(name: str) -> Source:
    """The agent of this name."""
    loaded: Source = _load(plugins.SOURCES, "agent", name)
    return loaded


def writer(name: str) -> Writer:
    """The format of this name."""
    loaded: Writer = _load(plugins.WRITERS, "format", name)
    return loaded


def knowledge(agent: str) -> Knowledge | None:
    """What is known of an agent; None of one that nobody reads, or whose source does not tell."""
    known: Any = source(agent) if agent in _catalogue(plugins.SOURCES) else None
    return known if all(hasattr(known, name) for name in ("about", "answer", "compacts")) else None


@cache
def _catalogue(group: str) -> Mapping[str, str | EntryPoint]:
    ours = SOURCES if group == plugins.SOURCES else WRITERS
    return {**plugins.plugins(group), **ours}


@cache
def _load(group: str, kind: str, name: str) -> Any:
    found = _catalogue(group).get(name)
    if found is None:
        raise UnknownName(kind, name, _catalogue(group))
    if not isinstance(found, str):
        return found.load()
    module, _, attribute = found.partition(":")
    return getattr(import_module(module), attribute)
