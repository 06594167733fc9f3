"""Odd values: whatever a field holds, reading goes on and loses neither the odd value nor anything else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import msgspec

from pollux.testing.bench import Bench
from pollux.testing.chooser import Chooser
from pollux.testing.layout import Steps, Value, dotted

_DIGITS = "0123456789" * 40


class Odd(msgspec.Struct, frozen=True):
    """An unexpected value: its name, its JSON, and the part that must be found again; `#` is a number.

    A marker begins with a dash, so that it stays a separate word if a reader joins texts.
    """

    name: str
    json: str
    marker: str | None = None


ODD = (
    Odd("null", "null"),
    Odd("7", "7"),
    Odd("1.5", "1.5"),
    Odd("true", "true"),
    Odd("an empty string", '""'),
    Odd("a string", '"-odd-marker-#-"', "-odd-marker-#-"),
    Odd("a list", '["-odd-marker-#-"]', "-odd-marker-#-"),
    Odd("an object", '{"-odd-marker-#-":1}', "-odd-marker-#-"),
    Odd("a list in a list", '[["-odd-marker-#-"]]', "-odd-marker-#-"),
    Odd("400 digits", f"7#{_DIGITS[:395]}", f"7#{_DIGITS[:395]}"),
    Odd("a long string", f'"-odd-long-#-{"x" * 70_000}-end-"', f"-odd-long-#-{'x' * 70_000}-end-"),
    Odd("half a surrogate", '"-odd-half-\\ud83d-other-half-#-"', "-other-half-#-"),
)


def odd_values(bench: Bench, chooser: Chooser) -> None:
    """Replace every value by odd ones: one in each object at once, and one at a time where something is wrong."""
    values = chooser.of(bench.layout.values)
    groups = [[value] for value in values] if chooser.thorough else _groups(bench, values)
    for odd in ODD:
        for group in groups:
            head = bench.layout.is_head(group[0])
            grouped = not chooser.thorough and not head and odd.name != "a string"
            if len(group) == 1 or not _replace_all(bench, group, odd, grouped=grouped):
                for value in group:
                    _replace(bench, value, odd, grouped=grouped)
    bench.stage.put(bench.file, bench.raw)


def _groups(bench: Bench, values: Sequence[Value]) -> list[list[Value]]:
    """Groups of values at the same depth of different objects; values that decide what the file is, each alone."""
    alone = [[value] for value in values if bench.layout.is_head(value)]
    depths: dict[int, dict[tuple[int, Steps], list[Value]]] = {}
    for value in values:
        if not bench.layout.is_head(value):
            parent = (bench.layout.unit_before(value.start), value.path[:-1])
            depths.setdefault(len(value.path), {}).setdefault(parent, []).append(value)
    rows = (row for objects in depths.values() for row in zip_longest(*objects.values()))
    return alone + [[value for value in row if value is not None] for row in rows]


def _replace_all(bench: Bench, group: list[Value], odd: Odd, *, grouped: bool) -> bool:
    """Replace all at once. Is everything right? If not, replacing them one by one shows what is wrong."""
    raw, before = bytearray(), 0
    for number, value in enumerate(sorted(group, key=lambda value: value.start)):
        raw += bench.raw[before : value.start] + _written(odd, number)
        before = value.end
    bench.stage.put(bench.file, bytes(raw + bench.raw[before:]))
    failure_count = len(bench.failures)
    sessions = bench.read("several values replaced", grouped=grouped)
    if sessions is None:
        del bench.failures[failure_count:]
        return False
    if not bench.counted:
        return True
    markers = [_marker(odd, number) for number in range(len(group))]
    missing = bench.missing(bench.layout.words)
    if missing:
        missing -= bench.layout.words_only_in(*((value.start, value.end) for value in group))
    return bench.serves(sessions) and not missing and all(marker is None or bench.holds(marker) for marker in markers)


def _replace(bench: Bench, value: Value, odd: Odd, *, grouped: bool) -> None:
    place = dotted(value.path)
    action = f"{place or 'a whole record'} (byte {value.start}) replaced by {odd.name}"
    bench.stage.put(bench.file, bench.raw[: value.start] + _written(odd, 0) + bench.raw[value.end :])
    sessions = bench.read(action, grouped=grouped)
    if sessions is None or not bench.counted:
        return
    served = bench.serves(sessions)
    has_other_voices = any(unit.end <= value.start or unit.start >= value.end for unit in bench.voices)
    if served or has_other_voices:
        lost = bench.missing(bench.layout.words)
        if lost and (lost := lost - bench.layout.words_only_in((value.start, value.end))):
            bench.fail(action, f"other words lost: {sorted(lost)[:8]}")
    marker = _marker(odd, 0)
    if marker is None or bench.holds(marker):
        return
    # The value of a record that is no longer an object, or of a file without a session, stands in no JSON: it must be
    # reported.
    if (not value.path or not served) and bench.accounted(action):
        return
    bench.fail(action, "the odd value is lost" + ("" if served else "; the file gives no session and no notice"))


def _written(odd: Odd, number: int) -> bytes:
    return odd.json.replace("#", f"{number:03}").encode()


def _marker(odd: Odd, number: int) -> str | None:
    return None if odd.marker is None else odd.marker.replace("#", f"{number:03}")
