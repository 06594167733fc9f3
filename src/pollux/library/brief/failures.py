"""What failed: each call that did, why, and what worked after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pollux.library.brief.output_lines import error_line
from pollux.library.brief.told_calls import CallAt, call_words
from pollux.library.brief.values import Importance, Item, Section
from pollux.model import Status

_WORD = re.compile(r"[\w./*-]{5,}")
_LONGEST = 2_000

Same = tuple[str, str]
"""What two calls share that did the same: the tool, and what it was asked."""


def failures(calls: Sequence[CallAt]) -> Iterator[Item]:
    """The calls that failed, those that did the same as one item, in the order of the last of each."""
    groups: dict[Same, list[int]] = {}
    succeeded: dict[Same, int] = {}
    for number, one in enumerate(calls):
        same = (one.call.name, call_words(one.call))
        if one.call.status is Status.ERROR:
            groups.setdefault(same, []).append(number)
        elif one.call.status is Status.OK:
            succeeded[same] = number
    for same, numbers in sorted(groups.items(), key=lambda group: group[1][-1]):
        last = numbers[-1]
        later = succeeded.get(same)
        yield _item(calls, same, numbers, later if later is not None and later > last else _next(calls, last))


def _next(calls: Sequence[CallAt], failed: int) -> int | None:
    """The next call in the same turn, if it is probably another way: it is about the same, and went well."""
    if failed + 1 >= len(calls):
        return None
    one, other = calls[failed], calls[failed + 1]
    if one.turn != other.turn or one.call.canonical != other.call.canonical or other.call.status is not Status.OK:
        return None
    return None if _words(one).isdisjoint(_words(other)) else failed + 1


def _words(one: CallAt) -> set[str]:
    """The longer words of a call, such as names of files and options."""
    return set(_WORD.findall(call_words(one.call)[:_LONGEST]))


def _item(calls: Sequence[CallAt], same: Same, numbers: list[int], then: int | None) -> Item:
    last = calls[numbers[-1]]
    words = [f"exit code {last.call.exit_code}"] if last.call.exit_code else []
    words += [f"{len(numbers):,} times"] if len(numbers) > 1 else []
    places = [last.place]
    covers = [calls[number].unit for number in numbers]
    if then is not None:
        same_words = call_words(calls[then].call) == same[1]
        words.append("later it went well" if same_words else f"next, and it went well: {call_words(calls[then].call)}")
        places.append(calls[then].place)
        covers.append(calls[then].unit)
    return Item(
        section=Section.FAILED,
        what="failed",
        text=same[1],
        note="; ".join(words),
        detail=error_line(last.call.output or ""),
        importance=Importance.DECISION if then is None else Importance.SOLVED,
        places=tuple(dict.fromkeys(places)),
        covers=tuple(covers),
        at=last.message.at,
        fate=last.message.fate,
    )
