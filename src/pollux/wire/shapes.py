"""Other people's JSON, read by type where it has the known shape, and tolerantly where it has not.

`Shape`s describe a known format. Decoding into them is as fast as a bare parse, and *refuses* unknown keys and
unexpected types instead of dropping them. Refused JSON is decoded again as plain values and fitted to the same shapes
field by field: a field takes what fits, and `extra` keeps the rest, with a notice. So the rest of a reader sees one
kind of value, and nothing is lost.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec

from pollux.model import NOTHING, Severity
from pollux.system.clock import FIRST_YEAR, LAST_YEAR, is_usable, recorded
from pollux.system.decoders import json_decoder
from pollux.text.surrogates import has_surrogates, replace_surrogates
from pollux.wire.notes import Notes

Utc = Annotated[datetime, msgspec.Meta(tz=True)]
"""An aware time, as agents write it."""


MOST_COUNT = 10**9
"""The largest figure that is accepted: no request has as many tokens, and sums of it fit into any program's numbers."""

Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_COUNT)]
"""A figure that can be added up: neither a negative number nor one of 400 digits."""


class Shape(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, gc=False, omit_defaults=True):
    """A JSON object with known keys; `extra` has all other keys."""

    # No agent writes an asterism as a key: the field is ours, never read from a file.
    extra: dict[str, Any] = msgspec.field(name="⁂", default=NOTHING)


class Dated(Shape):
    """A JSON object with a time. An unusable time is refused, so that it is kept as it was written."""

    if TYPE_CHECKING:
        timestamp: Utc | None = None

    def __post_init__(self) -> None:
        """Check the time without a function call: every record passes here."""
        at = self.timestamp
        if at is not None and not FIRST_YEAR <= at.year <= LAST_YEAR:
            raise ValueError("timestamp is at the end of the calendar")


def check_times(*times: datetime | None) -> None:
    """Raise `ValueError` where a time cannot be used."""
    for at in times:
        if at is not None and not FIRST_YEAR <= at.year <= LAST_YEAR:
            raise ValueError("a time is at the end of the calendar")


S = TypeVar("S", bound=Shape)


REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)
"""What a decoder raises for bytes that are not JSON, or are JSON of another shape."""


class Malformed(ValueError):
    """These bytes are not JSON, not even tolerantly read."""


def decode(kind: type[S], raw: bytes, notes: Notes, name: str = "") -> S | None:
    """Read one JSON object as `kind`; None where the JSON is no object. `name` is as for `fit`. Raises `Malformed`."""
    decode_exact: Callable[[bytes], S] = decoder(kind)
    try:
        return decode_exact(raw)
    except REFUSED:
        return fit(kind, plain(raw, notes), notes, name)


def plain(raw: bytes, notes: Notes) -> Any:
    """Read JSON as plain values, and tolerate a byte order mark, bad UTF-8, lone surrogates and NaN."""
    try:
        return msgspec.json.decode(raw)
    except REFUSED:
        pass
    try:
        text = raw.decode("utf-8-sig", "surrogateescape")
        value = json.loads(text, strict=False, parse_constant=str, parse_float=_number, parse_int=_whole)
        return _scrubbed(value, notes)
    except RecursionError:
        raise Malformed("nested too deeply") from None
    except ValueError as error:
        raise Malformed(str(error)) from None


def fit(kind: type[S], value: Any, notes: Notes, name: str = "") -> S | None:
    """Take from a plain object what fits; note and keep in `extra` what does not.

    `name` is the format's own word for the object. Notices use it, and the keys of the objects inside it.
    """
    if type(value) is not dict:
        return None
    name = name or kind.__name__
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    shape = _fields(kind)
    for key, item in value.items():
        field = shape.get(key)
        if field is None:
            extra[key] = item
            text = f"{name} has an unknown field {key!r}; kept."
            notes.add("field.unknown", text, Severity.INFO, subject=f"{name}.{key}")
            continue
        fitted, odd = field.fit(item, notes, name)
        if fitted is not None:
            fields[field.name] = fitted
        if odd is not None:
            extra[key] = odd
            text = f"{name}.{key} has an unexpected type; kept as it is."
            notes.add("field.type", text, subject=f"{name}.{key}: {type(odd).__name__}")
    return kind(**fields, extra=extra)


