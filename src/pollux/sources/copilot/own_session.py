"""Copilot CLI does not tell programs that it starts which session it is writing, as far as is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def own_session(_environ: Mapping[str, str], _meta: Mapping[str, Any]) -> str | None:
    """Unknown."""
    return None
