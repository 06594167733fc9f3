"""Projects that an agent calls by the hash of their path."""

from __future__ import annotations

import hashlib
import re

UNSURE = (None, "guess", "marker")
"""Evidence that says less than a hash does."""


_HASH = re.compile(r"[0-9a-f]{64}\Z")


def project_hash(path: str) -> str:
    """What some agents call a project by its path."""
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()


def unsettled_hash(path: str | None, evidence: str | None, digest: str | None) -> str | None:
    """The hash of a project, where its path is not known, or not the one that has this hash; else None."""
    if digest is None or evidence not in UNSURE or not _HASH.match(digest):
        return None
    return digest if path is None or project_hash(path) != digest else None
