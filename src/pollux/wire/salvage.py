"""What can still be had from a JSON document that was cut off or damaged."""

from __future__ import annotations

import re

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s"\[\]{},:]+', re.DOTALL)
_LITERAL = re.compile(rb"(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\Z")
_CLOSERS = {b"{": b"}", b"[": b"]"}


def close(raw: bytes) -> bytes:
    """The longest beginning of a cut-off document that becomes valid JSON when its brackets are closed."""
    stack: list[bytes] = []
    safe = 0
    expect_key = False
    key_seen = False
    for match in _TOKEN.finditer(raw):
        token = match.group()
        if match.start() > 0 and not stack and safe:
            break
        if token in (b"{", b"["):
            stack.append(token)
            expect_key, key_seen = token == b"{", False
            safe = match.end()
        elif token in (b"}", b"]"):
            if not stack or _CLOSERS[stack[-1]] != token:
                break
            stack.pop()
            expect_key, key_seen = False, False
            safe = match.end()
        elif token == b",":
            expect_key, key_seen = bool(stack) and stack[-1] == b"{", False
        elif token == b":":
            if not key_seen:
                break
            expect_key = False
        elif token.startswith(b'"') or _LITERAL.match(token):
            if expect_key:
                key_seen = True
            else:
                # A bare number at the very end may be cut in the middle: only what a later token confirms is safe.
                if match.end() == len(raw) and not token.startswith(b'"'):
                    break
                safe = match.end()
        else:
            break
    # Whatever opens or closes a bracket is safe itself, so the stack is still that of the last safe place.
    return raw[:safe] + b"".join(_CLOSERS[bracket] for bracket in reversed(stack))


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
            if bare in closings:
                found[-1][1].append(closings[0])
                inside = False
            else:
                found[-1][1].append(bare)
    return [(number, b"\n".join(lines)) for number, lines in found]
