"""A setting in an agent's own settings file, which is JSON and may have comments."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from pollux.system.files import read

# A text or a comment. A comment sign inside a text belongs to the text. A text without an end reaches to the end.
_COMMENT = re.compile(rb'("(?:[^"\\]|\\.)*+"?|/\*(?!.*?\*/).*)|//[^\n]*|/\*.*?\*/', re.DOTALL)


def setting(file: Path, *names: str) -> Any:
    """The value under nested names; None if it is not set, or the file cannot be read."""
    try:
        value = msgspec.json.decode(_COMMENT.sub(lambda match: match[1] or b" ", read(file)))
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
