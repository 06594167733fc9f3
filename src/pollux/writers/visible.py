"""Control characters made visible: what a person will `cat` must not steer the terminal."""

from __future__ import annotations

import re

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SPACE = re.compile(r"\s+")
_PICTURES = 0x2400  # ␀, and in the same order all that follow


def visible(text: str) -> str:
    """The text with line feeds and tabs as its only controls: ESC becomes ␛, what has no picture becomes �."""
    if _UNSAFE.search(text) is None:
        return text
    return _UNSAFE.sub(_picture, text.replace("\r\n", "\n"))


def one_line(text: str, length: int | None = None) -> str:
    """The text on one line, with single spaces, cut with an ellipsis where it is longer than wanted."""
    if length is not None and len(text) > 4 * length:
        text = text[: 4 * length] + "…"
    line = _SPACE.sub(" ", visible(text)).strip()
    return line if length is None or len(line) <= length else line[: length - 1].rstrip() + "…"


def _picture(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"
