"""Texts are found in JSON however its writer spelled them."""

from __future__ import annotations

import json
import re

import pytest

from pollux.wire import json_spelling, normalize_spelling

TEXTS = [
    "plain",
    "naïve café, 東京 and 🌦️",
    'a "quoted" path: C:\\users\\u00e9\\new, and /home/ada',
    "two\nlines\twith \x01 control \x7f characters\u2028",
    "half \ud83d a character",
    "\\\\u0041 \\/ \\",
]


def every_escape(text: str) -> str:
    """A JSON string in which every UTF-16 unit is escaped."""
    units = text.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(f"\\u{units[n]:02X}{units[n + 1]:02x}" for n in range(0, len(units), 2)) + '"'


@pytest.mark.parametrize("text", TEXTS)
def test_every_spelling_of_a_text_is_one(text: str) -> None:
    whole = json.dumps(text)
    ways = [whole, every_escape(text), re.sub(r"(?<!\\)/", r"\\/", whole)]
    if "\ud83d" not in text:
        ways.append(json.dumps(text, ensure_ascii=False))
    for way in ways:
        assert json.loads(way) == text
        assert normalize_spelling(way.encode()) == b'"' + json_spelling(text) + b'"'


def test_what_is_no_escape_stays() -> None:
    for raw in (b'{"a":"\\\\u00e9"}', b"\\", b"\\u00", b'"\\x \\uzzzz \xff'):
        assert normalize_spelling(raw) == raw
    assert normalize_spelling(b'{"cut":"caf\\u00e9 \\u00') == '{"cut":"café \\u00'.encode()
