"""Values that JSON and CBOR hold in the same way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec

from pollux.text.surrogates import spell_surrogates
from pollux.wire.trampoline import Walk, run_walk
from pollux.writers.json import encode, stamp

DEEPEST = 150
"""Levels: a value further down becomes JSON text, since readers of CBOR and JSON give up at different depths."""

_SINGLE = (str, bool, int, float, datetime, type(None))


def plain(value: Any) -> Any:
    r"""The value in lists, dictionaries with names, texts, numbers. Half a character becomes a text like `\xff`."""
    return run_walk(_walk(value, 0))


def _walk(value: Any, depth: int) -> Walk:
    if depth <= DEEPEST and isinstance(value, Mapping):
        named = {}
        for name, item in value.items():
            named[_single(str(name))] = yield _walk(item, depth + 1)
        return named
    if depth <= DEEPEST and isinstance(value, list | tuple):
        items = []
        for item in value:
            items.append((yield _walk(item, depth + 1)))  # noqa: PERF401 (a comprehension cannot yield)
        return items
    if isinstance(value, _SINGLE):
        return _single(value)
    return (yield _walk(msgspec.to_builtins(value), depth)) if depth <= DEEPEST else _single(encode(value))


def _single(value: Any) -> Any:
    """A value that holds no others."""
    if isinstance(value, str):
        text = str(value.value) if isinstance(value, Enum) else value
        return spell_surrogates(text)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return stamp(value)


def known(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that have a value."""
    return {name: value for name, value in members.items() if value is not None}


def joined(canonical: Mapping[str, Any], own: Mapping[str, Any], native: Mapping[str, Any]) -> dict[str, Any]:
    """A map of a record: canonical members, what the agent recorded beside them, and what only pollux knows.

    A recorded member whose name has a meaning in records stands in a map `native`.
    """
    members = dict(native)
    displaced = {name: members.pop(name) for name in list(members) if name in RESERVED}
    whole = {**members, **canonical}
    if displaced:
        whole["native"] = displaced
    if own:
        whole["pollux"] = own
    return whole


RESERVED = frozenset(
    (
        *("type", "content", "timestamp", "id", "model-id", "parent-id", "token-usage", "children", "name", "input"),
        *("call-id", "output", "status", "is-error", "encrypted", "subject", "event-type", "data", "native", "pollux"),
        *("format", "session-id", "session-start", "session-end", "agent-meta", "environment", "entries"),
    )
)
