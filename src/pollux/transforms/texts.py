"""Visits every text of a session, whatever field holds it, and makes the session with the texts that the visit returns.

A transform that must not overlook a field does not name fields: it visits them all. Values that do not change are not
copied, so that a visit costs very little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from typing import Any, TypeVar

import msgspec

from pollux.model import Attachment, Value
from pollux.transforms.base64s import media_type, rewrite_base64, rewrite_data_urls
from pollux.wire.trampoline import Walk, run_walk

Visit = Callable[[str, str, str], str]
"""Gets a text, its field (`tool_call.output`) and its lead: the end of the JSON before it in a recorded object,
`"env": {"TOKEN": "`, or of the arguments before it, `"login", "--token", "`. Returns the new text."""

V = TypeVar("V", bound=Value)

# Fields with words of the model, which never name a person, place or thing.
_MODEL_WORDS = frozenset({"agent", "kind", "role", "author", "fate", "severity", "code", "tool_kind", "status"})
_LONGEST_NAME = 100
_LONGEST_LEAD = 200
_NESTED = (dict, list, tuple)


def rewrite_texts(value: V, visit: Visit) -> V:
    """The value with every text in it as `visit` returns it; the same value where no text changes."""
    changed: dict[str, Any] = {}
    for name, field in _fields(type(value)):
        old = getattr(value, name)
        if not old:
            continue
        new = _rewrite(old, field, "", "", visit)
        if new is not old:
            changed[name] = new
    if isinstance(value, Attachment) and value.data:
        data: str = changed.get("data", value.data)
        if (new := rewrite_base64(data, value.media_type, lambda text: visit(text, "attachment.data", ""))) is not data:
            changed["data"] = new
    return msgspec.structs.replace(value, **changed) if changed else value


@cache
def _fields(kind: type[Value]) -> list[tuple[str, str]]:
    """The fields of a kind of value that can hold texts, each with the name that people read."""
    tag = kind.__struct_config__.tag
    prefix = f"{tag}." if tag is not None else "" if kind.__name__ in ("Session", "Message") else f"{kind.__name__}."
    names = [name for name in kind.__struct_fields__ if name not in _MODEL_WORDS]
    return [(name, tag if name == tag and tag is not None else f"{prefix}{name}".lower()) for name in names]


def _rewrite(value: Any, field: str, name: str, lead: str, visit: Visit) -> Any:
    if isinstance(value, str):
        if isinstance(value, Enum):
            return value
        new = visit(value, field, lead)
        if ";base64," in new:
            new = rewrite_data_urls(new, lambda text: visit(text, field, ""))
        return value if new == value else new
    if isinstance(value, Value):
        return rewrite_texts(value, visit)
    return run_walk(_walk(value, field, name, lead, visit)) if isinstance(value, _NESTED) else value


def _walk(value: Any, field: str, name: str, lead: str, visit: Visit) -> Walk:
    """Walk through a value that holds other values."""
    if isinstance(value, dict):
        return (yield _mapping(value, field, name, visit))
    leads = _arguments(value) if _is_command(value) else [lead] * len(value)
    items = []
    for item, before in zip(value, leads, strict=True):
        nested = isinstance(item, _NESTED)
        through = _walk if nested else _rewrite
        new = through(item, field, name, before, visit)
        items.append((yield new) if nested else new)
    return value if _unchanged(items, value) else type(value)(items)


def _is_command(items: Sequence[Any]) -> bool:
    """Are these the arguments of a program, some of them options?"""
    return all(isinstance(item, str) for item in items) and any(item.startswith("-") for item in items)


def _arguments(items: Iterable[str]) -> Iterator[str]:
    """For each argument, the arguments before it."""
    before = ""
    for item in items:
        yield f'{before}"'
        before = f'{before}"{item[-_LONGEST_LEAD:]}", '[-_LONGEST_LEAD:]


def _mapping(old: dict[Any, Any], field: str, name: str, visit: Visit) -> Walk:
    new: dict[Any, Any] = {}
    times: dict[str, int] = {}
    before = f'"{name}": {{' if name else ""
    kind = media_type(old)
    for key, value in old.items():
        new_key = _rewrite(key, field, "", "", visit) if isinstance(key, str) else key
        unique = new_key
        while unique in new:  # two keys that differed only in their secrets
            times[new_key] = times.get(new_key, 1) + 1
            unique = f"{new_key} ({times[new_key]})"
        own_name = key[-_LONGEST_NAME:] if isinstance(key, str) else ""
        lead = f'{before}"{own_name}": "'
        nested = isinstance(value, _NESTED)
        through = _walk if nested else _rewrite
        new_value = through(value, field, own_name, lead, visit)
        if kind is not None and isinstance(new_value, str):
            new_value = rewrite_base64(new_value, kind, lambda text: visit(text, field, ""))
        new[unique] = (yield new_value) if nested else new_value
    return old if _unchanged(new, old) and _unchanged(new.values(), old.values()) else new


def _unchanged(new: Iterable[Any], old: Iterable[Any]) -> bool:
    """Are all values the very same? Texts need only be equal."""
    return all(
        value is original or (type(value) is str and value == original)
        for value, original in zip(new, old, strict=True)
    )
