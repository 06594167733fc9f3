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
    before = b""  # what came last: a bracket, a comma, a colon, a key, or a value
    for match in _TOKEN.finditer(raw):
        token = match.group()
        inside = stack[-1] if stack else b""
        scalar = token.startswith(b'"') or _LITERAL.match(token) is not None
        if scalar and inside == b"{" and before in (b"{", b","):
            before = b"key"
        elif token == b":" and before == b"key":
            before = b":"
        elif token == b"," and before == b"value" and stack:
            before = b","
        elif token in (b"}", b"]") and stack and _CLOSERS[inside] == token and before not in (b",", b":", b"key"):
            stack.pop()
            before, safe = b"value", match.end()
        elif not _value_may_follow(before, inside):
            break
        elif token in _CLOSERS:
            stack.append(token)
            before, safe = token, match.end()
        elif scalar and (match.end() < len(raw) or token.startswith(b'"')):
            # A bare word at the very end may itself be cut.
            before, safe = b"value", match.end()
        else:
            break
    # Whatever opens or closes a bracket is safe itself, so the stack is still that of the last safe place.
    return raw[:safe] + b"".join(_CLOSERS[bracket] for bracket in reversed(stack))


def _value_may_follow(before: bytes, inside: bytes) -> bool:
    return before in (b"", b":") or (inside == b"[" and before in (b"[", b","))


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
