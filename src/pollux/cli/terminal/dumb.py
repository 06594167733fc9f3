"""Terminals that take nothing but lines."""

from __future__ import annotations

import os


def dumb() -> str | None:
    """Why nothing but lines may be written to the terminal; None where more may be.

    On Windows, no terminal says of which kind it is.
    """
    kind = os.environ.get("TERM")
    if kind is None:
        return None if os.name == "nt" else "TERM is not set"
    return "TERM=dumb" if kind == "dumb" else None
