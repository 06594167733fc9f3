"""How Codex CLI tells a server for tools which thread calls a tool: each call names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def own_session(_environ: Mapping[str, str], meta: Mapping[str, Any]) -> str | None:
    """The id of the thread, which 0.166 puts into the `_meta` of each call."""
    id = meta.get("threadId")
    return id if isinstance(id, str) and id else None
