"""How Claude Code tells programs that it starts, such as a server for tools, which session it is writing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""Set by 2.1.325 for a server, and not yet by 2.1.112."""


def own_session(environ: Mapping[str, str], _meta: Mapping[str, Any]) -> str | None:
    """The id of the session."""
    return environ.get(_VARIABLE) or None