def _inner_name(name: str, key: str) -> str:
    """The name of an object inside another one: the keys on the way to it, each once, however deep it is nested."""
    keys = name.split(".")
    return ".".join([*keys[: keys.index(key)], key] if key in keys[1:] else [*keys, key])


class _Field:
    """One field of a shape: how to make a value fit it, and what is left over."""

    def __init__(self, name: str, key: str, kind: Any) -> None:
        self.name = name
        self.key = key
        self.kind = kind
        members = _members(kind)
        self.shape: type[Shape] | None = next(
            (m for m in members if isinstance(m, type) and issubclass(m, Shape)), None
        )
        list_kind = next((m for m in members if typing.get_origin(m) is list), None)
        self.items: _Field | None = _Field(name, key, typing.get_args(list_kind)[0]) if list_kind is not None else None
        self.timed = datetime in members

    def fit(self, value: Any, notes: Notes, owner: str) -> tuple[Any, Any]:
        """The part of `value` that fits, and the part that does not (None where there is none).

        `owner` is the name of the object that has the field.
        """
        try:
            fitted = msgspec.convert(value, self.kind, strict=True)
        except (msgspec.ValidationError, RecursionError, ValueError):
            pass
        else:
            return (None, value) if isinstance(fitted, datetime) and not is_usable(fitted) else (fitted, None)
        if self.shape is not None and type(value) is dict:
            return fit(self.shape, value, notes, _inner_name(owner, self.key)), None
        if self.items is not None and type(value) is list:
            pairs = [self.items.fit(item, notes, owner) for item in value]
            odd = [item for _, item in pairs if item is not None]
            return [item for item, _ in pairs if item is not None], odd or None
        if self.shape is not None and "odd" in self.shape.__struct_fields__:
            return self.shape(odd=value), None  # type: ignore[call-arg]
        if self.timed and type(value) is str:
            at = recorded(value)
            if at is not None:
                notes.add("time.zone", f"{self.name} has no time zone; read as UTC.", subject=self.name)
                return at, None
        return None, value


def _members(kind: Any) -> list[Any]:
    origin = typing.get_origin(kind)
    if origin is Annotated:
        return _members(typing.get_args(kind)[0])
    if origin in (typing.Union, types.UnionType):
        return [member for arg in typing.get_args(kind) for member in _members(arg)]
    return [kind]


@cache
def _fields(kind: type[Shape]) -> dict[str, _Field]:
    return {
        f.encode_name: _Field(f.name, f.encode_name, f.type)
        for f in msgspec.structs.fields(kind)
        if f.name not in ("extra", "odd")
    }


def decoder(kind: type[S]) -> Callable[[bytes], S]:
    """A decoder without tolerance: raises one of `REFUSED` where the bytes are not exactly of this shape."""
    return json_decoder(kind).decode


def _number(text: str) -> float | str:
    number = float(text)
    return number if number not in (float("inf"), float("-inf")) else text


def _whole(text: str) -> int | str:
    return int(text) if len(text) < 4000 else text


def _scrubbed(value: Any, notes: Notes) -> Any:
    """The value with U+FFFD for each lone surrogate."""
    if type(value) is str:
        if not has_surrogates(value):
            return value
        notes.add("text.encoding", "Bytes that are not text were replaced by \N{REPLACEMENT CHARACTER}.")
        return replace_surrogates(value)
    if type(value) is list:
        return [_scrubbed(item, notes) for item in value]
    if type(value) is dict:
        return {_scrubbed(key, notes): _scrubbed(item, notes) for key, item in value.items()}
    return value
