"""Which values of a salted record are hidden: those in a place, those with a word, those with a secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from pollux.errors import NotFound, RequestError
from pollux.signing.salted import Path, Salted
from pollux.transforms.redact import Redactor

Wanted = Callable[[Path, Any], bool]

STEP = re.compile(r"\[(\d+)\]|\.?([^.\[\]]+)")


def hide(whole: Salted, places: Iterable[str], words: Iterable[str], *, secrets: bool, names: bool = False) -> Salted:
    """A copy with values hidden; with `names`, where they stood is hidden as well.

    Raises `NotFound` where a place or a word hides nothing: a slip of the pen must not go unseen.
    """
    choices = [(f"stands at {place}", _below(place)) for place in places]
    choices += [(f"has {word!r} in it", _with(word)) for word in words]
    copy = whole
    for what, condition in choices:
        if whole.hide(condition).hidden == whole.hidden:
            raise NotFound(f"Nothing that is shown {what}.", "No copy was made.")
        copy = copy.hide(condition, places=names)
    if secrets:
        copy = copy.hide(_secret(), places=names)
    if copy.hidden == whole.hidden:
        raise NotFound("No visible value looks like a secret.", "No copy was made.")
    return copy


def _below(place: str) -> Wanted:
    start = _path(place)
    return lambda path, _: path[: len(start)] == start


def _with(word: str) -> Wanted:
    return lambda _, value: word in str(value)


def _secret() -> Wanted:
    redactor = Redactor()
    return lambda _, value: redactor.text(str(value)) != str(value)


def _path(place: str) -> Path:
    """The steps of a place. A name with a dot or a bracket in it cannot be given; what is around it can."""
    steps: list[str | int] = []
    end = 0
    for step in STEP.finditer(place):
        if step.start() != end:
            break
        steps.append(int(step[1]) if step[1] is not None else step[2])
        end = step.end()
    if end != len(place) or not steps:
        raise RequestError(f"{place!r} is not a place in a record.", "Try: --place session.entries[3].content")
    return tuple(steps)
