"""Is it a verifiable agent record? Every rule of the schema 3.0.0-draft, and a sentence for each that is broken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pollux.model import Value

TIME = re.compile(
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:(60|[0-5][0-9])"
    r"([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
)

Problems = Iterator["Problem | Problems"]
"""Broken rules, and further walks inside: no function calls itself, however deep a record is."""
Rule = Callable[[Any, str], Problems]


class Problem(Value, frozen=True, kw_only=True):
    """A broken rule: where, and what is wrong there."""

    place: str
    text: str


class Shape(Value, frozen=True, kw_only=True):
    """A map: what it must have, what it may have, and whether it may have anything else."""

    required: Mapping[str, Rule]
    optional: Mapping[str, Rule]
    open: bool = True


def check(record: Any) -> list[Problem]:
    """Every broken rule of a record, from its beginning to its end."""
    problems: list[Problem] = []
    inside = [_map_rule("record")(record, "")]
    while inside:
        match next(inside[-1], None):
            case None:
                inside.pop()
            case Problem() as problem:
                problems.append(problem)
            case further:
                inside.append(further)
    return problems


def entries_in(record: Any) -> int:
    """How many entries a record holds, those within others too."""
    entries, waiting = 0, [record]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [value[name] for name in ("session", "entries", "children") if name in value]
        elif isinstance(value, list):
            entries += len(value)
            waiting += value
    return entries


def kind_of(value: Any) -> str:
    """What a value is, in the words of JSON."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case bytes():
            return "a byte string"
        case Mapping():
            return "an object"
        case _:
            return "a list" if isinstance(value, list | tuple) else "something else"


def _is(test: Callable[[Any], bool], wanted: str) -> Rule:
    def rule(value: Any, place: str) -> Problems:
        if not test(value):
            yield Problem(place=place, text=f"must be {wanted}, and is {kind_of(value)}")

    return rule


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _time(value: Any, place: str) -> Problems:
    if isinstance(value, str):
        if TIME.fullmatch(value) is None:
            yield Problem(place=place, text=f"must be a time like 2026-11-15T05:57:01.123Z, and is {value[:40]!r}")
    elif not _count(value):
        yield Problem(place=place, text=f"must be a time or a count of milliseconds, and is {kind_of(value)}")


def _anything(_value: Any, _place: str) -> Problems:
    return iter(())


def _list_of(rule: Rule) -> Rule:
    def inner(value: Any, place: str) -> Problems:
        if not isinstance(value, list | tuple):
            yield Problem(place=place, text=f"must be a list, and is {kind_of(value)}")
            return
        for number, item in enumerate(value):
            yield rule(item, f"{place}[{number}]")

    return inner


def _one_of(*words: str) -> Rule:
    def rule(value: Any, place: str) -> Problems:
        if value not in words:
            yield Problem(place=place, text=f"must be one of {', '.join(words)}")

    return rule


def _map_rule(name: str) -> Rule:
    """The rule of a map; looked up when it is needed, since maps hold one another."""

    def rule(value: Any, place: str) -> Problems:
        if not isinstance(value, Mapping):
            yield Problem(place=place or "the record", text=f"must be an object, and is {kind_of(value)}")
            return
        shape = SHAPES[name]
        for member in shape.required:
            if member not in value:
                yield Problem(place=_within(place, member), text="is missing")
        rules = {**shape.required, **shape.optional}
        for member, item in value.items():
            if not isinstance(member, str):
                yield Problem(place=place or "the record", text="has a member whose name is no text")
            elif member in rules:
                yield rules[member](item, _within(place, member))
            elif not shape.open:
                yield Problem(place=_within(place, member), text="is not allowed here")

    return rule


def _entry(value: Any, place: str) -> Problems:
    kind = value.get("type") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping):
        yield Problem(place=place, text=f"must be an object, and is {kind_of(value)}")
    elif not isinstance(kind, str) or kind not in ENTRIES:
        yield Problem(place=_within(place, "type"), text=f"must be one of {', '.join(ENTRIES)}")
    else:
        yield _map_rule(ENTRIES[kind])(value, place)


def _within(place: str, member: str) -> str:
    return f"{place}.{member}" if place else member


