"""Text from sessions made harmless for terminals. Everything that is printed from content goes through here."""

from __future__ import annotations

from pollux.writers.visible import one_line, visible as clean

__all__ = ["clean", "one_line"]
