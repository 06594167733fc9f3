"""Capabilities: a source implements each of them completely, or not at all."""

from __future__ import annotations

from pollux.sources.capabilities import CAPABILITIES
from pollux.writers.base import Knowledge


def undeclared(source: object) -> list[str]:
    """A sentence for each capability that a source implements only in part; an empty list means success."""
    sentences: list[str] = []
    for capability in (*CAPABILITIES, Knowledge):
        methods = [name for name in vars(capability) if not name.startswith("_")]
        missing = [name for name in methods if not callable(getattr(source, name, None))]
        if missing and len(missing) < len(methods):
            present = " and ".join(name for name in methods if name not in missing)
            sentences.append(f"{present} is part of {capability.__name__}, which also has {' and '.join(missing)}")
    return sentences
