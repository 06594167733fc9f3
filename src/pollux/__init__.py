"""Finds, reads and keeps the sessions of coding agents."""

from __future__ import annotations

from pollux.version import VERSION

TYPE_CHECKING = False  # `typing` has it too, and takes longer to import than all that `pollux --version` needs
if TYPE_CHECKING:
    from pollux.errors import PolluxError
    from pollux.library.library import Filter, Library
    from pollux.model import Message, Notice, Session, Summary, Usage

__version__ = VERSION
__all__ = ["Filter", "Library", "Message", "Notice", "PolluxError", "Session", "Summary", "Usage", "__version__"]

_HOMES = {
    "Filter": "pollux.library.library",
    "Library": "pollux.library.library",
    "Message": "pollux.model",
    "Notice": "pollux.model",
    "PolluxError": "pollux.errors",
    "Session": "pollux.model",
    "Summary": "pollux.model",
    "Usage": "pollux.model",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: `pollux --version` needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pollux' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
