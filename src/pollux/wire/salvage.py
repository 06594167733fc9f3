"""What can still be read from a JSON document that was cut off or damaged."""

from __future__ import annotations

import re

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# A bare word at the very end may be cut itself: it is whole only if a later byte ends it.
_SCALAR = rb"(?:" + _STRING + rb"|(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,\]}]))"
_KEY = _STRING + rb"\s*+:\s*+"
_MEMBERS = re.compile(
    rb"((?:[\s,]*+" + _KEY + _SCALAR + rb")*+)[\s,]*(?:" + _KEY + rb"(?=[\[{]))?([\[{\]}])?", re.DOTALL
)
_ITEMS = re.compile(rb"((?:[\s,]*+" + _SCALAR + rb")*+)[\s,]*([\[{\]}])?", re.DOTALL)
# What a cut may leave after the last whole member or item: a string that was cut, perhaps in an escape, or less.
_TAIL = re.compile(
    rb"[\s,]*+(?P<key>" + _KEY + rb")?"
    rb'(?:(?P<string>"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)(?:\\(?:u[0-9a-fA-F]{0,3})?)?|[\w.+-]*|'
    + _STRING
    + rb"\s*)\Z",
    re.DOTALL,
)
_CLOSERS = {b"{": b"}", b"[": b"]"}


def close(raw: bytes) -> tuple[bytes, int]:
    """The longest beginning of a cut-off document that becomes valid JSON when its brackets are closed, and its length.

    Goes from bracket to bracket: between two brackets is a run of whole members or items, or the end.
    """
    stack: list[bytes] = []
    safe = place = 0
    while stack or not safe:
        step = (_MEMBERS if stack and stack[-1] == b"{" else _ITEMS).match(raw, place)
        if step is None:
            break
        if step.end(1) > step.start(1):
            safe = step.end(1)
        bracket = step.group(2)
        if bracket in _CLOSERS:
            stack.append(bracket)
        elif bracket is not None and stack and _CLOSERS[stack[-1]] == bracket:
            stack.pop()
        else:
            break
        safe = place = step.end()
    return raw[:safe] + b"".join(_CLOSERS[bracket] for bracket in reversed(stack)), safe


def mend(raw: bytes) -> bytes | None:
    """A document that was cut off, closed, with everything in it: also the beginning of a string that was cut.

    None where it is whole, or damaged in another way.
    """
    raw = _whole_characters(raw)
    closed, end = close(raw)
    missing = closed[end:]
    tail = _TAIL.match(raw, end)
    if not missing or tail is None:
        return None
    # A string without a key is one in a list, or a key that was cut itself.
    if tail["string"] is None or bool(tail["key"]) != missing.startswith(b"}"):
        return closed
    return raw[: tail.end("string")] + b'"' + missing


def _whole_characters(raw: bytes) -> bytes:
    """UTF-8 bytes without the last character, if that was cut."""
    for back in range(1, min(4, len(raw) + 1)):
        first = raw[-back]
        if first >= 0xC0:  # where a character of several bytes begins
            return raw if back >= 2 + (first >= 0xE0) + (first >= 0xF0) else raw[:-back]
    return raw


def blocks(raw: bytes, indent: int) -> list[tuple[int, bytes]]:
    """The objects that stand `indent` spaces deep in a pretty-printed document, each with the number of its first line.

    JSON strings hold no raw line breaks, so a line that is only an indented brace is always structure. An
    object without an end reaches to the beginning of the next one.
    """
    opening, closings = b" " * indent + b"{", (b" " * indent + b"}", b" " * indent + b"},")
    objects: list[tuple[int, list[bytes]]] = []
    inside = False
    for number, line in enumerate(raw.split(b"\n"), start=1):
        bare = line.rstrip(b"\r")
        if bare == opening:
            objects.append((number, [bare]))
            inside = True
        elif inside:
            inside = bare not in closings
            objects[-1][1].append(bare if inside else closings[0])
    return [(number, b"\n".join(lines)) for number, lines in objects]
