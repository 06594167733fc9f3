r"""JSON whose texts are spelled in one way, so that they can be looked for in the bytes of a file.

`é` may stand as `\u00e9` and `/` as `\/`, as whoever wrote or rewrote the file liked it.
"""

from __future__ import annotations

import json
import re

from pollux.text.surrogates import replaced

# A backslash that is escaped itself begins nothing: it is met first, and stays.
_ESCAPE = re.compile(rb"\\(?:\\|/|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})")


def spelled(text: str) -> bytes:
    """A text as it stands between the quotes of a JSON string, with no more escapes than there must be.

    Half a character is �, as everywhere.
    """
    return replaced(json.dumps(text, ensure_ascii=False)[1:-1]).encode()


def respelled(raw: bytes) -> bytes:
    """JSON, also in part, with each text as `spelled` has it."""
    if b"\\u" not in raw and b"\\/" not in raw:
        return raw
    return _ESCAPE.sub(lambda found: _plain(found[0]), raw)


def _plain(escape: bytes) -> bytes:
    return escape if escape == b"\\\\" else spelled(json.loads(b'"' + escape + b'"'))
