"""Lone surrogates, as of a path that is not text, escaped: neither SQLite nor msgpack accepts them."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_SURROGATE = re.compile("[\ud800-\udfff]")


def escape_surrogates(value: T, kind: type[T]) -> T:
    r"""The same value, with the text `\xff` or `\ud800` for each lone surrogate in it."""
    return msgspec.convert(_escape(msgspec.to_builtins(value)), kind)


def _escape(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub(_code, value)
    if isinstance(value, (list, tuple)):
        return [_escape(item) for item in value]
    return {key: _escape(item) for key, item in value.items()} if isinstance(value, dict) else value


def _code(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
