"""An answer: our own words, then old words inside a fence, then how to go on. It never exceeds its budget."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pollux.library.for_agents.texts import NOTE
from pollux.text.escape import escaped
from pollux.text.fence import Fence

_LESS_THAN = r"\u003c"
_OVERHEAD = len(Fence("x" * 8).around("")) + len(NOTE) + 4


def room(size: int, *own: str) -> int:
    """How many characters old words may have in an answer of this size, beside these of our own."""
    return size - _OVERHEAD - sum(len(text) + 1 for text in own)


def answer(head: str, old: str, *tail: str) -> str:
    """The text of an answer. What is old must be `harmless` already."""
    if not old:
        return "\n".join((head, *filter(None, tail)))
    return "\n".join((head, NOTE, Fence.for_text(old).around(old), *filter(None, tail)))


def invocation(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call of a tool as a line that can be copied: escapes make it harmless, and mean the same."""
    document = escaped(json.dumps(arguments, ensure_ascii=False))
    return f"{tool} {document.replace('<', _LESS_THAN)}"


def fitting(blocks: Iterable[str], size: int) -> list[str]:
    """The first blocks that fit, each on its own lines."""
    fit: list[str] = []
    for block in blocks:
        size -= len(block) + 1
        if size < 0:
            break
        fit.append(block)
    return fit
