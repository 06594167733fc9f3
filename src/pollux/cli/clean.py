"""Text from sessions made harmless for terminals. Everything that is printed from content goes through here.

A transcript may hold anything: sequences that recolour the screen, set the window's title, write to the clipboard
or hide what follows. None of it reaches the terminal; it is shown as visible characters instead.
"""

from __future__ import annotations

import re

# All controls but newline and tab; the direction overrides that make text read as what it is not; half characters.
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACE = re.compile(r"\s+")


def clean(text: str) -> str:
    """The text with every control character made visible, newlines and tabs apart."""
    if _HARMFUL.search(text) is None:
        return text
    return _HARMFUL.sub(_visible, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The cleaned text on one line, each run of white space one blank."""
    return clean(_SPACE.sub(" ", text).strip())


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # ␛ for ESC, ␀ for NUL
    if code == 0x7F:
        return "␡"
    if code < 0xA0:
        return f"\\x{code:02x}"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"  # a byte of a file name that is no text
    return f"\\u{code:04x}"
