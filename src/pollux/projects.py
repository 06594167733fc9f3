"""Which projects a person means by what was typed."""

from __future__ import annotations

import os


def fits(asked: str, path: str | None) -> bool:
    """Does a project answer to what a person typed: its path, a folder above it, its name or part of it?"""
    if path is None:
        return False
    if asked == path or asked.rstrip("/\\") == path:
        return True
    if os.sep in asked or asked.startswith(("~", ".")):
        full = os.path.abspath(os.path.expanduser(asked))  # noqa: PTH100, PTH111
        return path == full or path.startswith(full.rstrip(os.sep) + os.sep)
    return asked.casefold() in os.path.basename(path.rstrip("/\\")).casefold()  # noqa: PTH119
