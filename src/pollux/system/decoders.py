"""Decoders for types, each made by one thread at a time.

msgspec learns a type when a first decoder for it is made. A thread that meets it while another one still learns it
crashes the process, so no other module makes a typed decoder by itself.
"""

from __future__ import annotations

from threading import RLock
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_learning = RLock()
_of_json: dict[object, Any] = {}
_of_msgpack: dict[object, Any] = {}


def json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """The decoder from JSON. Several threads may use it."""
    with _learning:
        decoder: msgspec.json.Decoder[T] = _of_json.get(kind) or _of_json.setdefault(kind, msgspec.json.Decoder(kind))
    return decoder


def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]:
    """The decoder from msgpack. Several threads may use it."""
    with _learning:
        decoder: msgspec.msgpack.Decoder[T] = _of_msgpack.get(kind) or _of_msgpack.setdefault(
            kind, msgspec.msgpack.Decoder(kind)
        )
    return decoder


def learned(kind: type[T]) -> type[T]:
    """The same type, which msgspec knows from now on: for `msgspec.convert`."""
    json_decoder(kind)
    return kind
