"""Token figures that contradict one another."""

from __future__ import annotations

import msgspec

from pollux.model import Usage
from pollux.wire.notes import Notes

_WHOLES = {"cached": "input", "cache_write": "input", "cache_write_long": "cache_write", "reasoning": "output"}


def coherent(usage: Usage, notes: Notes) -> Usage:
    """The figures of a request, where no part is larger than its whole: such a part is unknown.

    Then what was used cannot be told exactly. Parts have prices of their own: one that cannot be would make the cost as
    large as one likes.
    """
    cached, written, long = usage.cached, usage.cache_write, usage.cache_write_long
    given, output = usage.input, usage.output
    # Nearly always all is well, and every request comes by.
    if (
        (given is None or (cached or 0) + (written or 0) <= given)
        and (not long or (written is not None and long <= written))
        and (output is None or (usage.reasoning or 0) <= output)
    ):
        return usage
    odd = {name for name, whole in _WHOLES.items() if _exceeds(getattr(usage, name), getattr(usage, whole))}
    if not odd & {"cached", "cache_write"} and given is not None and (cached or 0) + (written or 0) > given:
        odd |= {"cached", "cache_write"}
    for name in sorted(odd):
        whole = _WHOLES[name]
        notes.add("usage.odd", f"A part of the {whole}, {name}, is larger than all of it; not counted.", subject=name)
    if long and (written is None or "cache_write" in odd):
        odd.add("cache_write_long")
    return msgspec.structs.replace(usage, **dict.fromkeys(odd), exact=usage.exact and None)


def _exceeds(part: int | None, whole: int | None) -> bool:
    return part is not None and whole is not None and part > whole
