"""A setting in an agent's own file of settings, which is JSON and may hold comments."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from pollux.system.files import read

# A text, or a comment: what looks like a comment inside a text is part of it. What nothing ends goes on to the end.
_COMMENT = re.compile(rb'("(?:[^"\\]|\\.)*+"?|/\*(?!.*?\*/).*)|//[^\n]*|/\*.*?\*/', re.DOTALL)


def setting(file: Path, *names: str) -> Any:
    """The value under some names, one inside the other; None where it is not set, or nobody can read the file."""
    try:
        value = msgspec.json.decode(_COMMENT.sub(lambda found: found[1] or b" ", read(file)))
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