TEXT = _is(lambda value: isinstance(value, str), "a text")
COUNT = _is(_count, "a whole number, 0 or more")
FLAG = _is(lambda value: isinstance(value, bool), "true or false")
NUMBER = _is(lambda value: isinstance(value, int | float) and not isinstance(value, bool), "a number")
NAME = _is(lambda value: isinstance(value, str | bytes), "a text")
OBJECT = _is(lambda value: isinstance(value, Mapping) and all(isinstance(name, str) for name in value), "an object")
ENTRY_LIST = _list_of(_entry)

ENTRIES = {
    "user": "message",
    "assistant": "message",
    "tool-call": "tool-call",
    "tool-result": "tool-result",
    "reasoning": "reasoning",
    "system-event": "event",
}
_ANY_ENTRY = {"timestamp": _time, "id": TEXT, "children": ENTRY_LIST}

SHAPES = {
    "record": Shape(
        required={"version": TEXT, "id": TEXT, "session": _map_rule("trace")},
        optional={
            "created": _time,
            "file-attribution": _map_rule("attribution"),
            "vcs": _map_rule("vcs"),
            "recording-agent": _map_rule("recorder"),
        },
    ),
    "trace": Shape(
        required={"session-id": NAME, "agent-meta": _map_rule("agent"), "entries": ENTRY_LIST},
        optional={
            "format": TEXT,
            "session-start": _time,
            "session-end": _time,
            "environment": _map_rule("environment"),
        },
    ),
    "agent": Shape(
        required={"model-id": TEXT, "model-provider": TEXT},
        optional={"models": _list_of(TEXT), "cli-name": TEXT, "cli-version": TEXT},
    ),
    "recorder": Shape(required={"name": TEXT}, optional={"version": TEXT}),
    "environment": Shape(
        required={"working-dir": TEXT}, optional={"vcs": _map_rule("vcs"), "sandboxes": _list_of(TEXT)}
    ),
    "vcs": Shape(required={"type": TEXT}, optional={"revision": TEXT, "branch": TEXT, "repository": TEXT}),
    "message": Shape(
        required={"type": TEXT},
        optional={
            **_ANY_ENTRY,
            "content": _anything,
            "model-id": TEXT,
            "parent-id": TEXT,
            "token-usage": _map_rule("usage"),
        },
    ),
    "tool-call": Shape(
        required={"type": TEXT, "name": TEXT, "input": _anything}, optional={**_ANY_ENTRY, "call-id": TEXT}
    ),
    "tool-result": Shape(
        required={"type": TEXT, "output": _anything},
        optional={**_ANY_ENTRY, "call-id": TEXT, "status": TEXT, "is-error": FLAG},
    ),
    "reasoning": Shape(
        required={"type": TEXT, "content": _anything}, optional={**_ANY_ENTRY, "encrypted": TEXT, "subject": TEXT}
    ),
    "event": Shape(required={"type": TEXT, "event-type": TEXT}, optional={**_ANY_ENTRY, "data": OBJECT}),
    "usage": Shape(
        required={},
        optional={**dict.fromkeys(("input", "output", "cached", "reasoning", "total"), COUNT), "cost": NUMBER},
    ),
    "attribution": Shape(required={"files": _list_of(_map_rule("file"))}, optional={}, open=False),
    "file": Shape(
        required={"path": TEXT, "conversations": _list_of(_map_rule("conversation"))}, optional={}, open=False
    ),
    "conversation": Shape(
        required={"ranges": _list_of(_map_rule("range"))},
        optional={"url": TEXT, "contributor": _map_rule("contributor"), "related": _list_of(_map_rule("resource"))},
        open=False,
    ),
    "range": Shape(
        required={"start-line": COUNT, "end-line": COUNT},
        optional={"content-hash": TEXT, "content-hash-alg": TEXT, "contributor": _map_rule("contributor")},
        open=False,
    ),
    "contributor": Shape(
        required={"type": _one_of("human", "ai", "mixed", "unknown")}, optional={"model-id": TEXT}, open=False
    ),
    "resource": Shape(required={"type": TEXT, "url": TEXT}, optional={}, open=False),
}
