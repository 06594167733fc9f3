"""Capabilities: what a source offers beyond reading, it offers whole, or nobody asks for it."""

from __future__ import annotations

from pollux.sources.capabilities import CAPABILITIES
from pollux.writers.base import Knowledge


def undeclared(source: object) -> list[str]:
    """A sentence for each method of a capability that a source has only in part; an empty list is good news."""
    sentences: list[str] = []
    for capability in (*CAPABILITIES, Knowledge):
        methods = [name for name in vars(capability) if not name.startswith("_")]
        missing = [name for name in methods if not callable(getattr(source, name, None))]
        if missing and len(missing) < len(methods):
            there = " and ".join(name for name in methods if name not in missing)
            sentences.append(f"{there} is part of {capability.__name__}, which also has {' and '.join(missing)}")
    return sentences
