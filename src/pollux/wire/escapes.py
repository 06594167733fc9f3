r"""One spelling of the texts in JSON, so that a text can be searched for in the bytes of a file.

A program may write `é` also as `\u00e9`, and `/` also as `\/`.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from pollux.text.surrogates import replace_surrogates

# An escaped backslash begins no other escape: the pattern matches it first, and it stays.
_ESCAPE = re.compile(rb"\\(?:\\|/|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})")


def json_spelling(text: str) -> bytes:
    """A text as it stands between the quotes of a JSON string, with no more escapes than necessary.

    A lone surrogate becomes �, as everywhere.
    """
    return replace_surrogates(json.dumps(text, ensure_ascii=False)[1:-1]).encode()


def normalize_spelling(raw: bytes) -> bytes:
    """JSON, or a part of it, with each text spelled as `json_spelling` does."""
    if b"\\u" not in raw and b"\\/" not in raw:
        return raw
    return _ESCAPE.sub(lambda match: _plain(match[0]), raw)


@lru_cache(maxsize=1 << 12)
def _plain(escape: bytes) -> bytes:
    return escape if escape == b"\\\\" else json_spelling(json.loads(b'"' + escape + b'"'))
