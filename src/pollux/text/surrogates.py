"""Half characters, as of a path that is no text, written out: neither SQLite nor msgpack takes them as they are."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_HALF = re.compile("[\ud800-\udfff]")


def written_out(value: T, kind: type[T]) -> T:
    r"""The same value, each half character in it as the text `\xff` or `\ud800`."""
    return msgspec.convert(_whole(msgspec.to_builtins(value)), kind)


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else _HALF.sub(_visible, value)
    if isinstance(value, (list, tuple)):
        return [_whole(each) for each in value]
    return {key: _whole(each) for key, each in value.items()} if isinstance(value, dict) else value


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
