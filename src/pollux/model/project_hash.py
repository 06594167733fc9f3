"""Projects that an agent names by the hash of their path."""

from __future__ import annotations

import hashlib
import re

UNSURE = (None, "guess", "marker")
"""Evidence that is weaker than a hash."""


_HASH = re.compile(r"[0-9a-f]{64}\Z")


def project_hash(path: str) -> str:
    """The hash by which some agents name a project. What is half a character in its path counts as a question mark."""
    try:
        name = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no path of this system
        name = path.encode("utf-8", "replace")
    return hashlib.sha256(name).hexdigest()


def unsettled_hash(path: str | None, evidence: str | None, digest: str | None) -> str | None:
    """The hash of a project whose path is not known, or does not have this hash; otherwise None."""
    if digest is None or evidence not in UNSURE or not _HASH.match(digest):
        return None
    return digest if path is None or project_hash(path) != digest else None
