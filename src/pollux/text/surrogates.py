"""Lone surrogates: half a character, or a byte of a path that is no text. UTF-8, SQLite and msgpack take none."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_LONE = re.compile("[\ud800-\udfff]")


def has_surrogates(text: str) -> bool:
    """Is there a lone surrogate in a text?"""
    return not text.isascii() and _LONE.search(text) is not None


def replaced(text: str) -> str:
    """The text with U+FFFD for each lone surrogate."""
    return text if text.isascii() else _LONE.sub("\N{REPLACEMENT CHARACTER}", text)


def spelled_out(text: str, backslash: str = "\\") -> str:
    r"""The text with `\xff` for each byte that is no text, and `\ud800` for each other lone surrogate."""
    return text if text.isascii() else _LONE.sub(lambda match: backslash + spelling(match[0]), text)


def spelling(surrogate: str) -> str:
    """What stands for a lone surrogate, after a backslash."""
    code = ord(surrogate)
    return f"x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"u{code:04x}"


def written_out(value: T, kind: type[T]) -> T:
    """The same value, each text in it spelled out."""
    return msgspec.convert(_whole(msgspec.to_builtins(value)), kind)


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return spelled_out(value)
    if isinstance(value, (list, tuple)):
        return [_whole(each) for each in value]
    return {key: _whole(each) for key, each in value.items()} if isinstance(value, dict) else value
