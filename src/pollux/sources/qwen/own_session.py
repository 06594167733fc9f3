"""How Qwen Code tells programs that it starts which session it is writing: no release is known to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def own_session(_environ: Mapping[str, str], _meta: Mapping[str, Any]) -> str | None:
    """None: it does not say."""
    return None
