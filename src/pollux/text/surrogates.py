"""Lone surrogates: half a character, or a byte of a path that is not text. UTF-8, SQLite and msgpack reject them."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_SURROGATE = re.compile("[\ud800-\udfff]")


def has_surrogates(text: str) -> bool:
    """Is there a lone surrogate in a text?"""
    return not text.isascii() and _SURROGATE.search(text) is not None


def replace_surrogates(text: str) -> str:
    """The text with U+FFFD for each lone surrogate."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def spell_surrogates(text: str, backslash: str = "\\") -> str:
    r"""The text with `\xff` for each byte that is not text, and `\ud800` for each other lone surrogate."""
    return text if text.isascii() else _SURROGATE.sub(lambda match: backslash + spelling(match[0]), text)


def spelling(surrogate: str) -> str:
    """The letters that stand for a lone surrogate, after a backslash."""
    code = ord(surrogate)
    return f"x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"u{code:04x}"


def escape_surrogates(value: T, kind: type[T]) -> T:
    """The same value, with the spelling of each lone surrogate in it."""
    return msgspec.convert(_escape(msgspec.to_builtins(value)), kind)


def _escape(value: Any) -> Any:
    if isinstance(value, str):
        return spell_surrogates(value)
    if isinstance(value, (list, tuple)):
        return [_escape(item) for item in value]
    return {key: _escape(item) for key, item in value.items()} if isinstance(value, dict) else value
