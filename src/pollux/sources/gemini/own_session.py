"""Gemini CLI does not tell programs that it starts which session it is writing: 0.61.0 only says that it is running."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def own_session(_environ: Mapping[str, str], _meta: Mapping[str, Any]) -> str | None:
    """The id of the session, which is not known."""
    return None
