"""Every text of a session, whatever it stands in, and the session with other texts in its place.

A transform that must not overlook a field does not name fields: it is shown all of them. What is not changed is not
copied, so that looking at a session costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from typing import Any, TypeVar

import msgspec

from pollux.model import Attachment, Value
from pollux.transforms.base64s import in_addresses, inside, media_type
from pollux.wire.steps import Walk, finish

Visit = Callable[[str, str, str], str]
"""Takes a text, the field it stands in (`tool_call.output`) and the end of what stands before it in a recorded object,
written as JSON: `"env": {"TOKEN": "`, or the arguments before it, `"login", "--token", "`. It gives another text."""

V = TypeVar("V", bound=Value)

# Words of the model's own, which name no person, place or thing.
_OURS = frozenset({"agent", "kind", "role", "author", "fate", "severity", "code", "tool_kind", "status"})
_LONGEST_NAME = 100
_LONGEST_LEAD = 200
_NESTED = (dict, list, tuple)


def rewritten(value: V, visit: Visit) -> V:
    """The value with every text in it as `visit` gives it; the same value where none is another."""
    changed: dict[str, Any] = {}
    for name, field in _fields(type(value)):
        old = getattr(value, name)
        if not old:
            continue
        new = _rewritten(old, field, "", "", visit)
        if new is not old:
            changed[name] = new
    if isinstance(value, Attachment) and value.data:
        data: str = changed.get("data", value.data)
        if (new := inside(data, value.media_type, lambda text: visit(text, "attachment.data", ""))) is not data:
            changed["data"] = new
    return msgspec.structs.replace(value, **changed) if changed else value


@cache
def _fields(kind: type[Value]) -> list[tuple[str, str]]:
    """The fields of a kind of value that can hold texts, each with the name people know it by."""
    tag = kind.__struct_config__.tag
    prefix = f"{tag}." if tag is not None else "" if kind.__name__ in ("Session", "Message") else f"{kind.__name__}."
    names = [name for name in kind.__struct_fields__ if name not in _OURS]
    return [(name, tag if name == tag and tag is not None else f"{prefix}{name}".lower()) for name in names]


def _rewritten(value: Any, field: str, name: str, lead: str, visit: Visit) -> Any:
    if isinstance(value, str):
        if isinstance(value, Enum):
            return value
        new = visit(value, field, lead)
        if ";base64," in new:
            new = in_addresses(new, lambda text: visit(text, field, ""))
        return value if new == value else new
    if isinstance(value, Value):
        return rewritten(value, visit)
    return finish(_walk(value, field, name, lead, visit)) if isinstance(value, _NESTED) else value


def _walk(value: Any, field: str, name: str, lead: str, visit: Visit) -> Walk:
    """Through a value that holds others."""
    if isinstance(value, dict):
        return (yield _mapping(value, field, name, visit))
    leads = _arguments(value) if _is_command(value) else [lead] * len(value)
    items = []
    for item, before in zip(value, leads, strict=True):
        nested = isinstance(item, _NESTED)
        through = _walk if nested else _rewritten
        new = through(item, field, name, before, visit)
        items.append((yield new) if nested else new)
    return value if _same(items, value) else type(value)(items)


def _is_command(items: Sequence[Any]) -> bool:
    """Are these the arguments of a program, some of them options?"""
    return all(isinstance(item, str) for item in items) and any(item.startswith("-") for item in items)


def _arguments(items: Iterable[str]) -> Iterator[str]:
    """What stands before each argument."""
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
        said = _rewritten(key, field, "", "", visit) if isinstance(key, str) else key
        place = said
        while place in new:  # two names that differed only in what was taken out of them
            times[said] = times.get(said, 1) + 1
            place = f"{said} ({times[said]})"
        own = key[-_LONGEST_NAME:] if isinstance(key, str) else ""
        lead = f'{before}"{own}": "'
        nested = isinstance(value, _NESTED)
        through = _walk if nested else _rewritten
        other = through(value, field, own, lead, visit)
        if kind is not None and isinstance(other, str):
            other = inside(other, kind, lambda text: visit(text, field, ""))
        new[place] = (yield other) if nested else other
    return old if _same(new, old) and _same(new.values(), old.values()) else new


def _same(new: Iterable[Any], old: Iterable[Any]) -> bool:
    """What was not changed is the very same; a text may be another that reads the same."""
    return all(one is other or (type(one) is str and one == other) for one, other in zip(new, old, strict=True))
