"""File names for exported sessions: the same every time, safe everywhere, never the same for two sessions."""

from __future__ import annotations

import hashlib
import re

_ODD = re.compile(r"[^a-z0-9._-]+")
LONGEST = 80


def file_name(agent: str, id: str, suffix: str) -> str:
    """`gemini-3274cde4-….md`.

    An id may hold anything, path separators too. Where it had to be changed, or differs from another only in what some
    file systems do not tell apart (capital letters), a piece of its hash keeps the name unique.
    """
    plain = _ODD.sub("-", id.lower())[:LONGEST].strip(".-")
    if plain != id:
        digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        plain = f"{plain}-{digest}" if plain else digest
    return f"{_ODD.sub('-', agent.lower())}-{plain}{suffix}"
