"""What can still be had from a JSON document that was cut off or damaged."""

from __future__ import annotations

import re

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# A bare word at the very end may itself be cut: only what a later byte confirms is whole.
_SCALAR = rb"(?:" + _STRING + rb"|(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,\]}]))"
_KEY = _STRING + rb"\s*+:\s*+"
_MEMBERS = re.compile(
    rb"((?:[\s,]*+" + _KEY + _SCALAR + rb")*+)[\s,]*(?:" + _KEY + rb"(?=[\[{]))?([\[{\]}])?", re.DOTALL
)
_ITEMS = re.compile(rb"((?:[\s,]*+" + _SCALAR + rb")*+)[\s,]*([\[{\]}])?", re.DOTALL)
_CLOSERS = {b"{": b"}", b"[": b"]"}


def close(raw: bytes) -> tuple[bytes, int]:
    """The longest beginning of a cut-off document that becomes valid JSON when its brackets are closed, and its length.

    Goes from bracket to bracket: what lies between two is a run of whole members or items, or the end.
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


def blocks(raw: bytes, indent: int) -> list[tuple[int, bytes]]:
    """The objects that stand `indent` spaces deep in a pretty-printed document, each with the number of its first line.

    JSON strings hold no raw line breaks, so a line that is just an indented brace always is structure. An
    object whose end is missing reaches to the next one's beginning.
    """
    opening, closings = b" " * indent + b"{", (b" " * indent + b"}", b" " * indent + b"},")
    found: list[tuple[int, list[bytes]]] = []
    inside = False
    for number, line in enumerate(raw.split(b"\n"), start=1):
        bare = line.rstrip(b"\r")
        if bare == opening:
            found.append((number, [bare]))
            inside = True
        elif inside:
            inside = bare not in closings
            found[-1][1].append(bare if inside else closings[0])
    return [(number, b"\n".join(lines)) for number, lines in found]
