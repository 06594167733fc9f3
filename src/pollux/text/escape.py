r"""Control characters made visible. All text from others that is shown to people goes through here.

A transcript may hold anything: sequences that recolour the screen, set the window's title or write to the clipboard,
marks that reverse the order of the text after them, invisible letters. None of it gets through: ESC becomes ␛, and a
character without such a picture becomes its code, as `\x9b` or `\u202e`.

Some marks stay: those that scripts from right to left need, the joiners of emoji and of Persian, and selectors of a
letter's form.
"""

from __future__ import annotations

import re

from pollux.text.surrogates import spelling

HARMFUL = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # all controls except tab and newline
    "\u2028\u2029"  # ends of lines for some, and nothing for others
    "\u202a-\u202e\u2066-\u2069"  # these reverse the order of the text after them
    "\u206a-\u206f\ufff9-\ufffb"  # outdated, and shown nowhere
    "\u00ad\u200b\u2060-\u2064\ufeff\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # invisible letters
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ud800-\udfff"  # half a character, or a byte of a path that is not text
)
"""The characters, as a regular expression has them between brackets."""

# The flags of England, Scotland and Wales are made of invisible letters.
_FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{3,6}\U000e007f"
# One selector chooses the form of an emoji, of a sign, or of a Chinese character. More selectors mean nothing.
SELECTORS = "\ufe00-\ufe0f"
_FORM = "[\u2e80-\u2fff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff][\U000e0100-\U000e01ef]"
_MORE = f"(?<=[{SELECTORS}\U000e0100-\U000e01ef])[{SELECTORS}]"
_UNSAFE = re.compile(f"{_FLAG}|{_FORM}|{_MORE}|[{HARMFUL}]")
# Nothing of that is found in a text without any of these, and they are found much sooner: sooner still in plain ASCII.
_SUSPECT = re.compile(f"[{HARMFUL}{SELECTORS}]")
_SUSPECT_ASCII = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PICTURES = 0x2400  # ␀, and in the same order all that follow
_WIDE = 0x10000


def visible(text: str) -> str:
    """The text with line feeds and tabs as its only controls."""
    if (_SUSPECT_ASCII if text.isascii() else _SUSPECT).search(text) is None:
        return text
    return _UNSAFE.sub(_visible_form, text.replace("\r\n", "\n"))


def one_line(text: str, length: int | None = None) -> str:
    """The text on one line, with single spaces, cut with an ellipsis where it is longer than `length`."""
    if length is not None and len(text) > 4 * length:
        text = text[: 4 * length] + "…"
    line = visible(" ".join(text.split()))
    return line if length is None or len(line) <= length else line[: length - 1].rstrip() + "…"


def escaped(document: str) -> str:
    r"""The same JSON document, with an escape such as `\u202e` for each character that is unsafe in a terminal."""
    return _UNSAFE.sub(_json_escape, document)


def _visible_form(match: re.Match[str]) -> str:
    if len(match[0]) > 1:
        return match[0]
    code = ord(match[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == 0x7F:
        return "\N{SYMBOL FOR DELETE}"
    if code < 0xA0:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return f"\\{spelling(match[0])}"
    return f"\\u{code:04x}" if code < _WIDE else f"\\U{code:08x}"


def _json_escape(match: re.Match[str]) -> str:
    if len(match[0]) > 1 or match[0] == "\r":
        return match[0]
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
