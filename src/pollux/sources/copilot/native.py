"""Nothing writes a conversation as a session of Copilot CLI."""

from __future__ import annotations

from typing import NoReturn

from pollux.sources.copilot.handoff_place import refuse


def __getattr__(name: str) -> NoReturn:
    """Whoever asks for the format is told that there is none."""
    if name == "FORMAT":
        refuse()
    raise AttributeError(name)
