"""Groups files into sessions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pollux.sources.base import Bundle, File, SourceContext
from pollux.sources.gemini_sessions import group
from pollux.sources.gemini_sessions.bundle import GeminiBundle
from pollux.sources.gemini_sessions.group import recognizes

__all__ = ["bundle_of_file", "bundles", "recognizes"]

_AGENT = "gemini"


def bundles(root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
    """The sessions under one root."""
    return group.bundles(_AGENT, root, files, context)


def bundle_of_file(path: Path, context: SourceContext) -> GeminiBundle:
    """The bundle of a file by its path, anywhere."""
    return group.bundle_of_file(_AGENT, path, context)
